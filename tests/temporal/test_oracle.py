"""Belief equals a brute-force reading of the rules (tests/support/oracle.py), on random logs.

Many cases share the commits of one store under keys of their own, which makes thousands of them cheap. Compared are the rows on
both clocks, the statements that support each, and what every commit says it did; each batch is told twice.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

import pytest
from oracle import END, Said
from stories import GENRES, Story, garbage


def case_of(said: Said) -> int:
    return int(said.subject.split(":")[1])


def tell_randomly(
    story: Story,
    rng: random.Random,
    genres: Sequence[str],
    cases: int,
    batches: int,
    *,
    recorded: bool = False,
    replay: bool = True,
) -> None:
    """Batches of random cases: several sources and datasets, complete and partial loads, recorded ones, statements said again."""
    last = {"R": -60, "S": -60}
    for _ in range(batches):
        source, dataset = rng.choice("ABRRSS" if recorded else "AB"), rng.choice(story.datasets)
        past: dict[int, list[Said]] = defaultdict(list)
        for entry in story.oracle.log:
            if entry.said.source == source and entry.said.dataset == dataset:
                past[case_of(entry.said)].append(entry.said)
        now = story.now + 1
        if source in last:
            now = last[source] = rng.randint(last[source] + 1, min(last[source] + 20, story.now + 1))
        batch = []
        for case in range(cases):
            genre = GENRES[genres[case // 5 % len(genres)]]
            batch += genre.batch(rng, case, source, now, past[case], dataset=dataset)
        options = {"source": source, "dataset": dataset, "complete": rng.random() < 0.4, "recorded": last.get(source)}
        story.tell(batch, bad=garbage(rng), rng=rng, **options)
        if replay and (options["complete"] or not any(item.observed is None for item in batch)) and source not in last:
            story.tell_again(batch, rng, source=source, dataset=dataset, complete=options["complete"])


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
