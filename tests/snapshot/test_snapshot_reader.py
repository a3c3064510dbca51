"""Reading a snapshot: entities, neighbours, history, evidence, SQL, damage, versions, threads, light imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest
from small_graph import EX, STORE, Rows, node_iri, small_project

import stratagraph
from stratagraph.errors import SnapshotError
from stratagraph.project import Project
from stratagraph.snapshot.publish import publish
from stratagraph.snapshot.reader import Snapshot, open_snapshot

HEAVY = ("polars", "dlt", "owlready2", "openai", "dagster", "pyarrow", "pandas", "igraph", "yaml", "rdflib")


def test_open_by_each_kind_of_path(published: Project) -> None:
    latest = (published.snapshots / "LATEST").read_text().strip()
    for path in (published.data_dir, published.snapshots, published.snapshots / latest, str(published.data_dir)):
        with stratagraph.open(path) as snapshot:
            assert snapshot.id == latest


def test_get_entity(snapshot: Snapshot) -> None:
    entity = snapshot.get_entity(node_iri("ada"))
    assert entity is not None
    assert entity["label"] == "Ada Okafor" and entity["classes"] == [f"{EX}Person"]
    assert entity["properties"] == {f"{EX}name": "Ada Okafor"}
    assert entity["refs"] == ["https://example.org/alias/ada"]
    assert entity["facets"][0]["valid_from"] == "-infinity" and entity["facets"][0]["recorded_to"] == "infinity"
    by_ref = snapshot.get_entity("https://example.org/alias/ada")
    assert by_ref == entity
    assert snapshot.get_entity("urn:nobody") is None
    assert snapshot.get_entity(node_iri("ada"), known_at="2013-03-16T16:00:00Z") is None
    json.dumps(entity)


@pytest.mark.parametrize("odd", ["", "\ud800", "a\x00b", "'; DROP TABLE graph.nodes_open; --", "😀" * 5000])
def test_an_odd_id_is_the_id_of_nothing(snapshot: Snapshot, odd: str) -> None:
    assert snapshot.get_entity(odd) is None
    assert snapshot.neighbors(odd) == snapshot.history(odd) == snapshot.evidence(odd) == []


def test_a_merged_entity_is_found_by_its_old_id(tmp_path: Path) -> None:
    """Two people turn out to be one: what stood for itself before the merge names the other one after it."""
    project = small_project(tmp_path)
    merged, later = STORE + timedelta(days=1), STORE + timedelta(days=2)
    rows = Rows(merged)
    rows.node("adah", "Person", "Adah Okafor", recorded=(STORE.isoformat(), merged.isoformat()))
    rows.add("identities", "main", node_iri("adah"), node_iri("ada"), "name", 1.0, "same name", rows.now, "infinity")
    with project.write() as connection:
        rows.insert(connection)
    publish(project)
    with open_snapshot(project.data_dir) as snapshot:
        after = snapshot.get_entity(node_iri("adah"), known_at=later)
        before = snapshot.get_entity(node_iri("adah"), known_at=STORE)
        assert after is not None and after["id"] == node_iri("ada")
        assert before is not None and before["label"] == "Adah Okafor"
        assert snapshot.neighbors(node_iri("adah")) == snapshot.neighbors(node_iri("ada"))
        assert snapshot.history(node_iri("adah"))[0]["text"] == "Adah Okafor"


def test_neighbors(snapshot: Snapshot) -> None:
    def names(hops: int, **point: str) -> list[tuple[str, int]]:
        return [(node["label"], node["distance"]) for node in snapshot.neighbors(node_iri("ada"), hops, **point)]

    assert names(1) == [("Globex", 1)]
    assert names(2) == [("Globex", 1), ("Carol Mensah", 2)]
    assert names(1, valid_at="2021-01-01") == [("Acme Robotics", 1)]
    assert names(1, valid_at="any") == [("Acme Robotics", 1), ("Globex", 1)]
    via = snapshot.neighbors(node_iri("ada"), valid_at="2021-01-01")[0]["via"]
    assert via[0]["fact"] == "Ada Okafor works for Acme Robotics"
    assert snapshot.neighbors("urn:nobody") == []
    assert len(snapshot.neighbors(node_iri("ada"), 3, limit=1)) == 1
    with pytest.raises(SnapshotError, match="hops"):
        snapshot.neighbors(node_iri("ada"), 0)


def test_history_keeps_what_was_believed(snapshot: Snapshot) -> None:
    rows = [row for row in snapshot.history(node_iri("agnew")) if row["kind"] == "edge"]
    assert [(row["text"].split(" (")[0], row["recorded_from"], row["recorded_to"]) for row in rows] == [
        ("Spiro Agnew holds office president", "2013-03-16T14:44:00Z", "2013-03-16T15:30:00Z"),
        ("Spiro Agnew holds office vice president", "2013-03-16T15:30:00Z", "infinity"),
    ]
    assert snapshot.history("urn:nobody") == []
    json.dumps(rows)


def test_evidence(snapshot: Snapshot) -> None:
    quoted = snapshot.evidence("urn:edge:ada:worksFor:globex")
    assert [row["quote"] for row in quoted] == ["Ada Okafor joined Globex"]
    assert quoted[0]["valid_to"] == "infinity" and len(quoted[0]["statement_id"]) == 32
    json.dumps(quoted)


def test_communities(snapshot: Snapshot) -> None:
    found = snapshot.communities(limit=100)
    members = {member for community in found for member in community["members"] if community["level"] == 0}
    assert {node_iri(name) for name in ("ada", "bob", "carol", "dan", "acme", "globex", "seattle")} <= members
    assert found[0]["member_count"] >= found[-1]["member_count"]
    assert all(set(finding) == {"text", "edge_ids"} for community in found for finding in community["findings"])
    assert snapshot.communities(level=7) == []
    json.dumps(found)


def test_status(snapshot: Snapshot) -> None:
    status = snapshot.status()
    assert status["snapshot_id"] == snapshot.id and status["datasets"] == ["main"]
    assert status["rows"]["nodes"] == 11
    json.dumps(status)


def test_sql(snapshot: Snapshot) -> None:
    table = snapshot.sql("SELECT label FROM nodes_now WHERE class = ? ORDER BY label", [f"{EX}Place"])
    assert (table.columns, table.rows) == (["label"], [("Seattle",)])
    named = snapshot.sql("FROM nodes_as_of($v, $k) SELECT count(*) AS n", {"v": "1970-01-01", "k": "2013-03-16 14:50:00+00"})
    assert named.as_dicts() == [{"n": 4}]
    assert snapshot.sql("SHOW TABLES").rows and snapshot.sql("DESCRIBE nodes_now").rows
    assert len(snapshot.sql("SELECT * FROM range(10) -- the end", limit=3).rows) == 3
    assert snapshot.sql("SELECT 'é;' AS a; ; -- the end; really\n/* ; */").rows == [("é;",)]
    assert snapshot.sql('SELECT 1 AS "{query}", 2 AS "{limit}"').as_dicts() == [{"{query}": 1, "{limit}": 2}]
    assert snapshot.sql("SELECT i FROM range(5) AS t(i) ORDER BY i DESC").rows == [(4,), (3,), (2,), (1,), (0,)]


def test_sql_gives_json_able_values_and_keeps_infinity(snapshot: Snapshot) -> None:
    table = snapshot.sql(
        "SELECT 'infinity'::TIMESTAMPTZ AS a, '-infinity'::TIMESTAMPTZ AS b, '2013-03-16 14:50:00.5+00'::TIMESTAMPTZ AS c, "
        "unhex('0aff') AS d, 1.5 AS e, [1, 2] AS f, DATE '2020-02-29' AS g, NULL AS h, true AS i, 2::HUGEINT AS j, "
        "['infinity'::TIMESTAMPTZ] AS k, '{query}{columns}' AS l"
    )
    expected = ("infinity", "-infinity", "2013-03-16T14:50:00.5Z", "0aff", 1.5, "[1,2]", "2020-02-29", None, True, 2)
    assert table.rows == [(*expected, "[infinity]", "{query}{columns}")]
    json.dumps(table.rows)


@pytest.mark.parametrize(
    "query",
    [
        "INSERT INTO graph.nodes_open SELECT * FROM graph.nodes_open",
        "DELETE FROM graph.nodes_open",
        "SELECT 1; SELECT 2",
        "COPY graph.nodes TO '/tmp/x.csv'",
        "ATTACH ':memory:' AS other",
        "SET threads = 1",
        "CREATE TEMP TABLE t (a INT)",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "INSTALL fts",
        "PRAGMA database_list; SELECT 1",
        "",
        "SELEKT",
        "SELECT * FROM nothing_here",
        "SELECT ?",
        "CALL pragma_version()",
        "EXPLAIN ANALYZE DELETE FROM graph.nodes_open",
        "SELECT 1) AS q; DROP TABLE graph.nodes_open; --",
    ],
)
def test_sql_refuses(snapshot: Snapshot, query: str) -> None:
    with pytest.raises(SnapshotError):
        snapshot.sql(query)
    assert snapshot.sql("SELECT count(*) FROM graph.nodes").rows == [(11,)]


def test_sql_cannot_see_python_variables(snapshot: Snapshot) -> None:
    secret = [1]
    with pytest.raises(SnapshotError, match="secret"):
        snapshot.sql("SELECT * FROM secret")
    assert secret


def test_a_slow_query_is_interrupted(snapshot: Snapshot) -> None:
    with pytest.raises(SnapshotError, match="longer than"):
        snapshot.sql("SELECT count(*) FROM range(1000000) AS a, range(1000000) AS b WHERE hash(a, b) % 7 = 3", timeout=0.3)
    assert snapshot.sql("SELECT 1", timeout=60).rows == [(1,)]


def test_many_threads(snapshot: Snapshot) -> None:
    def work(number: int) -> tuple[list[str], int]:
        hits = snapshot.search("Ada works for Globex", valid_at="2023-06-01", limit=3)
        return [hit.id for hit in hits], int(snapshot.sql(f"SELECT {number}").rows[0][0])

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(40)))
    assert [number for _, number in results] == list(range(40))
    assert all(ids == results[0][0] for ids, _ in results)


def test_two_readers_of_one_file(published: Project) -> None:
    with open_snapshot(published.data_dir) as one, open_snapshot(published.data_dir) as two:
        one.close()
        assert two.search("Ada")
        with pytest.raises(SnapshotError, match="closed"):
            one.search("Ada")


def test_reading_imports_nothing_of_the_pipeline(published: Project) -> None:
    code = (
        "import sys, stratagraph\n"
        "snapshot = stratagraph.open(sys.argv[1]); snapshot.search('Ada'); snapshot.recall('Ada'); snapshot.sql('SELECT 1')\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(stratagraph.__file__).parents[1])}
    run = subprocess.run(
        [sys.executable, "-c", code, str(published.data_dir)], env=environment, check=True, capture_output=True, text=True
    )
    assert run.stdout.strip() == "[]"


def test_nothing_here(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="no snapshot here"):
        open_snapshot(tmp_path)
    (tmp_path / "LATEST").write_text("gone\n")
    with pytest.raises(SnapshotError, match="LATEST"):
        open_snapshot(tmp_path)


def test_another_format_says_what_it_needs(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps(manifest | {"format_version": "9.0", "min_reader": "3.1.4"}))
    with pytest.raises(SnapshotError, match=r"stratagraph >= 3\.1\.4"):
        open_snapshot(copy)
    (copy / "manifest.json").write_text(json.dumps(manifest | {"format_version": "1.9"}))
    with pytest.raises(SnapshotError, match="publish again"):
        open_snapshot(copy)
    (copy / "manifest.json").write_text(json.dumps(manifest | {"format_version": "3.9"}))
    with open_snapshot(copy) as snapshot:
        assert snapshot.search("Ada")


def test_any_duckdb_client_reads_it(published: Project) -> None:
    folder = published.snapshots / (published.snapshots / "LATEST").read_text().strip()
    with duckdb.connect(str(folder / "snapshot.duckdb"), read_only=True) as connection:
        rows = connection.execute(
            "SELECT n.label FROM edges_as_of('1970-01-01', '2013-03-16 14:50:00+00') AS e "
            "JOIN nodes_now AS n ON n.node_id = e.subject WHERE e.object LIKE '%/prez' ORDER BY ALL"
        ).fetchall()
    assert rows == [("Richard Nixon",), ("Spiro Agnew",)]


def test_many_threads_open_one_file_at_once(published: Project) -> None:
    """They share one database instance and its settings, so none may find it half configured or locked too early."""
    barrier = threading.Barrier(8)

    def open_and_count(_: int) -> int:
        barrier.wait()
        with open_snapshot(published.data_dir) as opened:
            return len(opened.sql("SELECT DISTINCT node_id FROM graph.nodes_open").rows)

    for _ in range(5):
        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(open_and_count, range(8)))) == 1
