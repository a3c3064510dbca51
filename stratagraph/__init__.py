"""Stratagraph: a bitemporal, ontology-constrained knowledge graph as long-term memory for agents.

`stratagraph.open(path)` opens a published snapshot; that is all an agent runtime needs. Everything that builds a graph
lives in subpackages and is imported only when used, so that this import stays light.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stratagraph.snapshot.reader import Snapshot

__version__ = "0.1.0"
__all__ = ["__version__", "open"]


def open(path: str | Path) -> Snapshot:
    """Open a published snapshot for reading.

    Args:
        path: a snapshot folder, a `snapshots/` folder (its LATEST is opened), or a data directory.
    """
    from stratagraph.snapshot.reader import open_snapshot

    return open_snapshot(Path(path))
