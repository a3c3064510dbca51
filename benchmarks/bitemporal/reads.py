"""What is measured of reading: a point of both clocks over all rows against a bare scan, and one node by its id."""

from __future__ import annotations

import random
import shutil
import statistics
import time
from pathlib import Path
from typing import Any

from benchmarks.bitemporal import statements, store
from benchmarks.bitemporal.sizes import Size
from benchmarks.bitemporal.steps_profile import cpu_seconds

# Valid time, transaction time: the present, the past of one clock, of the other, of both.
POINTS = {
    "now": ("2026-11-01 00:00:00Z", "2026-11-01 00:00:00Z"),
    "then": ("2010-06-01 00:00:00Z", "2026-11-01 00:00:00Z"),
    "now, as known before": ("2026-11-01 00:00:00Z", "2026-02-01 00:00:00Z"),
    "then, as known before": ("2010-06-01 00:00:00Z", "2026-02-01 00:00:00Z"),
}
AS_OF = "SELECT count(*), sum(strlen(label)) FROM graph.nodes_as_of($valid, $known)"
# Reads the columns that AS_OF reads, of every row.
BARE_SCAN = """
SELECT count(*), sum(strlen(label)), max(valid_from), max(valid_to), max(recorded_from), max(recorded_to) FROM graph.nodes
"""
LOOKUPS = {
    "history": "SELECT * FROM graph.history_of($id)",
    "as-of": "SELECT * FROM graph.node_at($id, $valid, $known)",
}


def scan(path: str, size: dict[str, Any], repeats: int) -> dict[str, Any]:
    """Seconds of a bare scan and of as-of at each point: the best of some rounds, after one that is not counted."""
    connection = store.connect(Path(path), Size(**size))
    queries = {"bare scan": (BARE_SCAN, {})} | {
        name: (AS_OF, {"valid": valid, "known": known}) for name, (valid, known) in POINTS.items()
    }
    seconds: dict[str, float] = dict.fromkeys(queries, float("inf"))
    rows: dict[str, int] = {}
    for turn in range(repeats + 1):
        for name, (query, values) in queries.items():
            started = time.perf_counter()
            found = connection.execute(query, values).fetchone()
            if turn:
                seconds[name] = min(seconds[name], time.perf_counter() - started)
            rows[name] = int(found[0]) if found else 0
    connection.close()
    return {"seconds": seconds, "rows": rows}


def look_up(path: str, size: dict[str, Any], keys: int, ids: int) -> dict[str, Any]:
    """Milliseconds of one node by its id, over random ids: the median and the worst of each query."""
    connection = store.connect(Path(path), Size(**size))
    draw = random.Random(size["seed"])
    valid, known = POINTS["now"]
    answer: dict[str, Any] = {}
    for name, query in LOOKUPS.items():
        taken: list[float] = []
        busy: list[float] = []
        found = 0
        for number in range(ids + 5):
            values = {"id": f"{statements.IRI}{draw.randrange(keys)}"}
            if name == "as-of":
                values |= {"valid": valid, "known": known}
            started, cpu = time.perf_counter(), cpu_seconds()
            found += len(connection.execute(query, values).fetchall())
            if number >= 5:  # the first ones open the file's blocks
                taken.append(1000 * (time.perf_counter() - started))
                busy.append(1000 * (cpu_seconds() - cpu))
        if not found:
            raise AssertionError(f"{name}: no id was found")
        answer[name] = {"p50": statistics.median(taken), "max": max(taken), "cpu": statistics.median(busy)}
    connection.close()
    return answer


def maintain(path: str, size: dict[str, Any]) -> dict[str, Any]:
    """Seconds of the library's maintenance of the store at `path`, which becomes the warehouse of a project for that time."""
    from stratagraph.config import Config
    from stratagraph.project import Project
    from stratagraph.temporal.maintain import rewrite_warehouse

    store_file = Path(path)
    folder = store_file.with_suffix(".project")
    project = Project(Config.model_validate({"version": 1, "data_dir": folder, "ontology": {"files": ["core.ttl"]}}), folder)
    folder.mkdir(exist_ok=True)
    store_file.replace(project.warehouse)
    try:
        started = time.perf_counter()
        result = rewrite_warehouse(project, memory_limit=size["memory_limit"])
        wall = time.perf_counter() - started
    finally:
        project.warehouse.replace(store_file)
        shutil.rmtree(folder)
    return {"wall": wall, "bytes_before": result.bytes_before, "bytes_after": result.bytes_after}
