"""A brute-force reading of the belief rules (design section 4), in plain Python and from the rules, not from the SQL.

Time is integers on both clocks; BEGIN and END stand for -infinity and infinity. Belief is asked instant by instant of what is
live at a transaction time, and rows are put together from the answers. Two things are taken as given, because the rules leave
them to the store: which node a ref stands for, and the content hash that decides a tie.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

BEGIN, END = -1_000_000, 1_000_000


class Said(NamedTuple):
    """A statement. `value` None is a retraction, `until` None an event; `target` is None for a facet of a node."""

    source: str
    subject: str
    slot: str  # the facet of a node, or the relation
    target: str | None
    value: str | None
    start: int
    until: int | None
    observed: int | None = None
    sequence: int = 0
    dataset: str = "main"


class Key(NamedTuple):
    """What one belief is about (rule 1); `target` is empty for a facet and for a single-valued relation."""

    dataset: str
    node: str
    slot: str
    target: str


class Segment(NamedTuple):
    """A stretch of valid time on which one value is believed."""

    dataset: str
    node: str
    slot: str
    target: str
    value: str
    start: int
    until: int


class Implication(NamedTuple):
    """relation(s, o) implies implied(s, o), or implied(o, s) when swapped (rule 10)."""

    relation: str
    implied: str
    swapped: bool


class Chain(NamedTuple):
    """One relation after the other, from a to b, imply implied(a, b); a transitive one is a chain of itself (rule 10)."""

    relations: tuple[str, ...]
    implied: str


class Exclusion(NamedTuple):
    """relation(s, o) and excluded(s, o), or excluded(o, s) when swapped, do not hold together (rule 8)."""

    relation: str
    excluded: str
    swapped: bool = False


class Conflict(NamedTuple):
    """A stretch of valid time on which two sources disagree about a key."""

    key: Key
    standing: Said
    overridden: Said
    start: int
    until: int


@dataclass(frozen=True)
class Logged:
    """A statement with its transaction time, and what the store ranks equal statements by.

    As a denial it stands beside the statements of a relation that its own excludes, until its claim of its own ends.
    """

    said: Said
    since: int
    to: int = END
    mark: bytes = b""
    denies_until: int | None = None

    @property
    def asserts(self) -> bool:
        return self.denies_until is None and self.said.value is not None

    @property
    def observed(self) -> int:
        return self.since if self.said.observed is None else self.said.observed

    @property
    def rank(self) -> tuple[int, int, bytes]:
        return self.observed, self.said.sequence, self.mark


@dataclass(frozen=True)
class World:
    """What the keys depend on besides the statements: whom a ref stands for, and which relations are single-valued."""

    nodes: dict[tuple[str, str], str] = field(default_factory=dict)
    single: frozenset[str] = frozenset()
    declared: frozenset[Exclusion] = frozenset()

    @property
    def exclusions(self) -> list[Exclusion]:
        """Between relations whose keys name the object."""
        return [rule for rule in self.declared if not {rule.relation, rule.excluded} & self.single]

    def group(self, said: Said) -> object:
        """What is said together: a key, or what two things are to each other that excludes other such."""
        if any(said.slot in rule[:2] for rule in self.exclusions):
            return said.dataset, frozenset((self.node(said.dataset, said.subject), self.node(said.dataset, said.target)))
        return self.key(said)

    def denied(self, said: Said) -> set[Key]:
        """The other keys of which an assertion says that there is nothing."""
        if said.value is None:
            return set()
        own = self.key(said)
        ends = {False: (own.node, own.target), True: (own.target, own.node)}
        rules = [rule for rule in self.exclusions if rule.relation == said.slot]
        return {Key(said.dataset, ends[r.swapped][0], r.excluded, ends[r.swapped][1]) for r in rules} - {own}

    def node(self, dataset: str, ref: str | None) -> str:
        return "" if ref is None else self.nodes.get((dataset, ref), ref)

    def key(self, said: Said) -> Key:
        target = "" if said.slot in self.single else self.node(said.dataset, said.target)
        return Key(said.dataset, self.node(said.dataset, said.subject), said.slot, target)

    def value(self, said: Said) -> tuple[str, str] | None:
        """The value, with the object that belongs to it; None for a retraction."""
        return None if said.value is None else (self.node(said.dataset, said.target), said.value)


def record(
    log: list[Logged],
    batch: Iterable[Said],
    world: World,
    dataset: str,
    source: str,
    complete: bool,
    at: Callable[[object], int],
) -> list[Logged]:
    """The log after a batch: rules 5 (transaction time), 6 (withdrawal), 7 (completeness), 13 (an empty period is nothing)."""
    said = {item: world.group(item) for item in batch if item.start < (END if item.until is None else item.until)}
    live = {entry.said: entry for entry in log if entry.to == END and entry.said.dataset == dataset}
    latest: dict[object, int] = defaultdict(lambda: BEGIN)
    for entry in live.values():
        latest[world.group(entry.said)] = max(latest[world.group(entry.said)], entry.since)
    # Said again, word for word and undated, after or with something else about its key: all said of the key is observed anew.
    again = {key for item, key in said.items() if item in live and item.observed is None and latest[key] > live[item].since}
    anew = again | {key for item, key in said.items() if item not in live}

    def ends(entry: Logged) -> bool:
        if entry.to != END or entry.said.dataset != dataset:
            return False
        if complete:
            return entry.said.source == source and entry.said not in said
        return entry.said in said and entry.said.observed is None and said[entry.said] in anew

    after = [replace(entry, to=at(world.group(entry.said))) if ends(entry) else entry for entry in log]
    known = {entry.said for entry in after if entry.to == END}
    return after + [Logged(item, at(key)) for item, key in said.items() if item not in known]


def winner(live: Iterable[Logged], valid: int) -> Logged | None:
    """Rule 3: the statement that wins at an instant. A denial holds as long as its own claim, whatever begins meanwhile."""
    live = list(live)
    if any(entry.denies_until is not None for entry in live):
        there = [entry for entry, start, until in claims(live) if start <= valid < until]
        return max(there, key=lambda e: (e.observed, e.said.until is not None, *e.rank[1:]), default=None)
    events = [entry for entry in live if entry.said.until is None and entry.said.start <= valid]
    periods = [entry for entry in live if entry.said.until is not None and entry.said.start <= valid < entry.said.until]
    event = max(events, key=lambda entry: (entry.said.start, *entry.rank), default=None)
    period = max(periods, key=lambda entry: entry.rank, default=None)
    if event and period:
        return event if event.observed > period.observed else period
    return event or period


def claims(live: list[Logged]) -> list[tuple[Logged, int, int]]:
    """Rule 2: what each statement claims: a period its own length, an event until the next event of the key."""
    starts = sorted({entry.said.start for entry in live if entry.said.until is None})
    following = dict(zip(starts, [*starts[1:], END], strict=False))
    ends = {e: following[e.said.start] if e.said.until is None else e.said.until for e in live}
    return [(e, e.said.start, ends[e] if e.denies_until is None else e.denies_until) for e in live]


def with_denials(keys: dict[Key, list[Logged]], world: World) -> dict[Key, list[Logged]]:
    """The statements of each key, with those of other relations that exclude it (rule 8)."""
    denied = [(key, other, entry) for key in keys for entry in keys[key] for other in world.denied(entry.said)]
    starts = {key: {entry.said.start for entry in keys[key] if entry.said.until is None} for key in keys}
    for _, other, entry in denied:
        if entry.said.until is None:
            starts.setdefault(other, set()).add(entry.said.start)
    found = {key: list(live) for key, live in keys.items()}
    for key, other, entry in denied:
        until = entry.said.until
        if until is None:
            until = min((start for start in starts[key] if start > entry.said.start), default=END)
        found.setdefault(other, []).append(replace(entry, denies_until=until))
    return found


def stretches(live: list[Logged]) -> list[tuple[int, int]]:
    """Elementary intervals: between them nothing changes."""
    bounds = sorted({BEGIN, END} | {bound for _, *claim in claims(live) for bound in claim})
    return list(pairwise(bounds))


def joined(found: Iterable[tuple[Any, int, int]]) -> set[tuple[Any, int, int]]:
    """Intervals of one thing that meet become one (rule 4)."""
    done: set[tuple[Any, int, int]] = set()
    last: dict[Any, tuple[int, int]] = {}
    for thing, start, until in found:
        since, to = last.get(thing, (start, start))
        if to != start:
            done.add((thing, since, to))
            since = start
        last[thing] = (since, until)
    return done | {(thing, *interval) for thing, interval in last.items()}


def segments(key: Key, live: list[Logged], world: World) -> set[Segment]:
    """Maximal segments believed of a key."""
    won = [(winner(live, start), start, until) for start, until in stretches(live)]
    found = joined((world.value(entry.said), start, until) for entry, start, until in won if entry and entry.asserts)
    return {Segment(key.dataset, key.node, key.slot, *value, start, until) for value, start, until in found}


def support(key: Key, live: list[Logged], world: World) -> set[tuple[Segment, Said]]:
    """The statements with the value of a segment whose claims overlap it."""
    return {
        (row, entry.said)
        for row in segments(key, live, world)
        for entry, start, until in claims(live)
        if entry.asserts and world.value(entry.said) == (row.target, row.value) and start < row.until and row.start < until
    }


def conflicts(key: Key, live: list[Logged], world: World) -> set[Conflict]:
    """Where what a source says of a key is not what stands there by another source's word."""
    found = []
    for start, until in stretches(live):
        there = [entry for entry, since, to in claims(live) if since <= start < to]
        standing = winner(there, start)
        for source in {entry.said.source for entry in there}:
            own = winner([entry for entry in there if entry.said.source == source], start)
            another = standing and own and own.asserts and standing.said.source != source
            if another and (not standing.asserts or world.value(own.said) != world.value(standing.said)):
                found.append(((standing.said, own.said), start, until))
    return {Conflict(key, *pair, start, until) for pair, start, until in joined(found)}


def inferred(believed: set[Segment], implications: Iterable[Implication]) -> set[Segment]:
    """What follows from asserted rows, where it is not asserted itself (rule 10)."""
    edges: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    follows: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for row in believed:
        edges[row[:4]].append((row.start, row.until))
        for rule in implications:
            if rule.relation == row.slot:
                ends = (row.target, row.node) if rule.swapped else (row.node, row.target)
                follows[row.dataset, ends[0], rule.implied, ends[1]].append((row.start, row.until))
    found = []
    for edge, premises in follows.items():
        bounds = sorted({bound for stretch in premises + edges[edge] for bound in stretch})
        for start, until in pairwise(bounds):
            holds = any(a <= start < b for a, b in premises) and not any(a <= start < b for a, b in edges[edge])
            found += [(edge, start, until)] if holds else []
    return {Segment(*edge, "inferred", start, until) for edge, start, until in joined(found)}


def composed(believed: set[Segment], implications: Iterable[Implication], chains: Iterable[Chain]) -> set[Segment]:
    """The same with chains: at every instant what is asserted is closed under all rules, among things that are related."""
    found = []
    for rows in _related(believed):
        for start, until in pairwise(sorted({bound for row in rows for bound in (row.start, row.until)})):
            asserted = {row[:4] for row in rows if row.start <= start < row.until}
            found += [(edge, start, until) for edge in _closure(asserted, list(implications), list(chains)) - asserted]
    return {Segment(*edge, "inferred", start, until) for edge, start, until in joined(sorted(found, key=lambda f: f[1]))}


def _related(rows: set[Segment]) -> list[list[Segment]]:
    top: dict[str, str] = {}

    def find(node: str) -> str:
        while top.setdefault(node, node) != node:
            node = top[node]
        return node

    edges = [row for row in rows if row.target]
    for row in edges:
        top[find(row.node)] = find(row.target)
    groups: dict[tuple[str, str], list[Segment]] = defaultdict(list)
    for row in edges:
        groups[row.dataset, find(row.node)].append(row)
    return list(groups.values())


def _closure(
    asserted: set[tuple[str, str, str, str]], implications: list[Implication], chains: list[Chain]
) -> set[tuple[str, str, str, str]]:
    known = set(asserted)
    while True:
        more = set()
        for dataset, a, slot, b in known:
            for rule in implications:
                if rule.relation == slot:
                    more.add((dataset, b, rule.implied, a) if rule.swapped else (dataset, a, rule.implied, b))
        for chain in chains:
            ways = {(dataset, a, b) for dataset, a, slot, b in known if slot == chain.relations[0]}
            for relation in chain.relations[1:]:
                steps = [(dataset, a, b) for dataset, a, slot, b in known if slot == relation]
                ways = {
                    (dataset, a, c) for dataset, a, b in ways for other, start, c in steps if (dataset, b) == (other, start)
                }
            more |= {(dataset, a, chain.implied, c) for dataset, a, c in ways if a != c}
        if more <= known:
            return known
        known |= more


def seen(rows: Iterable[Segment], valid: int, facets: Iterable[str]) -> set[Segment]:
    """Edges that hold at an instant and of which both ends are believed there (rule 9)."""
    there = {row for row in rows if row.start <= valid < row.until}
    nodes = {(row.dataset, row.node) for row in there if row.slot in facets}
    return {r for r in there if r.slot not in facets and {(r.dataset, r.node), (r.dataset, r.target)} <= nodes}


Question = Callable[[Key, list[Logged], World], set[Any]]


class Oracle:
    """The log with what it depends on, and the answers at every transaction time."""

    def __init__(self) -> None:
        self.log: list[Logged] = []
        self.worlds: list[tuple[int, World]] = [(BEGIN, World())]
        self.implications: list[Implication] = []
        self.chains: list[Chain] = []
        self._answers: dict[tuple[object, ...], set[Any]] = {}

    def instants(self) -> list[int]:
        """Every transaction time at which something changes."""
        times = {entry.since for entry in self.log} | {entry.to for entry in self.log} | {since for since, _ in self.worlds}
        return sorted(times - {BEGIN, END})

    def at(self, known: int, question: Question) -> set[Any]:
        """The answer for every key, with what is live at a transaction time."""
        world = [world for since, world in self.worlds if since <= known][-1]
        keys: dict[Key, list[Logged]] = defaultdict(list)
        for entry in self.log:
            if entry.since <= known < entry.to:
                keys[world.key(entry.said)].append(entry)
        answer: set[Any] = set()
        for key, live in with_denials(keys, world).items():
            asked = (question, key, *live, *(world.value(entry.said) for entry in live))
            if asked not in self._answers:
                self._answers[asked] = question(key, live, world)
            answer |= self._answers[asked]
        return answer

    def history(self, question: Question) -> set[tuple[Any, int, int]]:
        """Each answer with the maximal intervals of transaction time in which it is given (rule 4)."""
        return self._over_time(lambda known: self.at(known, question))

    def inferred(self) -> set[tuple[Segment, int, int]]:
        return self._over_time(lambda known: self.follows(self.at(known, segments)))

    def follows(self, believed: set[Segment]) -> set[Segment]:
        """What is inferred from what is believed."""
        if self.chains:
            return composed(believed, self.implications, self.chains)
        return inferred(believed, self.implications)

    def _over_time(self, answer: Callable[[int], set[Any]]) -> set[tuple[Any, int, int]]:
        return joined((thing, since, to) for since, to in pairwise([*self.instants(), END]) for thing in answer(since))
