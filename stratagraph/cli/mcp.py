"""`stratagraph mcp`: starts the read-only MCP server of `stratagraph.server.mcp`."""

from __future__ import annotations

from pathlib import Path

import click

from stratagraph.cli.options import path_option
from stratagraph.cli.place import data_path


@click.command("mcp")
@path_option
def mcp(path: Path | None) -> None:
    """Serve the latest snapshot to an AI agent over stdio (Model Context Protocol), read-only.

    When a new snapshot is published, the next call reads it. Logs go to stderr.

    \b
    Example, as an agent's configuration:
      {"mcpServers": {"stratagraph": {"command": "stratagraph", "args": ["mcp", "--path", "/srv/graph/data"]}}}
    """
    from stratagraph.server.mcp import serve

    serve(data_path(path))
