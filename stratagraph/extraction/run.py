"""The extraction stage: chunks to staged statements, mentions and refusals.

An answer depends only on what the engine sees of a chunk, so it is kept in `graph.llm_calls` and never asked for again. Answers
are committed as they come; statements of a source are staged when all its chunks have one. Engines say what they found
(`embedded.py`, `openai_engine.py`), `resolve.py` says what of it may go on; here it becomes rows, in SQL.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from itertools import islice
from threading import Event
from typing import Any

import duckdb
import pyarrow as pa

from stratagraph.config.model import ChatDocuments
from stratagraph.errors import ExtractionError
from stratagraph.extraction.engines import engine_of
from stratagraph.extraction.protocol import ChunkFailedError, ChunkInput, EngineUnavailableError, Extraction, Extractor
from stratagraph.extraction.resolve import VERSION as RESOLVER
from stratagraph.extraction.resolve import resolve
from stratagraph.ontology.load import files_fingerprint, load_ontology, ontology_files
from stratagraph.ontology.model import Ontology
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import Batch, staged_batches, write_batch

VERSION = 1  # of how answers become statements
LAYER = "extraction"
STAGE = "extraction"
PRODUCER = "text"
_FLUSH_SECONDS = 1.0

Progress = Callable[[int, int], None]

_ANSWERS = pa.schema({
    "cache_key": pa.binary(), "engine": pa.string(), "model": pa.string(), "chunk_hash": pa.binary(), "prompt_tokens": pa.int64(),
    "completion_tokens": pa.int64(), "response": pa.string(),
})  # fmt: skip
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

    def metadata(self) -> dict[str, int | float | str]:
        return asdict(self) | {"changed": int(self.changed)}


@dataclass
class _Asked:
    """What asking the engine came to."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failed: list[dict[str, Any]] = field(default_factory=list)
    unavailable: str | None = None


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
            state = fingerprint(mark, _value(connection, "select_state", {"dataset": project.config.dataset}))
            if _watermark(connection, project, "") == state:
                return ExtractionResult(False, **_counts(connection, project))
    ontology = load_ontology(ontology_files(project))
    with project.write() as connection:
        state = fingerprint(mark, _value(connection, "select_state", {"dataset": project.config.dataset}))
        _prepare(connection, project, engine, ontology)
        asked = _ask(connection, project, engine, ontology, on_progress)
        staged = _stage(connection, project, engine, asked, state)
        counts = _counts(connection, project)
    if staged.missing:
        raise ExtractionError(
            f"{staged.missing} of {counts['chunks']} chunks have no answer: {asked.unavailable}",
            where=engine.name,
            hint="what was answered is kept, and nothing of the incomplete sources was staged; run again to go on",
        )
    return ExtractionResult(
        changed=True, calls=asked.calls, cached=counts["chunks"] - asked.calls, batches=staged.batches, entities=staged.entities,
        relations=staged.relations, prompt_tokens=asked.prompt_tokens, completion_tokens=asked.completion_tokens, **counts,
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
        "assistant_sources": [source for source, _ in assistants], "assistants": [name for _, name in assistants],
    }  # fmt: skip
    connection.execute(load_sql(LAYER, "create_inputs"), parameters)
    stale = connection.execute(load_sql(LAYER, "select_stale"), {"dataset": dataset, "resolver": RESOLVER}).to_arrow_table()
    if stale.num_rows == 0:
        return
    rows = []
    for row in stale.to_pylist():
        extraction = Extraction.from_json(json.dumps(json.loads(row["response"])["extraction"]))
        rows.append({"cache_key": row["cache_key"], "response": _response(_chunk(row), extraction, ontology)})
    connection.register("extraction_resolved", pa.Table.from_pylist(rows, _RESOLVED))
    connection.execute(load_sql(LAYER, "update_calls"), {"dataset": dataset})
    connection.unregister("extraction_resolved")


def _ask(
    connection: duckdb.DuckDBPyConnection, project: Project, engine: Extractor, ontology: Ontology, on_progress: Progress | None
) -> _Asked:
    """Ask about every chunk without an answer; keep answers as they come, a second's worth at a time."""
    asked = _Asked()
    pending = connection.execute(load_sql(LAYER, "select_pending"), {"dataset": project.config.dataset}).to_arrow_table()
    rows = (row for batch in pending.to_batches(max_chunksize=1000) for row in batch.to_pylist())
    kind, _, model = engine.name.partition("/")
    answers: list[dict[str, Any]] = []
    flushed, consecutive = time.monotonic(), 0
    if on_progress:
        on_progress(0, pending.num_rows)
    stop = Event()
    try:
        for done, (row, outcome) in enumerate(_outcomes(engine, ontology, rows, stop), start=1):
            if isinstance(outcome, EngineUnavailableError):
                asked.unavailable = asked.unavailable or str(outcome)
                consecutive += 1
                if outcome.stops or consecutive >= max(3, engine.concurrency):
                    stop.set()  # what is under way is still paid for, so it is still kept
                continue
            consecutive = 0
            asked.calls += 1
            asked.prompt_tokens += outcome.prompt_tokens
            asked.completion_tokens += outcome.completion_tokens
            if isinstance(outcome, ChunkFailedError):
                failed = {"reason": outcome.reason, "detail": outcome.detail, "payload": outcome.payload[:2000]}
                asked.failed.append({"cache_key": row["cache_key"], **failed})
            else:
                answers.append({
                    "cache_key": row["cache_key"], "engine": kind, "model": model or kind, "chunk_hash": row["chunk_hash"],
                    "prompt_tokens": outcome.prompt_tokens, "completion_tokens": outcome.completion_tokens,
                    "response": _response(_chunk(row), outcome, ontology),
                })  # fmt: skip
            if time.monotonic() - flushed >= _FLUSH_SECONDS:
                _keep(connection, project, answers)
                flushed = time.monotonic()
            if on_progress:
                on_progress(done, pending.num_rows)
    finally:
        _keep(connection, project, answers)
    return asked


Outcome = Extraction | ChunkFailedError | EngineUnavailableError


def _outcomes(
    engine: Extractor, ontology: Ontology, rows: Iterator[dict[str, Any]], stop: Event
) -> Iterator[tuple[dict[str, Any], Outcome]]:
    """Each chunk with what the engine said of it; several at once where the engine allows it. `stop` starts no more."""

    def one(row: dict[str, Any]) -> Outcome:
        try:
            return engine.extract(_chunk(row), ontology)
        except (ChunkFailedError, EngineUnavailableError) as error:
            return error

    if engine.concurrency == 1:
        for row in rows:
            yield row, one(row)
            if stop.is_set():
                return
        return
    pool = ThreadPoolExecutor(engine.concurrency, thread_name_prefix="extract")
    try:
        running: dict[Future[Outcome], dict[str, Any]] = {}
        while True:
            for row in islice(rows, 0 if stop.is_set() else engine.concurrency - len(running)):
                running[pool.submit(one, row)] = row
            if not running:
                return
            finished = next(as_completed(running))
            yield running.pop(finished), finished.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _keep(connection: duckdb.DuckDBPyConnection, project: Project, answers: list[dict[str, Any]]) -> None:
    if not answers:
        return
    connection.register("extraction_answers", pa.Table.from_pylist(answers, _ANSWERS))
    parameters = {"dataset": project.config.dataset, "recorded_at": project.clock()}
    connection.execute(load_sql(LAYER, "insert_calls"), parameters)
    connection.unregister("extraction_answers")
    answers.clear()


def _stage(connection: duckdb.DuckDBPyConnection, project: Project, engine: Extractor, asked: _Asked, state: str) -> _Staged:
    """Statements, mentions and refusals of all complete sources; batches first, then the rows that say they are written."""
    dataset = project.config.dataset
    connection.register("extraction_failed", pa.Table.from_pylist(asked.failed, _FAILED))
    connection.execute(load_sql(LAYER, "create_found"), {"dataset": dataset})
    connection.execute(load_sql(LAYER, "create_entities"), {"base_iri": project.config.base_iri})
    connection.execute(load_sql(LAYER, "create_relations"), {"base_iri": project.config.base_iri})
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
    connection.begin()
    try:
        instant = _value(connection, "select_instant", {"now": project.clock()})
        at = {"dataset": dataset, "instant": instant}
        connection.execute(load_sql(LAYER, "close_mentions"), at)
        connection.execute(load_sql(LAYER, "insert_mentions"), at)
        connection.execute(load_sql(LAYER, "delete_quarantine"), {"dataset": dataset})
        connection.execute(load_sql(LAYER, "insert_quarantine"), {"dataset": dataset, "run_id": state, "recorded_at": instant})
        for scope, value in marks.items():
            key = {"dataset": dataset, "stage": STAGE, "scope": scope}
            connection.execute(load_sql("ontology", "delete_watermark"), key)
            connection.execute(load_sql("ontology", "insert_watermark"), key | {"fingerprint": value})
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def _assistants(project: Project) -> list[tuple[str, str]]:
    """(source, speaker) of the machines that speak in chats: what they say of themselves is not a fact."""
    documents = project.config.documents
    return sorted((name, section.assistant) for name, section in documents.items() if isinstance(section, ChatDocuments))


def _chunk(row: dict[str, Any]) -> ChunkInput:
    return ChunkInput(row["text"], row["reference_time"], row["language"], row["speaker"], tuple(row["known"]))


def _response(chunk: ChunkInput, extraction: Extraction, ontology: Ontology) -> str:
    """What is kept of an answer: what the engine said, and what of it may go on by these rules."""
    resolved = resolve(chunk, extraction, ontology).as_dict()
    kept = {"extraction": json.loads(extraction.to_json()), "resolved": resolved, "resolver": RESOLVER}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True)


def _counts(connection: duckdb.DuckDBPyConnection, project: Project) -> dict[str, int]:
    row = connection.execute(load_sql(LAYER, "select_counts"), {"dataset": project.config.dataset}).fetchone()
    assert row is not None
    return {"chunks": row[0], "mentions": row[1], "quarantined": row[2]}


def _watermark(connection: duckdb.DuckDBPyConnection, project: Project, scope: str) -> object:
    key = {"dataset": project.config.dataset, "stage": STAGE, "scope": scope}
    row = connection.execute(load_sql("ontology", "select_watermark"), key).fetchone()
    return row[0] if row else None


def _value(connection: duckdb.DuckDBPyConnection, name: str, parameters: dict[str, object]) -> object:
    row = connection.execute(load_sql(LAYER, name), parameters).fetchone()
    return row[0] if row else None
