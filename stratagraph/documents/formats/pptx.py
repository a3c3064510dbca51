"""Presentations: slides in order, each with its title, texts, lists, tables, charts' numbers and notes.

Shapes are read from top to bottom, those beside each other from left to right: their order in the file is the order they were
drawn in. Hidden slides, and the date, footer and number that every slide repeats, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.oxml.ns import qn

from stratagraph.documents.formats import markdown
from stratagraph.documents.formats.archive import open_archive
from stratagraph.documents.formats.content import Budget, Content, characters, clean, usable_title

_MAX_CELLS = 1_000_000
_BANDS = 20  # of a slide's height; what begins in the same one stands side by side
_REPEATED = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.HEADER)
_TITLES = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE)
_BODIES = (PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY, PP_PLACEHOLDER.VERTICAL_OBJECT)
_BULLETS = frozenset(map(qn, ("a:buNone", "a:buChar", "a:buAutoNum", "a:buBlip")))
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"


def read_pptx(data: bytes) -> Content:
    """Read a presentation; damage shows as whatever the library raises."""
    with open_archive(data):
        presentation = Presentation(BytesIO(data))
    reader = _Reader(presentation.slide_height or 0)
    parts: list[str] = []
    for slide in presentation.slides:
        if slide.element.get("show") not in ("0", "false"):
            parts += reader.slide(slide)
    properties = presentation.core_properties
    title = usable_title(properties.title) or usable_title(reader.title)
    noted = tuple(time.isoformat() for time in (properties.modified, properties.created) if time is not None)
    return Content(markdown.blocks(parts), title, noted=noted)


class _Reader:
    """Goes through slides; remembers the first title it meets."""

    def __init__(self, height: int) -> None:
        self._band = max(1, height // _BANDS)
        self.title: str | None = None
        self._characters = characters()
        self._cells = Budget(_MAX_CELLS, "cells in tables")

    def slide(self, slide: Any) -> Iterator[str]:
        shapes = list(_flat(slide.shapes, self._band))
        titles = [shape for shape in shapes if _kind(shape) in _TITLES and shape.text_frame.text.strip()]
        for shape in titles[:1]:
            text = markdown.one_line(self._clean(shape.text_frame.text))
            self.title = self.title or text
            yield markdown.heading(1, text)
        for shape in shapes:
            if shape not in titles[:1] and _kind(shape) not in _REPEATED:
                yield from self._shape(shape, slide)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = self._clean(slide.notes_slide.notes_text_frame.text).strip()
            if notes:
                yield f"Notes: {notes}"

    def _shape(self, shape: Any, slide: Any) -> Iterator[str]:
        if getattr(shape, "has_table", False):
            yield markdown.table(self._rows(shape.table))
        elif getattr(shape, "has_chart", False):
            yield from self._chart(shape.chart)
        elif shape.has_text_frame:
            yield from self._paragraphs(shape)
        else:
            yield from self._diagram(shape, slide)

    def _paragraphs(self, shape: Any) -> Iterator[str]:
        counts: dict[int, int] = {}
        for paragraph in shape.text_frame.paragraphs:
            text = self._clean(paragraph.text).strip()
            if not text:
                continue
            level = min(int(paragraph.level or 0), 8)
            counts = {depth: count for depth, count in counts.items() if depth <= level}
            bullet = _bullet(shape, paragraph, level)
            if bullet is None or bullet.tag == qn("a:buNone"):
                counts.clear()
                yield text
            elif bullet.tag == qn("a:buAutoNum"):
                start = bullet.get("startAt", "1")
                counts[level] = counts.get(level, (int(start) if start.isdigit() else 1) - 1) + 1
                yield markdown.list_item(level, f"{counts[level]}.", text)
            else:
                yield markdown.list_item(level, "-", text)

    def _rows(self, table: Any) -> Iterator[list[str]]:
        """Texts of a table; a merged cell stands in each place it covers."""
        texts: dict[tuple[int, int], str] = {}
        for position, row in enumerate(table.rows):
            line = []
            for column, cell in enumerate(row.cells):
                self._cells.spend()
                if cell.is_merge_origin:
                    self._cells.spend(cell.span_height * cell.span_width)
                    covered = self._clean(cell.text)
                    for down in range(cell.span_height):
                        for across in range(cell.span_width):
                            texts[position + down, column + across] = covered
                line.append(texts.get((position, column), "") if cell.is_spanned else self._clean(cell.text))
            yield line

    def _chart(self, chart: Any) -> Iterator[str]:
        """What a chart shows: its title, and its numbers as a table."""
        if chart.has_title and chart.chart_title.has_text_frame:
            yield markdown.one_line(self._clean(chart.chart_title.text_frame.text))
        for plot in chart.plots:
            series = list(plot.series)
            categories = [self._clean(str(category)) for category in plot.categories]
            rows = [["", *(self._clean(one.name or "") for one in series)]]
            values = [list(one.values) for one in series]
            for position, category in enumerate(categories):
                self._cells.spend(len(values) + 1)
                cells = (column[position] if position < len(column) else None for column in values)
                rows.append([category, *("" if cell is None else f"{cell:.15g}" for cell in cells)])
            yield markdown.table(rows)

    def _diagram(self, shape: Any, slide: Any) -> Iterator[str]:
        """The words of a SmartArt diagram, one an item."""
        for relation in shape.element.iter(_DIAGRAM):
            parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
            root = etree.fromstring(slide.part.related_part(relation.get(_DIAGRAM_DATA)).blob, parser)
            for paragraph in root.iter(qn("a:p")):
                text = markdown.one_line(self._clean("".join(part.text or "" for part in paragraph.iter(qn("a:t")))))
                if text:
                    yield markdown.list_item(0, "-", text)

    def _clean(self, text: str) -> str:
        self._characters.spend(len(text))
        return clean(text)


def _flat(shapes: Any, band: int) -> Iterator[Any]:
    """Shapes as they are read, those of a group together."""
    stack = _unread(shapes, band)
    while stack:
        shape = stack.pop()
        if shape.element.tag == qn("p:grpSp"):
            stack.extend(_unread(shape.shapes, band))
        else:
            yield shape


def _unread(shapes: Any, band: int) -> list[Any]:
    """The last to be read first."""
    return sorted(shapes, key=lambda shape: ((shape.top or 0) // band, shape.left or 0), reverse=True)


def _kind(shape: Any) -> Any:
    return shape.placeholder_format.type if shape.is_placeholder else None


def _bullet(shape: Any, paragraph: Any, level: int) -> Any:
    """The bullet of a paragraph: its own, else its shape's, else the layout's, else the master's for such a shape."""
    own = paragraph._p.find(qn("a:pPr"))
    if (found := _bullet_of(own)) is not None:
        return found
    tag = qn(f"a:lvl{level + 1}pPr")
    holders = [shape]
    while (
        holders[-1].is_placeholder
        and (base := getattr(holders[-1], "_base_placeholder", None)) is not None
        and len(holders) < 4
    ):
        holders.append(base)
    for holder in holders:
        style = holder.element.find(f"{qn('p:txBody')}/{qn('a:lstStyle')}/{tag}")
        if (found := _bullet_of(style)) is not None:
            return found
    if _kind(shape) not in _BODIES:
        return None
    master = shape.part.slide_layout.slide_master if hasattr(shape.part, "slide_layout") else None
    return _bullet_of(master.element.find(f"{qn('p:txStyles')}/{qn('p:bodyStyle')}/{tag}")) if master is not None else None


def _bullet_of(properties: Any) -> Any:
    """What paragraph properties say of the bullet, None if nothing."""
    return None if properties is None else next((child for child in properties if child.tag in _BULLETS), None)
