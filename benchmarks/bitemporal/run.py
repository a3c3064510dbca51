"""What one run of the benchmark shares: its size, its stores and files, its commits, and the lines of its report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.bitemporal import statements, store
from benchmarks.bitemporal.child import run
from benchmarks.bitemporal.report import Line
from benchmarks.bitemporal.sizes import Size

BATCH_AT = "2026-06-01T00:00:00+00:00"  # transaction time of a measured commit, after those of the base
REPLAY_AT = "2026-06-02T00:00:00+00:00"


@dataclass
class Run:
    """What one run knows.

    Args:
        size: of the store and the batch.
        folder: where stores and input files are kept.
        repeats: rounds of what is measured several times.
        timeout: seconds after which one measurement is given up.
        check: whether the audits must pass on what is built.
        say: told of the progress.
    """

    size: Size
    folder: Path
    repeats: int
    timeout: float
    check: bool
    say: Callable[[str], None]
    lines: list[Line] = field(default_factory=list)
    profiles: dict[str, str] = field(default_factory=dict)

    def base(self, keys: int | None = None) -> Path:
        """The base store of that many keys, built when it is missing."""
        return store.build(self.folder, self.size, keys or self.size.keys, check=self.check, say=self.say)

    def batch(self, keys: int, batch: int) -> Path:
        """The batch of a store of that many keys."""
        file = self.folder / f"batch-{keys}-{batch}-{self.size.mode}.parquet"
        return statements.write_batch(file, keys, batch, self.size.mode, self.size.seed)

    def probe(self, name: str, path: Path, *, memory_limit: str | None = None, **arguments: Any) -> dict[str, Any]:
        """What a probe measures of the store at `path`, in a process of its own."""
        size = asdict(self.size) | ({"memory_limit": memory_limit} if memory_limit else {})
        return run(name, {"path": str(path), "size": size} | arguments, timeout=self.timeout)

    def commit(self, path: Path, file: Path, instant: str = BATCH_AT, **arguments: Any) -> dict[str, Any]:
        """Commit a file into the store at `path`."""
        return self.probe(
            "writes.commit_batch", path, file=str(file), instant=instant, batch_id=f"{file.stem} {instant}", **arguments
        )

    def add(self, name: str, figure: str, ratio: float | None = None, target: float | None = None, unit: str = "x") -> None:
        self.lines.append(Line(name, figure, ratio, target, unit))
