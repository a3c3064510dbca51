"""Which batches the sources stand for now, and which of them are still to be staged.

A batch's id is a function of what the source says, of the mapping, and of what was committed before where a source comes
back to something it said earlier. No row is read here.

A database is one batch. A recorded source is one batch for each version; versions that are committed stay as they are
when the mapping changes, since that is what was believed then, and what the last one says is stated anew from now on.
A source that was taken out of the config says nothing any more: one batch without statements.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC

import duckdb

from stratagraph.config.sources import RecordedSource, TableMapping, TableSource
from stratagraph.errors import CommitRefusedError, SourceError
from stratagraph.project import Project, fingerprint
from stratagraph.sources.catalog import (
    ACCEPTED,
    LAYER,
    Load,
    LoadedVersion,
    last_load,
    loaded_tables,
    loaded_versions,
)
from stratagraph.sources.keys.known import structure_fingerprint
from stratagraph.sources.mapping.ranges import fingerprint_of
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import Batch, staged_batches

PRODUCER = "rows"
_REMOVED = "removed"
_MEANING = {"keys", "nested_keys", "mapping"}  # what decides what a loaded record means
VERSION = 1  # of how rows become statements; a change states everything anew


@dataclass(frozen=True)
class Wanted:
    """A batch that is to be staged.

    Args:
        file: the version file it is made of (None: a database, or a source that is gone).
    """

    batch: Batch
    file: str | None = None


def wanted_batches(project: Project, landing: duckdb.DuckDBPyConnection) -> list[Wanted]:
    """What the sources say now and the warehouse has not been told yet, in the order in which it is to be committed."""
    committed = committed_batches(project)
    wanted: list[Wanted] = []
    order = 0
    for source, config in project.config.sources.items():
        load = last_load(landing, source)
        if load is None:
            raise SourceError("the source was not loaded yet", where=f"sources.{source}", hint="materialise landing first")
        before = committed.get(source, [])
        if isinstance(config, TableSource):
            content = _database_content(project, landing, source, config, load)
            wanted += _of_database(source, content, before, order)
            order += 1
        else:
            versions = loaded_versions(landing, source)
            wanted += _of_recorded(project, source, config, versions, before, order)
            order += len(versions) + 1
    return wanted + list(_of_removed(project, committed, order))


def missing_batches(project: Project, wanted: list[Wanted]) -> list[Wanted]:
    """What is wanted and not staged. Staged batches that are not wanted (committed, or overtaken) are removed."""
    places = {(item.batch.order, item.batch.batch_id) for item in wanted}
    staged = set()
    for found in staged_batches(project, PRODUCER):
        place = (found.batch.order, found.batch.batch_id)
        if place in places:
            staged.add(place)
        else:
            shutil.rmtree(found.folder)
    return [item for item in wanted if (item.batch.order, item.batch.batch_id) not in staged]


def committed_batches(project: Project) -> dict[str, list[str]]:
    """Ids of the committed batches of each source, in order."""
    if not project.warehouse.exists():
        return {}
    with project.read() as connection:
        try:
            rows = connection.execute(load_sql(LAYER, "select_committed"), {"dataset": project.config.dataset}).fetchall()
        except duckdb.CatalogException:  # the file was made, and the schema not yet
            return {}
    committed: dict[str, list[str]] = {}
    for source, batch_id in rows:
        committed.setdefault(source, []).append(batch_id)
    return committed


def _common(project: Project) -> tuple[object, ...]:
    return VERSION, project.config.dataset, project.config.base_iri, sorted(project.config.prefixes.items())


def _database_content(
    project: Project, landing: duckdb.DuckDBPyConnection, source: str, config: TableSource, load: Load
) -> str:
    """Fingerprint of what a database says, and of when it said so where that counts."""
    declared = (config.mapping.get(table.name, TableMapping()).valid_time for table in loaded_tables(landing, source))
    feeds = any(load.mode == "changes" for load in config.load.values())
    timed = feeds or any((valid_time or config.valid_time) == "load" for valid_time in declared)
    mapping = config.model_dump_json(include={"base", "valid_time", "mapping", "load"})
    said = load.history_fingerprint if timed else load.content_fingerprint
    structure = structure_fingerprint(landing, source, config)
    return fingerprint(*_common(project), mapping, structure, said, *fingerprint_of(project, config))[:16]


def _again(identifier: str, before: list[str]) -> str:
    """The id of a batch that may have been committed once and overtaken since: a committed id is never committed again."""
    return f"{identifier}.{fingerprint(before[-1])[:8]}" if identifier in before else identifier


def is_committed(source: str, version: LoadedVersion, committed: dict[str, list[str]]) -> bool:
    """Whether a version of a recorded source is part of what was believed."""
    return any(known.startswith(f"{_name(source, version)}-") for known in committed.get(source, []))


def _name(source: str, version: LoadedVersion) -> str:
    return f"{source}-{fingerprint(version.file, version.recorded_at.astimezone(UTC), version.sha256)[:12]}"


def _is(batch_id: str, identifier: str) -> bool:
    return batch_id.partition(".")[0] == identifier


def _of_database(source: str, content: str, before: list[str], order: int) -> Iterator[Wanted]:
    identifier = f"{source}-{content}"
    if not before or not _is(before[-1], identifier):
        yield Wanted(Batch(_again(identifier, before), source, order, complete=True))


def _of_removed(project: Project, committed: dict[str, list[str]], order: int) -> Iterator[Wanted]:
    """What withdraws the statements of sources that the config no longer has; refused unless the guard lets all of it go."""
    kept = project.config.sources.keys() | project.config.documents.keys()
    for source, before in sorted(committed.items()):
        identifier = f"{source}-{_REMOVED}"
        of_rows = [batch_id for batch_id in before if batch_id.startswith(f"{source}-")]
        if source in kept or not of_rows or _is(before[-1], identifier):
            continue
        if project.config.guard.max_shrink < 1:
            raise CommitRefusedError(
                f"the source {source!r} is no longer in the config: all it said would be withdrawn; nothing was written",
                where=f"sources.{source}",
                hint="if that is meant, set `guard: {max_shrink: 1}` in the config for one run; if not, put the source back",
            )
        yield Wanted(Batch(_again(identifier, before), source, order, complete=True))
        order += 1


def _of_recorded(
    project: Project, source: str, config: RecordedSource, versions: list[LoadedVersion], before: list[str], order: int
) -> Iterator[Wanted]:
    mapping = fingerprint(*_common(project), config.model_dump_json(include=_MEANING, exclude_defaults=True))[:12]
    named = [_name(source, version) for version in versions]
    passed = [position for position, name in enumerate(named) if any(known.startswith(f"{name}-") for known in before)]
    first = passed[-1] + 1 if passed else 0  # what is older was refused, and is history
    pending = [position for position in range(first, len(versions)) if versions[position].state == ACCEPTED]
    for position in pending:
        time = versions[position].recorded_at.astimezone(UTC)
        batch = Batch(f"{named[position]}-{mapping}", source, order + position, complete=True, recorded_at=time)
        yield Wanted(batch, versions[position].file)
    if passed and not pending and not _is(before[-1], f"{named[passed[-1]]}-{mapping}"):
        identifier = _again(f"{named[passed[-1]]}-{mapping}", before)
        yield Wanted(Batch(identifier, source, order + len(versions), complete=True), versions[passed[-1]].file)
