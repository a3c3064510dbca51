"""The landing file's own tables: which loads ended, and what tables, columns and keys they found.

dlt's tables are what a load brought last. The log of the rows is written by `rowlog.py`. Everything a load changes here,
it changes in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from stratagraph.project import Project
from stratagraph.sources.catalog import JSON_TEXT, ForeignKey, LandedColumn, Load, last_load
from stratagraph.sources.read.reader import Identifier, Refused
from stratagraph.sqlfiles import load_sql, qualified, quote_identifier
from stratagraph.transactions import transaction

LAYER = "sources"

_TEXT, _NAMES = pa.string(), pa.list_(pa.string())
_TABLES = pa.schema(
    {"source": _TEXT, "table_name": _TEXT, "path": _NAMES, "mode": _TEXT, "present": pa.bool_(), "drifted": pa.bool_(),
     "row_count": pa.int64()}
)  # fmt: skip
_COLUMNS = pa.schema(
    {"source": _TEXT, "table_name": _TEXT, "column_name": _TEXT, "landing_schema": _TEXT, "landing_table": _TEXT,
     "landing_column": _TEXT, "type": _TEXT, "position": pa.int64(), "known_as": _TEXT, "former": _NAMES, "present": pa.bool_(),
     "encoded": pa.bool_()}
)  # fmt: skip
_IDENTIFIERS = pa.schema({"source": _TEXT, "table_name": _TEXT, "kind": _TEXT, "columns": _NAMES, "origin": _TEXT})
_REFUSED = pa.schema(
    {"source": _TEXT, "table_name": _TEXT, "reason": _TEXT, "detail": _TEXT, "payload": _TEXT, "location": _TEXT}
)
_CHANGES = pa.schema(
    {"source": _TEXT, "table_name": _TEXT, "column_name": _TEXT, "change": _TEXT, "before": _TEXT, "after": _TEXT,
     "seen_at": pa.timestamp("us", "UTC")}
)  # fmt: skip
_CURSORS = pa.schema({"source": _TEXT, "table_name": _TEXT, "column_name": _TEXT, "value": _TEXT, "type": _TEXT})
_FOREIGN_KEYS = pa.schema(
    {"source": _TEXT, "name": _TEXT, "table_name": _TEXT, "columns": _NAMES, "referenced_table": _TEXT,
     "referenced_columns": _NAMES, "origin": _TEXT}
)  # fmt: skip


@dataclass(frozen=True)
class LoadResult:
    """What a load did.

    Args:
        rows: what the source holds now.
        versions: what a recorded source has new.
        refused: rows and files that could not be read; they are in the quarantine.
        schema_changes: columns that were added, dropped, renamed or retyped since the last load.
        notes: what a person should know of how the source was read, such as a guess that was made.
    """

    changed: bool
    source: str
    tables: int
    rows: int
    versions: int = 0
    refused: int = 0
    schema_changes: int = 0
    notes: str = ""

    def metadata(self) -> dict[str, int | float | str]:
        return {name: value for name, value in asdict(self).items() if value != ""}


@contextmanager
def open_landing(project: Project) -> Iterator[duckdb.DuckDBPyConnection]:
    """The landing file for writing, with its own tables and the macros of this layer."""
    with project.landing_connection(read_only=False) as connection:
        connection.execute(load_sql(LAYER, "create_catalog"))
        connection.execute(load_sql(LAYER, "create_macros"))
        yield connection


def read_last_load(project: Project, source: str) -> Load | None:
    """The last whole load of a source, also where there is no landing file yet."""
    if not project.landing.exists():
        return None
    with project.landing_connection() as connection:
        return last_load(connection, source)


def start_load(project: Project, source: str, drop: str | None = None) -> None:
    """Note that a load writes from now on; drop the schema that it replaces."""
    with open_landing(project) as connection, transaction(connection):
        connection.execute(load_sql(LAYER, "update_load_started"), {"source": source})
        if drop is not None:
            connection.execute(load_sql(LAYER, "drop_dataset", schema=quote_identifier(drop)))


def landing_columns(connection: duckdb.DuckDBPyConnection, dataset: str) -> dict[str, dict[str, str]]:
    """Landing table -> column -> DuckDB type, as they are in the file."""
    tables: dict[str, dict[str, str]] = {}
    for table, column, kind in connection.execute(load_sql(LAYER, "select_landing_columns"), {"schema": dataset}).fetchall():
        tables.setdefault(table, {})[column] = kind
    return tables


def replace_reflection(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    dataset: str,
    columns: Sequence[LandedColumn],
    identifiers: Sequence[Identifier],
    foreign_keys: Sequence[ForeignKey],
) -> None:
    """What is known of a source's columns and keys."""
    _replace(
        connection, "columns", source, _COLUMNS,
        [
            {"table_name": column.table, "column_name": column.name, "landing_schema": dataset}
            | {"landing_table": column.landing_table, "landing_column": column.landing_column, "type": column.type}
            | {"position": column.position, "known_as": column.known_as or column.name, "former": column.former}
            | {"present": column.present, "encoded": column.encoded or column.type == JSON_TEXT}
            for column in columns
        ],
    )  # fmt: skip
    replace_identifiers(connection, source, identifiers)
    _replace(
        connection, "foreign_keys", source, _FOREIGN_KEYS,
        [
            {"name": key.name, "table_name": key.table, "columns": key.columns, "origin": key.origin}
            | {"referenced_table": key.referenced_table, "referenced_columns": key.referenced_columns}
            for key in foreign_keys
        ],
    )  # fmt: skip


def replace_identifiers(connection: duckdb.DuckDBPyConnection, source: str, identifiers: Sequence[Identifier]) -> None:
    """What tells the rows of each table of a source apart."""
    rows = [
        {"table_name": key.table, "kind": key.kind, "columns": key.columns, "origin": key.origin}
        for key in sorted(set(identifiers), key=lambda key: (key.table, key.kind, key.columns))
    ]
    _replace(connection, "identifiers", source, _IDENTIFIERS, rows)


def replace_tables(connection: duckdb.DuckDBPyConnection, source: str, tables: Sequence[Mapping[str, Any]]) -> None:
    """The tables of a source: table_name, path, mode, present, drifted, row_count."""
    _replace(connection, "tables", source, _TABLES, tables)


def replace_refused(connection: duckdb.DuckDBPyConnection, source: str, refused: Sequence[Refused]) -> None:
    """What the last load could not read."""
    rows = [
        {"table_name": row.table, "reason": row.reason, "detail": row.detail, "payload": row.payload, "location": row.location}
        for row in refused
    ]
    _replace(connection, "refused", source, _REFUSED, rows)


def replace_cursors(connection: duckdb.DuckDBPyConnection, source: str, cursors: Sequence[Mapping[str, Any]]) -> None:
    """How far the incremental tables of a source were loaded: table_name, column_name, value, type."""
    _replace(connection, "cursors", source, _CURSORS, cursors)


def insert_schema_changes(connection: duckdb.DuckDBPyConnection, source: str, changes: Sequence[Mapping[str, Any]]) -> None:
    """What a load found changed: table_name, column_name, change, before, after, seen_at."""
    _insert(connection, "schema_changes", source, changes, _CHANGES)


def replace_load(
    connection: duckdb.DuckDBPyConnection, source: str, kind: str, wanted: str | None, loaded_at: datetime, tables: int
) -> None:
    """A load of a source of tables has ended."""
    parameters = {"source": source, "kind": kind, "input_fingerprint": wanted, "loaded_at": loaded_at, "tables": tables}
    _delete(connection, "loads", source)
    connection.execute(load_sql(LAYER, "insert_load"), parameters)


def nested_keys(connection: duckdb.DuckDBPyConnection, source: str, dataset: str, root: str) -> list[ForeignKey]:
    """The keys between dlt's nested tables and the tables they are nested in, by the names of the landing file."""
    tables = [table for table in landing_columns(connection, dataset) if table == root or table.startswith(f"{root}__")]
    return [
        ForeignKey(f"{child}._dlt_parent_id", child, ("_dlt_parent_id",), parent, ("_dlt_id",), "nested")
        for child, parent in sorted(_parents(tables).items())
    ]


def _parents(tables: Sequence[str]) -> dict[str, str]:
    """Nested table -> the table it is nested in: the one with the longest name that it starts with."""
    return {
        child: max((table for table in tables if child.startswith(f"{table}__")), key=len)
        for child in tables
        if any(child.startswith(f"{table}__") for table in tables)
    }


def delete_unfinished(project: Project, source: str, dataset: str, root: str) -> None:
    """Remove what a load that was cut off left behind in the tables of a recorded source."""
    with open_landing(project) as connection:
        tables = [table for table in landing_columns(connection, dataset) if table == root or table.startswith(f"{root}__")]
        if root not in tables:
            return
        with transaction(connection):
            connection.execute(load_sql(LAYER, "delete_unfinished_rows", table=qualified(dataset, root)), {"source": source})
            for child, parent in sorted(_parents(tables).items(), key=lambda pair: len(pair[0])):
                identifiers = {"child": qualified(dataset, child), "parent": qualified(dataset, parent)}
                connection.execute(load_sql(LAYER, "delete_orphans", **identifiers))


def _delete(connection: duckdb.DuckDBPyConnection, table: str, source: str) -> None:
    connection.execute(load_sql(LAYER, "delete_of_source", table=qualified("stratagraph", table)), {"source": source})


def _replace(
    connection: duckdb.DuckDBPyConnection, table: str, source: str, schema: pa.Schema, rows: Sequence[Mapping[str, Any]]
) -> None:
    _delete(connection, table, source)
    _insert(connection, table, source, rows, schema)


def _insert(
    connection: duckdb.DuckDBPyConnection, table: str, source: str, rows: Sequence[Mapping[str, Any]], schema: pa.Schema
) -> None:
    connection.register("incoming", pa.Table.from_pylist([{"source": source, **row} for row in rows], schema=schema))
    connection.execute(load_sql(LAYER, "insert_incoming", table=qualified("stratagraph", table)))
    connection.unregister("incoming")
