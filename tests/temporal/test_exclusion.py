"""Relations that the ontology calls disjoint retire each other; relations that it does not call so go together (rule 8)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from relations import ontology_of, relation
from warehouse import Store, edge, node

from stratagraph.ontology.model import Ontology
from stratagraph.temporal.audit import audit
from stratagraph.temporal.commit import apply_rules

USES, LEFT, ADMINISTERS = "urn:uses", "urn:migratedOff", "urn:administers"


def disjoint(store: Store, one: str = USES, other: str = LEFT) -> None:
    for pair in ((one, other), (other, one)):
        store.connection.execute("INSERT INTO graph.ontology_exclusions VALUES ('main', ?, ?, FALSE)", pair)


def year(number: int) -> str:
    return f"{number}-01-01T00:00:00Z"


def years(store: Store, predicate: str) -> list[tuple[int, int | None]]:
    """Stretches of valid time in which the relation is believed now; None: no end."""
    query = """
        SELECT year(valid_from), CASE WHEN valid_to < 'infinity' THEN year(valid_to) END FROM graph.edges_open
        WHERE predicate = $p ORDER BY valid_from"""
    return store.rows(query, p=predicate)


def told(*said: tuple[str, str, int, int | str | None], **options: object) -> Store:
    """A store that was told of (source, predicate, from, until) of one team and one tool, one after the other."""
    store = Store()
    disjoint(store)
    store.commit(node("urn:team"), node("urn:tool"), source="names")
    for source, predicate, start, until in said:
        store.commit(said_of(predicate, start, until), source=source)
    assert [finding for finding in audit(store.connection) if not finding.passed] == []
    return store


def said_of(predicate: str, start: int, until: int | str | None) -> dict[str, object]:
    end = year(until) if isinstance(until, int) else until
    return edge("urn:team", predicate, "urn:tool", year(start), end)


FIRST, THEN = ("a", USES, 2020, None), ("b", LEFT, 2022, None)


def test_what_excludes_ends_what_went_before_and_the_conflict_names_the_rule() -> None:
    for order in ((FIRST, THEN), (THEN, FIRST)):  # an old document that comes late changes the past and not the present
        store = told(*order, ("c", ADMINISTERS, 2021, None))
        assert years(store, USES) == [(2020, 2022)]
        assert years(store, LEFT) == [(2022, None)]
        assert years(store, ADMINISTERS) == [(2021, None)]
    assert store.rows("SELECT DISTINCT rule FROM graph.conflicts") == []  # an event that follows another is news
    store.commit(said_of(USES, 2010, "infinity"), source="c")
    store.commit(said_of(LEFT, 2015, 2016), source="d")
    assert years(store, USES) == [(2010, 2015), (2016, None)]
    query = """
        SELECT rule, predicate, year(valid_from), year(valid_to) FROM graph.conflicts
        WHERE valid_to < 'infinity' AND recorded_to = 'infinity'"""
    assert ("override_by_disjoint_property", USES, 2015, 2016) in store.rows(query)


def test_what_is_withdrawn_gives_back_what_it_ended() -> None:
    store = told(FIRST)
    store.commit(said_of(LEFT, 2022, None), source="b", complete=True)
    assert years(store, USES) == [(2020, 2022)]
    store.commit(source="b", complete=True)
    assert (years(store, USES), years(store, LEFT)) == ([(2020, None)], [])


def test_what_excludes_holds_only_as_long_as_it_is_said() -> None:
    """Disliked from 2022 to 2023, within a period of 2020 to 2030; what comes back was said for all of it."""
    store = told(("a", USES, 2020, 2030), ("a", LEFT, 2022, None))
    store.commit(said_of(LEFT, 2023, None) | {"polarity": "retract"}, source="a")
    assert (years(store, USES), years(store, LEFT)) == ([(2020, 2022), (2023, 2030)], [(2022, 2023)])


def test_said_again_after_what_excludes_it_is_observed_anew_and_a_replay_writes_nothing() -> None:
    store = told(("a", USES, 2020, "infinity"), ("a", LEFT, 2020, "infinity"))
    assert (years(store, USES), years(store, LEFT)) == ([], [(2020, None)])
    store.commit(said_of(USES, 2020, "infinity"), source="a")
    assert (years(store, USES), years(store, LEFT)) == ([(2020, None)], [])
    assert store.commit(said_of(USES, 2020, "infinity"), source="a").rows_written == 0


def test_an_ontology_that_changes_is_applied_to_what_was_said_before() -> None:
    store = told(FIRST, THEN)
    for excludes in (False, True):
        store.connection.execute("DELETE FROM graph.ontology_exclusions")
        if excludes:
            disjoint(store)
        store.commits += 1
        applied = apply_rules(store.connection, dataset="main", batch_id=f"rules-{store.commits}", clock=lambda: store.now)
        assert applied.edges_opened == applied.edges_closed == 1
        assert years(store, USES) == [(2020, 2022 if excludes else None)]
    assert [finding for finding in audit(store.connection) if not finding.passed] == []


def test_a_store_without_such_relations_computes_no_step_for_them() -> None:
    store = Store()
    store.commit(node("urn:a"), node("urn:b"), edge("urn:a", USES, "urn:b"))
    with_them = told(FIRST, THEN)
    assert len(with_them.rows("SELECT * FROM graph.applied_exclusions")) == 2
    assert store.rows("SELECT * FROM graph.ontology_exclusions") == []


@pytest.fixture(scope="module")
def family() -> Ontology:
    """likes and dislikes are disjoint; adores is below likes, isDislikedBy the inverse of dislikes, knows symmetric."""
    properties = [
        relation("likes"),
        relation("adores", above=["likes"]),
        relation("dislikes", inverses=["isDislikedBy"]),
        relation("isDislikedBy", inverses=["dislikes"]),
        relation("knows", symmetric=True),
    ]
    return ontology_of(properties, disjoint=[("likes", "dislikes")])


def test_exclusions_are_inherited_and_turned_round(family: Ontology) -> None:
    found = family.exclusions()
    one_way = {
        ("urn:likes", "urn:dislikes", False), ("urn:adores", "urn:dislikes", False),
        ("urn:likes", "urn:isDislikedBy", True), ("urn:adores", "urn:isDislikedBy", True),
    }  # fmt: skip
    assert set(found) == one_way | {(other, one, swapped) for one, other, swapped in one_way}
    symmetric = replace(family, disjoint_properties=frozenset({("urn:knows", "urn:dislikes")})).exclusions()
    assert ("urn:dislikes", "urn:knows", True) in symmetric and ("urn:dislikes", "urn:knows", False) in symmetric
    # A relation below both of two disjoint ones can never hold; it does not deny itself.
    both = replace(family, disjoint_properties=frozenset({("urn:adores", "urn:likes")}))
    assert not [rule for rule in both.exclusions() if rule[:2] == ("urn:adores", "urn:adores")]
