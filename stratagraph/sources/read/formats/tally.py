"""Counts what of a file could not be read, and refuses the file when that is too much: then it is not rows that are wrong,
but the file, or the way it is read.
"""

from __future__ import annotations

from stratagraph.errors import SourceError
from stratagraph.sources.read.formats.inputs import Input

MAX_BAD_SHARE = 0.05
MAX_BAD_LINES = 10  # a small file may have so many, whatever their share
_MANY = 10_000  # none is kept waiting for the end of a large file in which nothing fits


class Tally:
    """Of one file. `good` is set by whoever reads it."""

    def __init__(self, file: Input, hint: str) -> None:
        self._file = file
        self._hint = hint
        self._bad_lines = 0
        self._first: tuple[int, str] | None = None
        self.good = 0

    def bad(self, line: int, what: str, lines: int = 1) -> None:
        """A row that starts in a line and takes so many can't be read."""
        self._first = self._first or (line, what)
        self._bad_lines += lines
        if lines > MAX_BAD_LINES and lines > MAX_BAD_SHARE * self.good:
            self._refuse(line, what)  # an open quote swallows what stands behind it
        if self._bad_lines > max(_MANY, self.good):
            self._refuse(*self._first)

    def close(self) -> None:
        """At the end of the file."""
        if self._first is None:
            return
        allowed = max(MAX_BAD_LINES, MAX_BAD_SHARE * (self.good + self._bad_lines))
        if self.good == 0 or self._bad_lines > allowed:
            self._refuse(*self._first)

    def _refuse(self, line: int, what: str) -> None:
        raise SourceError(
            f"too many lines can't be read: {self._bad_lines}, and {self.good} good rows; the first: {what}",
            where=f"{self._file.path}:{line}", hint=self._hint,
        )  # fmt: skip
