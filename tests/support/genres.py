"""Random logs: what kinds of them there are, and how they are told to a store and the oracle."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oracle import BEGIN, END, Exclusion, Said
from relations import ontology_of, relation
from stories import FACETS, RELATIONS, Story
from warehouse import node

from stratagraph.ontology.model import Ontology


def garbage() -> list[tuple[str, dict[str, Any]]]:
    """Statements to be refused, with the reason (rule 13)."""
    good = node("urn:0:0", facet="f") | {"source_key": "bad", "scope": "bad"}
    bad: list[tuple[str, dict[str, Any]]] = [
        *[("null_key", {name: empty}) for name in ("subject", "predicate", "facet") for empty in (None, "")],
        ("null_key", {"kind": "edge", "object": ""}),
        ("null_key", {"kind": "edge"}),
        ("null_source", {"scope": None}),
        *[("unknown_kind", {"kind": kind}) for kind in ("thing", None)],
        *[("unknown_polarity", {"polarity": polarity}) for polarity in ("maybe", None)],
        *[("unknown_mode", {"mode": mode}) for mode in ("sometimes", None)],
        ("null_valid_from", {"valid_from": None}),
        ("null_valid_to", {"valid_to": None}),
        ("event_with_end", {"mode": "event"}),
        ("reversed_period", {"valid_from": "2020-01-01T00:00:00.000001Z", "valid_to": "2020-01-01T00:00:00Z"}),
        *[("invalid_value", {"value": value}) for value in ("[1]", "{", None, "1")],
    ]
    return [(reason, good | wrong) for reason, wrong in bad]


@dataclass(frozen=True)
class Genre:
    """What kind of log a case has. `observed` are days relative to the commit's own; None says nothing."""

    span: int = 11
    events: float = 0.4
    observed: tuple[int | None, ...] = (None, None, -4, -3, -2, -1, 0, 0, 5, 6)
    counts: tuple[int, ...] = (0, 1, 1, 2, 3)
    again: tuple[int, ...] = (0, 0, 1)
    length: int = 1_000
    values: tuple[str | None, ...] = ("a", "a", "b", "c", "d", None)

    def say(self, rng: random.Random, case: int, source: str, now: int, dataset: str = "main", refs: int = 1) -> Said:
        """A random statement of a case; the case's number decides what it is about."""
        subject, kind = f"urn:{case}:{rng.randrange(refs)}", case % 5
        value = rng.choice(self.values)
        slot, target = "f", None
        if kind == 1:
            slot = rng.choice("fg")
        elif kind > 1:
            slot = RELATIONS[kind == 4]
            target = f"urn:{case}:{refs}" if kind == 2 else f"urn:{case}:{rng.randrange(refs + 2)}"
            if slot == "urn:p:single" and value is None and rng.random() < 0.5:
                target = None
            if rng.random() < 0.2:  # the things that are related, so that edges are seen
                subject, slot, target = target or subject, "f", None
        start = rng.choice((BEGIN, END, 0)) if rng.random() < 0.05 else rng.randrange(self.span)
        until = rng.choice([END, start, *range(start, min(self.span, start + self.length) + 1)]) if start != END else END
        if start == BEGIN:
            until = rng.choice([BEGIN, END, *range(self.span)])
        elif start != END and rng.random() < 0.02:
            until = start - 1  # the wrong way round: refused
        days = rng.choice(self.observed)
        observed = None if days is None else now + days
        return Said(
            source, subject, slot, target, value, start, None if rng.random() < self.events else until, observed,
            rng.choice([0, 0, now, rng.randrange(3)]), dataset,
        )  # fmt: skip

    def batch(self, rng: random.Random, case: int, source: str, now: int, past: Sequence[Said], **options: Any) -> list[Said]:
        """New statements, some said before, and some of them twice."""
        batch = [self.say(rng, case, source, now, **options) for _ in range(rng.choice(self.counts))]
        batch += rng.sample(list(past), k=min(len(past), rng.choice(self.again)))
        return batch + rng.sample(batch, k=min(len(batch), rng.choice((0, 0, 0, 1))))


GENRES: dict[str, Genre] = {
    "mixed": Genre(),
    "ties": Genre(span=2, observed=(None, -1, -1, 0), counts=(0, 1, 2, 4)),
    "settled": Genre(events=0.8, observed=(None, None, None, 0, 0, -1), again=(0,)),
    "events": Genre(events=1.0),
    "periods": Genre(events=0.0),
    "long": Genre(span=60, length=8, counts=(0, 1, 3, 6)),
    "touching": Genre(span=24, length=3, values=("a", "a", "a", "b", None), counts=(0, 1, 4), events=0.2),
    "repeated": Genre(span=3, observed=(None, None, 0), counts=(0, 1, 1), again=(0, 1, 2)),
}
ALL = tuple(GENRES.values())

# Everything is observed later than what was known before.
FEED = Genre(events=0.9, observed=(None, 0), again=(0,))


def case_of(said: Said) -> int:
    return int(said.subject.split(":")[1])


def tell_randomly(
    story: Story, rng: random.Random, genres: Sequence[Genre], cases: int, batches: int, *,
    replay: bool = True, refs: int = 1, objectless: bool = True,
    complete: float = 0.4, sources: str = "AB", order: random.Random | None = None,
) -> None:  # fmt: skip
    """Batches of random cases: of several sources and datasets, complete, partial or recorded, with statements said again.

    With several refs to a case, batches also link them, so that they become one thing.
    """
    last = {"R": -60, "S": -60}
    for _ in range(batches):
        source, dataset = rng.choice(sources), rng.choice(story.datasets)
        past: dict[int, list[Said]] = defaultdict(list)
        for entry in story.oracle.log:
            if entry.said.source == source and entry.said.dataset == dataset:
                past[case_of(entry.said)].append(entry.said)
        now = story.now + 1
        if source in last:
            now = last[source] = rng.randint(last[source] + 1, min(last[source] + 20, story.now + 1))
        batch = []
        for case in range(cases):
            if "R" in sources and case % 4 < 2 and source != "RS"[case % 4]:
                continue  # of some cases one recorded source alone speaks
            genre = genres[case // 5 % len(genres)]
            batch += genre.batch(rng, case, source, now, past[case], dataset=dataset, refs=refs)
        batch = [item for item in batch if item.target or item.slot in (*FACETS, *(story.single if objectless else ()))]
        pairs = [(case, *rng.sample(range(refs), k=2)) for case in range(cases) if refs > 1 and rng.random() < 0.2]
        links = [(f"urn:{case}:{a}", f"key{a}", f"urn:{case}:{b}", f"key{b}") for case, a, b in pairs]
        options = {"source": source, "dataset": dataset, "complete": rng.random() < complete, "recorded": last.get(source)}
        story.tell(batch, bad=garbage(), links=links, rng=order or rng, **options)
        if replay and source not in last:
            story.tell_again(batch, rng, source=source, dataset=dataset, complete=options["complete"])


# --- relations that exclude each other ------------------------------------------------------------------------------

LIKES, DISLIKES, KNOWS, PARENT_OF, SINGLE = "urn:p:many", "urn:p:dislikes", "urn:p:knows", "urn:p:parent", "urn:p:single"

# DISLIKES excludes two that go together, one of them in either direction; PARENT_OF excludes itself, the other way round.
EXCLUSIONS = (
    Exclusion(LIKES, DISLIKES),
    Exclusion(DISLIKES, LIKES),
    *[Exclusion(*pair, swapped) for pair in ((DISLIKES, KNOWS), (KNOWS, DISLIKES)) for swapped in (False, True)],
    Exclusion(PARENT_OF, PARENT_OF, True),
    Exclusion(PARENT_OF, SINGLE),
    Exclusion(SINGLE, PARENT_OF),
)


@dataclass(frozen=True)
class Rivals(Genre):
    """Statements of a few things that say of each other what excludes something else."""

    def say(self, rng: random.Random, case: int, *args: Any, **options: Any) -> Said:
        said = super().say(rng, case, *args, **options)
        if said.slot != LIKES or said.target is None:
            return said
        slots = (LIKES, DISLIKES, KNOWS, DISLIKES) if case % 2 else (PARENT_OF, PARENT_OF, LIKES, DISLIKES)
        subject, target = (said.target, said.subject) if rng.random() < 0.3 else (said.subject, said.target)
        return said._replace(slot=rng.choice(slots), subject=subject, target=target)


def rivals(*names: str) -> list[Genre]:
    return [Rivals(**vars(GENRES[name])) for name in names]


# --- relations that follow from two -----------------------------------------------------------------------------------

# `in` is composed with `part`, both are transitive, `part` has a transitive inverse; kin is symmetric and transitive.
PLACES = ontology_of([
    relation("in", transitive=True, chains=[("in", "part")], inverses=["holds"]),
    relation("holds", inverses=["in"]),
    relation("part", transitive=True, inverses=["whole"]),
    relation("whole", transitive=True, inverses=["part"]),
])  # fmt: skip
FAMILY = ontology_of([
    relation("parent"),
    relation("brother"),
    relation("uncle", chains=[("parent", "brother")], inverses=["nephew"], above=["kin"]),
    relation("nephew", inverses=["uncle"]),
    relation("great", chains=[("parent", "parent", "brother"), ("parent", "uncle")]),
    relation("cousin", chains=[("nephew", "parent")], symmetric=True),
    relation("kin", transitive=True, symmetric=True),
])  # fmt: skip


@dataclass(frozen=True)
class Related(Genre):
    """Statements of relations among a few things of a case."""

    relations: tuple[str, ...] = ()

    def say(self, rng: random.Random, case: int, *args: Any, **options: Any) -> Said:
        said = super().say(rng, case * 5 + 2, *args, **options)
        ends = [f"urn:{case}:{rng.randrange(5)}" for _ in range(2)]
        return said._replace(subject=ends[0], slot=rng.choice(self.relations), target=ends[1])


def related(ontology: Ontology, *names: str) -> list[Genre]:
    relations = tuple(ontology.properties)
    return [Related(**vars(GENRES[name]) | {"counts": (1, 2, 4)}, relations=relations) for name in names]
