"""The extraction stage: chunks to staged statements, mentions and refusals.

An answer depends only on what the engine sees of a chunk, so it is kept in `graph.llm_calls` and never asked for again. The
stage has three parts: `plan` reads the warehouse; `ask_bucket` asks about one bucket of chunks without it, several processes
at once if need be; `gather` writes what came of it, statements of a source when all its chunks have an answer. `extract` is
all three in one process.

Engines say what they found (`embedded/`, `openai/`), `resolve.py` says what of it may go on; here it becomes rows, in SQL.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypedDict

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from stratagraph.errors import ExtractionError
from stratagraph.extraction.asking import Asked, Progress, ask, chunk_of, response_of
from stratagraph.extraction.buckets import (
    answer_files,
    answered_keys,
    answering,
    clear_questions,
    read_questions,
    without,
    write_questions,
)
from stratagraph.extraction.plan import LAYER, STAGE, Work, count_buckets, pending_questions
from stratagraph.extraction.protocol import Extraction, Extractor
from stratagraph.extraction.resolve import VERSION as RESOLVER
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import Batch, staged_batches, write_batch
from stratagraph.temporal.tombstones import delete_found
from stratagraph.transactions import transaction
from stratagraph.watermarks import write_watermark

PRODUCER = "text"
ALL = "all"  # the bucket of a run that asks about all chunks in one process

_RESOLVED = pa.schema({"cache_key": pa.binary(), "response": pa.string()})
_FAILED = pa.schema({"cache_key": pa.binary(), "reason": pa.string(), "detail": pa.string(), "payload": pa.string()})


@dataclass(frozen=True)
class ExtractionResult:
    """What stands now, and what this run did.

    Args:
        chunks, mentions, quarantined: live rows; reasons: those of the quarantined ones.
        asked: what asking the engine came to; cached: chunks whose answer was known.
        batches, entities, relations: staged by this run.
    """

    changed: bool
    chunks: int = 0
    cached: int = 0
    batches: int = 0
    entities: int = 0
    relations: int = 0
    mentions: int = 0
    quarantined: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    asked: Asked = field(default_factory=Asked)

    @property
    def calls(self) -> int:
        """Chunks that an engine was asked about."""
        return self.asked.calls

    @property
    def prompt_tokens(self) -> int:
        return self.asked.prompt_tokens

    @property
    def completion_tokens(self) -> int:
        return self.asked.completion_tokens

    @property
    def warning(self) -> str:
        """An ontology that matches nothing is no error (the texts may be about something else), but nobody wants it."""
        if self.chunks and not self.mentions:
            return f"nothing of the ontology was found in any of {self.chunks} chunks; do its labels say what the texts say?"
        return ""

    def metadata(self) -> dict[str, int | float | str]:
        warning: dict[str, int | float | str] = {"warning": self.warning} if self.warning else {}
        own = {name: value for name, value in asdict(self).items() if name not in ("asked", "reasons")}
        reasons = {f"quarantined_{reason}": count for reason, count in self.reasons.items()}
        return warning | own | {"changed": int(self.changed)} | self.asked.metadata() | reasons


class _Counts(TypedDict):
    chunks: int
    mentions: int
    quarantined: int
    reasons: dict[str, int]


def extract(project: Project, on_progress: Progress | None = None, engine: Extractor | None = None) -> ExtractionResult:
    """Extract statements from all chunks that have no answer yet, and stage what changed.

    Args:
        project: the project.
        on_progress: called with (chunks answered, chunks to ask about).
        engine: instead of the one that the config names.

    Raises:
        ExtractionError: some chunks have no answer (an outage, a ceiling). What was answered is kept; a later run goes on.
    """
    work = Work.of(project, engine)
    questions = pending_questions(work)
    if questions is None:
        with project.read() as connection:
            return ExtractionResult(False, **_counts(connection, project))
    return _gather(work, _ask(work, ALL, questions, on_progress))


def plan(project: Project, engine: Extractor | None = None) -> dict[int, int]:
    """Find the chunks without an answer and write down what is to be asked; returns how many there are in each bucket."""
    work = Work.of(project, engine)
    questions = pending_questions(work)
    if questions is None:
        return {}
    write_questions(project, work.mark, questions)
    return count_buckets(questions)


def ask_bucket(project: Project, bucket: int, engine: Extractor | None = None, on_progress: Progress | None = None) -> Asked:
    """Ask about the chunks of one bucket that the plan names and nobody answered yet. The warehouse is not opened.

    Answers stand in files until `gather` takes them; a process that is killed loses those of its last second. The ceilings
    of a run are shared out among the buckets by the number of their chunks. An outage is no exception: `unanswered` of the
    result says how many chunks are left.
    """
    work = Work.of(project, engine)
    questions = read_questions(project, work.mark)
    if questions is None:
        return Asked()  # gathered already, or planned for another config: `gather` says what is missing
    mine = questions.filter(pc.equal(questions["bucket"], bucket))
    share = mine.num_rows / max(questions.num_rows, 1)
    return _ask(Work.of(project, engine, share), str(bucket), mine, on_progress)


def gather(project: Project, asked: Iterable[Asked] = (), engine: Extractor | None = None) -> ExtractionResult:
    """Take the answers into the warehouse, and stage what changed.

    Args:
        asked: what asking the buckets came to, for the result.

    Raises:
        ExtractionError: some chunks have no answer. Sources without such chunks are staged.
    """
    work = Work.of(project, engine)
    if project.warehouse.exists():
        with project.read() as connection:
            if work.is_done(connection):
                return ExtractionResult(False, **_counts(connection, project))
    return _gather(work, sum(asked, start=Asked()))


def _ask(work: Work, bucket: str, questions: pa.Table, on_progress: Progress | None) -> Asked:
    if not questions.num_rows:
        return Asked()
    with answering(work.project, bucket) as files:
        open_questions = without(questions, answered_keys(answer_files(work.project)))
        return ask(work.engine, work.ontology, open_questions, files.keep, work.project.clock, on_progress)


def _gather(work: Work, asked: Asked) -> ExtractionResult:
    project = work.project
    files = answer_files(project)
    with project.write() as connection:
        state = work.state(connection)
        work.create_inputs(connection)
        _take(connection, project, files)
        _resolve_again(connection, work)
        staged = _stage(connection, work, state)
        counts = _counts(connection, project)
    if staged.missing:
        raise ExtractionError(
            f"{staged.missing} of {counts['chunks']} chunks have no answer: {asked.unavailable or 'they were not asked about'}",
            where=work.engine.name,
            hint="what was answered is kept, and nothing of the incomplete sources was staged; run again to go on",
        )
    clear_questions(project)
    for file in files:  # not before: they also say which chunks of an incomplete source were given up
        file.unlink()
    return ExtractionResult(
        changed=True, cached=counts["chunks"] - asked.calls, batches=staged.batches, entities=staged.entities,
        relations=staged.relations, asked=asked, **counts,
    )  # fmt: skip


@dataclass
class _Staged:
    missing: int = 0
    batches: int = 0
    entities: int = 0
    relations: int = 0


def _take(connection: duckdb.DuckDBPyConnection, project: Project, files: list[Path]) -> None:
    """Answers go from files to the warehouse; those about chunks that are no more are dropped, as an erasure wants it."""
    failed = _FAILED.empty_table()
    if files:
        read = {"files": [str(file) for file in files]}
        connection.execute(load_sql(LAYER, "insert_calls"), read | {"dataset": project.config.dataset})
        failed = connection.execute(load_sql(LAYER, "select_failed"), read).to_arrow_table()
    connection.register("extraction_failed", failed)


def _resolve_again(connection: duckdb.DuckDBPyConnection, work: Work) -> None:
    """Answers that older rules resolved are resolved again, without asking."""
    dataset = work.project.config.dataset
    stale = connection.execute(load_sql(LAYER, "select_stale"), {"dataset": dataset, "resolver": RESOLVER}).to_arrow_table()
    if stale.num_rows == 0:
        return
    rows = []
    for row in stale.to_pylist():
        extraction = Extraction.from_json(json.dumps(json.loads(row["response"])["extraction"]))
        rows.append({"cache_key": row["cache_key"], "response": response_of(chunk_of(row), extraction, work.ontology)})
    connection.register("extraction_resolved", pa.Table.from_pylist(rows, _RESOLVED))
    connection.execute(load_sql(LAYER, "update_calls"), {"dataset": dataset})
    connection.unregister("extraction_resolved")


def _stage(connection: duckdb.DuckDBPyConnection, work: Work, state: str) -> _Staged:
    """Statements, mentions and refusals of all complete sources; batches first, then the rows that say they are written."""
    project = work.project
    dataset = project.config.dataset
    connection.execute(load_sql(LAYER, "create_found"), {"dataset": dataset})
    connection.execute(load_sql(LAYER, "create_entities"), {"base_iri": project.config.base_iri})
    connection.execute(load_sql(LAYER, "create_relations"), {"base_iri": project.config.base_iri})
    delete_found(connection, dataset, {"extraction_entities": ("ref",), "extraction_relations": ("subject", "object")})
    connection.execute(load_sql(LAYER, "create_statements"), {"dataset": dataset, "extractor": work.engine.name})
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
        (instant,) = connection.execute(load_sql(LAYER, "select_instant"), {"now": project.clock()}).fetchall()[0]
        at = {"dataset": dataset, "instant": instant}
        connection.execute(load_sql(LAYER, "close_mentions"), at)
        connection.execute(load_sql(LAYER, "insert_mentions"), at)
        connection.execute(load_sql(LAYER, "delete_quarantine"), {"dataset": dataset})
        connection.execute(load_sql(LAYER, "insert_quarantine"), {"dataset": dataset, "run_id": state, "recorded_at": instant})
        for scope, value in marks.items():
            write_watermark(connection, project, STAGE, value, scope)


def _counts(connection: duckdb.DuckDBPyConnection, project: Project) -> _Counts:
    row = connection.execute(load_sql(LAYER, "select_counts"), {"dataset": project.config.dataset}).fetchone()
    assert row is not None
    return {"chunks": row[0], "mentions": row[1], "quarantined": sum(row[2].values()), "reasons": row[2]}
