"""Transitive relations and chains (rule 10), against the oracle's closure at every instant."""

from __future__ import annotations

import random
from typing import Any

import pytest
from genres import FAMILY, PLACES, Genre, related, tell_randomly
from oracle import Said
from stories import Story

from stratagraph.temporal import composition

ONTOLOGIES = {"places": PLACES, "family": FAMILY}


def tell(story: Story, rng: random.Random, genres: list[Genre], **options: Any) -> None:
    tell_randomly(story, rng, genres, objectless=False, **options)


@pytest.mark.parametrize("name", ONTOLOGIES)
@pytest.mark.parametrize("share", [composition.WHOLE_SHARE, 2.0])
def test_composed_edges_equal_the_oracle(monkeypatch: pytest.MonkeyPatch, name: str, share: float) -> None:
    """Composed from all edges at once, and only from those near what changed."""
    monkeypatch.setattr(composition, "WHOLE_SHARE", share)
    story, rng = Story(2, ontology=ONTOLOGIES[name]), random.Random(name)
    tell(story, rng, related(ONTOLOGIES[name], "mixed", "settled", "periods", "events"), cases=20, batches=4)
    story.check()
    assert len(story.rows("inferred")) > 100


def test_neither_cuts_nor_order_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composition, "WHOLE_SHARE", 2.0)
    rng, found = random.Random(1), []
    genres = related(PLACES, "mixed", "events")
    log = [
        genres[case % 2].say(rng, case, "A", rng.randrange(6))._replace(observed=rng.randrange(6))
        for case in range(15)
        for _ in "abcdefgh"
    ]
    for cuts in (1, 4):
        story, order = Story(cuts % 2 + 1, ontology=PLACES), random.Random(cuts)
        batches: list[list[Said]] = [[] for _ in range(cuts)]
        for item in log:
            order.choice(batches).append(item)
        for batch in batches:
            story.tell(batch, source="A", rng=order)
        for batch in batches:
            story.tell_again(batch, order, source="A")
        query = "SELECT * EXCLUDE (recorded_from) FROM graph.{} ORDER BY ALL"
        claims = "SELECT * EXCLUDE (recorded_from) FROM graph.claims WHERE recorded_to = 'infinity' ORDER BY ALL"
        found.append([story.connection.execute(q).fetchall() for q in (query.format("edges_open"), claims)])
        story.check()
    assert found[0] == found[1]


def test_composed_edges_of_things_that_are_merged_and_of_recorded_sources() -> None:
    story, rng = Story(2, ontology=FAMILY, datasets=("main", "other")), random.Random(2)
    tell(story, rng, related(FAMILY, "mixed"), cases=12, batches=3, refs=5)
    story.assign([(f"urn:{case}:0", f"urn:{case}:1") for case in range(0, 12, 2)])
    story.check()
