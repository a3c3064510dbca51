"""Loads the tables of a database into the landing file, and notes in the row log what is new, changed or gone.

A SQLite file that is as it was is not opened. A server is always read, because nothing cheaper can tell.
"""

from __future__ import annotations

import duckdb

from stratagraph.config.sources import SqlSource
from stratagraph.errors import CommitRefusedError, SourceError
from stratagraph.project import Project, fingerprint
from stratagraph.sources.catalog import LandedColumn, last_load
from stratagraph.sources.database import Column, Database, Reflection, table_resources
from stratagraph.sources.erased import clear_landed_rows, drop_erased_rows
from stratagraph.sources.landing import (
    LAYER,
    LoadResult,
    insert_current_rows,
    insert_row_changes,
    open_landing,
    read_last_load,
    replace_load,
    replace_reflection,
    start_load,
)
from stratagraph.sources.names import dataset_name
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.tombstones import erased_in
from stratagraph.transactions import transaction

VERSION = 1  # of what is written to the landing file; a change loads again


def load_database(project: Project, name: str, config: SqlSource) -> LoadResult:
    """Bring the landing file up to date with a database."""
    database = Database.of(project, name, config)
    last = read_last_load(project, name)
    wanted = _fingerprint(database)
    if last and wanted is not None and last.input_fingerprint == wanted:
        return LoadResult(False, name, last.tables, last.row_count)
    with database.connect() as engine:
        reflection = database.reflect(engine)
        columns = _landed(database, reflection)
        _run(project, database, table_resources(engine, reflection), wanted)
    erased = erased_in(project)
    with open_landing(project) as connection:
        with transaction(connection):
            keys = {k.table: k.columns for k in reflection.identifiers if k.primary}
            insert_current_rows(connection, dataset_name(name), columns, keys)
            drop_erased_rows(connection, erased, name, keys)
            _guard(connection, database, project.config.guard.max_shrink)
            loaded_at = insert_row_changes(connection, name, project.clock())
            replace_reflection(
                connection, name, dataset_name(name), columns, reflection.identifier_rows(), reflection.foreign_key_rows()
            )
            clear_landed_rows(connection, erased)
            replace_load(connection, name, wanted, loaded_at, len(reflection.tables))
        after = last_load(connection, name)
    assert after is not None
    changed = last is None or after.history_fingerprint != last.history_fingerprint
    return LoadResult(changed, name, after.tables, after.row_count)


def _guard(connection: duckdb.DuckDBPyConnection, database: Database, max_shrink: float) -> None:
    """Refuse a load that lost too many rows. Belief can't tell: where valid time is the load, a row that goes is an event."""
    row = connection.execute(load_sql(LAYER, "count_rows"), {"source": database.name}).fetchone()
    before, now = row or (0, 0)
    if before and (before - now) / before > max_shrink:
        raise CommitRefusedError(
            f"{before - now} of {before} rows vanished at once; more than a share of {max_shrink:g} is refused",
            where=database.where,
            hint="if that is meant, set `guard: {max_shrink: 1}` in the config for one run; if not, look at the database",
        )


def _fingerprint(database: Database) -> str | None:
    """Of all that decides what a load brings; None where only reading can tell."""
    content = database.file_fingerprint()
    if content is None:
        return None
    return fingerprint(VERSION, database.config.model_dump_json(include={"url", "schema_", "tables", "exclude"}), content)


def _run(project: Project, database: Database, resources: list[object], wanted: str | None) -> None:
    from stratagraph.landing.pipeline import run_pipeline

    dataset = dataset_name(database.name)

    def before_load() -> None:
        if _fingerprint(database) != wanted:
            raise SourceError("the file was changed while it was read", where=database.where, hint="run again")
        start_load(project, database.name, drop=dataset)

    try:
        run_pipeline(project, dataset, resources, before_load)
    except SourceError as error:  # `from None`: what dlt chains may show the password
        raise SourceError(database.without_password(error.what), where=database.where, hint=error.hint) from None


def _landed(database: Database, reflection: Reflection) -> list[LandedColumn]:
    """Where each column lands. Two names that dlt can't tell apart are refused, as are dlt's own."""
    from stratagraph.landing.pipeline import landing_column, landing_table

    landed: dict[tuple[str, str], Column] = {}
    columns = []
    for column in reflection.columns:
        place = (landing_table(column.table), landing_column(column.name))
        taken = landed.setdefault(place, column)
        if taken is not column or place[0].startswith("_dlt") or place[1].startswith("_dlt"):
            other = f"{taken.table}.{taken.name}" if taken is not column else "a name of dlt's own"
            raise SourceError(
                f"the column {column.table}.{column.name} can't be told from {other} once loaded", where=database.where,
                hint=f"rename it, or exclude the table {column.table}",
            )  # fmt: skip
        columns.append(LandedColumn(column.table, column.name, *place, column.type, column.position))
    return columns
