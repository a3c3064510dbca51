"""How well foreign keys are inferred: from schemas alone, from data whose keys are known, and how long it takes on 500 tables.

    python benchmarks/foreign_keys.py --schemas tables.json     a file in the format of Spider's tables.json
    python benchmarks/foreign_keys.py --data ../shared/data     Chinook, Northwind, Sakila, Lahman, GTFS; declarations hidden
    python benchmarks/foreign_keys.py --scale 500               a made-up file of so many tables

Nothing is written but to a temporary directory. README.md beside this file says what is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import runpy
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from benchmarks.found import Found  # noqa: E402
from benchmarks.keyed import scale  # noqa: E402
from benchmarks.keyed.datasets import Dataset, Key, open_datasets, tables_of  # noqa: E402
from stratagraph.errors import SourceError  # noqa: E402
from stratagraph.sources.keys.inference.infer import InferredKey, infer_keys  # noqa: E402
from stratagraph.sources.keys.inference.schemas import infer_from_names, read_schemas  # noqa: E402
from stratagraph.sources.keys.text import KeyText  # noqa: E402

COLUMNS, ROWS = 20, 5_000


@dataclass(frozen=True)
class Line(Found):
    """One line of the report. wanted: the keys that are known; found: those that were inferred; right: in both."""

    name: str
    wanted: int
    found: int
    right: int
    listed: int = 0
    seconds: float = 0.0


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        report: dict[str, Any] = {}
        if options.schemas:
            report["schemas"] = score_schemas(options.schemas)
        if options.data:
            report["data"] = [_as_record(line) for line in score_data(options.data)]
        if options.scale:
            report["scale"] = measure_scale(options.scale, options.rows)
    except SourceError as error:
        print(error, file=sys.stderr)
        return 1
    if not report:
        _parser().error("nothing to do: give --schemas, --data or --scale")
    print(json.dumps(report, indent=2) if options.json else _text(report))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schemas", type=Path, metavar="FILE", help="schemas in the format of Spider's tables.json")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with chinook, sakila, lahman and gtfs_sample")
    parser.add_argument("--scale", type=int, metavar="TABLES", help=f"tables of {COLUMNS} columns in a made-up landing file")
    parser.add_argument("--rows", type=int, default=ROWS, help="most rows of such a table (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def score_schemas(path: Path) -> dict[str, Any]:
    """Micro figures over all keys of all schemas, and the mean of the schemas' own F1 (of those that have or get a key)."""
    lines = []
    for schema in read_schemas(path):
        found = {(key.column, key.referenced) for key in infer_from_names(schema)}
        lines.append(Line(schema.name, len(schema.foreign_keys), len(found), len(found & schema.foreign_keys)))
    total = Line("all", *(sum(getattr(line, name) for line in lines) for name in ("wanted", "found", "right")))
    scored = [line.f1 for line in lines if line.wanted or line.found]
    return _as_record(total) | {"schemas": len(lines), "mean_f1": round(sum(scored) / len(scored), 4) if scored else 1.0}


def score_data(data: Path) -> Iterator[Line]:
    """Each data set without any declaration; those that declare primary keys also with these."""
    with tempfile.TemporaryDirectory() as scratch:
        northwind = runpy.run_path(str(ROOT / "examples" / "demo" / "prepare.py"))["build"](Path(scratch) / "northwind")
        total: dict[bool, list[Line]] = {False: [], True: []}
        for name, opened in open_datasets(data, northwind, Path(scratch)).items():
            dataset = opened()
            for with_primary in (False, True) if dataset.primary else (False,):
                line = score_dataset(f"{name}{', primary keys known' if with_primary else ''}", dataset, with_primary)
                total[with_primary].append(line)
                yield line
        lines = total[False]
        yield Line(
            "all, nothing declared", *(sum(getattr(x, n) for x in lines) for n in ("wanted", "found", "right", "listed"))
        )


def score_dataset(name: str, dataset: Dataset, with_primary: bool) -> Line:
    started = time.perf_counter()
    inference = infer_keys(dataset.connection, dataset.tables(with_primary))
    seconds = time.perf_counter() - started
    used = [key for key in inference.keys if key.used]
    right = len(links(used) & links(dataset.keys))
    return Line(name, len(dataset.keys), len(used), right, len(inference.keys) - len(used), round(seconds, 2))


def links(keys: Collection[InferredKey] | Collection[Key]) -> set[object]:
    """Keys without the order of their columns."""
    return {KeyText(*(key.key if isinstance(key, InferredKey) else key)).links for key in keys}


def measure_scale(tables: int, rows: int) -> dict[str, Any]:
    """Time and memory of one inference over a file of many tables."""
    with tempfile.TemporaryDirectory() as folder:
        connection, keys = scale.build(Path(folder) / "many.duckdb", tables, COLUMNS, rows)
        started, before = time.perf_counter(), os.times()
        inference = infer_keys(connection, tables_of(connection, {}))
        seconds, after = time.perf_counter() - started, os.times()
        connection.close()
    used = [key for key in inference.keys if key.used]
    line = Line(f"{tables} tables x {COLUMNS}", len(keys), len(used), len(links(used) & links(keys)))
    return _as_record(line) | {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(after.user + after.system - before.user - before.system, 1),
        "peak_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "identities": len(inference.identities),
    }


def _as_record(line: Line) -> dict[str, Any]:
    figures = {name: round(getattr(line, name), 4) for name in ("precision", "recall", "f1")}
    return asdict(line) | figures


def _text(report: dict[str, Any]) -> str:
    lines = []
    if found := report.get("schemas"):
        lines.append(
            f"{found['schemas']} schemas, {found['wanted']} keys: precision {found['precision']:.3f}, "
            f"recall {found['recall']:.3f}, F1 {found['f1']:.3f} (micro); mean F1 of a schema {found['mean_f1']:.3f}"
        )
    for line in report.get("data", []):
        lines.append(
            f"{line['name']:<32} {line['wanted']:>3} keys, {line['found']:>3} used, {line['right']:>3} right: "
            f"precision {line['precision']:.2f}, recall {line['recall']:.2f}; {line['listed']} listed, {line['seconds']} s"
        )
    if found := report.get("scale"):
        lines.append(
            f"{found['name']}: {found['seconds']} s, {found['cpu_seconds']} s of CPU, {found['peak_memory_mib']} MiB; "
            f"{found['wanted']} keys, precision {found['precision']:.2f}, recall {found['recall']:.2f}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
