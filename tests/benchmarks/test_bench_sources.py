"""The benchmark of the sources runs at a tiny size: every step is measured, and all rows arrive."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks import sources  # noqa: E402


def test_every_step_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert sources.main(["--rows", "60", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["rows"] == 60
    steps = {step["step"]: step for step in report["steps"]}
    assert list(steps) == [
        "plain dlt load", "dlt's part of the load", "load", "foreign keys", "statements", "belief", "all of it again"
    ]  # fmt: skip
    assert all(step["wall"] > 0 and step["rows_per_second"] > 0 for step in steps.values())
    assert report["after / plain dlt load, wall"] > 0
