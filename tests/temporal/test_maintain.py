"""The rewritten warehouse holds the same rows, in order; whatever interrupts it leaves the old file or the new one."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from vectors import table
from warehouse import edge, node

from stratagraph.errors import WarehouseError
from stratagraph.project import Project
from stratagraph.snapshot.content import read_content
from stratagraph.temporal import maintain
from stratagraph.temporal.commit import commit
from stratagraph.temporal.maintain import ORDERS, rewrite_landing, rewrite_warehouse

CONFIG = "version: 1\nontology: {files: [o.ttl]}\n"


def commit_rows(project: Project, source: str, day: int, *rows: dict[str, Any]) -> None:
    now = datetime(2026, 1, day, tzinfo=UTC)
    with project.write() as connection:
        stated = table(connection, [row | {"source": source, "scope": source} for row in rows])
        commit(connection, stated, dataset="main", source=source, batch_id=str(day), clock=lambda: now, complete=True)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse whose rows came in another order than that of their keys, and a schema of the user's own."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "stratagraph.yaml").write_text(CONFIG, encoding="utf-8")
    project = Project.load(folder / "stratagraph.yaml")
    people = [f"urn:{i:04}" for i in range(60)]
    for day, (source, label) in enumerate([("even", "first"), ("odd", "first"), ("even", "second"), ("odd", "second")], 1):
        ours = people[source == "odd" :: 2]
        edges = [edge(person, "urn:knows", people[-i], fact=label) for i, person in enumerate(ours)]
        commit_rows(project, source, day, *(node(person, label) for person in ours), *edges)
    with project.write() as connection:
        connection.execute(
            "CREATE SCHEMA mine; CREATE TABLE mine.t AS SELECT 1 AS a; CREATE VIEW mine.v AS SELECT * FROM mine.t"
        )
        connection.execute("INSERT INTO mine.t VALUES (NULL), (1), (2)")
    return folder


@pytest.fixture
def project(prepared: Path, tmp_path: Path) -> Project:
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return Project.load(tmp_path / "stratagraph.yaml")


def rows_of(project: Project) -> dict[str, list[Any]]:
    """Every table, view and the macros' answers, whatever the order."""
    with project.read() as connection:
        names = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() UNION ALL "
            "SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL"
        ).fetchall()
        rows: dict[str, list[Any]] = {
            f"{schema}.{name}": connection.execute(f'FROM "{schema}"."{name}" ORDER BY ALL').fetchall()
            for schema, name in names
        }
        rows["history"] = connection.execute("FROM history_of('urn:0007')").fetchall()
        rows["evidence"] = connection.execute("FROM evidence_of('urn:0007')").fetchall()
        return rows


def files_of(project: Project) -> set[str]:
    return {path.name for path in project.data_dir.iterdir()}


CLEAN = {"warehouse.duckdb", "warehouse.duckdb.maintain.lock"}


def content_hash(project: Project) -> str:
    with duckdb.connect(str(project.warehouse)) as connection:
        return read_content(connection, current=False).hash


def test_queries_give_the_same_and_the_snapshot_would_be_the_same(project: Project) -> None:
    before, hashed = rows_of(project), content_hash(project)
    result = rewrite_warehouse(project)
    assert rows_of(project) == before
    assert content_hash(project) == hashed
    assert result.changed
    assert result.rows == sum(len(rows) for name, rows in before.items() if name in stored(project))
    assert (result.bytes_before > 0, result.bytes_after) == (True, project.warehouse.stat().st_size)
    assert files_of(project) == CLEAN
    # The store goes on: what is said again writes nothing, what is new is written.
    commit_rows(project, "even", 5, node("urn:0006", "third"))
    with project.read() as connection:
        assert connection.execute("SELECT count(*) FROM graph.nodes_open").fetchone() == (31,)


def stored(project: Project) -> set[str]:
    with project.read() as connection:
        return {
            name for (name,) in connection.execute("SELECT schema_name || '.' || table_name FROM duckdb_tables()").fetchall()
        }


def test_rows_stand_in_the_order_of_their_keys(project: Project) -> None:
    def unsorted_tables() -> set[str]:
        found = set()
        with project.read() as connection:
            tables = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
            for name, order in ORDERS.items():
                if name in tables:
                    rows = connection.execute(f"SELECT {', '.join(order)} FROM graph.{name} ORDER BY rowid").fetchall()
                    in_order = connection.execute(f"SELECT {', '.join(order)} FROM graph.{name} ORDER BY ALL").fetchall()
                    if rows != in_order:
                        found.add(name)
        return found

    assert {"nodes_open", "edges_open", "nodes_closed", "edges_closed", "statements"} <= unsorted_tables()
    rewrite_warehouse(project)
    assert unsorted_tables() == set()


def test_what_was_deleted_is_gone_from_the_file(project: Project) -> None:
    with project.write() as connection:
        connection.execute("PRAGMA force_compression = 'uncompressed'")
        connection.execute(
            "CREATE TABLE mine.big AS SELECT i, 'a secret ' || sha256(CAST(i AS VARCHAR)) AS t FROM range(9999) AS r(i)"
        )
        connection.execute("CHECKPOINT")
        connection.execute("DELETE FROM mine.big WHERE i > 10; UPDATE mine.big SET t = 'public'")
        connection.execute("CHECKPOINT")
    assert b"a secret " in project.warehouse.read_bytes()
    result = rewrite_warehouse(project)
    assert result.bytes_after < result.bytes_before
    assert b"a secret " not in project.warehouse.read_bytes()


def test_a_write_ahead_log_is_moved_into_the_file_and_none_stays(project: Project) -> None:
    """A process killed after its commit leaves one; a log of the old file beside the new one would be applied twice."""
    script = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); c.execute('INSERT INTO mine.t VALUES (42)');"
        "os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(project.warehouse)], check=False)
    assert project.warehouse.with_name("warehouse.duckdb.wal").exists()
    rewrite_warehouse(project)
    assert files_of(project) == CLEAN
    assert rows_of(project)["mine.t"] == [(1,), (1,), (2,), (42,), (None,)]


def test_the_landing_file_keeps_its_order(project: Project) -> None:
    assert not rewrite_landing(project).changed
    with project.landing_connection(read_only=False) as connection:
        connection.execute(
            'CREATE SCHEMA shop; CREATE TABLE shop."odd ""name\'" AS SELECT (i * 7) % 10 AS i FROM range(10) AS r(i)'
        )
    result = rewrite_landing(project)
    assert (result.tables, result.rows) == (1, 10)
    with project.landing_connection() as connection:
        found = connection.execute('SELECT i FROM shop."odd ""name\'"').fetchall()
    assert found == [((i * 7) % 10,) for i in range(10)]


def test_a_folder_with_a_quote_in_its_name_and_a_link(
    tmp_path: Path, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "it's; DROP"
    other.mkdir()
    (tmp_path / "linked").mkdir()
    project.warehouse.rename(other / "warehouse.duckdb")
    (tmp_path / "linked" / "warehouse.duckdb").symlink_to(other / "warehouse.duckdb")
    monkeypatch.setenv("STRATAGRAPH_DATA_DIR", str(tmp_path / "linked"))
    (other / "warehouse.duckdb").chmod(0o640)
    before = rows_of(project)
    assert rewrite_warehouse(project).changed
    assert project.warehouse.is_symlink()
    assert (other / "warehouse.duckdb").stat().st_mode & 0o777 == 0o640
    assert rows_of(project) == before


def test_what_is_missing_or_differs_replaces_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    before, file = rows_of(project), project.warehouse.stat().st_ino
    monkeypatch.setattr(maintain, "_FREE_SPACE", 1e12)
    with pytest.raises(WarehouseError, match="free space"):
        rewrite_warehouse(project)
    monkeypatch.undo()
    original = maintain.load_sql

    def losing(layer: str, name: str, **names: str) -> str:
        text = original(layer, name, **names)
        return text.replace("ORDER BY", "LIMIT 7 --") if name == "sort_table" and "edges_open" in text else text

    monkeypatch.setattr(maintain, "load_sql", losing)
    with pytest.raises(WarehouseError, match=r"differs from the file in graph\.edges_open\b"):
        rewrite_warehouse(project)
    monkeypatch.undo()
    with pytest.raises(WarehouseError, match="not a memory limit"):
        rewrite_warehouse(project, memory_limit="much")
    assert (rows_of(project), project.warehouse.stat().st_ino) == (before, file)
    assert files_of(project) == CLEAN


@pytest.mark.parametrize(
    "own", ["CREATE TABLE mine.a (i INTEGER, j INTEGER GENERATED ALWAYS AS (i + 1)); INSERT INTO mine.a VALUES (1)",
            "CREATE TABLE mine.b (i INTEGER PRIMARY KEY); CREATE TABLE mine.a (i INTEGER REFERENCES mine.b (i));"
            "INSERT INTO mine.b VALUES (1); INSERT INTO mine.a VALUES (1)"],
)  # fmt: skip
def test_a_table_that_cannot_be_copied_is_named(project: Project, own: str) -> None:
    with project.write() as connection:
        connection.execute(own)
    before = rows_of(project)
    with pytest.raises(WarehouseError, match=r"mine\.a cannot be copied"):
        rewrite_warehouse(project)
    assert rows_of(project) == before
    assert files_of(project) == CLEAN


def test_types_sequences_keys_and_broken_views_of_the_user_are_kept(project: Project) -> None:
    with project.write() as connection:
        connection.execute(
            """CREATE TYPE mine.mood AS ENUM ('a', 'b'); CREATE SEQUENCE mine.s;
               CREATE TABLE mine.m (i INTEGER PRIMARY KEY DEFAULT nextval('mine.s'), m mine.mood, CHECK (i > 0));
               CREATE INDEX mine_index ON mine.m (m); INSERT INTO mine.m (m) VALUES ('a'), ('b');
               CREATE TABLE mine.gone (a INTEGER); CREATE VIEW mine.broken AS FROM mine.gone; DROP TABLE mine.gone"""
        )
    rewrite_warehouse(project)
    with project.write() as connection:
        connection.execute("INSERT INTO mine.m (m) VALUES ('b')")
        assert connection.execute("FROM mine.m ORDER BY i").fetchall() == [(1, "a"), (2, "b"), (3, "b")]
        with pytest.raises(duckdb.ConstraintException):
            connection.execute("INSERT INTO mine.m VALUES (1, 'a')")
        assert connection.execute("SELECT index_name FROM duckdb_indexes()").fetchall() == [("mine_index",)]


def test_nobody_writes_while_the_file_is_rewritten(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute('INSERT INTO mine.t VALUES (7)')"
    refused: list[bool] = []
    original = maintain._put_in_place

    def write_meanwhile() -> None:
        result = subprocess.run(
            [sys.executable, "-c", script, str(project.warehouse)], capture_output=True, text=True, check=False
        )
        refused.append("lock" in result.stderr)

    def between(new: Path, old: Path) -> None:
        write_meanwhile()
        original(new, old)

    monkeypatch.setattr(maintain, "_put_in_place", between)
    rewrite_warehouse(project)
    write_meanwhile()
    assert refused == [True, False]
    assert (7,) in rows_of(project)["mine.t"]


def in_child(work: Callable[[], None]) -> int:
    """Run something in a fork of this process, to its end or its death; gives the process id."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def test_killed_at_any_statement_it_is_the_old_file_or_the_new_one(project: Project) -> None:
    """A child ends itself by SIGKILL before the n-th statement of the rewrite, and at each step of the swap."""
    before, first = rows_of(project), project.warehouse.stat().st_ino
    places = {"load_sql": 80, "_put_in_place": 1, "os.fsync": 2, "shutil.copymode": 1}
    killed = 0
    for place, most in places.items():
        for n in range(0, most, 7 if place == "load_sql" else 1):
            killed += kill_in(project, place, n)
            assert rows_of(project) == before, (place, n)
    assert killed > 10
    assert project.warehouse.stat().st_ino != first  # the last step of the swap was reached by one of them
    rewrite_warehouse(project)
    assert rows_of(project) == before
    assert files_of(project) == CLEAN


def kill_in(project: Project, place: str, n: int) -> bool:
    module: Any = maintain
    *path, name = place.split(".")
    for part in path:
        module = getattr(module, part)
    original, calls = getattr(module, name), iter(range(1_000_000))

    def counted(*arguments: Any, **options: Any) -> Any:
        if next(calls) == n:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments, **options)

    def work() -> None:
        setattr(module, name, counted)
        rewrite_warehouse(project, memory_limit="300MB")

    return os.WIFSIGNALED(os.waitpid(in_child(work), 0)[1])


@pytest.mark.slow
def test_killed_at_any_moment(project: Project) -> None:
    before = rows_of(project)
    moments = random.Random(3)
    for _ in range(40):
        child = in_child(lambda: rewrite_warehouse(project))  # type: ignore[arg-type, return-value]
        time.sleep(moments.uniform(0, 1.0))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert rows_of(project) == before
    rewrite_warehouse(project)
    assert files_of(project) == CLEAN
