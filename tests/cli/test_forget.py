"""`stratagraph forget --hard`: gone from every table, index, snapshot and byte of the data directory, and it stays gone."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from command_line import call, environment

from stratagraph.cli.main import main

MILTON = "https://example.org/graph/shop/employees/id=2"
NAME = "Milton Waddams"
NOTES = "https://example.org/graph/document/notes/documents/2019.md"


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    """A copy of the built project."""
    shutil.copytree(built, tmp_path / "project")
    return tmp_path / "project"


def traces(data: Path, name: str) -> list[str]:
    """Where a name stands: in the bytes of a file, or in a table of a database or a Parquet file, which compress it."""
    found = [str(file.relative_to(data)) for file in data.rglob("*") if file.is_file() and name.encode() in file.read_bytes()]
    for file in sorted(data.rglob("*.parquet")):
        found += [str(file.relative_to(data))] * bool(rows(duckdb.connect(), f"read_parquet('{file}')", name))
    for file in sorted(data.rglob("*.duckdb")):
        with duckdb.connect(str(file), read_only=True) as connection:
            tables = connection.execute(
                "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
            ).fetchall()
            found += [
                f"{file.relative_to(data)}:{schema}.{table}"
                for schema, table in tables
                if rows(connection, f'"{schema}"."{table}"', name)
            ]
    return found


def rows(connection: duckdb.DuckDBPyConnection, table: str, name: str) -> int:
    found = connection.execute(
        f"SELECT count(*) FROM {table} AS t WHERE contains(CAST(t AS VARCHAR), $n)", {"n": name}
    ).fetchone()
    return found[0] if found else 0


def forget(project: Path, id: str) -> dict[str, object]:
    done = call("forget", id, "--hard", "--yes", "--json", "--config", project / "stratagraph.yaml")
    assert done.code == 0, done.err
    return dict(done.json)


def build(project: Path) -> None:
    done = call("build", "--config", project / "stratagraph.yaml")
    assert done.code == 0, done.err


def test_a_subject_is_gone_and_stays_gone(project: Path) -> None:
    data = project / "data"
    before = traces(data, NAME)
    assert any("warehouse" in place for place in before) and any("snapshot" in place for place in before)
    done = forget(project, MILTON)
    assert done["counts"]["statements"] == 2
    assert len(done["snapshots_removed"]) == 1
    assert traces(data, NAME) == []
    assert traces(data, MILTON) == []
    assert call("search", "Milton", "--path", data).code == 0
    with sqlite3.connect(project / "shop.db") as connection:  # the source still holds it, and is read again
        connection.execute("INSERT INTO employees VALUES (4, 'Bill Lumbergh', 1)")
    build(project)
    assert set(traces(data, NAME)) <= {"landing.duckdb"}  # in no table; a load passed over it, and bytes are left
    assert "Bill Lumbergh" in call("search", "Bill Lumbergh", "--path", data).out
    with sqlite3.connect(project / "shop.db") as connection:
        connection.execute("DELETE FROM employees WHERE id = 2")
    build(project)
    forget(project, MILTON)
    assert traces(data, NAME) == []


def test_a_document_is_gone_and_stays_gone(project: Path) -> None:
    data = project / "data"
    assert traces(data, "is based in Berlin")
    done = forget(project, NOTES)
    assert done["kind"] == "document"
    assert done["counts"]["chunks"] == 1
    for text in ("Berlin", "Notes of March", "2019.md"):
        assert traces(data, text) == []
    (project / "documents" / "more.md").write_text("Bob Jones works for Globex Corporation.", encoding="utf-8")
    build(project)  # the file of the erased document is still there
    for text in ("Berlin", "Notes of March", "2019.md"):
        assert traces(data, text) == []
    found = call("search", "who works for Globex", "--path", data)
    assert "Bob Jones" in found.out


def test_someone_that_texts_name_is_gone_and_the_texts_stay(project: Path) -> None:
    ann = "https://example.org/graph/name/Person/ann%20smith"
    counts = forget(project, ann)["counts"]
    assert counts["mentions"] == 3 and counts["answers"] == 2
    (project / "documents" / "more.md").write_text("Bob Jones works for Globex Corporation.", encoding="utf-8")
    build(project)
    kept = traces(project / "data", ann)
    assert kept == []
    left = traces(project / "data", "Ann Smith")
    assert {place.partition(":")[2] for place in left if place.startswith("warehouse.duckdb:")} == {
        "graph.documents", "graph.chunks", "graph.llm_calls",
    }  # fmt: skip
    assert "Ann Smith joined Globex" in call("search", "Ann Smith", "--path", project / "data").out


KILLED = """
import os, signal, sys
from pathlib import Path
import stratagraph.forget, stratagraph.temporal.erase
from stratagraph.project import Project
module, name = sys.argv[1].split(":")
setattr(sys.modules[module], name, lambda *given, **named: os.kill(os.getpid(), signal.SIGKILL))
stratagraph.forget.forget(Project.load(Path(sys.argv[2])), "subject", sys.argv[3])
"""


@pytest.mark.parametrize(
    ("place", "again"),
    [
        ("stratagraph.temporal.erase:_derive_again", "forget"),  # in the middle of the transaction
        ("stratagraph.forget:_publish", "forget"),
        ("stratagraph.forget:_remove_snapshots", "build"),
        ("stratagraph.forget:rewrite_landing", "forget"),
    ],
)
def test_killed_and_run_again(project: Path, place: str, again: str) -> None:
    config, data = project / "stratagraph.yaml", project / "data"
    # The only employer of two people: her erasure has keys of others to derive again.
    hooli = "https://example.org/graph/shop/companies/id=2"
    killed = subprocess.run([sys.executable, "-c", KILLED, place, str(config), hooli], env=environment(), check=False)
    assert killed.returncode == -9
    if again == "forget":
        forget(project, hooli)
        assert traces(data, "Hooli Inc") == []
    else:
        build(project)
        assert traces(data, "Hooli Inc") == []
    assert not (data / "erasure.pending").exists()
    assert call("snapshot", "verify", "--path", data).code == 0


def test_it_asks_first_and_says_what_it_does_not_know(project: Path) -> None:
    config = project / "stratagraph.yaml"
    asked = CliRunner().invoke(main, ["forget", MILTON, "--hard", "--config", str(config)], input="n\n")
    assert asked.exit_code == 1
    assert traces(project / "data", NAME)
    softly = call("forget", MILTON, "--config", config)
    assert softly.code == 2
    assert "--hard" in softly.err
    unknown = call("forget", "urn:nobody", "--hard", "--yes", "--config", config)
    assert unknown.code == 1
    assert "nothing is known under this id" in unknown.err
