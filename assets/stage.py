"""What every asset shares: owner, pools, and how a stage's result or error is shown in Dagster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import dagster as dg

from stratagraph.errors import StratagraphError
from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql, qualified

OWNERS = ["team:memory"]

# One process at a time may hold a DuckDB file, for reading too while another writes. Nearly every stage opens the landing
# file, the warehouse or both, so one pool holds them all; two pools would let a reader of landing meet its writer.
POOL = "duckdb_writer"

# For faults nobody foresaw, such as a dropped connection. A StratagraphError is never retried: it asks for a person.
RETRY = dg.RetryPolicy(max_retries=2, delay=2, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)


class StageResult(Protocol):
    """What every stage function of the library returns."""

    @property
    def changed(self) -> bool: ...

    def metadata(self) -> dict[str, int | float | str]: ...


@contextmanager
def clear_failures() -> Iterator[None]:
    """Turn an error that a person can act on into a failure with its message and without retries."""
    try:
        yield
    except StratagraphError as error:
        raise dg.Failure(description=str(error), allow_retries=False) from error


def shown(result: StageResult, *, table: str | None = None, rows: int | None = None) -> dict[str, Any]:
    """Metadata of a stage's result; numbers stay numbers, so that the UI plots them."""
    metadata: dict[str, Any] = {**result.metadata(), "changed": bool(result.changed)}
    if table is not None:
        metadata["dagster/table_name"] = table
    if rows is not None:
        metadata["dagster/row_count"] = rows
    return metadata


def count_rows(project: Project, *tables: str) -> dict[str, int]:
    """Rows of tables or views of the schema `graph`."""
    counts = {}
    with project.read() as connection:
        for name in tables:
            row = connection.execute(load_sql("preview", "count_rows", relation=qualified("graph", name))).fetchone()
            counts[name] = row[0] if row else 0
    return counts
