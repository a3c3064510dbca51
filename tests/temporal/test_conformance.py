"""The runner of the vectors itself: what is hard in the format, and that a wrong answer is noticed."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance.run import Outcome, lines, run_file

ROOT = Path(__file__).resolve().parents[2]


def write(folder: Path, name: str, content: dict[str, Any]) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def answer(points: list[tuple[Any, str, str, Any]], **expect: Any) -> dict[str, Any]:
    """What is expected: points are (key, valid_at, known_at, value)."""
    names = ("key", "valid_at", "known_at", "value")
    return {"points": [dict(zip(names, point, strict=True)) for point in points]} | expect


def said(key: Any, value: Any, valid_from: str | None, valid_to: str | None = "infinity", **fields: Any) -> dict[str, Any]:
    op = "retract" if value is None else "assert"
    return {"key": key, "op": op, "value": value, "valid_from": valid_from, "valid_to": valid_to} | fields


def story(semantics: str, batches: list[tuple[str, list[dict[str, Any]]]], expect: dict[str, Any]) -> dict[str, Any]:
    listed = [{"recorded_at": instant, "statements": statements} for instant, statements in batches]
    return {"name": "x", "semantics": semantics, "batches": listed, "expect": expect}


PLAIN = story(
    "period",
    [
        (
            "2024-01-01T00:00:00Z",
            [said(["a", 1], {"v": 1, "w": "x"}, "2020-01-01T00:00:00Z"), said(["a", 2], {"w": "x"}, "2020-01-01")],
        ),
        ("2024-01-02T00:00:00Z", [said(["a", 1], {"w": "x", "v": 1}, "2021-01-01T00:00:00Z")]),
        ("2024-01-02T00:00:00Z", [said(["a", 1], {"v": 9}, "2021-01-01T00:00:00Z")]),
        ("2024-01-03T00:00:00Z", [said(["a", None], {"v": 9}, "2021-01-01"), said(["a", 1], None, "2022-01-01", "2022-02-01")]),
    ],
    answer(
        [
            (["a", 1], "2019-12-31T23:59:59.999999Z", "2024-01-01T00:00:00Z", None),
            (["a", 1], "2020-01-01T00:00:00Z", "2024-01-01T00:00:00Z", {"v": 1, "w": "x"}),
            (["a", 1], "2022-01-15T00:00:00Z", "2024-01-03T00:00:00Z", None),
            (["a", "1"], "2022-03-15T00:00:00Z", "2024-01-03T00:00:00Z", None),
        ],
        history=[
            {
                "key": ["a", 2],
                "value": {"w": "x"},
                "valid_from": "2020-01-01T00:00:00Z",
                "valid_to": "infinity",
                "recorded_from": "2024-01-01T00:00:00Z",
                "recorded_to": "infinity",
            },
            {
                "key": ["a", 1],
                "value": {"v": 1, "w": "x"},
                "valid_from": "2020-01-01T00:00:00Z",
                "valid_to": "infinity",
                "recorded_from": "2024-01-01T00:00:00Z",
                "recorded_to": "2024-01-03T00:00:00Z",
            },
            {
                "key": ["a", 1],
                "value": {"v": 1, "w": "x"},
                "valid_from": "2020-01-01T00:00:00Z",
                "valid_to": "2022-01-01T00:00:00Z",
                "recorded_from": "2024-01-03T00:00:00Z",
                "recorded_to": "infinity",
            },
            {
                "key": ["a", 1],
                "value": {"v": 1, "w": "x"},
                "valid_from": "2022-02-01T01:00:00+01:00",
                "valid_to": "infinity",
                "recorded_from": "2024-01-03T00:00:00Z",
                "recorded_to": "infinity",
            },
        ],
        quarantined=1,
        rejected_batches=[2],
        no_op_batches=[1],
        row_counts=[
            {"known_at": "2024-01-03T00:00:00Z", "key_prefix": ["a"], "rows": 3},
            {"known_at": "2024-01-03T00:00:00Z", "key_prefix": ["a", 1], "rows": 2},
            {"known_at": "2024-01-03T00:00:00Z", "key_prefix": ["a", "1"], "rows": 0},
        ],
        state_counts=[{"key": ["a", 1], "known_at": "2024-01-03T00:00:00Z", "states": 3}],
        overlaps=[
            {
                "keys": [["a", 1], ["a", 2]],
                "on": "w",
                "valid_from": "2020-01-01T00:00:00Z",
                "valid_to": "infinity",
                "recorded_from": "2024-01-01T00:00:00Z",
                "recorded_to": "2024-01-03T00:00:00Z",
            },
            {
                "keys": [["a", 1], ["a", 2]],
                "on": "w",
                "valid_from": "2020-01-01T00:00:00Z",
                "valid_to": "2022-01-01T00:00:00Z",
                "recorded_from": "2024-01-03T00:00:00Z",
                "recorded_to": "infinity",
            },
            {
                "keys": [["a", 1], ["a", 2]],
                "on": "w",
                "valid_from": "2022-02-01T00:00:00Z",
                "valid_to": "infinity",
                "recorded_from": "2024-01-03T00:00:00Z",
                "recorded_to": "infinity",
            },
        ],
    ),
)

KEYS = [[1], ["1"], [1, "a"], ["1,a"], ['"', "'"], ["\"','"], ["é"], ["e\u0301"], [""], [True]]
ODD = {"n": None, 'ü "q" \' $.x': [1, {"b": 1, "a": None}]}
ODD_AGAIN = {'ü "q" \' $.x': [1.0, {"a": None, "b": 1}], "n": None}

HARD = {
    "offsets and microseconds": story(
        "period",
        [
            (
                "2024-01-01T02:00:00+02:00",
                [said(["k"], {"v": 1}, "2024-03-01T01:00:00.000001+05:30", "2024-03-01T00:00:00-09:30")],
            )
        ],
        answer(
            [
                (["k"], "2024-02-29T19:30:00.000001Z", "2024-01-01T00:00:00Z", {"v": 1}),
                (["k"], "2024-02-29T19:30:00Z", "2024-01-01T00:00:00Z", None),
                (["k"], "2024-03-01T09:29:59.999999Z", "2024-01-01T00:00:00Z", {"v": 1}),
                (["k"], "2024-03-01T09:30:00Z", "2024-01-01T00:00:00Z", None),
                (["k"], "2024-03-01T00:00:00Z", "2023-12-31T23:59:59.999999Z", None),
            ],
            no_op_batches=[],
            quarantined=0,
        ),
    ),
    "far years and open ends": story(
        "event",
        [
            (
                "0900-01-01T00:00:00Z",
                [said(["k"], {"v": 0}, "-infinity", None), said(["k"], {"v": 1}, "0001-01-01T00:00:00Z", None)],
            ),
            ("2500-01-01T00:00:00Z", [said(["k"], {"v": 2}, "9999-12-31T23:59:59.999999Z", None)]),
        ],
        answer(
            [
                (["k"], "0001-01-01T00:00:00Z", "0900-01-01T00:00:00Z", {"v": 1}),
                (["k"], "0001-01-01T00:00:00+01:00", "0900-01-01T00:00:00Z", {"v": 0}),
                (["k"], "9999-12-31T23:59:59.999999Z", "2499-12-31T00:00:00Z", {"v": 1}),
                (["k"], "9999-12-31T23:59:59.999999Z", "2500-01-01T00:00:00Z", {"v": 2}),
                (["k"], "9999-12-31T23:59:59.999998Z", "2500-01-01T00:00:00Z", {"v": 1}),
            ],
            rejected_batches=[],
        ),
    ),
    "keys and values of every kind": story(
        "event",
        [
            (
                "2024-01-01T00:00:00Z",
                [said(key, {"v": number} | ODD, "2020-01-01", None) for number, key in enumerate(KEYS)]
                + [said(key, {"v": 0}, "2020-01-01", None) for key in ([], None, [None], ["a", None])]
                + [said(["empty"], {}, "2020-01-01", None), said(["x"], {"v": 1}, None, None)],
            ),
            ("2024-01-02T00:00:00Z", [said([1.0], {"v": 0.0} | ODD_AGAIN, "2021-01-01", None)]),
            ("2024-01-03T00:00:00Z", [said([1], {"v": 0}, "2021-01-01", None)]),
            ("2024-01-04T00:00:00Z", []),
        ],
        answer(
            [
                (key, "2020-06-01T00:00:00Z", "2024-01-04T00:00:00Z", ODD_AGAIN | {"v": number})
                for number, key in enumerate(KEYS)
            ]
            + [
                (["empty"], "2020-06-01T00:00:00Z", "2024-01-02T00:00:00Z", {}),
                (["1", "a"], "2020-06-01T00:00:00Z", "2024-01-02T00:00:00Z", None),
                ([1], "2021-06-01T00:00:00Z", "2024-01-02T00:00:00Z", {"v": 0} | ODD),
                ([1], "2021-06-01T00:00:00Z", "2024-01-03T00:00:00Z", {"v": 0}),
            ],
            quarantined=5,
            no_op_batches=[1, 3],
        ),
    ),
    "events by observation, then sequence": story(
        "event",
        [
            ("2024-01-05T00:00:00Z", [said(["k"], {"v": 1}, "2020-01-01", None, observed_at="2024-01-03T00:00:00Z", seq=5)]),
            (
                "2024-01-06T00:00:00Z",
                [said(["k"], {"v": 2}, "2020-01-01", None, observed_at="2024-01-03T01:00:00+01:00", seq=4)],
            ),
            ("2024-01-07T00:00:00Z", [said(["k"], {"v": 3}, "2020-01-01", None, observed_at="2024-01-03T00:00:00Z", seq=6)]),
            ("2024-01-08T00:00:00Z", [said(["k"], {"v": 4}, "2020-01-01", None), said(["k"], {"v": 5}, "2020-01-01", None)]),
        ],
        answer(
            [
                (["k"], "2020-01-01T00:00:00Z", "2024-01-06T00:00:00Z", {"v": 1}),
                (["k"], "2020-01-01T00:00:00Z", "2024-01-07T00:00:00Z", {"v": 3}),
                (["k"], "2020-01-01T00:00:00Z", "2024-01-08T00:00:00Z", {"v": 5}),
            ],
            no_op_batches=[1],
        ),
    ),
    "periods by batch, whatever was observed": story(
        "period",
        [
            ("2024-01-01T00:00:00Z", [said(["k"], {"v": 2}, "2020-01-01", seq=2), said(["k"], {"v": 1}, "2020-01-01", seq=1)]),
            (
                "2024-01-02T00:00:00Z",
                [said(["k"], {"v": 3}, "2021-01-01", "2021-01-01"), said(["k"], {"v": 3}, "2021-01-02", "2021-01-01")],
            ),
            ("2024-01-03T00:00:00Z", [said(["k"], {"v": 4}, "2021-01-01", observed_at="2023-01-01T00:00:00Z", seq=0)]),
            ("2024-01-04T00:00:00Z", [said(["k"], {"v": 2}, "2020-01-01", seq=2)]),
        ],
        answer(
            [
                (["k"], "2022-01-01T00:00:00Z", "2024-01-02T00:00:00Z", {"v": 2}),
                (["k"], "2022-01-01T00:00:00Z", "2024-01-03T00:00:00Z", {"v": 4}),
                (["k"], "2022-01-01T00:00:00Z", "2024-01-04T00:00:00Z", {"v": 2}),
            ],
            quarantined=1,
            no_op_batches=[1],
        ),
    ),
}


@pytest.mark.parametrize("name", HARD)
def test_what_is_hard_in_the_format(name: str, tmp_path: Path) -> None:
    assert run_file(write(tmp_path, "hard", HARD[name])).mismatches == []


def test_full_loads_and_attribute_operations(tmp_path: Path) -> None:
    points = [
        (["k"], "2024-01-01T12:00:00Z", "2024-01-03T00:00:00Z", {"v": 1}),
        (["k"], "2024-01-02T12:00:00Z", "2024-01-03T00:00:00Z", None),
        (["k"], "2024-01-02T12:00:00Z", "2024-01-02T00:00:00Z", {"v": 1}),
        (["k"], "2024-01-03T00:00:00Z", "2024-01-03T00:00:00Z", {"v": 1, "n": None}),
    ]
    period = {"valid_from": "2024-01-01T00:00:00Z", "valid_to": "infinity"}
    later = {"valid_from": "2024-01-02T00:00:00Z", "valid_to": "2024-01-03T00:00:00Z"}
    content = story(
        "period",
        [
            ("2024-01-01T00:00:00Z", [said(["k"], {"v": 1}, "2024-01-01T00:00:00Z")]),
            ("2024-01-03T00:00:00Z", [said(["k"], None, later["valid_from"], later["valid_to"]),
                                      said(["k"], {"v": 1, "n": None}, "2024-01-03T00:00:00Z")]),
        ],
        answer(points),
    )  # fmt: skip
    content["attribute_batches"] = [
        {"recorded_at": "2024-01-01T00:00:00Z", "operations": [
            {"key": ["k"], "op": "patch", "set": {"v": 7}, **period},
            {"key": ["none"], "op": "update", "set": {"v": 7}, **period},
            {"key": ["k"], "op": "update", "set": {"v": 1}, **period}]},
        {"recorded_at": "2024-01-03T00:00:00Z", "operations": [
            {"key": ["k"], "op": "delete", "set": None, **later},
            {"key": ["k"], "op": "update", "set": {"n": None}, "valid_from": "2024-01-02T00:00:00Z", "valid_to": "infinity"}]},
    ]  # fmt: skip
    assert run_file(write(tmp_path, "operations", content)).mismatches == []


def graph_of(
    mode: str, steps: list[tuple[str, str, list[dict[str, Any]]]], points: list[tuple[str, str, Any]]
) -> dict[str, Any]:
    """An integrity story; points are of edge e: (valid_at, known_at, value)."""
    listed = [{"recorded_at": instant, "expected": verdict, "statements": said} for instant, verdict, said in steps]
    asked = [{"kind": "edge", "key": ["e", 1], "valid_at": v, "known_at": k, "value": value} for v, k, value in points]
    return {"name": "x", "semantics": "integrity", "mode": mode, "steps": listed, "expect": {"points": asked}}


def of_edge(value: Any, ends: Any, valid_from: str, valid_to: str = "infinity") -> dict[str, Any]:
    return said(["e", 1], value, valid_from, valid_to, kind="edge") | ({"endpoints": ends} if ends else {})


def of_node(key: Any, value: Any, valid_from: str, valid_to: str = "infinity") -> dict[str, Any]:
    return said(key, value, valid_from, valid_to, kind="node")


CHANGING_ENDS = [
    ("2024-01-01T00:00:00Z", "accepted", [of_node([key], {}, "2020-01-01") for key in ("x", "y", "z")]),
    ("2024-01-02T00:00:00Z", "accepted", [of_edge({"v": 1}, [["x"], ["y"]], "2020-01-01")]),
    (
        "2024-01-03T00:00:00Z",
        "accepted",
        [of_edge({"v": 2}, [["z"], ["x"]], "2021-01-01"), of_edge({"v": 1}, [["x"], ["y"]], "2023-01-01")],
    ),
    ("2024-01-04T00:00:00Z", "accepted", [of_edge(None, None, "2021-06-01", "2022-01-01")]),
]
SEEN = [
    ("2020-06-01T00:00:00Z", "2024-01-04T00:00:00Z", {"v": 1}),
    ("2021-03-01T00:00:00Z", "2024-01-02T00:00:00Z", {"v": 1}),
    ("2021-03-01T00:00:00Z", "2024-01-04T00:00:00Z", {"v": 2}),
    ("2021-08-01T00:00:00Z", "2024-01-03T00:00:00Z", {"v": 2}),
    ("2021-08-01T00:00:00Z", "2024-01-04T00:00:00Z", None),
    ("2023-03-01T00:00:00Z", "2024-01-04T00:00:00Z", {"v": 1}),
]


@pytest.mark.parametrize(("mode", "verdict"), [("clip", "accepted"), ("reject", "rejected")])
def test_an_edge_that_changes_its_ends(mode: str, verdict: str, tmp_path: Path) -> None:
    loss = ("2024-01-05T00:00:00Z", verdict, [of_node(["z"], None, "2021-01-01", "2021-06-01")])
    gone = None if mode == "clip" else {"v": 2}
    points = [*SEEN, ("2021-03-01T00:00:00Z", "2024-01-05T00:00:00Z", gone)]
    path = write(tmp_path, "ends", graph_of(mode, [*CHANGING_ENDS, loss], points))
    assert run_file(path).mismatches == []
    other = graph_of(mode, [*CHANGING_ENDS, (*loss[:1], "rejected" if mode == "clip" else "accepted", loss[2])], points)
    assert [line[:7] for line in run_file(write(tmp_path, "other", other)).mismatches] == ["step 4:"]


SPOILT: dict[str, Callable[[dict[str, Any]], Any]] = {
    "points": lambda expect: expect["points"][1].update(value={"v": 1}),
    "points that are there": lambda expect: expect["points"][0].update(value={"v": 1, "w": "x"}),
    "points that are gone": lambda expect: expect["points"][1].update(value=None),
    "history: missing": lambda expect: expect["history"].append(expect["history"][0]),
    "history: not expected": lambda expect: expect["history"].pop(),
    "quarantined": lambda expect: expect.update(quarantined=2),
    "rejected_batches": lambda expect: expect.update(rejected_batches=[]),
    "no_op_batches": lambda expect: expect.update(no_op_batches=[1, 3]),
    "no_op_batches, not all": lambda expect: expect.update(no_op_batches=[]),
    "row_counts": lambda expect: expect["row_counts"][0].update(rows=2),
    "state_counts": lambda expect: expect["state_counts"][0].update(states=2),
    "overlaps": lambda expect: expect["overlaps"].pop(),
    "overlaps, more": lambda expect: expect["overlaps"][1].update(valid_to="infinity"),
}


def test_the_plain_story_matches(tmp_path: Path) -> None:
    assert run_file(write(tmp_path, "plain", PLAIN)) == Outcome("plain", 4, [])


@pytest.mark.parametrize("name", SPOILT)
def test_a_wrong_answer_is_one_mismatch(name: str, tmp_path: Path) -> None:
    content = copy.deepcopy(PLAIN)
    SPOILT[name](content["expect"])
    found = run_file(write(tmp_path, "spoilt", content)).mismatches
    assert len(found) == 1, found
    assert found[0].startswith(name.split(",")[0].split(" that")[0])


def test_the_command_line(tmp_path: Path) -> None:
    content = copy.deepcopy(PLAIN)
    content["expect"]["quarantined"] = 7
    write(tmp_path, "plain", PLAIN)
    write(tmp_path, "spoilt", content)
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tests.conformance", str(tmp_path), *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    good, bad = run("plain"), run()
    assert (good.returncode, good.stdout) == (0, "1 vectors, 4 points, 0 mismatches\n")
    assert bad.returncode == 1
    assert bad.stdout.splitlines()[-1] == "3 vectors, 8 points, 2 mismatches"
    assert "spoilt: quarantined: expected 7, found 1" in bad.stdout
    assert "broken: cannot be run: JSONDecodeError" in bad.stdout


def test_the_last_line_counts() -> None:
    assert list(lines([Outcome("a", 3, ["x"]), Outcome("b", 4, [])])) == ["a: x", "2 vectors, 7 points, 1 mismatches"]
