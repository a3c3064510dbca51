"""Relations that exclude each other (rule 8: owl:propertyDisjointWith), against the oracle."""

from __future__ import annotations

import random
from typing import Any

import pytest
from genres import DISLIKES, EXCLUSIONS, GENRES, LIKES, SINGLE, rivals, tell_randomly
from oracle import Said
from stories import Story


def exclusive(threads: int = 2, **options: Any) -> Story:
    return Story(threads, exclusions=EXCLUSIONS, **options)


@pytest.mark.parametrize("genre", ["mixed", "ties", "events", "long", "repeated"])
def test_exclusive_relations_equal_the_oracle(genre: str) -> None:
    story = exclusive()
    tell_randomly(story, random.Random(genre), rivals(genre), cases=120, batches=4)
    story.check()
    assert overlapping(story) == 0
    rules = story.connection.execute("SELECT DISTINCT rule FROM graph.conflicts").fetchall()
    assert ("override_by_disjoint_property",) in rules or genre == "repeated"  # too little is said there


def test_exclusive_relations_of_things_that_are_merged() -> None:
    story = exclusive(datasets=("main", "other"))
    tell_randomly(story, random.Random(1), rivals(*GENRES), cases=60, batches=5, refs=3)
    story.check()
    rng = random.Random(2)
    story.assign([(f"urn:{case}:0", f"urn:{case}:{rng.randrange(1, 3)}") for case in range(0, 60, 3)])
    tell_randomly(story, rng, rivals("mixed"), cases=60, batches=2, refs=3)
    story.check()


def test_exclusive_relations_of_recorded_sources() -> None:
    story = exclusive()
    tell_randomly(story, random.Random(3), rivals("mixed", "settled", "events"), cases=120, batches=7, sources="ABRRSS")
    story.check()


def test_relations_become_exclusive_and_cease_to_be() -> None:
    story, rng = Story(2), random.Random(4)
    changes = ([SINGLE], EXCLUSIONS), ([SINGLE, LIKES], EXCLUSIONS), ([], EXCLUSIONS), ([], EXCLUSIONS[:2]), ([SINGLE], ())
    for single, exclusions in changes:
        tell_randomly(story, rng, rivals("mixed", "events", "long"), cases=60, batches=1, objectless=False)
        story.change_rules(single, exclusions)
    story.check()


def test_neither_cuts_nor_order_matter() -> None:
    rng = random.Random(5)
    log = [g.say(rng, case, "A", rng.randrange(6)) for case, g in enumerate(rivals(*GENRES) * 12) for _ in range(8)]
    log = [item._replace(observed=rng.randrange(6)) for item in log if item.target or item.slot in "fg"]
    found = []
    for cuts in (1, 3):
        story, order = exclusive(cuts), random.Random(cuts)
        batches: list[list[Said]] = [[] for _ in range(cuts)]
        for item in log:
            order.choice(batches).append(item)
        for batch in batches:
            story.tell(batch, source="A", rng=order)
        query = "SELECT * EXCLUDE (recorded_from) FROM graph.edges_open ORDER BY ALL"
        found.append(story.connection.execute(query).fetchall())
        story.check()
    assert found[0] == found[1] != []


@pytest.mark.slow
def test_many_cases() -> None:
    story = exclusive()
    tell_randomly(story, random.Random(9), rivals(*GENRES), cases=3_000, batches=5, replay=False)
    story.check()
    assert overlapping(story) == 0


def overlapping(story: Story) -> int:
    """Stretches on which two relations hold that exclude each other; both clocks."""
    query = """
        SELECT count(*) FROM graph.edges AS a
        JOIN graph.ontology_exclusions AS x ON x.dataset = a.dataset AND x.predicate = a.predicate
        JOIN graph.edges AS b ON b.dataset = a.dataset AND b.predicate = x.excluded
            AND b.subject = CASE WHEN x.swapped THEN a.object ELSE a.subject END
            AND b.object = CASE WHEN x.swapped THEN a.subject ELSE a.object END AND b.edge_id <> a.edge_id
        WHERE a.valid_from < b.valid_to AND b.valid_from < a.valid_to AND a.recorded_from < b.recorded_to
            AND b.recorded_from < a.recorded_to AND 'urn:p:single' NOT IN (a.predicate, b.predicate)"""
    return int(story.connection.execute(query).fetchall()[0][0])


def test_the_rivals_meet() -> None:
    """Without the rule, what this file tells would hold together: the tests above can fail."""
    story = Story(2)
    tell_randomly(story, random.Random("mixed"), rivals("mixed"), cases=60, batches=2)
    story.connection.execute("INSERT INTO graph.ontology_exclusions VALUES ('main', ?, ?, FALSE)", [LIKES, DISLIKES])
    assert overlapping(story) > 0
