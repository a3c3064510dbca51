"""`stratagraph status`: what the latest snapshot holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stratagraph.cli.opened import opened, point
from stratagraph.cli.options import reading_options
from stratagraph.cli.output import out, print_json, table
from stratagraph.sqlfiles import load_sql


@click.command("status")
@reading_options(limit=5)
def status(path: Path | None, valid_at: str | None, known_at: str | None, limit: int, as_json: bool) -> None:
    """What the latest snapshot holds, what was believed at a point of both clocks, and the last commits (--limit).

    \b
    Examples:
      stratagraph status
      stratagraph status --valid-at 1900-01-01 --json
    """
    with opened(path) as snapshot:
        at = point(snapshot, valid_at, known_at)
        counts = snapshot.sql(load_sql("cli", "count_believed"), at)
        runs = snapshot.sql(load_sql("cli", "list_runs"), {"known_at": at["known_at"]}, limit)
        held = snapshot.status()
        folder = str(snapshot.path)
    believed = {**at, **dict(zip(counts.columns, counts.rows[0], strict=True))}
    if as_json:
        commits = [dict(zip(runs.columns, row, strict=True)) for row in runs.rows]
        print_json({**held, "path": folder, "believed": believed, "commits": commits})
        return
    console = out()
    console.print(table(("what", "value"), _lines({"path": folder, **held, "believed": believed})))
    if runs.rows:
        console.print(table(runs.columns, runs.rows, title="Last commits"))


def _lines(values: dict[str, Any], prefix: str = "") -> list[tuple[str, object]]:
    """Nested values as dotted lines."""
    lines: list[tuple[str, object]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            lines += _lines(value, f"{prefix}{name}.")
        else:
            lines.append((prefix + name, value))
    return lines
