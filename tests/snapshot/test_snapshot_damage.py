"""What a reader does with files that are damaged, missing, of another version, or replaced while it opens them."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest
from small_graph import STORE, Rows, small_project

import stratagraph
from stratagraph.errors import SnapshotError
from stratagraph.server.latest import LatestSnapshot
from stratagraph.snapshot.publish import publish
from stratagraph.snapshot.reader import open_snapshot


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"format_version": "1.0"}', '{"format_version": null}'])
def test_a_damaged_manifest(copy: Path, content: str) -> None:
    (copy / "manifest.json").write_text(content)
    with pytest.raises(SnapshotError, match="manifest"):
        open_snapshot(copy)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[(key, None) for key in ("snapshot_id", "known_at", "files", "rows", "rows_indexed", "embedding", "tokenizer")],
        ("snapshot_id", "../elsewhere"),
        ("known_at", "yesterday"),
        ("known_at", "2026-01-01T00:00:00"),
        ("files", []),
        ("files", {"snapshot.duckdb": None}),
        ("files", {"snapshot.duckdb": {}}),
        ("rows_indexed", "many"),
    ],
)
def test_a_manifest_whose_values_are_unusable(copy: Path, key: str, value: object) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps(manifest | {key: value}))
    with pytest.raises(SnapshotError, match=f"manifest lacks a usable {key}"):
        open_snapshot(copy)


@pytest.mark.parametrize("name", ["tables/nodes.parquet", "index/vectors.npy"])
def test_a_file_of_another_size(copy: Path, name: str) -> None:
    with (copy / name).open("ab") as file:
        file.write(b"x")
    with pytest.raises(SnapshotError, match=name):
        open_snapshot(copy)


@pytest.mark.parametrize("damage", ["missing", "truncated", "same size"])
def test_an_unreadable_database_is_made_again(copy: Path, own_cache: Path, damage: str) -> None:
    file = copy / "snapshot.duckdb"
    size = file.stat().st_size
    file.unlink()
    if damage != "missing":
        file.write_bytes(b"\x00" * (size if damage == "same size" else 100))
    for _ in range(2):
        with open_snapshot(copy) as snapshot:
            assert snapshot.search("Ada works for Globex")[0].text == "Ada Okafor works for Globex"
            assert snapshot.sql("SELECT count(*) FROM graph.nodes").rows == [(11,)]
    assert len(list(own_cache.rglob("*.duckdb"))) == 1


@pytest.mark.parametrize("table", ["citations", "repeats"])
def test_a_database_that_lacks_what_this_version_derives_is_made_again(copy: Path, own_cache: Path, table: str) -> None:
    file = copy / "snapshot.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"DROP TABLE graph.{table}")
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["files"]["snapshot.duckdb"]["bytes"] = file.stat().st_size
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with open_snapshot(copy) as snapshot:
        assert snapshot.search("Ada works for Globex")[0].citations
    assert len(list(own_cache.rglob("*.duckdb"))) == 1


def test_an_index_of_another_engine_is_made_again_once_however_many_readers_want_it(copy: Path, own_cache: Path) -> None:
    meta = copy / "index" / "lexical" / "meta.json"
    meta.write_bytes(b" " * meta.stat().st_size)

    def first_hit(_: int) -> str:
        with open_snapshot(copy) as snapshot:
            return snapshot.search("Ada works for Globex", "lexical")[0].text

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(first_hit, range(8))) == {"Ada Okafor works for Globex"}
    assert len(list(own_cache.rglob("meta.json"))) == 1


def test_a_cache_that_cannot_be_written_is_named(copy: Path, own_cache: Path) -> None:
    own_cache.write_text("a file where the folder should be")
    (copy / "snapshot.duckdb").unlink()
    with pytest.raises(SnapshotError, match="STRATAGRAPH_CACHE_DIR"):
        open_snapshot(copy)


def test_an_index_that_covers_too_little_is_refused(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps(manifest | {"rows_indexed": manifest["rows_indexed"] + 1}))
    with pytest.raises(SnapshotError, match="index covers"):
        open_snapshot(copy)


@pytest.mark.parametrize("suffix", ["fast", "fieldnorm", "idx", "pos", "store", "term", "meta.json", "vectors.npy"])
@pytest.mark.parametrize("damage", [b"\xff", b"\x00", b"\x55"])
def test_bytes_turned_in_an_index_are_one_error_or_none(copy: Path, suffix: str, damage: bytes) -> None:
    """The size is right, so only reading can tell. tantivy panics on some of these files."""
    (file,) = (copy / "index").rglob(f"*{suffix}")
    content = file.read_bytes()
    file.write_bytes(damage * min(200, len(content)) + content[200:])
    try:
        with open_snapshot(copy) as snapshot:
            snapshot.search("Ada works for Globex")
    except SnapshotError as error:
        assert error.where is not None


def test_bytes_turned_in_the_database_are_one_error(copy: Path) -> None:
    file = copy / "snapshot.duckdb"
    content = file.read_bytes()
    for part in (3, 5, 7):  # eighths of the file
        start = len(content) * part // 8
        file.write_bytes(content[:start] + b"\xff" * 4096 + content[start + 4096 :])
        try:
            with open_snapshot(copy) as snapshot:
                for hit in snapshot.recall("Ada works for Globex", valid_at="any", known_at="any"):
                    snapshot.evidence(hit.id)
                    snapshot.history(hit.id)
                snapshot.communities()
        except SnapshotError:
            pass


def test_opening_while_newer_ones_are_published_and_older_ones_removed(tmp_path: Path) -> None:
    project = small_project(tmp_path, keep=1)
    publish(project)
    published, opened = True, set()
    latest = LatestSnapshot(project.data_dir)

    def read() -> None:
        while published:
            with stratagraph.open(project.data_dir) as snapshot:
                assert snapshot.search("Ada")
                opened.add(snapshot.id)
            assert latest.get().search("Ada")
            time.sleep(0.02)

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            for day in range(1, 4):
                rows = Rows(STORE + timedelta(days=day))
                rows.node(f"new-{day}", "Person", f"New {day}")
                with project.write() as connection:
                    rows.insert(connection)
                publish(project)
        finally:
            published = False
        for reader in readers:
            reader.result()
    assert len(opened) > 1
