"""What there is to ask: the live chunks as an engine sees them, and which of them have no answer yet.

Reads the warehouse and writes nothing into it, so that nobody waits for it while an engine is asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from stratagraph.config.documents import ChatDocuments
from stratagraph.extraction.buckets import answer_files, answered_keys
from stratagraph.extraction.engines import engine_of
from stratagraph.extraction.known import create_known, names_state
from stratagraph.extraction.protocol import Extractor
from stratagraph.extraction.resolve import VERSION as RESOLVER
from stratagraph.ontology.load import files_fingerprint, load_project
from stratagraph.ontology.model import Ontology
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import load_sql
from stratagraph.watermarks import read_watermark

VERSION = 1  # of how answers become statements
LAYER = "extraction"
STAGE = "extraction"

_LOADED: dict[str, Ontology] = {}  # the last one: several steps of a process read the same


@dataclass(frozen=True)
class Work:
    """A project, the engine that reads its texts, and what the answers depend on."""

    project: Project
    engine: Extractor

    @classmethod
    def of(cls, project: Project, engine: Extractor | None = None, share: float = 1.0) -> Work:
        """With the engine that the config names, unless another one is given; `share` of a run's ceilings is for it."""
        return cls(project, engine or engine_of(project, share))

    @cached_property
    def ontology(self) -> Ontology:
        """Loaded only when something changed."""
        key = fingerprint(self.project.root, files_fingerprint(self.project))
        if key not in _LOADED:
            _LOADED.clear()
            _LOADED[key] = load_project(self.project)
        return _LOADED[key]

    @property
    def mark(self) -> str:
        """Fingerprint of all that an answer depends on beside its chunk."""
        project = self.project
        return fingerprint(
            VERSION, RESOLVER, self.engine.fingerprint, files_fingerprint(project), project.config.base_iri,
            json.dumps(self._assistants()),
        )  # fmt: skip

    def state(self, connection: duckdb.DuckDBPyConnection) -> str:
        """Fingerprint of all that this stage reads."""
        dataset = {"dataset": self.project.config.dataset}
        (chunks,) = connection.execute(load_sql(LAYER, "select_state"), dataset).fetchall()[0]
        return fingerprint(self.mark, chunks, names_state(connection, self.project) if self.engine.known_in_key else "")

    def is_done(self, connection: duckdb.DuckDBPyConnection) -> bool:
        """Whether nothing changed since all of it was staged."""
        last = read_watermark(connection, self.project, STAGE)
        return last is not None and last == self.state(connection)

    def create_inputs(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Make the temp table `extraction_inputs`: live chunks as the engine sees them."""
        assistants = self._assistants()
        create_known(connection, self.project, self.ontology)
        connection.execute(load_sql(LAYER, "create_inputs"), {
            "dataset": self.project.config.dataset, "engine": self.engine.fingerprint, "ontology": self.ontology.content_hash,
            "whole_key": self.engine.known_in_key, "assistant_sources": [source for source, _ in assistants],
            "assistants": [name for _, name in assistants],
        })  # fmt: skip

    def select_pending(self, connection: duckdb.DuckDBPyConnection) -> pa.Table:
        """The questions without an answer, in the warehouse or in files; needs `extraction_inputs`."""
        connection.register("extraction_kept", answered_keys(answer_files(self.project)))
        parameters = {"dataset": self.project.config.dataset, "buckets": self.project.config.extraction.buckets}
        return connection.execute(load_sql(LAYER, "select_pending"), parameters).to_arrow_table()

    def _assistants(self) -> list[tuple[str, str]]:
        """(source, speaker) of the machines that speak in chats: what they say of themselves is not a fact."""
        documents = self.project.config.documents
        chats = ((name, section) for name, section in documents.items() if isinstance(section, ChatDocuments))
        return sorted((name, machine) for name, section in chats for machine in section.machines)


def pending_questions(work: Work) -> pa.Table | None:
    """The questions without an answer; None where nothing changed since all were answered and staged."""
    if not work.project.warehouse.exists():
        return _none()
    with work.project.read() as connection:
        try:
            if work.is_done(connection):
                return None
            work.create_inputs(connection)
            return work.select_pending(connection)
        except duckdb.CatalogException:  # the file was made, and the schema not yet
            return _none()


def survey(work: Work) -> tuple[pa.Table, dict[str, int]]:
    """The questions without an answer, and of each source how many chunks have one."""
    if not work.project.warehouse.exists():
        return _none(), {}
    with work.project.read() as connection:
        try:
            work.create_inputs(connection)
        except duckdb.CatalogException:  # the file was made, and the schema not yet
            return _none(), {}
        pending = work.select_pending(connection)
        answered = connection.execute(load_sql(LAYER, "count_answered"), {"dataset": work.project.config.dataset}).fetchall()
    return pending, dict(answered)


def count_buckets(questions: pa.Table) -> dict[int, int]:
    """Questions of each bucket that has any."""
    counts = pc.value_counts(questions["bucket"]).to_pylist()
    return dict(sorted((int(each["values"]), int(each["counts"])) for each in counts))


def _none() -> pa.Table:
    return pa.schema({"bucket": pa.int32()}).empty_table()
