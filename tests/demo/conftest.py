"""The demo, built once for all tests that ask it something: the shipped example and its real data, in a folder of its own."""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import stratagraph
from stratagraph.cli.stages import run_stage, stages
from stratagraph.project import Project
from stratagraph.snapshot.reader import Snapshot

CHECKOUT = Path(__file__).resolve().parents[2]


def copy_demo(folder: Path) -> Path:
    """Copy what the demo consists of; its config's relative paths keep working. Returns the config file."""
    for name in ("examples/demo", "ontologies"):
        shutil.copytree(CHECKOUT / name, folder / name)
    return folder / "examples" / "demo" / "stratagraph.yaml"


def build(config: Path) -> Project:
    """Run every stage of the flow as `stratagraph build` does."""
    runpy.run_path(str(config.parent / "prepare.py"), run_name="__main__")
    project = Project.load(config)
    for stage in stages(project):
        run_stage(stage, lambda done, total: None)
    return project


@pytest.fixture(scope="session")
def demo_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The built demo."""
    return build(copy_demo(tmp_path_factory.mktemp("demo")))


@pytest.fixture(scope="session")
def demo(demo_project: Project) -> Iterator[Snapshot]:
    """The demo's published snapshot."""
    with stratagraph.open(demo_project.snapshots) as snapshot:
        yield snapshot
