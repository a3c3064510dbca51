"""What is measured of writing: a commit, and the raw INSERT of the very rows that a commit wrote (the floor)."""

from __future__ import annotations

import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.bitemporal import statements, store
from benchmarks.bitemporal.sizes import Size
from benchmarks.bitemporal.steps_profile import cpu_seconds, profiled, render
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.audit import audit
from stratagraph.temporal.commit import commit

BELIEF = ("nodes_open", "nodes_closed", "edges_open", "edges_closed")


def commit_batch(
    path: str, file: str, size: dict[str, Any], instant: str, batch_id: str, check: bool = False
) -> dict[str, Any]:
    """One commit of a Parquet file into the store at `path`: what it took, its counts, its profile, and how each table grew.

    Args:
        path: the store, which is changed.
        file: the statements.
        size: of the run, for DuckDB's settings.
        instant: the transaction time, ISO 8601 with zone.
        batch_id: recorded by the store.
        check: whether every audit must pass afterwards.
    """
    _warm_up(file)
    connection = store.connect(Path(path), Size(**size))
    before = _counts(connection)
    with profiled() as steps:
        wall, cpu = time.perf_counter(), cpu_seconds()
        counts = commit(
            connection,
            Path(file),
            dataset=statements.DATASET,
            source=statements.SOURCE,
            batch_id=batch_id,
            clock=lambda: datetime.fromisoformat(instant),
        )
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    checkpoint = _checkpoint(connection)
    growth = {name: count - before[name] for name, count in _counts(connection).items() if count != before[name]}
    broken = [asdict(finding) for finding in audit(connection) if not finding.passed] if check else []
    if broken:
        raise AssertionError(f"the commit broke invariants: {broken}")
    connection.close()
    return {
        "wall": wall,
        "cpu": cpu,
        "checkpoint": checkpoint,
        "statements": counts.statements,
        "new": counts.new,
        "rows_written": counts.rows_written,
        "opened": counts.nodes_opened,
        "closed": counts.nodes_closed,
        "growth": growth,
        "profile": render(steps, wall, cpu),
    }


def _warm_up(file: str) -> None:
    """Commit one statement into a store in memory, so that imports and first uses of the libraries are not measured."""
    connection = store.connect(Path(":memory:"), Size(1, 1, "period", 0, "1GB", 1))
    one = connection.execute("SELECT * FROM read_parquet($file) LIMIT 1", {"file": file}).to_arrow_table()
    clock = datetime(2026, 1, 1, tzinfo=UTC)
    commit(connection, one, dataset=statements.DATASET, source=statements.SOURCE, batch_id="0", clock=lambda: clock)
    connection.close()


def insert_written(path: str, size: dict[str, Any], instant: str, growth: dict[str, int]) -> dict[str, Any]:
    """The floor: the rows that a commit wrote, held in memory, are inserted into a new file, in one transaction.

    Measured twice: the rows of belief alone, and the rows of every table.

    Args:
        path: the store after the commit.
        size: of the run, for DuckDB's settings.
        instant: the transaction time of the commit.
        growth: rows that the commit added to each table, for tables that hold no transaction time.
    """
    answer: dict[str, Any] = {}
    for name, only in (("belief", BELIEF), ("all", None)):
        floor = Path(path).with_suffix(f".floor-{name}.duckdb")
        floor.unlink(missing_ok=True)
        connection = store.connect(floor, Size(**size))
        try:
            tables = _hold_written(connection, path, instant, growth, only)
            wall, cpu = time.perf_counter(), cpu_seconds()
            connection.begin()
            for table in tables:
                connection.execute(f"INSERT INTO graph.{table} SELECT * FROM temp.written_{table}")
            connection.commit()
            wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
            checkpoint = _checkpoint(connection)
        finally:
            connection.close()
            for leftover in (floor, Path(f"{floor}.wal")):
                leftover.unlink(missing_ok=True)
        answer[name] = {"wall": wall, "cpu": cpu, "checkpoint": checkpoint, "rows": tables}
    return answer


def _checkpoint(connection: duckdb.DuckDBPyConnection) -> float:
    """Seconds of what COMMIT left for later: the file's log is written into its tables."""
    started = time.perf_counter()
    connection.execute("CHECKPOINT")
    return time.perf_counter() - started


def _hold_written(
    connection: duckdb.DuckDBPyConnection, path: str, instant: str, growth: dict[str, int], only: tuple[str, ...] | None
) -> dict[str, int]:
    """Keep the written rows of each table as a temporary table; how many there are of each."""
    connection.execute(f"""ATTACH '{path.replace("'", "''")}' AS merged (READ_ONLY)""")
    columns: dict[str, set[str]] = {}
    for table, column in connection.execute(
        "SELECT c.table_name, c.column_name FROM duckdb_columns() AS c JOIN duckdb_tables() AS t ON t.table_oid = c.table_oid "
        "AND t.database_oid = c.database_oid WHERE c.database_name = 'merged' AND c.schema_name = 'graph'"
    ).fetchall():
        columns.setdefault(str(table), set()).add(str(column))
    held: dict[str, int] = {}
    for table, names in sorted(columns.items()):
        if only is not None and table not in only:
            continue
        clocks = sorted(names & {"recorded_from", "recorded_to", "recorded_at"})
        if clocks:
            rows = f"WHERE {' OR '.join(f'{clock} = CAST($at AS TIMESTAMPTZ)' for clock in clocks)}"
        else:
            rows = f"ORDER BY rowid DESC LIMIT {growth.get(table, 0)}"
        values = {"at": instant} if clocks else {}
        connection.execute(f"CREATE TEMP TABLE written_{table} AS SELECT * FROM merged.graph.{table} {rows}", values)
        count = connection.execute(f"SELECT count(*) FROM temp.written_{table}").fetchone()
        if count and count[0]:
            held[table] = int(count[0])
    connection.execute("DETACH merged")
    return held


def _counts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Rows of every table of the store."""
    tables = connection.execute(load_sql("schema", "select_tables")).fetchall()
    names = sorted(str(row[0]) for row in tables)
    counts: dict[str, int] = {}
    for name in names:
        found = connection.execute(f"SELECT count(*) FROM graph.{name}").fetchone()
        counts[name] = int(found[0]) if found else 0
    return counts
