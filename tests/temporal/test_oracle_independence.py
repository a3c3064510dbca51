"""Belief is a function of the log alone: not of how it was cut into batches, of row order, or of threads (rule 4)."""

from __future__ import annotations

import random
from itertools import groupby
from typing import Any

import pytest
from genres import ALL, tell_randomly
from oracle import Said
from stories import TABLES, Story


def dated_log(rng: random.Random, cases: int) -> list[Said]:
    """Statements that all say when they were observed, so that the time of their commit does not matter."""
    said = []
    for case in range(cases):
        genre = ALL[case // 5 % len(ALL)]
        items = [genre.say(rng, case, rng.choice("AB"), rng.randrange(6)) for _ in range(rng.randrange(1, 12))]
        said += [item._replace(observed=rng.randrange(6) if item.observed is None else item.observed) for item in items]
    return said


def believed_now(story: Story) -> list[list[Any]]:
    """Current belief with its support and conflicts, without the time at which it was recorded."""
    connection = story.connection
    return [
        connection.execute(f"SELECT * EXCLUDE (recorded_from) FROM graph.{name} ORDER BY ALL").fetchall()
        for name in ("nodes_open", "edges_open")
    ] + [
        connection.execute(
            f"SELECT * EXCLUDE (recorded_from) FROM graph.{name} WHERE recorded_to = 'infinity' ORDER BY ALL"
        ).fetchall()
        for name in ("support", "conflicts", "statements")
    ]


def test_neither_cuts_nor_order_nor_threads_matter() -> None:
    rng = random.Random(1)
    log = dated_log(rng, cases=60)
    found = []
    for batches in (1, 4):
        story = Story(1 + batches % 2)
        cut = sorted([((rng.randrange(batches), item.source), item) for item in log], key=lambda entry: entry[0])
        for (_, source), batch in groupby(cut, key=lambda entry: entry[0]):
            story.tell([item for _, item in batch], source=source, rng=rng)
        story.check()
        story.tell_again([item for item in log if item.source == "A"], rng, source="A")
        found.append(believed_now(story))
    assert found[0] == found[1]


@pytest.mark.parametrize("sources", ["AB", "ABRS"])
def test_the_same_batches_in_other_row_order_give_the_same_tables(sources: str) -> None:
    tables = []
    for threads in (1, 2):
        story = Story(threads, datasets=("main", "other"))
        order = random.Random(threads)
        tell_randomly(story, random.Random(5), ALL, cases=60, batches=4, replay=False, sources=sources, order=order)
        tables.append(story.dump())
    assert tables[0].keys() == tables[1].keys() >= {"nodes_open", "edges_closed", "statements", "quarantine"}
    for name in TABLES:
        assert tables[0].get(name) == tables[1].get(name), name
