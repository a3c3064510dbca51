"""`stratagraph identity`: which names and keys of sources stand for which entity, and why."""

from __future__ import annotations

from pathlib import Path

import click

from stratagraph.cli.opened import opened, point
from stratagraph.cli.options import json_option, known_at_option, limit_option, path_option
from stratagraph.cli.output import err, out, print_json, table
from stratagraph.sqlfiles import load_sql


@click.group("identity")
def identity() -> None:
    """Which names and keys of sources stand for which entity.

    \b
    Example:
      stratagraph identity list
    """


@identity.command("list")
@click.argument("id", metavar="[ID]", required=False)
@path_option
@known_at_option
@limit_option(100)
@json_option
def list_identities(id: str | None, path: Path | None, known_at: str | None, limit: int, as_json: bool) -> None:
    """List the names and keys that stand for an entity under another id, with the reason for each.

    With an ID (of an entity, or a ref), only those of that entity. A ref that is not listed stands for itself.

    \b
    Examples:
      stratagraph identity list
      stratagraph identity list https://example.org/graph/executive/B000444 --json
    """
    with opened(path) as snapshot:
        known = point(snapshot, None, known_at)["known_at"]
        parameters = {"known_at": known, "id": id}
        result = snapshot.sql(load_sql("cli", "list_identities"), parameters, limit)
    if as_json:
        print_json([dict(zip(result.columns, row, strict=True)) for row in result.rows])
    elif result.rows:
        out().print(table(result.columns, result.rows))
    else:
        err().print("None: every name and key stands for an entity of its own.")
