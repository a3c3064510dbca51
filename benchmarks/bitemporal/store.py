"""Builds the base store with real commits, keeps it as a file for later runs, and hands out copies of it.

A store is what `commit` made: four segments of every key in slices, then one correction of every key, so that its transaction
clock has moved and a fifth of its rows is closed. It is made again when the tables or the generated input change.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import duckdb

from benchmarks.bitemporal import statements
from benchmarks.bitemporal.sizes import SEGMENTS, Size
from stratagraph.project import SCHEMA_FILES
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.audit import audit
from stratagraph.temporal.commit import commit
from stratagraph.transactions import transaction

BASE_INSTANT = datetime(2026, 1, 1, tzinfo=UTC)  # of the first base commit; the others follow it by hours
CORRECTION_INSTANT = datetime(2026, 3, 1, tzinfo=UTC)
SLICE = 1_000_000  # statements of one commit of the base


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
        for number, (instant, file) in enumerate(_base_files(folder, size, keys)):
            counts = commit(
                connection,
                file,
                dataset=statements.DATASET,
                source=statements.SOURCE,
                batch_id=f"base-{number}",
                clock=partial(_same, instant),
            )
            file.unlink()
            seconds = time.perf_counter() - started
            say(f"  base commit {number}: {counts.new:,} statements, {counts.rows_written:,} rows, at {seconds:.0f} s")
        _expect(connection, keys)
        if check:
            _audit(connection)
        connection.execute("CHECKPOINT")
    finally:
        connection.close()
    temporary.replace(path)
    return path


def _base_files(folder: Path, size: Size, keys: int) -> Iterator[tuple[datetime, Path]]:
    """The transaction time and the statements of each commit of the base."""
    file = folder / f"slice-{keys}-{size.mode}.parquet"
    for instant, write, step in (
        (BASE_INSTANT, statements.write_base, SLICE // SEGMENTS),
        (CORRECTION_INSTANT, statements.write_corrections, SLICE),
    ):
        for number, first in enumerate(range(0, keys, step)):
            last = min(keys, first + step)
            yield instant + timedelta(hours=number), write(file, first, last, size.mode, size.seed)


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
