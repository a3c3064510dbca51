"""Workbooks: each sheet a heading, its filled areas as tables of the values that a reader sees.

Rows are streamed. Formulas are not computed: what the program that wrote the file had computed last is read. Hidden sheets
are left out. Areas apart from each other (by empty rows, or by an empty column) are tables of their own; a line of one cell
above a table is its title. What a merged cell says stands in each row and column it covers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

from openpyxl import load_workbook
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet._read_only import ReadOnlyWorksheet

from stratagraph.documents.formats import markdown
from stratagraph.documents.formats.archive import open_archive
from stratagraph.documents.formats.content import Budget, Content, characters, clean, usable_title

MAX_CELLS = 1_000_000
_MAX_ROWS = 1_048_576
_STREAMED = ("xl/worksheets/", "xl/sharedStrings")

_MERGE = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]{0,200}?ref=[\"']([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})[\"']")
_MAX_MERGES = 100_000
_CHUNK = 1 << 20

Row = dict[int, str]


class _Merges:
    """Merged cells of a sheet, by the row they begin in: first column, last column, last row (from 0)."""

    def __init__(self, sheet: Any) -> None:
        self._starting: dict[int, list[tuple[int, int, int]]] = {}
        self._open: list[tuple[int, int, int, str]] = []
        found = Budget(_MAX_MERGES, "merged cells")
        with sheet._get_source() as stream:
            tail = b""
            while block := stream.read(_CHUNK):
                window = tail + block
                end = 0
                for match in _MERGE.finditer(window):
                    found.spend()
                    left, top, right, bottom = range_boundaries(match[1].decode())
                    self._starting.setdefault(top - 1, []).append((left - 1, right - 1, bottom - 1))
                    end = match.end()
                tail = window[max(end, len(window) - 300) :]

    def fill(self, position: int, row: Row, cells: Budget) -> None:
        """Write into a row what merged cells say in it; a row of nothing but one is a title, and stays one cell."""
        self._open = [merge for merge in self._open if merge[2] >= position]
        above = list(self._open)
        for left, right, bottom in self._starting.pop(position, ()):
            if left in row:
                self._open.append((left, right, bottom, row[left]))
        if not row:  # nothing but what goes on from above
            return
        for left, _, _, text in above:
            row.setdefault(left, text)
        for left, right, _, text in self._open:
            if any(column < left or column > right for column in row):
                cells.spend(right - left)
                row |= dict.fromkeys(range(left, right + 1), text)


def read_xlsx(data: bytes) -> Content:
    """Read a workbook; damage shows as whatever the library raises."""
    with open_archive(data, _STREAMED):
        workbook = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
    budget, cells, rows = characters(), Budget(MAX_CELLS, "cells"), Budget(_MAX_ROWS, "rows")
    parts: list[str] = []
    try:
        for sheet in workbook.worksheets:
            if sheet.sheet_state == "visible" and isinstance(sheet, ReadOnlyWorksheet):
                parts += _sheet(sheet, budget, cells, rows)
    finally:
        workbook.close()
    properties = workbook.properties
    noted = tuple(moment.isoformat() for moment in (properties.modified, properties.created) if moment is not None)
    return Content(markdown.blocks(parts), usable_title(properties.title), noted=noted)


def _sheet(sheet: Any, characters: Budget, cells: Budget, rows: Budget) -> list[str]:
    parts: list[str] = []
    sheet.reset_dimensions()  # what the file says of its size may be a lie
    for area in _areas(_rows(sheet, characters, cells, rows)):
        for table in _tables(area):
            parts += _titled(table)
    parts = [part for part in parts if part]
    return [markdown.heading(2, clean(sheet.title)), *parts] if parts else []


def _rows(sheet: Any, characters: Budget, cells: Budget, rows: Budget) -> Iterator[Row]:
    """Filled cells of each row by column; an empty row is empty."""
    merges = _Merges(sheet)
    for position, row in enumerate(sheet.iter_rows()):
        rows.spend()
        cells.spend(len(row))
        filled = {}
        for column, cell in enumerate(row):
            if cell.value is not None and (text := clean(_shown(cell.value, cell.number_format)).strip()):
                filled[column] = text
                characters.spend(len(text))
        merges.fill(position, filled, cells)
        yield filled


def _areas(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Rows between empty rows."""
    area: list[Row] = []
    for row in rows:
        if row:
            area.append(row)
        elif area:
            yield area
            area = []
    if area:
        yield area


def _tables(area: list[Row]) -> Iterator[list[list[str]]]:
    """The columns of an area that stand together."""
    used = sorted({column for row in area for column in row})
    start = 0
    for position in range(1, len(used) + 1):
        if position == len(used) or used[position] != used[position - 1] + 1:
            columns = used[start:position]
            yield [[row.get(column, "") for column in columns] for row in area]
            start = position


def _titled(table: list[list[str]]) -> Iterator[str]:
    """A table, its first lines of one cell before it."""
    first = next((position for position, row in enumerate(table) if sum(map(bool, row)) > 1), 0)
    yield from ("".join(row) for row in table[:first])
    yield markdown.table(table[first:])


def _shown(value: object, number_format: str) -> str:
    """A value as it is read: numbers without noise, percentages as such, dates in ISO 8601."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            if "%" in number_format:
                return f"{value * 100:.10g}%"
            return str(value) if isinstance(value, int) else f"{value:.15g}"
        case datetime():
            midnight = (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0)
            return value.date().isoformat() if midnight else value.isoformat(" ", "seconds")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case _:
            return str(value)
