"""What the tests of identity share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import World


@pytest.fixture
def world(tmp_path: Path) -> Callable[..., World]:
    return lambda config="": World(tmp_path, config)
