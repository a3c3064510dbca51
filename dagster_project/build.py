"""The definitions as a function, so that tests and drivers can build them for another config or other resources.

Only names in the config decide what is defined here, and what the last load of each source found, from a small file: no
source and no database is opened, no schema reflected, no heavy library imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg

from assets import build_assets
from dagster_project.checks import build_checks
from dagster_project.jobs import BUILD, maintain
from dagster_project.resources import ProjectResource, default_config_path
from dagster_project.schedules import build_schedules
from dagster_project.sensors import documents_changed, sources_changed
from stratagraph.project import Project
from stratagraph.sources.state import read_states


def build_defs(
    *,
    resource_overrides: Mapping[str, Any] | None = None,
    config_path: str | Path | None = None,
    executor: dg.ExecutorDefinition = dg.in_process_executor,
) -> dg.Definitions:
    """All definitions of one project.

    Args:
        resource_overrides: resources by name that replace the default ones (`project`).
        config_path: the project's `stratagraph.yaml`; default: see `default_config_path`.
        executor: runs the steps. In one process by default: a step then costs no new interpreter, and each DuckDB file
            has one writer. The pools keep other executors right too.
    """
    path = Path(config_path) if config_path else default_config_path()
    project = Project.load(path)
    config = project.config
    return dg.Definitions(
        assets=build_assets(config, read_states(project)),
        asset_checks=build_checks(config),
        jobs=[BUILD, maintain],
        schedules=build_schedules(config),
        sensors=[documents_changed, sources_changed],
        resources={"project": ProjectResource(config_path=str(path)), **(resource_overrides or {})},
        executor=executor,
    )
