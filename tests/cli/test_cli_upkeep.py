"""`stratagraph audit` and `stratagraph maintain`, on a built project."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from command_line import READ, call, environment

from stratagraph.temporal.audit import AUDITS


@pytest.fixture
def config(built: Path, tmp_path: Path) -> Path:
    """A copy of the built project, which a test may change."""
    return shutil.copytree(built, tmp_path / "project") / "stratagraph.yaml"


def warehouse(config: Path) -> Path:
    return config.parent / "data" / "warehouse.duckdb"


def test_an_audit_of_a_sound_warehouse(config: Path) -> None:
    result = call("audit", "--config", config)
    assert result.code == 0
    assert result.out.count("│ ok ") == len(AUDITS) + 1
    assert "BROKEN" not in result.out
    listed = call("audit", "--json", "--config", config).json
    assert listed["ok"]
    assert {entry["name"] for entry in listed["audits"]} == AUDITS.keys()
    assert all(entry["passed"] and entry["rows"] == 0 for entry in listed["audits"])


def test_an_audit_names_what_breaks_an_invariant_and_fails(config: Path) -> None:
    with duckdb.connect(str(warehouse(config))) as connection:
        connection.execute("INSERT INTO graph.edges_open SELECT * FROM graph.edges_open LIMIT 1")
        ((edge,),) = connection.execute("SELECT edge_id FROM graph.edges_open LIMIT 1").fetchall()
    result = call("audit", "--config", config)
    assert result.code == 1
    assert "BROKEN" in result.out and edge in result.out.replace("\n", "")
    assert "invariants are broken" in result.err
    result = call("audit", "--json", "--config", config)
    assert result.code == 1
    (broken,) = [entry for entry in result.json["audits"] if entry["name"] == "overlapping_edges"]
    assert (broken["passed"], broken["first"]) == (False, [edge])


def test_maintenance_prints_sizes_and_changes_no_answer(config: Path) -> None:
    before = call("sql", "FROM graph.nodes ORDER BY ALL", "--warehouse", "--json", "--config", config).json
    result = call("maintain", "--landing", "--config", config)
    assert result.code == 0
    assert "warehouse.duckdb" in result.out and "landing.duckdb" in result.out and "MB after" in result.out
    assert call("sql", "FROM graph.nodes ORDER BY ALL", "--warehouse", "--json", "--config", config).json == before
    (file,) = call("maintain", "--memory-limit", "500MB", "--json", "--config", config).json["files"]
    assert file["bytes_after"] == warehouse(config).stat().st_size
    assert file["rows"] > 0
    assert call("maintain", "--memory-limit", "lots", "--config", config).code == 1


def test_there_is_nothing_to_maintain_or_audit_before_the_first_build(built: Path, tmp_path: Path) -> None:
    for name in ("stratagraph.yaml", "ontology.ttl"):
        if (built / name).exists():
            shutil.copy(built / name, tmp_path / name)
    result = call("maintain", "--config", tmp_path / "stratagraph.yaml")
    assert (result.code, result.out) == (0, "")
    assert "there is none yet" in result.err
    assert call("audit", "--config", tmp_path / "stratagraph.yaml").code == 1


def test_a_maintenance_that_was_killed_is_run_again(config: Path) -> None:
    command = [sys.executable, "-m", "stratagraph.cli.main", "maintain", "--config", str(config)]
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **READ)
    unfinished = warehouse(config).with_name("warehouse.duckdb.rewritten")
    while not unfinished.exists() and process.poll() is None:
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert call("audit", "--config", config).code == 0
    assert call("maintain", "--config", config).code == 0
    assert not unfinished.exists()
    assert call("audit", "--config", config).code == 0


def test_maintenance_waits_for_a_build(config: Path) -> None:
    lock = config.parent / "data" / "build.lock"
    hold = (
        "import fcntl, sys, time; f = open(sys.argv[1], 'a+'); fcntl.flock(f, fcntl.LOCK_EX);"
        "print('held', flush=True); time.sleep(1)"
    )
    with subprocess.Popen([sys.executable, "-c", hold, str(lock)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        result = call("maintain", "--config", config)
    assert result.code == 0
    assert "is running; waiting" in result.err
