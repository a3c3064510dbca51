"""The recorded history of Congress: what is believed at any two instants is what a direct reading of the raw versions says."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from staged import Clock, Make, quarantine

from stratagraph.project import Project
from stratagraph.sources.load import load_source
from stratagraph.sources.rows import stage_rows
from stratagraph.temporal.run import commit_staged

SHARED = Path(__file__).parents[3] / "shared/data/congress_legislators"
NOW = datetime(2026, 7, 1, tzinfo=UTC)
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

PROPERTIES = ("party", "district", "class", "how", "caucus", "url")
KEYS = ("bioguide", "govtrack")
LEGISLATORS: dict[str, Any] = {
    "type": "recorded",
    "path": "legislators/*",
    "recorded_at": "%Y-%m-%dT%H%M%SZ",
    "keys": [f"id.{key}" for key in KEYS],
    "mapping": {
        "class": "v:Person",
        "label": ["{name.official_full}", "{name.first} {name.last}"],
        "properties": {"name.last": "v:last", "bio.birthday": "v:born", "bio.died": "v:died"},
        "edges": [
            {
                "each": "terms", "predicate": "v:serves", "object_class": "v:Seat", "object_ref": "{type}/{state}",
                "object_label": "{type} of {state}", "valid_from": "start", "valid_to": "end",
                "properties": {name: f"v:{name}" for name in PROPERTIES},
            }
        ],
    },
}  # fmt: skip
COMMITTEES: dict[str, Any] = {
    "type": "recorded", "path": "committees/*", "recorded_at": "%Y-%m-%dT%H%M%SZ", "keys": ["thomas_id"],
    "nested_keys": {"subcommittees": ["thomas_id"]},
}  # fmt: skip
MEMBERSHIP: dict[str, Any] = {
    "type": "recorded", "path": "membership/*", "recorded_at": "%Y-%m-%dT%H%M%SZ", "keys": ["committee"],
    "root": {"key": "committee", "each": "members"}, "nested_keys": {"members": ["bioguide"]},
}  # fmt: skip


class Raw(NamedTuple):
    """A version as it was written."""

    time: datetime
    content: Any


def raw_versions(folder: Path) -> list[Raw]:
    versions = []
    for path in sorted(folder.iterdir()):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        time = datetime.strptime(path.name[:18], "%Y-%m-%dT%H%M%SZ").replace(tzinfo=UTC)
        versions.append(Raw(time, yaml.load(data.decode(), Loader=_Loader)))
    return versions


def accepted(versions: list[Raw], size: Any) -> list[Raw]:
    """The versions that lose no more than 30 % against the last of them."""
    kept: list[Raw] = []
    for version in versions:
        if not kept or all(now >= 0.7 * before for now, before in zip(size(version), size(kept[-1]), strict=True)):
            kept.append(version)
    return kept


def in_force(versions: list[Raw], known_at: datetime) -> Any:
    return next((version.content for version in reversed(versions) if version.time <= known_at), [])


def build(make_project: Make, clock: Clock, tmp_path: Path, name: str, origin: str, config: Any, pick: slice) -> Project:
    """A project with some versions of one source, from landing to belief."""
    if not SHARED.is_dir():
        pytest.skip("../shared/data/congress_legislators is absent")
    clock.now = NOW
    (tmp_path / name).mkdir()
    for path in sorted((SHARED / origin).iterdir())[pick]:
        shutil.copy(path, tmp_path / name)
    project = make_project(**{name: config})
    load_source(project, name)
    stage_rows(project)
    commit_staged(project)
    return project


def ask(project: Project, query: str, *parameters: object) -> list[Any]:
    with project.read() as connection:
        return connection.execute(query, list(parameters)).fetchall()


def refs_of(record: dict[str, Any]) -> list[str]:
    return [f"https://g.test/legislators/id.{key}={record['id'][key]}" for key in KEYS if key in record["id"]]


class People:
    """Persons by all the ids that any version gives them: one that gained an id later is the same person."""

    def __init__(self, versions: list[Raw]) -> None:
        records = (record for version in versions for record in version.content)
        self._first = {ref: refs[0] for refs in map(refs_of, records) if len(refs) == len(KEYS) for ref in refs}

    def named(self, ref: str) -> str:
        return self._first.get(ref, ref)

    def of(self, record: dict[str, Any]) -> str | None:
        return next((self.named(ref) for ref in refs_of(record)), None)


def terms_said(people: People, records: list[dict[str, Any]], valid_at: datetime) -> dict[tuple[str, str], dict[str, Any]]:
    """(person, seat) -> the properties of the term that holds at an instant; of several, the last in the list."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for record in records:
        person = people.of(record)
        for term in record["terms"] if person is not None else ():
            start, end = (instant(term[at]) for at in ("start", "end"))
            if person is not None and start <= valid_at < end:
                seat = f"https://g.test/legislators/{term['type']}/{term['state']}"
                found[person, seat] = {f"https://v.test/{name}": term[name] for name in PROPERTIES if name in term}
    return found


def instant(day: str) -> datetime:
    return datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)


def check_terms(project: Project, versions: list[Raw], people: People, points: int) -> None:
    """Random instants, and those at which something begins or ends."""
    chance = random.Random(4)
    terms = (term for version in versions for record in version.content for term in record["terms"])
    days = sorted({term[at] for term in terms for at in ("start", "end")})
    shifts = [timedelta(0), timedelta(microseconds=-1), timedelta(microseconds=1)]
    query = "SELECT subject, object, properties FROM graph.edges_as_of(?, ?) WHERE predicate LIKE '%serves'"
    filled = 0
    for _ in range(points):
        known_at = chance.choice(versions).time + chance.choice([*shifts, timedelta(days=chance.randrange(400))])
        valid_at = instant(chance.choice([chance.choice(days[-400:]), chance.choice(days)])) + chance.choice(shifts)
        expected = terms_said(people, in_force(versions, known_at), valid_at)
        rows = ask(project, query, valid_at, known_at)
        found = {(people.named(subject), seat): json.loads(said) for subject, seat, said in rows}
        assert found == expected, (known_at, valid_at)
        assert len(rows) == len(expected)
        filled += bool(expected)
    assert filled > points / 2, "most points show something"


def check_leavers(project: Project, versions: list[Raw], people: People) -> None:
    """Who left the file is withdrawn there, from that version on, and nothing is said to have ended."""
    left = 0
    for before, after in pairwise(versions):
        gone = {people.of(r) for r in before.content} - {people.of(r) for r in after.content} - {None}
        left += len(gone)
        nodes = "SELECT node_id, CAST(valid_to AS VARCHAR) FROM graph.nodes_as_of('2000-01-01', ?) WHERE class LIKE '%Person'"
        shown = [(people.named(node), end) for node, end in ask(project, nodes, after.time - timedelta(microseconds=1))]
        assert {pair for pair in shown if pair[0] in gone} == {(person, "infinity") for person in gone}
        assert gone.isdisjoint(people.named(node) for node, _ in ask(project, nodes, after.time))
        said = {(people.of(record), instant(term["end"])) for record in before.content for term in record["terms"]}
        closed = ask(project, "SELECT subject, valid_to FROM graph.edges WHERE recorded_to = ?", after.time)
        ends = {(people.named(subject), end) for subject, end in closed}
        assert {pair for pair in ends if pair[0] in gone} <= said, "no end of a term was made up"
    assert left > 50
    died = "SELECT count(*) FROM graph.nodes WHERE properties LIKE '%died%' AND class LIKE '%Person'"
    assert ask(project, died) == [(0,)]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_all_versions_of_the_legislators(make_project: Make, clock: Clock, tmp_path: Path) -> None:
    project = build(make_project, clock, tmp_path, "legislators", "legislators-current", LEGISLATORS, slice(None))
    versions = raw_versions(tmp_path / "legislators")
    assert len(versions) == 15
    nameless = sum(not refs_of(record) for version in versions for record in version.content)
    assert [reason for reason, _, _ in quarantine(project)].count("no_identifying_key") == nameless > 0
    people = People(versions)
    check_terms(project, versions, people, 60)
    check_leavers(project, versions, people)


def check_nested(project: Project, versions: list[Raw], expected: Any, points: int) -> None:
    """All nested records of each version with their properties, at the version's time and just before it."""
    chance = random.Random(4)
    for version in chance.sample(versions, min(points, len(versions))):
        for known_at in (version.time, version.time - timedelta(microseconds=1)):
            rows = ask(
                project,
                """SELECT e.subject, n.node_id, n.properties FROM graph.edges_as_of('2000-01-01', $1) AS e
                   JOIN graph.nodes_as_of('2000-01-01', $1) AS n ON n.node_id = e.object""",
                known_at,
            )
            found = sorted((owner, json.dumps(properties_of(said), sort_keys=True)) for owner, _, said in rows)
            assert found == expected(in_force(versions, known_at)), known_at


def properties_of(said: str) -> dict[str, Any]:
    return {name.partition("#")[2]: value for name, value in json.loads(said).items()}


def subcommittees_said(records: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return sorted(
        (f"https://g.test/committees/thomas_id={record['thomas_id']}", json.dumps(item, sort_keys=True))
        for record in records
        for item in record.get("subcommittees", [])
    )


def members_said(committees: dict[str, list[dict[str, Any]]]) -> list[tuple[str, str]]:
    return sorted(
        (f"https://g.test/membership/committee={name}", json.dumps(item, sort_keys=True, default=str))
        for name, members in dict(committees).items()
        for item in members
    )


@pytest.mark.parametrize(
    "pick",
    [
        pytest.param(slice(-2, None), id="two"),
        pytest.param(slice(None), id="all", marks=[pytest.mark.slow, pytest.mark.timeout(1800)]),
    ],
)
def test_committees_and_their_subcommittees(pick: slice, make_project: Make, clock: Clock, tmp_path: Path) -> None:
    project = build(make_project, clock, tmp_path, "committees", "committees-current", COMMITTEES, pick)
    versions = raw_versions(tmp_path / "committees")

    def size(version: Raw) -> tuple[int, int]:
        return len(version.content), len(version.content) + len(subcommittees_said(version.content))

    check_nested(project, accepted(versions, size), subcommittees_said, 6)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_all_versions_of_committee_memberships(make_project: Make, clock: Clock, tmp_path: Path) -> None:
    project = build(make_project, clock, tmp_path, "membership", "committee-membership-current", MEMBERSHIP, slice(None))
    versions = raw_versions(tmp_path / "membership")

    def size(version: Raw) -> tuple[int, int]:
        return len(version.content), len(version.content) + len(members_said(version.content))

    counted = accepted(versions, size)
    assert len(versions) - len(counted) == 2, "half of a new Congress, and an empty file"
    assert [reason for reason, _, _ in quarantine(project)] == ["guard_shrink"] * 2
    check_nested(project, counted, members_said, 6)
