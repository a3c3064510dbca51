"""One at a time, on one machine: locks on files. A lock ends with its process, however that ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stratagraph.errors import WarehouseError


@contextmanager
def alone(file: Path, on_wait: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold a lock; whoever comes second waits.

    Args:
        file: the lock; its folder is made if it is not there.
        on_wait: told once, with the other process's id, when there is something to wait for.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        opened = file.open("a+", encoding="utf-8")
    except OSError as error:
        raise WarehouseError(f"the lock cannot be made: {error.strerror}", where=str(file), hint="check data_dir") from error
    with opened as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.seek(0)
            if on_wait is not None:
                on_wait(handle.read().strip() or "unknown")
            fcntl.flock(handle, fcntl.LOCK_EX)
        handle.truncate(0)
        handle.write(str(os.getpid()))
        handle.flush()
        yield
