"""Reads the landing file's own tables: what is known of a loaded source's tables, columns, keys and versions.

Only reads, and only through a connection that the caller opened. What writes these tables is `landing.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

import duckdb

from stratagraph.sqlfiles import load_sql

LAYER = "sources"
ACCEPTED, REFUSED = "accepted", "refused"  # states of a version of a recorded source
JSON_TEXT = "JSON text"  # type of a landing column whose text is a JSON value each


@dataclass(frozen=True)
class Load:
    """The last whole load of a source. `input_fingerprint` is None while another is under way."""

    input_fingerprint: str | None
    content_fingerprint: str
    history_fingerprint: str
    tables: int
    row_count: int


@dataclass(frozen=True)
class LandedColumn:
    """A column of a source and where it landed.

    Args:
        known_as: the first name the column had, which its IRI keeps; empty: its name.
        former: names that older rows may have it under.
        present: whether the last load still had it.
        encoded: whether the landing column holds the JSON text of each value.
    """

    table: str
    name: str
    landing_table: str
    landing_column: str
    type: str
    position: int
    known_as: str = ""
    former: tuple[str, ...] = ()
    present: bool = True
    encoded: bool = False


@dataclass(frozen=True)
class Table:
    """A table that was loaded once: its columns in order, the dropped ones too, and what tells its rows apart.

    Args:
        path: the lists it is nested in: `("orders", "items")`; one part for a table of its own.
        mode: full, incremental, changes.
        known_as: column -> the first name it had, where that is another.
        former: column -> names that older rows may have it under.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    path: tuple[str, ...] = ()
    mode: str = "full"
    known_as: dict[str, str] = field(default_factory=dict)
    former: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ForeignKey:
    """A foreign key. The referenced table need not be loaded."""

    name: str
    table: str
    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]
    origin: str = "declared"


@dataclass(frozen=True)
class InferredKey(ForeignKey):
    """A foreign key that nobody declared. evidence: JSON; used: whether it is certain enough."""

    origin: str = "inferred"
    coverage: float = 0.0
    confidence: float = 0.0
    evidence: str = "{}"
    used: bool = False


@dataclass(frozen=True)
class LoadedVersion:
    """A version of a recorded source that was loaded.

    Args:
        items: records in nested lists of its records.
        read_as: fingerprint of the config it was read with.
        state: accepted, or refused for a reason.
        moved: whether its time was moved behind that of the version before.
    """

    file: str
    recorded_at: datetime
    sha256: str
    items: int = 0
    read_as: str | None = None
    state: str = ACCEPTED
    reason: str | None = None
    detail: str | None = None
    payload: str | None = None
    moved: bool = False


def has_catalog(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether any source was ever loaded."""
    return connection.execute(load_sql(LAYER, "select_has_catalog")).fetchone() is not None


def last_load(connection: duckdb.DuckDBPyConnection, source: str) -> Load | None:
    """The last whole load of a source."""
    if not has_catalog(connection):
        return None
    row = connection.execute(load_sql(LAYER, "select_load"), {"source": source}).fetchone()
    return Load(*row) if row else None


def loaded_versions(connection: duckdb.DuckDBPyConnection, source: str) -> list[LoadedVersion]:
    """The versions of a recorded source, oldest first."""
    rows = connection.execute(load_sql(LAYER, "select_versions"), {"source": source}).fetchall()
    return [LoadedVersion(*row) for row in rows]


def loaded_columns(connection: duckdb.DuckDBPyConnection, source: str) -> list[LandedColumn]:
    """The columns of a source's tables, or the fields of all versions' records, in order; dropped ones too."""
    rows = connection.execute(load_sql(LAYER, "select_columns"), {"source": source}).fetchall()
    return [replace(LandedColumn(*row[:7]), former=tuple(row[7]), present=row[8], encoded=row[9]) for row in rows]


def loaded_tables(connection: duckdb.DuckDBPyConnection, source: str) -> list[Table]:
    """The tables of a source, those that the last load did not have any more too."""
    keys = primary_keys(connection, source)
    columns: dict[str, list[LandedColumn]] = {}
    for column in loaded_columns(connection, source):
        columns.setdefault(column.table, []).append(column)
    rows = connection.execute(load_sql(LAYER, "select_tables"), {"source": source}).fetchall()
    return [
        Table(
            name,
            tuple(column.name for column in columns.get(name, [])),
            keys.get(name, ()),
            tuple(path),
            mode,
            {column.name: column.known_as for column in columns.get(name, []) if column.known_as != column.name},
            {column.name: column.former for column in columns.get(name, []) if column.former},
        )
        for name, path, mode in rows
    ]


def primary_keys(connection: duckdb.DuckDBPyConnection, source: str) -> dict[str, tuple[str, ...]]:
    """Primary keys of all tables of a database, loaded or not."""
    rows = connection.execute(load_sql(LAYER, "select_primary_keys"), {"source": source}).fetchall()
    return {table: tuple(columns) for table, columns in rows}


def foreign_keys(connection: duckdb.DuckDBPyConnection, source: str) -> list[ForeignKey]:
    """Foreign keys of the loaded tables of a source."""
    rows = connection.execute(load_sql(LAYER, "select_foreign_keys"), {"source": source}).fetchall()
    return [
        ForeignKey(name, table, tuple(columns), other, tuple(others), origin)
        for name, table, columns, other, others, origin in rows
    ]


def inferred_keys(connection: duckdb.DuckDBPyConnection, source: str) -> list[InferredKey]:
    """Foreign keys that the last load inferred, the candidates too."""
    rows = connection.execute(load_sql(LAYER, "select_inferred_keys"), {"source": source}).fetchall()
    return [
        InferredKey(name, table, tuple(columns), other, tuple(others), "inferred", coverage or 0.0, confidence, evidence, used)
        for name, table, columns, other, others, coverage, confidence, evidence, used in rows
    ]
