"""Statements of a test as a table that `commit` takes."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa

from stratagraph.staging import STATEMENT_COLUMNS

TYPES = {"VARCHAR": pa.string(), "BIGINT": pa.int64(), "DOUBLE": pa.float64(), "TIMESTAMPTZ": pa.string()}


def table(connection: duckdb.DuckDBPyConnection, rows: list[dict[str, Any]]) -> pa.Table:
    """Statements as an Arrow table with DuckDB's own timestamps, so that infinities survive."""
    raw = pa.table({name: pa.array([row[name] for row in rows], TYPES[kind]) for name, kind in STATEMENT_COLUMNS.items()})
    connection.register("statement_rows", raw)
    columns = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in STATEMENT_COLUMNS.items())
    typed = connection.execute(f"SELECT {columns} FROM statement_rows").to_arrow_table()
    connection.unregister("statement_rows")
    return typed
