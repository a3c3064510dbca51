"""The benchmark of the belief engine runs at a tiny size: every part is measured, and a replay writes nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.bitemporal import store  # noqa: E402
from benchmarks.bitemporal.sizes import Size  # noqa: E402


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("belief")
    command = [sys.executable, "benchmarks/belief.py", "--keys", "200", "--repeats", "1", "--dir", str(folder), "--json"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert ended.returncode == 0, ended.stderr
    return dict(json.loads(ended.stdout)) | {"folder": folder}


def test_every_ratio_is_measured(report: dict[str, object]) -> None:
    lines = {str(line["name"]): line for line in report["lines"]}  # type: ignore[attr-defined]
    for name in (
        "merge / floor A",
        "merge / floor B",
        "replay / merge",
        "merge, peak memory",
        "as-of then, as known before / bare scan",
        "one node, history, after maintenance",
        "one node, as-of, after maintenance",
        "same batch into 10 times the rows",
        "merge with memory_limit='2GB'",
        "hot key, period: growth per statement",
        "hot key, event: growth per statement",
    ):
        assert lines[name]["ratio"] > 0, lines[name]
        assert lines[name]["target"] is not None
    assert "opened" in str(lines["dlt scd2, one clock"]["figure"])


@pytest.mark.parametrize("mode", ["period", "event"])
def test_the_store_is_the_one_that_commits_make(mode: str, tmp_path: Path) -> None:
    size = Size(keys=300, batch=1, mode=mode, seed=3, memory_limit="1GB", threads=2)
    built = store.build(tmp_path, size, size.keys, check=True, say=lambda text: None)
    connection = store.connect(tmp_path / "committed.duckdb", size)
    store.commit_base(connection, tmp_path, size, size.keys)
    connection.execute(f"ATTACH '{built}' AS built (READ_ONLY)")
    tables = [
        row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'built'").fetchall()
    ]
    assert {"statements", "claims", "nodes_open", "nodes_closed", "evidence"} <= set(tables)
    for table in tables:
        columns = "* EXCLUDE (counts)" if table == "runs" else "*"
        mine, theirs = f"SELECT {columns} FROM graph.{table}", f"SELECT {columns} FROM built.graph.{table}"
        differences = f"({mine} EXCEPT ALL {theirs}) UNION ALL ({theirs} EXCEPT ALL {mine})"
        assert connection.execute(differences).fetchall() == [], table
    connection.close()


def test_a_replay_of_the_batch_writes_nothing(report: dict[str, object]) -> None:
    replay = next(line for line in report["lines"] if line["name"] == "replay writes")  # type: ignore[attr-defined]
    assert replay["ratio"] == 0 and replay["met"] is True


def test_the_batch_has_the_shares_it_is_said_to_have(report: dict[str, object]) -> None:
    folder = Path(str(report["folder"]))
    batch, base = folder / "batch-200-100-period.parquet", next(folder.glob("base-200-*.duckdb"))
    with duckdb.connect(str(base), read_only=True) as connection:
        shares = connection.execute(
            """SELECT count(*), count(*) FILTER (polarity = 'retract'), count(*) FILTER (isinf(valid_to)),
                      count(*) FILTER (polarity = 'assert' AND NOT isinf(valid_to)) FROM read_parquet($batch)""",
            {"batch": str(batch)},
        ).fetchone()
        believed_already = connection.execute(
            """SELECT count(*) FROM read_parquet($batch) AS s JOIN graph.nodes_open AS n ON n.node_id = s.subject
               AND n.valid_from < s.valid_from AND s.valid_to < n.valid_to
               AND n.properties = CAST(s.value -> 'properties' AS VARCHAR)""",
            {"batch": str(batch)},
        ).fetchone()
    assert shares == (100, 10, 60, 30)
    assert believed_already == (20,)
