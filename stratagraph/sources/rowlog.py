"""The log of the rows that loads brought (`stratagraph.rows`): when each row came, changed and went.

That is the valid time of sources that know no better. Rows are compared set-based, in the landing file; what a row means
is not known here. A row's content is JSON by column name, without NULLs, so a new column without values changes no row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from stratagraph.sources.catalog import JSON_TEXT, LandedColumn
from stratagraph.sources.landing import landing_columns
from stratagraph.sources.names import pointer
from stratagraph.sqlfiles import load_sql, qualified, quote_identifier

LAYER = "sources"

# How a cell becomes JSON, by the DuckDB type of its column (see create_macros.sql).
_ENCODERS = {
    "DOUBLE": "json_of_number", "FLOAT": "json_of_number", "BLOB": "json_of_bytes",
    "TIMESTAMP": "json_of_time", "TIMESTAMP WITH TIME ZONE": "json_of_instant", JSON_TEXT: "json_of_text",
}  # fmt: skip


@dataclass(frozen=True)
class LandedTable:
    """A table that a load just brought.

    Args:
        columns: those that the load has.
        key: names of the columns that tell its rows apart; empty: their content does.
        path: the lists it is nested in.
        mode: full, incremental, changes.
        hidden: columns that are no part of a row, such as the operation of a feed of changes.
        binary: digest or hex: how bytes are kept.
        cursor: of two rows of one key, the one with the greater cursor stands; without one, the first.
    """

    name: str
    columns: tuple[LandedColumn, ...]
    key: tuple[str, ...]
    path: tuple[str, ...]
    mode: str = "full"
    hidden: frozenset[str] = frozenset()
    binary: str = "digest"
    cursor: LandedColumn | None = None

    @property
    def parent(self) -> str:
        return ".".join(self.path[:-1])


@dataclass(frozen=True)
class Feed:
    """How a table of changes says what happened: its columns of the time and the operation, and which operations end a row."""

    time: str
    zone: str
    operation: str | None
    deletes: tuple[str, ...]


def insert_current_rows(connection: duckdb.DuckDBPyConnection, dataset: str, tables: Sequence[LandedTable]) -> None:
    """Fill `current_rows` with the rows of all tables that are no feeds and not nested."""
    connection.execute(load_sql(LAYER, "create_current_rows"))
    present = landing_columns(connection, dataset)
    parents = {table.parent for table in tables}
    for table in tables:
        if len(table.path) > 1 or table.mode == "changes" or not (row := _row(table, present, dataset)):
            continue
        row.identifiers["id"] = quote_identifier("_dlt_id") if table.name in parents else "NULL"
        cursor = table.cursor and quote_identifier(table.cursor.landing_column)
        row.identifiers["place"] = f"row_number() OVER (ORDER BY {cursor} DESC NULLS LAST, rowid DESC)" if cursor else "rowid"
        connection.execute(load_sql(LAYER, "insert_current_rows", **row.identifiers), row.parameters)


def insert_nested_rows(connection: duckdb.DuckDBPyConnection, dataset: str, tables: Sequence[LandedTable]) -> None:
    """Add the items of nested lists to `current_rows`: each is told apart by its parent's key and its place in the list."""
    present = landing_columns(connection, dataset)
    for table in sorted(tables, key=lambda table: len(table.path)):
        if len(table.path) > 1 and (row := _row(table, present, dataset)):
            connection.execute(
                load_sql(LAYER, "insert_nested_rows", **row.identifiers), row.parameters | {"parent": table.parent}
            )


def insert_feed_rows(connection: duckdb.DuckDBPyConnection, dataset: str, table: LandedTable, feed: Feed, source: str) -> None:
    """Add the changes of a feed to the log, each at its own time; what can't be placed goes to `stratagraph.refused`.

    A feed only grows: changes that it does not repeat stay. Of two changes of one row at one time the later one counts.
    """
    present = landing_columns(connection, dataset)
    row = _row(table, present, dataset)
    if not row:
        return
    landed = present[table.columns[0].landing_table]
    cells = {column.name: _text(column, landed) for column in table.columns}
    columns = {"time": cells[feed.time], "operation": cells[feed.operation] if feed.operation else "NULL"}
    connection.execute(
        load_sql(LAYER, "create_feed_rows", **row.identifiers, **columns),
        row.parameters | {"source": source, "zone": feed.zone, "deletes": list(feed.deletes)},
    )
    for step in ("insert_feed_problems", "delete_corrected_changes", "insert_feed_changes"):
        connection.execute(load_sql(LAYER, step), {"source": source})


def insert_row_changes(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    now: datetime,
    growing: Mapping[str, str],
    drifted: Mapping[str, Sequence[Sequence[str]]],
) -> datetime:
    """Add to the log how `current_rows` differ from it; returns the time of this load, later than any before.

    Args:
        connection: the landing file.
        source: name of the source.
        now: the clock.
        growing: tables of which the load brings a part only (-> the table they are nested in, or empty): what it does not
            bring is not gone, but for items of lists in rows that it does bring.
        drifted: table whose columns changed once -> for each present column, its names in older contents, newest first.
    """
    row = connection.execute(load_sql(LAYER, "select_load_time"), {"now": now, "source": source}).fetchone()
    assert row is not None
    loaded_at: datetime = row[0]
    parameters: dict[str, object] = {"source": source, "growing": list(growing), "parents": list(growing.values())}
    connection.execute(load_sql(LAYER, "create_row_changes"), parameters)
    for table, names in sorted(drifted.items()):
        old = ", ".join(_first_of(position, len(group)) for position, group in enumerate(names))
        new = ", ".join(f"json_extract_string(content, $n{position}_0)" for position in range(len(names)))
        pointers = {f"n{p}_{n}": pointer(name) for p, group in enumerate(names) for n, name in enumerate(group)}
        statement = load_sql(LAYER, "delete_unchanged_rows", old=old, new=new)
        connection.execute(statement, pointers | {"table": table})
    connection.execute(load_sql(LAYER, "insert_row_changes"), {"source": source, "loaded_at": loaded_at})
    return loaded_at


def _first_of(position: int, count: int) -> str:
    texts = ", ".join(f"json_extract_string(content_before, $n{position}_{n})" for n in range(count))
    return f"coalesce({texts})"


@dataclass(frozen=True)
class _Row:
    """What the SQL that reads a landing table needs: expressions over its columns, and the names in them as parameters."""

    identifiers: dict[str, str]
    parameters: dict[str, str]


def _row(table: LandedTable, present: Mapping[str, Mapping[str, str]], dataset: str) -> _Row | None:
    """None: dlt makes no table for no rows."""
    landed = present.get(table.columns[0].landing_table) if table.columns else None
    if landed is None:
        return None
    shown = [column for column in table.columns if column.name not in table.hidden]
    cells = {column.name: cell for column in shown if (cell := _cell(column, landed, table.binary))}
    ordered = sorted(cells, key=lambda name: json.dumps(name, ensure_ascii=False))
    members = [f"$n{position} || {cells[name]}" for position, name in enumerate(ordered)]
    key = [cells.get(name, "NULL") for name in table.key]
    return _Row(
        {
            "table": qualified(dataset, table.columns[0].landing_table),
            "content": "'{' || concat_ws(',', " + ", ".join(members or ["NULL"]) + ") || '}'",
            "key": " || ',' || ".join(key).join(("'[' || ", " || ']'")) if key else "NULL",
        },
        {"name": table.name} | {f"n{p}": json.dumps(name, ensure_ascii=False) + ":" for p, name in enumerate(ordered)},
    )


def _cell(column: LandedColumn, landed: Mapping[str, str], binary: str) -> str:
    """A column as JSON text, NULL for NULL. dlt puts values that don't fit its type into variants; they count as the column."""
    encoded = [f"{_encoder(kind, binary)}({quote_identifier(name)})" for name, kind in _variants(column, landed)]
    return f"nullif(CAST(coalesce({', '.join(encoded)}) AS VARCHAR), 'null')" if encoded else ""


def _text(column: LandedColumn, landed: Mapping[str, str]) -> str:
    """A column as text."""
    cell = _cell(column, landed, "digest")
    return f"json_extract_string({cell}, '$')" if cell else "NULL"


def _variants(column: LandedColumn, landed: Mapping[str, str]) -> list[tuple[str, str]]:
    names = [name for name in landed if name == column.landing_column or name.startswith(f"{column.landing_column}__v_")]
    return [(name, JSON_TEXT if column.encoded or column.type == JSON_TEXT else landed[name]) for name in names]


def _encoder(kind: str, binary: str) -> str:
    if kind == "BLOB" and binary == "hex":
        return "json_of_hex"
    return "json_of_decimal" if kind.startswith("DECIMAL") else _ENCODERS.get(kind, "json_of_value")
