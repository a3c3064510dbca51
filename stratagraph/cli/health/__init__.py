"""What `stratagraph doctor` looks at: small functions that each yield checks. Nothing is repaired or written here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stratagraph.cli.health.check import Check
from stratagraph.cli.health.packages import check_packages, check_python

__all__ = ["Check", "check_all"]


def check_all(config: Path) -> Iterator[Check]:
    """Every check, from the ground up. What depends on a valid config is left out when there is none."""
    yield from check_python()
    yield from check_packages()
    try:
        from stratagraph.cli.health.project import check_project
    except ModuleNotFoundError as error:
        yield Check(
            "config", "warn", f"not checked: the package {error.name} is missing", "pip install 'stratagraph[pipeline]'"
        )
        return
    yield from check_project(config)
