"""Options that several commands share, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

_TIME_HELP = "ISO 8601 instant with a zone, a date (00:00 UTC), or 'any'"

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout, for programs.")
path_option = click.option(
    "--path",
    type=click.Path(path_type=Path),
    help="Snapshot, folder of snapshots or data directory. Default: the data_dir of ./stratagraph.yaml (or of "
    "$STRATAGRAPH_CONFIG), else ./data.",
)
config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="The project file. Default: $STRATAGRAPH_CONFIG, else ./stratagraph.yaml.",
)
warehouse_option = click.option(
    "--warehouse", is_flag=True, help="Read the warehouse instead of the latest snapshot; fails while a build writes it."
)
valid_at_option = click.option("--valid-at", metavar="TIME", help=f"What was true then: {_TIME_HELP}. Default: now.")
known_at_option = click.option("--known-at", metavar="TIME", help=f"What was believed then: {_TIME_HELP}. Default: the latest.")


def limit_option(default: int, most: int = 10_000) -> Callable[[Command], Command]:
    """`--limit`, from 1 to `most`."""
    return click.option(
        "--limit", type=click.IntRange(1, most), default=default, show_default=True, help="Print at most so many."
    )


def reading_options(limit: int, most: int = 10_000) -> Callable[[Command], Command]:
    """The options of every command that reads a snapshot: --path, --valid-at, --known-at, --limit, --json."""

    def decorate(command: Command) -> Command:
        for option in (json_option, path_option, limit_option(limit, most), known_at_option, valid_at_option):
            command = option(command)
        return command

    return decorate
