"""Reads bitemporal test vectors (format: `conformance/bitemporal/README.md`) into statements."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from stratagraph.staging import STATEMENT_COLUMNS

TYPES = {"VARCHAR": pa.string(), "BIGINT": pa.int64(), "DOUBLE": pa.float64(), "TIMESTAMPTZ": pa.string()}


def instant(text: str | None) -> str | None:
    """ISO instant as the text DuckDB casts; infinities are kept as words."""
    return text


def key_iri(key: list[Any] | None) -> str | None:
    """One injective encoding of a vector's key; None where a part is NULL or there is none."""
    if not key or any(part is None for part in key):
        return None
    return "urn:key:" + json.dumps(key, ensure_ascii=False)


def statement(item: dict[str, Any], position: int, semantics: str) -> dict[str, Any]:
    """A node statement with one facet for a vector's statement."""
    return {
        "dataset": "main", "kind": "node", "subject": key_iri(item["key"]), "predicate": "urn:class:Row", "object": None,
        "value": json.dumps({"label": None, "properties": item.get("value") or {}}), "facet": "row",
        "mode": semantics, "polarity": item["op"], "valid_from": item["valid_from"], "valid_to": item["valid_to"],
        "observed_at": item.get("observed_at"), "sequence": item.get("seq", position), "source": "vectors", "scope": "vectors",
        "extractor": "vectors", "confidence": 1.0, "document_id": None, "chunk_id": None, "char_start": None, "char_end": None,
        "quote": None, "source_table": "vectors", "source_key": None,
    }  # fmt: skip


def table(connection: duckdb.DuckDBPyConnection, rows: list[dict[str, Any]]) -> pa.Table:
    """Statements as an Arrow table with DuckDB's own timestamps, so that infinities survive."""
    raw = pa.table({name: pa.array([row[name] for row in rows], TYPES[kind]) for name, kind in STATEMENT_COLUMNS.items()})
    connection.register("vector_rows", raw)
    columns = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in STATEMENT_COLUMNS.items())
    typed = connection.execute(f"SELECT {columns} FROM vector_rows").to_arrow_table()
    connection.unregister("vector_rows")
    return typed


def at(text: str) -> datetime:
    """An aware UTC instant."""
    return datetime.fromisoformat(text).astimezone(UTC)


def load(path: Path) -> dict[str, Any]:
    """The story of one file."""
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded
