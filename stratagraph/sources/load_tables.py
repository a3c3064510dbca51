"""Loads a source of tables into the landing file, and notes in the row log what is new, changed or gone.

Takes any `read.reader.Reader`. Where the reader can tell that nothing changed, nothing is opened. What the rows mean is not
known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import duckdb

from stratagraph.config.sources import TableLoad, TableSource
from stratagraph.errors import CommitRefusedError, ConfigError, SourceError
from stratagraph.project import Project, fingerprint
from stratagraph.sources.catalog import ForeignKey, LandedColumn, Table, last_load, loaded_columns, loaded_tables
from stratagraph.sources.cursors import read_since, update_cursors
from stratagraph.sources.drift import Drift, compare_columns
from stratagraph.sources.erased import clear_landed_rows, drop_erased_rows, start_erasing
from stratagraph.sources.keys.inference.infer import Inference
from stratagraph.sources.keys.inference.landed import Structure, infer_source, replace_inferred
from stratagraph.sources.landing import (
    LAYER,
    LoadResult,
    insert_schema_changes,
    open_landing,
    read_last_load,
    replace_load,
    replace_reflection,
    replace_refused,
    replace_tables,
    start_load,
)
from stratagraph.sources.names import dataset_name, refuse_unknown
from stratagraph.sources.read.reader import Column, Identifier, Opened, Reader, Refused
from stratagraph.sources.rowlog import (
    Feed,
    LandedTable,
    insert_current_rows,
    insert_feed_rows,
    insert_nested_rows,
    insert_row_changes,
)
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.tombstones import erased_in
from stratagraph.transactions import transaction

VERSION = 2  # of what is written to the landing file; a change loads again
_EMPTIED = 10  # a table that had this many rows and has none is a broken load, however small its share of the source


def load_tables(project: Project, name: str, config: TableSource, reader: Reader) -> LoadResult:
    """Bring the landing file up to date with a source of tables."""
    last = read_last_load(project, name)
    wanted = _fingerprint(reader, config)
    if last and wanted is not None and last.input_fingerprint == wanted:
        return LoadResult(False, name, last.tables, last.row_count)
    dataset = dataset_name(name)
    with reader.open(read_since(project, name, config.load)) as opened:
        _run(project, name, reader, wanted, config, opened.resources)
        columns = _landed(reader, opened.columns())
        refused, notes = opened.refused(), list(opened.notes())
    load = _Load(project, name, config, reader.where, dataset, opened, columns)
    with open_landing(project) as connection:
        with transaction(connection):
            load.write(connection, refused, wanted)
        after = last_load(connection, name)
        counts = connection.execute(load_sql(LAYER, "count_findings"), {"source": name}).fetchone()
    assert after is not None and counts is not None
    changed = last is None or after.history_fingerprint != last.history_fingerprint
    found = {"refused": counts[0], "schema_changes": counts[1]}
    return LoadResult(changed, name, after.tables, after.row_count, **found, notes="; ".join([*notes, *load.notes]))


def _fingerprint(reader: Reader, config: TableSource) -> str | None:
    content = reader.fingerprint()
    own = config.model_dump_json(include={"load", "binary", "infer_keys"})
    return None if content is None else fingerprint(VERSION, content, own)


def _run(
    project: Project, name: str, reader: Reader, wanted: str | None, config: TableSource, resources: Sequence[Any]
) -> None:
    from stratagraph.landing.pipeline import run_pipeline

    dataset = dataset_name(name)

    def before_load() -> None:
        if _fingerprint(reader, config) != wanted:
            raise SourceError("it was changed while it was read", where=reader.where, hint="run again")
        start_load(project, name, drop=dataset)

    run_pipeline(project, dataset, resources, before_load)


def _landed(reader: Reader, columns: Iterable[Column]) -> list[LandedColumn]:
    """Where each column lands. Two names that dlt can't tell apart are refused, as are dlt's own."""
    from stratagraph.landing.pipeline import landing_column, landing_table

    taken: dict[tuple[str, str], Column] = {}
    landed = []
    for column in columns:
        place = (landing_table(*column.table), landing_column(*column.field))
        other = taken.setdefault(place, column)
        if other is not column or place[0].startswith("_dlt") or place[1].startswith("_dlt"):
            what = f"{other.table_name}.{other.name}" if other is not column else "a name of dlt's own"
            raise SourceError(
                f"the column {column.table_name}.{column.name} can't be told from {what} once loaded", where=reader.where,
                hint=f"rename it, or leave out the table {column.table_name}",
            )  # fmt: skip
        landed.append(
            LandedColumn(column.table_name, column.name, *place, column.type, column.position, encoded=column.encoded)
        )
    return landed


class _Load:
    """One load, from dlt's tables to the end of its last transaction."""

    def __init__(
        self,
        project: Project,
        name: str,
        config: TableSource,
        where: str,
        dataset: str,
        opened: Opened,
        columns: list[LandedColumn],
    ) -> None:
        self._project, self._name, self._config, self._where = project, name, config, where
        self._dataset, self._opened, self._columns = dataset, opened, columns
        self._paths = {column.table_name: column.table for column in opened.columns()}
        # Of these a load brings a part only, with what is nested in them.
        self._modes = {table: load.mode for table, load in config.load.items()}
        self.notes: list[str] = []

    def write(self, connection: duckdb.DuckDBPyConnection, refused: Sequence[Refused], wanted: str | None) -> None:
        """Everything that a load changes in the landing file's own tables."""
        name, dataset = self._name, self._dataset
        erased = erased_in(self._project)
        before, known = loaded_columns(connection, name), {table.name: table for table in loaded_tables(connection, name)}
        replace_refused(connection, name, refused)
        identifiers = self._identifiers(known)
        identifiers += self._inferred(connection, identifiers, known)
        tables = self._tables(identifiers)
        insert_current_rows(connection, dataset, tables)
        self._drop_duplicates(connection, identifiers, tables)
        start_erasing(connection, erased)
        drop_erased_rows(connection, erased, name, tables)
        insert_nested_rows(connection, dataset, tables)
        drop_erased_rows(connection, erased, name, tables)  # once more: an item may be erased, and its record not
        growing = self._growing(known)
        drift = compare_columns(connection, name, before, self._columns, growing)
        self._guard(connection, growing)
        compared = drift.compared()
        loaded_at = insert_row_changes(connection, name, self._project.clock(), growing, compared)
        for table in tables:
            if table.mode == "changes":
                insert_feed_rows(connection, dataset, table, _feed(self._config.load[table.name]), name)
        replace_reflection(connection, name, dataset, drift.columns, identifiers, self._foreign_keys(tables))
        self._replace_tables(connection, tables, known, drift)
        update_cursors(connection, name, dataset, self._cursors(tables))
        insert_schema_changes(connection, name, [change.row() | {"seen_at": loaded_at} for change in drift.changes])
        clear_landed_rows(connection, erased)
        replace_load(connection, name, self._config_type(), wanted, loaded_at, len(tables))

    def _growing(self, known: dict[str, Table]) -> dict[str, str]:
        """Tables that are not loaded whole -> what they are nested in, or empty; those that this load does not show too."""
        paths = {table.name: table.path for table in known.values()} | self._paths
        return {table: ".".join(path[:-1]) for table, path in paths.items() if self._mode(path) != "full"}

    def _mode(self, path: tuple[str, ...]) -> str:
        return self._modes.get(path[0], "full")

    def _drop_duplicates(
        self, connection: duckdb.DuckDBPyConnection, identifiers: Sequence[Identifier], tables: Sequence[LandedTable]
    ) -> None:
        """Keys that no database enforces: the first row stands. Of rows that a part of a table brings twice, the last one."""
        unsure = {key.table for key in identifiers if key.kind == "primary" and key.origin != "declared"}
        if unsure:
            strict = [table.name for table in tables if table.name in unsure and table.mode == "full"]
            connection.execute(load_sql(LAYER, "insert_duplicate_problems"), {"source": self._name, "tables": strict})
            connection.execute(load_sql(LAYER, "delete_duplicate_rows"), {"tables": sorted(unsure)})

    def _config_type(self) -> str:
        return str(getattr(self._config, "type", "tables"))

    def _identifiers(self, known: dict[str, Table]) -> list[Identifier]:
        """What tells rows apart: as the config says, else as the source declares, else as was inferred.

        A table that the source does not have any more keeps what told its rows apart: its past is still to be read.
        """
        configured = {table: tuple(load.key) for table, load in self._config.load.items() if load.key is not None}
        found = [Identifier(table, "primary", columns, "configured") for table, columns in configured.items() if columns]
        for key in self._opened.identifiers:
            kind = "unique" if key.table in configured and key.kind == "primary" else key.kind
            found.append(Identifier(key.table, kind, key.columns, key.origin))
        gone = [table for table in known.values() if table.name not in self._paths and table.key]
        shown = {key.table for key in found}
        return found + [Identifier(table.name, "primary", table.key) for table in gone if table.name not in shown]

    def _inferred(
        self, connection: duckdb.DuckDBPyConnection, identifiers: Sequence[Identifier], known: dict[str, Table]
    ) -> list[Identifier]:
        """Infer keys where the source declares none, and keep them; what tells the rows of tables apart that had nothing."""
        wanted = self._config.infer_keys
        if not (wanted if wanted is not None else not self._opened.foreign_keys):
            replace_inferred(connection, self._name, Inference((), ()))
            return []
        primary = {key.table: key.columns for key in identifiers if key.kind == "primary"}
        unique: dict[str, list[tuple[str, ...]]] = {}
        for key in identifiers:
            if key.kind == "unique":
                unique.setdefault(key.table, []).append(key.columns)
        undecided = {table for table, load in self._config.load.items() if load.key == []}  # the config says that nothing does
        structure = Structure(
            columns=self._columns,
            primary=primary,
            unique=unique,
            referring={(key.table, key.columns[0]) for key in self._opened.foreign_keys if len(key.columns) == 1},
            partial=self._growing(known).keys() & self._paths.keys(),
            nested={table for table, path in self._paths.items() if len(path) > 1},
        )
        found = infer_source(connection, self._name, self._config, self._dataset, structure)
        replace_inferred(connection, self._name, found)
        for identity in found.identities:
            if identity.before:
                now = f"; ({', '.join(identity.columns)}) does now" if identity.columns else ""
                before = ", ".join(identity.before)
                self.notes.append(f"({before}) of {identity.table} tells its rows apart no longer{now}: they are other nodes")
        return [
            Identifier(identity.table, "primary", identity.columns, "inferred")
            for identity in found.identities
            if identity.columns and identity.table not in primary.keys() | undecided
        ]

    def _tables(self, identifiers: Sequence[Identifier]) -> list[LandedTable]:
        columns: dict[str, list[LandedColumn]] = {table: [] for table in self._paths}
        for column in self._columns:
            columns[column.table].append(column)
        keys = {key.table: key.columns for key in identifiers if key.kind == "primary"}
        offered = [*columns, *(resource.name for resource in self._opened.resources)]  # one without rows has no columns
        refuse_unknown(self._config.load, dict.fromkeys(offered), "there is no table", f"sources.{self._name}.load")
        tables = []
        for table, of_table in columns.items():
            load = self._config.load.get(table, TableLoad())
            where = f"sources.{self._name}.load.{table}"
            named = [*(load.key or ()), *(name for name in (load.cursor, load.time, load.operation) if name)]
            refuse_unknown(named, [column.name for column in of_table], "there is no column", where)
            if load.mode == "changes" and not keys.get(table):
                raise ConfigError(
                    "a feed of changes needs a key, the columns that tell its rows apart", where=where, hint="add key: [column]"
                )
            hidden = frozenset(name for name in (load.time, load.operation) if name)
            path, key = self._paths[table], keys.get(table, ())
            mode = self._mode(path)
            order = next((column for column in of_table if column.name == load.cursor), None)
            tables.append(LandedTable(table, tuple(of_table), key, path, mode, hidden, self._config.binary, order))
        return tables

    def _foreign_keys(self, tables: Sequence[LandedTable]) -> list[ForeignKey]:
        nested = [
            ForeignKey(f"{table.name}(parent)", table.name, ("parent",), table.parent, (), "nested")
            for table in tables
            if len(table.path) > 1
        ]
        return [*self._opened.foreign_keys, *nested]

    def _guard(self, connection: duckdb.DuckDBPyConnection, growing: Iterable[str]) -> None:
        """Refuse a load that lost too many rows. Belief can't: where valid time is the load, a row that goes is an event."""
        share = self._project.config.max_shrink(self._name)
        parameters = {"source": self._name, "growing": sorted(growing)}
        counts = connection.execute(load_sql(LAYER, "count_rows"), parameters).fetchall()
        before, now = sum(row[1] for row in counts), sum(row[2] for row in counts)
        emptied = [table for table, had, has in counts if had >= _EMPTIED and not has] if share < 1 else []
        hint = (
            f"if that is meant, set `max_shrink: 1` for sources.{self._name}, or `guard: {{max_shrink: 1}}`, for one run; "
            "if not, look at the source"
        )
        if before and (before - now) / before > share:
            raise CommitRefusedError(
                f"{before - now} of {before} rows vanished at once; more than a share of {share:g} is refused",
                where=self._where,
                hint=hint,
            )
        if emptied:
            raise CommitRefusedError(f"all rows of {', '.join(emptied)} vanished at once", where=self._where, hint=hint)

    def _replace_tables(
        self, connection: duckdb.DuckDBPyConnection, tables: Sequence[LandedTable], known: dict[str, Table], drift: Drift
    ) -> None:
        """The tables that there are, and those that there were."""
        query = load_sql(LAYER, "count_present_rows")
        counts = dict(connection.execute(query, {"source": self._name}).fetchall())
        present = {table.name: (table.path, table.mode) for table in tables}
        gone = {name: (table.path, table.mode) for name, table in known.items() if name not in present}
        growing = self._growing(known)
        rows = [
            {"table_name": name, "path": path, "mode": mode, "present": name in present or name in growing}
            | {"drifted": name in drift.drifted}
            | {"row_count": counts.get(name, 0)}
            for name, (path, mode) in sorted((present | gone).items())
        ]
        replace_tables(connection, self._name, rows)

    def _cursors(self, tables: Sequence[LandedTable]) -> list[LandedColumn]:
        return [table.cursor for table in tables if table.cursor is not None]


def _feed(load: TableLoad) -> Feed:
    assert load.time is not None  # the model asks for it
    return Feed(load.time, load.zone, load.operation, tuple(load.deletes))
