"""A published snapshot of the small warehouse, shared by the tests that only read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_graph import small_project

from stratagraph.communities.run import update_communities
from stratagraph.project import Project
from stratagraph.snapshot.publish import publish
from stratagraph.snapshot.reader import Snapshot, open_snapshot


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = small_project(tmp_path_factory.mktemp("published"))
    update_communities(project)
    publish(project)
    return project


@pytest.fixture
def snapshot(published: Project) -> Iterator[Snapshot]:
    with open_snapshot(published.data_dir) as opened:
        yield opened


@pytest.fixture
def copy(published: Project, tmp_path: Path) -> Path:
    """A snapshot that a test may damage."""
    shutil.copytree(published.snapshots, tmp_path / "snapshots")
    folder = next((tmp_path / "snapshots").glob("*/manifest.json")).parent
    for file in folder.rglob("*"):
        file.chmod(0o755 if file.is_dir() else 0o644)
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing is rebuilt into the cache of the person who runs the tests."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("STRATAGRAPH_CACHE_DIR", str(folder))
    return folder
