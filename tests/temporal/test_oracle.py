"""Belief equals a brute-force reading of the rules (tests/support/oracle.py), on random logs.

Many cases share the commits of one store under keys of their own, which makes thousands of them cheap. Compared are the rows on
both clocks, the statements that support each, and what every commit says it did; each batch is told twice.
"""

from __future__ import annotations

import random

import pytest
from genres import GENRES, tell_randomly
from stories import Story


@pytest.mark.parametrize(("genre", "threads"), [(genre, 1 + number % 2) for number, genre in enumerate(GENRES)])
def test_belief_equals_the_oracle(genre: str, threads: int) -> None:
    story = Story(threads)
    tell_randomly(story, random.Random(genre), [genre], cases=250, batches=5)
    story.check()


def test_datasets_do_not_meet() -> None:
    story = Story(2, datasets=("main", "other"))
    tell_randomly(story, random.Random(2), list(GENRES), cases=150, batches=6)
    story.check()


def test_recorded_sources_bring_their_own_times() -> None:
    story = Story(2)
    tell_randomly(story, random.Random(3), list(GENRES), cases=200, batches=9, recorded=True)
    assert sum(entry.since < 0 for entry in story.oracle.log) > 100
    story.check()


@pytest.mark.slow
def test_twenty_thousand_cases() -> None:
    story = Story(2)
    tell_randomly(story, random.Random(9), list(GENRES), cases=20_000, batches=4, replay=False)
    story.check()
