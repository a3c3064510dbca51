"""Who is who: identifying keys, names within classes, and what must never be merged."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from warehouse import Store, edge, node

from stratagraph.identity.names import normalise_name
from stratagraph.temporal.audit import audit


def mapping(store: Store) -> dict[str, str]:
    return dict(store.rows("SELECT ref, node_id FROM graph.identities WHERE recorded_to = 'infinity'"))


def test_a_second_key_makes_nobody_a_new_node() -> None:
    store = Store()
    times = [datetime(2013, 3, day, tzinfo=UTC) for day in (1, 2, 3)]
    store.commit(node("urn:b/1", "Burr"), source="git", complete=True, recorded_at=times[0], links=[])
    store.commit(
        node("urn:b/1", "Burr"), source="git", complete=True, recorded_at=times[1], links=[("urn:b/1", "b", "urn:g/9", "g")]
    )  # fmt: skip
    assert mapping(store) == {"urn:g/9": "urn:b/1"}
    # Later the record is known by its second key only.
    store.commit(node("urn:g/9", "Burr"), source="git", complete=True, recorded_at=times[2], links=[])
    assert store.rows("SELECT DISTINCT node_id FROM graph.nodes") == [("urn:b/1",)]
    assert len(store.rows("SELECT * FROM graph.nodes")) == 1


def test_two_values_of_one_key_are_never_merged_by_a_shared_one() -> None:
    store = Store()
    links = [("urn:b/1", "b", "urn:i/7", "i"), ("urn:b/2", "b", "urn:i/7", "i"), ("urn:b/1", "b", "urn:g/1", "g")]
    store.commit(node("urn:b/1", "John Adams"), node("urn:b/2", "John Adams"), links=links)
    assert mapping(store) == {"urn:g/1": "urn:b/1"}
    assert store.rows("SELECT rule FROM graph.conflicts WHERE kind = 'identity'") == [("ambiguous_key",)]


def test_a_chain_of_keys_that_would_join_two_values_of_one_key_merges_nothing() -> None:
    store = Store()
    links = [("urn:b/1", "b", "urn:g/1", "g"), ("urn:w/1", "w", "urn:g/1", "g"), ("urn:w/1", "w", "urn:b/2", "b")]
    store.commit(node("urn:b/1"), node("urn:b/2"), node("urn:w/1"), links=links)
    assert mapping(store) == {}
    assert store.rows("SELECT rule, predicate FROM graph.conflicts") == [("different_key_values", "b")]


def test_two_known_nodes_merge_and_their_history_shows_both() -> None:
    store = Store()
    store.commit(node("urn:b/1", "A", facet="one"), node("urn:x"), edge("urn:b/1", "urn:knows", "urn:x"), source="s1")
    store.commit(node("urn:g/1", "A", facet="two"), edge("urn:x", "urn:knows", "urn:g/1"), source="s2")
    before = store.now
    store.commit(source="s3", links=[("urn:b/1", "b", "urn:g/1", "g")])
    assert mapping(store) == {"urn:g/1": "urn:b/1"}
    assert store.rows("SELECT subject, object FROM graph.edges_now ORDER BY 1") == [("urn:b/1", "urn:x"), ("urn:x", "urn:b/1")]
    then = store.rows("SELECT subject, object FROM graph.edges_as_of('2020-01-01 00:00:00Z', $k) ORDER BY 1", k=before)
    assert then == [("urn:b/1", "urn:x"), ("urn:x", "urn:g/1")]
    assert [finding for finding in audit(store.connection) if not finding.passed] == []


def test_two_records_with_one_key_are_one_node_with_all_edges() -> None:
    store = Store()
    offices = [node("urn:office/vp", cls="urn:Office"), node("urn:office/p", cls="urn:Office")]
    store.commit(
        node("urn:b/1", "Joe", properties={"n": 1}), node("urn:b/1", "Joe", properties={"n": 2}), *offices,
        edge("urn:b/1", "urn:holds", "urn:office/vp", "2009-01-20T00:00:00Z", "2017-01-20T00:00:00Z"),
        edge("urn:b/1", "urn:holds", "urn:office/p", "2021-01-20T00:00:00Z", "2025-01-20T00:00:00Z"),
        links=[],
    )  # fmt: skip
    assert len(store.rows("SELECT * FROM graph.edges_open WHERE subject = 'urn:b/1'")) == 2
    assert store.rows("SELECT properties ->> 'n' FROM graph.nodes_open WHERE node_id = 'urn:b/1'") in ([("1",)], [("2",)])
    assert store.rows("SELECT rule FROM graph.conflicts") == [("tie_within_source",)]


@pytest.fixture
def named() -> Store:
    store = Store()
    classes = [
        ("urn:Person", "urn:Person"),
        ("urn:Company", "urn:Company"),
        ("urn:Fruit", "urn:Fruit"),
        ("urn:Author", "urn:Person"),
    ]
    for child, parent in [*classes, ("urn:Author", "urn:Author")]:
        store.connection.execute("INSERT INTO graph.ontology_classes VALUES ('main', $c, $p, '')", {"c": child, "p": parent})
    store.commit(
        node("urn:row/1", "Apple Inc.", cls="urn:Company"), node("urn:row/2", "Zoë O’Brien"),
        node("urn:row/3", "John Adams"), node("urn:row/4", "John Adams"), source="crm",
    )  # fmt: skip
    return store


def test_names_from_text_meet_rows_of_compatible_classes_only(named: Store) -> None:
    text = {"facet": "text"}
    named.commit(
        node("urn:t/apple", "apple inc", cls="urn:Company", **text), node("urn:t/fruit", "Apple Inc", cls="urn:Fruit", **text),
        node("urn:t/zoe", "Zoe\u0308 O'Brien", cls="urn:Author", **text), source="notes",
    )  # fmt: skip
    assert mapping(named) == {"urn:t/apple": "urn:row/1", "urn:t/zoe": "urn:row/2"}


def test_a_name_that_two_rows_bear_is_nobody_in_particular(named: Store) -> None:
    named.commit(node("urn:t/adams", "John Adams", facet="text"), source="notes")
    assert mapping(named) == {}


def test_a_row_that_arrives_after_the_text_takes_it_over(named: Store) -> None:
    named.commit(node("urn:t/new", "Ada Newcomer", facet="text"), source="notes")
    assert mapping(named) == {}
    named.commit(node("urn:row/9", "Ada  NEWCOMER"), source="crm")
    assert mapping(named) == {"urn:t/new": "urn:row/9"}
    facets = "SELECT node_id, facet FROM graph.nodes_open WHERE label ILIKE 'ada%' ORDER BY facet"
    assert named.rows(facets) == [("urn:row/9", "record"), ("urn:row/9", "text")]


@pytest.mark.parametrize(
    ("one", "two"),
    [("Cafe\u0301", "Café"), ("O'Brien", "O’Brien"), ("Acme   Corp", "Acme Corp"), ("Ａｃｍｅ", "Acme"), ("DGIA", "dgia")],
)
def test_spellings_of_one_name(one: str, two: str) -> None:
    assert normalise_name(one) == normalise_name(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("SR-2023-052", "SR-2023-053"),
        ("Report 2023", "Report 2024"),
        ("C++ Foundation", "C# Foundation"),
        ("東京 Acme", "大阪 Acme"),
    ],
)
def test_different_names_stay_different(one: str, two: str) -> None:
    assert normalise_name(one) != normalise_name(two)
