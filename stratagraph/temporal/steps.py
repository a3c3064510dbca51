"""Runs the compute steps of a commit: each is a SELECT-only file of `sql/`, kept here as a temporary table.

How a step is kept is decided here and nowhere else, so that another executor can run the same files (design section 13).
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from stratagraph.sqlfiles import load_sql, quote_identifier

Parameters = Mapping[str, object]


class Steps:
    """The temporary tables of one commit on one connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self._names: list[str] = []
        self._inlined: list[str] = []

    def keep(self, name: str, layer: str, file: str, parameters: Parameters | None = None, **inputs: str) -> None:
        """Compute `sql/<layer>/<file>.sql` and keep it as the temporary table `name`; inputs fill its {placeholders}."""
        quoted = {key: quote_identifier(value) for key, value in inputs.items()}
        query = load_sql(layer, file, **quoted)
        statement = load_sql("temporal", "materialise_step", name=quote_identifier(name), query=query)
        self.connection.execute(statement, dict(parameters or {}))
        self._names.append(name)

    def inline(self, name: str, layer: str, file: str) -> None:
        """Like keep, but computed within each statement that reads it: for a wide step that is read once."""
        statement = load_sql("temporal", "inline_step", name=quote_identifier(name), query=load_sql(layer, file))
        self.connection.execute(statement)
        self._inlined.append(name)

    def apply(self, layer: str, file: str, parameters: Parameters | None = None, **inputs: str) -> None:
        """Execute the statements of `sql/<layer>/<file>.sql`, which write to the store; each takes the parameters it names."""
        quoted = {key: quote_identifier(value) for key, value in inputs.items()}
        given = parameters or {}
        for statement in self.connection.extract_statements(load_sql(layer, file, **quoted)):
            self.connection.execute(statement, {name: given[name] for name in statement.named_parameters})

    def row(self, layer: str, file: str, parameters: Parameters | None = None) -> dict[str, object]:
        """The single row of a query file, by column name."""
        cursor = self.connection.execute(load_sql(layer, file), dict(parameters or {}))
        names = [column[0] for column in cursor.description or []]
        rows = cursor.fetchall()
        if len(rows) != 1:
            raise AssertionError(f"sql/{layer}/{file}.sql gave {len(rows)} rows")
        return dict(zip(names, rows[0], strict=True))

    def count(self, name: str) -> int:
        """Rows of a step's table."""
        return int(self.connection.table(name).aggregate("count(*)").fetchall()[0][0])

    def drop(self, *names: str) -> None:
        """Free the named step tables, or all of them."""
        for name in () if names else self._inlined:
            self.connection.execute(load_sql("temporal", "drop_inlined", name=quote_identifier(name)))
        gone = names or tuple(dict.fromkeys(self._names))
        self.connection.execute("".join(load_sql("temporal", "drop_step", name=quote_identifier(name)) for name in gone))
        self._names = [name for name in self._names if name not in gone]
