"""Reads a published snapshot: search, recall, entities, history, evidence, SQL. What an agent runtime imports.

Light on purpose: duckdb, numpy, tantivy and wordllama, nothing of the pipeline. A snapshot never changes, so a reader holds
what it opened; it is safe to use from several threads.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import duckdb

from stratagraph.errors import SnapshotError
from stratagraph.search.engine import HYBRID, LEXICAL, VECTOR, Weights
from stratagraph.search.periods import named_period
from stratagraph.search.units import KINDS, Filter, Point
from stratagraph.snapshot.database import open_database
from stratagraph.snapshot.hits import read_hits
from stratagraph.snapshot.layout import find_snapshot, read_manifest
from stratagraph.snapshot.model import Hit, Recall, Table
from stratagraph.snapshot.opening import open_engine
from stratagraph.snapshot.recall import recall
from stratagraph.snapshot.statements import Parameters, run_query
from stratagraph.snapshot.times import Instant, iso, microseconds, parse_instant
from stratagraph.sqlfiles import load_sql

Mode = Literal["auto", "hybrid", "lexical", "vector", "chunks", "facts", "nodes", "summaries"]
MODES: dict[str, tuple[tuple[str, ...], Weights]] = {
    "auto": (KINDS, HYBRID),
    "hybrid": (KINDS, HYBRID),
    "lexical": (KINDS, LEXICAL),
    "vector": (KINDS, VECTOR),
    "chunks": (("chunk",), HYBRID),
    "facts": (("fact",), HYBRID),
    "nodes": (("node",), HYBRID),
    "summaries": (("community",), HYBRID),
}
# What DuckDB raises for a damaged file, beside the errors that a query makes.
_UNREADABLE = (duckdb.IOException, duckdb.FatalException, duckdb.InternalException, duckdb.SerializationException)
MAX_LIMIT = 1000
MAX_HOPS = 6


@dataclass(frozen=True)
class Clocks:
    """A point on both clocks; None means no filter on that clock."""

    valid: datetime | None
    known: datetime | None

    @property
    def parameters(self) -> dict[str, str | None]:
        # As text: DuckDB reads it exactly, and Python never sees an infinite instant.
        return {
            "valid_at": None if self.valid is None else iso(self.valid),
            "known_at": None if self.known is None else iso(self.known),
        }

    @property
    def point(self) -> Point:
        return Point(microseconds(self.valid), microseconds(self.known))


def open_snapshot(path: str | Path) -> Snapshot:
    """Open a snapshot: its folder, a `snapshots/` folder (its LATEST), or a data directory."""
    folder = find_snapshot(Path(path)).resolve()
    while True:
        try:
            return Snapshot(folder, read_manifest(folder))
        except (SnapshotError, OSError):
            # Publishing may have removed it meanwhile; then LATEST names another one by now.
            latest = find_snapshot(Path(path)).resolve()
            if latest == folder:
                raise
            folder = latest


class Snapshot:
    """An open snapshot.

    Everywhere, `valid_at` and `known_at` take an aware datetime, an ISO 8601 text with a zone, a date (its midnight in UTC),
    'any' for no filter on that clock, or None: the present moment for `valid_at`, the latest knowledge for `known_at`.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.path = folder
        self.manifest = manifest
        self.id = str(manifest["snapshot_id"])
        self._latest = datetime.fromisoformat(str(manifest["known_at"]))
        self._connection, self._database = open_database(folder, manifest)
        self._lock = threading.Lock()
        try:
            with self._readable():
                self._engine = open_engine(self._connection, folder, manifest)
        except BaseException:
            self.close()
            raise

    def search(
        self,
        query: str,
        mode: Mode | str = "auto",
        *,
        valid_at: Instant = None,
        known_at: Instant = None,
        limit: int = 10,
        kinds: Sequence[str] | None = None,
        datasets: Sequence[str] | None = None,
    ) -> list[Hit]:
        """The best matches of a query at a point of both clocks, best first.

        Args:
            query: plain text in any language; nothing in it is syntax.
            mode: auto and hybrid (words and vectors over everything), lexical, vector, or one kind: chunks, facts, nodes,
                summaries.
            limit: 1 to 1000.
            kinds: only these of chunk, fact, node, community; an empty list selects nothing.
            datasets: only these datasets; an empty list selects nothing.
        """
        clocks = self._clocks(valid_at, known_at)
        wanted, weights = self._filter(mode, clocks, kinds, datasets)
        found = self._engine.search(query, wanted, _bounded(limit), weights)
        with self._cursor() as cursor:
            return read_hits(cursor, found, clocks.parameters["known_at"])

    def recall(self, query: str, *, valid_at: Instant = None, known_at: Instant = None, limit: int = 10) -> Recall:
        """What texts and graph know: a hybrid search, and for the nodes it matches the facts believed of them.

        Without `valid_at`, a period that the question names (`in 1973`) is the time of the facts.
        """
        clocks = self._clocks(valid_at, known_at)
        period = named_period(query) if valid_at is None else None
        during = period and Point(microseconds(period[0]), clocks.point.known, microseconds(period[1]))
        found = recall(self._engine, query, clocks.point, during, _bounded(limit))
        with self._cursor() as cursor:
            hits = read_hits(cursor, found, clocks.parameters["known_at"])
        return Recall(query, "/".join(map(iso, period or [clocks.valid])), iso(clocks.known), hits)

    def get_entity(self, id: str, *, valid_at: Instant = None, known_at: Instant = None) -> dict[str, Any] | None:
        """A node at a point of both clocks, by its id or a source's ref; None if nothing is believed of it there."""
        clocks = self._clocks(valid_at, known_at)
        known = {"known_at": clocks.parameters["known_at"]}
        node_id = self._node_id(id, known["known_at"])
        facets = self._rows("select_facets", {"id": node_id} | clocks.parameters) if node_id else []
        if not facets:
            return None
        for facet in facets:
            facet["properties"] = json.loads(facet["properties"])
        return {
            "id": node_id,
            "dataset": facets[0]["dataset"],
            "label": next((facet["label"] for facet in facets if facet["label"]), None),
            "classes": sorted({facet["class"] for facet in facets}),
            "properties": merged_properties(facets),
            "refs": [row["ref"] for row in self._rows("select_refs", {"id": node_id} | known)],
            "facets": facets,
        }

    def neighbors(
        self, id: str, hops: int = 1, *, valid_at: Instant = None, known_at: Instant = None, limit: int = 50
    ) -> list[dict[str, Any]]:
        """Nodes within some hops, nearest first, each with the edges that lead to it (`via`)."""
        if not 1 <= hops <= MAX_HOPS:
            raise SnapshotError(f"hops must be 1 to {MAX_HOPS}, not {hops}")
        clocks = self._clocks(valid_at, known_at)
        node_id = self._node_id(id, clocks.parameters["known_at"])
        parameters: dict[str, Any] = {"id": node_id, "hops": hops, "limit": _bounded(limit)}
        found: dict[int, dict[str, Any]] = {}
        for row in self._rows("select_neighbors", parameters | clocks.parameters) if node_id else []:
            node = {key: row[key] for key in ("id", "dataset", "label", "class", "distance")}
            edge_keys = ("edge_id", "subject", "predicate", "object", "fact", "origin", "valid_from", "valid_to")
            found.setdefault(row["place"], node | {"via": []})["via"].append({key: row[key] for key in edge_keys})
        return list(found.values())

    def history(self, id: str) -> list[dict[str, Any]]:
        """Every version of a node with its edges, or of an edge, in order of transaction time."""
        rows = self._rows("select_history", {"id": self._node_id(id, None) or id})
        for row in rows:
            row["properties"] = json.loads(row["properties"])
        return rows

    def evidence(self, id: str) -> list[dict[str, Any]]:
        """The statements that justify a node or an edge, and where each was said."""
        return self._rows("select_evidence", {"id": self._node_id(id, None) or id})

    def communities(self, *, level: int | None = None, limit: int = 20) -> list[dict[str, Any]]:
        """The current communities with their reports, larger ones first within a level."""
        rows = self._rows("select_communities", {"level": level, "limit": _bounded(limit)})
        for row in rows:
            row["findings"] = json.loads(row["findings"] or "[]")
            row["coverage"] = json.loads(row["coverage"] or "{}")
        return rows

    def status(self) -> dict[str, Any]:
        """What this snapshot is."""
        kept = ("snapshot_id", "format_version", "known_at", "valid_at", "history", "content_hash", "rows", "rows_indexed")
        described = ("parent", "embedding", "tokenizer", "fusion", "communities", "versions")
        return {key: self.manifest.get(key) for key in (*kept, *described)} | {
            "path": str(self.path),
            "datasets": list(self._engine.columns.datasets),
        }

    def sql(
        self, query: str, parameters: Parameters = None, limit: int | None = None, *, timeout: float | None = None
    ) -> Table:
        """Run one SELECT on the snapshot's tables, views and macros.

        Args:
            query: one statement; `?` or `$name` for values.
            parameters: a list for `?`, a mapping for `$name`.
            limit: fetch at most this many rows.
            timeout: seconds after which the query is interrupted.
        """
        with self._cursor() as cursor:
            return run_query(cursor, query, parameters, limit, timeout)

    def close(self) -> None:
        """Close the files. Safe to call again."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Snapshot({self.id!r})"

    def _clocks(self, valid_at: Instant, known_at: Instant) -> Clocks:
        return Clocks(parse_instant(valid_at, datetime.now(UTC)), parse_instant(known_at, self._latest))

    def _filter(
        self, mode: str, clocks: Clocks, kinds: Sequence[str] | None, datasets: Sequence[str] | None
    ) -> tuple[Filter, Weights]:
        if mode not in MODES:
            raise SnapshotError(f"unknown mode: {mode!r}", hint=f"one of {', '.join(MODES)}")
        unknown = [kind for kind in kinds or () if kind not in KINDS]
        if unknown:
            raise SnapshotError(f"unknown kind: {unknown[0]!r}", hint=f"one of {', '.join(KINDS)}")
        if isinstance(datasets, str):
            raise SnapshotError(f"datasets must be a list, not {datasets!r}", hint=f"[{datasets!r}]")
        of_mode, weights = MODES[mode]
        selected = None if of_mode == KINDS and kinds is None else [k for k in of_mode if kinds is None or k in kinds]
        return Filter(clocks.point, selected, datasets), weights

    def _node_id(self, id: str, known_at: str | None) -> str | None:
        rows = self._rows("select_node_id", {"id": id, "known_at": known_at})
        return rows[0]["node_id"] if rows else None

    def _rows(self, statement: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        # A lone surrogate (from broken input) is no text to DuckDB, hence part of no id.
        readable = {k: v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for k, v in parameters.items()}
        with self._cursor() as cursor:
            result = cursor.execute(load_sql("snapshot", statement), readable)
            names = [column[0] for column in result.description or []]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            with self._lock:
                cursor = self._connection.cursor()
        except duckdb.ConnectionException as error:
            raise SnapshotError("the snapshot is closed", where=self.id, hint="open it again") from error
        with self._readable(), cursor:
            yield cursor

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except _UNREADABLE as error:
            raise SnapshotError(
                f"the database cannot be read: {error}", where=str(self._database), hint="`stratagraph snapshot verify`"
            ) from error


def merged_properties(facets: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The properties of all facets, the surest first. Values that text gives one property side by side become a list."""
    properties: dict[str, Any] = {}
    for facet in facets:
        for key, value in facet["properties"].items():
            known = properties.setdefault(key, value)
            known = known if isinstance(known, list) else [known]
            if facet["facet"].startswith(f"{key}=") and str(value) not in map(str, known):
                properties[key] = [*known, value]
    return properties


def _bounded(limit: int) -> int:
    if not 1 <= limit <= MAX_LIMIT:
        raise SnapshotError(f"limit must be 1 to {MAX_LIMIT}, not {limit}")
    return limit
