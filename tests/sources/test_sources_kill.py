"""kill -9 while sources are loaded and staged, then run again: the same as if nothing had happened."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from staged import Database, Make, landing, statements

from stratagraph.project import Project

RUN = """
import sys
from datetime import UTC, datetime
from stratagraph.project import Project
from stratagraph.sources.keys.update import update_foreign_keys
from stratagraph.sources.load import load_source
from stratagraph.sources.rows import stage_rows
project = Project.load(sys.argv[1], lambda: datetime(2026, 1, 1, tzinfo=UTC))
print("ready", flush=True)
for name in project.config.sources:
    load_source(project, name)
update_foreign_keys(project)
stage_rows(project)
"""
RECORDED = {
    "type": "recorded",
    "path": "club/*",
    "recorded_at": "%Y-%m-%d",
    "mapping": {
        "class": "v:Member",
        "keys": ["id"],
        "label": ["{name}"],
        "edges": [
            {
                "each": "posts",
                "predicate": "v:has",
                "object_class": "v:Post",
                "object_ref": "p/{k}",
                "valid_from": "a",
                "valid_to": "b",
            }
        ],
    },
}


def start(project: Project) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN, str(project.root / "stratagraph.yaml")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def change(folder: Path, database: Database, step: int) -> None:
    """The next state of both sources."""
    database(
        f"""DROP TABLE IF EXISTS item; DROP TABLE IF EXISTS box;
        CREATE TABLE box (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, box INTEGER REFERENCES box);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
        INSERT INTO box SELECT i, 'box {step} ' || i FROM n;
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO item SELECT i + {step}, 'item ' || i, i % 50 + 1 FROM n;"""
    )
    posts = [{"k": "x", "a": f"20{10 + step}-01-01", "b": None}, {"k": "y", "a": None, "b": "2020-01-01"}]
    records = [{"id": number, "name": f"N{number} {step}", "posts": posts} for number in range(30)]
    (folder / "club").mkdir(exist_ok=True)
    (folder / "club" / f"2024-01-{step + 1:02}.yaml").write_text(yaml.safe_dump(records), encoding="utf-8")


def content(project: Project) -> dict[str, Any]:
    """What both landing and staging say, without what a run may choose freely."""
    with landing(project) as connection:
        tables = {
            name: connection.execute(f"SELECT * EXCLUDE ({', '.join(hidden)}) FROM {name} ORDER BY ALL").fetchall()
            for name, hidden in {
                "shop.item": ("_dlt_load_id", "_dlt_id"),
                "shop.box": ("_dlt_load_id", "_dlt_id"),
                "club.record": ("_dlt_load_id", "_dlt_id"),
                "club.record__posts": ("_dlt_parent_id", "_dlt_id"),
                "stratagraph.versions": ("load_id",),
                "stratagraph.columns": ("position",),
            }.items()
        }
        latest = "SELECT table_name, key, arg_max(content, loaded_at), arg_max(present, loaded_at) FROM stratagraph.rows"
        tables["rows"] = [row for row in connection.execute(f"{latest} GROUP BY ALL ORDER BY ALL").fetchall() if row[3]]
    with project.read() as connection:
        tables["keys"] = connection.execute("SELECT * FROM graph.foreign_keys ORDER BY ALL").fetchall()
    staged = sorted(json.dumps(row, sort_keys=True) for row in statements(project))
    return tables | {"statements": staged}


@pytest.mark.slow
def test_killed_at_any_moment_and_run_again(make_project: Make, database: Database, tmp_path: Path) -> None:
    shop = {"type": "sql", "url": "sqlite:///shop.db", "valid_time": "always"}
    project = make_project(shop=shop, club=RECORDED)
    dice = random.Random(7)
    change(tmp_path, database, 0)
    process = start(project)
    began = time.monotonic()
    assert process.wait(60) == 0
    duration = time.monotonic() - began
    kills = 0
    for step in range(1, 4):
        change(tmp_path, database, step)
        process = start(project)
        time.sleep(dice.uniform(0.0, 0.9 * duration))
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert start(project).wait(60) == 0
    disturbed = content(project)
    assert kills >= 2  # else the test has shown nothing

    undisturbed = make_project(shop=shop, club=RECORDED)
    (tmp_path / "data").rename(tmp_path / "disturbed")
    assert start(undisturbed).wait(60) == 0
    assert content(undisturbed) == disturbed
