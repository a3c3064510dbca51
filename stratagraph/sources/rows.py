"""Rows to statements: one batch for each database, one for each version of a recorded source.

Decides what must be staged, and writes batches and quarantine. How a row becomes statements is in `table_statements.py`
and `record_statements.py`. A batch's id is a function of what the source says and of the mapping, so what is committed
or staged already is recognised before any row is read.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC

import duckdb

from stratagraph.config.model import RecordedSource, SqlSource
from stratagraph.errors import SourceError
from stratagraph.project import Project, fingerprint
from stratagraph.sources.catalog import LAYER, last_load, loaded_versions, reflection_fingerprint
from stratagraph.sources.quarantine import Scopes, replace_quarantine
from stratagraph.sources.record_statements import prepare_records, version_links, version_statements
from stratagraph.sources.table_statements import prepare_tables, table_statements
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import Batch, StagedBatch, staged_batches, write_batch

PRODUCER = "rows"
VERSION = 1  # of how rows become statements; a change stages everything again


@dataclass(frozen=True)
class StageResult:
    """What was staged: batches with their statements and links, and rows that were refused."""

    changed: bool
    batches: int = 0
    statements: int = 0
    links: int = 0
    quarantined: int = 0

    def metadata(self) -> dict[str, int | float | str]:
        return asdict(self)


@dataclass(frozen=True)
class _Wanted:
    """A batch, and the version file it is made of (None: a database)."""

    batch: Batch
    file: str | None = None


def stage_rows(project: Project) -> StageResult:
    """Stage what the sources say now and the warehouse has not been told yet."""
    written: list[StagedBatch] = []
    quarantined = 0
    # Where nothing is declared, as in a project of documents alone, there need not be a landing file yet.
    with project.landing_connection(read_only=project.landing.exists()) as connection:
        wanted = _wanted(project, connection)
        missing = _missing(project, wanted)
        if missing:
            connection.execute(load_sql(LAYER, "create_macros"))
        for source in dict.fromkeys(item.batch.source for item in missing):
            of_source = [item for item in missing if item.batch.source == source]
            refused, batches = _stage_source(project, connection, source, of_source)
            quarantined += refused
            written += batches
    with duckdb.connect() as counter:
        statements, links = (
            sum(counter.read_parquet(str(path)).count("*").fetchall()[0][0] for path in paths if path.exists())
            for paths in ([batch.statements for batch in written], [batch.links for batch in written])
        )
    return StageResult(bool(written), len(written), statements, links, quarantined)


def _wanted(project: Project, connection: duckdb.DuckDBPyConnection) -> list[_Wanted]:
    """All batches that the sources stand for now, in the order in which they are to be committed."""
    wanted: list[_Wanted] = []
    for source, config in project.config.sources.items():
        load = last_load(connection, source)
        if load is None:
            raise SourceError("the source was not loaded yet", where=f"sources.{source}", hint="materialise landing first")
        common = (VERSION, project.config.dataset, project.config.base_iri, sorted(project.config.prefixes.items()), source)
        if isinstance(config, SqlSource):
            mapping = config.model_dump_json(include={"valid_time", "mapping"})
            timed = config.valid_time == "load" or any(table.valid_time == "load" for table in config.mapping.values())
            content = load.history_fingerprint if timed else load.content_fingerprint
            identifier = f"{source}-{fingerprint(*common, mapping, reflection_fingerprint(connection, source), content)[:16]}"
            wanted.append(_Wanted(Batch(identifier, source, len(wanted), complete=True)))
        else:
            mapping = config.mapping.model_dump_json()
            for version in loaded_versions(connection, source):
                time = version.recorded_at.astimezone(UTC)
                identifier = f"{source}-{fingerprint(*common, mapping, version.file, time.isoformat(), version.sha256)[:16]}"
                wanted.append(_Wanted(Batch(identifier, source, len(wanted), complete=True, recorded_at=time), version.file))
    return wanted


def _missing(project: Project, wanted: list[_Wanted]) -> list[_Wanted]:
    """What is neither committed nor staged. Staged batches that are not wanted any more are removed."""
    places = {(item.batch.order, item.batch.batch_id) for item in wanted}
    staged = set()
    for found in staged_batches(project, PRODUCER):
        place = (found.batch.order, found.batch.batch_id)
        if place in places:
            staged.add(place)
        else:
            shutil.rmtree(found.folder)
    committed = _committed(project)
    return [
        item
        for item in wanted
        if item.batch.batch_id not in committed and (item.batch.order, item.batch.batch_id) not in staged
    ]


def _committed(project: Project) -> set[str]:
    if not project.warehouse.exists():
        return set()
    with project.read() as connection:
        try:
            rows = connection.execute(load_sql(LAYER, "select_committed"), {"dataset": project.config.dataset}).fetchall()
        except duckdb.CatalogException:  # the file was made, and the schema not yet
            return set()
    return {batch_id for (batch_id,) in rows}


def _stage_source(
    project: Project, connection: duckdb.DuckDBPyConnection, source: str, missing: list[_Wanted]
) -> tuple[int, Iterator[StagedBatch] | list[StagedBatch]]:
    connection.execute(load_sql(LAYER, "create_problems"))
    config = project.config.sources[source]
    if isinstance(config, RecordedSource):
        files = [item.file for item in missing if item.file is not None]
        prepare_records(project, connection, source, config, files)
        scopes = Scopes(exact=[f"{source}/{file}" for file in files])
    else:
        prepare_tables(project, connection, source, config)
        scopes = Scopes(prefix=f"{source}/")
    # First the quarantine: if the batches are not written after it, the next run writes both again, the same.
    refused = replace_quarantine(project, connection, scopes, run_id=missing[0].batch.batch_id)
    written = []
    for item in missing:
        if item.file is None:
            written.append(write_batch(project, PRODUCER, item.batch, table_statements(project, connection, source)))
        else:
            statements = version_statements(project, connection, source, item.file)
            written.append(
                write_batch(project, PRODUCER, item.batch, statements, version_links(project, connection, item.file))
            )
    return refused, written
