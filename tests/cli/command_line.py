"""Runs the command line in processes of its own, on copies of the small project in `project/`."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import stratagraph
from stratagraph.cli.main import main

PROJECT = Path(__file__).parent / "project"


@dataclass(frozen=True)
class Run:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environment() -> dict[str, str]:
    """The environment with the library importable from any folder: a checkout need not be installed."""
    return {**os.environ, "PYTHONPATH": str(Path(stratagraph.__file__).parents[1])}


# A stream of another encoding than UTF-8 is what some tests are about.
READ: dict[str, Any] = {"encoding": "utf-8", "errors": "replace"}


def run(*arguments: str | Path, cwd: Path | None = None) -> Run:
    """Run the command line in a process of its own, as a user does."""
    command = [sys.executable, "-m", "stratagraph.cli.main", *map(str, arguments)]
    result = subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, check=False, **READ)
    return Run(result.returncode, result.stdout, result.stderr)


def call(*arguments: str | Path) -> Run:
    """Run the command line in this process, which saves starting one."""
    result = CliRunner().invoke(main, list(map(str, arguments)))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Run(result.exit_code, result.stdout, result.stderr)


def make_project(folder: Path) -> Path:
    """A copy of the project, with its database; nothing is built."""
    shutil.copytree(PROJECT, folder)
    with sqlite3.connect(folder / "shop.db") as connection:
        connection.executescript((folder / "shop.sql").read_text(encoding="utf-8"))
    return folder
