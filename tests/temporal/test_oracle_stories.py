"""Small stories about few keys, drawn by Hypothesis: one that fails is told in its shortest form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from oracle import BEGIN, END, Said
from stories import Story

REFS = ("urn:1:0", "urn:1:1")
Step = Callable[[Story], Any]
small = st.integers(0, 4)


@st.composite
def said(draw: st.DrawFn) -> Said:
    """One statement of two things: a facet, a many-valued or a single-valued relation between them."""
    slot = draw(st.sampled_from(("f", "urn:p:single", "urn:p:many", "g")))
    target = None if slot in "fg" else draw(st.sampled_from(REFS))
    start = draw(st.one_of(small, st.just(BEGIN)))
    until = draw(st.one_of(st.none(), st.integers(0, 5), st.just(END)))
    return Said(
        "", draw(st.sampled_from(REFS)), slot, target, draw(st.sampled_from(("a", "b", "c", None))), start, until,
        draw(st.one_of(st.none(), st.integers(-2, 6))), draw(st.integers(0, 1)),
    )  # fmt: skip


@st.composite
def step(draw: st.DrawFn, past: list[Said]) -> Step:
    """One thing that happens: a batch (some of it said before, by whomever), a merge, or another ontology."""
    what = draw(st.sampled_from(("batch", "batch", "batch", "batch", "merge", "rules")))
    if what == "merge":
        return lambda story: story.tell([], source="A", links=[(REFS[0], "key0", REFS[1], "key1")])
    if what == "rules":
        single = draw(st.sampled_from((["urn:p:single"], [], ["urn:p:single", "urn:p:many"])))
        return lambda story: story.change_rules(single)
    source, complete = draw(st.sampled_from("AB")), draw(st.booleans())
    batch = draw(st.lists(said(), max_size=3))
    batch += draw(st.lists(st.sampled_from(past), max_size=2)) if past else []
    past += batch
    told = [item._replace(source=source) for item in batch]
    return lambda story: story.tell(told, source=source, complete=complete)


@st.composite
def script(draw: st.DrawFn) -> list[Step]:
    past: list[Said] = []
    return [draw(step(past)) for _ in range(draw(st.integers(1, 5)))]


def follow(steps: list[Step]) -> None:
    story = Story(1)
    for happens in steps:
        happens(story)
    story.check()


OPTIONS: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    "phases": (Phase.explicit, Phase.generate, Phase.shrink),
}


@settings(max_examples=8, derandomize=True, **OPTIONS)
@given(script())
def test_any_story(steps: list[Step]) -> None:
    follow(steps)


@pytest.mark.slow
@settings(max_examples=200, derandomize=True, **OPTIONS)
@given(script())
def test_many_stories(steps: list[Step]) -> None:
    follow(steps)
