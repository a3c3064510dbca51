"""Which columns may refer to which keys: by their names first, then by a sample of their values.

Nothing is decided here. What is left out here is out for good: pairs whose names say nothing, and pairs of which the sample
shows that many values are not found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from stratagraph.sources.keys.inference.names import (
    NameMatch,
    is_generic,
    is_identifier,
    is_time,
    match_names,
    names_thing,
    owner,
    table_words,
    words,
)
from stratagraph.sources.keys.inference.tables import KeyColumn, KeyTable
from stratagraph.sqlfiles import load_sql

LAYER = "keys"
SAMPLED_ROWS = 100_000  # of a table, for its profile
FEW = 1_000  # values; of fewer an estimate of how many are different is no use
SAMPLED_VALUES = 1_000  # of a column
FEW_VALUES, LEAST_VALUES = 100, 3  # of a column whose name says nothing
POSSIBLE = 0.5  # share of the sampled values that must be found
POSSIBLE_WEAK = 0.95  # the same where the names are not much
MOST_WEAK = 3  # keys that a column may be paired with by names that are not much; of more nobody could choose


@dataclass(frozen=True)
class Profile:
    """A column as a sample of its table's rows shows it.

    Args:
        rows: all rows of the table.
        filled: share of the looked-at rows that have a value.
        distinct: about how many different values there are for each that is filled; 1 where they are few.
        kind: number (n), text (s), time (t), none (x); empty: it has no values.
        length: mean length of its values.
    """

    table: KeyTable
    column: KeyColumn
    position: int
    rows: int
    filled: float
    distinct: float
    kind: str
    length: float

    @property
    def id(self) -> tuple[str, str]:
        return self.table.name, self.column.name


@dataclass(frozen=True)
class Pair:
    """A column and a key it may refer to."""

    column: Profile
    key: Profile
    match: NameMatch


def profile_tables(connection: duckdb.DuckDBPyConnection, tables: Sequence[KeyTable]) -> list[Profile]:
    """All columns of all tables."""
    connection.execute(load_sql(LAYER, "create_macros"))
    found = []
    for table in tables:
        rows, looked, measured = 0, 0, []
        if table.relation is not None and table.columns:
            rows = _one(connection, load_sql(LAYER, "count_rows", table=table.relation))[0]
            columns = ", ".join(column.profile for column in table.columns)
            statement = load_sql(LAYER, "profile_columns", table=table.relation, columns=columns)
            row = connection.execute(statement, {"step": _step(rows)}).fetchone()
            assert row is not None
            looked, measured = row
        for position, column in enumerate(table.columns):
            this: dict[str, Any] = measured[position] if looked else {"filled": 0}
            filled: int = this["filled"]
            share = filled / looked if looked else 0.0
            different = this["distinct"] / filled if filled > FEW else 1.0
            kind, length = (this["kind"], this["length"]) if filled else ("", 0.0)
            found.append(Profile(table, column, position, rows, share, different, kind, length))
    return found


def unique_columns(connection: duckdb.DuckDBPyConnection, profiles: Sequence[Profile]) -> set[tuple[str, str]]:
    """The columns, by table and name, in which every row has a value of its own. What the sample rules out isn't read."""
    found = set()
    for table, group in _by_table(p for p in profiles if p.filled == 1.0 and p.distinct > 0.7 and p.kind in ("n", "s", "t")):
        columns = ", ".join(f"counts_of({profile.column.text})" for profile in group)
        counts = _one(connection, load_sql(LAYER, "count_values", table=table.relation or "", columns=columns))[0]
        found |= {p.id for p, (filled, distinct) in zip(group, counts, strict=True) if filled == distinct == p.rows}
    return found


def pair_names(profiles: Sequence[Profile], keys: Sequence[Profile]) -> list[Pair]:
    """All pairs whose names say that the column may refer to the key."""
    index = _NameIndex(keys)
    return [
        Pair(profile, key, match)
        for profile in profiles
        if profile.kind != "x"
        for key in index.near(profile.column.name, profile.table.name)
        if key.id != profile.id
        and (match := match_names(profile.column.name, profile.table.name, key.column.name, key.table.name))
        and not _is_own_key(profile, key, match)
    ]


def _is_own_key(profile: Profile, key: Profile, match: NameMatch) -> bool:
    """Whether the column is what tells the rows of its own table apart, rather than a reference.

    A key that is a reference too has the other table's name: `Employee(person_id) -> Person(person_id)`.
    """
    own = owner(profile.column.name, profile.table.name)
    if match.kind == "self":
        return False
    alone = profile.table.primary == (profile.column.name,)
    if is_generic(profile.column.name):
        return True
    if own > match.owner or own == match.owner >= 0.6:
        return True
    return alone and match.kind != "same"


def drop_impossible(connection: duckdb.DuckDBPyConnection, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs without those of which a sample of values shows that the key lacks many. Columns without values stay."""
    with_values = [pair for pair in pairs if pair.column.kind and pair.key.kind and _comparable(pair)]
    ids = _sample_values(connection, [pair.column for pair in with_values], [pair.key for pair in with_values], SAMPLED_VALUES)
    rows = [
        {"pair": number, "column_id": ids[pair.column.id], "referenced_id": ids[pair.key.id]}
        for number, pair in enumerate(with_values)
    ]
    schema = pa.schema([("pair", pa.int64()), ("column_id", pa.int64()), ("referenced_id", pa.int64())])
    connection.register("pairs", pa.Table.from_pylist(rows, schema=schema))
    counted = connection.execute(load_sql(LAYER, "select_contained")).fetchall()
    connection.unregister("pairs")
    shares = {number: found / sampled for number, sampled, found in counted}
    possible = {
        id(pair)
        for number, pair in enumerate(with_values)
        if (is_sure_name(pair.match) and not _is_weak(pair))
        or shares.get(number, 0.0) >= (POSSIBLE_WEAK if _is_weak(pair) else POSSIBLE)
    }
    kept = [pair for pair in pairs if id(pair) in possible or not (pair.column.kind and pair.key.kind)]
    weak = Counter(pair.column.id for pair in kept if _is_weak(pair))
    return [pair for pair in kept if not _is_weak(pair) or weak[pair.column.id] <= MOST_WEAK]


def pair_values(
    connection: duckdb.DuckDBPyConnection, profiles: Sequence[Profile], keys: Sequence[Profile], named: Sequence[Pair]
) -> list[Pair]:
    """Columns whose names say nothing, with the few keys that have all their values: for a person to look at.

    Numbers that are not called identifiers are left out, as they are contained in every key that counts from 1.
    """
    told = {pair.column.id for pair in named}
    firsts = [key for key in keys if key.kind and key.position == 0 and is_identifier(key.column.name)]
    asked = [
        profile
        for profile in profiles
        if profile.id not in told
        and (profile.kind == "s" or (profile.kind == "n" and is_identifier(profile.column.name)))
        and not is_generic(profile.column.name)
        and owner(profile.column.name, profile.table.name) < 0.6
    ]
    ids = _sample_values(connection, asked, firsts, FEW_VALUES)
    contained = connection.execute(load_sql(LAYER, "select_containing"), {"least": LEAST_VALUES}).fetchall()
    columns, referenced = {ids[p.id]: p for p in asked}, {ids[p.id]: p for p in firsts}
    found = [Pair(columns[a], referenced[b], NameMatch("values", 0.0, 0.0)) for a, b in contained if b in referenced]
    found = [pair for pair in found if pair.column.id != pair.key.id and pair.column.kind == pair.key.kind]
    several = Counter(pair.column.id for pair in found)
    return [pair for pair in found if several[pair.column.id] <= MOST_WEAK]


def _sample_values(
    connection: duckdb.DuckDBPyConnection, columns: Sequence[Profile], keys: Sequence[Profile], limit: int
) -> dict[tuple[str, str], int]:
    """Fill `sampled_values` with some values of columns and `found_values` with those that keys share; the columns' ids."""
    ids: dict[tuple[str, str], int] = {}
    connection.execute(load_sql(LAYER, "create_values"))
    for table, group in _by_table({column.id: column for column in columns}.values()):
        texts = ", ".join(profile.column.text for profile in group)
        parameters: dict[str, object] = {"columns": _ids(ids, group), "limit": limit, "step": _step(group[0].rows)}
        connection.execute(load_sql(LAYER, "insert_sampled_values", table=table.relation or "", texts=texts), parameters)
    for table, group in _by_table({key.id: key for key in keys}.values()):
        texts = ", ".join(profile.column.text for profile in group)
        statement = load_sql(LAYER, "insert_found_values", table=table.relation or "", texts=texts)
        connection.execute(statement, {"columns": _ids(ids, group)})
    return ids


def _is_weak(pair: Pair) -> bool:
    return pair.match.kind in ("named", "short", "suffixed") or not names_thing(pair.key.column.name)


def is_sure_name(match: NameMatch) -> bool:
    """Whether the names alone leave hardly a doubt, so that a person wants to know why values are not found."""
    return match.kind in ("same", "table", "role") and match.owner >= 0.85


def _comparable(pair: Pair) -> bool:
    """Numbers and text may be equal as text; a time equals neither."""
    return (pair.column.kind == "t") == (pair.key.kind == "t")


def _ids(ids: dict[tuple[str, str], int], profiles: Iterable[Profile]) -> list[int]:
    return [ids.setdefault(profile.id, len(ids)) for profile in profiles]


def _step(rows: int) -> int:
    return max(1, rows // SAMPLED_ROWS)


def _by_table(profiles: Iterable[Profile]) -> Iterator[tuple[KeyTable, list[Profile]]]:
    groups: dict[str, list[Profile]] = {}
    for profile in profiles:
        groups.setdefault(profile.table.name, []).append(profile)
    for group in groups.values():
        yield group[0].table, group


def _one(connection: duckdb.DuckDBPyConnection, statement: str) -> tuple[Any, ...]:
    row = connection.execute(statement).fetchone()
    assert row is not None
    return row


class _NameIndex:
    """Finds the keys that the name of a column may mean, without comparing it with all of them."""

    def __init__(self, keys: Sequence[Profile]) -> None:
        self._keys = keys
        self._by: dict[tuple[str, str], set[int]] = {}
        self._own: dict[str, set[int]] = {}
        for number, key in enumerate(keys):
            rows = table_words(key.table.name)
            self._own.setdefault(key.table.name, set()).add(number)
            for word in {rows[0][:2], rows[-1][:2], "".join(word[0] for word in rows)}:
                self._by.setdefault(("table", word), set()).add(number)
            if not is_generic(key.column.name):
                self._by.setdefault(("name", "".join(words(key.column.name))), set()).add(number)

    def near(self, column: str, table: str) -> list[Profile]:
        """In the order of the keys."""
        found = words(column)
        wanted = {("name", "".join(found[cut:])) for cut in range(len(found))}
        wanted |= {("name", "".join(found[:cut])) for cut in range(1, len(found))}
        wanted |= {("table", word[:2]) for word in found} | {("table", word) for word in found if len(word) < 7}
        numbers: set[int] = set(self._own.get(table, ()))
        for key in wanted:
            numbers |= self._by.get(key, set())
        return [self._keys[number] for number in sorted(numbers)]


def could_be_key(profile: Profile, unique: set[tuple[str, str]]) -> bool:
    """Whether others may refer to the column: a declared key, or a unique one called an identifier or as its table is."""
    name, table = profile.column.name, profile.table
    if (name,) in (table.primary, *table.unique):
        return True
    if profile.id not in unique or profile.kind == "t" or (is_time(name) and owner(name, table.name) < 0.6):
        return False
    return is_identifier(name) or (not is_generic(name) and owner(name, table.name) >= 0.85)
