"""HTML to text: what a reader sees, with blocks on lines of their own; title and date if the page states them.

Nothing is fetched and nothing is executed. Where a page marks its content with one `<main>`, only that is the text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from bs4 import BeautifulSoup
from bs4.element import PageElement, PreformattedString, Tag

_DROPPED = frozenset(("head", "iframe", "nav", "noscript", "object", "script", "style", "svg", "template"))
_PARAGRAPHS = frozenset((
    "address", "article", "aside", "blockquote", "dl", "fieldset", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "hr", "main", "ol", "p", "pre", "section", "table", "ul",
))  # fmt: skip
_LINES = frozenset(("br", "caption", "dd", "div", "dt", "figcaption", "li", "option", "tr"))
_CELLS = frozenset(("td", "th"))
_DATE_NAMES = frozenset(("date", "dc.date", "dcterms.date", "article:published_time"))

# Marks inside the running text. NUL cannot be in it: a file with one is refused, and the parser replaces `&#0;`.
_PARAGRAPH, _LINE, _CELL = "\x00p", "\x00l", "\x00c"
_MARKS = re.compile("(?: *\x00[plc])+ *")


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
    running = re.sub(r"[ \t\n\r\f]+", " ", "".join(_pieces(root)))
    return Page(_MARKS.sub(_break, running).strip(), _title(soup), _date(soup))


def _pieces(root: Tag) -> Iterator[str]:
    """Strings and marks in order of the page; with a stack, since real pages nest deeper than Python recurses."""
    stack: list[PageElement | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, Tag):
            if item.name in _DROPPED:
                continue
            before, after = _marks(item.name)
            stack.append(after)
            stack.extend(reversed(item.contents))
            stack.append(before)
        elif isinstance(item, str) and not isinstance(item, PreformattedString):  # comments, doctypes and the like
            yield str(item)


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
