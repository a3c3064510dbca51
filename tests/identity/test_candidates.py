"""Candidates for one thing: which pairs become one, which never do, what a user decides, and what a second run does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from warehouse import edge, node
from worlds import World

ALT_LABEL = "http://www.w3.org/2004/02/skos/core#altLabel"


def said(table: str, name: str, cls: str, **properties: Any) -> dict[str, Any]:
    """A row of a table, or what a text says of somebody; properties by local name."""
    ref = f"urn:{table}/{name}"
    named = {ALT_LABEL if key == "alias" else f"urn:{key}": value for key, value in properties.items()}
    return node(ref, name, cls=f"urn:{cls}", facet="text" if table == "text" else f"{table}/rows", properties=named)


def shared(number: int) -> dict[str, str]:
    """What only the two of one case say."""
    return {"phone": f"+44 20 7946 {number:04}", "city": f"Leighton {'abcdefghijklmnopqrstuvwxyz'[number] * 5}"}


# Two sources, or a source and a text; what they say of one thing makes it one.
ONE: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "composed or not": (
        said("a", "Cafe\u0301 Zola", "Company", phone="020 555 0001"),
        said("b", "Café Zola", "Company", phone="0205550001"),
        "similarity",
    ),
    "an apostrophe": (
        said("a", "O'Brien & Sons", "Company", phone="020 555 0002"),
        said("b", "O’Brien &  Sons", "Company", phone="(020) 555-0002"),
        "similarity",
    ),
    "full width": (
        said("a", "Ｋｏｙｏｔａ", "Company", city="Hiroo"),
        said("b", "Koyota", "Company", city="HIROO"),
        "similarity",
    ),
    "a text and a row": (said("a", "Zoë Quist", "Person"), said("text", "zoë  quist", "Person"), "exact_name"),
    "an alias": (
        said("a", "New York City", "Place", alias=["NYC", "The Big Apple"]),
        said("text", "NYC", "Place"),
        "similarity",
    ),
    "a key": (
        said("a", "M. Curie", "Person", passport="X-77 1"),
        said("b", "Maria Skłodowska", "Person", passport="x-77 1"),
        "key",
    ),
    "a key of two properties": (
        said("a", "Nordwind", "Company", register="HRB", number=7),
        said("b", "NW Logistik", "Company", register="HRB", number=7),
        "key",
    ),
    "an inverse functional property": (
        said("a", "Ann Lee", "Person", email="ann@example.org"),
        said("text", "A. L. Smith", "Agent", email="ann@example.org"),
        "key",
    ),
}

# Whatever else they share, they stay apart (None: they are not even candidates), or wait for a person.
TWO: dict[str, tuple[dict[str, Any], dict[str, Any], str | None]] = {
    "a code": (said("a", "SR-2023-052", "Report", **shared(1)), said("b", "SR-2023-053", "Report", **shared(1)), None),
    "a year": (
        said("a", "Annual Report 2023", "Report", **shared(2)),
        said("b", "Annual Report 2024", "Report", **shared(2)),
        None,
    ),
    "a numeral": (
        said("a", "Falcon Heavy II", "Report", **shared(3)),
        said("b", "Falcon Heavy III", "Report", **shared(3)),
        "apart",
    ),
    "a sign": (said("a", "C++ Foundation", "Company", **shared(4)), said("b", "C# Foundation", "Company", **shared(4)), None),
    "a town": (said("a", "東京 Acme", "Company", **shared(5)), said("b", "大阪 Acme", "Company", **shared(5)), None),
    "a near miss": (
        said("a", "Austria", "Place", phone="43 1 700 7000"),
        said("b", "Australia", "Place", phone="43 1 700 7000"),
        "open",
    ),
    "a given name": (
        said("a", "Bob Marchetti", "Person", **shared(6)),
        said("b", "Rob Marchetti", "Person", **shared(6)),
        "open",
    ),
    "misspelled, and two more": (
        said("a", "Jonathan Meyerhoff", "Person", phone="020 555 0003", birthday="1971-01-02"),
        said("b", "Jonathan Meyerhof", "Person", phone="020 555 0003", birthday="1971-01-02"),
        "open",
    ),
    "a part of the name, and two more": (
        said("a", "University of Wexcombe", "Company", phone="020 555 0044", city="Wexcombe Magna"),
        said("b", "University of Wexcombe Hospital", "Company", phone="020 555 0044", city="Wexcombe Magna"),
        "open",
    ),
    "a birthday": (
        said("a", "John Adams", "Person", birthday="1735-10-30", city="Quincy"),
        said("b", "John Adams", "Person", birthday="1704-02-08", city="Quincy"),
        "apart",
    ),
    "two values of a key": (
        said("a", "Eva Ruiz", "Person", passport="A1", **shared(7)),
        said("b", "Eva Ruiz", "Person", passport="B2", **shared(7)),
        "apart",
    ),
    "a subsidiary": (
        said("a", "Amazonas", "Company", city="Seattle West"),
        said("b", "Amazonas Web Services", "Company", city="Seattle West"),
        "open",
    ),
    "an alias of both": (
        said("a", "Alba Chemicals", "Company", alias=["QX"], city="Leobendorf"),
        said("b", "Quist Coaches", "Company", alias=["QX"], city="Oslomark"),
        None,
    ),
    "no value of a key": (
        said("a", "Ulf Brandt", "Person", passport="n/a"),
        said("b", "Mia Costa", "Person", passport="N/A"),
        None,
    ),
    "the name alone": (said("a", "Sebastian Oberhuber", "Person"), said("b", "Sebastian Oberhuber", "Person"), "open"),
    "a planet and a metal": (said("a", "Mercury", "Planet", **shared(8)), said("b", "Mercury", "Metal", **shared(8)), None),
    "a company and a fruit": (said("a", "Apple", "Company", **shared(9)), said("text", "apple", "Fruit", **shared(9)), None),
    "two rows of one table": (
        said("a", "Gil Gott", "Person", **shared(10)),
        said("a", "Gil  Gott", "Person", **shared(10)),
        None,
    ),
    "a key that disjoint classes share": (
        said("a", "Kim Roe", "Person", email="roe@example.org"),
        said("b", "Roe Kim AG", "Company", email="roe@example.org"),
        None,
    ),
    "a key, and another birthday": (
        said("a", "Jo Ash", "Person", passport="Z9", birthday="1950-01-01"),
        said("b", "Jo Ashe", "Person", passport="Z9", birthday="1980-02-02"),
        "apart",
    ),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("told"))
    pairs = [(one, other) for one, other, _ in [*ONE.values(), *TWO.values()]]
    world.tell(*(row for pair in pairs for row in pair if row["facet"] != "text"), source="rows")
    world.tell(*(row for pair in pairs for row in pair if row["facet"] == "text"), source="texts")
    first, again = world.find(), world.find()
    assert first.changed
    assert (again.changed, again.compared_nodes) == (False, 0)
    return world


def pair(one: dict[str, Any], other: dict[str, Any]) -> tuple[str, str]:
    first, last = sorted((one["subject"], other["subject"]))
    return first, last


@pytest.fixture(scope="module")
def mapping(told: World) -> dict[str, tuple[str, str]]:
    return told.mapping()


@pytest.fixture(scope="module")
def candidates(told: World) -> dict[tuple[str, str], tuple[str, str, str]]:
    return told.candidates()


@pytest.mark.parametrize("why", ONE)
def test_one_thing(mapping: dict[str, tuple[str, str]], why: str) -> None:
    one, other, method = ONE[why]
    refs = pair(one, other)
    assert len({mapping.get(ref, (ref, ""))[0] for ref in refs}) == 1
    assert [mapping[ref][1] for ref in refs if ref in mapping] == [method]


@pytest.mark.parametrize("why", TWO)
def test_two_things(
    mapping: dict[str, tuple[str, str]], candidates: dict[tuple[str, str], tuple[str, str, str]], why: str
) -> None:
    one, other, decision = TWO[why]
    refs = pair(one, other)
    assert [mapping.get(ref) for ref in refs] == [None, None]
    assert candidates.get(refs, (None,))[0] == decision


def test_a_merge_says_why_and_how_surely(told: World) -> None:
    query = "SELECT score, reason FROM graph.identities WHERE method = 'similarity' AND node_id LIKE '%Brien%'"
    ((score, reason),) = told.rows(query)
    assert score > 0.99
    assert reason.startswith("same_name_and_more: urn:")


def test_every_pair_has_its_evidence(told: World) -> None:
    query = "SELECT evidence -> '$.contradictions[0]' ->> 'field' FROM graph.identity_candidates WHERE a = 'urn:a/John Adams'"
    assert told.rows(query) == [("urn:birthday",)]


@pytest.mark.slow
def test_neighbours_are_evidence_and_a_merge_makes_more(world: Callable[..., World]) -> None:
    """Two Lindqvists who work for one firm; that the firm is one is known only after its key was read."""
    here = world()
    firms = [said(table, name, "Company", register="R", number=1) for table, name in (("a", "Zyxomat"), ("b", "Zyxomat Oy"))]
    people = [said(table, "Per Lindqvist", "Person") for table in "ab"]
    edges = [
        edge(f"urn:{table}/Per Lindqvist", "urn:worksFor", firm["subject"]) for table, firm in zip("ab", firms, strict=True)
    ]
    here.tell(*firms, *people, *edges)
    found = here.find()
    assert (found.merged_by_key, found.merged_by_judge) == (1, 1)
    assert here.mapping()["urn:b/Per Lindqvist"] == ("urn:a/Per Lindqvist", "similarity")
    assert here.find().changed is False


def test_what_is_left_after_the_last_round_is_found_by_the_next_run(
    world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stratagraph.identity.candidates.ROUNDS", 1)
    here = world()
    firms = [said(table, name, "Company", register="R", number=1) for table, name in (("a", "Zyxomat"), ("b", "Zyxomat Oy"))]
    people = [said(table, "Per Lindqvist", "Person") for table in "ab"]
    here.tell(*firms, *people, *(edge(p["subject"], "urn:worksFor", f["subject"]) for p, f in zip(people, firms, strict=True)))
    assert [(found.merged_by_key, found.merged_by_judge) for found in (here.find(), here.find(), here.find())] == [
        (1, 0),
        (0, 1),
        (0, 0),
    ]
    assert here.find().changed is False


def test_what_a_third_could_be_stays_two(world: Callable[..., World]) -> None:
    """One and another contradict each other, and a third is like both: it is no bridge, by a key or by what is alike."""
    here, bridged = world(), []
    for n, more in enumerate(({"email": "b@example.org"}, shared(1))):
        name = ("Jo Ashworth", "Jonna Hallgren")[n]
        days = ({}, {"birthday": "1950-01-01"}, {"birthday": "1980-02-02"})
        bridged += [said(table, name, "Person", **more, **day) for table, day in zip("abc", days, strict=True)]
    for n, more in enumerate(({"email": "c@example.org"}, shared(2))):
        name = ("Roe Kimble", "Vesta Orlov")[n]
        classes = ("Agent", "Person", "Company")
        bridged += [said(table, name, cls, **more) for table, cls in zip("abc", classes, strict=True)]
    here.tell(*bridged)
    found = here.find()
    assert (found.merged_by_key, found.merged_by_judge, here.mapping()) == (0, 0, {})
    waiting = {reason for decision, _, reason in here.candidates().values() if decision == "open"}
    assert waiting == {"ambiguous urn:birthday", "ambiguous disjoint classes"}


@pytest.mark.slow
def test_two_rows_that_one_text_could_be_wait_for_a_person(world: Callable[..., World]) -> None:
    here = world()
    rows = [
        said("a", "Ada Nightingale", "Person", phone="555 01 0001"),
        said("a", "Ada  Nightingale", "Person", phone="555 01 0001"),
    ]
    here.tell(*rows, said("b", "Ada Nightingale", "Person", phone="555 01 0001"))
    found = here.find()
    assert (found.merged_by_judge, found.open) == (0, 2)
    assert {reason for _, _, reason in here.candidates().values()} == {"ambiguous table a/rows"}


@pytest.mark.slow
def test_only_what_changed_is_compared_again(world: Callable[..., World]) -> None:
    here = world()
    here.tell(*(said("a", f"Someone Number{n}", "Person", city=f"Town{n}") for n in range(30)))
    assert here.find().compared_nodes == 30
    here.tell(said("b", "Someone Number7", "Person", city="Town7"), source="t")
    found = here.find()
    assert found.compared_nodes == 1 + 1  # the new node; then, as it was merged, what became of both
    assert found.candidates_written == 1
    here.tell(said("b", "Someone Number7", "Person", city="Town7"), source="t")
    assert here.find().compared_nodes == 0


@pytest.mark.slow
def test_what_is_no_candidate_any_more_is_none(world: Callable[..., World]) -> None:
    here = world()
    here.tell(said("a", "Sebastian Oberhuber", "Person"))
    here.tell(said("b", "Sebastian Oberhuber", "Person"), source="t")
    assert here.find().open == 1
    here.tell(said("c", "Another One", "Person"), source="t", complete=True)
    assert here.find().open == 0
    assert here.rows("SELECT count(*) FROM graph.identity_candidates") == [(1,)]


@pytest.mark.slow
def test_nobody_decides_where_the_config_says_so(world: Callable[..., World]) -> None:
    here = world("identity: {judge: none}")
    here.tell(said("a", "Koyota", "Company", **shared(11)), said("b", "Koyota", "Company", **shared(11)))
    found = here.find()
    assert (found.merged_by_judge, found.open) == (0, 1)


@pytest.mark.slow
def test_a_value_that_many_share_identifies_nobody(world: Callable[..., World]) -> None:
    here = world()
    here.tell(*(said("a", f"Person {chr(97 + n)}", "Person", email="n/a") for n in range(12)))
    assert here.find().merged_by_key == 0
