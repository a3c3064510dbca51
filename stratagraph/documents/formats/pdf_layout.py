"""From lines on pages to a text: columns, paragraphs, headings, lists, tables, broken words, and what every page repeats.

Pure geometry; where the lines come from is not known here. The order in which a page draws its lines is kept, since programs
draw them as they are read; only columns that are drawn across, line by line, are put one after the other. Pages begin with a
form feed, so that an offset has its page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from stratagraph.documents.formats import markdown

PAGE_BREAK = "\f"

_BULLETS = re.compile(r"^([•◦▪▫‣⁃∙●○■□➢➤►▶✓✔\uf0a7\uf0b7\uf0d8\uf076\uf0fc\uf02d])\s*(?=\S)")
_DASH = re.compile(r"^([-–—*·])\s+(?=\S)")
_NUMBER = re.compile(r"^(\d{1,3}[.)])\s+(?=\S)")
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？", "”", '"', "؟", "।")
_KEPT_PREFIXES = frozenset(
    ("all", "cross", "ex", "half", "high", "long", "low", "mid", "multi", "non", "self", "short", "so", "well")
)
_MARGIN_LINES = 2  # at the top, and at the bottom
_MARGIN_CHARACTERS = 200
_MARGIN_NUMBERS = 4
_SHORT_CELL = 30
_MAX_CELLS = 200  # of a line


class Box(NamedTuple):
    """A rectangle, in points from the lower left corner."""

    left: float
    bottom: float
    right: float
    top: float


class Segment(NamedTuple):
    """A piece of a line that wide gaps part from the others."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class Line:
    """A line: its pieces in order, the height of its letters, whether it begins bold."""

    segments: list[Segment]
    size: float
    bold: bool

    @property
    def text(self) -> str:
        return " ".join(segment.text for segment in self.segments)

    @property
    def left(self) -> float:
        return min(segment.box.left for segment in self.segments)

    @property
    def right(self) -> float:
        return max(segment.box.right for segment in self.segments)

    @property
    def bottom(self) -> float:
        return min(segment.box.bottom for segment in self.segments)

    @property
    def top(self) -> float:
        return max(segment.box.top for segment in self.segments)


@dataclass(slots=True)
class _Block:
    """Lines that belong together; `rows` if they are a table."""

    lines: list[Line]
    page: int
    rows: bool = False


@dataclass(slots=True)
class _Style:
    """What is ordinary in a document: the height of most letters, and the levels of larger ones."""

    size: float
    bold: bool
    levels: dict[float, int] = field(default_factory=dict)
    title: _Block | None = None


def render(pages: list[list[Line]]) -> tuple[str, str | None]:
    """The text of a document, and its first heading."""
    pages = [[line for line in page if line.segments] for page in pages]
    pages = _without_repeated([_merged(page) for page in pages])
    pages = [_in_columns(page) for page in pages]
    style = _style(pages)
    blocks = [block for number, page in enumerate(pages) for block in _blocks(page, number, style)]
    _set_levels(blocks, style)
    vocabulary = _vocabulary(pages)
    heading = next((markdown.one_line(_joined(block, vocabulary)) for block in blocks if _level(block, style)), None)
    return _assembled(blocks, style, vocabulary, len(pages)), heading


def _merged(page: list[Line]) -> list[Line]:
    """Consecutive lines that stand side by side are one: cells that were drawn one by one."""
    merged: list[Line] = []
    for line in page:
        last = merged[-1] if merged else None
        if last is not None and len(last.segments) < _MAX_CELLS and _goes_on_beside(last, line):
            merged[-1] = replace(last, segments=[*last.segments, *line.segments])
        else:
            merged.append(line)
    return merged


def _goes_on_beside(last: Line, line: Line) -> bool:
    return _same_row(last, line) and line.left > last.right and not _is_rtl_order(last)


def _is_rtl_order(line: Line) -> bool:
    return any(left.box.left > right.box.left for left, right in pairwise(line.segments))


def _same_row(one: Line, other: Line) -> bool:
    height = min(one.top - one.bottom, other.top - other.bottom)
    return min(one.top, other.top) - max(one.bottom, other.bottom) > 0.6 * height


def _without_repeated(pages: list[list[Line]]) -> list[list[Line]]:
    """Pages without the headers, footers and page numbers that others repeat; words stay where they stand first.

    What a page says beside them is never taken: it must have more lines than its margins.
    """
    margins = [_margins(page, number) for number, page in enumerate(pages)]
    counts = Counter(key for page in margins for key in {key for keys in page.values() for key in keys})
    wanted = max(3, len(pages) * 2 // 5)  # left and right pages may have one each
    seen: set[tuple[bool, str]] = set()
    kept = []
    for page, found in zip(pages, margins, strict=True):
        dropped = set()
        for position, keys in found.items():
            repeated = {key for key in keys if counts[key] >= wanted}
            if repeated & seen or (repeated and not re.search(r"[^\W\d_]{3}", page[position].text)):
                dropped.add(position)
            seen |= repeated
        kept.append([line for position, line in enumerate(page) if position not in dropped])
    return kept


def _margins(page: list[Line], number: int) -> dict[int, set[tuple[bool, str]]]:
    """What the lines nearest to the edges may repeat, by their position."""
    if len(page) <= 2 * _MARGIN_LINES:
        return {}
    ordered = sorted(range(len(page)), key=lambda position: (page[position].bottom, position))
    places = [(position, True) for position in ordered[-_MARGIN_LINES:]] + [
        (position, False) for position in ordered[:_MARGIN_LINES]
    ]
    return {position: {(top, pattern) for pattern in _patterns(page[position].text, number)} for position, top in places}


def _patterns(text: str, number: int) -> Iterator[str]:
    """The line as it is, and with each of its numbers as how far it is from the page's: page numbers are the same then."""
    if len(text) > _MARGIN_CHARACTERS:
        return
    yield text
    for match in list(re.finditer(r"\d{1,5}", text))[:_MARGIN_NUMBERS]:
        yield f"{text[: match.start()]}\0{int(match[0]) - number}\0{text[match.end() :]}"


def _in_columns(page: list[Line]) -> list[Line]:
    """The page with columns one after the other, where it draws their lines across."""
    gutter = _gutter(page)
    if gutter is None:
        return page
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in page:
        before = [segment for segment in line.segments if segment.box.right <= gutter]
        after = [segment for segment in line.segments if segment.box.left >= gutter]
        if len(before) + len(after) < len(line.segments):  # it goes across
            ordered += [*left, *right, line]
            left, right = [], []
            continue
        left += [replace(line, segments=before)] if before else []
        right += [replace(line, segments=after)] if after else []
    return [*ordered, *left, *right]


def _gutter(page: list[Line]) -> float | None:
    """Where most lines of a page part into two pieces that are as long as lines of a text; a table's cells are shorter."""
    parted = [
        (before, after)
        for line in page
        for before, after in pairwise(line.segments)
        if len(before.text) > _SHORT_CELL / 2 and len(after.text) > _SHORT_CELL / 2 and before.box.right < after.box.left
    ]
    if len(parted) < 6 or len(parted) * 2 < len(page):
        return None
    gutter = (max(before.box.right for before, _ in parted) + min(after.box.left for _, after in parted)) / 2
    across = sum(1 for before, after in parted if before.box.right <= gutter <= after.box.left)
    letters = sum(len(before.text) + len(after.text) for before, after in parted)
    return gutter if across == len(parted) and letters > 2 * _SHORT_CELL * len(parted) * 0.8 else None


def _style(pages: list[list[Line]]) -> _Style:
    sizes: Counter[float] = Counter()
    bold: Counter[bool] = Counter()
    for page in pages:
        for line in page:
            sizes[_rounded(line.size)] += len(line.text)
            bold[line.bold] += len(line.text)
    size = max(sizes, key=lambda size: (sizes[size], -size)) if sizes else 0.0
    return _Style(size, bold[True] > bold[False])


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _blocks(page: list[Line], number: int, style: _Style) -> Iterator[_Block]:
    """Paragraphs and tables of a page."""
    position = 0
    lines: list[Line] = []
    while position < len(page):
        end = _rows_end(page, position)
        if _is_table(page[position:end]):
            yield from _paragraphs(lines, number, style)
            yield _Block(page[position:end], number, rows=True)
            lines = []
        else:
            lines += page[position:end]
        position = end
    yield from _paragraphs(lines, number, style)


def _rows_end(page: list[Line], start: int) -> int:
    """Where lines of several cells, each below the other, end; at least behind the first."""
    end = start
    while end < len(page) and len(page[end].segments) > 1 and (end == start or page[end].bottom < page[end - 1].bottom):
        end += 1
    return max(end, start + 1)


def _is_table(rows: list[Line]) -> bool:
    """Whether lines are a table: three rows or more, of short cells."""
    cells = [segment for row in rows for segment in row.segments]
    if len(rows) < 3 or sum(len(cell.text) for cell in cells) > _SHORT_CELL * len(cells):
        return False
    listed = all(_NUMBER.match(row.text + " x") or _BULLETS.match(row.text) for row in rows)  # with wide tabs
    return not listed


def _paragraphs(lines: list[Line], number: int, style: _Style) -> Iterator[_Block]:
    distances = (above.bottom - below.bottom for above, below in pairwise(lines))
    pitches = sorted(distance for distance in distances if 0 < distance < 3 * style.size)
    pitch = pitches[len(pitches) // 2] if pitches else 0.0
    right = sorted(line.right for line in lines)[len(lines) * 9 // 10] if lines else 0.0
    block: list[Line] = []
    for line in lines:
        if block and _begins(block, line, pitch, right):
            yield _Block(block, number)
            block = []
        block.append(line)
    if block:
        yield _Block(block, number)


def _begins(block: list[Line], line: Line, pitch: float, right: float) -> bool:
    """Whether a line begins a block of its own."""
    above = block[-1]
    text = line.text
    distance = above.bottom - line.bottom
    if _BULLETS.match(text) or _DASH.match(text) or (_NUMBER.match(text) and _is_listed(block, line)):
        return True
    if abs(line.size - above.size) > 0.08 * max(line.size, above.size) or (line.bold != above.bold and _ends(above)):
        return True
    if line.bold != above.bold and (all(one.bold for one in block) or distance > 1.15 * pitch):
        return True
    if distance < 0:  # the next column: its first line goes on unless the last one ended
        return _ends(above) or not text[:1].islower()
    if pitch and distance > 1.3 * pitch and distance > 1.3 * min(line.size, above.size):
        return True
    if _ends(above) and above.right < right - 0.2 * (right - block[0].left):
        return True
    indented = line.left > above.left + 0.8 * line.size and len(block) > 1
    return indented and _ends(above) and not _label(block[0].text)


def _is_listed(block: list[Line], line: Line) -> bool:
    """A number at the start of a line is an item's if a list goes on, or what was before has ended."""
    return bool(_NUMBER.match(block[0].text)) or _ends(block[-1]) or line.left > block[-1].left


def _ends(line: Line) -> bool:
    return line.text.endswith(_ENDS)


def _label(text: str) -> str | None:
    """How a list item is labelled in Markdown; None for what is no item."""
    if _BULLETS.match(text) or _DASH.match(text):
        return "-"
    match = _NUMBER.match(text)
    return match[1] if match else None


def _is_heading(block: _Block, style: _Style) -> bool:
    text = " ".join(line.text for line in block.lines)
    if block.rows or len(block.lines) > 3 or not 1 < len(text) <= 200 or not re.search(r"[^\W\d_]", text):
        return False
    size = max(line.size for line in block.lines)
    if size > 1.1 * style.size:
        return not text.endswith((",", ";"))
    bold = all(line.bold for line in block.lines) and not style.bold and size > 0.9 * style.size
    return bold and len(text) <= 120 and not text.endswith((".", ",", ";", ":")) and not _BULLETS.match(text)


def _set_levels(blocks: Iterable[_Block], style: _Style) -> None:
    sizes = {_rounded(max(line.size for line in block.lines)) for block in blocks if _is_heading(block, style)}
    larger = sorted((size for size in sizes if size > 1.1 * style.size), reverse=True)
    style.levels = {size: min(level, 6) for level, size in enumerate(larger, start=1)}
    below = min(len(larger) + 1, 6)
    style.levels |= {size: below for size in sizes if size not in style.levels}
    first = next(iter(blocks), None)
    if first is not None and _level(first, style) > 1:  # a title that is not the largest is still the title
        style.title = first
        style.levels = {size: min(level + 1, 6) for size, level in style.levels.items()}


def _level(block: _Block, style: _Style) -> int:
    """The level of a heading, 0 for what is none."""
    if block is style.title:
        return 1
    return style.levels.get(_rounded(max(line.size for line in block.lines)), 0) if _is_heading(block, style) else 0


def _assembled(blocks: list[_Block], style: _Style, vocabulary: Counter[str], pages: int) -> str:
    """The blocks as Markdown, page breaks between them. A paragraph that the next page goes on with stays one paragraph."""
    texts: list[str] = []
    page, before = 0, ""
    for block in blocks:
        level = _level(block, style)
        if block.rows:
            text = markdown.table(_cells(block.lines))
        else:
            text = _joined(block, vocabulary)
            label = _label(text)
            if level:
                text = markdown.heading(level, text)
            elif label:
                text = markdown.list_item(0, label, re.sub(r"^\S+?\s+", "", _BULLETS.sub("- ", text), count=1))
        kind = markdown.item_kind(text)
        separator = "\n" if kind and kind == markdown.item_kind(before) else "\n\n"
        if block.page > page:
            goes_on = text[:1].islower() and before and not before.endswith(_ENDS) and not before.startswith(("#", "|"))
            separator = ("\n" if goes_on else "\n\n") if texts else ""
            separator += PAGE_BREAK * (block.page - page)
            page = block.page
        elif not texts:
            separator = ""
        texts += [separator, text]
        before = text
    return "".join(texts) + PAGE_BREAK * (pages - 1 - page if texts else 0)


def _cells(rows: list[Line]) -> list[list[str]]:
    """Rows with their cells in columns: those of the first row that has most, each cell where it overlaps most."""
    columns = [segment.box for segment in max(rows, key=lambda row: len(row.segments)).segments]
    table = []
    for row in rows:
        cells = [""] * len(columns)
        for segment in row.segments:
            overlaps = [min(segment.box.right, box.right) - max(segment.box.left, box.left) for box in columns]
            column = overlaps.index(max(overlaps))  # the nearest, where none overlaps
            cells[column] = f"{cells[column]} {segment.text}".strip()
        table.append(cells)
    return table


def _vocabulary(pages: list[list[Line]]) -> Counter[str]:
    """Words as they are written where no line breaks them, compounds with their hyphens."""
    words: Counter[str] = Counter()
    for page in pages:
        for line in page:
            words.update(word.lower() for word in re.findall(r"\w+(?:-\w+)*", line.text.rstrip("\xad-")))
    return words


def _joined(block: _Block, vocabulary: Counter[str]) -> str:
    """The lines of a paragraph as one; a word that was broken at the end of a line is whole again."""
    text = ""
    for line in block.lines:
        following = line.text
        if text.endswith(("\xad", "-", "\u2010")) and text[-2:-1].isalpha() and following[:1].islower():
            first, second = re.split(r"\W", text[:-1])[-1], re.split(r"\W", following)[0]
            text = text[:-1] + ("-" if _keeps_hyphen(first, second, vocabulary) else "") + following
        else:
            text += f" {following}" if text and not _joins_without_space(text, following) else following
    return text.replace("\xad", "-") if text.endswith("\xad") else text.replace("\xad", "")


def _keeps_hyphen(first: str, second: str, vocabulary: Counter[str]) -> bool:
    whole, compound = f"{first}{second}".lower(), f"{first}-{second}".lower()
    if vocabulary[whole] != vocabulary[compound]:
        return vocabulary[compound] > vocabulary[whole]
    return first.lower() in _KEPT_PREFIXES


def _joins_without_space(text: str, following: str) -> bool:
    """Lines of scripts without spaces are joined as they are; so is what follows a dash."""
    return text[-1:] == "—" or (_is_wide(text[-1:]) and _is_wide(following[:1]))


def _is_wide(letter: str) -> bool:
    """Whether a letter is of a script that parts no words by spaces: Chinese, Japanese, Thai, Lao, …"""
    return re.match("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\uff00-\uff60]", letter) is not None
