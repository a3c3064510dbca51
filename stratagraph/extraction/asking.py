"""Asks an engine about chunks, several at once where it allows that, and keeps every answer as it comes.

What an answer means for the graph is `run.py`; this module knows chunks, answers and the table they are kept in.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import islice
from threading import Event
from typing import Any

import duckdb
import pyarrow as pa

from stratagraph.extraction.protocol import (
    ChunkFailedError,
    ChunkInput,
    EngineUnavailableError,
    Extraction,
    Extractor,
    KnownName,
)
from stratagraph.extraction.resolve import VERSION as RESOLVER
from stratagraph.extraction.resolve import resolve
from stratagraph.ontology.model import Ontology
from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql

LAYER = "extraction"
_FLUSH_SECONDS = 1.0

Progress = Callable[[int, int], None]
Outcome = Extraction | ChunkFailedError | EngineUnavailableError

_ANSWERS = pa.schema({
    "cache_key": pa.binary(), "engine": pa.string(), "model": pa.string(), "chunk_hash": pa.binary(),
    "prompt_tokens": pa.int64(), "completion_tokens": pa.int64(), "response": pa.string(),
})  # fmt: skip


@dataclass
class Asked:
    """What asking an engine came to.

    Args:
        failed: chunks that were given up, by cache key, with the reason.
        unavailable: why chunks were left without an answer.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failed: list[dict[str, Any]] = field(default_factory=list)
    unavailable: str | None = None


def ask(
    connection: duckdb.DuckDBPyConnection, project: Project, engine: Extractor, ontology: Ontology, on_progress: Progress | None
) -> Asked:
    """Ask about every chunk without an answer; keep answers as they come, a second's worth at a time."""
    asked = Asked()
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
                    "response": response_of(chunk_of(row), outcome, ontology),
                })  # fmt: skip
            if time.monotonic() - flushed >= _FLUSH_SECONDS:
                _keep(connection, project, answers)
                flushed = time.monotonic()
            if on_progress:
                on_progress(done, pending.num_rows)
    finally:
        _keep(connection, project, answers)
    return asked


def _outcomes(
    engine: Extractor, ontology: Ontology, rows: Iterator[dict[str, Any]], stop: Event
) -> Iterator[tuple[dict[str, Any], Outcome]]:
    """Each chunk with what the engine said of it; several at once where the engine allows it. `stop` starts no more."""

    def one(row: dict[str, Any]) -> Outcome:
        try:
            return engine.extract(chunk_of(row), ontology)
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


def chunk_of(row: dict[str, Any]) -> ChunkInput:
    """A row of `extraction_inputs` as an engine sees it."""
    known = tuple(KnownName(known["name"], known["class_iri"]) for known in row["known"])
    return ChunkInput(row["text"], row["reference_time"], row["language"], row["speaker"], known, row["topic"])


def response_of(chunk: ChunkInput, extraction: Extraction, ontology: Ontology) -> str:
    """What is kept of an answer: what the engine said, and what of it may go on by these rules."""
    resolved = resolve(chunk, extraction, ontology).as_dict()
    kept = {"extraction": json.loads(extraction.to_json()), "resolved": resolved, "resolver": RESOLVER}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True)
