"""`stratagraph history`: every version of an entity or a relation, on both clocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from stratagraph.cli.asked import asked
from stratagraph.cli.opened import at_point, opened
from stratagraph.cli.options import config_option, reading_options, warehouse_option
from stratagraph.cli.output import err, out, period, print_json, table
from stratagraph.sqlfiles import load_sql


@click.command("history")
@click.argument("id", metavar="ID")
@warehouse_option
@config_option
@reading_options(limit=100)
def history(
    id: str, warehouse: bool, config: Path | None, path: Path | None, valid_at: str | None, known_at: str | None, limit: int,
    as_json: bool,
) -> None:  # fmt: skip
    """All versions of the entity or relation with this ID (search prints ids), in the order in which they were believed.

    An entity comes with its relations. --valid-at and --known-at keep the versions about, or believed at, that moment;
    without them, all are shown.

    \b
    Examples:
      stratagraph history https://example.org/graph/executive/A000181
      stratagraph history https://example.org/graph/executive/A000181 --known-at 2013-03-16 --json
    """
    versions = _of_warehouse(id, path, config) if warehouse else _of_snapshot(id, path)
    kept = at_point(versions, valid_at, known_at)
    if as_json:
        print_json(kept[:limit])
        return
    if not kept:
        reason = "no version at that point" if versions else "nothing is known under this id; `stratagraph search` prints ids"
        err().print(f"{id}: {reason}", markup=False)
        return
    rows = [
        (
            row["kind"],
            row.get("text") or row.get("object"),
            row.get("properties"),
            period(row),
            period(row, "recorded"),
            row["id"],
        )
        for row in kept[:limit]
    ]
    out().print(table(("kind", "what", "properties", "valid", "believed", "id"), rows))
    if len(kept) > limit:
        err().print(f"{len(kept) - limit} more; see --limit")


def _of_snapshot(id: str, path: Path | None) -> list[dict[str, Any]]:
    with opened(path) as snapshot:
        return snapshot.history(id)


def _of_warehouse(id: str, path: Path | None, config: Path | None) -> list[dict[str, Any]]:
    with asked(path, True, config) as place:
        found = place.run(load_sql("cli", "select_history"), {"id": place.resolve(id)}, None)
    versions = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    return [version | {"properties": json.loads(version["properties"])} for version in versions]
