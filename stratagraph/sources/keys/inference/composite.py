"""Foreign keys of several columns: which there are to refer to, and which columns of other tables match their parts.

A key that nobody declared is the shortest run of first columns that is unique, in a table that no single column tells apart.
The parts of a reference share one role: (yearID, lgIDwinner, teamIDwinner) -> Teams(yearID, lgID, teamID).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import duckdb

from stratagraph.sources.keys.inference.candidates import Profile
from stratagraph.sources.keys.inference.identity import is_unique
from stratagraph.sources.keys.inference.names import (
    Words,
    abbreviates,
    is_generic,
    is_identifier,
    match_names,
    owner,
    stem,
    words,
)
from stratagraph.sources.keys.inference.tables import KeyTable

MOST_PARTS = 5


@dataclass(frozen=True)
class CompositeKey:
    """Columns that together tell rows apart. named: one of them is called after the table."""

    columns: tuple[Profile, ...]
    declared: bool
    named: bool


@dataclass(frozen=True)
class CompositePair:
    """Columns that may refer to a composite key, in the order of its parts. score: of the part whose name fits least."""

    columns: tuple[Profile, ...]
    key: CompositeKey
    role: Words
    kinds: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class _Part:
    column: Profile
    role: Words
    kind: str
    score: float


def composite_keys(
    connection: duckdb.DuckDBPyConnection,
    tables: Sequence[KeyTable],
    profiles: Sequence[Profile],
    told: Mapping[str, tuple[str, ...]],
) -> list[CompositeKey]:
    """Declared keys of several columns, and runs of first columns where nothing tells the rows apart."""
    by_table: dict[str, list[Profile]] = {}
    named: dict[str, set[str]] = {}
    for profile in profiles:
        by_table.setdefault(profile.table.name, []).append(profile)
        for word in words(profile.column.name):
            named.setdefault(word[:1], set()).add(profile.table.name)
    found = []
    for table in tables:
        columns = {profile.column.name: profile for profile in by_table.get(table.name, ())}
        kept = told.get(table.name, ())
        for names in {key: None for key in (table.primary, *table.unique, kept) if len(key) > 1}:
            if all(name in columns for name in names):
                parts = tuple(columns[name] for name in names)
                found.append(CompositeKey(parts, names != kept or names == table.primary, _is_named(parts)))
        if table.name not in told and columns and _may_be_referred(by_table[table.name][:2], named):
            run = _shortest_unique(connection, by_table[table.name])
            if run:
                found.append(CompositeKey(run, False, _is_named(run)))
    return found


def _may_be_referred(first: Sequence[Profile], named: Mapping[str, set[str]]) -> bool:
    """Whether some other table has columns whose words begin as those of the first columns do."""
    others = [{t for w in words(p.column.name) for t in named.get(w[:1], ())} - {p.table.name} for p in first]
    return len(first) == 2 and bool(others[0] & others[1])


def _shortest_unique(connection: duckdb.DuckDBPyConnection, columns: Sequence[Profile]) -> tuple[Profile, ...] | None:
    if not columns[0].rows:
        return None
    for count in range(2, MOST_PARTS + 1):
        run = columns[:count]
        if len(run) < count or any(profile.filled < 1.0 or profile.kind not in ("n", "s", "t") for profile in run):
            return None
        if is_unique(connection, run):
            return tuple(run)
    return None


def _is_named(parts: Sequence[Profile]) -> bool:
    return any(
        is_identifier(part.column.name) and not is_generic(part.column.name) and owner(part.column.name, part.table.name) >= 0.6
        for part in parts
    )


def pair_composites(profiles: Sequence[Profile], keys: Sequence[CompositeKey]) -> Iterator[CompositePair]:
    """All sets of columns whose names match all parts of a key, one for each role."""
    by_table: dict[str, list[Profile]] = {}
    for profile in profiles:
        by_table.setdefault(profile.table.name, []).append(profile)
    for key in keys:
        for columns in by_table.values():
            parts = [[part for column in columns if (part := _part(column, other))] for other in key.columns]
            if all(parts):
                yield from _by_role(key, parts)


def _by_role(key: CompositeKey, parts: Sequence[Sequence[_Part]]) -> Iterator[CompositePair]:
    seen = set()
    for role in sorted({part.role for group in parts for part in group} | {()}):
        chosen = []
        for group in parts:
            fitting = [part for part in group if part.role == role] or [part for part in group if not part.role]
            if not fitting:
                break
            chosen.append(max(fitting, key=lambda part: (part.score, -part.column.position)))
        columns = tuple(part.column for part in chosen)
        if len(columns) < len(parts) or len({column.id for column in columns}) < len(columns) or columns in seen:
            continue
        seen.add(columns)
        if any(column.id == other.id for column, other in zip(columns, key.columns, strict=True)):
            continue  # a row that refers to others of its own group by a part of its own key, or to itself
        yield CompositePair(columns, key, role, tuple(part.kind for part in chosen), min(part.score for part in chosen))


def _part(column: Profile, key: Profile) -> _Part | None:
    """How a column may be one part of a reference. The other parts bear it out, so less is asked of each name."""
    if column.kind == "x" or (column.kind and key.kind and (column.kind == "t") != (key.kind == "t")):
        return None
    name, other = column.column.name, key.column.name
    mine, theirs = words(name), words(other)
    if not is_generic(other):
        if "".join(mine) == "".join(theirs):
            return _Part(column, (), "same", 0.97)
        if mine[-len(theirs) :] == theirs:
            return _Part(column, mine[: -len(theirs)], "role", 0.92)
        if mine[: len(theirs)] == theirs:
            return _Part(column, mine[len(theirs) :], "suffixed", 0.9)
        if stem(name) and stem(name) == stem(other):
            return _Part(column, (), "stem", 0.9)
        if is_identifier(name) and is_identifier(other) and _shortens(stem(name), stem(other)):
            return _Part(column, (), "short", 0.85)
    match = match_names(name, column.table.name, other, key.table.name)
    if match is None or match.kind in ("same", "self"):
        return None
    return _Part(column, match.role, match.kind, min(match.score, 0.9))


def _shortens(some: Words, others: Words) -> bool:
    """Whether one stem is short for the other: lg for league."""
    return len(some) == len(others) and all(a == b or _short(a, b) or _short(b, a) for a, b in zip(some, others, strict=True))


def _short(short: str, long: str) -> bool:
    if abbreviates(short, long):
        return True
    return len(short) == 2 < len(long) and short[0] == long[0] and short[1] in long[1:]
