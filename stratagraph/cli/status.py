"""`stratagraph status`: what the latest snapshot holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from stratagraph.cli.opened import opened, point
from stratagraph.cli.options import reading_options
from stratagraph.cli.output import out, print_json, short_time, table
from stratagraph.sqlfiles import load_sql

# What a person wants to know; the rest (embedding, tokenizer, versions …) is in --json.
_SHOWN = ("snapshot_id", "known_at", "history", "datasets", "rows_indexed", "content_hash")


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
    commits = [dict(zip(runs.columns, row, strict=True)) for row in runs.rows]
    for commit in commits:
        commit["counts"] = json.loads(commit["counts"])
    if as_json:
        print_json({**held, "path": folder, "believed": believed, "commits": commits})
        return
    console = out()
    lines: list[tuple[str, object]] = [("path", folder), *((name, held.get(name)) for name in _SHOWN)]
    lines += [(f"believed: {name}", value) for name, value in believed.items()]
    lines += [(f"rows: {name}", value) for name, value in held["rows"].items()]
    console.print(table(("what", "value"), lines))
    if commits:
        rows = [(short_time(c["recorded_at"]), c["stage"], c["source"], c["clock"], _counts(c["counts"])) for c in commits]
        console.print(table(("recorded at", "stage", "source", "clock", "counts"), rows, title="Last commits"))


def _counts(counts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in counts.items() if value)
