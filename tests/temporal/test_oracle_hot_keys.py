"""Keys of which very much is said: belief equals the oracle, and small batches change what they must and no more."""

from __future__ import annotations

import random

import pytest
from genres import Genre
from stories import Story

# Case 0 is a facet of a node, case 2 a many-valued and case 4 a single-valued relation.
CASES = (0, 2, 4)


@pytest.mark.parametrize(("span", "length", "events"), [(60, 60, 0.5), (150, 4, 0.3), (150, 150, 0.97)])
def test_a_hot_key(span: int, length: int, events: float) -> None:
    story, rng = Story(2), random.Random(span + length)
    genre = Genre(span=span, length=length, events=events)
    for size in (250, 1, 30, 2, 100):
        source, now = rng.choice("AB"), story.now + 1
        batch = [genre.say(rng, case, source, now) for case in CASES for _ in range(size)]
        story.tell([item for item in batch if item.observed is not None or size > 2], source=source, rng=rng)
    story.check(support=length < 10)
