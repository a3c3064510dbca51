"""A small in-memory store for tests of belief, and short ways to state things."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pyarrow as pa
from vectors import table

from stratagraph.project import SCHEMA_FILES
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import LINK_COLUMNS
from stratagraph.temporal.commit import CommitCounts, commit

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


class Store:
    """One connection with the schema, and a clock that steps a day with every commit."""

    def __init__(self) -> None:
        self.connection = duckdb.connect()
        self.connection.execute(load_sql("schema", "configure_session"))
        for name in SCHEMA_FILES:
            self.connection.execute(load_sql("schema", name))
        self.now = EPOCH
        self.commits = 0

    def commit(
        self, *rows: dict[str, Any], source: str = "s", links: list[tuple[str, str, str, str]] | None = None, **options: Any
    ) -> CommitCounts:
        """Commit rows of one source; links are (ref, ref_key, alias, alias_key)."""
        self.commits += 1
        self.now += timedelta(days=1)
        options = {"clock": lambda: self.now, "batch_id": str(self.commits), "dataset": "main"} | options
        linked = None
        if links is not None:
            values = [("main", ref, ref_key, alias, alias_key, "key") for ref, ref_key, alias, alias_key in links]
            columns = {name: [value[i] for value in values] for i, name in enumerate(LINK_COLUMNS)}
            linked = pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})
        stated = table(self.connection, [row | {"source": source, "scope": source} for row in rows])
        return commit(self.connection, stated, source=source, links=linked, **options)

    def rows(self, query: str, **parameters: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(query, parameters).fetchall()


def node(ref: str, label: str | None = None, cls: str = "urn:Person", facet: str = "record", **fields: Any) -> dict[str, Any]:
    """A node statement that always held."""
    value = {"label": label, "properties": fields.pop("properties", {})}
    return _statement("node", ref, cls, None, value, facet) | fields


def edge(
    subject: str, predicate: str, target: str, valid_from: str = "-infinity", valid_to: str | None = "infinity", **fields: Any
) -> dict[str, Any]:
    """An edge statement; valid_to None makes it an event."""
    value = {"fact": fields.pop("fact", None), "properties": fields.pop("properties", {})}
    times = {"valid_from": valid_from, "valid_to": valid_to, "mode": "event" if valid_to is None else "period"}
    return _statement("edge", subject, predicate, target, value, "") | times | fields


def _statement(
    kind: str, subject: str, predicate: str, target: str | None, value: dict[str, Any], facet: str
) -> dict[str, Any]:
    return {
        "dataset": "main",
        "kind": kind,
        "subject": subject,
        "predicate": predicate,
        "object": target,
        "value": json.dumps(value),
        "facet": facet,
        "mode": "period",
        "polarity": "assert",
        "valid_from": "-infinity",
        "valid_to": "infinity",
        "observed_at": None,
        "sequence": 0,
        "extractor": "test",
        "confidence": 1.0,
        "document_id": None,
        "chunk_id": None,
        "char_start": None,
        "char_end": None,
        "quote": None,
        "source_table": "t",
        "source_key": subject,
    }
