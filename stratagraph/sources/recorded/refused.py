"""Puts the versions that were refused as a whole into the warehouse's quarantine, and takes out those that count now.

Which they are was decided when they were loaded (`recorded/versions.py`).
"""

from __future__ import annotations

import duckdb

from stratagraph.config.sources import RecordedSource
from stratagraph.project import Project
from stratagraph.sources.catalog import LAYER
from stratagraph.sources.quarantine import STAGE, Scopes, replace_quarantine
from stratagraph.sqlfiles import load_sql

_SCOPE = "versions"  # no version is called so: its name says its format


def quarantine_versions(project: Project, landing: duckdb.DuckDBPyConnection) -> int:
    """Make the quarantine say what the landing file says; returns how many versions were put there or renewed."""
    changed = 0
    for source, config in project.config.sources.items():
        if not isinstance(config, RecordedSource):
            continue
        scope = f"{source}/{_SCOPE}"
        landing.execute(load_sql(LAYER, "create_problems"))
        landing.execute(load_sql(LAYER, "insert_version_problems"), {"source": source, "scope": scope})
        refused = [row[0] for row in landing.execute(load_sql(LAYER, "select_problems"), {"stage": STAGE}).fetchall()]
        if sorted(refused) != _quarantined(project, scope):
            changed += replace_quarantine(project, landing, Scopes(exact=[scope]), run_id=f"{source}-{_SCOPE}")
    return changed


def _quarantined(project: Project, scope: str) -> list[str]:
    if not project.warehouse.exists():
        return []
    with project.read() as connection:
        parameters = {"dataset": project.config.dataset, "stage": STAGE, "scope": scope}
        try:
            rows = connection.execute(load_sql(LAYER, "select_quarantined"), parameters).fetchall()
        except duckdb.CatalogException:  # the file was made, and the schema not yet
            return []
    return [row[0] for row in rows]
