"""HTML to text: what a reader sees, with headings, lists, tables and code as Markdown; title and date if the page states them.

Nothing is fetched and nothing is executed. Where a page marks its content with one `<main>`, only that is the text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from bs4 import BeautifulSoup
from bs4.element import PageElement, PreformattedString, Tag

_DROPPED = frozenset((
    "audio", "canvas", "datalist", "dialog", "head", "iframe", "map", "nav", "noscript", "object", "script", "select", "style",
    "svg", "template", "video",
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
_NO_DATA = ["table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "article", "section", "pre", "form"]
_DATE_NAMES = frozenset(("date", "dc.date", "dcterms.date", "article:published_time"))
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MAX_DEPTH = 8  # of indentation
_MAX_SPAN = 100

# Marks inside the running text. NUL cannot be in it: a file with one is refused, and the parser replaces `&#0;`.
_PARAGRAPH, _LINE, _CELL = "\x00p", "\x00l", "\x00c"
_INDENT, _NEWLINE, _SPACE = "\x00i", "\x00n", "\x00s"
_MARKS = re.compile("(?: *\x00[plc])+ *")
# A heading or an item with nothing in it is none.
_BARE = re.compile("(?:#{1,6}|(?:\x00i)*(?:-|\\d{1,9}\\.)) *(?=\x00[pl]|$)")
_KEPT = {_INDENT: "  ", _NEWLINE: "\n", _SPACE: " "}


@dataclass(frozen=True, slots=True)
class Page:
    """Text of a page, its title, and the date it gives itself, unparsed."""

    text: str
    title: str | None
    date: str | None


def read_page(markup: str) -> Page:
    """Read a page that is already decoded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # bs4 warns of pages that look like XML, paths or addresses; they are read all the same
        soup = BeautifulSoup(markup, "html.parser")
    mains = soup.find_all("main")
    root = mains[0] if len(mains) == 1 else soup
    return Page(_text(root), _title(soup), _date(soup))


def _text(root: Tag) -> str:
    running = re.sub(r"[ \t\n\r\f]+", " ", "".join(_pieces(root)))
    running = re.sub(r"^ +", "", running)
    broken = _MARKS.sub(_break, _BARE.sub("", running)).strip()
    return re.sub("\x00[ins]", lambda match: _KEPT[match.group()], broken).strip()


def _pieces(root: Tag) -> Iterator[str]:
    """Strings and marks in order of the page; with a stack, since real pages nest deeper than Python recurses."""
    stack: list[PageElement | str] = [root]
    depth = 0  # of lists
    counters: list[int] = []
    while stack:
        item = stack.pop()
        if isinstance(item, _Ended):
            depth -= 1
            counters.pop()
        elif isinstance(item, Tag):
            if item.name in _DROPPED or _is_hidden(item):
                continue
            if item.name == "pre":
                yield _code(item)
                continue
            if item.name == "table" and (rows := _data_rows(item)):
                yield _PARAGRAPH + _table(item, rows) + _PARAGRAPH
                continue
            before, after = _marks(item.name)
            if item.name in _HEADINGS:
                before += _HEADINGS[item.name]
            elif item.name == "li":
                before += _INDENT * min(max(depth - 1, 0), _MAX_DEPTH) + _label(item, counters)
            stack.append(after)
            if item.name in _LISTS:
                # A list in an item goes on in its line's next line; any other begins a paragraph.
                stack[-1] = _LINE if depth else _PARAGRAPH
                before = _LINE if depth else _PARAGRAPH
                depth += 1
                counters.append(_start(item))
                stack.append(_Ended())
            stack.extend(reversed(item.contents))
            stack.append(before)
        elif isinstance(item, str) and not isinstance(item, PreformattedString):  # comments, doctypes and the like
            yield str(item)


class _Ended(str):
    """Stands on the stack where a list ends."""

    __slots__ = ()


def _is_hidden(tag: Tag) -> bool:
    style = tag.get("style")
    return tag.has_attr("hidden") or (isinstance(style, str) and _HIDDEN.search(style) is not None)


def _marks(name: str) -> tuple[str, str]:
    if name in _PARAGRAPHS:
        return _PARAGRAPH, _PARAGRAPH
    if name in _LINES:
        return _LINE, _LINE
    return (_CELL, "") if name in _CELLS else ("", "")


def _break(match: re.Match[str]) -> str:
    marks = match.group()
    if _PARAGRAPH in marks:
        return "\n\n"
    return "\n" if _LINE in marks else " | "


def _label(item: Tag, counters: list[int]) -> str:
    parent = item.parent
    if parent is None or parent.name != "ol" or not counters:
        return "- "
    counters[-1] += 1
    return f"{counters[-1] - 1}. "


def _start(tag: Tag) -> int:
    start = str(tag.get("start") or "")
    return int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1


def _code(tag: Tag) -> str:
    """Preformatted text in a fence, its line ends and spaces kept."""
    code = tag.get_text().replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not code.strip():
        return _PARAGRAPH
    fence = "~~~" if "```" in code else "```"
    kept = "\n".join((fence, code, fence)).replace("\t", "    ").replace(" ", _SPACE).replace("\n", _NEWLINE)
    return _PARAGRAPH + kept + _PARAGRAPH


def _data_rows(table: Tag) -> list[list[Tag]]:
    """The cells of a table of data by row; nothing for a table that only arranges what is in it."""
    if table.find(_NO_DATA) is not None:
        return []
    rows = [list(row.find_all(["td", "th"])) for row in table.find_all("tr")]
    rows = [row for row in rows if row]
    return rows if len(rows) > 1 and max(map(len, rows)) > 1 else []


def _table(table: Tag, rows: list[list[Tag]]) -> str:
    caption = table.find("caption")
    title = " ".join(caption.get_text(" ").split()) if isinstance(caption, Tag) else ""
    cells = [_spread(row) for row in rows]
    width = max(map(len, cells))
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in cells if any(row)]
    if lines:
        lines.insert(1, f"|{' --- |' * width}")
    return (title + _PARAGRAPH if title else "") + _NEWLINE.join(lines)


def _spread(row: list[Tag]) -> list[str]:
    """Texts of a row; what spans columns stands in the first of them."""
    texts: list[str] = []
    for cell in row:
        text = re.sub("\x00.|\\s", " ", "".join(_pieces(cell)))
        span = str(cell.get("colspan") or "1")
        columns = min(int(span), _MAX_SPAN) if span.isascii() and span.isdigit() and len(span) < 9 else 1
        texts += [" ".join(text.split()).replace("|", "\\|")] + [""] * (max(columns, 1) - 1)
    while len(texts) > 1 and not texts[-1]:
        texts.pop()
    return texts


def _title(soup: BeautifulSoup) -> str | None:
    for name in ("title", "h1"):
        tag = soup.find(name)
        text = " ".join(tag.get_text(" ").split()) if isinstance(tag, Tag) else ""
        if text:
            return text
    return None


def _date(soup: BeautifulSoup) -> str | None:
    """A `<meta>` date, or a `<time>` that is marked as the date of publication. Other times are what the page speaks of."""
    for meta in soup.find_all("meta"):
        name = str(meta.get("name") or meta.get("property") or "").lower()
        if name in _DATE_NAMES and meta.get("content"):
            return str(meta["content"])
    for time in soup.find_all("time", attrs={"datetime": True}):
        if time.has_attr("pubdate") or time.get("itemprop") == "datePublished":
            return str(time["datetime"])
    return None
