"""A small real project, built once with the command itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import make_project, run


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, built. Shared: read only."""
    folder = make_project(tmp_path_factory.mktemp("built") / "project")
    result = run("build", "--json", "--config", folder / "stratagraph.yaml")
    assert result.code == 0, result.err
    (folder / "first-build.json").write_text(result.out, encoding="utf-8")
    return folder
