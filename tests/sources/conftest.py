"""Small projects with real SQLite files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import servers
import sqlalchemy as sa
import yaml
from staged import BASE, VOCABULARY, Clock, Database, Make

from stratagraph.project import Project


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_project(tmp_path: Path, clock: Clock) -> Make:
    """A project in the test's folder, with the given sources."""

    def make(**sources: dict[str, Any]) -> Project:
        config = {
            "version": 1,
            "data_dir": "data",
            "base_iri": BASE,
            "prefixes": {"v": VOCABULARY, "ex": "https://example.org/stratagraph/demo#"},
            "ontology": {"files": ["none.ttl"]},
            "sources": sources,
        }
        (tmp_path / "none.ttl").touch()
        (tmp_path / "stratagraph.yaml").write_text(
            yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8"
        )
        return Project.load(tmp_path / "stratagraph.yaml", clock)

    return make


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Runs a script on a SQLite file in the test's folder."""

    def run(script: str, name: str = "shop.db") -> Path:
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            connection.executescript(script)
            connection.commit()
        return tmp_path / name

    return run


@pytest.fixture(scope="session")
def postgres() -> Iterator[sa.URL]:
    """A PostgreSQL server of the tests' own."""
    with servers.postgres() as url:
        yield url


@pytest.fixture(scope="session")
def mariadb() -> Iterator[sa.URL]:
    """A MariaDB server of the tests' own."""
    with servers.mariadb() as url:
        yield url
