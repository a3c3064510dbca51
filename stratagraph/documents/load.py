"""Loads all documents into the landing file through dlt: tables documents, turns, readings and refused of dlt's
dataset `documents`.

Files that are as they were cost one reading for their hash, and nothing else. Chunks, transaction time and the warehouse
are not known here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pyarrow as pa

from stratagraph.config.documents import ChatDocuments, Documents, EpisodeDocuments, FileDocuments
from stratagraph.documents.chat_logs import LogSettings
from stratagraph.documents.chats import read_chats
from stratagraph.documents.checks import Records, refuse
from stratagraph.documents.episodes import read_episodes
from stratagraph.documents.files import Found, SourceFile, find_files, read_bytes
from stratagraph.documents.read import read_file
from stratagraph.documents.records import Document, Reading, Refusal, RefusedDocumentError, document_id
from stratagraph.documents.times import configured_time, configured_zone
from stratagraph.errors import WarehouseError
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.tombstones import Tombstones, erased_in

VERSION = 3  # of what readers make of a file; a change loads everything again
LAYER = "documents"

SCHEMAS = {
    "documents": pa.schema({
        "document_id": pa.string(), "source": pa.string(), "path": pa.string(), "title": pa.string(), "kind": pa.string(),
        "media_type": pa.string(), "language": pa.string(), "reference_time": pa.timestamp("us", "UTC"),
        "reference_source": pa.string(), "text": pa.string(),
    }),
    "turns": pa.schema({
        "document_id": pa.string(), "position": pa.int64(), "speaker": pa.string(), "char_start": pa.int64(),
        "char_end": pa.int64(), "reference_time": pa.timestamp("us", "UTC"), "message_id": pa.string(),
    }),
    "readings": pa.schema({"source": pa.string(), "path": pa.string(), "fields": pa.string()}),
    "refused": pa.schema({
        "scope": pa.string(), "location": pa.string(), "reason": pa.string(), "detail": pa.string(), "payload": pa.string(),
    }),
}  # fmt: skip
_BATCH_CHARACTERS = 16_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class LoadResult:
    """What is in the landing file now.

    Args:
        empty_sources: declared sources whose folder has no file yet.
        readings: which fields of chat logs were taken for what, a line for each way.
    """

    changed: bool
    files: int
    documents: int
    turns: int
    refused: int
    empty_sources: int
    readings: str = ""

    def metadata(self) -> dict[str, int | float | str]:
        empty = f"{self.empty_sources} of the declared document folders are still empty"
        warning: dict[str, int | float | str] = {"warning": empty} if self.empty_sources else {}
        return warning | {key: value for key, value in asdict(self).items() if value != ""}


@dataclass(frozen=True, slots=True)
class Load:
    """The last whole load, as the landing file records it."""

    fingerprint: str
    files: int
    documents: int
    turns: int
    refused: int

    def result(self, changed: bool, empty_sources: int, readings: str) -> LoadResult:
        return LoadResult(changed, self.files, self.documents, self.turns, self.refused, empty_sources, readings)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A documents source, what its pattern matched, and how one of its files is read."""

    name: str
    found: Found
    read: Callable[[bytes, SourceFile], Records]


def load_documents(project: Project) -> LoadResult:
    """Bring the landing file up to date with all documents of the config."""
    opened = [_open(project, name, declared) for name, declared in sorted(project.config.documents.items())]
    wanted = _fingerprint(project, opened)
    empty = sum(source.found.empty for source in opened)
    if project.landing.exists():
        with project.landing_connection() as connection:
            last = last_load(connection)
            if last and last.fingerprint == wanted:
                return last.result(False, empty, _readings(connection))
    with project.landing_connection(read_only=False) as connection:
        connection.execute(load_sql(LAYER, "create_loads"))
        connection.execute(load_sql(LAYER, "delete_loads"))
    _run_pipeline(project, opened)
    with project.landing_connection(read_only=False) as connection:
        files = sum(len(source.found.files) for source in opened)
        connection.execute(load_sql(LAYER, "insert_load"), {"fingerprint": wanted, "files": files})
        done = last_load(connection)
        readings = _readings(connection)
    if done is None:
        raise WarehouseError("the load of documents left no record of itself", where=str(project.landing))
    return done.result(True, empty, readings)


def last_load(connection: duckdb.DuckDBPyConnection) -> Load | None:
    """The last whole load of the landing file, None if there is none."""
    if not connection.execute(load_sql(LAYER, "select_has_loads")).fetchone():
        return None
    row = connection.execute(load_sql(LAYER, "select_load")).fetchone()
    return Load(*row) if row else None


def _readings(connection: duckdb.DuckDBPyConnection) -> str:
    """What `select_readings` says, for people."""
    lines = []
    for source, fields, files, example in connection.execute(load_sql(LAYER, "select_readings")).fetchall():
        found = ", ".join(f"{role}: {name}" for role, name in json.loads(fields).items())
        lines.append(f"{source} ({example}{f' and {files - 1} more' if files > 1 else ''}): {found}")
    return "\n".join(lines)


def _open(project: Project, name: str, declared: Documents) -> _Opened:
    found = find_files(project, name, declared.path)
    match declared:
        case FileDocuments(reference_time=given, date_pattern=pattern):
            fixed = configured_time(given, f"documents.{name}.reference_time") if given else None
            return _Opened(name, found, lambda data, file: read_file(data, file.path, _modified(file), pattern, fixed))
        case EpisodeDocuments():
            return _Opened(name, found, lambda data, file: read_episodes(data, file.path))
        case ChatDocuments(format=form, assistant=assistant):
            settings = _log_settings(declared, f"documents.{name}")
            return _Opened(name, found, lambda data, file: read_chats(data, file.path, form, assistant, settings))


def _log_settings(declared: ChatDocuments, key: str) -> LogSettings:
    given = declared.reference_time
    reference_time = configured_time(given, f"{key}.reference_time") if given else None
    return LogSettings(declared.messages, configured_zone(declared.zone, f"{key}.zone"), declared.names, reference_time)


def _modified(file: SourceFile) -> datetime:
    return _EPOCH + timedelta(microseconds=file.mtime_ns // 1000)


def _fingerprint(project: Project, opened: list[_Opened]) -> str:
    parts: list[object] = [VERSION, project.config.base_iri]
    for source in opened:
        declared = project.config.documents[source.name]
        # A file's time of modification counts only where it may become a reference time.
        dated = isinstance(declared, FileDocuments) and declared.reference_time is None
        parts += [source.name, declared.model_dump_json()]
        parts += [(file.path, file.size, file.digest, file.mtime_ns if dated else 0) for file in source.found.files]
        parts += [(refusal.path, refusal.reason, refusal.detail) for refusal in source.found.refusals]
    return fingerprint(*parts)


def _records(opened: list[_Opened]) -> Iterator[tuple[str, Document | Reading | Refusal]]:
    """Everything that was read, with its source."""
    for source in opened:
        yield from ((source.name, refusal) for refusal in source.found.refusals)
        for file in source.found.files:
            try:
                data = read_bytes(file)
            except RefusedDocumentError as error:
                yield source.name, refuse(file.path, (), error)
                continue
            yield from ((source.name, record) for record in source.read(data, file))


def _tables(base_iri: str, opened: list[_Opened], erased: Tombstones) -> Iterator[tuple[str, pa.Table]]:
    """Landing tables in batches. Each is named at least once, so that a table that is empty now is emptied."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
    seen: set[str] = set()
    yield from _flush(rows)
    characters = 0
    for source, record in _records(opened):
        if isinstance(record, Reading):
            rows["readings"].append(
                {"source": source, "path": record.path, "fields": json.dumps(record.fields, sort_keys=True)}
            )
            continue
        identifier = document_id(base_iri, source, record.path, record.parts)
        if erased.hold("document", identifier):
            continue  # not even among what was refused
        if isinstance(record, Document) and identifier in seen:
            error = RefusedDocumentError("duplicate_document", "a document of this id stands before it in the file")
            record = refuse(record.path, record.parts, error, record.text)
        if isinstance(record, Refusal):
            rows["refused"].append(
                {"scope": identifier, "location": record.location, "reason": record.reason, "detail": record.detail}
                | {"payload": record.payload}
            )
            continue
        seen.add(identifier)
        columns = {name: getattr(record, name, None) for name in SCHEMAS["documents"].names}
        rows["documents"].append(columns | {"document_id": identifier, "source": source})
        rows["turns"] += [{"document_id": identifier} | asdict(turn) for turn in record.turns]
        characters += len(record.text)
        if characters > _BATCH_CHARACTERS:
            yield from _flush(rows)
            characters = 0
    yield from _flush(rows)


def _flush(rows: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[str, pa.Table]]:
    for name, schema in SCHEMAS.items():
        yield name, pa.Table.from_pylist(rows[name], schema=schema)
        rows[name].clear()


def _run_pipeline(project: Project, opened: list[_Opened]) -> None:
    from stratagraph.landing.pipeline import dlt, run_pipeline

    erased = erased_in(project)

    @dlt.resource(name="documents", write_disposition="replace")
    def documents() -> Iterator[Any]:
        for name, table in _tables(project.config.base_iri, opened, erased):
            yield dlt.mark.with_table_name(table, name)

    run_pipeline(project, "documents", [documents])
