"""Belief equals the oracle while things are merged and split, and while the ontology changes (rules 8 and 12)."""

from __future__ import annotations

import random

import pytest
from genres import ALL, GENRES, tell_randomly
from stories import Story


@pytest.mark.parametrize("seed", [1])
def test_merges_by_keys(seed: int) -> None:
    story = Story(seed)
    tell_randomly(story, random.Random(seed), ALL, cases=60, batches=5, refs=3)
    assert len(story.oracle.worlds) > 3
    story.check()


def test_merges_in_a_recorded_past() -> None:
    story = Story(2)
    tell_randomly(story, random.Random(7), ALL, cases=50, batches=6, sources="ABRRSS", refs=3)
    story.check_now()


def test_links_that_were_given_make_one_thing() -> None:
    story = Story(2, datasets=("main", "other"))
    rng = random.Random(3)
    tell_randomly(story, rng, [GENRES["mixed"]], cases=20, batches=4, refs=4)
    links = [("urn:3:0", "key0", "urn:3:1", "key1"), ("urn:3:1", "key1", "urn:3:3", "key3")]
    story.tell([], source="A", links=links)
    world = story.oracle.worlds[-1][1]
    assert len({world.node("main", f"urn:3:{number}") for number in (0, 1, 3)}) == 1
    story.check()


@pytest.mark.parametrize("seed", [5])
def test_merges_and_splits_by_hand(seed: int) -> None:
    story, rng = Story(2), random.Random(seed)
    for _ in range(3):
        tell_randomly(story, rng, ALL, cases=50, batches=2, refs=3)
        wanted = {}
        for case in rng.sample(range(50), k=25):
            ref, node_id = (f"urn:{case}:{rng.randrange(3)}" for _ in range(2))
            wanted[ref] = node_id
        story.assign(list(wanted.items()))
        world = story.oracle.worlds[-1][1]
        for ref, node_id in wanted.items():  # what was merged into another thing before stands for that one
            assert world.node("main", ref) == (ref if node_id == ref else world.node("main", node_id))
    story.check()


def test_relations_become_single_valued_and_cease_to_be() -> None:
    story, rng = Story(2), random.Random(4)
    for single in (["urn:p:many"], ["urn:p:many", "urn:p:single"], [], ["urn:p:single"]):
        tell_randomly(story, rng, ALL, cases=60, batches=1, objectless=False)
        story.change_rules(single)
    story.check()
