"""Reads a vector file: keys, values and instants in forms that compare exactly. Nothing here knows the library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

# Instants are microseconds since 1970 in UTC, and the two infinities as DuckDB and Arrow carry them.
END = 2**63 - 1
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INSTANT_FIELDS = frozenset(
    ("recorded_at", "valid_from", "valid_to", "observed_at", "valid_at", "known_at", "recorded_from", "recorded_to")
)


@dataclass(frozen=True)
class Story:
    """One vector file."""

    name: str
    content: dict[str, Any]
    instants: dict[str, int | None]

    @property
    def semantics(self) -> str:
        return str(self.content["semantics"])

    @property
    def expect(self) -> dict[str, Any]:
        expected: dict[str, Any] = self.content["expect"]
        return expected

    def steps(self, name: str) -> list[dict[str, Any]]:
        """A list of the file's top level, such as its batches; empty where it is missing."""
        return list(self.content.get(name) or [])

    def at(self, item: dict[str, Any], field: str) -> int | None:
        """An instant of an item; None where it is missing, null, or no instant at all."""
        text = item.get(field)
        return self.instants.get(text) if isinstance(text, str) else None

    def instant(self, item: dict[str, Any], field: str) -> int:
        """An instant of an item that must be there."""
        found = self.at(item, field)
        if found is None:
            raise ValueError(f"{field} is no instant: {item.get(field)!r}")
        return found


def read_story(path: Path) -> Story:
    """The story of one file, with all its instants understood at once."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Story(path.stem, content, parse_instants(sorted(set(_texts(content)))))


def _texts(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for name, value in part.items():
            if name in INSTANT_FIELDS and isinstance(value, str):
                yield value
            yield from _texts(value)
    elif isinstance(part, list):
        for value in part:
            yield from _texts(value)


def parse_instants(texts: list[str]) -> dict[str, int | None]:
    """ISO 8601 texts as microseconds; offsets are converted, a text without one is UTC."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("texts", pa.table({"text": pa.array(texts, pa.string())}))
        found = connection.execute("SELECT text, TRY_CAST(text AS TIMESTAMPTZ) AS instant FROM texts").to_arrow_table()
    parsed = zip(found["text"].to_pylist(), microseconds(found["instant"]), strict=True)
    return {text: _iso(text) if instant is None else instant for text, instant in parsed}


def _iso(text: str) -> int | None:
    """Forms of ISO 8601 that DuckDB does not read, such as a time without seconds."""
    try:
        instant = datetime.fromisoformat(text.upper())
    except ValueError:
        return None
    return ((instant if instant.tzinfo else instant.replace(tzinfo=UTC)) - EPOCH) // timedelta(microseconds=1)


def microseconds(column: pa.ChunkedArray) -> list[int | None]:
    """A timestamp column as integers, infinities kept."""
    numbers: list[int | None] = column.cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_pylist()
    return numbers


def timestamps(numbers: list[int | None]) -> pa.Array:
    """Integers as a timestamp column, infinities kept."""
    return pa.array(numbers, pa.int64()).cast(pa.timestamp("us", "UTC"))


def iri(kind: str, key: Any) -> str | None:
    """One injective name for a key; None where it has no parts or a NULL part. Numbers and text stay different."""
    if not isinstance(key, list) or not key or any(part is None for part in key):
        return None
    return f"urn:{kind}:{canonical(key)}"


def canonical(value: Any) -> str:
    """JSON in one form: equal values have equal texts, whatever the order of attributes and the way of writing numbers."""
    text = json.dumps(_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    # A lone surrogate is legal in JSON and in no UTF-8 text; written as its escape it stays itself.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def starts_with(key: Any, prefix: Any) -> bool:
    """Whether a key begins with these parts, compared part by part."""
    return canonical(key[: len(prefix)]) == canonical(prefix)


def readable(instant: int) -> str:
    """An instant for a message."""
    if abs(instant) == END:
        return "infinity" if instant > 0 else "-infinity"
    return str(duckdb.sql("SELECT make_timestamp($at)::VARCHAR", params={"at": instant}).fetchall()[0][0]) + "Z"
