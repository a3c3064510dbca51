"""Landing to warehouse: documents with their transaction times, and their chunks.

A chunk is a piece of its document's text, `text[char_start:char_end]`, no longer than `extraction.chunk_characters` (and
`chunk_tokens`); of a chat, one turn. Documents that did not change keep their rows and are not cut again. Texts pass through in
batches: what is held in memory does not grow with the corpus. Where a text is cut is `splitting.py`, reading files `load.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import duckdb
import pyarrow as pa

from stratagraph.documents.language import chunk_language
from stratagraph.documents.load import LAYER, last_load
from stratagraph.documents.splitting import Limit, Splitter
from stratagraph.errors import CommitRefusedError, WarehouseError
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.tombstones import unerased
from stratagraph.transactions import transaction
from stratagraph.watermarks import read_watermark, write_watermark

STAGE = "documents"
VERSION = 2  # of how texts are cut; a change cuts everything again

_CHUNKS = pa.schema({
    "document_id": pa.string(), "position": pa.int64(), "char_start": pa.int64(), "char_end": pa.int64(), "text": pa.string(),
    "speaker": pa.string(), "reference_time": pa.timestamp("us", "UTC"), "language": pa.string(),
})  # fmt: skip
_BATCH_CHARACTERS = 4_000_000  # of the texts that are cut at a time
_PLAIN = ("text/plain", "message/rfc822")  # what readers make of every other format is Markdown


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
    """What this stage's watermarks should say after it, and how texts are to be cut."""

    fingerprint: str
    cutting: str
    limit: Limit


def update_chunks(project: Project) -> ChunksResult:
    """Bring `graph.documents` and `graph.chunks` up to date with the landing file, in one transaction."""
    with project.landing_connection() as landing:
        given = _input(project, landing)
        if project.warehouse.exists():
            with project.read() as connection:
                if read_watermark(connection, project, STAGE, "load") == given.fingerprint:
                    return _result(connection, project, None)
        with project.write() as connection:
            with transaction(connection):
                _take_over(connection, project, landing)
                instant = _commit(connection, project, given)
            return _result(connection, project, instant)


def cut(document: dict[str, Any], limit: Limit) -> Iterator[dict[str, Any]]:
    """The chunks of a document. A turn of a chat is one chunk, unless it is longer than chunks may be."""
    text = document["text"]
    splitter = Splitter(text, limit, markdown=document["media_type"] not in _PLAIN)
    whole = {"char_start": 0, "char_end": len(text), "speaker": None, "reference_time": None}
    position = 0
    for span in document["turns"] or [whole]:
        for start, end in splitter.chunks(span["char_start"], span["char_end"]):
            piece = text[start:end]
            yield {
                "document_id": document["document_id"], "position": position, "char_start": start, "char_end": end,
                "text": piece, "speaker": span["speaker"],
                "reference_time": span["reference_time"] or document["reference_time"],
                "language": chunk_language(piece, document["language"]),
            }  # fmt: skip
            position += 1


def _input(project: Project, landing: duckdb.DuckDBPyConnection) -> _Input:
    extraction = project.config.extraction
    limit = Limit(extraction.chunk_characters, extraction.chunk_tokens)
    load = last_load(landing)
    if load is None:
        raise WarehouseError(
            "no whole load of documents is in the landing file", where=str(project.landing), hint="load the documents first"
        )
    cutting = fingerprint(VERSION, limit.characters, limit.tokens)
    return _Input(fingerprint(load.fingerprint, cutting), cutting, limit)


def _take_over(connection: duckdb.DuckDBPyConnection, project: Project, landing: duckdb.DuckDBPyConnection) -> None:
    """What the landing file holds, as temporary tables `landing` and `refused`, without what was erased."""
    for name, kind, column in (("landing", "document", "document_id"), ("refused", "document", "scope")):
        rows = landing.execute(load_sql(LAYER, f"select_{name}")).to_arrow_reader(1000)
        connection.register("incoming", rows)
        connection.execute(load_sql(LAYER, f"create_{name}"))
        connection.unregister("incoming")
        identifiers = connection.execute(load_sql(LAYER, f"select_{name}_ids")).to_arrow_table()
        kept = unerased(connection, project.config.dataset, identifiers, kind=kind, column=column)
        if len(kept) < len(identifiers):
            connection.register("kept", kept)
            connection.execute(load_sql(LAYER, f"delete_{name}_erased"))
            connection.unregister("kept")


def _commit(connection: duckdb.DuckDBPyConnection, project: Project, given: _Input) -> object:
    dataset = project.config.dataset
    _guard(connection, project)
    instant = _value(connection, "select_instant", {"now": project.clock()})
    recut = read_watermark(connection, project, STAGE, "cutting") != given.cutting
    values = {"dataset": dataset, "recut": recut, "batch_characters": _BATCH_CHARACTERS}
    connection.execute(load_sql(LAYER, "create_changed"), values)
    _cut_documents(connection, given.limit)
    connection.execute(load_sql(LAYER, "create_hashed_chunks"))
    connection.execute(load_sql(LAYER, "create_identified_refused"))
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


def _cut_documents(connection: duckdb.DuckDBPyConnection, limit: Limit) -> None:
    """Table `cut` of the chunks of all documents that changed. One text is Python's work, its rows are Arrow's."""
    connection.execute(load_sql(LAYER, "create_cut"))
    for (batch,) in connection.execute(load_sql(LAYER, "select_batches")).fetchall():
        documents = connection.execute(load_sql(LAYER, "select_changed"), {"batch": batch}).to_arrow_table()
        rows = [row for document in documents.to_pylist() for row in cut(document, limit)]
        connection.register("pieces", pa.Table.from_pylist(rows, schema=_CHUNKS))
        connection.execute(load_sql(LAYER, "insert_cut"))
        connection.unregister("pieces")


def _value(connection: duckdb.DuckDBPyConnection, name: str, parameters: dict[str, object]) -> object:
    row = connection.execute(load_sql(LAYER, name), parameters).fetchone()
    return row[0] if row else None


def _result(connection: duckdb.DuckDBPyConnection, project: Project, instant: object) -> ChunksResult:
    parameters = {"dataset": project.config.dataset, "instant": instant}
    counts = connection.execute(load_sql(LAYER, "select_counts"), parameters).fetchone() or ()
    return ChunksResult(instant is not None, *counts)
