"""Every command explains itself with an example, and stands in the docs. The command line starts light."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from stratagraph.cli.main import main

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
HEAVY = (
    "dlt",
    "dagster",
    "owlready2",
    "openai",
    "pydantic",
    "rdflib",
    "polars",
    "pyarrow",
    "sqlalchemy",
    "igraph",
    "networkx",
    "mcp",
)


def commands(group: click.Group = main, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*prefix, name))
        else:
            yield (*prefix, name), command


@pytest.mark.parametrize(("command", "found"), list(commands()))
def test_help_has_an_example_of_the_command_and_the_page_names_it(command: tuple[str, ...], found: click.Command) -> None:
    result = CliRunner().invoke(main, [*command, "--help"])
    assert result.exit_code == 0
    assert "Example" in result.output
    if command != ("mcp",):
        assert f"stratagraph {' '.join(command)}" in result.output.split("Example")[1]
    assert f"| `stratagraph {' '.join(command)}" in PAGE
    assert [parameter.name for parameter in found.params if isinstance(parameter, click.Option) and not parameter.help] == []


@pytest.mark.parametrize("name", ["search", "recall", "history", "sql", "status"])
def test_reading_commands_share_their_options(name: str) -> None:
    options = {option for parameter in main.commands[name].params for option in parameter.opts}
    assert {"--json", "--valid-at", "--known-at", "--limit", "--path"} <= options


def loaded_after(code: str) -> set[str]:
    command = f"{code}\nimport sys\nprint('\\n'.join(name.split('.')[0] for name in sys.modules))"
    result = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_starting_imports_nothing_heavy() -> None:
    loaded = loaded_after("import stratagraph.cli.main")
    assert "click" in loaded
    assert not loaded & {*HEAVY, "duckdb", "numpy", "yaml"}


def test_a_reader_imports_nothing_of_the_pipeline() -> None:
    loaded = loaded_after("import stratagraph.snapshot.reader")
    assert "duckdb" in loaded
    assert not loaded & set(HEAVY)
