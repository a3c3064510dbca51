"""Public worked examples of bitemporal tables, replayed through the library; the runner is `tests/conformance`."""

from __future__ import annotations

from pathlib import Path

import pytest
from conformance.run import run_file

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "data" / "bitemporal"
HANDED_OUT = ROOT.parent / "shared" / "conformance" / "bitemporal"


def vectors() -> list[Path]:
    """The vectors that ship, and those beside the checkout that are not among them."""
    shipped = {path.name: path for path in sorted(FOLDER.glob("*.json"))}
    return [*shipped.values(), *(path for path in sorted(HANDED_OUT.glob("*.json")) if path.name not in shipped)]


# Hundreds of commits each.
LONG = ("bug_31_xtdb_2531", "bug_33_xtdb_3459")


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=[pytest.mark.proof] if path.stem in LONG else []) for path in vectors()],
)
def test_vector(path: Path) -> None:
    outcome = run_file(path)
    assert outcome.points > 0
    assert outcome.mismatches == []
