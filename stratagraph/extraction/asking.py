"""Asks an engine about chunks, several at once where it allows that, and hands on every answer as it comes.

What an answer means for the graph is `run.py`, where answers are kept is `buckets.py`; this module knows chunks and answers.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from threading import Event
from typing import Any

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
from stratagraph.project import Clock

log = logging.getLogger(__name__)
_FLUSH_SECONDS = 1.0

Number = int | float
Progress = Callable[[int, int], None]
Keep = Callable[[list[dict[str, Any]]], None]
Outcome = Extraction | ChunkFailedError | EngineUnavailableError


@dataclass(frozen=True)
class Asked:
    """What asking an engine came to.

    Args:
        calls: chunks that it answered or gave up; given_up: those of them that it cannot read.
        unanswered: chunks without an answer; unavailable: why.
        seconds: how long it took.
        usage: what the engine says of itself, such as retries and cost.
    """

    calls: int = 0
    given_up: int = 0
    unanswered: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    unavailable: str | None = None
    usage: dict[str, Number | str] = field(default_factory=dict)

    def metadata(self) -> dict[str, Number | str]:
        """For people and plots; numbers stay numbers."""
        numbers = {name: value for name, value in asdict(self).items() if name not in ("usage", "unavailable")}
        return numbers | self.usage | ({"unavailable": self.unavailable} if self.unavailable else {})

    def __add__(self, other: Asked) -> Asked:
        summed = {
            name: getattr(self, name) + getattr(other, name)
            for name in ("calls", "given_up", "unanswered", "prompt_tokens", "completion_tokens", "seconds")
        }
        usage = dict(self.usage)
        for name, value in other.usage.items():
            before = usage.get(name, 0)
            usage[name] = value if isinstance(value, str) or isinstance(before, str) else before + value
        return Asked(**summed, unavailable=self.unavailable or other.unavailable, usage=usage)


def ask(
    engine: Extractor, ontology: Ontology, questions: pa.Table, keep: Keep, clock: Clock, on_progress: Progress | None = None
) -> Asked:
    """Ask about every chunk; answers are kept as they come, a second's worth at a time.

    Args:
        questions: one row per chunk, as `sql/extraction/select_pending.sql` gives it.
        keep: told the answers of the last second, with the columns of `buckets.ANSWERS`.
    """
    total = questions.num_rows
    rows = (row for batch in questions.to_batches(max_chunksize=1000) for row in batch.to_pylist())
    kind, _, model = engine.name.partition("/")
    asked, answers = Asked(), list[dict[str, Any]]()
    started = flushed = time.monotonic()
    consecutive = 0
    if on_progress:
        on_progress(0, total)
    stop = Event()
    try:
        for done, (row, outcome) in enumerate(_outcomes(engine, ontology, rows, stop), start=1):
            if isinstance(outcome, EngineUnavailableError):
                asked = replace(asked, unavailable=asked.unavailable or str(outcome))
                consecutive += 1
                if outcome.stops or consecutive >= max(3, engine.concurrency):
                    stop.set()  # what is under way is still paid for, so it is still kept
                continue
            consecutive = 0
            asked = replace(
                asked, calls=asked.calls + 1, given_up=asked.given_up + isinstance(outcome, ChunkFailedError),
                prompt_tokens=asked.prompt_tokens + outcome.prompt_tokens,
                completion_tokens=asked.completion_tokens + outcome.completion_tokens,
            )  # fmt: skip
            answers.append({
                "cache_key": row["cache_key"], "chunk_hash": row["chunk_hash"], "engine": kind, "model": model or kind,
                "prompt_tokens": outcome.prompt_tokens, "completion_tokens": outcome.completion_tokens, "recorded_at": clock(),
                **_said(row, outcome, ontology),
            })  # fmt: skip
            if time.monotonic() - flushed >= _FLUSH_SECONDS:
                keep(answers)
                answers = []
                flushed = time.monotonic()
            if on_progress:
                on_progress(done, total)
    finally:
        keep(answers)
    usage: dict[str, Number | str] = getattr(engine, "usage", dict)()
    return replace(asked, unanswered=total - asked.calls, seconds=time.monotonic() - started, usage=usage)


def _outcomes(
    engine: Extractor, ontology: Ontology, rows: Iterator[dict[str, Any]], stop: Event
) -> Iterator[tuple[dict[str, Any], Outcome]]:
    """Each chunk with what the engine said of it; several at once where the engine allows it. `stop` starts no more."""
    extract_all = getattr(engine, "extract_all", None)
    if extract_all is not None:  # an engine that wants to see them together, as for a batch
        by_key = {row["cache_key"]: row for row in rows}
        for key, outcome in extract_all(((key, chunk_of(row)) for key, row in by_key.items()), ontology):
            yield by_key[key], outcome
        return

    def one(row: dict[str, Any]) -> Outcome:
        try:
            return engine.extract(chunk_of(row), ontology)
        except (ChunkFailedError, EngineUnavailableError) as error:
            return error
        except Exception as error:  # a fault of the engine itself: its chunk stays open, and no other answer is lost
            log.error("The engine %s failed on %s", engine.name, row["chunk_id"], exc_info=error)
            return EngineUnavailableError(f"{engine.name} failed on {row['chunk_id']}: {type(error).__name__}: {error}")

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


def _said(row: dict[str, Any], outcome: Extraction | ChunkFailedError, ontology: Ontology) -> dict[str, str]:
    if isinstance(outcome, ChunkFailedError):
        said = {"reason": outcome.reason, "detail": outcome.detail, "payload": outcome.payload[:2000]}
    else:
        said = {"response": response_of(chunk_of(row), outcome, ontology)}
    # An engine may say half of a surrogate pair, which no file can hold.
    return {name: text.encode("utf-8", "replace").decode() for name, text in said.items()}


def chunk_of(row: dict[str, Any]) -> ChunkInput:
    """A row of `extraction_inputs` as an engine sees it."""
    known = tuple(KnownName(known["name"], known["class_iri"]) for known in row["known"])
    return ChunkInput(row["text"], row["reference_time"], row["language"], row["speaker"], known, row["topic"])


def response_of(chunk: ChunkInput, extraction: Extraction, ontology: Ontology) -> str:
    """What is kept of an answer: what the engine said, and what of it may go on by these rules."""
    kept = {"extraction": extraction, "resolved": resolve(chunk, extraction, ontology), "resolver": RESOLVER}
    return json.dumps(kept, default=vars, ensure_ascii=False, sort_keys=True)  # `vars`: `asdict` costs as much as resolving
