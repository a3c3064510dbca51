"""Belief equals a brute-force reading of the rules (tests/support/oracle.py), on random logs.

Many cases share the commits of one store under keys of their own, which makes thousands of them cheap. Compared are the rows on
both clocks, the statements that support each, and what every commit says it did; each batch is told twice.
"""

from __future__ import annotations

import random

import pytest
from genres import ALL, FEED, GENRES, Genre, tell_randomly
from stories import Story


@pytest.mark.parametrize(("genre", "threads"), [(genre, 1 + number % 2) for number, genre in enumerate(GENRES)])
def test_belief_equals_the_oracle(genre: str, threads: int) -> None:
    story = Story(threads)
    tell_randomly(story, random.Random(genre), [GENRES[genre]], cases=150, batches=4)
    story.check()


def test_feeds_after_and_before_other_batches() -> None:
    """Batches observed later than all that was known, alone and between others, with ties at the edge."""
    story, rng = Story(2), random.Random(6)
    for genres, complete in (([FEED], 0.0), (ALL, 0.5), ([FEED], 0.0), ([Genre(observed=(None, -1, 0), again=(0,))], 0.0)):
        tell_randomly(story, rng, genres, cases=100, batches=2, complete=complete)
    story.check()


def test_small_batches_into_long_histories() -> None:
    story, rng = Story(1), random.Random(7)
    tell_randomly(story, rng, [GENRES["long"], GENRES["touching"]], cases=100, batches=3, complete=0.0)
    small = [Genre(span=60, length=4, counts=(0, 0, 0, 1), again=(0, 0, 0, 1)), Genre(span=24, length=2, counts=(0, 0, 1))]
    tell_randomly(story, rng, small, cases=100, batches=5, complete=0.2)
    story.check()


def test_datasets_do_not_meet() -> None:
    story = Story(2, datasets=("main", "other"))
    tell_randomly(story, random.Random(2), ALL, cases=100, batches=4)
    story.check()


def test_recorded_sources_bring_their_own_times() -> None:
    story = Story(2)
    tell_randomly(story, random.Random(3), ALL, cases=120, batches=7, sources="ABRRSS")
    assert sum(entry.since < 0 for entry in story.oracle.log) > 100
    story.check()


@pytest.mark.slow
def test_twenty_thousand_cases() -> None:
    story = Story(2)
    tell_randomly(story, random.Random(9), ALL, cases=20_000, batches=4, replay=False)
    story.check()
