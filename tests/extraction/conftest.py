"""Projects whose warehouse holds chunks, made directly: extraction is tested without the stages before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stratagraph.ontology.load import load_ontology
from stratagraph.ontology.model import Ontology
from stratagraph.project import Project
from stratagraph.staging import staged_batches

REPOSITORY = Path(__file__).parents[2]
EX = "https://example.org/stratagraph/demo#"
BASE = "https://example.org/graph/"
REFERENCE = datetime(2020, 6, 15, tzinfo=UTC)


@pytest.fixture(scope="session")
def demo_ontology() -> Ontology:
    return load_ontology([REPOSITORY / "ontologies" / "core.ttl", REPOSITORY / "ontologies" / "demo.ttl"])


@dataclass
class Clock:
    """A clock that the test moves."""

    now: datetime = field(default=datetime(2026, 1, 1, tzinfo=UTC))

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


@dataclass
class Bench:
    """A project in a temporary folder, and helpers to fill and read it."""

    project: Project

    def put(
        self, document_id: str, chunks: list[str | tuple[str, str]], *, source: str = "press", at: datetime = REFERENCE,
        language: str = "en",
    ) -> None:  # fmt: skip
        """Make a document of these chunks the present state; a chunk is a text or (speaker, text)."""
        pairs = [chunk if isinstance(chunk, tuple) else (None, chunk) for chunk in chunks]
        self.remove(document_id)
        self._write([self._rows(document_id, pairs, source, at, language)])

    def put_many(self, documents: list[tuple[str, str, datetime]], source: str = "press") -> None:
        """Documents of one chunk each, all at once."""
        self._write([self._rows(name, [(None, text)], source, at, "en") for name, text, at in documents])

    def _rows(
        self, document_id: str, pairs: list[tuple[str | None, str]], source: str, at: datetime, language: str
    ) -> tuple[list[Any], list[list[Any]]]:
        now = self.project.clock()
        rows, position = [], 0
        for index, (speaker, text) in enumerate(pairs):
            digest = hashlib.md5(json.dumps([text, speaker, at.isoformat()]).encode()).digest()
            chunk_id = f"{document_id}#chunk-{index}-{digest.hex()[:8]}-{position}"
            rows.append(
                [chunk_id, document_id, index, position, position + len(text), text, speaker, at, language, digest, now]
            )
            position += len(text) + 1
        whole = "\n".join(text for _, text in pairs)
        return [document_id, source, language, at, whole, hashlib.md5(whole.encode()).digest(), now], rows

    def _write(self, documents: list[tuple[list[Any], list[list[Any]]]]) -> None:
        with self.project.write() as connection:
            connection.begin()
            connection.executemany(
                "INSERT INTO graph.documents SELECT 'main', $1, $2, 'x', 'x', 'x', 'text/plain', $3, $4, $5, $6, $7, "
                "'infinity'",
                [document for document, _ in documents],
            )
            connection.executemany(
                "INSERT INTO graph.chunks SELECT 'main', $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'infinity'",
                [row for _, rows in documents for row in rows],
            )
            connection.commit()

    def remove(self, document_id: str) -> None:
        now = self.project.clock()
        with self.project.write() as connection:
            for table in ("documents", "chunks"):
                connection.execute(
                    f"UPDATE graph.{table} SET recorded_to = $now WHERE document_id = $id AND recorded_to = 'infinity'",
                    {"now": now, "id": document_id},
                )

    def rows(self, query: str, parameters: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
        with self.project.read() as connection:
            return connection.execute(query, parameters or {}).fetchall()

    def staged(self) -> pl.DataFrame:
        """Statements of the last staged batch of every source."""
        latest = {staged.batch.source: staged for staged in staged_batches(self.project, "text")}
        return pl.concat([pl.read_parquet(staged.statements) for staged in latest.values()]) if latest else pl.DataFrame()

    def edges(self, predicate: str) -> set[tuple[str, str, str]]:
        """(valid_from, subject, object) of the staged assertions of a relation, refs without their base."""
        found = self.staged().filter((pl.col("predicate") == EX + predicate) & (pl.col("polarity") == "assert"))
        return {
            (
                row["valid_from"].astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                row["subject"].removeprefix(BASE),
                row["object"].removeprefix(BASE),
            )
            for row in found.iter_rows(named=True)
        }


@pytest.fixture
def make_bench(tmp_path: Path) -> Callable[..., Bench]:
    def make(extraction: str = "{engine: embedded}", documents: str = "press: {type: episodes, path: x.json}") -> Bench:
        file = tmp_path / "stratagraph.yaml"
        file.write_text(
            f"version: 1\nbase_iri: {BASE}\nprefixes: {{ex: '{EX}'}}\n"
            f"ontology: {{files: ['{REPOSITORY}/ontologies/core.ttl', '{REPOSITORY}/ontologies/demo.ttl']}}\n"
            f"documents:\n  {documents}\n  chats: {{type: chats, path: y.json}}\nextraction: {extraction}\n"
        )
        return Bench(Project.load(file, Clock()))

    return make


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
