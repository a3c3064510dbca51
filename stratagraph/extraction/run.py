"""The extraction stage: chunks to staged statements, mentions and refusals.

An answer depends only on what the engine sees of a chunk, so it is kept in `graph.llm_calls` and never asked for again. Answers
are committed as they come; statements of a source are staged when all its chunks have one. Engines say what they found
(`embedded/`, `openai/`), `resolve.py` says what of it may go on; here it becomes rows, in SQL.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import duckdb
import pyarrow as pa

from stratagraph.config.documents import ChatDocuments
from stratagraph.errors import ExtractionError
from stratagraph.extraction.asking import LAYER, Asked, Progress, ask, chunk_of, response_of
from stratagraph.extraction.engines import engine_of
from stratagraph.extraction.known import create_known, names_state
from stratagraph.extraction.protocol import Extraction, Extractor
from stratagraph.extraction.resolve import VERSION as RESOLVER
from stratagraph.ontology.load import files_fingerprint, load_ontology, ontology_files
from stratagraph.ontology.model import Ontology
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import Batch, staged_batches, write_batch
from stratagraph.temporal.tombstones import delete_found
from stratagraph.transactions import transaction
from stratagraph.watermarks import read_watermark, write_watermark

VERSION = 1  # of how answers become statements
STAGE = "extraction"
PRODUCER = "text"

_RESOLVED = pa.schema({"cache_key": pa.binary(), "response": pa.string()})
_FAILED = pa.schema({"cache_key": pa.binary(), "reason": pa.string(), "detail": pa.string(), "payload": pa.string()})


@dataclass(frozen=True)
class ExtractionResult:
    """What stands now, and what this run did.

    Args:
        chunks, mentions, quarantined: live rows.
        calls: chunks that an engine was asked about; cached: chunks whose answer was known.
        batches, entities, relations: staged by this run.
    """

    changed: bool
    chunks: int = 0
    calls: int = 0
    cached: int = 0
    batches: int = 0
    entities: int = 0
    relations: int = 0
    mentions: int = 0
    quarantined: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def warning(self) -> str:
        """An ontology that matches nothing is no error (the texts may be about something else), but nobody wants it."""
        if self.chunks and not self.mentions:
            return f"nothing of the ontology was found in any of {self.chunks} chunks; do its labels say what the texts say?"
        return ""

    def metadata(self) -> dict[str, int | float | str]:
        warning: dict[str, int | float | str] = {"warning": self.warning} if self.warning else {}
        return warning | asdict(self) | {"changed": int(self.changed)}


def extract(project: Project, on_progress: Progress | None = None, engine: Extractor | None = None) -> ExtractionResult:
    """Extract statements from all chunks that have no answer yet, and stage what changed.

    Args:
        project: the project.
        on_progress: called with (chunks answered, chunks to ask about).
        engine: instead of the one that the config names.

    Raises:
        ExtractionError: some chunks have no answer (an outage, a ceiling). What was answered is kept; a later run goes on.
    """
    engine = engine or engine_of(project)
    mark = fingerprint(
        VERSION,
        RESOLVER,
        engine.fingerprint,
        files_fingerprint(project),
        project.config.base_iri,
        json.dumps(_assistants(project)),
    )
    if project.warehouse.exists():
        with project.read() as connection:
            last = read_watermark(connection, project, STAGE)
            if last and last == _state(connection, project, engine, mark):
                return ExtractionResult(False, **_counts(connection, project))
    ontology = load_ontology(ontology_files(project))
    with project.write() as connection:
        state = _state(connection, project, engine, mark)
        _prepare(connection, project, engine, ontology)
        asked = ask(connection, project, engine, ontology, on_progress)
        staged = _stage(connection, project, engine, asked, state)
        counts = _counts(connection, project)
    if staged.missing:
        raise ExtractionError(
            f"{staged.missing} of {counts['chunks']} chunks have no answer: {asked.unavailable}",
            where=engine.name,
            hint="what was answered is kept, and nothing of the incomplete sources was staged; run again to go on",
        )
    return ExtractionResult(
        changed=True, calls=asked.calls, cached=counts["chunks"] - asked.calls, batches=staged.batches,
        entities=staged.entities, relations=staged.relations, prompt_tokens=asked.prompt_tokens,
        completion_tokens=asked.completion_tokens, **counts,
    )  # fmt: skip


@dataclass
class _Staged:
    missing: int = 0
    batches: int = 0
    entities: int = 0
    relations: int = 0


def _prepare(connection: duckdb.DuckDBPyConnection, project: Project, engine: Extractor, ontology: Ontology) -> None:
    """Live chunks as the engine sees them; answers that older rules resolved are resolved again, without asking."""
    dataset = project.config.dataset
    assistants = _assistants(project)
    parameters = {
        "dataset": dataset, "engine": engine.fingerprint, "ontology": ontology.content_hash,
        "whole_key": engine.known_in_key,
        "assistant_sources": [source for source, _ in assistants], "assistants": [name for _, name in assistants],
    }  # fmt: skip
    create_known(connection, project, ontology)
    connection.execute(load_sql(LAYER, "create_inputs"), parameters)
    stale = connection.execute(load_sql(LAYER, "select_stale"), {"dataset": dataset, "resolver": RESOLVER}).to_arrow_table()
    if stale.num_rows == 0:
        return
    rows = []
    for row in stale.to_pylist():
        extraction = Extraction.from_json(json.dumps(json.loads(row["response"])["extraction"]))
        rows.append({"cache_key": row["cache_key"], "response": response_of(chunk_of(row), extraction, ontology)})
    connection.register("extraction_resolved", pa.Table.from_pylist(rows, _RESOLVED))
    connection.execute(load_sql(LAYER, "update_calls"), {"dataset": dataset})
    connection.unregister("extraction_resolved")


def _stage(connection: duckdb.DuckDBPyConnection, project: Project, engine: Extractor, asked: Asked, state: str) -> _Staged:
    """Statements, mentions and refusals of all complete sources; batches first, then the rows that say they are written."""
    dataset = project.config.dataset
    connection.register("extraction_failed", pa.Table.from_pylist(asked.failed, _FAILED))
    connection.execute(load_sql(LAYER, "create_found"), {"dataset": dataset})
    connection.execute(load_sql(LAYER, "create_entities"), {"base_iri": project.config.base_iri})
    connection.execute(load_sql(LAYER, "create_relations"), {"base_iri": project.config.base_iri})
    delete_found(connection, dataset, {"extraction_entities": ("ref",), "extraction_relations": ("subject", "object")})
    connection.execute(load_sql(LAYER, "create_statements"), {"dataset": dataset, "extractor": engine.name})
    connection.execute(load_sql(LAYER, "create_refused"))
    result = _Staged()
    marks: dict[str, str] = {}
    sources = connection.execute(load_sql(LAYER, "select_sources"), {"dataset": dataset}).fetchall()
    for source, missing, content, entities, relations, before in sources:
        result.missing += missing
        if missing or content == (before or "").partition(":")[0]:
            continue
        # The id depends on what was staged before, so that a source that returns to an earlier state is committed again.
        batch_id = fingerprint(PRODUCER, dataset, source, content, before or "")
        _write_once(connection, project, source, batch_id)
        marks[f"source:{source}"] = f"{content}:{batch_id}"
        result.batches += 1
        result.entities += entities
        result.relations += relations
    if not result.missing:
        marks[""] = state
    _record(connection, project, marks, state)
    return result


def _write_once(connection: duckdb.DuckDBPyConnection, project: Project, source: str, batch_id: str) -> None:
    present = staged_batches(project, PRODUCER)
    if any(staged.batch.batch_id == batch_id for staged in present):
        return  # an earlier run was stopped after it wrote the batch
    order = max((staged.batch.order for staged in present), default=-1) + 1
    statements = connection.sql(load_sql(LAYER, "select_statements"), params={"source": source})
    write_batch(project, PRODUCER, Batch(batch_id, source, order, complete=True), statements)


def _record(connection: duckdb.DuckDBPyConnection, project: Project, marks: dict[str, str], state: str) -> None:
    dataset = project.config.dataset
    with transaction(connection):
        instant = _value(connection, "select_instant", {"now": project.clock()})
        at = {"dataset": dataset, "instant": instant}
        connection.execute(load_sql(LAYER, "close_mentions"), at)
        connection.execute(load_sql(LAYER, "insert_mentions"), at)
        connection.execute(load_sql(LAYER, "delete_quarantine"), {"dataset": dataset})
        connection.execute(load_sql(LAYER, "insert_quarantine"), {"dataset": dataset, "run_id": state, "recorded_at": instant})
        for scope, value in marks.items():
            write_watermark(connection, project, STAGE, value, scope)


def _state(connection: duckdb.DuckDBPyConnection, project: Project, engine: Extractor, mark: str) -> str:
    """A fingerprint of all that the answers depend on."""
    names = names_state(connection, project) if engine.known_in_key else ""
    return fingerprint(mark, _value(connection, "select_state", {"dataset": project.config.dataset}), names)


def _assistants(project: Project) -> list[tuple[str, str]]:
    """(source, speaker) of the machines that speak in chats: what they say of themselves is not a fact."""
    documents = project.config.documents
    chats = ((name, section) for name, section in documents.items() if isinstance(section, ChatDocuments))
    return sorted((name, machine) for name, section in chats for machine in section.machines)


def _counts(connection: duckdb.DuckDBPyConnection, project: Project) -> dict[str, int]:
    row = connection.execute(load_sql(LAYER, "select_counts"), {"dataset": project.config.dataset}).fetchone()
    assert row is not None
    return {"chunks": row[0], "mentions": row[1], "quarantined": row[2]}


def _value(connection: duckdb.DuckDBPyConnection, name: str, parameters: dict[str, object]) -> object:
    row = connection.execute(load_sql(LAYER, name), parameters).fetchone()
    return row[0] if row else None
