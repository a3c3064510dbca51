"""Reads CSV and TSV, exactly: every cell is the text that stands in the file, every row that can't be read is reported.

Python's own parser does the reading, in its strict mode. DuckDB's and Arrow's are faster, but not exact where it counts: DuckDB
1.5 drops without a word what stands behind an open quote in a large file, and Arrow takes `"x"y` for `xy` and loses a line
end that falls on the border of two blocks. Rows become Arrow columns batch by batch; nothing is held longer than that.
What a cell means is decided in `cells.py`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

import pyarrow as pa

from stratagraph.errors import SourceError
from stratagraph.sources.read.formats.dialects import MAX_FIELD, Dialect
from stratagraph.sources.read.formats.encoding import Encoding, open_text, refuse_undecodable
from stratagraph.sources.read.formats.inputs import Input
from stratagraph.sources.read.formats.tally import Tally

_CHUNK = 2_000_000  # characters
_HINT = "check delimiter, quote and encoding; if rows may leave out cells at their end, set short_rows: fill"
_RAW = 2_000


@dataclass(frozen=True)
class BadRow:
    """A row that can't be read. raw: its text, cut to what a report needs."""

    line: int
    what: str
    raw: str


class DelimitedFile:
    """A file of rows.

    Args:
        file: where it is.
        encoding: of its characters.
        dialect: how its cells are told apart.
        header: whether the first row names the columns.
        least: how many cells a row must have, if it may leave out cells at its end.
    """

    def __init__(self, file: Input, encoding: Encoding, dialect: Dialect, header: bool, least: int | None = None) -> None:
        self.file = file
        self.encoding = encoding
        self.dialect = dialect
        self._header = header
        self.columns: tuple[str, ...] = self._columns()
        self._least = len(self.columns) if least is None else least

    def batches(self, report: Callable[[BadRow], None]) -> Iterator[list[pa.Array]]:
        """The rows as columns of text, in order; bad rows are reported. With too many of them the file is refused."""
        with open_text(self.file, self.encoding, newline="") as text:
            lines = _Lines(self, text)
            tally = Tally(self.file, _HINT)
            if self._header:
                lines.start([])
                next(self.dialect.reader(iter(lines)))
            while chunk := lines.read_chunk():
                rows = self._whole(chunk)
                if rows is None:
                    rows = self._one_by_one(lines.start(chunk), tally, report)
                if rows:
                    tally.good += len(rows)
                    yield [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
            tally.close()

    def _whole(self, chunk: list[str]) -> list[list[str]] | None:
        """The rows of some lines; None where a row is bad, or goes on behind them."""
        try:
            rows = list(self.dialect.reader(iter(chunk)))
        except csv.Error:
            return None
        widths = set(map(len, rows))
        if widths == {len(self.columns)}:
            return rows
        return [self._filled(row) for row in rows if row] if all(width == 0 or self._fits(width) for width in widths) else None

    def _fits(self, width: int) -> bool:
        return self._least <= width <= len(self.columns)

    def _filled(self, row: list[Any]) -> list[Any]:
        return row + [None] * (len(self.columns) - len(row))

    def _one_by_one(self, lines: _Lines, tally: Tally, report: Callable[[BadRow], None]) -> list[list[str]]:
        """The good rows of some lines, and of the lines behind them that their last row takes."""
        rows: list[list[str]] = []
        reader = self.dialect.reader(iter(lines))
        while lines.are_left:
            lines.next_row()
            try:
                row = next(reader, None)
            except csv.Error as error:
                if lines.ended and str(error) == "unexpected end of data":
                    raise SourceError(
                        "a quote is opened here and never closed", where=f"{self.file.path}:{lines.first}",
                        hint="close it; if quotes mean nothing in this file, set quote to a character that it does not have",
                    ) from error  # fmt: skip
                lines.refuse_row(_explained(str(error), lines.are_several), tally, report)
                continue
            if row and self._fits(len(row)):
                rows.append(self._filled(row))
            elif row:
                lines.refuse_row(f"{len(row)} cells, not {len(self.columns)}", tally, report)
        return rows

    def _columns(self) -> tuple[str, ...]:
        where = f"{self.file.path}:1"
        with open_text(self.file, self.encoding, newline="") as text:
            try:
                first = next(self.dialect.reader(iter(_Lines(self, text))), None)
            except csv.Error as error:
                raise SourceError(f"the first row can't be read: {error}", where=where) from error
        if first is None:
            raise SourceError(
                "the file is empty: it has not even a header", where=self.file.path, hint="take it away, or add one"
            )
        if not first:
            raise SourceError("the first line is blank; the header must stand there", where=where)
        if not self._header:
            return tuple(f"column_{number}" for number in range(1, len(first) + 1))
        names = [name.strip() or f"column_{number}" for number, name in enumerate(first, 1)]
        twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
        if twice is not None:
            raise SourceError(f"two columns are called {twice!r}", where=where, hint="rename one, or set header: false")
        if any("\x00" in name for name in names):
            raise SourceError("a column's name has a NUL character", where=where)
        return tuple(names)


def _explained(error: str, several_lines: bool) -> str:
    """What the parser's message means."""
    if "expected after" in error:
        return "something stands between a closing quote and the next delimiter"
    if "field limit" in error:
        return f"a cell has more than {MAX_FIELD:,} characters" + (": is its quote ever closed?" if several_lines else "")
    return error


class _Lines:
    """The lines of a text: in chunks, or one by one with those of the row that is being read."""

    def __init__(self, of: DelimitedFile, text: TextIO) -> None:
        self._of = of
        self._text = text
        self._chunk: list[str] = []
        self._at = 0
        self._row: list[str] = []
        self._count = 0
        self.ended = False

    def read_chunk(self) -> list[str]:
        """The next lines."""
        try:
            chunk = self._text.readlines(_CHUNK)
        except UnicodeError as error:
            raise refuse_undecodable(self._of.file, self._of.encoding) from error
        self._count += len(chunk)
        return chunk

    def start(self, chunk: list[str]) -> _Lines:
        """Go through a chunk that was read, line by line; a row may take lines behind it as well."""
        self._chunk, self._at = chunk, 0
        self._count -= len(chunk)
        return self

    def __iter__(self) -> Iterator[str]:
        while True:
            if self._at < len(self._chunk):
                line = self._chunk[self._at]
                self._at += 1
            else:
                line = self._next()
                if not line:
                    self.ended = True
                    return
            self._count += 1
            self._row.append(line)
            yield line

    def _next(self) -> str:
        try:
            return self._text.readline()
        except UnicodeError as error:
            raise refuse_undecodable(self._of.file, self._of.encoding) from error

    @property
    def are_left(self) -> bool:
        """Whether the chunk has lines that were not read."""
        return self._at < len(self._chunk)

    @property
    def first(self) -> int:
        """Line that the row starts in."""
        return self._count - len(self._row) + 1

    @property
    def are_several(self) -> bool:
        """Whether the row takes more than one line."""
        return len(self._row) > 1

    def next_row(self) -> None:
        self._row = []

    def refuse_row(self, what: str, tally: Tally, report: Callable[[BadRow], None]) -> None:
        """Report the row that is being read."""
        report(BadRow(self.first, what, "".join(self._row)[:_RAW].rstrip("\r\n")))
        tally.bad(self.first, what, len(self._row))
