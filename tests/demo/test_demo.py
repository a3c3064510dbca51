"""The driver of the demo: one at a time, dead runs are closed, one message and an exit code when it cannot work."""

from __future__ import annotations

import fcntl
import json
import shlex
from pathlib import Path

import dagster as dg
import pytest

from assets.stage import POOL
from dagster_project.demo import DRIVER_TAG, build_defs, end_dead_runs, main, use_dagster_home
from dagster_project.tour import command, questions
from stratagraph.project import Project

CHECKOUT = Path(__file__).parents[2]
EMPTY = """
version: 1
base_iri: https://example.org/empty/
ontology: {files: [core.ttl]}
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without any source."""
    file = tmp_path / "stratagraph.yaml"
    file.write_text(EMPTY, encoding="utf-8")
    (tmp_path / "core.ttl").write_bytes((CHECKOUT / "ontologies" / "core.ttl").read_bytes())
    monkeypatch.setenv("STRATAGRAPH_CONFIG", str(file))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    return file


def test_nothing_to_build_is_built_twice(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(["--json"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert second["content_hash"] == first["content_hash"]
    assert set(second["new_rows"].values()) == {0}
    assert second["first_cpu_seconds"] == first["cpu_seconds"]
    assert main([]) == 0
    assert "0 new rows" in capsys.readouterr().out


def test_two_at_once(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = Project.load(config).data_dir
    data.mkdir(parents=True)
    with (data / "demo.lock").open("w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert main([]) == 1
    assert "another demo is running" in capsys.readouterr().out
    assert not (data / "warehouse.duckdb").exists()


def test_bad_config_is_one_message(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(EMPTY.replace("base_iri", "base_uri"), encoding="utf-8")
    assert main([]) == 1
    output = capsys.readouterr().out
    assert "base_uri" in output
    assert "Traceback" not in output


def test_malformed_ontology_is_one_message(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (config.parent / "core.ttl").write_text("core:Agent a owl:", encoding="utf-8")
    assert main([]) == 1
    output = capsys.readouterr().out
    assert "core.ttl" in output
    assert "Traceback" not in output


def test_runs_of_killed_demos_are_closed(config: Path) -> None:
    use_dagster_home()
    job = build_defs().resolve_job_def("build")
    with dg.DagsterInstance.get() as instance:
        dead = instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED, tags=DRIVER_TAG)
        others = instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED)
        pool = instance.event_log_storage
        pool.initialize_concurrency_limit_to_default(POOL)
        assert pool.claim_concurrency_slot(POOL, dead.run_id, "step").is_claimed
        end_dead_runs(instance)
        ended, untouched = (instance.get_run_by_id(run.run_id) for run in (dead, others))
        assert pool.claim_concurrency_slot(POOL, others.run_id, "step").is_claimed
    assert ended is not None and ended.status == dg.DagsterRunStatus.FAILURE
    assert untouched is not None and untouched.status == dg.DagsterRunStatus.STARTED


def test_questions_have_words_and_sql() -> None:
    asked = questions(Project.load(CHECKOUT / "examples" / "demo" / "stratagraph.yaml"))
    assert len(asked) >= 3
    for question in asked:
        assert question.text.endswith((".", "?", ")"))
        assert question.sql.startswith("SELECT")


def test_commands_can_be_pasted() -> None:
    for word in ("SELECT 'a'", "it's", 'say "hi"', "$HOME", "50 `x` \\ 'y'", "Where does she work?"):
        assert shlex.split(command("sql", word)) == [".venv/bin/stratagraph", "sql", word]
    assert command("sql", "SELECT 'a'\n  FROM t") == """.venv/bin/stratagraph sql "SELECT 'a' FROM t\""""
