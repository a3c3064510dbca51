"""The landing file's own tables: which loads ended, what was reflected, and the log of the rows that they brought.

dlt's tables are what a load brought last; the log (`stratagraph.rows`) keeps when each row came, changed and went, which
is the valid time of sources that know no better. Everything a load changes here, it changes in one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

import duckdb
import pyarrow as pa

from stratagraph.project import Project
from stratagraph.sources.catalog import JSON_TEXT, LandedColumn, Load, last_load
from stratagraph.sources.names import pointer
from stratagraph.sqlfiles import load_sql, qualified, quote_identifier
from stratagraph.transactions import transaction

LAYER = "sources"

# How a cell becomes JSON, by the DuckDB type of its column (see create_macros.sql).
_ENCODERS = {
    "DOUBLE": "json_of_number", "FLOAT": "json_of_number", "BLOB": "json_of_bytes",
    "TIMESTAMP": "json_of_time", "TIMESTAMP WITH TIME ZONE": "json_of_instant", JSON_TEXT: "json_of_text",
}  # fmt: skip

_TEXT, _NAMES = pa.string(), pa.list_(pa.string())
_COLUMNS = pa.schema(
    {"source": _TEXT, "table_name": _TEXT, "column_name": _TEXT, "landing_schema": _TEXT, "landing_table": _TEXT,
     "landing_column": _TEXT, "type": _TEXT, "position": pa.int64()}
)  # fmt: skip
_IDENTIFIERS = pa.schema({"source": _TEXT, "table_name": _TEXT, "kind": _TEXT, "columns": _NAMES})
_FOREIGN_KEYS = pa.schema(
    {"source": _TEXT, "name": _TEXT, "table_name": _TEXT, "columns": _NAMES, "referenced_table": _TEXT,
     "referenced_columns": _NAMES, "origin": _TEXT}
)  # fmt: skip
_VERSIONS = pa.schema(
    {"source": _TEXT, "file": _TEXT, "recorded_at": pa.timestamp("us", "UTC"), "sha256": _TEXT, "record_count": pa.int64(),
     "load_id": _TEXT}
)  # fmt: skip


@dataclass(frozen=True)
class LoadResult:
    """What a load did. `rows` is what the source holds now; `versions` what a recorded source has new."""

    changed: bool
    source: str
    tables: int
    rows: int
    versions: int = 0

    def metadata(self) -> dict[str, int | float | str]:
        return asdict(self)


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
    identifiers: Sequence[dict[str, Any]],
    foreign_keys: Sequence[dict[str, Any]],
) -> None:
    """What is known of a source's tables, columns and keys."""
    rows = [
        {
            "table_name": column.table,
            "column_name": column.name,
            "landing_schema": dataset,
            "landing_table": column.landing_table,
        }
        | {"landing_column": column.landing_column, "type": column.type, "position": column.position}
        for column in columns
    ]
    for table, incoming, schema in (
        ("columns", rows, _COLUMNS), ("identifiers", identifiers, _IDENTIFIERS), ("foreign_keys", foreign_keys, _FOREIGN_KEYS),
    ):  # fmt: skip
        _delete(connection, table, source)
        _insert(connection, table, source, incoming, schema)


def insert_versions(
    connection: duckdb.DuckDBPyConnection, source: str, load_id: str, versions: Sequence[tuple[str, datetime, str, int]]
) -> None:
    """Versions (file, recorded_at, sha256, records) of a recorded source that are loaded now."""
    rows = [
        {"file": file, "recorded_at": recorded_at, "sha256": sha256, "record_count": count, "load_id": load_id}
        for file, recorded_at, sha256, count in versions
    ]
    _insert(connection, "versions", source, rows, _VERSIONS)


def delete_versions(connection: duckdb.DuckDBPyConnection, source: str, files: Sequence[str]) -> None:
    """Versions that count as loaded no more."""
    connection.execute(load_sql(LAYER, "delete_versions"), {"source": source, "files": list(files)})


def replace_load(
    connection: duckdb.DuckDBPyConnection, source: str, wanted: str | None, loaded_at: datetime, tables: int
) -> None:
    """A load of a database has ended."""
    parameters = {"source": source, "input_fingerprint": wanted, "loaded_at": loaded_at, "tables": tables}
    _delete(connection, "loads", source)
    connection.execute(load_sql(LAYER, "insert_load"), parameters)


def replace_recorded_load(
    connection: duckdb.DuckDBPyConnection, source: str, wanted: str, loaded_at: datetime, tables: int
) -> None:
    """A load of a recorded source has ended."""
    parameters = {"source": source, "input_fingerprint": wanted, "loaded_at": loaded_at, "tables": tables}
    _delete(connection, "loads", source)
    connection.execute(load_sql(LAYER, "insert_recorded_load"), parameters)


def nested_keys(connection: duckdb.DuckDBPyConnection, source: str, dataset: str, root: str) -> list[dict[str, Any]]:
    """The keys between dlt's nested tables and the tables they are nested in, by the names of the landing file."""
    tables = [table for table in landing_columns(connection, dataset) if table == root or table.startswith(f"{root}__")]
    return [
        {"name": f"{child}._dlt_parent_id", "table_name": child, "columns": ["_dlt_parent_id"], "origin": "nested"}
        | {"referenced_table": parent, "referenced_columns": ["_dlt_id"]}
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


def _insert(
    connection: duckdb.DuckDBPyConnection, table: str, source: str, rows: Sequence[Mapping[str, Any]], schema: pa.Schema
) -> None:
    connection.register("incoming", pa.Table.from_pylist([{"source": source, **row} for row in rows], schema=schema))
    connection.execute(load_sql(LAYER, "insert_incoming", table=qualified("stratagraph", table)))
    connection.unregister("incoming")


def insert_row_changes(connection: duckdb.DuckDBPyConnection, source: str, now: datetime) -> datetime:
    """Add to the row log how `current_rows` differ from it; returns the time of this load, later than any before."""
    row = connection.execute(load_sql(LAYER, "select_load_time"), {"now": now, "source": source}).fetchone()
    assert row is not None
    loaded_at: datetime = row[0]
    connection.execute(load_sql(LAYER, "insert_row_changes"), {"source": source, "loaded_at": loaded_at})
    return loaded_at


def insert_current_rows(
    connection: duckdb.DuckDBPyConnection, dataset: str, columns: Sequence[LandedColumn], keys: Mapping[str, Sequence[str]]
) -> None:
    """Fill `current_rows` from the landing tables of a source. `keys`: primary key of each table that has one."""
    connection.execute(load_sql(LAYER, "create_current_rows"))
    present = landing_columns(connection, dataset)
    for table, group in groupby(sorted(columns, key=lambda column: column.table), key=lambda column: column.table):
        of_table = list(group)
        landed = present.get(of_table[0].landing_table)
        if landed is None:  # dlt makes no table for no rows
            continue
        cells = {json.dumps(column.name, ensure_ascii=False): cell for column in of_table if (cell := _cell(column, landed))}
        identifiers = {
            "table": qualified(dataset, of_table[0].landing_table),
            "cells": ", ".join(cells[name] for name in sorted(cells)),
        }
        parameters = {"table": table, "names": sorted(cells), "key": [pointer(name) for name in keys.get(table, ())]}
        connection.execute(load_sql(LAYER, "insert_current_rows", **identifiers), parameters)


def _cell(column: LandedColumn, landed: Mapping[str, str]) -> str:
    """A column as JSON. dlt puts values that don't fit its type into variants of it; they count as the column."""
    variants = [name for name in landed if name == column.landing_column or name.startswith(f"{column.landing_column}__v_")]
    kinds = {name: JSON_TEXT if column.type == JSON_TEXT else landed[name] for name in variants}
    encoded = [f"{_encoder(kind)}({quote_identifier(name)})" for name, kind in kinds.items()]
    return f"coalesce({', '.join(encoded)})" if encoded else ""


def _encoder(kind: str) -> str:
    return "json_of_decimal" if kind.startswith("DECIMAL") else _ENCODERS.get(kind, "json_of_value")
