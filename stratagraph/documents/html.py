"""HTML to text: what a reader sees, with headings, lists, tables and code as Markdown; title and date if the page states them.

Nothing is fetched and nothing is executed. Where a page marks its content with one `<main>`, only that is the text. The parser
is libxml2's, whose time grows with the length of a page whatever is in it; that of Python's own grows with its square.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

from stratagraph.documents.formats import markdown
from stratagraph.documents.formats.content import Budget, clean
from stratagraph.documents.records import RefusedDocumentError

_DROPPED = frozenset((
    "audio", "canvas", "datalist", "dialog", "head", "iframe", "map", "nav", "noscript", "object", "script", "select", "style",
    "svg", "template", "textarea", "title", "video",
))  # fmt: skip
_PARAGRAPHS = frozenset((
    "address", "article", "aside", "blockquote", "dl", "fieldset", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "hr", "main", "ol", "p", "pre", "section", "table", "ul",
))  # fmt: skip
_LINES = frozenset(("br", "caption", "dd", "div", "dt", "figcaption", "li", "option", "tr"))
_CELLS = frozenset(("td", "th"))
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_LISTS = frozenset(("menu", "ol", "ul"))
# What no cell of a table of data holds; a table with such cells arranges a page, and is read cell by cell.
_NO_DATA = frozenset(("article", "form", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "pre", "section", "table", "ul"))
_DATE_NAMES = frozenset(("date", "dc.date", "dcterms.date", "article:published_time"))
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MAX_DEPTH = 8  # of indentation
_MAX_SPAN = 100
_MAX_CELLS = 1_000_000
_MAX_TAGS = 2_000_000

# Marks inside the running text. NUL cannot be in it: what comes from the page is cleaned of control characters.
_PARAGRAPH, _LINE, _CELL = "\x00p", "\x00l", "\x00c"
_INDENT, _NEWLINE, _SPACE = "\x00i", "\x00n", "\x00s"
_LABEL, _LABELLED = "\x00b", "\x00e"  # before the label of a heading or an item, and behind what it labels
_MARKS = re.compile("(?: *\x00[plc])+ *")
# Blocks in a heading or an item begin on its label's line; one with nothing in it is none.
_SPLIT = re.compile("(\x00b[^\x00]*(?:\x00i)*[^\x00 ]+ )(?: *\x00[plc])+ *(?=[^\x00 ])")
_BARE = re.compile("\x00b(?:\x00i)*[^\x00 ]+ (?=(?: *\x00[plc])* *(?:\x00[be]|$))")
_KEPT = {_INDENT: "  ", _NEWLINE: "\n", _SPACE: " "}


@dataclass(frozen=True, slots=True)
class Page:
    """Text of a page, its title, and the date it gives itself, unparsed."""

    text: str
    title: str | None
    date: str | None


def read_page(page: str) -> Page:
    """Read a page that is already decoded."""
    Budget(_MAX_TAGS, "tags").spend(page.count("<"))
    # Bytes, so that a declaration of another encoding in the page means nothing.
    data = clean(page).encode("utf-8")
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(data, parser) if data.strip() else None
    if any(error.level == etree.ErrorLevels.FATAL for error in parser.error_log):  # what follows it was not read
        raise RefusedDocumentError("too_complex", "elements within elements, more than 2,000 deep")
    if root is None:
        return Page("", None, None)
    mains = [main for _, main in zip(range(2), root.iter("main"), strict=False)]
    return Page(_text(mains[0] if len(mains) == 1 else root), _title(root), _date(root))


def _text(root: Any) -> str:
    running = re.sub(r"[ \t\n\r\f]+", " ", "".join(_Pieces().of(root)))
    labelled = _BARE.sub("", _SPLIT.sub(r"\1", running.lstrip(" ")))
    broken = _MARKS.sub(_break, re.sub("\x00[be]", "", labelled)).strip()
    return re.sub("\x00[ins]", lambda match: _KEPT[match.group()], broken).strip()


class _Pieces:
    """Strings and marks of a page in its order. With a stack, since real pages nest deeper than Python recurses."""

    def __init__(self) -> None:
        self._cells = Budget(_MAX_CELLS, "cells in tables")
        self._numbers: list[int] = []  # the next number of each list that is open

    def of(self, root: Any) -> Iterator[str]:
        stack: list[Any] = [root]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                if item is _LIST_END:
                    self._numbers.pop()
                else:
                    yield item
                continue
            if item.tail and item is not root:
                stack.append(clean(item.tail))
            if not isinstance(item.tag, str) or item.tag in _DROPPED or _is_hidden(item):
                continue
            if item.tag == "pre":
                yield _code(item)
            elif item.tag == "table" and (rows := self._data_rows(item)):
                yield _table(item, rows)
            else:
                before, after = self._marks(item)
                stack.extend(reversed(after))
                stack.extend(reversed(item))
                if item.text:
                    stack.append(clean(item.text))
                yield before

    def _marks(self, item: Any) -> tuple[str, list[str]]:
        """What stands before and after an element's content."""
        tag = item.tag
        if tag in _LISTS:
            # A list in an item goes on in its line's next line; any other begins a paragraph.
            mark = _LINE if self._numbers else _PARAGRAPH
            start = item.get("start", "")
            self._numbers.append(int(start) if re.fullmatch(r"[0-9]{1,8}", start) else 1)
            return mark, [_LIST_END, mark]
        if tag == "li":
            return _LINE + _LABEL + self._label(item), [_LABELLED, _LINE]
        if tag in _HEADINGS:
            return _PARAGRAPH + _LABEL + _HEADINGS[tag], [_LABELLED, _PARAGRAPH]
        if tag in _PARAGRAPHS:
            return _PARAGRAPH, [_PARAGRAPH]
        if tag in _LINES:
            return _LINE, [_LINE]
        return (_CELL, []) if tag in _CELLS else ("", [])

    def _label(self, item: Any) -> str:
        indent = _INDENT * min(max(len(self._numbers) - 1, 0), _MAX_DEPTH)
        parent = item.getparent()
        if parent is None or parent.tag != "ol" or not self._numbers:
            return f"{indent}- "
        self._numbers[-1] += 1
        return f"{indent}{self._numbers[-1] - 1}. "

    def _data_rows(self, table: Any) -> list[list[str]]:
        """A table of data by rows; nothing for one that only arranges what is in it."""
        rows: list[list[_Cell]] = []
        stack: list[Any] = list(reversed(table))
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                if rows and rows[-1]:
                    rows[-1][-1].pieces.append(item)
                continue
            if item.tail:
                stack.append(item.tail)
            if item.tag in _NO_DATA:
                return []
            if not isinstance(item.tag, str) or item.tag in _DROPPED or item.tag == "caption" or _is_hidden(item):
                continue
            if item.tag == "tr":
                rows.append([])
            elif item.tag in _CELLS and rows:
                rows[-1].append(_Cell([], _span(item.get("colspan")), _span(item.get("rowspan"))))
            stack.append(" " if item.tag in _LINES or item.tag in _PARAGRAPHS else "")
            stack.extend(reversed(item))
            if item.text:
                stack.append(item.text)
        rows = [row for row in rows if row]
        return self._grid(rows) if len(rows) > 1 and max(map(len, rows)) > 1 else []

    def _grid(self, rows: list[list[_Cell]]) -> list[list[str]]:
        """Texts by row and column. A cell over several rows or columns stands in each; one that is alone in its row, once."""
        grid: list[list[str]] = []
        open_cells: dict[int, tuple[int, str]] = {}
        for row in rows:
            line: list[str] = []
            for cell in row:
                self._above(line, open_cells)
                text = markdown.one_line(clean("".join(cell.pieces)))
                columns = cell.columns if len(row) > 1 else 1
                self._cells.spend(columns)
                for column in range(len(line), len(line) + columns):
                    if cell.rows > 1:
                        open_cells[column] = (cell.rows - 1, text)
                line += [text] * columns
            self._above(line, open_cells)
            grid.append(line)
        return grid

    def _above(self, line: list[str], open_cells: dict[int, tuple[int, str]]) -> None:
        """Cells that go on from above, up to the next column that is free."""
        while (found := open_cells.pop(len(line), None)) is not None:
            self._cells.spend()
            left, text = found
            if left > 1:
                open_cells[len(line)] = (left - 1, text)
            line.append(text)


@dataclass(slots=True)
class _Cell:
    pieces: list[str]
    columns: int
    rows: int


_LIST_END = str(object())  # one that no page can hold: it is compared by identity


def _is_hidden(element: Any) -> bool:
    style = element.get("style")
    return element.get("hidden") is not None or (style is not None and _HIDDEN.search(style) is not None)


def _break(match: re.Match[str]) -> str:
    marks = match.group()
    if _PARAGRAPH in marks:
        return "\n\n"
    return "\n" if _LINE in marks else " | "


def _code(element: Any) -> str:
    """Preformatted text in a fence, its line ends and spaces kept."""
    code = clean("".join(element.itertext())).strip("\n")
    if not code.strip():
        return _PARAGRAPH
    fence = "~~~" if "```" in code else "```"
    kept = "\n".join((fence, code, fence)).replace("\t", "    ").replace(" ", _SPACE).replace("\n", _NEWLINE)
    return _PARAGRAPH + kept + _PARAGRAPH


def _table(element: Any, rows: list[list[str]]) -> str:
    caption = next(element.iterchildren("caption"), None)
    title = markdown.one_line(clean("".join(caption.itertext()))) if caption is not None else ""
    kept = markdown.table(rows).replace("\n", _NEWLINE)
    return _PARAGRAPH + (title + _PARAGRAPH if title else "") + kept + _PARAGRAPH


def _span(value: str | None) -> int:
    return max(1, min(int(value), _MAX_SPAN)) if value and re.fullmatch(r"[0-9]{1,8}", value) else 1


def _title(root: Any) -> str | None:
    for name in ("title", "h1"):
        element = next(root.iter(name), None)
        text = markdown.one_line(clean(" ".join(element.itertext()))) if element is not None else ""
        if text:
            return text
    return None


def _date(root: Any) -> str | None:
    """A `<meta>` date, or a `<time>` that is marked as the date of publication. Other times are what the page speaks of."""
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        if name in _DATE_NAMES and meta.get("content"):
            return str(meta.get("content"))
    for time in root.iter("time"):
        if time.get("datetime") and (time.get("pubdate") is not None or time.get("itemprop") == "datePublished"):
            return str(time.get("datetime"))
    return None
