"""Landing to warehouse: documents with their transaction times, and their chunks.

A chunk is a piece of its document's text, `text[char_start:char_end]`, of at most `extraction.chunk_characters` characters; of
a chat, one turn. Documents that did not change keep their rows and are not cut again. Reading files is `load.py`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import duckdb
import pyarrow as pa
from semantic_text_splitter import MarkdownSplitter, TextSplitter

from stratagraph.documents.load import LAYER, last_load
from stratagraph.errors import CommitRefusedError, WarehouseError
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.tombstones import unerased
from stratagraph.transactions import transaction
from stratagraph.watermarks import read_watermark, write_watermark

STAGE = "documents"
VERSION = 1  # of how texts are cut; a change cuts everything again

_CHUNKS = pa.schema({
    "document_id": pa.string(), "position": pa.int64(), "char_start": pa.int64(), "char_end": pa.int64(), "text": pa.string(),
    "speaker": pa.string(), "reference_time": pa.timestamp("us", "UTC"), "language": pa.string(),
})  # fmt: skip


_WINDOW = 50_000  # characters cut at a time; longer than any chunk may be
_SEAMS = ("\n\n", "\n", "。", ". ", " ")


class Splitter(Protocol):
    """What cuts a text: pieces with the character each starts at."""

    def chunk_indices(self, text: str) -> list[tuple[int, str]]: ...


@dataclass(frozen=True)
class ChunksResult:
    """What stands now, and what this run opened and closed in transaction time."""

    changed: bool
    documents: int
    chunks: int
    documents_opened: int
    documents_closed: int
    chunks_opened: int
    chunks_closed: int
    quarantined: int

    def metadata(self) -> dict[str, int | float | str]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Input:
    """What the landing file holds, and what this stage's watermarks should say after it."""

    fingerprint: str
    cutting: str
    landing: pa.Table
    refused: pa.Table


def update_chunks(project: Project) -> ChunksResult:
    """Bring `graph.documents` and `graph.chunks` up to date with the landing file, in one transaction."""
    given = _read_landing(project)
    if project.warehouse.exists():
        with project.read() as connection:
            if read_watermark(connection, project, STAGE, "load") == given.fingerprint:
                return _result(connection, project, None)
    with project.write() as connection:
        with transaction(connection):
            instant = _commit(connection, project, given)
        return _result(connection, project, instant)


def cut(text: str, splitter: Splitter, spans: list[dict[str, Any]] | None) -> Iterator[tuple[int, int, str | None]]:
    """Start, end and speaker of the chunks of a text. A turn is one chunk, unless it is longer than chunks may be."""
    for span in spans or [{"char_start": 0, "char_end": len(text), "speaker": None}]:
        start, end = span["char_start"], span["char_end"]
        for window, stop in _windows(text, start, end):
            for offset, piece in splitter.chunk_indices(text[window:stop]):
                yield window + offset, window + offset + len(piece), span["speaker"]


def _windows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Pieces of a long text, ending at its best seam: what the splitter costs grows with the square of a line's length."""
    while end - start > _WINDOW:
        seams = ((text.rfind(seam, start + _WINDOW // 2, start + _WINDOW), len(seam)) for seam in _SEAMS)
        stop = next((found + length for found, length in seams if found >= 0), start + _WINDOW)
        while unicodedata.combining(text[stop]) and stop > start + 1:
            stop -= 1
        yield start, stop
        start = stop
    yield start, end


def _read_landing(project: Project) -> _Input:
    cutting = fingerprint(VERSION, project.config.extraction.chunk_characters)
    with project.landing_connection() as connection:
        load = last_load(connection)
        if load is None:
            raise WarehouseError(
                "no whole load of documents is in the landing file", where=str(project.landing), hint="load the documents first"
            )
        landing = connection.execute(load_sql(LAYER, "select_landing")).to_arrow_table()
        refused = connection.execute(load_sql(LAYER, "select_refused")).to_arrow_table()
    return _Input(fingerprint(load.fingerprint, cutting), cutting, landing, refused)


def _commit(connection: duckdb.DuckDBPyConnection, project: Project, given: _Input) -> object:
    dataset = project.config.dataset
    connection.register("landing", unerased(connection, dataset, given.landing, kind="document", column="document_id"))
    connection.register("refused", unerased(connection, dataset, given.refused, kind="document", column="scope"))
    _guard(connection, project)
    instant = _value(connection, "select_instant", {"now": project.clock()})
    recut = read_watermark(connection, project, STAGE, "cutting") != given.cutting
    changed = connection.execute(load_sql(LAYER, "select_changed"), {"dataset": dataset, "recut": recut}).to_arrow_table()
    connection.register("changed", changed)
    connection.register("cut", _cut_documents(changed, project.config.extraction.chunk_characters))
    connection.register("hashed_chunks", connection.execute(load_sql(LAYER, "select_hashed_chunks")).to_arrow_table())
    connection.register("identified_refused", connection.execute(load_sql(LAYER, "select_identified_refused")).to_arrow_table())
    at = {"dataset": dataset, "instant": instant}
    for step in ("close_documents", "insert_documents", "close_chunks", "insert_chunks"):
        connection.execute(load_sql(LAYER, step), at)
    connection.execute(load_sql(LAYER, "delete_quarantine"), {"dataset": dataset})
    connection.execute(load_sql(LAYER, "insert_quarantine"), at | {"fingerprint": given.fingerprint})
    for scope, value in (("load", given.fingerprint), ("cutting", given.cutting)):
        write_watermark(connection, project, STAGE, value, scope)
    return instant


def _guard(connection: duckdb.DuckDBPyConnection, project: Project) -> None:
    share = project.config.guard.max_shrink
    parameters = {"dataset": project.config.dataset, "max_shrink": share}
    rows = connection.execute(load_sql(LAYER, "select_shrunken"), parameters).fetchall()
    if rows:
        what = "; ".join(f"{vanished} of {known} documents of {source!r} vanished" for source, known, vanished in rows)
        raise CommitRefusedError(
            f"{what} at once; more than a share of {share:g} is refused, nothing was written",
            where="documents",
            hint="if that is meant, set `guard: {max_shrink: 1}` in the config for one run; if not, look where the files are",
        )


def _cut_documents(changed: pa.Table, capacity: int) -> pa.Table:
    markdown, plain = MarkdownSplitter(capacity), TextSplitter(capacity)
    columns: dict[str, list[Any]] = {name: [] for name in _CHUNKS.names}
    for batch in changed.to_batches(max_chunksize=1000):  # one text is Python's work, its rows are Arrow's
        for document in batch.to_pylist():
            text, splitter = document["text"], markdown if document["media_type"] == "text/markdown" else plain
            for position, (start, end, speaker) in enumerate(cut(text, splitter, document["turns"])):
                row = (document["document_id"], position, start, end, text[start:end], speaker)
                for name, value in zip(_CHUNKS.names, (*row, document["reference_time"], document["language"]), strict=True):
                    columns[name].append(value)
    return pa.table(columns, schema=_CHUNKS)


def _value(connection: duckdb.DuckDBPyConnection, name: str, parameters: dict[str, object]) -> object:
    row = connection.execute(load_sql(LAYER, name), parameters).fetchone()
    return row[0] if row else None


def _result(connection: duckdb.DuckDBPyConnection, project: Project, instant: object) -> ChunksResult:
    parameters = {"dataset": project.config.dataset, "instant": instant}
    counts = connection.execute(load_sql(LAYER, "select_counts"), parameters).fetchone() or ()
    return ChunksResult(instant is not None, *counts)
