"""What tells the rows of a table apart, where nobody declared it: one column that is unique and is called as such.

Only what is sure is chosen, because the names of nodes hang on it; a choice stays while it holds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from stratagraph.sources.keys.inference.candidates import LAYER, Profile
from stratagraph.sources.keys.inference.names import is_generic, is_identifier, owner, words
from stratagraph.sources.keys.inference.tables import all_filled, tuple_of
from stratagraph.sqlfiles import load_sql

SURE = 0.85
MANY = 30  # rows in which a column is hardly unique by chance
_COUNTERS = frozenset({"no", "nr", "num", "number", "name", "row", "ref"})


@dataclass(frozen=True)
class Identity:
    """The columns that tell the rows of a table apart, and why. before: what did so until now, if that was given up."""

    table: str
    columns: tuple[str, ...]
    confidence: float
    evidence: Mapping[str, Any]
    before: tuple[str, ...] | None = None


def choose_identities(
    connection: duckdb.DuckDBPyConnection,
    profiles: Sequence[Profile],
    unique: Collection[tuple[str, str]],
    referred: Collection[tuple[str, str]],
    kept: Mapping[str, tuple[str, ...]],
) -> list[Identity]:
    """The identities of all tables that declare none and have rows. `referred`: columns that sure foreign keys refer to."""
    by_table: dict[str, list[Profile]] = {}
    for profile in profiles:
        if not profile.table.primary and profile.rows:
            by_table.setdefault(profile.table.name, []).append(profile)
    owners = _owners(profiles)
    found = []
    for table, columns in by_table.items():
        before = kept.get(table)
        if before and _holds(connection, columns, before, unique):
            found.append(Identity(table, before, 0.95, {"reason": "it still holds"}))
            continue
        candidates = [c for column in columns if column.id in unique and (c := _candidate(column, referred, owners))]
        best = max(candidates, key=lambda c: (c[0], -c[1].position), default=None)
        if best and best[0] >= SURE:
            found.append(Identity(table, (best[1].column.name,), best[0], {"reason": best[2], "rows": best[1].rows}, before))
    return found


def _holds(
    connection: duckdb.DuckDBPyConnection,
    columns: Sequence[Profile],
    before: tuple[str, ...],
    unique: Collection[tuple[str, str]],
) -> bool:
    known = {profile.column.name: profile for profile in columns}
    if not all(name in known for name in before):
        return False
    if len(before) == 1:
        return known[before[0]].id in unique
    return is_unique(connection, [known[name] for name in before])


def is_unique(connection: duckdb.DuckDBPyConnection, columns: Sequence[Profile]) -> bool:
    """Whether no two rows have the same values in all of some columns, and none lacks one."""
    landed = [profile.column for profile in columns]
    identifiers = {"parts": tuple_of(landed), "filled": all_filled(landed)}
    statement = load_sql(LAYER, "count_tuples", table=columns[0].table.relation or "", **identifiers)
    row = connection.execute(statement).fetchone()
    assert row is not None
    return bool(row[0]) and row[0] == row[1] == row[2]


def _owners(profiles: Sequence[Profile]) -> dict[str, float]:
    """Name of a column -> how well it fits the table that it fits best."""
    best: dict[str, float] = {}
    for profile in profiles:
        name = "".join(words(profile.column.name))
        best[name] = max(best.get(name, 0.0), owner(profile.column.name, profile.table.name))
    return best


def _candidate(
    profile: Profile, referred: Collection[tuple[str, str]], owners: Mapping[str, float]
) -> tuple[float, Profile, str] | None:
    """How sure it is that a unique column tells rows apart, and why."""
    name, first = profile.column.name, profile.position == 0
    fit, identifier = owner(name, profile.table.name), is_identifier(name)
    counter = words(name)[-1] in _COUNTERS
    if is_generic(name) and counter:
        return (0.86, profile, "the first column, and unique") if first and identifier and profile.rows >= MANY else None
    if is_generic(name):
        return 0.97 if first else 0.93, profile, "called as an identifier, and unique"
    if owners["".join(words(name))] > fit:
        return None  # another table's identifier, unique here so far
    # A table's name in front of `_name` or `_number` is common for columns that are unique by chance.
    if identifier and fit >= 0.6 and not counter:
        sure = (0.97 if fit >= 0.85 else 0.93) - (0.0 if first else 0.02)
        return sure, profile, "called as the identifier of its table, and unique"
    if identifier and fit >= 0.85 and (first or profile.rows >= MANY):
        return 0.9, profile, "called as the number of its table, and unique"
    if not first:
        return None
    if identifier:
        if profile.id in referred:
            return 0.95, profile, "an identifier, the first column, unique, and referred to by other tables"
        return (0.88, profile, "an identifier, the first column, and unique") if profile.rows >= 3 else None
    if fit >= 0.85 and profile.kind == "s" and profile.rows >= MANY:
        return 0.87, profile, "called as its table, the first column, and unique"
    return None
