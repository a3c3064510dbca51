"""The demo's as-of macro against a direct reading of the raw files, written without the pipeline.

The 23 recorded versions of the executive file give both clocks: terms are valid time, commit times are transaction time.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from stratagraph.snapshot.reader import Snapshot

FILES = sorted((Path(__file__).resolve().parents[2] / "examples/demo/congress-legislators/executive").glob("*.yaml"))
OFFICES = {"prez": "president", "viceprez": "vice president"}
KEYS = ("bioguide", "govtrack", "icpsr")


def recorded_at(file: Path) -> datetime:
    return datetime.strptime(file.name.split("_")[0], "%Y-%m-%dT%H%M%SZ").replace(tzinfo=UTC)


VERSIONS: list[tuple[datetime, list[dict[str, Any]]]] = [
    (recorded_at(file), yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)) for file in FILES
]


def name_of(record: dict[str, Any]) -> str:
    return " ".join(record["name"][part] for part in ("first", "middle", "last", "suffix") if record["name"].get(part))


def version_in_force(known: datetime) -> list[dict[str, Any]]:
    return next((records for moment, records in reversed(VERSIONS) if moment <= known), [])


def holders(valid: datetime, known: datetime) -> set[tuple[str, frozenset[str], str | None]]:
    """(office, the names the person's records bear in that version, party) straight from the file in force."""
    records = version_in_force(known)
    found = set()
    for record in records:
        same = [
            other
            for other in records
            if any(record["id"].get(key) and record["id"].get(key) == other["id"].get(key) for key in KEYS)
        ]
        names = frozenset(name_of(other) for other in same)
        for term in record["terms"]:
            start, end = (datetime.fromisoformat(str(term[name])).replace(tzinfo=UTC) for name in ("start", "end"))
            if start <= valid < end:
                found.add((OFFICES[term["type"]], names, term.get("party")))
    return found


def believed(demo: Snapshot, valid: datetime, known: datetime) -> list[tuple[str, str, str | None]]:
    answer = demo.sql(
        "SELECT office, person, party FROM office_holders_as_of($valid, $known)", {"valid": valid, "known": known}
    )
    return [tuple(row) for row in answer.rows]


def test_500_random_points_equal_a_direct_reading(demo: Snapshot) -> None:
    rng = random.Random(20261130)
    first, last = datetime(1789, 1, 1, tzinfo=UTC), datetime(2025, 12, 31, tzinfo=UTC)
    early, late = datetime(2012, 1, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC)
    bounds = [moment for moment, _ in VERSIONS]
    terms = [
        term[name] for _, records in VERSIONS for record in records for term in record["terms"] for name in ("start", "end")
    ]
    wrong, answered = [], 0
    for number in range(500):
        valid = first + timedelta(days=rng.randrange((last - first).days))
        known = early + timedelta(seconds=rng.randrange(int((late - early).total_seconds())))
        if number % 4 == 1:  # exactly on a boundary of each clock, where half-open intervals show
            valid = datetime.fromisoformat(rng.choice(terms)).replace(tzinfo=UTC)
        if number % 4 == 2:
            known = rng.choice(bounds)
        if number % 4 == 3:
            known = rng.choice(bounds) - timedelta(microseconds=1)
        wanted, found = holders(valid, known), believed(demo, valid, known)
        answered += bool(wanted)
        matched = {(office, names, party) for office, person, party in found for o, names, p in wanted
                   if (o, p) == (office, party) and person in names}  # fmt: skip
        if matched != wanted or len(found) != len(wanted):
            wrong.append((valid, known, found, wanted))
    assert answered > 300
    assert wrong == [], f"{len(wrong)} of 500 points differ; first: {wrong[0]}"


def test_agnew_was_recorded_as_president_and_then_corrected(demo: Snapshot) -> None:
    day = datetime(1973, 6, 1, tzinfo=UTC)  # the mistaken term began on 1973-01-20
    offices = []
    for known in (datetime(2013, 3, 16, 14, 50, tzinfo=UTC), datetime(2013, 3, 16, 15, 50, tzinfo=UTC)):
        offices.append([office for office, person, _ in believed(demo, day, known) if "Agnew" in person])
    assert offices == [["president"], ["vice president"]]


def nodes_named(demo: Snapshot, pattern: str, known: str) -> list[str]:
    answer = demo.sql(
        """SELECT DISTINCT node_id FROM graph.nodes_as_of('2020-01-01', $known)
           WHERE facet = 'executive/record' AND label SIMILAR TO $pattern""",
        {"known": known, "pattern": pattern},
    )
    return sorted(str(row[0]) for row in answer.rows)


@pytest.mark.parametrize(
    "known", ["2021-01-20 16:52:23+00", "2021-12-01 00:00:00+00", "2022-03-01 00:00:00+00", "2026-01-01 00:00:00+00"]
)
def test_two_biden_records_are_one_person_with_all_the_terms(demo: Snapshot, known: str) -> None:
    nodes = nodes_named(demo, "Jose?p?h? .*Biden.*|Joe .*Biden.*", known)
    assert len(nodes) == 1
    terms = demo.sql(
        """SELECT DISTINCT o.label, e.valid_from::VARCHAR
           FROM graph.edges AS e JOIN graph.nodes_open AS o ON o.node_id = e.object
           WHERE e.subject = $node AND e.recorded_from <= $known::TIMESTAMPTZ AND $known::TIMESTAMPTZ < e.recorded_to
             AND e.predicate LIKE '%holdsOffice' ORDER BY 2""",
        {"node": nodes[0], "known": known},
    ).rows
    assert [tuple(row) for row in terms] == [
        ("vice president", "2009-01-20 00:00:00+00"),
        ("president", "2021-01-20 00:00:00+00"),
    ]


def test_nobody_becomes_a_new_node_by_another_key(demo: Snapshot) -> None:
    """Every version's people, joined by any shared key over all versions, are as many nodes."""
    groups: list[set[str]] = []
    for _, records in VERSIONS:
        for record in records:
            refs = {f"{key}={record['id'][key]}" for key in KEYS if record["id"].get(key)}
            touching = [group for group in groups if group & refs]
            groups = [group for group in groups if not group & refs] + [refs.union(*touching)]
    nodes = demo.sql("SELECT count(DISTINCT node_id) FROM graph.nodes WHERE facet = 'executive/record'").rows
    assert nodes[0][0] == len(groups)


@pytest.mark.parametrize("pattern", ["John (Quincy )?Adams", "George .*Bush"])
def test_namesakes_stay_apart(demo: Snapshot, pattern: str) -> None:
    assert len(nodes_named(demo, pattern, "2026-01-01 00:00:00+00")) == 2
