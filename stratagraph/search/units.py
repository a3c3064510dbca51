"""The columns of the indexed units that filters need, held as arrays, and the filter itself.

A unit is a chunk, a fact (one row of an edge), a node (one row of a facet) or a community report, with four times. Texts
stay in the database. Times are microseconds since 1970; the smallest and greatest integers stand for -/+ infinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np
from numpy.typing import NDArray

from stratagraph.sqlfiles import load_sql

KINDS = ("chunk", "fact", "node", "community")

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Point:
    """A point on both clocks, in microseconds; None means no filter on that clock.

    Args:
        until: makes a period of `valid`, to this instant exclusively; what held at any time in it is selected.
    """

    valid: int | None = None
    known: int | None = None
    until: int | None = None

    @property
    def last_valid(self) -> int | None:
        """The last instant of valid time that is meant."""
        return self.valid if self.until is None else self.until - 1


@dataclass(frozen=True)
class Filter:
    """What may be found. Empty sequences select nothing; None selects everything."""

    point: Point = Point()
    kinds: Sequence[str] | None = None
    datasets: Sequence[str] | None = None

    @property
    def selects_nothing(self) -> bool:
        return (self.kinds is not None and not self.kinds) or (self.datasets is not None and not self.datasets)


@dataclass(frozen=True)
class UnitColumns:
    """Columns of all units, by ordinal.

    Args:
        kind: index into KINDS.
        dataset: index into `datasets`.
        subject, object: codes of nodes (a fact's ends; a node's own code is its subject), -1 if there is none.
        key: units with the same key are one thing to a reader, of which only the best is shown.
        repeating, repeated: pairs of an inferred fact and an asserted one that says the same.
    """

    kind: Integers
    dataset: Integers
    subject: Integers
    object: Integers
    key: Integers
    valid_from: Integers
    valid_to: Integers
    recorded_from: Integers
    recorded_to: Integers
    datasets: tuple[str, ...]
    repeating: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    repeated: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.kind)

    def mask(self, wanted: Filter) -> Mask:
        """Which units a filter selects. As in `edges_as_of`, a fact is there only while both its ends are."""
        at_point = np.ones(len(self), dtype=np.bool_)
        first, last = wanted.point.valid, wanted.point.last_valid
        if first is not None and last is not None:
            at_point &= (self.valid_from <= last) & (first < self.valid_to)
        if wanted.point.known is not None:
            at_point &= (self.recorded_from <= wanted.point.known) & (wanted.point.known < self.recorded_to)
        fact = self.kind == KINDS.index("fact")
        believed = np.zeros(int(max(self.subject.max(initial=-1), self.object.max(initial=-1))) + 2, dtype=np.bool_)
        believed[self.subject[at_point & (self.kind == KINDS.index("node"))]] = True
        selected: Mask = at_point & (~fact | (believed[self.subject] & believed[self.object]))
        if wanted.kinds is not None:
            selected &= np.isin(self.kind, [KINDS.index(kind) for kind in wanted.kinds])
        if wanted.datasets is not None:
            selected &= np.isin(self.dataset, [i for i, name in enumerate(self.datasets) if name in wanted.datasets])
        return selected

    def repeats(self, mask: Mask) -> tuple[Integers, Integers]:
        """Pairs of units of a mask: an inferred fact, and an asserted one that says the same."""
        both = mask[self.repeating] & mask[self.repeated]
        return self.repeating[both], self.repeated[both]


def read_columns(connection: duckdb.DuckDBPyConnection) -> UnitColumns:
    """Read the filter columns from `graph.units` and `graph.repeats`."""
    datasets = tuple(row[0] for row in connection.execute(load_sql("search", "select_datasets")).fetchall())
    columns = connection.execute(load_sql("search", "select_columns")).fetchnumpy()
    columns |= connection.execute(load_sql("search", "select_repeats")).fetchnumpy()
    return UnitColumns(**{name: np.asarray(values, dtype=np.int64) for name, values in columns.items()}, datasets=datasets)
