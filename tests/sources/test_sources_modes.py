"""Load modes on real SQLite files: whole loads, increments with a lag, feeds of changes; and columns that change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from staged import Clock, Database, Make, landing, nodes, quarantine, statements

from stratagraph.errors import CommitRefusedError, ConfigError
from stratagraph.project import Project
from stratagraph.sources.load import load_source
from stratagraph.sources.rows import stage_rows
from stratagraph.temporal.run import commit_staged

URL = {"type": "sql", "url": "sqlite:///shop.db"}


def log(project: Project, table: str) -> list[tuple[str, str, bool]]:
    """The row log of a table: key, what the row says, whether it is there."""
    with landing(project) as connection:
        return connection.execute(
            "SELECT key, content, present FROM stratagraph.rows WHERE table_name = ? ORDER BY loaded_at, key, present",
            [table],
        ).fetchall()


def changes(project: Project) -> list[tuple[Any, ...]]:
    with landing(project) as connection:
        query = "SELECT * EXCLUDE (source, seen_at) FROM stratagraph.schema_changes ORDER BY seen_at, table_name, column_name"
        return connection.execute(query).fetchall()


def build(project: Project) -> None:
    load_source(project, "s")
    stage_rows(project)
    commit_staged(project)


def test_an_increment_adds_and_changes_and_takes_nothing_away(make_project: Make, database: Database, clock: Clock) -> None:
    database(
        """CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, at TEXT);
        INSERT INTO t VALUES (1, 'a', '2026-01-01 10:00:00'), (2, 'b', '2026-01-01 11:00:00'), (3, 'c', NULL)"""
    )
    project = make_project(s=URL | {"load": {"t": {"mode": "incremental", "cursor": "at"}}})
    load_source(project, "s")
    clock.forward()
    database(
        """DELETE FROM t WHERE id IN (1, 3); UPDATE t SET v = 'b2', at = '2026-01-01 12:00:00' WHERE id = 2;
        INSERT INTO t VALUES (4, 'd', '2026-01-01 11:00:00'), (5, 'e', '2026-01-01 09:00:00'), (6, 'f', NULL)"""
    )
    result = load_source(project, "s")
    assert result.rows == 5, "1 and 3 are not gone: an increment does not say so"
    found = {key: content for key, content, present in log(project, "t") if present}
    assert [key for key, _, present in log(project, "t") if not present] == []
    assert found["[2]"] == '{"at":"2026-01-01 12:00:00","id":2,"v":"b2"}'
    assert "[4]" in found, "a row with the very value where the last load stopped"
    assert "[6]" in found, "a row without a cursor may be new"
    assert "[5]" not in found, "a late row is only seen with a lag"


@pytest.mark.parametrize(("lag", "seen"), [("0s", False), ("30m", False), ("2h", True), ("1d", True)])
def test_a_lag_finds_rows_that_came_late(lag: str, seen: bool, make_project: Make, database: Database, clock: Clock) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT); INSERT INTO t VALUES (1, '2026-01-01T11:00:00')")
    project = make_project(s=URL | {"load": {"t": {"mode": "incremental", "cursor": "at", "lag": lag}}})
    load_source(project, "s")
    clock.forward()
    database("INSERT INTO t VALUES (2, '2026-01-01T09:30:00')")
    for _ in range(2):  # a lag given for one run does not move the place where the next one starts
        load_source(project, "s")
        database("INSERT INTO t VALUES (9, '2026-01-01T08:00:00') ON CONFLICT DO NOTHING")
    assert ("[2]" in {key for key, _, _ in log(project, "t")}) == seen


def test_an_increment_that_brings_nothing_keeps_its_place(make_project: Make, database: Database, clock: Clock) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, v TEXT); INSERT INTO t VALUES (1, 7, 'a')")
    project = make_project(s=URL | {"load": {"t": {"mode": "incremental", "cursor": "n"}}})
    build(project)
    clock.forward()
    database("DELETE FROM t")
    assert load_source(project, "s").rows == 1, "and no guard: nothing is gone"
    clock.forward()
    database("INSERT INTO t VALUES (2, 6, 'before'), (3, 8, 'after')")
    load_source(project, "s")
    assert {key for key, _, _ in log(project, "t")} == {"[1]", "[3]"}


def test_a_lag_of_a_cursor_that_is_no_time_is_refused(make_project: Make, database: Database, clock: Clock) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO t VALUES (1, 7)")
    project = make_project(s=URL | {"load": {"t": {"mode": "incremental", "cursor": "n", "lag": "1h"}}})
    load_source(project, "s")
    database("INSERT INTO t VALUES (2, 8)")
    with pytest.raises(ConfigError, match=r"(?s)sources\.s\.load\.t\.lag.*no time"):
        load_source(project, "s")


FEED = """CREATE TABLE f (n INTEGER PRIMARY KEY, id INTEGER, op TEXT, at TEXT, price REAL);
    INSERT INTO f VALUES (1, 1, 'I', '2026-01-01 00:00:00', 10), (2, 2, 'I', '2026-01-02 00:00:00', 5),
        (3, 1, 'U', '2026-01-03 00:00:00', 12), (4, 2, 'D', '2026-01-04 00:00:00', NULL)"""
FEED_LOAD = {"mode": "changes", "key": ["id"], "operation": "op", "time": "at", "zone": "Europe/Berlin"}


def prices(project: Project, valid_at: str) -> list[tuple[str, float]]:
    with project.read() as connection:
        return connection.execute(
            """SELECT label, CAST(json_extract(properties, '$."https://g.test/s/f#price"') AS DOUBLE)
               FROM graph.nodes_as_of(CAST(? AS TIMESTAMPTZ), '2100-01-01'::TIMESTAMPTZ) ORDER BY 1""",
            [valid_at],
        ).fetchall()


def test_a_feed_says_what_was_so_when(make_project: Make, database: Database, clock: Clock) -> None:
    database(FEED)
    project = make_project(s=URL | {"load": {"f": FEED_LOAD}, "valid_time": "always", "mapping": {"f": {"ignore": ["n"]}}})
    build(project)
    assert prices(project, "2025-12-31 22:59:59Z") == []
    assert prices(project, "2025-12-31 23:00:00Z") == [("f 1", 10.0)], "midnight in Berlin"
    assert prices(project, "2026-01-02 12:00:00Z") == [("f 1", 10.0), ("f 2", 5.0)]
    assert prices(project, "2026-01-05 00:00:00Z") == [("f 1", 12.0)], "2 was deleted"
    clock.forward()
    # The feed is rotated: it repeats nothing, and brings a change that comes late.
    database(
        "DELETE FROM f; INSERT INTO f VALUES (5, 1, 'U', '2026-01-02 00:00:00', 11), (6, 2, 'I', '2026-01-06 00:00:00', 6)"
    )
    build(project)
    assert prices(project, "2026-01-02 12:00:00Z") == [("f 1", 11.0), ("f 2", 5.0)]
    assert prices(project, "2026-01-04 12:00:00Z") == [("f 1", 12.0)], "what came late undoes nothing newer"
    assert prices(project, "2026-01-07 00:00:00Z") == [("f 1", 12.0), ("f 2", 6.0)]
    assert not stage_rows(project).changed and not load_source(project, "s").changed


def test_a_feed_that_corrects_itself(make_project: Make, database: Database, clock: Clock) -> None:
    database(FEED)
    project = make_project(s=URL | {"load": {"f": FEED_LOAD}, "mapping": {"f": {"ignore": ["n"]}}})
    build(project)
    clock.forward()
    database("UPDATE f SET price = 13 WHERE n = 3; INSERT INTO f VALUES (7, 1, 'U', '2026-01-03 00:00:00', 14)")
    build(project)
    assert prices(project, "2026-01-05 00:00:00Z") == [("f 1", 14.0)], "the last of two changes at one time"


def test_changes_without_a_time_or_a_key_are_refused_alone(make_project: Make, database: Database) -> None:
    database(FEED + ", (5, NULL, 'I', '2026-01-01', 1), (6, 3, 'I', 'soon', 1), (7, 4, 'I', NULL, 1)")
    project = make_project(s=URL | {"load": {"f": FEED_LOAD}})
    assert load_source(project, "s").refused == 3
    stage_rows(project)
    assert sorted(reason for reason, _, _ in quarantine(project)) == ["null_key", "unparsable_time", "unparsable_time"]
    assert len({row["subject"] for row in statements(project)}) == 2


@pytest.mark.parametrize(
    ("load", "message"),
    [
        ({"tt": {}}, r"(?s)no table 'tt'.*did you mean t\?"),
        ({"t": {"key": ["ID"]}}, r"(?s)no column 'ID'.*did you mean id\?"),
        ({"t": {"mode": "incremental", "cursor": "att"}}, r"(?s)no column 'att'.*did you mean at\?"),
        ({"f": {"mode": "changes", "time": "at"}}, "needs a key"),
    ],
)
def test_names_in_load_are_checked(load: dict[str, Any], message: str, make_project: Make, database: Database) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT); CREATE TABLE f (at TEXT); INSERT INTO t VALUES (1, 'x')")
    project = make_project(s=URL | {"load": load})
    with pytest.raises(ConfigError, match=message):
        load_source(project, "s")


def test_a_key_that_nobody_declared_tells_rows_apart(make_project: Make, database: Database, clock: Clock) -> None:
    database("CREATE TABLE t (code TEXT, v TEXT); INSERT INTO t VALUES ('x', 'one'), ('x', 'two'), ('y', 'one'), ('y', 'one')")
    project = make_project(s=URL | {"load": {"t": {"key": ["code"]}}})
    assert load_source(project, "s").refused == 1
    stage_rows(project)
    assert sorted(nodes(project)) == ["s/t/code=x", "s/t/code=y"]
    assert nodes(project)["s/t/code=x"]["value"]["properties"]["https://g.test/s/t#v"] == "one"
    assert [(reason, '"v":"two"' in payload) for reason, _, payload in quarantine(project)] == [("duplicate_key", True)]
    clock.forward()
    database("DELETE FROM t; INSERT INTO t VALUES ('x', 'three'), ('y', 'one')")
    load_source(project, "s")
    assert [key for key, _, _ in log(project, "t")] == ['["x"]', '["y"]', '["x"]'], "one row edited: the same node, a new state"


SHOP = """CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, price REAL, note TEXT);
    INSERT INTO t VALUES (1, 'a', 1.5, 'x'), (2, 'b', 2.5, NULL), (3, 'c', 3, 'z')"""


@pytest.mark.parametrize(
    ("script", "reported"),
    [
        ("ALTER TABLE t ADD COLUMN extra TEXT", [("t", "extra", "added", None, "TEXT")]),
        ("ALTER TABLE t DROP COLUMN note", [("t", "note", "dropped", "TEXT", None)]),
        ("ALTER TABLE t RENAME COLUMN name TO title", [("t", "title", "renamed", "name", "title")]),
        (
            """CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, price TEXT, note TEXT);
            INSERT INTO u VALUES (1, 'a', '1.5', 'x'), (2, 'b', '2.5', NULL), (3, 'c', '3', 'z');
            DROP TABLE t; ALTER TABLE u RENAME TO t""",
            [("t", "price", "retyped", "REAL", "TEXT")],
        ),
    ],
)
@pytest.mark.parametrize("valid_time", ["load", pytest.param("always", marks=pytest.mark.slow)])
def test_a_changed_column_is_reported_and_changes_no_row(
    valid_time: str, script: str, reported: list[Any], make_project: Make, database: Database, clock: Clock
) -> None:
    database(SHOP)
    project = make_project(s=URL | {"valid_time": valid_time})
    build(project)
    assert changes(project) == [], "the first load changes nothing"
    with project.read() as connection:
        before = connection.execute("SELECT * FROM graph.nodes ORDER BY ALL").fetchall()
    for _ in range(2):  # the load after the change is as quiet as the change
        clock.forward()
        database(script if _ == 0 else "CREATE TABLE other (id INTEGER PRIMARY KEY)")
        result = load_source(project, "s")
        assert result.schema_changes == (1 if _ == 0 else 0) and result.rows == 3
        stage_rows(project)
        commit_staged(project)
        assert changes(project) == reported
        with project.read() as connection:
            assert connection.execute("SELECT * FROM graph.nodes ORDER BY ALL").fetchall() == before


def test_after_a_rename_rows_go_on_under_the_first_iri(make_project: Make, database: Database, clock: Clock) -> None:
    database(SHOP)
    project = make_project(s=URL)
    build(project)
    clock.forward()
    database("ALTER TABLE t RENAME COLUMN name TO title; UPDATE t SET price = 9 WHERE id = 2")
    build(project)
    clock.forward()
    database("ALTER TABLE t RENAME COLUMN title TO caption")
    build(project)
    clock.forward()
    database("UPDATE t SET caption = 'new' WHERE id = 3")
    build(project)
    with project.read() as connection:
        rows = connection.execute(
            """SELECT node_id[-1:], count(*), json_extract_string(arg_max(properties, valid_from), '$."https://g.test/s/t#name"')
               FROM graph.nodes WHERE recorded_to = 'infinity' GROUP BY 1 ORDER BY 1"""
        ).fetchall()
    assert rows == [("1", 1, "a"), ("2", 2, "b"), ("3", 2, "new")]
    assert changes(project) == [("t", "title", "renamed", "name", "title"), ("t", "caption", "renamed", "title", "caption")]


def test_two_columns_with_the_same_values_are_no_rename(make_project: Make, database: Database, clock: Clock) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    project = make_project(s=URL)
    build(project)
    clock.forward()
    database(
        """CREATE TABLE u (id INTEGER PRIMARY KEY, b TEXT, c TEXT); INSERT INTO u VALUES (1, 'x', 'x'), (2, 'y', 'y');
        DROP TABLE t; ALTER TABLE u RENAME TO t"""
    )
    load_source(project, "s")
    assert [(column, change) for _, column, change, _, _ in changes(project)] == [
        ("a", "dropped"), ("b", "added"), ("c", "added")
    ]  # fmt: skip


def test_a_table_that_is_dropped_ends_its_rows_and_keeps_their_past(
    make_project: Make, database: Database, clock: Clock
) -> None:
    database(SHOP + "; CREATE TABLE gone (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO gone VALUES (1, 'old')")
    project = make_project(s=URL)
    build(project)
    first = clock.now
    clock.forward()
    database("DROP TABLE gone")
    build(project)
    assert changes(project) == [("gone", "", "dropped", "table", None)]
    with project.read() as connection:
        query = "SELECT label FROM graph.nodes_as_of(CAST(? AS TIMESTAMPTZ), '2100-01-01'::TIMESTAMPTZ) WHERE label = 'old'"
        assert connection.execute(query, [first]).fetchall() == [("old",)]
        assert connection.execute(query, [clock.now]).fetchall() == []


def test_a_table_that_is_emptied_is_refused_however_small_its_share(
    make_project: Make, database: Database, clock: Clock
) -> None:
    database(
        """CREATE TABLE big (id INTEGER PRIMARY KEY); CREATE TABLE small (id INTEGER PRIMARY KEY);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO big SELECT i FROM n;
        INSERT INTO small SELECT id FROM big LIMIT 12"""
    )
    project = make_project(s=URL)
    load_source(project, "s")
    database("DELETE FROM small")
    with pytest.raises(CommitRefusedError, match="all rows of small vanished"):
        load_source(project, "s")
    project = make_project(s=URL | {"max_shrink": 1})
    assert load_source(project, "s").rows == 500


def test_an_increment_without_lists_takes_no_items_away(make_project: Make, tmp_path: Path, clock: Clock) -> None:
    """A load that shows no item at all does not show the table of the items either."""
    file = tmp_path / "orders.json"
    file.write_text('[{"id": 1, "items": [{"sku": "a"}, {"sku": "b"}]}, {"id": 2, "items": [{"sku": "c"}]}]')
    load = {"orders": {"mode": "incremental", "cursor": "id", "key": ["id"]}}
    project = make_project(s={"type": "files", "path": "orders.json", "load": load, "infer_keys": False})
    assert load_source(project, "s").rows == 5
    clock.forward()
    file.write_text('[{"id": 3}]')
    assert load_source(project, "s").rows == 6
    assert [present for _, _, present in log(project, "orders.items")] == [True, True, True]
    clock.forward()
    file.write_text('[{"id": 1, "items": [{"sku": "a"}]}]')
    load_source(project, "s")
    assert [key for key, _, present in log(project, "orders.items") if not present] == ["[1,1]"], "of a record that it brings"
