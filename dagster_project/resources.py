"""Resources: the project a run works on.

One resource is enough: a `Project` knows its config, its files and its clock, and opens DuckDB with try/finally and a
clear message when another process holds the file. dagster-duckdb is not used, because its connections cannot share a
file with dlt in one process, stay open after an error, and hide a missing pool behind minutes of retries.
"""

from __future__ import annotations

import os
from pathlib import Path

import dagster as dg

from stratagraph.errors import StratagraphError
from stratagraph.project import Project

CONFIG_VARIABLE = "STRATAGRAPH_CONFIG"
DEMO_CONFIG = Path("examples", "demo", "stratagraph.yaml")


class ProjectResource(dg.ConfigurableResource[Project]):
    """Loads the project of a config file when a run needs it; assets receive the `Project` itself."""

    config_path: str

    def create_resource(self, context: dg.InitResourceContext) -> Project:
        try:
            return Project.load(self.config_path)
        except StratagraphError as error:
            raise dg.Failure(description=str(error), allow_retries=False) from error


def default_config_path() -> Path:
    """The config of this code location: $STRATAGRAPH_CONFIG, else ./stratagraph.yaml, else the demo's."""
    if named := os.environ.get(CONFIG_VARIABLE):
        return Path(named).resolve()
    local = Path.cwd() / "stratagraph.yaml"
    return local if local.is_file() else Path(__file__).resolve().parent.parent / DEMO_CONFIG
