"""The job `maintain` rewrites the warehouse and says what it did."""

from __future__ import annotations

from pathlib import Path

import dagster as dg

from dagster_project.build import build_defs
from dagster_project.demo import QUIET
from stratagraph.project import Project


def test_the_warehouse_is_rewritten(small_config: Path) -> None:
    project = Project.load(small_config)
    with project.write() as connection:
        connection.execute("CREATE TABLE graph.mine AS SELECT 1 AS a")
    before = project.warehouse.stat().st_ino
    with dg.DagsterInstance.ephemeral() as instance:
        job = build_defs(config_path=small_config).resolve_job_def("maintain")
        result = job.execute_in_process(instance=instance, run_config=QUIET)
    (written,) = [event for event in result.all_events if event.is_successful_output]
    metadata = written.event_specific_data.metadata
    assert metadata["file"].value == "warehouse.duckdb"
    assert metadata["rows"].value == 3  # the version of the schema, what it was made of, and `mine`
    assert project.warehouse.stat().st_ino != before
    with project.read() as connection:
        assert connection.execute("FROM graph.mine").fetchall() == [(1,)]
