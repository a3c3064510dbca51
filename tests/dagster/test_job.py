"""The job `build` on a small project: what it writes, what a second run writes, what a fault does, other executors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from dagster_project.build import build_defs
from dagster_project.demo import QUIET, count_graph_rows, materialized
from stratagraph.project import Project

CHECKOUT = Path(__file__).parents[2]


def run_build(config: Path, instance: dg.DagsterInstance, *, raise_on_error: bool = True) -> dg.ExecuteInProcessResult:
    job = build_defs(config_path=config).resolve_job_def("build")
    return job.execute_in_process(instance=instance, raise_on_error=raise_on_error, run_config=QUIET)


def test_build_twice(small_config: Path) -> None:
    project = Project.load(small_config)
    with dg.DagsterInstance.ephemeral() as instance:
        first = run_build(small_config, instance)
        rows = count_graph_rows(project)
        second = run_build(small_config, instance)
    metadata, again = materialized(first), materialized(second)
    assert set(metadata) == {
        key.to_user_string() for key in build_defs(config_path=small_config).resolve_asset_graph().get_all_asset_keys()
    }
    assert all(rows[name] > 0 for name in ("statements", "nodes_open", "edges_open", "chunks", "communities", "foreign_keys"))
    assert metadata["graph/nodes"]["dagster/row_count"] == rows["nodes_open"] + rows["nodes_closed"]
    assert "data:image/svg+xml;base64," in str(metadata["graph/edges"]["preview"])
    assert "```mermaid" in str(metadata["graph/communities"]["preview"])

    assert count_graph_rows(project) == rows
    assert {name: values["changed"] for name, values in again.items()} == dict.fromkeys(again, False)
    assert again["publish/snapshot"]["content_hash"] == metadata["publish/snapshot"]["content_hash"]

    checks = {evaluation.check_name: evaluation for evaluation in first.get_asset_check_evaluations()}
    assert {name for name, evaluation in checks.items() if not evaluation.passed} <= {"dangling_edges", "quarantine_share"}
    assert "snapshot_verifies" in checks


def test_a_failed_audit_stops_what_follows(small_config: Path) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        assert run_build(small_config, instance).success
        project = Project.load(small_config)
        published = sorted(path.name for path in project.snapshots.iterdir())
        with project.write() as connection:  # a second belief over the same segment: what no rule allows
            connection.execute("INSERT INTO graph.edges_open SELECT * FROM graph.edges_open LIMIT 1")
        result = run_build(small_config, instance, raise_on_error=False)
    failed = [evaluation.check_name for evaluation in result.get_asset_check_evaluations() if not evaluation.passed]
    assert not result.success
    assert failed
    assert "publish/snapshot" not in materialized(result)
    assert sorted(path.name for path in project.snapshots.iterdir()) == published


def test_an_error_of_the_library_is_one_clear_failure(small_config: Path) -> None:
    (small_config.parent / "press.json").unlink()
    (small_config.parent / "demo.ttl").write_text("ex:Person a owl:Class", encoding="utf-8")
    with dg.DagsterInstance.ephemeral() as instance:
        result = run_build(small_config, instance, raise_on_error=False)
    failures = {event.step_key: event.step_failure_data for event in result.all_events if event.is_step_failure}
    failure = failures["graph__ontology"].user_failure_data
    assert failure is not None
    assert "demo.ttl" in str(failure.description)
    assert not [event for event in result.all_events if event.is_step_up_for_retry]


@pytest.mark.slow
def test_multiprocess_executor(small_config: Path, tmp_path: Path) -> None:
    """Every step in a process of its own: only then can two steps meet at the lock of one DuckDB file."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "dagster.yaml").symlink_to(CHECKOUT / "dagster.yaml")
    environment = os.environ | {"STRATAGRAPH_CONFIG": str(small_config), "DAGSTER_HOME": str(home), "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("multiprocess_job.py"))],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert count_graph_rows(Project.load(small_config))["edges_open"] > 0
