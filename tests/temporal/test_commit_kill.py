"""SIGKILL between any two calls of a commit, and inside of its end: reopened, the store is as before or as after."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from vectors import table
from warehouse import edge, node

from stratagraph.project import SCHEMA_FILES
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import LINK_COLUMNS
from stratagraph.temporal.commit import CommitCounts, apply_rules, assign_identities, commit

Rows = dict[str, list[tuple[Any, ...]]]
Work = Callable[[Any], CommitCounts]
NOW = datetime(2026, 2, 1, tzinfo=UTC)


class Watched:
    """A connection that ends its process by SIGKILL in place of the n-th call, whatever the call is.

    Args:
        connection: the real one.
        last: the number of the call that is not made any more.
        at_commit: told right before the transaction is committed.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, last: int, at_commit: Callable[[], None] = lambda: None) -> None:
        self._connection, self._last, self._at_commit = connection, last, at_commit
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._connection, name)
        if not callable(found):
            return found

        def call(*arguments: Any, **options: Any) -> Any:
            if self.calls == self._last:
                os.kill(os.getpid(), signal.SIGKILL)
            self.calls += 1
            if name == "commit":
                self._at_commit()
            return found(*arguments, **options)

        return call


def opened(file: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(str(file), config={"default_block_size": "16384", "threads": "2"})
    connection.execute(load_sql("schema", "configure_session"))
    return connection


def rows_of(file: Path) -> Rows:
    """All tables of the graph, as they are after a crash."""
    connection = opened(file)
    try:
        names = connection.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'graph'").fetchall()
        return {name: connection.execute(f"FROM graph.{name} ORDER BY ALL").fetchall() for (name,) in sorted(names)}
    finally:
        connection.close()


class Scene:
    """A store that was built up, a piece of work on it, and the state before and after."""

    def __init__(self, folder: Path, work: Work, check: Callable[[CommitCounts], None]) -> None:
        self.file, self.work = folder / "warehouse.duckdb", work
        self._kept, self._done = folder / "before.duckdb", folder / "after.duckdb"
        shutil.copy(self.file, self._kept)
        self.before = rows_of(self.file)
        connection = opened(self.file)
        watched = Watched(connection, -1)
        check(work(watched))
        connection.close()
        self.calls, self.after = watched.calls, rows_of(self.file)
        shutil.copy(self.file, self._done)
        assert self.before != self.after
        self.restore()

    def restore(self) -> None:
        self.file.with_name(self.file.name + ".wal").unlink(missing_ok=True)
        shutil.copy(self._kept, self.file)

    def run(self) -> CommitCounts:
        connection = opened(self.file)
        try:
            return self.work(connection)
        finally:
            connection.close()

    def killed_at(self, call: int) -> Rows:
        """The state after a child that did not live to make this call."""
        child = os.fork()
        if child == 0:
            try:
                self.work(Watched(opened(self.file), call))
            finally:
                os._exit(0)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
        return rows_of(self.file)

    def killed_in_the_end(self, delay: float) -> Rows:
        """The state after a child that was killed so many seconds after it began to commit its transaction."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                connection = opened(self.file)
                self.work(Watched(connection, -1, lambda: os.write(writing, b"!") and None))
                connection.execute("CHECKPOINT")
                connection.close()
            finally:
                os._exit(0)
        os.close(writing)
        assert os.read(reading, 1) == b"!"
        os.close(reading)
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return rows_of(self.file)

    def check(self, state: Rows) -> str:
        """Which of the two states it is. The same work again gives the state after."""
        for name, rows in state.items():
            assert rows in (self.before[name], self.after[name]), name
        assert state in (self.before, self.after)
        return "before" if state == self.before else "after"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with all that a batch can change: values, identities, conflicts, inferred edges."""
    connection = opened(tmp_path / "warehouse.duckdb")
    for name in SCHEMA_FILES:
        connection.execute(load_sql("schema", name))
    connection.execute("INSERT INTO graph.ontology_properties VALUES ('main', 'urn:worksFor', 'works for', TRUE)")
    connection.execute("INSERT INTO graph.ontology_implications VALUES ('main', 'urn:worksFor', 'urn:employs', TRUE)")
    people = [node(f"urn:p{i}", f"Person {i}") for i in range(40)]
    companies = [node(f"urn:c{i}", f"Company {i}", cls="urn:Company") for i in range(4)]
    jobs = [edge(f"urn:p{i}", "urn:worksFor", f"urn:c{i % 4}", "2020-01-01T00:00:00Z", None) for i in range(40)]
    sources = {"people": people, "companies": companies, "memo": jobs, "keys": [node("urn:k1", "Person 1", facet="key")]}
    for day, (source, rows) in enumerate(sources.items(), 1):
        stated = table(connection, [row | {"source": source, "scope": source} for row in rows])
        now = datetime(2026, 1, day, tzinfo=UTC)
        commit(connection, stated, dataset="main", source=source, batch_id=source, clock=lambda: now, complete=True)  # noqa: B023
    connection.close()
    return tmp_path


@pytest.fixture
def batch(folder: Path) -> Scene:
    """A complete batch of one source that does everything a batch can do."""
    kept = [edge(f"urn:p{i}", "urn:worksFor", f"urn:c{i % 4}", "2020-01-01T00:00:00Z", None) for i in range(20)]
    moved = [edge(f"urn:p{i}", "urn:worksFor", "urn:c0", "2022-01-01T00:00:00Z", None) for i in range(10)]
    past = [edge("urn:p3", "urn:worksFor", "urn:c1", "2010-01-01T00:00:00Z", "2011-01-01T00:00:00Z")]
    named = [node("urn:p5", "Another name", observed_at="2026-03-01T00:00:00Z"), node("urn:new", "New")]
    bad = [
        edge("urn:p1", "urn:worksFor", ""),
        edge("urn:p1", "urn:worksFor", "urn:c1", "2020-01-01T00:00:00Z", "2019-01-01T00:00:00Z"),
    ]
    connection = duckdb.connect()
    rows = [row | {"source": "memo", "scope": "memo"} for row in (*kept, *moved, *past, *named, *bad)]
    pq.write_table(table(connection, rows), folder / "statements.parquet")
    link = dict(zip(LINK_COLUMNS, ("main", "urn:p1", "p", "urn:k1", "k", "key"), strict=True))
    pq.write_table(pa.Table.from_pylist([link]), folder / "links.parquet")

    def work(connection: Any) -> CommitCounts:
        return commit(
            connection, folder / "statements.parquet", links=folder / "links.parquet", dataset="main", source="memo",
            batch_id="batch", clock=lambda: NOW, complete=True,
        )  # fmt: skip

    def check(counts: CommitCounts) -> None:
        assert counts.withdrawn == 20 and counts.quarantined == 2
        changed = ("new", "nodes_opened", "nodes_closed", "edges_opened", "edges_closed", "inferred_opened", "inferred_closed")
        assert all(getattr(counts, name) > 0 for name in (*changed, "conflicts_opened", "identities_changed"))

    return Scene(folder, work, check)


def kill_between_calls(scene: Scene, step: int) -> None:
    """Kill at each so-manieth call; the store that was left goes on to the next, without being mended."""
    seen = set()
    for call in [*range(0, scene.calls, step), scene.calls - 1]:
        state = scene.check(scene.killed_at(call))
        seen.add(state)
        if state == "after":
            assert scene.run().rows_written == 0  # the same batch again writes no belief
            after = rows_of(scene.file)
            unchanging = after.keys() - {"runs"}
            assert {name: after[name] for name in unchanging} == {name: scene.after[name] for name in unchanging}
            scene.restore()
    assert "before" in seen
    scene.run()
    assert rows_of(scene.file) == scene.after


def test_between_any_two_calls_of_a_batch(batch: Scene) -> None:
    kill_between_calls(batch, 9)


@pytest.mark.slow
def test_between_each_two_calls_of_a_batch(batch: Scene) -> None:
    kill_between_calls(batch, 1)


def kill_in_the_end(scene: Scene, times: int) -> None:
    moments = random.Random(5)
    seen = set()
    for _ in range(times):
        state = scene.check(scene.killed_in_the_end(moments.choice((0.0, 0.001, 0.004, 0.02, 0.08))))
        seen.add(state)
        if state == "after":
            scene.restore()
    scene.run()
    assert rows_of(scene.file) == scene.after
    assert seen == {"before", "after"} or times < 30


def test_while_the_transaction_is_written(batch: Scene) -> None:
    kill_in_the_end(batch, 6)


@pytest.mark.slow
def test_at_any_moment_of_the_end(batch: Scene) -> None:
    kill_in_the_end(batch, 100)


def test_between_any_two_calls_of_a_changed_ontology(folder: Path) -> None:
    connection = opened(folder / "warehouse.duckdb")
    apply_rules(connection, dataset="main", batch_id="rules-1", clock=lambda: NOW)
    connection.execute("DELETE FROM graph.ontology_properties; DELETE FROM graph.ontology_implications")
    connection.execute("INSERT INTO graph.ontology_implications VALUES ('main', 'urn:worksFor', 'urn:linked', FALSE)")
    connection.close()

    def work(connection: Any) -> CommitCounts:
        return apply_rules(connection, dataset="main", batch_id="rules-2", clock=lambda: NOW)

    def check(counts: CommitCounts) -> None:
        assert counts.inferred_opened > 0 and counts.inferred_closed > 0

    kill_between_calls(Scene(folder, work, check), 18)


def test_between_any_two_calls_of_a_merge_and_a_split(folder: Path) -> None:
    decisions = {"ref": ["urn:p1", "urn:p2"], "node_id": ["urn:p0", "urn:p0"], "reason": ["one", "one"]}
    connection = opened(folder / "warehouse.duckdb")
    assign_identities(connection, pa.table(decisions), dataset="main", batch_id="merge", clock=lambda: NOW)
    connection.close()
    pq.write_table(pa.table({"ref": ["urn:p2"], "node_id": ["urn:p2"], "reason": ["two"]}), folder / "assignments.parquet")

    def work(connection: Any) -> CommitCounts:
        return assign_identities(
            connection, folder / "assignments.parquet", dataset="main", batch_id="split", clock=lambda: NOW
        )

    def check(counts: CommitCounts) -> None:
        assert counts.identities_changed and counts.nodes_opened and counts.edges_opened

    kill_between_calls(Scene(folder, work, check), 18)
