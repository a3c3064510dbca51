"""What changed in the columns of a source's tables from one load to the next: added, dropped, renamed, retyped.

A change of columns is reported, and is no change of rows: a row counts as changed only where a column that both loads have
says something else. A renamed column keeps its first name in its IRI; one that was dropped speaks on for the rows that did
not change since. A rename is told by the values alone, never by the names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import duckdb

from stratagraph.sources.catalog import LandedColumn
from stratagraph.sources.names import pointer
from stratagraph.sqlfiles import load_sql

LAYER = "sources"
_RENAMED_SHARE = 0.95  # of the rows that both loads have; some rows may have changed as well


@dataclass(frozen=True, order=True)
class SchemaChange:
    """One change. column: empty for the whole table; before, after: types, or names of a renamed column."""

    table: str
    column: str
    change: str
    before: str | None
    after: str | None

    def row(self) -> dict[str, str | None]:
        """As a row of the landing file's table."""
        return {
            "table_name": self.table,
            "column_name": self.column,
            "change": self.change,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True)
class Drift:
    """The columns that the source has or had, and what changed since the last load.

    Args:
        drifted: tables whose columns changed, now or ever.
    """

    columns: tuple[LandedColumn, ...]
    changes: tuple[SchemaChange, ...]
    drifted: frozenset[str]

    def compared(self) -> dict[str, list[tuple[str, ...]]]:
        """Drifted table -> its present columns, each with the names it may have in older contents."""
        names: dict[str, list[tuple[str, ...]]] = {}
        for column in self.columns:
            if column.table in self.drifted and column.present:
                names.setdefault(column.table, []).append((column.name, *column.former))
        return names


def compare_columns(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    before: Sequence[LandedColumn],
    now: Sequence[LandedColumn],
    growing: Collection[str],
) -> Drift:
    """Compare the columns of a load with those of all loads before. Reads `current_rows` and the log of the rows.

    growing: tables of which a load brings a part only; what it does not show of their columns is there all the same.
    """
    known = {(column.table, column.name): column for column in before}
    present = {(column.table, column.name) for column in now}
    tables = {column.table for column in before}
    added = [column for column in now if column.table in tables and not _is_present(known.get((column.table, column.name)))]
    shown = {column.table for column in now}
    absent = [c for c in before if c.present and (c.table, c.name) not in present and c.table not in growing]
    dropped = [column for column in absent if column.table in shown]
    new = [column for column in added if (column.table, column.name) not in known]
    renames = dict(_renames(connection, source, new, dropped))
    columns, changes = [], []
    for column in now:
        place = (column.table, column.name)
        old = renames.get(place) or known.get(place)
        if old is None:
            columns.append(replace(column, known_as=_free_name(column, before)))
        elif place in renames:
            columns.append(replace(column, known_as=old.known_as or old.name, former=(old.name, *old.former)))
            changes.append(SchemaChange(column.table, column.name, "renamed", old.name, column.name))
        else:
            columns.append(replace(column, known_as=old.known_as, former=old.former))
        if old is not None and old.present and old.type != column.type:
            changes.append(SchemaChange(column.table, column.name, "retyped", old.type, column.type))
    taken = {(old.table, old.name) for old in renames.values()}
    changes += [SchemaChange(c.table, c.name, "added", None, c.type) for c in added if (c.table, c.name) not in renames]
    changes += [SchemaChange(c.table, c.name, "dropped", c.type, None) for c in dropped if (c.table, c.name) not in taken]
    changes += [SchemaChange(table, "", "dropped", "table", None) for table in {c.table for c in absent} - shown]
    for column in before:
        if (column.table, column.name) not in present | taken:
            columns.append(replace(column, present=column.present and column not in absent))
    rows = connection.execute(load_sql(LAYER, "select_drifted"), {"source": source}).fetchall()
    drifted = {table for (table,) in rows} | {change.table for change in changes}
    return Drift(tuple(columns), tuple(sorted(changes)), frozenset(drifted))


def _free_name(column: LandedColumn, before: Sequence[LandedColumn]) -> str:
    """The name of a new column, numbered where another one goes by it: that one had it first, and was renamed."""
    taken = {old.known_as or old.name for old in before if old.table == column.table}
    number, name = 1, column.name
    while name in taken:
        number += 1
        name = f"{column.name}~{number}"
    return name


def _is_present(column: LandedColumn | None) -> bool:
    return column is not None and column.present


def _renames(
    connection: duckdb.DuckDBPyConnection, source: str, added: Sequence[LandedColumn], dropped: Sequence[LandedColumn]
) -> Iterator[tuple[tuple[str, str], LandedColumn]]:
    """Pairs of a new column and the dropped one whose values it has; none where that is not one and one."""
    pairs = [
        (new, old)
        for new, old in product(added, dropped)
        if new.table == old.table and _same_values(connection, source, new, old)
    ]
    for new, old in pairs:
        rivals = sum(other_new == new or other_old == old for other_new, other_old in pairs)
        if rivals == 1:
            yield (new.table, new.name), old


def _same_values(connection: duckdb.DuckDBPyConnection, source: str, new: LandedColumn, old: LandedColumn) -> bool:
    names = [pointer(name) for name in (old.name, *old.former)]
    parameters = {"source": source, "table": new.table, "new": pointer(new.name), "old": names}
    row = connection.execute(load_sql(LAYER, "count_equal_values"), parameters).fetchone()
    shared, equal, values = row or (0, 0, 0)
    return bool(values) and equal >= _RENAMED_SHARE * shared
