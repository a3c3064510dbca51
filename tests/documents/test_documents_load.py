"""Files to the landing file: what is found, what is skipped, what is refused without stopping the rest."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from stratagraph.documents.load import load_documents
from stratagraph.errors import SourceError, WarehouseError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_every_kind_of_bad_file_is_quarantined_and_the_rest_loads(bench: Any, tmp_path: Path) -> None:
    bench.put("notes/good.md", "# Good\n\nFine.")
    bench.put("notes/deep/er/good.txt", "Also fine.")
    bench.put("notes/latin.txt", b"caf\xe9")
    bench.put("notes/nul.txt", b"a\x00b")
    bench.put("notes/zero.txt", b"")
    bench.put("notes/blank.md", b" \n\t\n")
    bench.put("notes/huge.txt", b"x" * 20_000_001)
    bench.put("notes/late.md", "---\ndate: 2024-02-30\n---\nText")
    bench.put("notes/front.md", "---\ndate: [\n---\nText")
    bench.put("notes/scan.pdf", b"%PDF")
    bench.put("notes/letter.doc", b"old")
    secret = bench.put("outside/secret.txt", "classified")
    (tmp_path / "notes/link.txt").symlink_to(secret)
    (tmp_path / "notes/inner.txt").symlink_to(tmp_path / "notes/deep/er/good.txt")
    (tmp_path / "notes/dangling.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "notes/loop.txt").symlink_to(tmp_path / "notes/loop.txt")
    (tmp_path / "notes/folder").symlink_to(tmp_path / "outside")
    os.mkfifo(tmp_path / "notes/pipe.txt")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/notes/\xff.txt")).write_text("odd name")
    loaded, chunks = bench.run()
    assert bench.refused() == {
        "notes/latin.txt": "undecodable", "notes/nul.txt": "nul_byte", "notes/zero.txt": "empty", "notes/blank.md": "empty",
        "notes/huge.txt": "too_large", "notes/late.md": "invalid_reference_time", "notes/front.md": "invalid_front_matter",
        "notes/scan.pdf": "mismatched_content", "notes/letter.doc": "unsupported_format",
        "notes/link.txt": "outside_root", "notes/folder/secret.txt": "outside_root",
        "notes/pipe.txt": "not_a_file", "notes/dangling.txt": "unreadable", "notes/loop.txt": "unreadable",
    }  # fmt: skip
    assert (loaded.documents, loaded.refused) == (4, 14) == (chunks.documents, chunks.quarantined)
    assert bench.rows("SELECT path FROM graph.documents ORDER BY path") == [
        ("notes/\\udcff.txt",), ("notes/deep/er/good.txt",), ("notes/good.md",), ("notes/inner.txt",),
    ]  # fmt: skip
    assert "classified" not in str(bench.content())


def test_a_pattern_that_matches_nothing_is_an_error_with_its_key(bench: Any) -> None:
    with pytest.raises(SourceError, match=r"documents\.notes\.path: no file matches 'notes/\*\*/\*'"):
        load_documents(bench.project)
    bench.put("notes/.gitkeep", "")
    assert bench.run()[0].empty_sources == 1  # the folder is there: nothing has come yet
    bench.documents = {"notes": {"type": "episodes", "path": "notes/none.json"}}
    with pytest.raises(SourceError, match=r"notes/none\.json"):
        load_documents(bench.project)
    bench.put("notes/a.md", "Text")
    bench.documents = {"notes": {"type": "files", "path": "notes/*.html"}}
    with pytest.raises(SourceError, match="html"):
        load_documents(bench.project)


def test_unchanged_files_are_not_loaded_again(bench: Any) -> None:
    file = bench.put("notes/a.md", "One")
    assert bench.run()[0].changed
    assert not bench.run()[0].changed
    os.utime(file, (1, 1))  # reference_time is configured, so the time of the file means nothing
    assert not bench.run()[0].changed
    bench.put("notes/a.md", "Two")
    assert bench.run()[0].changed
    bench.documents["notes"] = bench.documents["notes"] | {"reference_time": "2024-05-02"}
    assert bench.run()[0].changed


def test_the_time_of_a_file_is_its_reference_time_if_there_is_no_other(bench: Any) -> None:
    bench.documents = {"notes": {"type": "files", "path": "notes/*"}}
    os.utime(bench.put("notes/a.md", "One"), ns=(0, 1_500_000_000_123_456_789))
    bench.put("notes/b.md", "---\ndate: 2021-01-01\n---\nTwo")
    bench.run()
    assert bench.rows("SELECT reference_time FROM graph.documents ORDER BY path") == [
        (datetime(2017, 7, 14, 2, 40, 0, 123456, tzinfo=UTC),), (datetime(2021, 1, 1, tzinfo=UTC),),
    ]  # fmt: skip
    os.utime(bench.root / "notes/a.md", (1, 1))
    assert bench.run()[1].documents_closed == 1


def test_the_same_episode_twice_is_loaded_once(bench: Any) -> None:
    bench.documents = {"press": {"type": "episodes", "path": "e.json"}}
    first = {"id": "1", "ref_time": "2024-01-01", "text": "First"}
    bench.put(
        "e.json", {"episodes": [first, first | {"text": "Second"}, first | {"id": 1, "text": "Third"}, first | {"id": "2"}]}
    )
    loaded, _ = bench.run()
    assert (loaded.documents, loaded.refused) == (2, 2)
    assert bench.rows("SELECT text FROM graph.documents ORDER BY document_id") == [("First",), ("First",)]


def test_tables_that_are_empty_now_are_emptied(bench: Any) -> None:
    bench.documents = {"chats": {"type": "chats", "path": "c.json"}}
    bench.put("c.json", {"Ann": {"history": {"2024-01-01": [{"query": "Hello"}], "bad": []}}})
    loaded, _ = bench.run()
    assert (loaded.documents, loaded.turns, loaded.refused) == (1, 1, 1)
    bench.settings = {"guard": {"max_shrink": 1}}
    bench.put("c.json", {})
    loaded, chunks = bench.run()
    assert (loaded.documents, loaded.turns, loaded.refused) == (0, 0, 0)
    assert (chunks.documents, chunks.chunks, chunks.quarantined) == (0, 0, 0)


def test_a_locked_landing_file_is_one_clear_message(bench: Any) -> None:
    bench.put("notes/a.md", "One")
    bench.run()
    bench.put("notes/a.md", "Two")
    code = (
        f"import duckdb, sys; c = duckdb.connect({str(bench.project.landing)!r}); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout and holder.stdout.readline() == b"held\n"
        with pytest.raises(WarehouseError, match="another process holds the file"):
            load_documents(bench.project)
        assert holder.stdin
        holder.stdin.close()
    assert load_documents(bench.project).changed


def test_a_load_leaves_no_trace_on_the_terminal(bench: Any, capfd: pytest.CaptureFixture[str]) -> None:
    bench.put("notes/a.md", "One")
    threads = threading.active_count()
    bench.run()
    assert capfd.readouterr() == ("", "")
    assert threading.active_count() <= threads + 2
    with duckdb.connect(str(bench.project.landing), read_only=True) as connection:
        names = {
            row[0]
            for row in connection.sql("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'documents'").fetchall()
        }
    assert {"documents", "turns", "refused"} <= names
