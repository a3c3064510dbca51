"""Loads the versions of a recorded source that are not in the landing file yet, all in one dlt run.

Versions are history: one that was loaded is never read again, and one that changed after it was committed is an error. One that
never was committed (it was refused, or nothing was built since) is no history yet: it may be mended or taken away.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from stratagraph.config.sources import RecordedSource
from stratagraph.errors import SourceError
from stratagraph.project import Project, fingerprint
from stratagraph.sources.batches import committed_batches, is_committed
from stratagraph.sources.catalog import (
    JSON_TEXT,
    LandedColumn,
    Load,
    LoadedVersion,
    has_catalog,
    last_load,
    loaded_columns,
    loaded_versions,
)
from stratagraph.sources.erased import clear_records
from stratagraph.sources.formats.records import FieldPath
from stratagraph.sources.landing import (
    LoadResult,
    delete_unfinished,
    delete_versions,
    insert_versions,
    nested_keys,
    open_landing,
    replace_recorded_load,
    replace_reflection,
    start_load,
)
from stratagraph.sources.names import dataset_name
from stratagraph.sources.recorded import ROOT, Version, find_versions, read_records
from stratagraph.temporal.tombstones import erased_in
from stratagraph.transactions import transaction

VERSION = 1  # of what is written to the landing file; a change loads again


def load_recorded(project: Project, name: str, config: RecordedSource) -> LoadResult:
    """Bring the landing file up to date with the version files of a recorded source."""
    versions = find_versions(project, name, config)
    last, known, before = _loaded(project, name)
    history = _history(project, name, versions, known)
    given_up = sorted(known.keys() - history.keys() - {v.file for v in versions if not _changed(v, known.get(v.file))})
    known = {file: version for file, version in known.items() if file not in given_up}
    for version in versions:
        _refuse_future(version, project.clock())
        _refuse_changed(version, history.get(version.file))
        _refuse_late(version, history)
    wanted = fingerprint(VERSION, *((version.file, version.sha256, version.recorded_at) for version in versions))
    if last and last.input_fingerprint == wanted:
        return LoadResult(False, name, last.tables, last.row_count)
    new = [version for version in versions if version.file not in known]
    fields: set[FieldPath] = set()
    records = {version.file: read_records(version, fields) for version in new}
    columns = _landed(name, before, fields)
    dataset = dataset_name(name)
    load_id = _append(project, name, dataset, records) if new else ""
    erased = erased_in(project)
    with open_landing(project) as connection:
        with transaction(connection):
            delete_versions(connection, name, given_up)
            nested = nested_keys(connection, name, dataset, ROOT)
            replace_reflection(connection, name, dataset, columns, [], nested)
            insert_versions(connection, name, load_id, [(v.file, v.recorded_at, v.sha256, len(records[v.file])) for v in new])
            replace_recorded_load(connection, name, wanted, project.clock(), 1 + len(nested))
            clear_records(connection, erased, name, config)
        after = last_load(connection, name)
    assert after is not None
    return LoadResult(bool(new or given_up), name, after.tables, after.row_count, len(new))


def _loaded(project: Project, name: str) -> tuple[Load | None, dict[str, LoadedVersion], list[LandedColumn]]:
    if not project.landing.exists():
        return None, {}, []
    with project.landing_connection() as connection:
        if not has_catalog(connection):
            return None, {}, []
        known = {version.file: version for version in loaded_versions(connection, name)}
        return last_load(connection, name), known, loaded_columns(connection, name)


def _history(project: Project, name: str, versions: list[Version], known: dict[str, LoadedVersion]) -> dict[str, LoadedVersion]:
    """The loaded versions that may not change any more: what was committed, and what is older than that.

    Only what is new, changed or gone asks for it; where every file is as it was loaded, all of them are.
    """
    if {version.file for version in versions} == known.keys() and not any(_changed(v, known[v.file]) for v in versions):
        return known
    committed = committed_batches(project)
    last = max((v.recorded_at for v in known.values() if is_committed(name, v, committed)), default=None)
    return {file: version for file, version in known.items() if last is not None and version.recorded_at <= last}


def _changed(version: Version, before: LoadedVersion | None) -> bool:
    return before is not None and (before.sha256, before.recorded_at) != (version.sha256, version.recorded_at)


def _refuse_future(version: Version, now: datetime) -> None:
    if version.recorded_at > now:
        raise SourceError(
            f"the version's time, {version.recorded_at.isoformat()}, lies in the future", where=str(version.path),
            hint="check the time in the file name, and recorded_at in the config",
        )  # fmt: skip


def _refuse_changed(version: Version, before: LoadedVersion | None) -> None:
    if _changed(version, before):
        raise SourceError(
            "a version that was loaded before has changed", where=str(version.path),
            hint="versions are history: put the file back and add a new one, or start from an empty data directory",
        )  # fmt: skip


def _refuse_late(version: Version, known: dict[str, LoadedVersion]) -> None:
    later = [other.file for other in known.values() if other.recorded_at >= version.recorded_at]
    if version.file not in known and later:
        raise SourceError(
            f"a new version is not later than one that was loaded before, {max(later)}",
            where=str(version.path),
            hint="versions are loaded in order: take the file away, or start from an empty data directory",
        )


def _append(project: Project, name: str, dataset: str, records: dict[str, list[dict[str, Any]]]) -> str:
    import dlt

    from stratagraph.landing.pipeline import run_pipeline

    resource = dlt.resource(list(records.values()), name=ROOT, write_disposition="append")

    def before_load() -> None:
        start_load(project, name)
        delete_unfinished(project, name, dataset, ROOT)

    return run_pipeline(project, dataset, [resource], before_load)


def _landed(name: str, before: list[LandedColumn], paths: set[FieldPath]) -> list[LandedColumn]:
    """Where each field of any version lands. Two fields that dlt can't tell apart are refused."""
    from stratagraph.landing.pipeline import landing_column, landing_table

    landed = {(column.landing_table, column.landing_column): column for column in before}
    for path in sorted(paths):
        place = (landing_table(*path.table), landing_column(*path.field))
        column = LandedColumn(".".join(path.table), ".".join(path.field), *place, JSON_TEXT, len(landed))
        taken = landed.setdefault(place, column)
        if (taken.table, taken.name) != (column.table, column.name):
            names = f"{taken.table}.{taken.name} and {column.table}.{column.name}"
            raise SourceError(f"the fields {names} can't be told apart once loaded", where=f"sources.{name}", hint="rename one")
    return list(landed.values())
