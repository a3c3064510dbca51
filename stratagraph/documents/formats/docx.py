"""Word documents: paragraphs, headings, lists with their numbers, tables, text boxes, foot- and endnotes, in reading order.

What a reader of the accepted text sees: deleted and hidden text, comments, field codes, page headers and footers are left out.
python-docx opens the package and knows its parts; the walk over the body is ours, since it passes over boxes, notes,
content controls and insertions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from lxml import etree

from stratagraph.documents.formats import markdown
from stratagraph.documents.formats.archive import open_archive
from stratagraph.documents.formats.content import Budget, Content, characters, clean, usable_title

_MAX_SPAN = 100
_MAX_CELLS = 1_000_000

_P, _TBL, _TR, _TC = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc")
_BOX = qn("w:txbxContent")
_ALTERNATE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_DROPPED = frozenset(
    map(qn, ("w:del", "w:moveFrom", "w:instrText", "w:delText", "w:rPr", "w:pPr", "w:sdtPr", "w:tblPr", "w:sectPr"))
)
_CHARACTERS = {
    qn("w:tab"): " ", qn("w:ptab"): " ", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-",
}  # fmt: skip
_NOTES = {qn("w:footnoteReference"): "", qn("w:endnoteReference"): "e"}
_LEVELS = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"),
    (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def read_docx(data: bytes) -> Content:
    """Read a document; damage shows as whatever the library raises."""
    with open_archive(data):
        document = docx.Document(BytesIO(data))
    walk = _Walk(_Styles(document.styles.element), _Numbering(document.part))
    parts = list(walk.blocks(document.element.body))
    parts += walk.notes(document.part, RELATIONSHIP_TYPE.FOOTNOTES, "w:footnote", "")
    parts += walk.notes(document.part, RELATIONSHIP_TYPE.ENDNOTES, "w:endnote", "e")
    properties = document.core_properties
    title = usable_title(properties.title) or usable_title(walk.title)
    noted = tuple(time.isoformat() for time in (properties.modified, properties.created) if time is not None)
    return Content(markdown.blocks(parts), title, noted=noted)


@dataclass(slots=True)
class _Style:
    """What a paragraph style says, or takes over from the one it is based on."""

    based_on: str | None = None
    level: int | None = None
    is_title: bool = False
    numbering: str | None = None
    depth: int | None = None


class _Styles:
    """Paragraph styles by id: heading levels and numbering, taken over along the chain."""

    def __init__(self, root: Any) -> None:
        self._styles: dict[str, _Style] = {}
        for element in root.iterchildren(qn("w:style")):
            name = _value(element, "w:name").lower()
            style = _Style(based_on=_value(element, "w:basedOn") or None, is_title=name == "title")
            outline = _value(element, "w:pPr/w:outlineLvl")
            if re.fullmatch(r"heading [1-9]", name):
                style.level = int(name[-1])
            elif outline.isdigit() and int(outline) < 9:
                style.level = int(outline) + 1
            style.numbering = _value(element, "w:pPr/w:numPr/w:numId") or None
            depth = _value(element, "w:pPr/w:numPr/w:ilvl")
            style.depth = int(depth) if depth.isdigit() else None
            self._styles[element.get(qn("w:styleId"), "")] = style

    def resolve(self, identifier: str) -> _Style:
        """The style with what it takes over; a circle of styles ends where it closes."""
        found = _Style()
        seen: set[str] = set()
        following: str | None = identifier
        while following and following not in seen and following in self._styles:
            seen.add(following)
            style = self._styles[following]
            found.level = style.level if found.level is None else found.level
            found.is_title = found.is_title or style.is_title
            found.numbering = style.numbering if found.numbering is None else found.numbering
            found.depth = style.depth if found.depth is None else found.depth
            following = style.based_on
        return found


class _Numbering:
    """Labels of numbered paragraphs, counted as Word does: an item restarts what is numbered below it."""

    def __init__(self, part: Any) -> None:
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        self._abstract: dict[str, str] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._counts: dict[str, dict[int, int]] = {}  # by abstract list: two lists of one kind go on, unless one restarts
        root = _related(part, RELATIONSHIP_TYPE.NUMBERING)
        if root is None:
            return
        for element in root.iterchildren(qn("w:abstractNum")):
            levels = {}
            for level in element.iterchildren(qn("w:lvl")):
                start = _value(level, "w:start")
                depth = level.get(qn("w:ilvl"), "0")
                if depth.isdigit():
                    kind = (_value(level, "w:numFmt"), _value(level, "w:lvlText"), int(start) if start.isdigit() else 1)
                    levels[int(depth)] = kind
            self._levels[element.get(qn("w:abstractNumId"), "")] = levels
        for element in root.iterchildren(qn("w:num")):
            number = element.get(qn("w:numId"), "")
            self._abstract[number] = _value(element, "w:abstractNumId")
            for override in element.iterchildren(qn("w:lvlOverride")):
                start, depth = _value(override, "w:startOverride"), override.get(qn("w:ilvl"), "")
                if start.isdigit() and depth.isdigit():
                    self._restarts.setdefault(number, {})[int(depth)] = int(start)

    def label(self, number: str, depth: int) -> str | None:
        """The next label of a list at a depth, "-" for a bullet; None if the list is not declared."""
        abstract = self._abstract.get(number)
        levels = self._levels.get(abstract or "", {})
        if depth not in levels:
            return None
        style, pattern, start = levels[depth]
        if style in ("bullet", "none", ""):
            return "-" if style == "bullet" else ""
        counts = self._counts.setdefault(abstract or "", {})
        for level, first in self._restarts.pop(number, {}).items():
            counts[level] = first - 1
        counts[depth] = counts.get(depth, start - 1) + 1
        for deeper in [level for level in counts if level > depth]:
            del counts[deeper]

        def written(match: re.Match[str]) -> str:
            level = int(match[1]) - 1
            kind, _, first = levels.get(level, ("decimal", "", 1))
            return _number(counts.get(level, first), kind if level == depth or kind != "bullet" else "decimal")

        return markdown.one_line(_LEVELS.sub(written, pattern))[:40]


@dataclass(slots=True)
class _Walk:
    """Goes through the body; remembers the first title it meets."""

    styles: _Styles
    numbering: _Numbering
    title: str | None = None
    characters: Budget = field(default_factory=characters)
    cells: Budget = field(default_factory=lambda: Budget(_MAX_CELLS, "cells in tables"))

    def blocks(self, parent: Any) -> Iterator[str]:
        """Paragraphs and tables below an element, whatever wraps them."""
        for child in parent.iterchildren():
            if child.tag == _P:
                yield from self._paragraph(child)
            elif child.tag == _TBL:
                yield from self._table(child)
            elif child.tag == _ALTERNATE:
                yield from self.blocks(_chosen(child))
            elif isinstance(child.tag, str) and child.tag not in _DROPPED:
                yield from self.blocks(child)

    def notes(self, part: Any, relationship: str, tag: str, prefix: str) -> Iterator[str]:
        """Foot- or endnotes, each under the label its reference has in the text."""
        root = _related(part, relationship)
        for note in root.iterchildren(qn(tag)) if root is not None else ():
            if note.get(qn("w:type")) in (None, "normal"):
                text = markdown.one_line(" ".join(self.blocks(note)))
                if text:
                    yield f"[^{prefix}{note.get(qn('w:id'))}]: {text}"

    def _paragraph(self, paragraph: Any) -> Iterator[str]:
        boxes: list[Any] = []
        text = clean("".join(_pieces(paragraph, boxes))).strip()
        self.characters.spend(len(text))
        if text:
            yield self._styled(paragraph, text)
        for box in boxes:
            yield from self.blocks(box)

    def _styled(self, paragraph: Any, text: str) -> str:
        style = self.styles.resolve(_value(paragraph, "w:pPr/w:pStyle") or "Normal")
        outline = _value(paragraph, "w:pPr/w:outlineLvl")
        level = int(outline) + 1 if outline.isdigit() and int(outline) < 9 else style.level
        number = _value(paragraph, "w:pPr/w:numPr/w:numId") or style.numbering
        depth_text = _value(paragraph, "w:pPr/w:numPr/w:ilvl")
        depth = int(depth_text) if depth_text.isdigit() else style.depth or 0
        label = self.numbering.label(number, depth) if number and number != "0" else None
        if style.is_title or level:
            numbered = f"{label} {text}" if label and label != "-" else text
            self.title = self.title or markdown.one_line(text)
            return markdown.heading(level or 1, numbered)
        return markdown.list_item(depth, label, text) if label else text

    def _table(self, table: Any) -> Iterator[str]:
        elements = [list(_descendants(row, _TC, (_TBL,))) for row in _descendants(table, _TR, (_TBL,))]
        if len(elements) == 1 and len(elements[0]) == 1:  # a frame around text
            yield from self.blocks(elements[0][0])
            return
        rows = [self._row(cells) for cells in elements]
        columns: dict[int, str] = {}  # what each column of the row above holds, for cells merged downwards
        texts: list[list[str]] = []
        for row in rows:
            line: list[str] = []
            for cell, span, continued in row:
                position = len(line)
                content = columns.get(position, "") if continued else cell
                line += [content] * span
                columns |= dict.fromkeys(range(position, position + span), content)
            texts.append(line)
        yield markdown.table(texts)

    def _row(self, cells: list[Any]) -> list[tuple[str, int, bool]]:
        """Text, width and whether it goes on from above, of each cell."""
        found = []
        for cell in cells:
            span = _value(cell, "w:tcPr/w:gridSpan")
            merge = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
            width = max(1, min(int(span), _MAX_SPAN)) if span.isdigit() else 1
            self.cells.spend(width)
            continued = merge is not None and merge.get(qn("w:val"), "continue") == "continue"
            found.append((markdown.one_line(" ".join(self.blocks(cell))), width, continued))
        return found


def _pieces(paragraph: Any, boxes: list[Any]) -> Iterator[str]:
    """Strings of a paragraph; text boxes anchored in it are handed back, since they stand beside it."""
    stack = list(reversed(paragraph))
    while stack:
        element = stack.pop()
        tag = element.tag
        if tag in (qn("w:t"), _MATH_TEXT):
            yield element.text or ""
        elif tag in _CHARACTERS:
            yield _CHARACTERS[tag] if element.get(qn("w:type")) not in ("page", "column") else " "
        elif tag in _NOTES:
            yield f"[^{_NOTES[tag]}{element.get(qn('w:id'))}]"
        elif tag == _BOX:
            boxes.append(element)
        elif tag == _ALTERNATE:
            stack.extend(reversed(_chosen(element)))
        elif isinstance(tag, str) and tag not in _DROPPED and not (tag == qn("w:r") and _is_hidden(element)):
            stack.extend(reversed(element))


def _is_hidden(run: Any) -> bool:
    vanish = run.find(f"{qn('w:rPr')}/{qn('w:vanish')}")
    return vanish is not None and vanish.get(qn("w:val"), "true") not in ("0", "false", "off")


def _chosen(alternate: Any) -> Any:
    """One of the alternatives for the same content: the first, as new programs do."""
    return alternate[0] if len(alternate) else alternate


def _descendants(root: Any, tag: str, inner: tuple[str, ...]) -> Iterator[Any]:
    """Elements of a tag below another, through wrappers, but not within a nested table or another of its kind."""
    stack = list(reversed(root))
    while stack:
        element = stack.pop()
        if element.tag == tag:
            yield element
        elif element.tag not in inner and element.tag not in _DROPPED:
            stack.extend(reversed(element))


def _value(element: Any, path: str) -> str:
    """The attribute `w:val` of the element at a path, "" if there is none."""
    found = element.find("/".join(map(qn, path.split("/"))))
    return str(found.get(qn("w:val"), "")) if found is not None else ""


def _related(part: Any, relationship: str) -> Any:
    """The root of a related part, None if there is none."""
    for relation in part.rels.values():
        if relation.reltype == relationship and not relation.is_external:
            target = relation.target_part
            parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
            return etree.fromstring(target.blob, parser)
    return None


def _number(value: int, kind: str) -> str:
    """A number as its list writes it."""
    if kind in ("lowerLetter", "upperLetter") and 0 < value <= 26 * 30:
        letters = chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)
        return letters.upper() if kind == "upperLetter" else letters
    if kind in ("lowerRoman", "upperRoman") and 0 < value < 4000:
        roman = ""
        for size, sign in _ROMAN:
            roman += sign * (value // size)
            value %= size
        return roman.upper() if kind == "upperRoman" else roman
    return f"{value:02d}" if kind == "decimalZero" else str(value)
