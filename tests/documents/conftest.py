"""A small project of documents on disk, run through the real stages."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stratagraph.config.model import Config
from stratagraph.documents.chunks import ChunksResult, update_chunks
from stratagraph.documents.load import LoadResult, load_documents
from stratagraph.project import Project

NOTES = {"type": "files", "path": "notes/**/*", "reference_time": "2024-05-01"}


@dataclass
class Bench:
    """Files, a config over them, and a clock that stands still until it is moved."""

    root: Path
    documents: dict[str, Any] = field(default_factory=lambda: {"notes": NOTES})
    settings: dict[str, Any] = field(default_factory=dict)
    now: datetime = datetime(2024, 6, 1, tzinfo=UTC)

    def put(self, path: str, content: str | bytes | dict[str, Any]) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        data = json.dumps(content) if isinstance(content, dict) else content
        file.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return file

    @property
    def project(self) -> Project:
        config = {
            "version": 1,
            "ontology": {"files": ["none.ttl"]},
            "base_iri": "https://example.org/",
            "documents": self.documents,
        }
        return Project(Config.model_validate(config | self.settings), self.root, lambda: self.now)

    def run(self) -> tuple[LoadResult, ChunksResult]:
        self.now += timedelta(hours=1)
        return load_documents(self.project), update_chunks(self.project)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self.project.read() as connection:
            return connection.sql(query).fetchall()

    def refused(self) -> dict[str, str]:
        return dict(self.rows("SELECT location, reason FROM graph.quarantine WHERE stage = 'documents'"))

    def counts(self) -> dict[str, int]:
        """Rows of every table of the warehouse."""
        names = self.rows("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'graph' ORDER BY ALL")
        return {name: self.rows(f"SELECT count(*) FROM graph.{name}")[0][0] for (name,) in names}

    def content(self) -> list[tuple[Any, ...]]:
        """Everything that is believed now, without transaction times."""
        documents = (
            "SELECT * EXCLUDE (recorded_from, recorded_to) FROM graph.documents WHERE recorded_to = 'infinity' ORDER BY ALL"
        )
        chunks = "SELECT * EXCLUDE (recorded_from, recorded_to) FROM graph.chunks WHERE recorded_to = 'infinity' ORDER BY ALL"
        quarantine = "SELECT * EXCLUDE (recorded_at) FROM graph.quarantine ORDER BY ALL"
        return [*self.rows(documents), *self.rows(chunks), *self.rows(quarantine)]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def make_bench() -> Callable[[Path], Bench]:
    return Bench
