"""One build of a project at a time, on one machine. Who comes second waits, because its turn costs little then.

Dagster has a pool for this; a reader needs none. The lock ends with the process, however that ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(data_dir: Path, on_wait: Callable[[str], None]) -> Iterator[None]:
    """Hold `build.lock` of a data directory.

    Args:
        data_dir: made if it is not there.
        on_wait: told once, with the other process's id, when there is something to wait for.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    with (data_dir / "build.lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            on_wait(file.read().strip() or "unknown")
            fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
