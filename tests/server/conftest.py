"""A published snapshot of the small project of the command-line tests."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from stratagraph.cli.main import main

PROJECT = Path(__file__).parents[1] / "cli" / "project"


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, built once. Shared: read only."""
    folder = tmp_path_factory.mktemp("server") / "project"
    shutil.copytree(PROJECT, folder)
    with sqlite3.connect(folder / "shop.db") as connection:
        connection.executescript((folder / "shop.sql").read_text(encoding="utf-8"))
    result = CliRunner().invoke(main, ["build", "--config", str(folder / "stratagraph.yaml")], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return folder
