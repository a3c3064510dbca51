"""`stratagraph history`: every version of an entity or a relation, on both clocks."""

from __future__ import annotations

from pathlib import Path

import click

from stratagraph.cli.opened import at_point, opened
from stratagraph.cli.options import reading_options
from stratagraph.cli.output import err, out, period, print_json, table


@click.command("history")
@click.argument("id", metavar="ID")
@reading_options(limit=100)
def history(id: str, path: Path | None, valid_at: str | None, known_at: str | None, limit: int, as_json: bool) -> None:
    """All versions of the entity or relation with this ID (search prints ids), in the order in which they were believed.

    --valid-at and --known-at keep the versions about, or believed at, that moment; without them, all are shown.

    \b
    Example:
      stratagraph history https://example.org/graph/executive/A000181
    """
    with opened(path) as snapshot:
        versions = snapshot.history(id)
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
