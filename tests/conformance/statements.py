"""Turns what a vector says into statements for `commit`: batches, full loads, attribute operations, edges between nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from stratagraph.staging import STATEMENT_COLUMNS

from .story import END, Story, canonical, iri, timestamps

SOURCE = "vectors"
TYPES = {"VARCHAR": pa.string(), "BIGINT": pa.int64(), "DOUBLE": pa.float64()}
Row = dict[str, Any]


@dataclass(frozen=True)
class Segment:
    """A value on a stretch of valid time; None is no value."""

    valid_from: int
    valid_to: int
    value: dict[str, Any] | None


def as_table(rows: list[Row]) -> pa.Table:
    """Rows as a table with the columns of a staged statement."""
    columns = {}
    for name, kind in STATEMENT_COLUMNS.items():
        values = [row.get(name) for row in rows]
        columns[name] = timestamps(values) if kind == "TIMESTAMPTZ" else pa.array(values, TYPES[kind])
    return pa.table(columns)


def _statement(key: Any, op: str, valid_from: int | None, valid_to: int | None, mode: str, sequence: int) -> Row:
    return {
        "dataset": "main", "facet": "row", "mode": mode, "polarity": op, "valid_from": valid_from, "valid_to": valid_to,
        "sequence": sequence, "source": SOURCE, "scope": SOURCE, "extractor": SOURCE, "confidence": 1.0, "source_table": SOURCE,
        "source_key": canonical(key),
    }  # fmt: skip


def node(
    key: Any, value: dict[str, Any] | None, valid_from: int | None, valid_to: int | None, *, mode: str, sequence: int
) -> Row:
    """What a source says of a key's row; no value is a retraction."""
    op = "retract" if value is None else "assert"
    content = {"kind": "node", "subject": iri("key", key), "predicate": "urn:class:Row"}
    stated = canonical({"label": None, "properties": value or {}})
    return _statement(key, op, valid_from, valid_to, mode, sequence) | content | {"value": stated}


def batch_rows(story: Story, batch: dict[str, Any]) -> list[Row]:
    """The statements of a period or event batch."""
    items = batch.get("statements") or []
    # `seq` orders a batch; among events it also decides ties with other batches, so its value is kept there.
    order = [_place(item, position) for position, item in enumerate(items)]
    if story.semantics == "period":
        ranked = sorted(range(len(items)), key=lambda position: (order[position], position))
        order = [ranked.index(position) for position in range(len(items))]
    rows = []
    for item, sequence in zip(items, order, strict=True):
        value = _said(item)
        bounds = story.at(item, "valid_from"), story.at(item, "valid_to")
        row = node(item.get("key"), value, *bounds, mode=story.semantics, sequence=sequence)
        # A period overwrites what earlier batches said, whenever that was observed.
        rows.append(row | {"observed_at": story.at(item, "observed_at") if story.semantics == "event" else None})
    return rows


def _said(item: dict[str, Any]) -> dict[str, Any] | None:
    """The value of an assertion, None for a retraction."""
    if item["op"] not in ("assert", "retract"):
        raise ValueError(f"unknown op: {item['op']}")
    return item.get("value") if item["op"] == "assert" else None


def snapshot_rows(story: Story, snapshot: dict[str, Any], believed: dict[str, Any]) -> list[Row]:
    """A full load as events at its time: present rows are said again, and what a complete load lacks is retracted.

    Args:
        story: the file.
        snapshot: the load.
        believed: iri -> key of the rows believed when it arrives.
    """
    loaded = story.instant(snapshot, "recorded_at")
    items = snapshot.get("rows") or []
    rows = []
    for position, item in enumerate(items):
        since = story.at(item, "valid_from")
        start = loaded if since is None else since
        rows.append(node(item.get("key"), item.get("value"), start, None, mode="event", sequence=position))
    if not snapshot.get("complete", True):
        return rows
    present = {iri("key", item.get("key")) for item in items}
    missing = [key for name, key in sorted(believed.items()) if name not in present]
    return rows + [node(key, None, loaded, None, mode="event", sequence=len(items)) for key in missing]


def attribute_rows(story: Story, batch: dict[str, Any], believed: dict[str, list[Segment]]) -> list[Row]:
    """Attribute-level operations as statements of whole rows.

    Args:
        story: the file.
        batch: the operations; each sees what those before it did.
        believed: iri -> segments believed before the batch.
    """
    items = batch.get("operations") or []
    ordered = sorted(enumerate(items), key=lambda entry: (_place(entry[1], entry[0]), entry[0]))
    current = dict(believed)
    rows: list[Row] = []
    for _, item in ordered:
        key, name = item.get("key"), iri("key", item.get("key")) or ""
        start, end = _period(story, batch, item)
        held = current.get(name, [])
        written = [Segment(start, end, None)] if item["op"] == "delete" else _operate(item, held, start, end)
        for piece in written:
            rows.append(node(key, piece.value, piece.valid_from, piece.valid_to, mode="period", sequence=len(rows)))
        left = [piece for segment in held for piece in _outside(segment, written)]
        stated = [piece for piece in written if piece.value is not None and piece.valid_from < piece.valid_to]
        current[name] = sorted([*left, *stated], key=lambda segment: segment.valid_from)
    return rows


def _place(item: dict[str, Any], position: int) -> int:
    given = item.get("seq")
    return position if given is None else int(given)


def _period(story: Story, batch: dict[str, Any], item: dict[str, Any]) -> tuple[int, int]:
    start = story.at(item, "valid_from") if item.get("valid_from") else story.instant(batch, "recorded_at")
    end = story.at(item, "valid_to") if item.get("valid_to") else END
    if start is None or end is None:
        raise ValueError(f"an operation without a period: {item}")
    return start, end


def _operate(item: dict[str, Any], held: list[Segment], start: int, end: int) -> list[Segment]:
    """The segments an operation writes on [start, end)."""
    op, named = item["op"], item.get("set") or {}
    if op == "put":
        return [Segment(start, end, named)]
    if op not in ("update", "patch"):
        raise ValueError(f"unknown operation: {op}")
    inside = [segment for segment in held if segment.valid_from < end and start < segment.valid_to]
    written = [Segment(max(s.valid_from, start), min(s.valid_to, end), (s.value or {}) | named) for s in inside]
    if op == "patch" and start < end:
        bounds = [start, *[bound for piece in written for bound in (piece.valid_from, piece.valid_to)], end]
        gaps = zip(bounds[::2], bounds[1::2], strict=True)
        written += [Segment(lower, upper, named) for lower, upper in gaps if lower < upper]
    return sorted(written, key=lambda segment: segment.valid_from)


def _outside(segment: Segment, others: list[Segment]) -> list[Segment]:
    """What is left of a segment outside of others, which are in order and apart."""
    left, start = [], segment.valid_from
    for other in others:
        if other.valid_from < segment.valid_to and start < other.valid_to and other.valid_from < other.valid_to:
            if start < other.valid_from:
                left.append(Segment(start, other.valid_from, segment.value))
            start = other.valid_to
    return [*left, Segment(start, segment.valid_to, segment.value)] if start < segment.valid_to else left


@dataclass
class Graph:
    """Nodes and edges of an integrity story. An edge's key is its predicate; it remembers which ends the key ever had."""

    story: Story
    ends: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def rows(self, step: dict[str, Any]) -> list[Row]:
        """The statements of a step, in list order."""
        rows: list[Row] = []
        for position, item in enumerate(step.get("statements") or []):
            bounds = self.story.at(item, "valid_from"), self.story.at(item, "valid_to")
            value = _said(item)
            if item["kind"] == "node":
                rows.append(node(item.get("key"), value, *bounds, mode="period", sequence=position))
            else:
                rows += self._edges(item, value, bounds, position)
        return rows

    def _edges(
        self, item: dict[str, Any], value: dict[str, Any] | None, bounds: tuple[int | None, int | None], position: int
    ) -> list[Row]:
        predicate = iri("edge", item.get("key"))
        known = self.ends.setdefault(predicate or "", [])
        asserted = None if value is None else _pair(item.get("endpoints") or [])
        if asserted is not None and asserted not in known:
            known.append(asserted)
        rows = []
        for pair in known:  # an edge that is said between other ends is no longer between these
            op = "assert" if pair == asserted else "retract"
            stated = canonical({"fact": None, "properties": value or {} if op == "assert" else {}})
            content = {
                "kind": "edge",
                "subject": pair[0],
                "predicate": predicate,
                "object": pair[1],
                "facet": "",
                "value": stated,
            }
            rows.append(_statement(item.get("key"), op, *bounds, "period", position) | content)
        return rows


def _pair(endpoints: list[Any]) -> tuple[str, str]:
    """Both ends of an edge; a single one is both."""
    names = [iri("key", end) for end in endpoints]
    if len(names) not in (1, 2) or None in names:
        raise ValueError(f"an edge has two ends: {endpoints}")
    return str(names[0]), str(names[-1])
