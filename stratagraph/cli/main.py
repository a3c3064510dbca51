"""The command line: the group, and what happens when a command fails. Each command lives in a module of its own.

Nothing heavy is imported here or at the top of a command's module: `stratagraph search` must start fast.
"""

from __future__ import annotations

import errno
import os

import click

from stratagraph import __version__
from stratagraph.cli.audit import audit
from stratagraph.cli.build import build
from stratagraph.cli.diff import diff
from stratagraph.cli.direct_map import direct_map
from stratagraph.cli.doctor import doctor
from stratagraph.cli.extract import extract
from stratagraph.cli.failures import explain
from stratagraph.cli.forget import forget
from stratagraph.cli.history import history
from stratagraph.cli.identity import identity
from stratagraph.cli.init import init
from stratagraph.cli.maintain import maintain
from stratagraph.cli.mapping import mapping
from stratagraph.cli.mcp import mcp
from stratagraph.cli.ontology import ontology
from stratagraph.cli.output import escape_unknown_characters
from stratagraph.cli.search import recall, search
from stratagraph.cli.snapshot import snapshot
from stratagraph.cli.sources import sources
from stratagraph.cli.sql import sql
from stratagraph.cli.status import status

COMMANDS = (
    init, doctor, build, search, recall, history, diff, sql, identity, sources, mapping, ontology, extract, status, snapshot,
    audit, maintain, forget, direct_map, mcp,
)  # fmt: skip


class Failing(click.Group):
    """A group that ends with one message and exit code 1 where a user can act, and with a traceback where not."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.Abort, click.ClickException):
            raise
        except Exception as error:
            message = None if os.environ.get("STRATAGRAPH_DEBUG") or _is_closed_pipe(error) else explain(error)
            if message is None:
                raise
            raise click.ClickException(message) from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [command.name or "" for command in COMMANDS]


def _is_closed_pipe(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno == errno.EPIPE


@click.group(cls=Failing, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="stratagraph")
def main() -> None:
    """Long-term memory for AI agents: a bitemporal knowledge graph, built as a data pipeline.

    \b
    Start:    stratagraph init my-graph && cd my-graph && stratagraph build
    Ask:      stratagraph search "who works for Acme" --valid-at 2024-05-01
    For AI:   stratagraph mcp
    Problems: stratagraph doctor; STRATAGRAPH_DEBUG=1 shows the traceback of an error
    """
    escape_unknown_characters()


for _command in COMMANDS:
    main.add_command(_command)

if __name__ == "__main__":
    main()
