"""What a user can act on becomes one message and exit code 1; a programming mistake keeps its traceback."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import click
import duckdb
import pytest
from click.testing import CliRunner

from stratagraph.cli.failures import explain
from stratagraph.cli.main import Failing, main
from stratagraph.errors import SourceError


def failing(error: BaseException) -> click.Group:
    group = Failing("group")

    @group.command()
    def run() -> None:
        raise error

    return group


def chained(outer: Exception, inner: BaseException) -> Exception:
    outer.__cause__ = inner
    return outer


NO_SPACE = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/data/snapshots/x")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (SourceError("gone", where="a.yaml", hint="look"), "a.yaml: gone\n  -> look"),
        (NO_SPACE, "/data/snapshots/x: the disk is full"),
        (chained(RuntimeError("pipeline step failed"), NO_SPACE), "the disk is full"),
        (chained(SourceError("load failed"), NO_SPACE), "the disk is full"),
        (SourceError("could not load: [Errno 28] No space left on device", where="shop"), "shop: the disk is full"),
        (duckdb.IOException("Could not write file \"w\": No space left on device"), "the disk is full"),
        (duckdb.IOException("Could not set lock on file \"w\": Conflicting lock is held"), "another process holds the file"),
        (duckdb.IOException("Cannot open file \"w\""), "a file cannot be read or written: Cannot open file"),
        (duckdb.OutOfMemoryException("failed to allocate 1 GB"), "not enough memory: failed to allocate"),
        (duckdb.FatalException("invalidated"), "the database had to stop: invalidated"),
        (PermissionError(errno.EACCES, "Permission denied", "/data"), "/data: Permission denied"),
        (ModuleNotFoundError("No module named 'dlt'", name="dlt"), "pip install 'stratagraph[pipeline]'"),
        (ModuleNotFoundError("No module named 'mcp'", name="mcp.server"), "pip install 'stratagraph[mcp]'"),
    ],
)  # fmt: skip
def test_one_message_and_exit_code_1(error: Exception, expected: str) -> None:
    result = CliRunner().invoke(failing(error), ["run"])
    assert result.exit_code == 1
    assert expected in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "error",
    [ValueError("a mistake"), KeyError("x"), ModuleNotFoundError("No module named 'stratagraph.x'", name="stratagraph.x")],
)
def test_a_mistake_is_not_explained_away(error: Exception) -> None:
    assert explain(error) is None
    assert CliRunner().invoke(failing(error), ["run"]).exception is error


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGRAPH_DEBUG", "1")
    assert CliRunner().invoke(failing(NO_SPACE), ["run"]).exception is NO_SPACE


def test_a_really_full_disk_is_named() -> None:
    """/dev/full fails every write with ENOSPC."""
    command = [sys.executable, "-m", "stratagraph.cli.main", "doctor", "--json"]
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert "the disk is full" in result.stderr


@pytest.mark.parametrize(
    "command", ["build", "sql --warehouse 'SELECT 1'", "search x", "status", "snapshot list", "recall x", "history x"]
)
def test_an_empty_folder_gives_advice(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, command.replace("'", "").split(" ", 2 if "sql" in command else -1))
    assert result.exit_code == 1
    assert "stratagraph" in result.stderr.split("->")[1]
    assert list(tmp_path.iterdir()) == []


def test_a_config_named_by_the_environment_must_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRATAGRAPH_CONFIG", "gone.yaml")
    result = CliRunner().invoke(main, ["search", "x"])
    assert result.exit_code == 1
    assert "gone.yaml: no such file" in result.stderr
