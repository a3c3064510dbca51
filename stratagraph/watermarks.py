"""What each stage consumed last, so that a run with nothing new is free.

A watermark is written in the transaction that writes what came of the input. What a fingerprint covers is the stage's business.
"""

from __future__ import annotations

import duckdb

from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql

LAYER = "watermarks"


def read_watermark(connection: duckdb.DuckDBPyConnection, project: Project, stage: str, scope: str = "") -> str | None:
    """The fingerprint that a stage last consumed in a scope; None if it never ran, or the schema is not there yet."""
    try:
        row = connection.execute(load_sql(LAYER, "select_watermark"), _key(project, stage, scope)).fetchone()
    except duckdb.CatalogException:  # the file was made, and the schema not yet
        return None
    return str(row[0]) if row else None


def write_watermark(
    connection: duckdb.DuckDBPyConnection, project: Project, stage: str, fingerprint: str, scope: str = ""
) -> None:
    """Note what a stage has consumed. The caller's transaction holds it together with the stage's output."""
    key = _key(project, stage, scope)
    connection.execute(load_sql(LAYER, "delete_watermark"), key)
    connection.execute(load_sql(LAYER, "insert_watermark"), key | {"fingerprint": fingerprint})


def _key(project: Project, stage: str, scope: str) -> dict[str, str]:
    return {"dataset": project.config.dataset, "stage": stage, "scope": scope}
