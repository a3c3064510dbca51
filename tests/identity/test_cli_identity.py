"""`stratagraph identity` on the warehouse: explain, merge, split, candidates, and their errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner
from warehouse import node
from worlds import World

from stratagraph.cli.main import main

A, B = "urn:p/A", "urn:p/B"


class Shell:
    """The command on one project."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.config = str(world.project.root / "stratagraph.yaml")

    def __call__(self, *arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(main, ["identity", *arguments, "--config", self.config])
        assert result.exit_code == code, result.output
        return result.output

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json"))


@pytest.fixture
def shell(world: Callable[..., World]) -> Shell:
    here = world()
    here.tell(*(node(ref, "Sebastian Oberhuber", facet=f"{ref[-1]}/rows") for ref in (A, B)))
    here.find()
    return Shell(here)


def test_a_candidate_is_listed_explained_and_merged(shell: Shell) -> None:
    (row,) = shell.json("candidates")
    assert (row["a"], row["b"], row["reason"]) == (A, B, "nothing_independent")
    assert "Two entities: Sebastian Oberhuber (urn:p/A)" in shell("explain", A, B)
    assert shell.json("explain", A, B)["evidence"]["names_are"] == "equal"
    assert shell.json("merge", A, B, "--dry-run") == {"changed": False, "refs": [{"ref": B, "node_id": A}], "counts": {}}
    assert shell.world.mapping() == {}
    done = shell.json("candidates", A, B, "--yes", "--reason", "asked him")
    assert (done["changed"], done["counts"]["identities_changed"]) == (True, 1)
    explained = shell("explain", A, B)
    assert "One entity: Sebastian Oberhuber (urn:p/A) and urn:p/B, which stands for" in explained
    assert "asked him" in explained
    assert "They are one already." in shell("merge", A, B)
    assert shell.json("split", B)["refs"] == [{"ref": B, "node_id": B}]
    assert shell("candidates").strip() == "No pair of entities waits for a decision."


@pytest.mark.slow
def test_kept_apart(shell: Shell) -> None:
    assert "They are two" in shell("candidates", A, B, "--no")
    assert [row["judge"] for row in shell.json("candidates", "--decision", "apart")] == ["manual"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("merge", A, "urn:p/AB"), 1, "urn:p/AB: nothing is known under this id"),
        (("explain", "urn:p/BX", B), 1, "did you mean urn:p/B (Sebastian Oberhuber)"),
        (("split", A), 1, "no other id stands for it"),
        (("candidates", A, "--yes"), 2, "--yes and --no need the two ids of a pair"),
    ],
)
def test_errors_say_what_to_do(shell: Shell, arguments: tuple[str, ...], code: int, message: str) -> None:
    assert message in shell(*arguments, code=code)


@pytest.mark.slow
def test_a_held_warehouse_is_one_message(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def held(*_: object, **__: object) -> None:
        raise duckdb.IOException("Could not set lock on file: Conflicting lock is held in python (PID 7)")

    monkeypatch.setattr("stratagraph.project.duckdb.connect", held)
    assert "another process holds the file" in shell("merge", A, B, code=1)
