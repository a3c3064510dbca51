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


@pytest.mark.parametrize("path", vectors(), ids=lambda path: path.stem)
def test_vector(path: Path) -> None:
    outcome = run_file(path)
    assert outcome.points > 0
    assert outcome.mismatches == []
