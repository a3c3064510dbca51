"""Foreign keys by names, types and declared primary keys alone, for schemas whose rows nobody has.

Reads files in the format of Spider's `tables.json`. Where there are rows, `infer.py` decides; both share `names.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stratagraph.errors import SourceError
from stratagraph.sources.keys.inference.names import (
    NameMatch,
    Words,
    is_generic,
    is_identifier,
    match_names,
    owner,
    table_words,
    words,
)

THRESHOLD = 0.5


@dataclass(frozen=True)
class SchemaColumn:
    """A column of a schema without rows. primary: it is the primary key, or its first part."""

    table: int
    name: str
    type: str
    primary: bool
    first: bool


@dataclass(frozen=True)
class Schema:
    """A schema in which columns are known by their number, as in Spider's files."""

    name: str
    tables: tuple[str, ...]
    columns: Mapping[int, SchemaColumn]
    foreign_keys: frozenset[tuple[int, int]]


@dataclass(frozen=True)
class NamedKey:
    """A foreign key that names alone speak for."""

    column: int
    referenced: int
    confidence: float
    match: NameMatch


def read_schemas(path: Path) -> list[Schema]:
    """All schemas of a file in the format of Spider's `tables.json`."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return [_schema(entry) for entry in found]
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", where=str(path)) from error
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise SourceError(
            f"is no file of schemas ({type(error).__name__}: {error})", where=str(path),
            hint="needed: a JSON list of objects with db_id, table_names_original, column_names_original, column_types, "
            "primary_keys and foreign_keys, as in Spider's tables.json",
        ) from error  # fmt: skip


def _schema(entry: Mapping[str, Any]) -> Schema:
    tables = tuple(str(name) for name in entry["table_names_original"])
    primary = {int(number) for key in entry["primary_keys"] for number in (key if isinstance(key, list) else [key])}
    columns: dict[int, SchemaColumn] = {}
    seen: set[int] = set()
    for number, (table, name) in enumerate(entry["column_names_original"]):
        if table >= 0:
            kind = str(entry["column_types"][number])
            columns[number] = SchemaColumn(table, str(name), kind, number in primary, table not in seen)
            seen.add(table)
    keys = frozenset((int(child), int(parent)) for child, parent in entry["foreign_keys"])
    return Schema(str(entry["db_id"]), tables, columns, keys)


def infer_from_names(schema: Schema) -> list[NamedKey]:
    """The likeliest foreign key of each column, as far as names are sure of it; those of composite keys go first."""
    keyed = {column.table for column in schema.columns.values() if column.primary}
    found = _composite(schema)
    for number, column in schema.columns.items():
        if number in found:
            continue
        candidates = sorted(_candidates(schema, number, column, keyed), key=lambda key: (-key.confidence, key.referenced))
        if candidates and candidates[0].confidence >= THRESHOLD:
            found[number] = candidates[0]
    return [found[number] for number in sorted(found)]


def _composite(schema: Schema) -> dict[int, NamedKey]:
    """The parts of references to tables with composite keys, by column: all parts under their own names."""
    by_table: dict[int, dict[Words, int]] = {}
    for number, column in schema.columns.items():
        by_table.setdefault(column.table, {}).setdefault(words(column.name), number)
    runs = {table: run for table in by_table if len(run := _dependent_key(schema, table)) > 1}
    found: dict[int, NamedKey] = {}
    for table, columns in by_table.items():
        held = [_extended(schema, run, columns) for other, run in runs.items() if other != table]
        longest = max(held, key=len, default=[])
        if len(longest) <= len(runs.get(table, ())):
            continue  # its own key is as long: they are peers
        for referenced in longest:
            number = columns[words(schema.columns[referenced].name)]
            found[number] = NamedKey(number, referenced, 0.8, NameMatch("same", 0.9, 1.0))
    return found


def _dependent_key(schema: Schema, table: int) -> list[int]:
    """The first columns of a table of parts, up to the one that names it: (course_id, sec_id) of `section`.

    Files name only the first column of a composite primary key. Where they name none, none is guessed.
    """
    columns = _columns(schema, table)
    names = [schema.columns[number].name for number in columns]
    fits = [not is_generic(name) and owner(name, schema.tables[table]) >= 0.6 for name in names]
    primary = [position for position, number in enumerate(columns) if schema.columns[number].primary]
    last = next((position for position in (3, 2, 1) if position < len(columns) and fits[position]), 0)
    return [] if fits[0] or is_generic(names[0]) or 0 not in primary else columns[: last + 1]


def _extended(schema: Schema, run: list[int], columns: Mapping[Words, int]) -> list[int]:
    """A composite key as far as another table has it, with the columns that follow it in both; or nothing."""
    names = [words(schema.columns[number].name) for number in run]
    if any(name not in columns for name in names):
        return []
    extended = list(run)
    for mine, other in zip(
        _columns(schema, schema.columns[run[0]].table)[len(run) :],
        range(columns[names[-1]] + 1, max(schema.columns) + 1),
        strict=False,
    ):
        if columns.get(words(schema.columns[mine].name)) != other:
            break
        extended.append(mine)
    return extended


def _columns(schema: Schema, table: int) -> list[int]:
    return [number for number, column in schema.columns.items() if column.table == table]


def _candidates(schema: Schema, number: int, column: SchemaColumn, keyed: set[int]) -> Iterator[NamedKey]:
    table = schema.tables[column.table]
    own = owner(column.name, table) if column.primary or column.first else 0.0
    for other, key in schema.columns.items():
        if key.table == column.table:
            continue  # a self reference needs rows to be believed
        match = match_names(column.name, table, key.name, schema.tables[key.table])
        if match is None:
            continue
        weight = _key_weight(key, schema.tables[key.table], key.table in keyed, match) * _type_weight(column, key, match)
        standing_first = match.kind == "same" and key.table < column.table
        if own > match.owner or (own and own == match.owner and not standing_first):
            weight *= 0.3  # it is the key of its own table; of two such keys of one name the first is referred to
        elif match.kind == "same" and column.primary and not key.primary:
            weight *= 0.3  # a key does not refer to a column that is none
        elif match.kind == "same" and (column.primary or column.first) and own == match.owner and not standing_first:
            weight *= 0.3
        if weight:
            yield NamedKey(number, other, match.score * weight * (0.75 + 0.25 * match.owner), match)


def _key_weight(key: SchemaColumn, table: str, keyed: bool, match: NameMatch) -> float:
    """How likely a column is one that others refer to."""
    if key.primary:
        return 1.0 if is_identifier(key.name) or match.owner >= 0.5 else 0.7
    if not keyed and key.first:
        return 0.9 if match.owner >= 0.6 else 0.0
    named = is_identifier(key.name) or words(key.name) == table_words(table)
    return 0.9 if match.kind == "same" and match.owner >= 0.7 and named else 0.0


def _type_weight(column: SchemaColumn, key: SchemaColumn, match: NameMatch) -> float:
    return 1.0 if column.type == key.type else 0.9 if match.kind == "same" else 0.85
