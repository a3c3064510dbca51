"""An empty store for one story, and the questions its answer asks: all through the library's public call and SQL interface."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pyarrow as pa

from stratagraph.errors import CommitRefusedError
from stratagraph.project import SCHEMA_FILES
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.commit import CommitCounts, commit

from .statements import SOURCE, Row, Segment, as_table
from .story import EPOCH, iri, microseconds, timestamps

# Later than any recorded time of a story, which would be refused as lying in the future.
NOW = datetime(9999, 1, 1, tzinfo=UTC)
# What is kept of every statement, whether it changes belief or not, and the trail of commits and refusals.
LOG = frozenset(("statements", "evidence", "claims", "support"))
TRAIL = frozenset(("runs", "quarantine"))

NODES_AT = """
    SELECT p.number, n.properties FROM points AS p,
    LATERAL (SELECT x.properties FROM graph.nodes_as_of(p.valid_at, p.known_at) AS x WHERE x.node_id = p.name) AS n"""
# DuckDB does not take this macro's semi-joins in a lateral, so it is called for each instant that is asked for.
EDGES_AT = "SELECT predicate, properties FROM graph.edges_as_of(make_timestamptz($valid_at), make_timestamptz($known_at))"


@dataclass(frozen=True)
class Stored:
    """A canonical row: a value on a stretch of valid time, believed on a stretch of recorded time."""

    name: str
    value: dict[str, Any]
    valid_from: int
    valid_to: int
    recorded_from: int
    recorded_to: int

    def known(self, instant: int) -> bool:
        return self.recorded_from <= instant < self.recorded_to


@dataclass(frozen=True)
class Point:
    """A question: the value of a name at a point of both clocks."""

    kind: str
    name: str
    valid_at: int
    known_at: int


class Store:
    """One story's store."""

    def __init__(self) -> None:
        # Stories are many and small: they run beside each other, each on one thread.
        self.connection = duckdb.connect(config={"threads": 1})
        self.connection.execute(load_sql("schema", "configure_session"))
        for name in SCHEMA_FILES:
            self.connection.execute(load_sql("schema", name))

    def close(self) -> None:
        self.connection.close()

    def commit(self, batch_id: str, rows: list[Row], recorded_at: int | None, **options: Any) -> CommitCounts | None:
        """Commit a batch; None when it was refused as a whole. Without a recorded time the store's clock dates it."""
        recorded = None if recorded_at is None else EPOCH + timedelta(microseconds=recorded_at)
        fixed = {"dataset": "main", "source": SOURCE, "clock": lambda: NOW}
        try:
            return commit(self.connection, as_table(rows), batch_id=batch_id, recorded_at=recorded, **fixed, **options)
        except CommitRefusedError:
            return None

    def contents(self) -> dict[str, tuple[Any, ...]]:
        """Number and sum of hashes of the rows of every table."""
        found = self.connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'graph' AND NOT internal ORDER BY table_name"
        ).fetchall()
        names = [str(row[0]) for row in found]
        query = " UNION ALL ".join(f"SELECT '{name}', count(*), sum(hash(t)) FROM graph.\"{name}\" AS t" for name in names)
        return {str(row[0]): tuple(row[1:]) for row in self.connection.execute(query).fetchall()}

    def values_at(self, points: list[Point]) -> dict[int, list[dict[str, Any]]]:
        """The values at every point, by its position, as the macros that people use answer."""
        nodes = [(number, point) for number, point in enumerate(points) if point.kind == "node"]
        edges = [(number, point) for number, point in enumerate(points) if point.kind == "edge"]
        found: dict[int, list[dict[str, Any]]] = {}
        for number, properties in [*self._nodes_at(nodes), *self._edges_at(edges)]:
            found.setdefault(number, []).append(json.loads(properties))
        return found

    def _nodes_at(self, points: list[tuple[int, Point]]) -> list[tuple[int, str]]:
        columns = {
            "number": pa.array([number for number, _ in points], pa.int64()),
            "name": pa.array([point.name for _, point in points], pa.string()),
            "valid_at": timestamps([point.valid_at for _, point in points]),
            "known_at": timestamps([point.known_at for _, point in points]),
        }
        self.connection.register("points", pa.table(columns))
        found = self.connection.execute(NODES_AT).fetchall()
        self.connection.unregister("points")
        return found

    def _edges_at(self, points: list[tuple[int, Point]]) -> list[tuple[int, str]]:
        instants = sorted({(point.valid_at, point.known_at) for _, point in points})
        believed = {at: self.connection.execute(EDGES_AT, {"valid_at": at[0], "known_at": at[1]}).fetchall() for at in instants}
        return [
            (number, properties)
            for number, point in points
            for name, properties in believed[point.valid_at, point.known_at]
            if name == point.name
        ]

    def rows(self) -> list[Stored]:
        """All rows of all keys, on both clocks."""
        columns = ("valid_from", "valid_to", "recorded_from", "recorded_to")
        found = self.connection.execute(
            f"SELECT node_id, properties, {', '.join(columns)} FROM graph.nodes ORDER BY ALL"
        ).to_arrow_table()
        instants = [microseconds(found[name]) for name in columns]
        values = [json.loads(text) for text in found["properties"].to_pylist()]
        return [Stored(*fields) for fields in zip(found["node_id"].to_pylist(), values, *instants, strict=True)]

    def believed(self) -> dict[str, list[Segment]]:
        """Per key, what is believed now, over all valid time."""
        found: dict[str, list[Segment]] = {}
        for row in sorted(self.rows(), key=lambda row: (row.name, row.valid_from)):
            if row.known(NOW_MICROSECONDS):
                found.setdefault(row.name, []).append(Segment(row.valid_from, row.valid_to, row.value))
        return found

    def erase(self, key: list[Any]) -> None:
        """Erase a key for good."""
        from stratagraph.temporal.erase import erase

        erase(self.connection, dataset="main", kind="subject", id=iri("key", key), clock=lambda: NOW)

    def said(self, name: str) -> int:
        """Rows of statements and belief that name a key."""
        query = """SELECT (SELECT count(*) FROM graph.statements WHERE subject = $name)
                        + (SELECT count(*) FROM graph.nodes WHERE node_id = $name)"""
        return int(self.connection.execute(query, {"name": name}).fetchall()[0][0])


NOW_MICROSECONDS = (NOW - EPOCH) // timedelta(microseconds=1)
