"""What a snapshot's identity is made of: the moment it knows up to, and a hash of its logical rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb

from stratagraph.project import fingerprint
from stratagraph.sqlfiles import load_sql


@dataclass(frozen=True)
class Content:
    """The logical content of a warehouse.

    Args:
        known_at: the greatest transaction time in it.
        parts: a hash per table, independent of row order and of the moments the store's clock assigned.
        ontology: hash of the ontology, if it holds one.
    """

    known_at: datetime
    parts: dict[str, str]
    ontology: str | None

    @property
    def hash(self) -> str:
        return fingerprint(*(f"{name}={value}" for name, value in sorted(self.parts.items())))

    @property
    def snapshot_id(self) -> str:
        return f"{self.known_at.strftime('%Y%m%dT%H%M%S%fZ')}-{self.hash[:12]}"


def read_content(connection: duckdb.DuckDBPyConnection, *, current: bool) -> Content:
    """Hash what a connection's schema `graph` holds; of what is believed now only, if `current`."""
    connection.execute(load_sql("snapshot", "create_masked"))
    parts = connection.execute(load_sql("snapshot", "select_content_hashes"), {"current": current}).fetchall()
    (known_at,) = connection.execute(load_sql("snapshot", "select_known_at")).fetchall()[0]
    (ontology,) = connection.execute(load_sql("snapshot", "select_ontology_hash")).fetchall()[0]
    return Content(known_at.astimezone(UTC), dict(parts), ontology)
