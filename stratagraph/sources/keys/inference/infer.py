"""Infers foreign keys, and what tells the rows of a table apart, from the names and values of tables that declare neither.

The steps: profile all columns (a sample of rows), pair columns with unique ones by name, drop the pairs of which a sample of
values is not found, count the rest in all rows, weigh the evidence. Everything runs in DuckDB, on the tables as they landed.
Where the input is the same, so is the result, whatever a sample looked at: a sample only drops what can't hold.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from stratagraph.sources.keys.inference.candidates import (
    LAYER,
    Pair,
    Profile,
    could_be_key,
    drop_impossible,
    is_sure_name,
    pair_names,
    pair_values,
    profile_tables,
    unique_columns,
)
from stratagraph.sources.keys.inference.composite import CompositePair, composite_keys, pair_composites
from stratagraph.sources.keys.inference.identity import Identity, choose_identities
from stratagraph.sources.keys.inference.names import is_identifier, names_thing
from stratagraph.sources.keys.inference.score import CERTAIN, LISTED, Measure, Score, coverage_factor, is_telling, name_factor
from stratagraph.sources.keys.inference.tables import KeyColumn, KeyTable, all_filled, tuple_of
from stratagraph.sqlfiles import load_sql

Key = tuple[str, tuple[str, ...], str, tuple[str, ...]]
Links = tuple[str, str, frozenset[tuple[str, str]]]  # two tables and pairs of columns, whatever their order


@dataclass(frozen=True)
class InferredKey:
    """A foreign key that was inferred.

    Args:
        coverage: share of the rows with a value whose target is there; None: no row has a value.
        confidence: in [0, 1].
        evidence: what speaks for it and against it, as JSON values (docs/foreign-keys.md).
        used: whether it is certain enough to be used without a person's yes.
    """

    table: str
    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]
    coverage: float | None
    confidence: float
    evidence: Mapping[str, Any]
    used: bool

    @property
    def key(self) -> Key:
        return self.table, self.columns, self.referenced_table, self.referenced_columns


@dataclass(frozen=True)
class Inference:
    """All that was inferred of some tables: keys, the certain ones first, and what tells the rows of a table apart."""

    keys: tuple[InferredKey, ...]
    identities: tuple[Identity, ...]


@dataclass
class _Weighed:
    """A candidate while its evidence is weighed."""

    columns: tuple[Profile, ...]
    keys: tuple[Profile, ...]
    kind: str
    measure: Measure
    score: Score
    evidence: dict[str, Any]
    rank: float

    @property
    def table(self) -> str:
        return self.columns[0].table.name

    @property
    def id(self) -> Key:
        return (
            self.table, tuple(profile.column.name for profile in self.columns),
            self.keys[0].table.name, tuple(profile.column.name for profile in self.keys),
        )  # fmt: skip

    @property
    def place(self) -> tuple[tuple[str, str], ...]:
        """The columns that refer, in any order."""
        return tuple(sorted(column.id for column in self.columns))

    @property
    def links(self) -> Links:
        table, columns, other, others = self.id
        return table, other, frozenset(zip(columns, others, strict=True))


def infer_keys(
    connection: duckdb.DuckDBPyConnection,
    tables: Sequence[KeyTable],
    taken: Collection[tuple[str, str]] = (),
    kept: Mapping[str, tuple[str, ...]] | None = None,
    denied: Collection[Links] = (),
) -> Inference:
    """Infer what nobody declared.

    Args:
        connection: where the tables are, with the macros of `sql/sources/create_macros.sql`.
        tables: the tables of one source.
        taken: (table, column) of which it is known what they refer to; nothing is looked for there.
        kept: what told the rows of a table apart before; it stays while it does.
        denied: keys of which a person said that they don't hold.
    """
    profiles = profile_tables(connection, tables)
    unique = unique_columns(connection, profiles)
    keys = [profile for profile in profiles if could_be_key(profile, unique)]
    pairs = [pair for pair in pair_names(profiles, keys) if pair.column.id not in taken]
    pairs = drop_impossible(connection, pairs)
    pairs += [pair for pair in pair_values(connection, profiles, keys, pairs) if pair.column.id not in taken]
    measured = [(pair, _measure(connection, (pair.column,), (pair.key,))) for pair in pairs]
    weighed = [_weigh(connection, pair, measure, unique) for pair, measure in measured]
    referred = {w.keys[0].id for w in weighed if w.measure.rows and w.score.confidence >= CERTAIN}
    identities = choose_identities(connection, profiles, unique, referred, kept or {})
    told = {identity.table: identity.columns for identity in identities} | {t.name: t.primary for t in tables if t.primary}
    for candidate in weighed:
        _weigh_target(candidate, told)
    composites = _composites(connection, tables, profiles, told, taken)
    for candidate in [*weighed, *composites]:
        if candidate.links in denied:
            candidate.score.times("denied", 0.0)
    _weigh_rivals(weighed)
    found = sorted([*weighed, *composites], key=lambda w: (-w.score.confidence, w.id))
    needed = {w.keys[0].table.name: tuple(p.column.name for p in w.keys) for w in composites if w.score.confidence >= CERTAIN}
    identities += [
        Identity(table, columns, 0.9, {"reason": "referred to by a composite key", "columns": "the first ones that are unique"})
        for table, columns in sorted(needed.items())
        if table not in told
    ]
    best: dict[tuple[tuple[str, str], ...], float] = {}
    for candidate in found:
        best.setdefault(candidate.place, candidate.score.confidence)
    return Inference(
        tuple(_inferred(candidate) for candidate in found if _is_listed(candidate, best[candidate.place])),
        tuple(sorted(identities, key=lambda identity: identity.table)),
    )


def _measure(connection: duckdb.DuckDBPyConnection, columns: Sequence[Profile], keys: Sequence[Profile]) -> Measure:
    table, other = columns[0].table.relation, keys[0].table.relation
    if table is None or not all(profile.kind for profile in columns):
        return Measure(0, 0, 0, 0, keys[0].rows)
    mine, theirs = [profile.column for profile in columns], [profile.column for profile in keys]
    if other is None:
        rows = connection.execute(
            load_sql(LAYER, "count_tuples", table=table, parts=tuple_of(mine), filled=all_filled(mine))
        ).fetchone()
        assert rows is not None
        return Measure(rows[1], 0, rows[2], 0, 0)
    identifiers = {"table": table, "referenced": other} | _sides(mine, theirs)
    row = connection.execute(load_sql(LAYER, "measure_key", **identifiers)).fetchone()
    assert row is not None
    return Measure(*row)


def _sides(mine: Sequence[KeyColumn], theirs: Sequence[KeyColumn]) -> dict[str, str]:
    return {
        "parts": tuple_of(mine), "filled": all_filled(mine), "others": tuple_of(theirs), "others_filled": all_filled(theirs),
    }  # fmt: skip


def _weigh(connection: duckdb.DuckDBPyConnection, pair: Pair, measure: Measure, unique: set[tuple[str, str]]) -> _Weighed:
    """What the names and the values of one pair say."""
    numbers = pair.column.kind == "n" and pair.key.kind == "n"
    telling = is_telling(measure, numbers, pair.column.length)
    first = pair.key.position == 0 or pair.key.table.primary == (pair.key.column.name,)
    evidence: dict[str, Any] = {
        "name": {"kind": pair.match.kind, "role": " ".join(pair.match.role), "table_fit": pair.match.owner},
        "types": {"column": pair.column.kind, "referenced": pair.key.kind},
        "referenced": {"rows": pair.key.rows, "unique": pair.key.id in unique, "identity": first},
        "values": _counts(measure) | {"telling": telling},
    }
    score = Score()
    called = names_thing(pair.key.column.name)
    name = name_factor(pair.match, called, telling, pair.column.kind == "s", first)
    score.times("name", name)
    score.times("coverage" if measure.rows else "no_values", coverage_factor(measure.coverage))
    if measure.rows and pair.column.kind != pair.key.kind and pair.key.kind:
        score.times("types", 0.95)
    if measure.rows and measure.found < measure.rows and is_sure_name(pair.match) and pair.key.kind:
        evidence["if_folded"] = _folded(connection, pair)
    if pair.match.kind == "self" and measure.rows:
        _weigh_self(connection, pair, score, evidence)
    return _Weighed((pair.column,), (pair.key,), pair.match.kind, measure, score, evidence, name)


def _counts(measure: Measure) -> dict[str, Any]:
    return {
        "rows": measure.rows, "found": measure.found, "distinct": measure.values, "distinct_found": measure.values_found,
        "referenced_distinct": measure.targets,
    }  # fmt: skip


def _folded(connection: duckdb.DuckDBPyConnection, pair: Pair) -> float:
    """Coverage if case, spaces around and zeros in front did not count."""
    tables = {"table": pair.column.table.relation or "", "referenced": pair.key.table.relation or ""}
    statement = load_sql(LAYER, "measure_folded", **tables, **_sides([pair.column.column], [pair.key.column]))
    row = connection.execute(statement).fetchone()
    assert row is not None
    return round(row[1] / row[0], 4) if row[0] else 0.0


def _weigh_self(connection: duckdb.DuckDBPyConnection, pair: Pair, score: Score, evidence: dict[str, Any]) -> None:
    """A column that repeats the row's own key relates it to nothing."""
    identifiers = {"parts": pair.column.column.text, "others": pair.key.column.text}
    row = connection.execute(load_sql(LAYER, "count_same", table=pair.column.table.relation or "", **identifiers)).fetchone()
    assert row is not None
    evidence["same_row"] = round(row[1] / row[0], 4) if row[0] else 0.0
    if row[0] and row[1] > 0.9 * row[0]:
        score.times("same_row", 0.3)


def _weigh_target(candidate: _Weighed, told: Mapping[str, tuple[str, ...]]) -> None:
    """Whether what is referred to is sure to be a key at all, now that it is known what tells its rows apart."""
    (column,), (key,) = candidate.columns, candidate.keys
    declared = (key.column.name,) in (key.table.primary, *key.table.unique)
    if not key.rows and not declared:
        candidate.score.times("referenced_empty", 0.5)
    if candidate.measure.rows:
        return
    if told.get(column.table.name) == (column.column.name,) or _may_be_own_key(column):
        candidate.score.times("own_key", 0.8)  # a one-to-one relation without a row that shows it
    if candidate.kind not in ("same", "table", "role"):
        candidate.score.times("name_alone", 0.8)
    elif candidate.kind == "same" and declared and candidate.evidence["name"]["table_fit"] < 0.6:
        candidate.score.factors["name"] = 0.92  # the only key of that name (rivals are weighed), and it is declared


def _may_be_own_key(column: Profile) -> bool:
    """Whether a column stands where a table without rows has its key: first, and the next one is no identifier too."""
    others = column.table.columns
    return not column.table.primary and column.position == 0 and not (len(others) > 1 and is_identifier(others[1].name))


def _weigh_rivals(weighed: Sequence[_Weighed]) -> None:
    """A column refers to one thing: of several that hold, the best name; of equal names, the one that holds the others."""
    by_column: dict[tuple[str, str], list[_Weighed]] = {}
    for candidate in weighed:
        by_column.setdefault(candidate.columns[0].id, []).append(candidate)
    holds = {(w.columns[0].id, w.keys[0].id) for w in weighed if (w.measure.coverage or 0) >= 0.95}
    for group in by_column.values():
        standing = [w for w in group if w.score.confidence >= LISTED]
        for candidate in standing:
            rivals = [w for w in standing if w is not candidate and w.score.confidence >= candidate.score.confidence * 0.8]
            candidate.evidence["rivals"] = [_text(w.id) for w in rivals]
        best = max((w.score.confidence for w in standing), default=0.0)
        top = [w for w in standing if w.score.confidence >= best - 0.05]
        roots = [
            w for w in top
            if not any((w.keys[0].id, other.keys[0].id) in holds for other in top if other is not w)
        ]  # fmt: skip
        for candidate in standing:
            if (candidate.keys[0].id, candidate.columns[0].id) in holds:
                candidate.score.times("mutual", 0.6)  # each holds the other: which of them refers is not to be seen
            if candidate in roots and len(roots) == 1:
                continue
            candidate.score.times("rivals", 0.6)


def _composites(
    connection: duckdb.DuckDBPyConnection,
    tables: Sequence[KeyTable],
    profiles: Sequence[Profile],
    told: Mapping[str, tuple[str, ...]],
    taken: Collection[tuple[str, str]],
) -> list[_Weighed]:
    """Foreign keys of several columns: to declared keys of several, and to tables that no single column tells apart."""
    keys = composite_keys(connection, tables, profiles, told)
    pairs = [pair for pair in pair_composites(profiles, keys) if not all(column.id in taken for column in pair.columns)]
    weighed = [_weigh_composite(pair, _measure(connection, pair.columns, pair.key.columns)) for pair in pairs]
    best: dict[tuple[tuple[str, str], ...], float] = {}
    for candidate in weighed:
        best[candidate.place] = max(best.get(candidate.place, 0.0), candidate.score.confidence)
    for candidate in weighed:
        if candidate.score.confidence < best[candidate.place]:
            candidate.score.times("rivals", 0.6)
    return weighed


def _weigh_composite(pair: CompositePair, measure: Measure) -> _Weighed:
    telling = measure.values >= 3
    score = Score()
    score.times("name", min(0.97, pair.score + 0.05))
    score.times("coverage" if measure.rows else "no_values", coverage_factor(measure.coverage))
    if not telling:
        score.times("few_values", 0.9)
    if not pair.key.declared and not pair.key.named:
        score.times("key_names_no_table", 0.8)
    evidence = {
        "name": {"kind": "parts", "role": " ".join(pair.role), "parts": list(pair.kinds)},
        "referenced": {"rows": pair.key.columns[0].rows, "unique": True, "declared": pair.key.declared},
        "values": _counts(measure) | {"telling": telling},
    }
    return _Weighed(pair.columns, pair.key.columns, "parts", measure, score, evidence, pair.score)


def _is_listed(candidate: _Weighed, best: float) -> bool:
    """Whether a person may want to see it: what is likely, and what would be certain if only the values were found.

    Args:
        best: the confidence of the best key of the same columns.
    """
    if candidate.score.confidence >= LISTED:
        return "rivals" not in candidate.score.factors or candidate.score.confidence >= 0.8 * best
    sure = candidate.kind in ("same", "table", "role") and candidate.evidence["name"]["table_fit"] >= 0.85
    missing = bool(candidate.measure.rows) and best < CERTAIN
    return sure and missing and bool(candidate.evidence["referenced"]["identity"])


def _inferred(candidate: _Weighed) -> InferredKey:
    confidence = candidate.score.confidence
    evidence = candidate.evidence | {"factors": candidate.score.factors}
    return InferredKey(*candidate.id, candidate.measure.coverage, confidence, evidence, confidence >= CERTAIN)


def _text(key: Key) -> str:
    from stratagraph.sources.keys.text import print_key

    return print_key(*key)
