"""Makes the base store, keeps it as a file for later runs, and hands out copies of it.

Four segments of every key are recorded at one transaction time, and one of them anew at a second, so that a fifth of the rows
is closed. The rows are written directly; `commit_base` makes the same store by commits, and a test compares the two. A store is
made again when the tables or the generated input change.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import duckdb

from benchmarks.bitemporal import direct, statements
from benchmarks.bitemporal.sizes import SEGMENTS, Size
from stratagraph.project import SCHEMA_FILES
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.audit import audit
from stratagraph.temporal.commit import commit
from stratagraph.transactions import transaction

BASE_INSTANT = datetime(2026, 1, 1, tzinfo=UTC)
CORRECTION_INSTANT = datetime(2026, 3, 1, tzinfo=UTC)
SLICE = 200_000  # keys that are generated at a time


def connect(path: Path, size: Size) -> duckdb.DuckDBPyConnection:
    """A store opened for writing; its tables are made where they are missing."""
    connection = duckdb.connect(str(path))
    connection.execute(load_sql("schema", "configure_session"))
    settings = {"threads": size.threads, "memory_limit": size.memory_limit, "temp_directory": str(path.with_suffix(".spill"))}
    for name, value in settings.items():
        connection.execute(f"SET {name} = '{value}'")
    with transaction(connection):
        for name in SCHEMA_FILES:
            connection.execute(load_sql("schema", name))
    return connection


def build(folder: Path, size: Size, keys: int, *, check: bool, say: Callable[[str], None] = print) -> Path:
    """The base store of that many keys; an old one of the same tables and input is used again.

    Args:
        folder: where stores are kept.
        size: mode, seed and DuckDB's settings.
        keys: keys of the store.
        check: whether every audit must pass first.
        say: told of the progress.
    """
    tables = load_sql("schema", "create_tables") + f"{statements.VERSION}"
    digest = hashlib.sha256(tables.encode()).hexdigest()[:8]
    path = folder / f"base-{keys}-{size.mode}-{size.seed}-{digest}.duckdb"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".building")
    for old in (temporary, temporary.with_suffix(".wal"), Path(f"{temporary}.wal")):
        old.unlink(missing_ok=True)
    started = time.perf_counter()
    connection = connect(temporary, size)
    try:
        file = folder / f"slice-{keys}-{size.mode}.parquet"
        for first in range(0, keys, SLICE):
            last = min(keys, first + SLICE)
            with transaction(connection):
                direct.write_slice(
                    connection,
                    statements.write_slice(file, first, last, size.mode, size.seed),
                    BASE_INSTANT,
                    CORRECTION_INSTANT,
                )
            say(f"  base: {last:,} of {keys:,} keys at {time.perf_counter() - started:.0f} s")
        file.unlink()
        direct.write_runs(connection, BASE_INSTANT, CORRECTION_INSTANT)
        _expect(connection, keys)
        if check:
            _audit(connection)
        connection.execute("CHECKPOINT")
    finally:
        connection.close()
    temporary.replace(path)
    return path


def commit_base(connection: duckdb.DuckDBPyConnection, folder: Path, size: Size, keys: int) -> None:
    """Make the base store of that many keys by two commits."""
    for name, instant, write in (
        ("base", BASE_INSTANT, statements.write_base),
        ("corrections", CORRECTION_INSTANT, statements.write_corrections),
    ):
        file = write(folder / f"{name}.parquet", 0, keys, size.mode, size.seed)
        clock = partial(_same, instant)
        commit(connection, file, dataset=statements.DATASET, source=statements.SOURCE, batch_id=name, clock=clock)


def _same(instant: datetime) -> datetime:
    return instant


def _expect(connection: duckdb.DuckDBPyConnection, keys: int) -> None:
    """The store has the shape that the figures are said to be about."""
    found = connection.execute(
        "SELECT (SELECT count(*) FROM graph.nodes_open), (SELECT count(*) FROM graph.nodes_closed)"
    ).fetchone()
    if found != (SEGMENTS * keys, keys):
        raise AssertionError(f"the base store has {found} open and closed rows, not {(SEGMENTS * keys, keys)}")


def _audit(connection: duckdb.DuckDBPyConnection) -> None:
    broken = [finding for finding in audit(connection) if not finding.passed]
    if broken:
        raise AssertionError(f"the base store breaks its invariants: {broken}")


@contextmanager
def copied(store: Path, name: str) -> Iterator[Path]:
    """A copy of a store to write to, gone afterwards."""
    copy = store.with_name(f"{name}.duckdb")
    shutil.copyfile(store, copy)
    try:
        yield copy
    finally:
        for leftover in (copy, Path(f"{copy}.wal")):
            leftover.unlink(missing_ok=True)
        shutil.rmtree(copy.with_suffix(".spill"), ignore_errors=True)
