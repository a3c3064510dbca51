"""Rewrites a DuckDB file of the project into a fresh one: clustered by key, without the space of deleted rows.

Commits append; what belongs together ends up far apart, and what was erased leaves holes that still hold bytes. The new file is
written beside the old one, compared with it table by table, and takes its place in one rename. Whatever interrupts it, there is
the old file or the new one, whole; what a killed run left behind is removed by the next. Belief is not touched: queries give
the same rows. When this runs is decided elsewhere (`stratagraph maintain`, erasure).
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import duckdb

from stratagraph.errors import WarehouseError
from stratagraph.locks import alone
from stratagraph.project import SCHEMA_FILES, Project, storage_errors
from stratagraph.sqlfiles import escape_path, load_sql, qualified, quote_identifier
from stratagraph.transactions import transaction

# What is looked for together stands together, so that a reader skips most row groups: by hashes, since of a text DuckDB keeps
# the first bytes only, which all IRIs share. A row's content hash begins with that of its node. Other tables keep their order.
ORDERS: dict[str, tuple[str, ...]] = {
    "nodes_open": ("dataset", "content_hash"),
    "nodes_closed": ("dataset", "content_hash", "recorded_from"),
    "edges_open": ("dataset", "content_hash"),
    "edges_closed": ("dataset", "content_hash", "recorded_from"),
    "statements": ("dataset", "statement_id", "recorded_from"),
    "claims": ("dataset", "row_id", "facet", "valid_from"),
    "evidence": ("dataset", "evidence_id"),
}

# The new file, and room for sorting what does not fit into memory.
_FREE_SPACE = 2.0
_SUFFIX = ".rewritten"


@dataclass(frozen=True)
class RewriteResult:
    """What a rewrite did with one file; sizes in bytes."""

    changed: bool
    file: str = ""
    tables: int = 0
    rows: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    seconds: float = 0.0

    def metadata(self) -> dict[str, int | float | str]:
        return {name: value for name, value in asdict(self).items() if name != "changed"}


def rewrite_warehouse(project: Project, *, memory_limit: str | None = None) -> RewriteResult:
    """Rewrite the warehouse, clustered by key. No connection to it may be open in this process.

    Args:
        project: whose warehouse.
        memory_limit: of DuckDB, such as `2GB`; what does not fit is sorted on the disk. Default: DuckDB's own.

    Raises:
        WarehouseError: there is not enough room, another process holds the file, or the copy is not what was copied.
    """
    if not project.warehouse.exists():
        return RewriteResult(changed=False, file=project.warehouse.name)
    orders = {("graph", table): columns for table, columns in ORDERS.items()}
    return _rewrite(project.warehouse, project.write, orders, SCHEMA_FILES, memory_limit)


def rewrite_landing(project: Project, *, memory_limit: str | None = None) -> RewriteResult:
    """Rewrite dlt's file, every table in the order in which it stands: what sources replaced leaves no holes."""
    if not project.landing.exists():
        return RewriteResult(changed=False, file=project.landing.name)
    return _rewrite(project.landing, partial(project.landing_connection, read_only=False), {}, (), memory_limit)


Opening = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]
Orders = dict[tuple[str, str], tuple[str, ...]]


def _rewrite(
    file: Path, opening: Opening, orders: Orders, schema_files: tuple[str, ...], memory_limit: str | None
) -> RewriteResult:
    """Rewrite one file, which `opening` opens for writing."""
    started = time.monotonic()
    old = file.resolve()  # a link to another disk stays a link
    new = old.with_name(old.name + _SUFFIX)
    with alone(old.with_name(old.name + ".maintain.lock")), storage_errors(old):
        _remove(new)
        before = old.stat().st_size
        _checkpoint(opening)
        _check_space(old)
        try:
            with _connected(old, new, memory_limit) as connection:
                tables = _copy(connection, orders, schema_files)
                connection.execute(load_sql("maintenance", "attach_written", new=escape_path(new)))
                rows = _compare(connection, tables, new)
                connection.execute(load_sql("maintenance", "detach_new"))
                # The old file stays attached until the new one has its name: nobody can write it in between, and whoever
                # was about to open it meets the lock.
                _put_in_place(new, old)
        finally:
            _remove(new)
    return RewriteResult(
        changed=True,
        file=file.name,
        tables=len(tables),
        rows=rows,
        bytes_before=before,
        bytes_after=old.stat().st_size,
        seconds=round(time.monotonic() - started, 3),
    )


def _checkpoint(open_for_writing: Opening) -> None:
    with open_for_writing() as connection:
        connection.execute(load_sql("maintenance", "checkpoint_file"))


@contextmanager
def _connected(old: Path, new: Path, memory_limit: str | None) -> Iterator[duckdb.DuckDBPyConnection]:
    config: dict[str, str | bool | int | float | list[str]] = {"temp_directory": f"{new}.tmp"}
    if memory_limit is not None:
        config["memory_limit"] = memory_limit
    try:
        connection = duckdb.connect(config=config)
    except (duckdb.InvalidInputException, duckdb.ParserException) as error:
        raise WarehouseError(f"not a memory limit: {memory_limit}", hint="write it as 2GB or 500MB") from error
    try:
        connection.execute(load_sql("schema", "configure_session"))
        paths = {"new": escape_path(new), "old": escape_path(old)}
        connection.execute(load_sql("maintenance", "attach_files", **paths))
        wal = old.with_name(old.name + ".wal")
        if wal.exists():  # its rows would be copied, and then be applied to the copy once more
            raise WarehouseError("another process wrote the file in this moment", where=str(old), hint="run it again")
        yield connection
    except duckdb.IOException as error:
        if "set lock" not in str(error):
            raise
        raise WarehouseError(
            "another process holds the file", where=str(old), hint=f"wait for it to finish, or stop it. DuckDB says: {error}"
        ) from error
    finally:
        connection.close()


def _copy(connection: duckdb.DuckDBPyConnection, orders: Orders, schema_files: tuple[str, ...]) -> list[tuple[str, str]]:
    """Copy the catalogue and every table; gives the tables."""
    with transaction(connection):
        tables = _copy_rows(connection, orders)
        for name in schema_files:
            connection.execute(load_sql("schema", name))
    connection.execute(load_sql("maintenance", "collect_statistics"))
    connection.execute(load_sql("maintenance", "checkpoint_file"))
    return tables


def _copy_rows(connection: duckdb.DuckDBPyConnection, orders: Orders) -> list[tuple[str, str]]:
    connection.execute(load_sql("maintenance", "copy_catalogue"))
    tables = [(str(s), str(t)) for s, t in connection.execute(load_sql("maintenance", "select_tables")).fetchall()]
    for schema, table in tables:
        try:
            _copy_table(connection, schema, table, orders.get((schema, table)))
        except (duckdb.BinderException, duckdb.ConstraintException) as error:
            raise WarehouseError(
                f"the table {schema}.{table} cannot be copied: {str(error).splitlines()[0]}",
                hint="nothing was replaced; tables of your own may not have foreign keys or generated columns",
            ) from error
    return tables


def _copy_table(connection: duckdb.DuckDBPyConnection, schema: str, table: str, order: tuple[str, ...] | None) -> None:
    names = {"new": qualified("new_file", schema, table), "old": qualified("old_file", schema, table)}
    if order is None:
        connection.execute(load_sql("maintenance", "copy_table", **names))
    else:
        by = ", ".join(quote_identifier(column) for column in order)
        connection.execute(load_sql("maintenance", "sort_table", **names, order=by))


def _compare(connection: duckdb.DuckDBPyConnection, tables: list[tuple[str, str]], new: Path) -> int:
    """Refuse a copy that is not what was copied; gives the number of rows."""
    missing = connection.execute(load_sql("maintenance", "select_missing")).fetchall()
    rows, different = 0, [str(name) for (name,) in missing]
    for schema, table in tables:
        measured = [
            connection.execute(load_sql("maintenance", "measure_table", table=qualified(file, schema, table))).fetchone()
            for file in ("old_file", "new_file")
        ]
        if measured[0] != measured[1]:
            different.append(f"{schema}.{table}")
        rows += measured[0][0] if measured[0] else 0
    if different:
        raise WarehouseError(
            f"the copy differs from the file in {', '.join(different)}",
            where=str(new),
            hint="nothing was replaced. Run it again; if that does not help, look at the disk and the memory of this machine",
        )
    return rows


def _check_space(old: Path) -> None:
    needed, free = int(old.stat().st_size * _FREE_SPACE), shutil.disk_usage(old.parent).free
    if free < needed:
        raise WarehouseError(
            f"rewriting it needs {needed:,} bytes of free space, and there are {free:,}",
            where=str(old),
            hint="free some space; nothing was changed",
        )


def _put_in_place(new: Path, old: Path) -> None:
    """Give the new file the old one's name, durably."""
    with new.open("rb+") as handle:
        os.fsync(handle.fileno())
    shutil.copymode(old, new)
    new.replace(old)
    folder = os.open(old.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _remove(new: Path) -> None:
    """Remove what a run left: the unfinished file, its write-ahead log, what was sorted on the disk."""
    for path in (new, new.with_name(new.name + ".wal")):
        path.unlink(missing_ok=True)
    shutil.rmtree(f"{new}.tmp", ignore_errors=True)
