"""Compares a store with what a vector expects. Each function gives one line per mismatch."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

from .store import Point, Store, Stored
from .story import END, Story, canonical, iri, readable, starts_with

Bounds = tuple[int, int, int, int]


def check_points(story: Story, store: Store, form: str) -> Iterator[str]:
    """Every listed point, asked of the as-of macros."""
    listed = story.expect.get("points") or []
    default = "edge" if story.semantics == "integrity" else "node"
    points = [
        Point(
            kind=point.get("kind") or default,
            name=iri("edge" if (point.get("kind") or default) == "edge" else "key", point["key"]) or "",
            valid_at=story.instant(point, "valid_at"),
            known_at=story.instant(point, "known_at"),
        )
        for point in listed
    ]
    found_at = store.values_at(points)
    for number, point in enumerate(listed):
        wanted = [] if point["value"] is None else [canonical(point["value"])]
        found = [canonical(value) for value in found_at.get(number, [])]
        if found != wanted:
            place = f"{canonical(point['key'])} valid {point['valid_at']} known {point['known_at']}"
            yield f"{form}: {place}: expected {' '.join(wanted) or 'none'}, found {' and '.join(found) or 'none'}"


def check_history(story: Story, rows: list[Stored]) -> Iterator[str]:
    """The canonical rows, exactly."""
    if "history" not in story.expect:
        return
    found = Counter(_row(row.name, row.value, _bounds(row)) for row in rows)
    wanted = Counter(
        _row(
            iri("key", row["key"]) or "",
            row["value"],
            (
                story.instant(row, "valid_from"),
                story.instant(row, "valid_to"),
                story.instant(row, "recorded_from"),
                story.instant(row, "recorded_to"),
            ),
        )
        for row in story.expect["history"]
    )
    for row, count in sorted((wanted - found).items()):
        yield f"history: missing {_shown(row)}" + (f" ({count} times)" if count > 1 else "")
    for row, count in sorted((found - wanted).items()):
        yield f"history: not expected {_shown(row)}" + (f" ({count} times)" if count > 1 else "")


def _bounds(row: Stored) -> Bounds:
    return row.valid_from, row.valid_to, row.recorded_from, row.recorded_to


def _row(name: str, value: dict[str, Any], bounds: Bounds) -> tuple[str, str, Bounds]:
    return name, canonical(value), bounds


def _shown(row: tuple[str, str, Bounds]) -> str:
    valid_from, valid_to, recorded_from, recorded_to = (readable(bound) for bound in row[2])
    return f"{row[0]} {row[1]} valid [{valid_from}, {valid_to}) recorded [{recorded_from}, {recorded_to})"


def check_row_counts(story: Story, rows: list[Stored], keys: dict[str, Any]) -> Iterator[str]:
    """How many rows are known at an instant over all keys with a prefix. `keys` gives the key of a row's name."""
    for entry in story.expect.get("row_counts") or []:
        known_at = story.instant(entry, "known_at")
        prefix = entry.get("key_prefix") or []
        found = sum(1 for row in rows if row.known(known_at) and starts_with(keys[row.name], prefix))
        if found != entry["rows"]:
            yield f"row_counts: {canonical(prefix)} known {entry['known_at']}: expected {entry['rows']}, found {found}"


def check_state_counts(story: Story, rows: list[Stored]) -> Iterator[str]:
    """How many stretches a key has from its first value on, gaps and the time after the last value included."""
    for entry in story.expect.get("state_counts") or []:
        known_at, name = story.instant(entry, "known_at"), iri("key", entry["key"])
        held = sorted((row for row in rows if row.name == name and row.known(known_at)), key=lambda row: row.valid_from)
        ends = [row.valid_to for row in held]
        starts = [row.valid_from for row in held[1:]] + [END] * bool(held)
        found = len(held) + sum(1 for end, start in zip(ends, starts, strict=True) if end < start)
        if found != entry["states"]:
            place = f"{canonical(entry['key'])} known {entry['known_at']}"
            yield f"state_counts: {place}: expected {entry['states']}, found {found}"


def check_overlaps(story: Story, rows: list[Stored]) -> Iterator[str]:
    """Where two keys agree in an attribute: the listed areas of both clocks, neither less nor more, however they are cut."""
    asked: dict[str, list[dict[str, Any]]] = {}
    for entry in story.expect.get("overlaps") or []:
        asked.setdefault(canonical([entry["keys"], entry["on"]]), []).append(entry)
    for question, entries in sorted(asked.items()):
        (first, second), on = entries[0]["keys"], entries[0]["on"]
        wanted = [
            (
                story.instant(entry, "valid_from"),
                story.instant(entry, "valid_to"),
                story.instant(entry, "recorded_from"),
                story.instant(entry, "recorded_to"),
            )
            for entry in entries
        ]
        found = [
            area
            for one in rows
            for other in rows
            if one.name == iri("key", first) and other.name == iri("key", second) and _agree(one.value, other.value, on)
            for area in [_common(_bounds(one), _bounds(other))]
            if area[0] < area[1] and area[2] < area[3]
        ]
        if _covered(wanted, [*wanted, *found]) != _covered(found, [*wanted, *found]):
            shown = "; ".join(_shown(("", "", area)).strip() for area in sorted(found)) or "nothing"
            yield f"overlaps: {question}: found {shown}"


def _agree(one: dict[str, Any], other: dict[str, Any], on: str | list[str]) -> bool:
    names = [on] if isinstance(on, str) else on
    return all(one.get(n) is not None and canonical(one.get(n)) == canonical(other.get(n)) for n in names)


def _common(one: Bounds, other: Bounds) -> Bounds:
    return max(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), min(one[3], other[3])


def _covered(areas: list[Bounds], grid: list[Bounds]) -> set[tuple[int, int]]:
    """The cells of the grid of all bounds that lie in one of the areas."""
    valid = sorted({bound for area in grid for bound in area[:2]})
    known = sorted({bound for area in grid for bound in area[2:]})
    return {
        (v, k)
        for v, k in itertools.product(valid, known)
        if any(area[0] <= v < area[1] and area[2] <= k < area[3] for area in areas)
    }


def check_rows_before_erasure(story: Story, rows: list[Stored], keys: list[Any]) -> Iterator[str]:
    """Canonical rows of these keys, just before an erasure."""
    found = Counter(row.name for row in rows)
    names = {iri("key", key) for key in keys}
    for entry in story.expect.get("history_rows_before_erasure") or []:
        count = found[iri("key", entry["key"]) or ""]
        if iri("key", entry["key"]) in names and count != entry["rows"]:
            yield f"history_rows_before_erasure: {canonical(entry['key'])}: expected {entry['rows']}, found {count}"
