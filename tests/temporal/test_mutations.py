"""Each rule's test can fail: a bug planted in the SQL of a rule is found by a small random run against the oracle.

A mutation replaces text of one file as it is loaded. It has to leave SQL that runs: an error of the engine is no finding.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from genres import ALL, GENRES, tell_randomly
from oracle import Implication
from stories import Story

from stratagraph import sqlfiles


@dataclass(frozen=True)
class Mutation:
    """A bug: in `sql/<file>.sql` the text `old` becomes `new`, and the run of this name has to notice."""

    rule: int
    bug: str
    file: str
    old: str
    new: str
    run: str = "plain"

    def __str__(self) -> str:
        return f"rule {self.rule}: {self.bug}"


def plain(rng: random.Random) -> Story:
    story = Story(1)
    tell_randomly(story, rng, ALL, cases=120, batches=4)
    return story


def ties(rng: random.Random) -> Story:
    story = Story(1)
    tell_randomly(story, rng, [GENRES["ties"]], cases=80, batches=3)
    return story


def repeated(rng: random.Random) -> Story:
    story = Story(1)
    tell_randomly(story, rng, [GENRES["repeated"]], cases=80, batches=4, complete=0.0)
    return story


def two_datasets(rng: random.Random) -> Story:
    story = Story(1, datasets=("main", "other"))
    tell_randomly(story, rng, [GENRES["mixed"]], cases=40, batches=5, refs=2)
    return story


def recorded(rng: random.Random) -> Story:
    story = Story(1)
    tell_randomly(story, rng, [GENRES["mixed"]], cases=60, batches=8, sources="RS")
    return story


def merged(rng: random.Random) -> Story:
    story = Story(1)
    tell_randomly(story, rng, [GENRES["mixed"]], cases=150, batches=4, refs=3)
    return story


def ruled(rng: random.Random) -> Story:
    story = Story(1)
    for single in ([], ["urn:p:single", "urn:p:many"]):
        tell_randomly(story, rng, [GENRES["mixed"]], cases=60, batches=1, objectless=False)
        story.change_rules(single)
    return story


def inferred(rng: random.Random) -> Story:
    rules = [Implication("urn:p:many", "urn:p:many", True), Implication("urn:p:single", "urn:p:wider", False)]
    story = Story(1, implications=rules)
    tell_randomly(story, rng, [GENRES["mixed"]], cases=60, batches=4)
    assert all(story.seen(v, story.now) == story.believed_seen(v, story.now) for v in (0, 5)), "an as-of query differs"
    return story


RUNS: dict[str, Callable[[random.Random], Story]] = {
    run.__name__: run for run in (plain, ties, repeated, two_datasets, recorded, merged, ruled, inferred)
}

MUTATIONS = [
    Mutation(1, "single-valued is ignored", "temporal/select_live", "coalesce(r.single_valued, FALSE)", "FALSE"),
    Mutation(1, "a dataset is left out of a join", "temporal/key_statements",
             "ON m.dataset = s.dataset AND m.ref", "ON m.ref", "two_datasets"),
    Mutation(2, "an event ends at no next one", "temporal/derive_candidates",
             "lead(valid_from, 1, CAST('infinity' AS TIMESTAMPTZ)) OVER (PARTITION BY key ORDER BY valid_from)",
             "CAST('infinity' AS TIMESTAMPTZ)"),
    Mutation(3, "ties of events: sequence is dropped", "temporal/derive_candidates",
             "observed DESC, sequence DESC,", "observed DESC,", "ties"),
    Mutation(3, "ties of events: the lower hash wins", "temporal/derive_candidates",
             "statement_id DESC", "statement_id", "ties"),
    Mutation(3, "ties of periods: sequence is dropped", "temporal/derive_winners", "'c': sequence, ", "", "ties"),
    Mutation(3, "period and event: the event wins a tie", "temporal/derive_winners", "'b': is_period", "'b': NOT is_period"),
    Mutation(3, "observed_at is ignored", "temporal/select_live",
             "coalesce(k.observed_at, k.recorded_from)", "k.recorded_from"),
    Mutation(3, "a retraction is ignored", "temporal/derive_winners",
             "FROM contests GROUP BY", "FROM contests WHERE polarity = 'assert' GROUP BY"),
    Mutation(4, "an interval includes its end", "temporal/derive_contests", "c.claim_to > w.bound", "c.claim_to >= w.bound"),
    Mutation(4, "coalescing is dropped", "temporal/derive_segments", "previous_to = valid_from AND", "FALSE AND"),
    Mutation(4, "a gap is coalesced", "temporal/derive_segments", "previous_to = valid_from AND", ""),
    Mutation(4, "another object is coalesced", "temporal/derive_segments",
             "AND previous_object IS NOT DISTINCT FROM object", ""),
    Mutation(4, "a replay counts as new", "temporal/select_arrivals", "WHERE l.statement_id IS NULL", ""),
    Mutation(5, "a key that meets another source keeps the recorded time", "temporal/date_keys_by_source",
             "coalesce(s.met, FALSE) OR", "", "recorded"),
    Mutation(6, "a withdrawn statement is kept", "temporal/select_live", "WHERE s.recorded_to = 'infinity'", ""),
    Mutation(6, "a withdrawal forgets to close", "temporal/close_statements", "AND s.recorded_to = 'infinity'", "AND FALSE"),
    Mutation(6, "said again undated is never observed anew", "temporal/select_restated",
             "t.recorded_from > l.recorded_from", "FALSE", "repeated"),
    Mutation(6, "said again dated is observed anew", "temporal/select_restated", " AND observed_at IS NULL", "", "repeated"),
    Mutation(7, "a complete load withdraws what others said", "temporal/select_withdrawn",
             " AND source = $source", " AND (source = $source OR TRUE)"),
    Mutation(8, "a relation that became single-valued is not derived again", "temporal/select_rule_statements",
             "(SELECT dataset, predicate FROM rules EXCEPT SELECT dataset, predicate FROM graph.applied_properties)",
             "(SELECT dataset, predicate FROM rules WHERE FALSE)", "ruled"),
    Mutation(9, "an edge is seen without its object", "schema/create_interface",
             "ON o.dataset = e.dataset AND o.node_id = e.object", "ON o.node_id IS NOT NULL", "inferred"),
    Mutation(10, "an inferred edge stands beside an asserted one", "temporal/derive_inferred",
             "AND assertions_open = 0", "", "inferred"),
    Mutation(10, "swapped is ignored", "temporal/select_premises",
             "e.subject = k.object AND e.object = k.subject", "e.subject = k.subject AND e.object = k.object", "inferred"),
    Mutation(10, "inferred rows are not coalesced", "temporal/derive_inferred",
             "CASE WHEN previous_upper = bound THEN 0 ELSE 1 END", "1", "inferred"),
    Mutation(12, "objects that move are forgotten", "temporal/select_moved", "AND c.ref = l.object", "AND FALSE", "merged"),
    Mutation(12, "the key that a statement left is forgotten", "temporal/select_keys",
             "SELECT DISTINCT dataset, key_kind, k1, k2, k3 FROM keyed_moved_before\nUNION\n", "", "merged"),
    Mutation(13, "a reversed period is let in", "temporal/normalise_statements",
             "WHEN valid_from > valid_to THEN 'reversed_period'", ""),
    Mutation(13, "a NULL key is let in", "temporal/normalise_statements",
             "AND (facet IS NULL OR facet = '')", "AND facet IS NULL"),
    Mutation(13, "an empty period is let in", "temporal/select_arrivals", "valid_from < valid_to", "valid_from <= valid_to"),
    Mutation(4, "support of a claim that only touches", "temporal/derive_support",
             "g.valid_from < c.claim_to", "g.valid_from <= c.claim_to"),
    Mutation(4, "support of another value", "temporal/derive_support", "AND c.value_hash = g.value_hash", ""),
]  # fmt: skip


@pytest.mark.parametrize("run", RUNS)
def test_without_a_bug_nothing_is_found(run: str) -> None:
    RUNS[run](random.Random(1)).check()


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_a_planted_bug_is_found(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    read, place = sqlfiles._text, tuple(mutation.file.split("/"))
    assert mutation.old in read(*place), "the text to replace is gone"

    def mutated(layer: str, name: str) -> str:
        text = read(layer, name)
        return text.replace(mutation.old, mutation.new) if (layer, name) == place else text

    monkeypatch.setattr(sqlfiles, "_text", mutated)
    with pytest.raises(AssertionError):
        RUNS[mutation.run](random.Random(1)).check()
