"""Loads the versions of a recorded source that are not in the landing file yet, all in one dlt run.

Versions are history: one that was loaded is never read again, and one that changed afterwards is an error.
"""

from __future__ import annotations

from typing import Any

from stratagraph.config.model import RecordedSource
from stratagraph.errors import SourceError
from stratagraph.project import Project, fingerprint
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
from stratagraph.sources.landing import (
    LoadResult,
    delete_unfinished,
    insert_versions,
    nested_keys,
    open_landing,
    replace_recorded_load,
    replace_reflection,
    start_load,
)
from stratagraph.sources.names import dataset_name
from stratagraph.sources.recorded import ROOT, FieldPath, Version, find_versions, read_records

VERSION = 1  # of what is written to the landing file; a change loads again


def load_recorded(project: Project, name: str, config: RecordedSource) -> LoadResult:
    """Bring the landing file up to date with the version files of a recorded source."""
    versions = find_versions(project, name, config)
    last, known, before = _loaded(project, name)
    for version in versions:
        _refuse_changed(version, known.get(version.file))
        _refuse_late(version, known)
    wanted = fingerprint(VERSION, *((version.file, version.sha256, version.recorded_at) for version in versions))
    if last and last.input_fingerprint == wanted:
        return LoadResult(False, name, last.tables, last.row_count)
    new = [version for version in versions if version.file not in known]
    fields: set[FieldPath] = set()
    records = {version.file: read_records(version, fields) for version in new}
    columns = _landed(name, before, fields)
    dataset = dataset_name(name)
    load_id = _append(project, name, dataset, records) if new else ""
    with open_landing(project) as connection:
        connection.begin()
        nested = nested_keys(connection, name, dataset, ROOT)
        replace_reflection(connection, name, dataset, columns, [], nested)
        insert_versions(connection, name, load_id, [(v.file, v.recorded_at, v.sha256, len(records[v.file])) for v in new])
        replace_recorded_load(connection, name, wanted, project.clock(), 1 + len(nested))
        connection.commit()
        after = last_load(connection, name)
    assert after is not None
    return LoadResult(bool(new), name, after.tables, after.row_count, len(new))


def _loaded(project: Project, name: str) -> tuple[Load | None, dict[str, LoadedVersion], list[LandedColumn]]:
    if not project.landing.exists():
        return None, {}, []
    with project.landing_connection() as connection:
        if not has_catalog(connection):
            return None, {}, []
        known = {version.file: version for version in loaded_versions(connection, name)}
        return last_load(connection, name), known, loaded_columns(connection, name)


def _refuse_changed(version: Version, before: LoadedVersion | None) -> None:
    if before is not None and (before.sha256, before.recorded_at) != (version.sha256, version.recorded_at):
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
