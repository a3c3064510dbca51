"""Makes and opens `snapshot.duckdb`, the queryable form of a snapshot's Parquet tables.

The tables are the truth: a database file that this version of DuckDB cannot read is made again from them, in a cache folder.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from pathlib import Path
from typing import Any

import duckdb

from stratagraph.errors import SnapshotError
from stratagraph.snapshot.layout import DATABASE, PLAIN_TABLES, SPLIT_TABLES, TABLES, UNITS, USER_SQL, damaged_files
from stratagraph.sqlfiles import load_sql, qualified

_SCHEMA_FILES = ("create_tables", "create_views", "create_interface", "create_integrity", "create_shortcuts", "create_macros")
_DERIVED = ("citations", "repeats")


def database_sql() -> list[str]:
    """The SQL that makes a database, beside its tables: another text makes another database of the same tables."""
    derived = [load_sql("snapshot", f"create_{name}") for name in (UNITS, *_DERIVED)]
    return [load_sql("schema", name) for name in _SCHEMA_FILES] + derived


def build_database(folder: Path, target: Path) -> None:
    """Make a database from the tables, the views and macros that ship, and the user's own SQL.

    Args:
        folder: a snapshot with `tables/` and `sql/`.
        target: the file to make; it must not exist.
    """
    with duckdb.connect(str(target)) as connection:
        connection.execute(load_sql("schema", "configure_session"))
        for name in _SCHEMA_FILES:
            connection.execute(load_sql("schema", name))
        connection.execute(load_sql("snapshot", "create_units"))
        for table in (*PLAIN_TABLES, UNITS):
            _insert(connection, "insert_all", table, folder / TABLES / f"{table}.parquet")
        for table in SPLIT_TABLES:
            _insert(connection, "insert_open", f"{table}_open", folder / TABLES / f"{table}.parquet")
            _insert(connection, "insert_closed", f"{table}_closed", folder / TABLES / f"{table}.parquet")
        for name in _DERIVED:
            connection.execute(load_sql("snapshot", f"create_{name}"))
        # The user's SQL makes views and macros; it has no business with files, wherever the snapshot came from.
        connection.execute("SET enable_external_access = false")
        for file in sorted((folder / USER_SQL).glob("*.sql")):
            try:
                connection.execute(file.read_text(encoding="utf-8"))
            except duckdb.Error as error:
                raise SnapshotError(f"the project's SQL fails: {error}", where=file.name) from error
        connection.execute("CHECKPOINT")


def _insert(connection: duckdb.DuckDBPyConnection, statement: str, table: str, file: Path) -> None:
    connection.execute(load_sql("snapshot", statement, table=qualified("graph", table)), {"file": str(file)})


def open_database(folder: Path, manifest: dict[str, Any]) -> tuple[duckdb.DuckDBPyConnection, Path]:
    """Open a snapshot's database for reading, without access to any other file; also, which file that was."""
    damaged = damaged_files(folder, manifest, contents=False)
    unreadable = "it is damaged" if DATABASE in damaged else ""
    if damaged and damaged != [DATABASE]:
        raise SnapshotError(f"files are missing or damaged: {', '.join(damaged)}", where=str(folder), hint="publish again")
    if not unreadable:
        try:
            return _connect(folder / DATABASE), folder / DATABASE
        except duckdb.Error as error:
            unreadable = str(error)
    try:
        file = _rebuilt(folder, manifest)
        return _connect(file), file
    except duckdb.Error as error:
        raise SnapshotError(
            f"the database cannot be read ({unreadable}), nor made again from the tables: {error}", where=str(folder),
            hint="publish again",
        ) from error  # fmt: skip


def cache_folder(manifest: dict[str, Any]) -> Path:
    """Where files are kept that had to be made again for a snapshot."""
    root = os.environ.get("STRATAGRAPH_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(root) / "stratagraph" / str(manifest["snapshot_id"])
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SnapshotError(
            f"the snapshot has to be made again in a cache, which cannot be written: {error}", where=str(folder),
            hint="set STRATAGRAPH_CACHE_DIR to a folder that can be written, or publish again with this version",
        ) from error  # fmt: skip
    return folder


def _rebuilt(folder: Path, manifest: dict[str, Any]) -> Path:
    tables = str(manifest["files"][f"{TABLES}/nodes.parquet"]["sha256"])[:8]
    version = hashlib.sha256("".join(database_sql()).encode()).hexdigest()[:8]
    target = cache_folder(manifest) / f"graph-{tables}-{version}-{duckdb.__version__}.duckdb"
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=target.parent) as temporary:
            build_database(folder, Path(temporary) / DATABASE)
            (Path(temporary) / DATABASE).replace(target)
    return target


# Threads that open one file share its settings: one of them must not lock them while another is setting them.
_CONFIGURING = threading.Lock()


def _connect(file: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(str(file), read_only=True, config={"enable_external_access": "false"})
    try:
        # Global, since each call has a cursor with a session of its own; then nobody can change it. A second opening of the
        # same file in this process shares the settings, which are locked already.
        with _CONFIGURING:
            if connection.execute(load_sql("snapshot", "select_locked")).fetchall() == [(False,)]:
                connection.execute(load_sql("snapshot", "configure_reader"))
        # What this version reads beside the tables; an earlier one may not have derived all of it.
        for table in (UNITS, *_DERIVED):
            connection.execute(load_sql("snapshot", "count_rows", table=qualified("graph", table))).fetchall()
    except duckdb.Error:
        connection.close()
        raise
    return connection
