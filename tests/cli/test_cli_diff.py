"""`diff` and `history` on a real snapshot and its warehouse: two points of both clocks, and what lies between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import Run, call

from stratagraph.cli.diff import two_points

ANN = "https://example.org/graph/name/Person/ann%20smith"
BEFORE, AFTER = ("--valid", "2020-01-01"), ("--valid", "2023-01-01")


def ask(built: Path, *arguments: str) -> Run:
    result = call(*arguments, "--path", built / "data")
    assert result.code == 0, result.err
    return result


def employers(found: dict[str, Any]) -> set[tuple[str, str]]:
    of_ann = [row for row in found["differences"] if row["subject"] == ANN and row["predicate"].endswith("worksFor")]
    return {(row["change"], row["object"].rpartition("/")[2]) for row in of_ann}


def test_how_the_world_changed_and_the_same_turned_round(built: Path) -> None:
    forward = ask(built, "diff", *BEFORE, *AFTER, "--json").json
    assert employers(forward) == {("removed", "acme%20corporation"), ("added", "globex%20corporation")}
    assert sum(forward["counts"].values()) == len(forward["differences"])
    assert (forward["from"]["valid_at"], forward["to"]["valid_at"]) == (
        "2020-01-01T00:00:00+00:00",
        "2023-01-01T00:00:00+00:00",
    )
    assert forward["from"]["known_at"] == forward["to"]["known_at"]
    back = ask(built, "diff", *AFTER, *BEFORE, "--json").json
    assert employers(back) == {("added", "acme%20corporation"), ("removed", "globex%20corporation")}
    turned = {"added": "removed", "removed": "added", "changed": "changed"}
    sides = [(turned[row["change"]], row["id"], row["facet"], row["after"], row["before"]) for row in back["differences"]]
    assert sides == [(r["change"], r["id"], r["facet"], r["before"], r["after"]) for r in forward["differences"]]


def test_equal_points_do_not_differ_and_all_was_learned_since_the_beginning(built: Path) -> None:
    same = ask(built, "diff", *BEFORE, *BEFORE, "--json").json
    assert (same["differences"], same["counts"]) == ([], {"added": 0, "removed": 0, "changed": 0})
    learned = ask(built, "diff", "--known", "2001-01-01", "--json").json
    assert {row["change"] for row in learned["differences"]} == {"added"}
    assert all(row["before"] is None and row["after"] for row in learned["differences"])


def test_one_entity_and_a_limit(built: Path) -> None:
    one = ask(built, "diff", ANN, *BEFORE, *AFTER, "--json").json
    assert one["differences"]
    assert all(ANN in (row["id"], row["subject"], row["object"]) for row in one["differences"])
    cut = ask(built, "diff", *BEFORE, *AFTER, "--limit", "1", "--json").json
    assert (len(cut["differences"]), cut["truncated"]) == (1, True)
    assert ask(built, "diff", "urn:nobody", *BEFORE, *AFTER, "--json").json["differences"] == []


def test_people_see_a_table_and_both_points(built: Path) -> None:
    shown = ask(built, "diff", ANN, *BEFORE, *AFTER)
    assert "removed" in shown.out
    assert "Globex" in shown.out
    assert "valid 2020-01-01" in shown.err
    assert "1 removed, 0 changed" in shown.err
    assert ask(built, "diff", *BEFORE, *BEFORE).out == ""


@pytest.mark.parametrize("command", [["diff", *BEFORE, *AFTER], ["history", ANN]])
def test_the_warehouse_says_what_the_snapshot_says(built: Path, command: list[str]) -> None:
    from_warehouse = call(*command, "--warehouse", "--json", "--config", built / "stratagraph.yaml")
    assert from_warehouse.code == 0, from_warehouse.err
    snapshot = ask(built, *command, "--json").json
    if command[0] == "history":
        kept = ("kind", "id", "predicate", "object", "properties", "valid_from", "valid_to", "recorded_from", "recorded_to")
        assert [{k: row[k] for k in kept} for row in from_warehouse.json] == [{k: row[k] for k in kept} for row in snapshot]
    else:
        assert from_warehouse.json["differences"] == snapshot["differences"]
    assert call(*command, "--warehouse", "--path", built / "data").code == 2


@pytest.mark.parametrize(
    ("valid", "known", "points"),
    [
        (("1",), (), (("1", None), (None, None))),
        ((), ("k",), ((None, "k"), (None, None))),
        (("1",), ("k",), (("1", "k"), (None, None))),
        (("1", "2"), (), (("1", None), ("2", None))),
        (("1", "2"), ("k",), (("1", "k"), ("2", "k"))),
        (("1",), ("k", "l"), (("1", "k"), ("1", "l"))),
        (("1", "2"), ("k", "l"), (("1", "k"), ("2", "l"))),
    ],
)
def test_the_points_that_options_name(valid: tuple[str, ...], known: tuple[str, ...], points: object) -> None:
    assert two_points(valid, known) == points


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 2),
        (["--valid", "1"] * 3, 2),
        (["--valid", "any"], 1),
        (["--known", "2020-01-01T10:00"], 1),
        (["--known", "soon"], 1),
    ],
)
def test_bad_points_are_refused(built: Path, options: list[str], code: int) -> None:
    result = call("diff", *options, "--path", built / "data")
    assert (result.code, result.out) == (code, "")
    assert "Traceback" not in result.err
