"""Loads the versions of a recorded source that are not in the landing file yet, one after another, in one dlt run.

Versions are history: one that was loaded is never read again, and one that changed after it was committed is an error. One that
never was committed (it was refused, or nothing was built since) is no history yet: it may be mended or taken away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from stratagraph.config.sources import RecordedSource
from stratagraph.errors import SourceError
from stratagraph.project import Project, fingerprint
from stratagraph.sources.batches import committed_batches, is_committed
from stratagraph.sources.catalog import (
    JSON_TEXT,
    REFUSED,
    LandedColumn,
    Load,
    LoadedVersion,
    has_catalog,
    last_load,
    loaded_columns,
    loaded_versions,
)
from stratagraph.sources.erased import clear_records
from stratagraph.sources.landing import (
    LoadResult,
    delete_unfinished,
    nested_keys,
    open_landing,
    replace_reflection,
    start_load,
)
from stratagraph.sources.names import dataset_name
from stratagraph.sources.read.formats.records import FieldPath, RecordEncoder, node_budget
from stratagraph.sources.recorded.files import Format, Reading, records_in
from stratagraph.sources.recorded.series import FILE, POSITION, RECORDED_AT, ROOT, Version, check_accepted, find_versions
from stratagraph.sources.recorded.versions import (
    NewVersion,
    delete_versions,
    insert_versions,
    judge_versions,
    replace_recorded_load,
    schema_changes,
)
from stratagraph.temporal.tombstones import erased_in
from stratagraph.transactions import transaction

VERSION = 2  # of what is written to the landing file; a change loads again
_CHUNK = 1000  # records that are handed to dlt at once


@dataclass(frozen=True)
class RecordedResult(LoadResult):
    """What a load of a recorded source did.

    Args:
        refused_versions: versions that do not count, and why.
        changed_fields: what changed in the fields from one version to the next.
        moved: versions whose time in git was not later than that of the version before.
    """

    refused_versions: str = ""
    changed_fields: str = ""
    moved: int = 0


class RecordedVersion(NamedTuple):
    """A version, and what became of it: new, accepted, refused."""

    name: str
    recorded_at: datetime
    state: str


def recorded_versions(project: Project, source: str) -> list[RecordedVersion]:
    """All versions of a recorded source, oldest first, by their names or commits; no version is read."""
    config = project.config.sources.get(source)
    if not isinstance(config, RecordedSource):
        raise SourceError(f"{source!r} is no recorded source", where=f"sources.{source}")
    found = {version.file: version.recorded_at for version in find_versions(project, source, config)}
    known = {version.file: version for version in _loaded(project, source).known}
    times = {file: version.recorded_at for file, version in known.items()} | found
    states = {file: known[file].state if file in known else "new" for file in times}
    return [RecordedVersion(file, time, states[file]) for file, time in sorted(times.items(), key=lambda pair: pair[::-1])]


def load_recorded(project: Project, name: str, config: RecordedSource, until: str | None = None) -> LoadResult:
    """Bring the landing file up to date with the versions of a recorded source; `until`: with this one and all before it."""
    versions = find_versions(project, name, config)
    before = _loaded(project, name)
    check_accepted(config, versions, [version.file for version in before.known], f"sources.{name}")
    digests = {version.file: version.digest() for version in versions}
    plan = _plan(project, name, config, before, _until(name, versions, before.known, until), versions, digests)
    if before.load and before.load.input_fingerprint == plan.wanted:
        return _result(project, name, before.load, changed=False)
    reads: dict[str, Read] = {}
    load_id = _append(project, name, plan, before.columns, Format.of(config), reads) if plan.new else ""
    columns = _landed(name, before.columns, reads)
    erased = erased_in(project)
    with open_landing(project) as connection:
        dataset = dataset_name(name)
        with transaction(connection):
            delete_versions(connection, name, plan.given_up)
            nested = nested_keys(connection, name, dataset, ROOT)
            replace_reflection(connection, name, dataset, columns, [], nested)
            insert_versions(
                connection, name, load_id, [_new(v, digests[v.file], reads[v.file], plan.read_as) for v in plan.new]
            )
            committed = committed_batches(project)
            files = {v.file for v in loaded_versions(connection, name) if is_committed(name, v, committed)}
            share = config.max_shrink or project.config.guard.max_shrink
            after = judge_versions(connection, name, config, columns, files, share)
            replace_recorded_load(connection, name, plan.wanted, project.clock(), 1 + len(nested))
            clear_records(connection, erased, name, config)
        load = last_load(connection, name)
    assert load is not None
    changed = [(v.file, v.sha256, v.state) for v in after] != [(v.file, v.sha256, v.state) for v in before.known]
    return _result(project, name, load, changed=changed, new=len(plan.new))


@dataclass(frozen=True)
class _Before:
    """What was loaded before."""

    load: Load | None = None
    known: tuple[LoadedVersion, ...] = ()
    columns: tuple[LandedColumn, ...] = ()


@dataclass(frozen=True)
class _Plan:
    """What is to be loaded and what is to be forgotten.

    Args:
        read_as: fingerprint of the config that versions are read with.
        wanted: fingerprint of all that decides what this load leaves behind.
    """

    new: tuple[Version, ...]
    given_up: tuple[str, ...]
    read_as: str
    wanted: str


def _loaded(project: Project, name: str) -> _Before:
    if not project.landing.exists():
        return _Before()
    with project.landing_connection() as connection:
        if not has_catalog(connection):
            return _Before()
        known, columns = loaded_versions(connection, name), loaded_columns(connection, name)
        return _Before(last_load(connection, name), tuple(known), tuple(columns))


def _until(name: str, versions: list[Version], known: Sequence[LoadedVersion], until: str | None) -> list[Version]:
    if until is None:
        return versions
    times = {version.file: version.recorded_at for version in known} | {v.file: v.recorded_at for v in versions}
    if until not in times:
        raise SourceError(f"there is no version {until!r}", where=f"sources.{name}")
    return [version for version in versions if version.recorded_at <= times[until]]


def _plan(
    project: Project,
    name: str,
    config: RecordedSource,
    before: _Before,
    wanted: list[Version],
    versions: list[Version],
    digests: dict[str, str],
) -> _Plan:
    read_as = fingerprint(VERSION, config.model_dump_json(include=_READ_WITH))
    known = {version.file: version for version in before.known}
    same = {v.file for v in versions if v.file in known and not _changed(v, digests[v.file], known[v.file])}
    settled = len(versions) == len(same) == len(known) and all(version.read_as == read_as for version in before.known)
    # Only what is new, changed or gone asks what was committed; where all versions are as they were loaded, they are history.
    history = known if settled else _history(project, name, known)
    kept = history.keys() | {file for file in same if known[file].read_as == read_as}
    for version in versions:
        _refuse_changed(version, digests[version.file], history.get(version.file))
    for version in wanted:
        _refuse_future(version, project.clock())
        _refuse_late(version, history)
    new = tuple(version for version in wanted if version.file not in kept)
    share = config.max_shrink or project.config.guard.max_shrink
    present = [(v.file, digests[v.file], v.recorded_at) for v in versions if v.file in kept or v in new]
    fields = (VERSION, read_as, share, sorted(config.accept), config.identifying, *present)
    return _Plan(new, tuple(sorted(known.keys() - kept)), read_as, fingerprint(*fields))


# What decides how a version is read.
_READ_WITH = {"format", "encoding", "delimiter", "nulls", "root", "rename"}


def _history(project: Project, name: str, known: dict[str, LoadedVersion]) -> dict[str, LoadedVersion]:
    """The loaded versions that may not change any more: what was committed, and what is older than that."""
    committed = committed_batches(project)
    last = max((v.recorded_at for v in known.values() if is_committed(name, v, committed)), default=None)
    return {file: version for file, version in known.items() if last is not None and version.recorded_at <= last}


def _changed(version: Version, digest: str, before: LoadedVersion) -> bool:
    return (before.sha256, before.recorded_at) != (digest, version.recorded_at)


def _refuse_future(version: Version, now: datetime) -> None:
    if version.recorded_at > now:
        raise SourceError(
            f"the version's time, {version.recorded_at.isoformat()}, lies in the future", where=version.where,
            hint="check the time in the file name, and recorded_at in the config; or name the version in `skip`",
        )  # fmt: skip


def _refuse_changed(version: Version, digest: str, before: LoadedVersion | None) -> None:
    if before is not None and _changed(version, digest, before):
        raise SourceError(
            "a version that was loaded before has changed", where=version.where,
            hint="versions are history: put the file back and add a new one, or start from an empty data directory",
        )  # fmt: skip


def _refuse_late(version: Version, history: dict[str, LoadedVersion]) -> None:
    later = [other.file for other in history.values() if other.recorded_at >= version.recorded_at]
    if version.file not in history and later:
        raise SourceError(
            f"a new version is not later than one that was loaded before, {max(later)}",
            where=version.where,
            hint="versions are loaded in order: take the file away, name it in `skip`, or start from an empty data directory",
        )


@dataclass
class Read:
    """What was found in a version."""

    records: int = 0
    items: int = 0
    fields: set[FieldPath] = field(default_factory=set)
    reading: Reading = field(default_factory=Reading)


def _new(version: Version, digest: str, read: Read, read_as: str) -> NewVersion:
    fields = sorted(f"{'.'.join(path.table)}\t{'.'.join(path.field)}" for path in read.fields)
    headings = {new: old for old, new in sorted(read.reading.renamed.items())}
    times = (version.recorded_at, digest, read.records, read.items)
    return NewVersion(version.file, *times, fields, headings, version.moved, read_as)


def _append(
    project: Project, name: str, plan: _Plan, columns: Sequence[LandedColumn], form: Format, reads: dict[str, Read]
) -> str:
    import dlt

    from stratagraph.landing.pipeline import run_pipeline

    dataset = dataset_name(name)

    def before_load() -> None:
        _landed(name, columns, reads)
        start_load(project, name)
        delete_unfinished(project, name, dataset, ROOT)

    resource = dlt.resource(read_versions(plan.new, form, reads), name=ROOT, write_disposition="append")
    return run_pipeline(project, dataset, [resource], before_load)


def read_versions(versions: Sequence[Version], form: Format, reads: dict[str, Read]) -> Iterator[list[dict[str, Any]]]:
    """The records of some versions in lists of a bounded length, one version after another."""
    for version in versions:
        reads[version.file] = Read()
        yield from _chunks(_read(version, form, reads[version.file]))


def _read(version: Version, form: Format, read: Read) -> Iterator[dict[str, Any]]:
    """The records of a version, tagged with its name and time and their position, scalars as JSON text."""
    if version.empty:
        return
    encoder = None
    with version.open() as file:
        for record in records_in(file, version.file, form, version.where, read.reading):
            if encoder is None:
                size = read.reading.size
                budget = node_budget(size) if size is not None else None
                encoder = RecordEncoder(ROOT, version.where, read.fields, budget)
            encoded = encoder.record(record)
            reserved = [key for key in encoded if key in (FILE, RECORDED_AT, POSITION) or key.startswith("_dlt")]
            if reserved:
                raise SourceError(f"a record has a field with a reserved name: {reserved[0]}", where=version.where)
            yield {FILE: version.file, RECORDED_AT: version.recorded_at, POSITION: read.records, **encoded}
            read.records += 1
            read.items += _items(encoded)


def _items(value: Any) -> int:
    """How many records are nested in a record or a list."""
    if isinstance(value, dict):
        return sum(_items(member) for member in value.values() if not isinstance(member, str))
    if isinstance(value, list):
        return sum(isinstance(item, dict) + _items(item) for item in value if not isinstance(item, str))
    return 0


def _chunks(records: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while chunk := list(islice(records, _CHUNK)):
        yield chunk


def _landed(name: str, before: Sequence[LandedColumn], reads: dict[str, Read]) -> list[LandedColumn]:
    """Where each field of any version lands. Two fields that dlt can't tell apart are refused."""
    from stratagraph.landing.pipeline import landing_column, landing_table

    landed = {(column.landing_table, column.landing_column): column for column in before}
    for path in sorted(set().union(*(read.fields for read in reads.values()))):
        place = (landing_table(*path.table), landing_column(*path.field))
        column = LandedColumn(".".join(path.table), ".".join(path.field), *place, JSON_TEXT, len(landed))
        taken = landed.setdefault(place, column)
        if (taken.table, taken.name) != (column.table, column.name):
            names = f"{taken.table}.{taken.name} and {column.table}.{column.name}"
            raise SourceError(
                f"the fields {names} can't be told apart once loaded", where=f"sources.{name}",
                hint="if they are one, say so with `rename`",
            )  # fmt: skip
    return list(landed.values())


def _result(project: Project, name: str, load: Load, *, changed: bool, new: int = 0) -> RecordedResult:
    with project.landing_connection() as connection:
        versions, changes = loaded_versions(connection, name), schema_changes(connection, name)
    refused = [f"{version.file}: {version.detail}" for version in versions if version.state == REFUSED]
    return RecordedResult(
        changed, name, load.tables, load.row_count, new, len(refused), len(changes), refused_versions="; ".join(refused),
        changed_fields="; ".join(changes), moved=sum(version.moved for version in versions),
    )  # fmt: skip
