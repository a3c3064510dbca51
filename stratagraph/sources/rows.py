"""Rows to statements: writes the batches that are missing, and the quarantine of rows that no statement can be made of.

Which batches those are is decided in `batches.py`; how a row becomes statements is in `table_statements.py` and
`recorded/statements.py`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import duckdb

from stratagraph.config.sources import RecordedSource
from stratagraph.project import Project
from stratagraph.sources.batches import PRODUCER, Wanted, missing_batches, wanted_batches
from stratagraph.sources.properties import update_properties
from stratagraph.sources.quarantine import Scopes, replace_quarantine
from stratagraph.sources.recorded.refused import quarantine_versions
from stratagraph.sources.recorded.statements import prepare_records, version_links, version_statements
from stratagraph.sources.table_statements import prepare_tables, table_statements
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import StagedBatch, write_batch

LAYER = "sources"


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


def stage_rows(project: Project) -> StageResult:
    """Stage what the sources say now and the warehouse has not been told yet."""
    written: list[StagedBatch] = []
    quarantined = 0
    # Where nothing is declared, as in a project of documents alone, there need not be a landing file yet.
    with project.landing_connection(read_only=project.landing.exists()) as connection:
        missing = missing_batches(project, wanted_batches(project, connection))
        if missing:
            connection.execute(load_sql(LAYER, "create_macros"))
        for source in dict.fromkeys(item.batch.source for item in missing):
            of_source = [item for item in missing if item.batch.source == source]
            refused, batches = _stage_source(project, connection, source, of_source)
            quarantined += refused
            written += batches
        quarantined += quarantine_versions(project, connection)
    with duckdb.connect() as counter:
        statements, links = (
            sum(counter.read_parquet(str(path)).count("*").fetchall()[0][0] for path in paths if path.exists())
            for paths in ([batch.statements for batch in written], [batch.links for batch in written])
        )
    update_properties(project)  # what the rows' properties are, beside what they say
    return StageResult(bool(written), len(written), statements, links, quarantined)


def _stage_source(
    project: Project, connection: duckdb.DuckDBPyConnection, source: str, missing: list[Wanted]
) -> tuple[int, list[StagedBatch]]:
    connection.execute(load_sql(LAYER, "create_problems"))
    config = project.config.sources.get(source)
    if isinstance(config, RecordedSource):
        files = [item.file for item in missing if item.file is not None]
        prepare_records(project, connection, source, config, files)
        scopes = Scopes(exact=[f"{source}/{file}" for file in files])
    else:
        prepare_tables(project, connection, source, config)
        connection.execute(load_sql(LAYER, "insert_refused_problems"), {"source": source})
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
