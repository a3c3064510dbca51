"""The benchmark of the sources: rows per second from a database to belief, beside a plain dlt load of the same rows.

`python benchmarks/sources.py --help`. What is measured and why stands in `benchmarks/README.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # started as a file: the checkout is where the packages are
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
os.environ.setdefault("RUNTIME__LOG_LEVEL", "ERROR")

CITIES = ("Berlin", "Lyon", "Graz", "Turin", "Porto", "Gent", "Aarhus", "Brno")
TABLES = ("customers", "products", "orders")
TARGET = 1.0  # everything after the dlt load costs no more than the load itself

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, since TEXT);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id),
    product_id INTEGER NOT NULL REFERENCES products (id), quantity INTEGER, price REAL, ordered_at TEXT, city TEXT, note TEXT);
"""


@dataclass(frozen=True)
class Spent:
    """What one step took."""

    step: str
    wall: float
    cpu: float

    def rate(self, rows: int) -> float:
        return rows / self.wall


def build_database(path: Path, rows: int) -> int:
    """A shop in which nine of ten rows are orders; returns how many rows all tables have."""
    customers, products = max(rows // 20, 1), max(rows // 20, 1)
    orders = max(rows - customers - products, 1)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO customers VALUES (?, ?, ?, ?)", _customers(customers))
        connection.executemany(
            "INSERT INTO products VALUES (?, ?, ?)", ((i, f"Product {i}", i % 97 + 0.5) for i in range(products))
        )
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _orders(orders, customers, products))
        connection.commit()
    return customers + products + orders


def _customers(count: int) -> Iterator[tuple[Any, ...]]:
    for i in range(count):
        yield i, f"Customer {i}", CITIES[i % len(CITIES)], f"20{i % 24:02}-{i % 12 + 1:02}-{i % 28 + 1:02}"


def _orders(count: int, customers: int, products: int) -> Iterator[tuple[Any, ...]]:
    for i in range(count):
        day = f"20{i % 24:02}-{i % 12 + 1:02}-{i % 28 + 1:02} {i % 24:02}:{i % 60:02}:00"
        note = None if i % 3 else f"note {i}"
        yield i, i * 7919 % customers, i * 104729 % products, i % 9 + 1, i % 97 + 0.25, day, CITIES[i % len(CITIES)], note


@contextmanager
def spent(step: str, steps: list[Spent]) -> Iterator[None]:
    """Note the time of the body, with that of the processes it starts."""
    wall, cpu = time.perf_counter(), _cpu()
    yield
    steps.append(Spent(step, time.perf_counter() - wall, _cpu() - cpu))


def _cpu() -> float:
    return sum(
        usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def plain_load(folder: Path, database: Path, steps: list[Spent]) -> None:
    """What dlt does with its defaults: the tables of the database as tables of a DuckDB file."""
    import dlt
    from dlt.sources.sql_database import sql_database

    pipeline = dlt.pipeline(
        "plain", pipelines_dir=str(folder / "pipelines"), destination=dlt.destinations.duckdb(str(folder / "plain.duckdb"))
    )
    with spent("plain dlt load", steps):
        pipeline.run(sql_database(f"sqlite:///{database}", table_names=list(TABLES)), write_disposition="replace")


def make_project(folder: Path, database: Path) -> Any:
    """A project with that database alone."""
    from stratagraph.project import Project

    (folder / "none.ttl").touch()
    (folder / "stratagraph.yaml").write_text(
        json.dumps(
            {
                "version": 1, "data_dir": "data", "ontology": {"files": ["none.ttl"]},
                "sources": {"shop": {"type": "sql", "url": f"sqlite:///{database}"}},
            }
        ),
        encoding="utf-8",
    )  # fmt: skip
    return Project.load(folder / "stratagraph.yaml")


def pipeline_steps(project: Any) -> list[tuple[str, Callable[[], object]]]:
    """The steps from the database to belief, as the assets run them."""
    from stratagraph.sources.keys.update import update_foreign_keys
    from stratagraph.sources.load import load_source
    from stratagraph.sources.rows import stage_rows
    from stratagraph.temporal.run import commit_staged

    return [
        ("load", lambda: load_source(project, "shop")),
        ("foreign keys", lambda: update_foreign_keys(project)),
        ("statements", lambda: stage_rows(project)),
        ("belief", lambda: commit_staged(project)),
    ]


def measure(rows: int, folder: Path) -> dict[str, Any]:
    """All steps once: the plain load, then ours, then ours again on the same input."""
    database = folder / "shop.db"
    count = build_database(database, rows)
    small = folder / "small"
    small.mkdir()
    build_database(small / "shop.db", 20)
    plain_load(small, small / "shop.db", [])  # what is imported once is not measured
    steps: list[Spent] = []
    plain_load(folder, database, steps)
    project = make_project(folder, database)
    with _timed_dlt(steps):
        for name, run in pipeline_steps(project):
            with spent(name, steps):
                run()
    again: list[Spent] = []
    with spent("all of it again", again):
        for _, run in pipeline_steps(project):
            run()
    by_name = {step.step: step for step in steps}
    load = by_name["dlt's part of the load"]
    ours = [by_name[name] for name in ("load", "foreign keys", "statements", "belief")]
    after_wall = sum(step.wall for step in ours) - load.wall
    after_cpu = sum(step.cpu for step in ours) - load.cpu
    plain = by_name["plain dlt load"]
    return {
        "rows": count,
        "steps": [asdict(step) | {"rows_per_second": round(step.rate(count))} for step in [*steps, *again]],
        "after / plain dlt load, wall": after_wall / plain.wall,
        "after / plain dlt load, CPU": after_cpu / plain.cpu,
        "again / plain dlt load, wall": again[0].wall / plain.wall,
        "target": TARGET,
    }


@contextmanager
def _timed_dlt(steps: list[Spent]) -> Iterator[None]:
    """Note how long dlt runs inside our own load."""
    from stratagraph.landing import pipeline

    run = pipeline.run_pipeline

    def timed(*arguments: Any, **named: Any) -> str:
        with spent("dlt's part of the load", steps):
            return run(*arguments, **named)

    pipeline.run_pipeline = timed
    try:
        yield
    finally:
        pipeline.run_pipeline = run


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; a missed target is no failure of the run."""
    options = argparse.ArgumentParser(prog="sources.py", description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    given = options.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="sources-") as temporary:
        report = measure(given.rows, Path(temporary))
    if given.json:
        print(json.dumps(report, indent=2))
        return 0
    print(f"{'step':28}{'wall s':>10}{'CPU s':>10}{'rows/s':>12}")
    for step in report["steps"]:
        print(f"{step['step']:28}{step['wall']:10.2f}{step['cpu']:10.2f}{step['rows_per_second']:12,}")
    for name in ("wall", "CPU"):
        ratio = report[f"after / plain dlt load, {name}"]
        print(f"everything after dlt's part / plain dlt load, {name}: {ratio:.2f} (target {TARGET})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
