"""Puts refused rows into the warehouse's quarantine, and takes out those that are fine now.

Which rows are refused is decided in the SQL of this layer (temporary table `problems`); nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql
from stratagraph.transactions import transaction

LAYER = "sources"
STAGE = "landing"


@dataclass(frozen=True)
class Scopes:
    """What was looked at again: scopes by name, or all that start with a prefix."""

    exact: Sequence[str] = ()
    prefix: str | None = None


def replace_quarantine(project: Project, landing: duckdb.DuckDBPyConnection, scopes: Scopes, run_id: str) -> int:
    """Make the quarantine of the scopes equal to `problems`; what stands there already is left as it is."""
    problems = landing.execute(load_sql(LAYER, "select_problems"), {"stage": STAGE}).to_arrow_table()
    if problems.num_rows == 0 and not project.warehouse.exists():
        return 0
    with project.write() as connection:
        connection.register("problems", problems)
        with transaction(connection):
            common = {"dataset": project.config.dataset, "stage": STAGE}
            connection.execute(
                load_sql(LAYER, "delete_quarantine"), common | {"scopes": list(scopes.exact), "prefix": scopes.prefix}
            )
            connection.execute(
                load_sql(LAYER, "insert_quarantine"), common | {"run_id": run_id, "recorded_at": project.clock()}
            )
    return int(problems.num_rows)
