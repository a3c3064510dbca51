"""How well records of one thing are found without training: pair F1 on labelled sets, with the product's blocking and scores.

    python benchmarks/identity.py --data ../shared/data/entity_resolution
    python benchmarks/identity.py --data DIR --split valid --json

A folder of `ditto/` holds train.txt, valid.txt and test.txt with labelled pairs; the labels of the split are read to count,
never to decide, and those of the other splits are not read at all (their records are: what is frequent is known from the
tables). Of `febrl/` every pair of a file counts, found or not. README.md beside this file says what is measured.
"""

from __future__ import annotations

import argparse
import csv
import html
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import duckdb  # noqa: E402
import pyarrow as pa  # noqa: E402

from benchmarks.found import Found  # noqa: E402
from stratagraph.identity.resolve import register_functions  # noqa: E402
from stratagraph.identity.score import block_records, describe_records, score_pairs  # noqa: E402
from stratagraph.temporal.steps import Steps  # noqa: E402

Pair = tuple[str, str]
SPLITS = ("train", "valid", "test")
PART = re.compile(r"COL (\S+) VAL (.*?)(?= COL \S+ VAL |\Z)", re.DOTALL)
THRESHOLD = 0.5  # probability; that of the config's default
# The columns of Febrl that together are a person's name; elsewhere the first column with `name` or `title` in it is the name.
PERSON = ("given_name", "surname")


@dataclass(frozen=True)
class Line(Found):
    """One line of the report: pairs of one thing that are wanted, found, rightly found, and `blocked`: left by blocking."""

    name: str
    records: int
    compared: int
    wanted: int
    blocked: int
    found: int
    right: int
    cpu: float

    def as_dict(self) -> dict[str, object]:
        measured = {name: round(getattr(self, name), 4) for name in ("precision", "recall", "f1")}
        return asdict(self) | measured | {"pairs_per_record": round(self.compared / max(1, self.records), 2)}


@dataclass(frozen=True)
class Records:
    """Records by id: what they are called, and what else they say."""

    rows: dict[str, dict[str, str]]
    name: tuple[str, ...]

    def fields(self) -> Iterable[tuple[str, str, str, str]]:
        for record, row in self.rows.items():
            named = " ".join(row[column] for column in self.name if row.get(column))
            yield from ((record, "name", "name", named),) if named else ()
            yield from ((record, column, "value", value) for column, value in row.items() if value and column not in self.name)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with ditto/ and febrl/")
    parser.add_argument("--split", choices=SPLITS, default="test")
    parser.add_argument("--only", help="one set, by its name")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    sets = [*sorted(options.data.glob("ditto/*/")), *sorted(options.data.glob("febrl/*.csv"))]
    if not sets:
        print(f"{options.data}: there is neither ditto/ nor febrl/ in it", file=sys.stderr)
        return 1
    lines = []
    for path in sets:
        name = path.stem if path.is_file() else path.name
        if options.only in (None, name):
            lines.append(measure_file(name, path) if path.is_file() else measure_pairs(name, path, options.split))
    if options.json:
        print(json.dumps([line.as_dict() for line in lines], indent=2))
        return 0
    heads = ("records", "compared", "/record", "labelled", "blocked", "P", "R", "F1", "cpu s")
    print(f"{'set':16}" + "".join(f"{head:>9}" for head in heads))
    for line in lines:
        counts = (line.records, line.compared, round(line.compared / max(1, line.records), 1), line.wanted, line.blocked)
        rates = (line.precision, line.recall, line.f1, line.cpu)
        print(f"{line.name:16}" + "".join(f"{count:9}" for count in counts) + "".join(f"{rate:9.3f}" for rate in rates))
    return 0


def measure_pairs(name: str, folder: Path, split: str) -> Line:
    """The labelled pairs of one split, each decided by its score; how many of them the blocks hold is counted apart."""
    ids: dict[tuple[str, ...], str] = {}
    rows: dict[str, dict[str, str]] = {}
    labelled: dict[Pair, bool] = {}
    for part in (part for part in SPLITS if (folder / f"{part}.txt").exists()):
        for text in (folder / f"{part}.txt").read_text(encoding="utf-8").splitlines():
            left, right, label = text.split("\t")
            pair = tuple(_record(side, value, ids, rows) for side, value in (("l", left), ("r", right)))
            if part == split:
                labelled[(pair[0], pair[1])] = label.strip() == "1"
    columns = list(next(iter(rows.values())))
    named = next((column for column in columns if re.search("name|title", column, re.IGNORECASE)), columns[0])
    started = time.process_time()
    steps = _described(Records(rows, (named,)), sides=True)
    block_records(steps)
    blocked = set(steps.connection.table("pairs").fetchall())
    _keep(steps, "pairs", {"a": [a for a, _ in labelled], "b": [b for _, b in labelled]})
    score_pairs(steps)
    found = _found(steps)
    cpu = time.process_time() - started
    wanted = {pair for pair, same in labelled.items() if same}
    return Line(name, len(rows), len(blocked), len(wanted), len(wanted & blocked), len(found), len(found & wanted), cpu)


def measure_file(name: str, path: Path) -> Line:
    """All pairs of a Febrl file: those that blocking leaves are scored, the others are not found."""
    with path.open(encoding="utf-8", newline="") as stream:
        read = [{key.strip(): (value or "").strip() for key, value in row.items()} for row in csv.DictReader(stream)]
    rows = {row["rec_id"]: {key: value for key, value in row.items() if key != "rec_id"} for row in read}
    started = time.process_time()
    steps = _described(Records(rows, PERSON), sides=False)
    block_records(steps)
    pairs = set(steps.connection.table("pairs").fetchall())
    score_pairs(steps)
    found = _found(steps)
    cpu = time.process_time() - started
    clusters = Counter(_cluster(record) for record in rows)
    wanted = sum(size * (size - 1) // 2 for size in clusters.values())
    same = [{pair for pair in some if _cluster(pair[0]) == _cluster(pair[1])} for some in (pairs, found)]
    return Line(name, len(rows), len(pairs), wanted, len(same[0]), len(found), len(same[1]), cpu)


def _cluster(record: str) -> str:
    """rec-7-org and rec-7-dup-0 are one."""
    return record.split("-")[1]


def _record(side: str, text: str, ids: dict[tuple[str, ...], str], rows: dict[str, dict[str, str]]) -> str:
    """The id of a record in ditto's notation; the same text on one side is the same record."""
    row = {key: html.unescape(value.strip()) for key, value in PART.findall(text)}
    return _numbered(side, row, ids, rows)


def _numbered(side: str, row: dict[str, str], ids: dict[tuple[str, ...], str], rows: dict[str, dict[str, str]]) -> str:
    key = (side, *row, *row.values())
    if key not in ids:
        ids[key] = f"{side}{len(ids):06}"
        rows[ids[key]] = row
    return ids[key]


def _described(records: Records, *, sides: bool) -> Steps:
    """Records of one class, all of them changed; two sides are two tables, within which nothing is compared."""
    connection = duckdb.connect()
    register_functions(connection)
    steps = Steps(connection)
    fields = list(records.fields())
    _keep(
        steps, "record_fields", {key: [row[i] for row in fields] for i, key in enumerate(("record", "field", "kind", "value"))}
    )
    ids = list(records.rows)
    _keep(steps, "changed", {"record": ids})
    _keep(steps, "record_classes", {"record": ids, "class": ["thing"] * len(ids)})
    _keep(steps, "record_facets", {"record": ids if sides else [], "facet": [record[0] for record in ids] if sides else []})
    _keep(steps, "compatible", {"class": ["thing"], "other": ["thing"]})
    describe_records(steps)
    return steps


def _keep(steps: Steps, name: str, columns: dict[str, list[str]]) -> None:
    table = pa.table({key: pa.array(values, pa.string()) for key, values in columns.items()})
    steps.connection.register("benchmark_input", table)
    steps.keep(name, "temporal", "select_staged", relation="benchmark_input")
    steps.connection.unregister("benchmark_input")


def _found(steps: Steps) -> set[Pair]:
    return set(steps.connection.table("pair_scores").filter(f"score >= {THRESHOLD}").select("a, b").fetchall())


if __name__ == "__main__":
    sys.exit(main())
