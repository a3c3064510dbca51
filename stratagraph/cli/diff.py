"""`stratagraph diff`: how the graph differs between two points of both clocks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click

from stratagraph.cli.asked import asked
from stratagraph.cli.options import config_option, json_option, limit_option, path_option, warehouse_option
from stratagraph.cli.output import err, out, print_json, short_time, table
from stratagraph.sqlfiles import load_sql

Point = tuple[str | None, str | None]
_TIME = "ISO 8601 instant with a zone, or a date (00:00 UTC)"


@click.command("diff")
@click.argument("id", metavar="[ID]", required=False)
@click.option(
    "--valid", "--valid-at", "valid", multiple=True, metavar="TIME", help=f"What was true then: {_TIME}. Up to twice."
)
@click.option(
    "--known", "--known-at", "known", multiple=True, metavar="TIME", help=f"What was believed then: {_TIME}. Up to twice."
)
@warehouse_option
@config_option
@path_option
@limit_option(100)
@json_option
def diff(
    id: str | None, valid: tuple[str, ...], known: tuple[str, ...], warehouse: bool, config: Path | None, path: Path | None,
    limit: int, as_json: bool,
) -> None:  # fmt: skip
    """How the graph differs between two points: what was added, removed or changed, with the values at both.

    The first --valid and --known make the first point, the second ones the second. A clock that is given once while the other
    is given twice stands still; else what is left out is now, or the latest knowledge. With an ID (of an entity or a
    relation), only that entity with its relations, or that relation.

    \b
    Examples:
      stratagraph diff --known 2024-01-01                          what we learned of the present since then
      stratagraph diff --valid 2020-01-01 --valid 2021-01-01       how the world changed, as known today
      stratagraph diff --valid 2020-01-01 --known 2024-01-01 --known 2025-01-01 --json
    """
    first, second = two_points(valid, known)
    with asked(path, warehouse, config) as place:
        (valid_a, known_a), (valid_b, known_b) = place.point(*first), place.point(*second)
        points = {"valid_a": valid_a, "known_a": known_a, "valid_b": valid_b, "known_b": known_b}
        found = place.run(load_sql("cli", "select_diff"), {**points, "id": id and place.resolve(id)}, limit)
    differences = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    counts = dict.fromkeys(("added", "removed", "changed"), 0)
    for row in differences:
        row |= {side: row[side] and json.loads(row[side]) for side in ("before", "after")}
        counts |= {change: row.pop(change) for change in counts}
    left = sum(counts.values()) - len(differences)
    if as_json:
        said = {"from": _named(valid_a, known_a), "to": _named(valid_b, known_b), "counts": counts}
        print_json({**said, "differences": differences, "truncated": left > 0})
        return
    if differences:
        rows = [(row["change"], row["kind"], row["text"] or row["id"], _values(row), row["id"]) for row in differences]
        out().print(table(("change", "kind", "what", "values", "id"), rows))
    summary = ", ".join(f"{count} {change}" for change, count in counts.items())
    shown = f"; {left} more, see --limit" if left else ""
    err().print(f"{_place(valid_a, known_a)} → {_place(valid_b, known_b)}: {summary}{shown}", markup=False)


def two_points(valid: tuple[str, ...], known: tuple[str, ...]) -> tuple[Point, Point]:
    """The two points that the options name; None stands for now, or for the latest knowledge."""
    if not valid and not known:
        raise click.UsageError("give a point to compare with: --valid TIME, --known TIME, or both.")
    if len(valid) > 2 or len(known) > 2:
        raise click.UsageError("a diff is between two points: give --valid and --known at most twice.")
    stands_still = len(valid) != len(known) and max(len(valid), len(known)) == 2
    (valid_a, valid_b), (known_a, known_b) = (_pair(times, stands_still) for times in (valid, known))
    return (valid_a, known_a), (valid_b, known_b)


def _pair(times: tuple[str, ...], stands_still: bool) -> tuple[str | None, str | None]:
    if not times:
        return None, None
    if len(times) == 2:
        return times[0], times[1]
    return times[0], times[0] if stands_still else None


def _named(valid: str, known: str) -> dict[str, str]:
    return {"valid_at": valid, "known_at": known}


def _place(valid: str, known: str) -> str:
    return f"valid {short_time(valid)}, known {short_time(known)}"


def _values(row: dict[str, Any]) -> str:
    """Both values of what changed; of what came or went, what its text does not say."""
    before, after = _flat(row["before"]), _flat(row["after"])
    if row["change"] == "changed":
        names = [name for name in before | after if before.get(name) != after.get(name)]
        return "; ".join(f"{name} {_shown(before, name)} → {_shown(after, name)}" for name in names)
    values = before | after
    said = {"label", "fact"} | ({"origin"} if values.get("origin") == "asserted" else set())
    return "; ".join(f"{name} {_shown(values, name)}" for name in values if name not in said)


def _flat(value: dict[str, Any] | None) -> dict[str, Any]:
    """A value's fields and properties side by side, properties by the end of their IRI."""
    if value is None:
        return {}
    fields = {name: field for name, field in value.items() if name != "properties"}
    return fields | {re.split("[/#:]", iri)[-1] or iri: field for iri, field in value["properties"].items()}


def _shown(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    return "∅" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
