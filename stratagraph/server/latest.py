"""Keeps the latest snapshot of a place open, and opens the next one when it is published. Knows nothing of a protocol."""

from __future__ import annotations

import threading
from pathlib import Path

from stratagraph.errors import SnapshotError
from stratagraph.snapshot.layout import find_snapshot
from stratagraph.snapshot.reader import Snapshot, open_snapshot


class LatestSnapshot:
    """The snapshot that `LATEST` names at the moment of each call.

    A call holds the snapshot it was given to its end, so an answer never mixes two. The one before is closed when the last
    call that holds it has ended. Safe to use from several threads.
    """

    def __init__(self, place: Path) -> None:
        """
        Args:
            place: a data directory or a folder of snapshots; a single snapshot works as well, and never changes.
        """
        self.place = place
        self._lock = threading.Lock()
        self._current: Snapshot | None = None

    def get(self) -> Snapshot:
        """The latest snapshot, opened."""
        with self._lock:
            folder = self._folder()
            if self._current is None or self._current.path != folder:
                # Not the folder: it may be gone by now, if a newer one was published meanwhile.
                self._current = open_snapshot(self.place)
            return self._current

    def _folder(self) -> Path:
        try:
            return find_snapshot(self.place).resolve()
        except SnapshotError as error:
            hint = f"{error.hint}; `stratagraph build` publishes one" if error.hint else "`stratagraph build` publishes one"
            raise SnapshotError(error.what, where=error.where, hint=hint) from error
