"""The size and the settings of one benchmark run, and nothing that depends on a machine."""

from __future__ import annotations

from dataclasses import dataclass

SEGMENTS = 4  # believed rows of one key in the base store
NEW_KEYS = 1.1  # the batch speaks of that many times the keys of the store, so some are new
SMALL = 10  # the small store and its batch are that many times smaller


@dataclass(frozen=True)
class Size:
    """What is generated, and how DuckDB may run.

    Args:
        keys: keys of the base store; it holds 4 open rows and 1 closed row of each.
        batch: statements of the batch.
        mode: how open-ended statements are said: as periods without end, or as events.
        seed: another seed gives other values, times and keys, of the same shares.
        memory_limit: of DuckDB, such as '5GB'.
        threads: of DuckDB.
    """

    keys: int
    batch: int
    mode: str
    seed: int
    memory_limit: str
    threads: int

    @property
    def rows(self) -> int:
        """Belief rows of the base store."""
        return self.keys * (SEGMENTS + 1)
