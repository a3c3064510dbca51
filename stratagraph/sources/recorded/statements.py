"""The records of a recorded source as statements: nodes by their identifying keys, edges by the items of nested lists.

Works on dlt's landing tables, all wanted versions at once, in SQL; only parameters and column names are put together here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import duckdb
import pyarrow as pa

from stratagraph.config.sources import RecordedSource
from stratagraph.errors import ConfigError
from stratagraph.project import Project
from stratagraph.sources.catalog import LandedColumn, loaded_columns
from stratagraph.sources.landing import landing_columns
from stratagraph.sources.names import dataset_name
from stratagraph.sources.recorded.mapping import Plan, Shape, item_plan, nested_plan, record_plan
from stratagraph.sources.recorded.series import ROOT
from stratagraph.sqlfiles import load_sql, qualified, quote_identifier

LAYER = "sources"


def prepare_records(
    project: Project, connection: duckdb.DuckDBPyConnection, source: str, config: RecordedSource, files: Sequence[str]
) -> None:
    """Fill the temporary tables `records`, `nested`, `items` and `problems` from some versions of a source."""
    _Records(project, connection, source, config).prepare(files)


class _Records:
    """The records of one source on their way to statements."""

    def __init__(self, project: Project, connection: duckdb.DuckDBPyConnection, source: str, config: RecordedSource) -> None:
        self._project, self._connection, self._source, self._config = project, connection, source, config
        self._dataset = dataset_name(source)
        self._shape = Shape(loaded_columns(connection, source))

    def prepare(self, files: Sequence[str]) -> None:
        kept = self._kept()
        record = record_plan(self._project, self._source, self._config, self._shape)
        self._place(files)
        for table in kept:
            self._run("insert_places", {"table": self._table(table)})
        self._connection.execute(load_sql(LAYER, "create_lists"))
        for table in (ROOT, *kept):
            self._insert_lists(table, record.lists if table == ROOT else None)
        self._run("create_records", self._identifiers(ROOT, record), record.parameters)
        self._connection.execute(load_sql(LAYER, "create_nested"))
        for table in kept:
            plan = nested_plan(self._project, self._source, self._config, self._shape, table)
            self._run("insert_nested", self._identifiers(table, plan), plan.parameters)
        self._connection.execute(load_sql(LAYER, "create_items"))
        for edge in self._config.mapping.edges if self._landed() else ():
            table = f"{ROOT}.{edge.each}"
            self._refuse_no_list(edge.each)
            plan = item_plan(self._project, self._source, edge, record)
            self._run("insert_items", self._identifiers(table, plan), plan.parameters)
        self._connection.execute(load_sql(LAYER, "insert_record_problems"), {"source": self._source})

    def _run(self, name: str, identifiers: Mapping[str, str], parameters: Mapping[str, object] | None = None) -> None:
        self._connection.execute(load_sql(LAYER, name, **identifiers), parameters)

    def _kept(self) -> list[str]:
        """The nested lists whose items become records: those that no edge is made of, where unmapped fields are kept."""
        if self._config.mapping.unmapped != "keep":
            return []
        mapped = [f"{ROOT}.{edge.each}" for edge in self._config.mapping.edges]
        return [table for table in self._shape.nested(ROOT) if not any(f"{table}.".startswith(f"{other}.") for other in mapped)]

    def _landed(self) -> bool:
        """Whether any version ever had a record: dlt makes no table for none."""
        return self._shape.landing_table(ROOT) in landing_columns(self._connection, self._dataset)

    def _place(self, files: Sequence[str]) -> None:
        if not self._landed():
            self._connection.execute(load_sql(LAYER, "create_no_places"))
            return
        names = {field for key in self._config.identifying for field in key}
        if not names & self._shape.fields(ROOT).keys():
            raise ConfigError(
                "no record has any of the identifying fields", where=f"sources.{self._source}.keys",
                hint=f"the fields are: {', '.join(sorted(self._shape.fields(ROOT)))}",
            )  # fmt: skip
        self._connection.register("wanted", pa.table({"file": pa.array(list(files), pa.string())}))
        self._run("create_places", {"table": self._table(ROOT)}, {"source": self._source})
        self._connection.unregister("wanted")

    def _insert_lists(self, table: str, wanted: Sequence[str] | None) -> None:
        for path, column in self._shape.lists_in(table).items():
            if wanted is None or path in wanted:
                identifiers = {"table": qualified(self._dataset, column.landing_table)}
                self._run("insert_lists", identifiers | {"value": quote_identifier(column.landing_column)}, {"path": path})

    def _refuse_no_list(self, each: str) -> None:
        table, where = f"{ROOT}.{each}", f"sources.{self._source}.mapping.edges"
        found = [name.removeprefix(f"{ROOT}.") for name in self._shape.tables() if self._shape.parent(name) == ROOT]
        hint = f"the lists are: {', '.join(found)}"
        if self._shape.landing_table(table) is None:
            raise ConfigError(f"no record has a list {each!r}", where=where, hint=hint)
        if each not in found:
            raise ConfigError(f"the list {each!r} is nested in another one", where=where, hint=hint)

    def _table(self, table: str) -> str:
        landed = self._shape.landing_table(table)
        return qualified(self._dataset, landed) if landed is not None and self._landed() else "no_records"

    def _identifiers(self, table: str, plan: Plan) -> dict[str, str]:
        return {"table": self._table(table), "fields": _fields(self._shape.fields(table), plan.fields)}


def _fields(columns: Mapping[str, LandedColumn], fields: Iterable[str]) -> str:
    """The landing columns of some fields, of the table that the SQL calls `landed`; NULL for a field that no version has."""
    found = (columns.get(field) for field in fields)
    return ", ".join(qualified("landed", column.landing_column) if column else "NULL" for column in found)


def version_statements(
    project: Project, connection: duckdb.DuckDBPyConnection, source: str, file: str
) -> duckdb.DuckDBPyRelation:
    """All statements of one prepared version."""
    parameters = {"dataset": project.config.dataset, "source": source, "file": file}
    return connection.sql(load_sql(LAYER, "select_record_statements"), params=parameters)


def version_links(project: Project, connection: duckdb.DuckDBPyConnection, file: str) -> duckdb.DuckDBPyRelation:
    """The identifying keys of one prepared version that belong together."""
    return connection.sql(load_sql(LAYER, "select_record_links"), params={"dataset": project.config.dataset, "file": file})
