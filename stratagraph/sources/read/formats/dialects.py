"""Finds out how the cells of a CSV file are told apart, by its first rows. Where they leave it open, the config must say it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stratagraph.errors import SourceError
from stratagraph.sources.read.formats.encoding import Encoding, open_text, refuse_undecodable
from stratagraph.sources.read.formats.inputs import Input
from stratagraph.sources.read.formats.tally import MAX_BAD_LINES, MAX_BAD_SHARE

MAX_FIELD = 16_000_000  # characters
_SAMPLE = 1 << 18
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Dialect:
    """How the cells of a file are told apart."""

    delimiter: str
    quote: str = '"'

    def reader(self, lines: Iterator[str]) -> Any:
        csv.field_size_limit(max(csv.field_size_limit(), MAX_FIELD))
        return csv.reader(lines, delimiter=self.delimiter, quotechar=self.quote, doublequote=True, strict=True)


def find_dialect(file: Input, encoding: Encoding, delimiter: str | None, quote: str | None) -> Dialect:
    """How the cells of a file are told apart: as declared, or as its first rows show."""
    sample = _sample(file, encoding)
    quote = quote or _quote(sample)
    if delimiter is not None:
        return Dialect(delimiter, quote)
    found = sorted(
        ((*fit, mark) for mark in _DELIMITERS if (fit := _fit(sample, Dialect(mark, quote)))),
        key=lambda candidate: candidate[:2], reverse=True,
    )  # fmt: skip
    if not found:
        return Dialect(",", quote)
    if len(found) > 1 and found[0][0] == found[1][0]:
        marks = " and ".join(repr(mark) for *_, mark in found[:2])
        raise SourceError(
            f"its delimiter can't be told: {marks} fit equally well", where=f"{file.path}:1", hint="set delimiter"
        )
    return Dialect(found[0][2], quote)


def _quote(sample: str) -> str:
    """`'` only where it stands around every name of the header: in text it is an apostrophe."""
    header = sample.lstrip("\r\n").splitlines()[:1]
    for mark in _DELIMITERS:
        names = header[0].split(mark) if header else []
        if names and all(len(name) > 1 and name[0] == name[-1] == "'" for name in names):
            return "'"
    return '"'


def _fit(sample: str, dialect: Dialect) -> tuple[float, int] | None:
    """Share of the rows that have as many cells as the header, and their number; None where the header is a single cell."""
    rows, bad = _rows(sample, dialect)
    if not rows or len(rows[0]) < 2:
        return None
    fitting = sum(len(row) == len(rows[0]) for row in rows)
    return fitting / (len(rows) + bad), len(rows[0])


def find_least_cells(file: Input, encoding: Encoding, dialect: Dialect) -> int | None:
    """How many cells a row must have, where the first rows show that leaving out cells at the end is a habit of the file.

    It is no habit if a single one has at most half of the cells: of a row that a stray line end broke in two, one part has.
    """
    rows, bad = _rows(_sample(file, encoding), dialect)
    width = len(rows[0]) if rows else 0
    least = width // 2 + 1
    short = sum(len(row) < width for row in rows)
    habit = short > max(MAX_BAD_LINES, MAX_BAD_SHARE * len(rows)) and not bad
    return least if habit and all(least <= len(row) <= width for row in rows) else None


def _sample(file: Input, encoding: Encoding) -> str:
    with open_text(file, encoding, newline="") as text:
        try:
            return text.read(_SAMPLE)
        except UnicodeError as error:
            raise refuse_undecodable(file, encoding) from error


def _rows(sample: str, dialect: Dialect) -> tuple[list[Sequence[str]], int]:
    """The whole rows of a sample that are not blank, and how many could not be read."""
    rows: list[Sequence[str]] = []
    bad = 0
    cut = len(sample) == _SAMPLE
    reader = dialect.reader(iter(io.StringIO(sample, newline="")))
    while True:
        try:
            rows.extend(row for row in reader if row)
            break
        except csv.Error as error:
            bad += not (cut and str(error) == "unexpected end of data")
    if cut and len(rows) > 1:
        rows.pop()  # the last one is not whole
    return rows, bad
