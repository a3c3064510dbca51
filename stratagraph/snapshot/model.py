"""What a reader hands out: hits, recalls, tables. Plain frozen data, each JSON-able through `as_dict`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Hit:
    """One thing found.

    Args:
        kind: chunk, fact, node or community.
        id: chunk id, edge id, node id or community id.
        score: 0 to 1, comparable within one search only.
        valid_from, valid_to, recorded_from, recorded_to: ISO 8601 instants in UTC, 'infinity' or '-infinity'.
        citations: where it was said: {document_id, chunk_id, char_start, char_end, quote} or {source_table, source_key};
            of a community, {edge_id} of the facts its report cites.
    """

    kind: str
    id: str
    text: str
    score: float
    dataset: str
    source: str
    valid_from: str
    valid_to: str
    recorded_from: str
    recorded_to: str
    citations: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Recall:
    """What the graph and the texts know about a query at a point of both clocks.

    Args:
        valid_at, known_at: the point, as ISO 8601, or 'any'; an interval (start/end) of facts if the query names a period.
        hits: best first, each thing once.
    """

    query: str
    valid_at: str
    known_at: str
    hits: list[Hit]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    @property
    def text(self) -> str:
        """The hits as lines, for a prompt."""
        return "\n".join(f"[{hit.kind}] {hit.text}" for hit in self.hits)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Table:
    """The result of a query: column names and JSON-able rows."""

    columns: list[str]
    rows: list[tuple[Any, ...]]

    def as_dicts(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]
