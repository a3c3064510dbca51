"""Publishing: what a snapshot holds, reproducible bytes and hashes, atomicity under kill -9, retention, secrets."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from small_graph import STORE, Rows, make_project, small_project

import stratagraph
from stratagraph.communities.run import update_communities
from stratagraph.errors import SnapshotError
from stratagraph.project import Project
from stratagraph.snapshot import layout
from stratagraph.snapshot.content import read_content
from stratagraph.snapshot.publish import publish
from stratagraph.snapshot.reader import open_snapshot


def add_person(project: Project, name: str, moment: datetime = STORE + timedelta(days=1)) -> None:
    rows = Rows(moment)
    rows.node(name, "Person", name.title())
    with project.write() as connection:
        rows.insert(connection)


def manifest_of(project: Project) -> dict[str, object]:
    with open_snapshot(project.data_dir) as snapshot:
        return snapshot.manifest


def test_what_a_snapshot_holds(published: Project) -> None:
    folder = layout.find_snapshot(published.data_dir)
    manifest = layout.read_manifest(folder)
    assert manifest["snapshot_id"] == folder.name == f"20260101T010000000000Z-{manifest['content_hash'][:12]}"
    assert layout.damaged_files(folder, manifest, contents=True) == []
    on_disk = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert on_disk - {"manifest.json"} >= set(manifest["files"])
    assert {name for name in on_disk - set(manifest["files"]) if not name.endswith(".lock")} == {"manifest.json"}
    published_files = [folder / name for name in manifest["files"]]
    assert {stat.S_IMODE(file.stat().st_mode) for file in published_files} == {0o444}
    assert stat.S_IMODE((folder / "manifest.json").stat().st_mode) == 0o444
    with duckdb.connect() as connection, published.read() as warehouse:
        for table in ("nodes", "edges", "statements", "chunks", "communities"):
            stored = connection.execute(f"SELECT count(*) FROM '{folder}/tables/{table}.parquet'").fetchall()
            assert stored == warehouse.execute(f"SELECT count(*) FROM graph.{table}").fetchall() == [(manifest["rows"][table],)]


def test_again_does_nothing(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    first, second = publish(project), publish(project)
    assert first.changed and not second.changed
    assert (first.snapshot_id, first.content_hash) == (second.snapshot_id, second.content_hash)
    assert isinstance(first.metadata()["bytes"], int)


def test_secrets_are_not_published(published: Project) -> None:
    folder = layout.find_snapshot(published.data_dir)
    for file in folder.rglob("*"):
        if file.is_file():
            assert b"hunter2" not in file.read_bytes(), file
    with open_snapshot(folder) as snapshot:
        assert snapshot.sql("SELECT reason, location FROM graph.quarantine").rows == [("ungrounded", "doc-press#1")]
        assert b"hunter2" not in json.dumps(snapshot.sql("SELECT * FROM graph.quarantine").rows).encode()


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    def table_hashes(folder: Path) -> dict[str, str]:
        project = small_project(folder)
        update_communities(project)
        files = layout.read_manifest(publish(project).path)["files"]
        return {name: file["sha256"] for name, file in files.items() if name.startswith("tables/") or name.endswith(".npy")}

    first = table_hashes(tmp_path / "a")
    assert len(first) > 15 and first == table_hashes(tmp_path / "b")


def test_the_content_hash_does_not_depend_on_the_store_clock(tmp_path: Path) -> None:
    later = datetime(2026, 5, 5, 12, 34, 56, 789, tzinfo=UTC)
    one = small_project(tmp_path / "one")
    two = small_project(tmp_path / "two", moment=later, clock=later + timedelta(hours=3))
    for project in (one, two):
        update_communities(project)
    first, second = publish(one), publish(two)
    assert first.content_hash == second.content_hash
    assert first.snapshot_id != second.snapshot_id


def test_the_content_hash_depends_on_content_and_recorded_times(tmp_path: Path) -> None:
    project = small_project(tmp_path)

    def content_hash() -> str:
        with project.read() as connection:
            return read_content(connection, current=False).hash

    hashes = [content_hash()]
    for change in (
        "UPDATE graph.nodes_open SET label = 'Ada O.' WHERE label = 'Ada Okafor'",
        "UPDATE graph.edges_closed SET recorded_to = recorded_to + INTERVAL 1 SECOND",
        "UPDATE graph.chunks SET text = text || '!' WHERE position = 0",
        "DELETE FROM graph.identities",
        "UPDATE graph.statements SET recorded_to = now() WHERE source = 'press'",
    ):
        with project.write() as connection:
            connection.execute(change)
        hashes.append(content_hash())
    assert len(set(hashes)) == len(hashes)
    with project.write() as connection:
        connection.execute("CREATE TABLE graph.backup AS SELECT * FROM graph.nodes_open ORDER BY hash(node_id)")
        connection.execute("DELETE FROM graph.nodes_open")
        connection.execute("INSERT INTO graph.nodes_open SELECT * FROM graph.backup")
    assert content_hash() == hashes[-1]


def test_a_change_makes_a_new_snapshot_and_keeps_the_old(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    old = publish(project)
    with open_snapshot(old.path) as held:
        add_person(project, "zoe")
        new = publish(project)
        assert new.changed and new.snapshot_id > old.snapshot_id
        assert layout.read_manifest(new.path)["parent"] == old.snapshot_id
        assert not [hit for hit in held.search("Zoe", known_at="any", valid_at="any") if "Zoe" in hit.text]
        with open_snapshot(project.data_dir) as latest:
            assert latest.id == new.snapshot_id
            assert latest.search("Zoe", "nodes")[0].text == "Zoe (person)"


def test_retention(tmp_path: Path) -> None:
    project = small_project(tmp_path, keep=2)
    first = publish(project)
    held = open_snapshot(first.path)
    for day, name in enumerate(("uma", "vic", "wes"), start=1):
        add_person(project, name, STORE + timedelta(days=day))
        result = publish(project)
    kept = sorted(file.parent.name for file in project.snapshots.glob("*/manifest.json"))
    assert len(kept) == 2 and kept[-1] == result.snapshot_id
    assert held.search("Ada works for Globex")[0].text == "Ada Okafor works for Globex"
    assert held.sql("SELECT count(*) FROM graph.nodes").rows == [(11,)]
    held.close()


def test_latest_is_never_removed(tmp_path: Path) -> None:
    project = small_project(tmp_path, keep=1)
    first = publish(project)
    with project.write() as connection:
        connection.execute("CREATE TABLE graph.kept AS SELECT * FROM graph.nodes_open")
    add_person(project, "uma")
    publish(project)
    assert not first.path.exists()
    with project.write() as connection:  # back to the first content: its id sorts before the second one's
        connection.execute("DELETE FROM graph.nodes_open WHERE label = 'Uma'")
        connection.execute("DELETE FROM graph.statements WHERE subject LIKE '%/uma'")
        connection.execute("DELETE FROM graph.claims WHERE row_id LIKE '%/uma'")
    again = publish(project)
    assert again.snapshot_id == first.snapshot_id and again.path.is_dir()
    with open_snapshot(project.data_dir) as snapshot:
        assert snapshot.id == first.snapshot_id


def test_current_history_only(tmp_path: Path) -> None:
    project = small_project(tmp_path, history="current")
    publish(project)
    with open_snapshot(project.data_dir) as snapshot:
        assert snapshot.sql("SELECT count(*) FROM graph.edges WHERE recorded_to <> 'infinity'").rows == [(0,)]
        found = snapshot.search("Agnew holds office", "facts", valid_at="1970-01-01", known_at="any")
        assert [hit.text for hit in found if "Agnew" in hit.text] == [
            "Spiro Agnew holds office vice president (party Republican)"
        ]


def test_an_empty_warehouse(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    update_communities(project)
    result = publish(project)
    assert result.snapshot_id.startswith("19700101T000000000000Z-")
    with open_snapshot(project.data_dir) as snapshot:
        assert snapshot.search("anything") == [] and snapshot.recall("anything").hits == []
        assert snapshot.communities() == [] and snapshot.status()["datasets"] == []


def test_the_users_own_sql(tmp_path: Path) -> None:
    project = small_project(tmp_path, sql="views.sql")
    (tmp_path / "views.sql").write_text(
        "CREATE OR REPLACE MACRO workers_at(v, k) AS TABLE "
        "SELECT subject FROM graph.edges_as_of(v, k) WHERE predicate LIKE '%worksFor' ORDER BY subject;"
    )
    first = publish(project)
    with open_snapshot(project.data_dir) as snapshot:
        assert len(snapshot.sql("FROM workers_at('2021-01-01', '2026-01-02')").rows) == 3
    (tmp_path / "views.sql").write_text("CREATE OR REPLACE VIEW everybody AS SELECT label FROM graph.nodes_now;")
    second = publish(project)
    assert second.changed and second.content_hash == first.content_hash and second.snapshot_id != first.snapshot_id
    with open_snapshot(project.data_dir) as snapshot:
        assert snapshot.sql("SELECT count(*) FROM everybody").rows == [(11,)]
    assert not publish(project).changed
    (tmp_path / "views.sql").write_text("CREATE VIEW broken AS SELECT no_such_column FROM graph.nodes;")
    with pytest.raises(SnapshotError, match="SQL fails"):
        publish(project)
    (tmp_path / "views.sql").write_text("COPY (SELECT 1) TO '/tmp/stratagraph-must-not-exist.csv';")
    with pytest.raises(SnapshotError, match="SQL fails"):
        publish(project)
    assert manifest_of(project)["snapshot_id"] == second.snapshot_id


def test_a_snapshot_that_fails_its_probe_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = small_project(tmp_path)
    first = publish(project)
    add_person(project, "zoe")

    def damage(folder: Path, manifest: dict[str, object]) -> None:
        (folder / layout.MANIFEST).write_text(json.dumps(manifest))
        with (folder / "tables" / "nodes.parquet").open("ab") as file:
            file.write(b"x")

    monkeypatch.setattr("stratagraph.snapshot.publish._seal", damage)
    with pytest.raises(SnapshotError, match=r"nodes\.parquet"):
        publish(project)
    assert manifest_of(project)["snapshot_id"] == first.snapshot_id
    monkeypatch.undo()
    assert publish(project).changed
    assert not list(project.snapshots.glob(".tmp-*"))


def test_kill_at_any_moment_leaves_a_whole_snapshot(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    old = publish(project)
    add_person(project, "zoe")
    code = (
        "import sys; from stratagraph.project import Project; from stratagraph.snapshot.publish import publish\n"
        "print('ready', flush=True); publish(Project.load(sys.argv[1]))"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(stratagraph.__file__).parents[1])}
    for delay in (0.05, 0.3, 0.6, 0.9, 1.2):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "stratagraph.yaml")], env=environment, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with open_snapshot(project.data_dir) as snapshot:
            assert layout.damaged_files(snapshot.path, snapshot.manifest, contents=True) == []
            assert snapshot.search("Ada works for Globex")
    publish(project)
    assert manifest_of(project)["snapshot_id"] > old.snapshot_id
    assert not list(project.snapshots.glob(".tmp-*")) and not list((project.data_dir / "index").glob(".tmp-*"))


def test_a_kill_before_latest_is_repaired(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    first = publish(project)
    (project.snapshots / "LATEST").unlink()
    (project.snapshots / ".tmp-20260101T000000000000Z-dead").mkdir()
    again = publish(project)
    assert again.changed and again.snapshot_id == first.snapshot_id
    assert manifest_of(project)["snapshot_id"] == first.snapshot_id
    assert not list(project.snapshots.glob(".tmp-*"))
