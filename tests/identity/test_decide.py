"""What a user decides: merged, split, kept apart; undone without a trace in what is believed, and with one in the history."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warehouse import edge, node
from worlds import World

from stratagraph.identity.decide import IdentityError, explain, keep_apart, list_candidates, merge, split
from stratagraph.temporal.audit import audit

A, B, C, D = (f"urn:p/{name}" for name in "ABCD")


@pytest.fixture
def people(world: Callable[..., World]) -> World:
    here = world()
    nodes = [
        node(ref, f"Person {ref[-1] * 4}", facet=f"{ref[-1]}/rows", properties={"urn:city": ref[-1] * 5})
        for ref in (A, B, C, D)
    ]
    here.tell(
        *nodes, edge(A, "urn:knows", D), edge(D, "urn:knows", B), edge(B, "urn:worksFor", C, "2020-01-01T00:00:00Z", None)
    )
    return here


def test_merged_and_split_it_is_as_it_was_and_the_history_shows_both(people: World) -> None:
    before = people.belief()
    done = merge(people.project, A, B, "the same passport")
    assert done.refs == [(B, A)]
    assert people.mapping() == {B: (A, "manual")}
    merged = people.belief()
    assert merged != before
    assert split(people.project, B, "a clerk's mistake").refs == [(B, B)]
    assert people.belief() == before
    history = people.rows("SELECT node_id, reason, recorded_to = 'infinity' FROM graph.identities ORDER BY recorded_from")
    assert history == [(A, "the same passport", False), (B, "a clerk's mistake", True)]
    query = (
        "SELECT count(*) FROM graph.edges WHERE subject = 'urn:p/A' AND predicate = 'urn:worksFor' AND recorded_to < 'infinity'"
    )
    assert people.rows(query) == [(1,)]
    with people.project.read() as connection:
        assert [finding for finding in audit(connection) if not finding.passed] == []


@pytest.mark.slow
def test_merging_twice_changes_nothing(people: World) -> None:
    merge(people.project, A, B, "once")
    rows = people.rows("SELECT * FROM graph.identities ORDER BY ALL")
    assert not merge(people.project, A, B, "twice").changed
    assert not merge(people.project, B, A, "the other way round").changed
    assert people.rows("SELECT * FROM graph.identities ORDER BY ALL") == rows


@pytest.mark.slow
@pytest.mark.parametrize("order", ["outside in", "inside out"])
def test_what_is_split_out_of_a_chain_takes_with_it_what_came_with_it(people: World, order: str) -> None:
    pairs = [(A, B), (B, C)] if order == "outside in" else [(B, C), (A, B)]
    for one, other in pairs:
        merge(people.project, one, other, "one")
    assert {ref: node_id for ref, (node_id, _) in people.mapping().items()} == {B: A, C: A}
    split(people.project, B, "two")
    left = {ref: node_id for ref, (node_id, _) in people.mapping().items()}
    assert left == ({B: B, C: A} if order == "outside in" else {B: B, C: B})


@pytest.mark.slow
def test_a_dry_run_says_what_would_change_and_changes_nothing(people: World) -> None:
    merge(people.project, B, C, "first")
    before = (
        people.belief(),
        people.rows("SELECT * FROM graph.identities"),
        people.rows("SELECT * FROM graph.identity_candidates"),
    )
    assert merge(people.project, A, B, "no", dry_run=True).refs == [(B, A), (C, A)]
    assert split(people.project, C, "no", dry_run=True).refs == [(C, C)]
    after = (
        people.belief(),
        people.rows("SELECT * FROM graph.identities"),
        people.rows("SELECT * FROM graph.identity_candidates"),
    )
    assert after == before


@pytest.mark.slow
def test_an_id_that_nothing_has(people: World) -> None:
    with pytest.raises(IdentityError, match=r"urn:p/AA: nothing is known.*\n.*did you mean urn:p/A \(Person AAAA\)"):
        merge(people.project, "urn:p/AA", B, "")
    with pytest.raises(IdentityError, match=r"did you mean urn:p/B \(Person BBBB\)"):
        split(people.project, "person bbbb", "")


@pytest.mark.slow
def test_a_node_is_not_split_from_itself(people: World) -> None:
    merge(people.project, A, B, "one")
    with pytest.raises(IdentityError, match="one of: urn:p/B"):
        split(people.project, A, "two")
    with pytest.raises(IdentityError, match="no other id stands for it"):
        split(people.project, C, "two")


def test_no_key_and_no_judge_overturns_a_user(world: Callable[..., World]) -> None:
    here = world()
    same = {"urn:passport": "P1", "urn:city": "Hiroshima", "urn:phone": "555 123 4567"}
    here.tell(*(node(ref, "Uma Thorsen", facet=f"{ref[-1]}/rows", properties=same) for ref in (A, B)))
    keep_apart(here.project, A, B, "twins")
    assert (here.find().merged_by_key, here.mapping()) == (0, {})
    merge(here.project, A, B, "no twins")
    split(here.project, B, "twins after all")
    here.tell(node(C, "Uma Thorsen", facet="C/rows", properties=same), source="t")
    assert here.find().merged_by_key == 1  # C is A's double
    assert here.mapping()[B] == (B, "manual")
    assert here.find().changed is False


@pytest.mark.slow
def test_a_judges_merge_is_undone_and_stays_undone(world: Callable[..., World]) -> None:
    here = world()
    same = {"urn:city": "Hiroshima", "urn:phone": "555 123 4567"}
    here.tell(*(node(ref, "Uma Thorsen", facet=f"{ref[-1]}/rows", properties=same) for ref in (A, B)))
    before = here.belief()
    assert here.find().merged_by_judge == 1
    split(here.project, B, "two")
    assert here.belief() == before
    here.tell(edge(B, "urn:knows", A), source="t")
    here.find()
    assert here.mapping() == {B: (B, "manual")}


@pytest.mark.slow
def test_explained(world: Callable[..., World]) -> None:
    here = world()
    here.tell(
        node(A, "Uma Thorsen", facet="A/rows", properties={"urn:birthday": "1999-01-01"}),
        node(B, "Uma Thorsen", facet="B/rows", properties={"urn:birthday": "2001-01-01"}),
    )
    here.find()
    two = explain(here.project, A, B)
    assert (two.same, two.verdict and two.verdict["decision"]) == (False, "apart")
    assert two.evidence and two.evidence["contradictions"] == [{"reason": "contradicts", "field": "urn:birthday"}]
    merge(here.project, A, B, "a wrong date")
    one = explain(here.project, A, B)
    assert (one.same, one.evidence) == (True, None)
    assert [(row["decision"], row["judge"]) for row in one.decisions] == [("apart", "rules"), ("merge", "manual")]
    assert [(row["node_id"], row["method"]) for row in one.identities] == [(A, "manual")]


@pytest.mark.slow
def test_candidates_are_listed_by_decision(people: World) -> None:
    keep_apart(people.project, A, B, "two")
    assert list_candidates(people.project) == []
    (row,) = list_candidates(people.project, decision="apart")
    assert (row["a"], row["label_b"], row["judge"], row["reason"]) == (A, "Person BBBB", "manual", "two")
