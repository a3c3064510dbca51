"""`stratagraph build` on real projects: from nothing, again, and when something is in the way."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from command_line import call, environment, make_project, run


def test_a_build_reports_every_stage(built: Path) -> None:
    report = json.loads((built / "first-build.json").read_text(encoding="utf-8"))
    assert report["changed"] is True
    assert [stage["stage"] for stage in report["stages"]] == [
        "source shop", "foreign keys", "row statements", "documents", "chunks", "document statements", "ontology",
        "text statements", "belief", "identity", "communities", "search index", "snapshot",
    ]  # fmt: skip
    assert all(stage["counts"] for stage in report["stages"])


def test_a_second_build_changes_nothing_and_says_so(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "copy")
    again = call("build", "--json", "--config", tmp_path / "copy" / "stratagraph.yaml")
    assert again.json["changed"] is False
    human = run("build", cwd=tmp_path / "copy")
    assert "Nothing changed since the last build." in human.err
    assert "source shop" in human.out
    assert "[1/13] source shop" in human.err


def test_a_fresh_starter_with_an_empty_folder_builds_and_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("init", "new").code == 0
    monkeypatch.chdir(tmp_path / "new")
    built = call("build", "--json")
    assert built.code == 0, built.err
    assert call("search", "anything", "--json").json == []
    assert call("status").code == 0
    Path("documents/a.txt").write_text("Ann Smith works for Acme Inc.", encoding="utf-8")
    assert call("build").code == 0
    hits = call("search", "Acme", "--kind", "fact", "--valid-at", "any", "--json").json
    assert any("Ann Smith" in hit["text"] for hit in hits)


def test_a_locked_warehouse_is_one_message_while_snapshots_still_read(built: Path) -> None:
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(built / "data" / "warehouse.duckdb")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as holder:  # fmt: skip
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        (built / "documents" / "held.md").write_text("Held.", encoding="utf-8")
        locked = run("build", cwd=built)
        read = run("status", cwd=built)
        holder.communicate("")
        (built / "documents" / "held.md").unlink()
    assert locked.code == 1
    assert "another process holds the file" in locked.err
    assert "Traceback" not in locked.err
    assert read.code == 0


def test_a_source_that_is_gone_stops_the_build_with_one_message(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    (project / "shop.db").unlink()
    result = run("build", cwd=project)
    assert result.code == 1
    assert "shop" in result.err
    assert "Traceback" not in result.err
    assert not (project / "shop.db").exists()


def test_the_warehouse_file_opens_in_any_client(built: Path) -> None:
    with duckdb.connect(str(built / "data" / "warehouse.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM graph.nodes_now").fetchone() is not None


def test_builds_at_once_take_turns_and_the_second_finds_nothing_to_do(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    command = [sys.executable, "-m", "stratagraph.cli.main", "build", "--json"]
    builds = [
        subprocess.Popen(command, cwd=project, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    results = [build.communicate() for build in builds]
    assert [build.returncode for build in builds] == [0, 0], results
    assert sorted(json.loads(out)["changed"] for out, _ in results) == [False, True]
    assert sum("waiting for it to end" in err for _, err in results) == 1


# A file system of its own, in a namespace of its own: too small at first, then large enough.
FULL_DISK = """
mount -t tmpfs -o size=$3 tmpfs "$2" || exit 77
"$1" -m stratagraph.cli.main build; echo "first $?"
mount -o remount,size=300m "$2"
"$1" -m stratagraph.cli.main build >/dev/null 2>&1; echo "second $?"
"$1" -m stratagraph.cli.main snapshot verify >/dev/null; echo "verified $?"
"""


@pytest.mark.parametrize("size", ["4m", pytest.param("1m", marks=pytest.mark.slow)])
def test_a_full_disk_is_one_message_and_nothing_stays_broken(tmp_path: Path, size: str) -> None:
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    project = make_project(tmp_path / "project")
    (project / "data").mkdir()
    command = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        FULL_DISK,
        "sh",
        sys.executable,
        str(project / "data"),
        size,
    ]
    result = subprocess.run(command, cwd=project, env=environment(), capture_output=True, text=True, check=False)
    if result.returncode in (1, 77) and "first" not in result.stdout:
        pytest.skip(f"no mounting here: {result.stderr}")
    assert result.stdout.split("\n")[-4:-1] == ["first 1", "second 0", "verified 0"], result.stdout + result.stderr
    assert "the disk is full" in result.stderr
