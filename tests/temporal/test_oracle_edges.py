"""Inferred edges (design section 4, rule 10) and what an as-of query shows of edges (rule 9), against the oracle."""

from __future__ import annotations

import random

from genres import GENRES, tell_randomly
from oracle import Implication
from stories import Story

# Symmetric, inverse and sub-property, and one relation that is both asserted and implied.
IMPLICATIONS = (
    Implication("urn:p:many", "urn:p:many", True),
    Implication("urn:p:single", "urn:p:inverse", True),
    Implication("urn:p:single", "urn:p:many", False),
    Implication("urn:p:many", "urn:p:wider", False),
    Implication("urn:p:single", "urn:p:wider", True),
)


def test_inferred_edges_and_what_is_seen() -> None:
    story, rng = Story(2, datasets=("main", "other"), implications=IMPLICATIONS), random.Random(8)
    tell_randomly(story, rng, [GENRES["mixed"], GENRES["settled"], GENRES["periods"]], cases=80, batches=2)
    tell_randomly(story, rng, [GENRES["mixed"], GENRES["events"]], cases=60, batches=2, refs=3)
    story.check()
    assert len(story.rows("inferred")) > 100
    shown = 0
    for _ in range(40):
        valid, known = rng.randrange(11), rng.choice(story.oracle.instants())
        assert story.seen(valid, known) == story.believed_seen(valid, known)
        shown += len(story.seen(valid, known))
    assert shown > 3
