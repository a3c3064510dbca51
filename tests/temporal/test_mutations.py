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


def two_datasets(rng: random.Random) -> Story:
    story = Story(1, datasets=("main", "other"))
    tell_randomly(story, rng, [GENRES["mixed"]], cases=40, batches=5, refs=2)
    return story


def recorded(rng: random.Random) -> Story:
    story = Story(1)
    tell_randomly(story, rng, [GENRES["mixed"]], cases=60, batches=6, recorded=True)
    return story


def merged(rng: random.Random) -> Story:
    story = Story(1)
    tell_randomly(story, rng, [GENRES["mixed"]], cases=60, batches=4, refs=3)
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
    run.__name__: run for run in (plain, ties, two_datasets, recorded, merged, ruled, inferred)
}

MUTATIONS = [
    Mutation(1, "single-valued is ignored", "temporal/select_live", "coalesce(r.single_valued, FALSE)", "FALSE"),
    Mutation(2, "an event ends at no next one", "temporal/derive_candidates",
             "lead(valid_from, 1, CAST('infinity' AS TIMESTAMPTZ)) OVER (PARTITION BY key ORDER BY valid_from)",
             "CAST('infinity' AS TIMESTAMPTZ)"),
    Mutation(3, "ties of events: sequence is dropped", "temporal/derive_candidates",
             "observed DESC, sequence DESC,", "observed DESC,", "ties"),
    Mutation(3, "period and event: the event wins a tie", "temporal/derive_winners", "'b': is_period", "'b': NOT is_period"),
    Mutation(3, "observed_at is ignored", "temporal/select_live",
             "coalesce(k.observed_at, k.recorded_from)", "k.recorded_from"),
    Mutation(4, "coalescing is dropped", "temporal/derive_segments", "previous_to = valid_from AND", "FALSE AND"),
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
