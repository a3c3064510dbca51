"""The structure of a text as seams: places where it may be cut, each with how strong it is.

Plain text has paragraphs and lines; Markdown has headings, lists, tables, code and quotes as well. A unit that fits into one
chunk has no seam inside, unless it is a paragraph, which has its sentences. Choosing among the seams is `splitting.py`.
Everything here is one pass over the lines: what a text costs grows with its length, whatever is in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from stratagraph.documents.sentences import PHRASE, SENTENCE, sentence_ends

KEEP = PHRASE  # after a heading, after the head of a table: only if nothing better is in reach
LINE, INNER, ITEM, BLOCK = 7, 8, 9, 10
HEADING = 20  # less the heading's depth

Fits = Callable[[int, int], bool]
Seam = tuple[int, int]  # where the unit before it ends, and its strength

_LINE = re.compile(r"[^\n]+")
_FENCE = re.compile(r"[ \t>]*(`{3,}(?=[^`\n]*\Z|[^`\n]*\n)|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]|\Z)")
_SETEXT = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*\Z")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}\Z")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,9}[.)])(?:[ \t]|\Z)")
_DELIMITER = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_INDENT = re.compile(r"[ \t]*")
_ENDS_SENTENCE = re.compile(r"[.!?。！？…:：;；,，、।؟۔]['\"”’»)\]」』）]*\Z")
_PAGE_BREAKS = "\f\v\x1c\x1d\x1e\u2029"  # the first line of a page of a PDF starts with one
_TITLE_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Line:
    """A line with something in it, without white space at its end. `gap`: nothing but white space stood in the line before."""

    start: int
    end: int
    gap: bool
    text: str

    @property
    def indent(self) -> int:
        """Columns before the first character."""
        found = _INDENT.match(self.text)
        return len(found[0].expandtabs(4)) if found else 0


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together. `depth` is that of a heading."""

    kind: str
    lines: list[Line]
    depth: int = 0

    @property
    def start(self) -> int:
        return self.lines[0].start

    @property
    def end(self) -> int:
        return self.lines[-1].end


def plain_seams(text: str, start: int, end: int, fits: Fits) -> list[Seam]:
    """Seams of a text without markup: paragraphs, lines that are not merely wrapped, sentences."""
    paragraphs = list(_paragraphs(lines_of(text, start, end)))
    seams: list[Seam] = []
    for index, paragraph in enumerate(paragraphs):
        seams += _sentences(text, paragraph.start, paragraph.end)
        seams += ((line.end, LINE) for line in _unwrapped(paragraph.lines))
        following = paragraphs[index + 1] if index + 1 < len(paragraphs) else None
        if following:
            seams.append((paragraph.end, KEEP if _is_title(paragraph, following) else BLOCK))
    return _strongest(seams)


def markdown_seams(text: str, start: int, end: int, fits: Fits) -> list[Seam]:
    """Seams of a Markdown text."""
    return _strongest(_block_seams(text, list(markdown_blocks(lines_of(text, start, end))), fits))


def lines_of(text: str, start: int, end: int) -> list[Line]:
    """The lines that are not blank."""
    lines: list[Line] = []
    last = start
    for match in _LINE.finditer(text, start, end):
        stop = match.start() + len(match[0].rstrip())
        shown = match[0].rstrip().lstrip(_PAGE_BREAKS)
        if shown:
            begin = stop - len(shown)
            gap = bool(lines) and (text.count("\n", last, begin) > 1 or begin > match.start())
            lines.append(Line(begin, stop, gap, shown))
            last = stop
    return lines


def markdown_blocks(lines: list[Line]) -> Iterator[Block]:
    """The blocks of a Markdown text, in order. A list is one block, with all that is indented under its items."""
    at = 0
    while at < len(lines):
        line = lines[at]
        heading = _ATX.match(line.text)
        if heading:
            kind, stop, depth = "heading", at + 1, len(heading[1])
        elif _FENCE.match(line.text):
            kind, stop, depth = "code", _fence_end(lines, at), 0
        elif _RULE.match(line.text):
            kind, stop, depth = "rule", at + 1, 0
        elif _ITEM.match(line.text):
            kind, stop, depth = "list", _list_end(lines, at), 0
        elif _heads_table(lines, at):
            kind, stop, depth = "table", _table_end(lines, at), 0
        elif line.indent >= 4 and (at == 0 or line.gap):
            kind, stop, depth = "code", _indented_end(lines, at), 0
        else:
            kind, stop, depth = _paragraph_end(lines, at)
        yield Block(kind, lines[at:stop], depth)
        at = stop


def _block_seams(text: str, blocks: list[Block], fits: Fits) -> Iterator[Seam]:
    for index, block in enumerate(blocks):
        yield from _inner_seams(text, block, fits)
        if index + 1 == len(blocks):
            return
        following = blocks[index + 1]
        if block.kind == "heading":
            yield block.end, KEEP
        elif following.kind == "heading":
            yield block.end, HEADING - following.depth
        elif following.kind in ("list", "table", "code") and block.lines[-1].text.endswith((":", "：")):
            yield block.end, SENTENCE  # what it announces is better kept with it
        else:
            yield block.end, BLOCK


def _inner_seams(text: str, block: Block, fits: Fits) -> Iterator[Seam]:
    match block.kind:
        case "paragraph":
            yield from _sentences(text, block.start, block.end)
        case "list":
            yield from _list_seams(text, block, fits)
        case "table":
            yield from _table_seams(text, block, fits)
        case "code" if not fits(block.start, block.end):
            yield from _code_seams(text, block, fits)
        case _:
            if not fits(block.start, block.end):
                yield from _sentences(text, block.start, block.end)


def _list_seams(text: str, block: Block, fits: Fits) -> Iterator[Seam]:
    """Before each item; before an item of an item only where the outer one does not fit."""
    lines = block.lines
    heads = _item_heads(lines)
    ends = _item_ends(lines, heads)
    open_items: list[int] = []  # the items that the one at hand stands in
    for order, head in enumerate(heads):
        while open_items and lines[heads[open_items[-1]]].indent >= lines[head].indent:
            open_items.pop()
        outer = open_items[-1] if open_items else None
        divided = outer is None or not fits(lines[heads[outer]].start, ends[outer])
        if head and divided:
            yield lines[head - 1].end, ITEM if outer is None else INNER
        open_items.append(order)
        stop = heads[order + 1] if order + 1 < len(heads) else len(lines)
        if divided and not fits(lines[head].start, ends[order]) and not fits(lines[head].start, lines[stop - 1].end):
            yield from _content_seams(text, lines[head:stop], fits)


def _content_seams(text: str, lines: list[Line], fits: Fits) -> Iterator[Seam]:
    """Inside one item that is too long: its paragraphs and its code."""
    first = next((at for at in range(1, len(lines)) if lines[at].gap or _FENCE.match(lines[at].text)), len(lines))
    dedented = [Line(line.start, line.end, line.gap, line.text.lstrip()) for line in lines[first:]]
    blocks = [Block("paragraph", lines[:first]), *(markdown_blocks(dedented) if dedented else ())]
    yield from ((at, min(strength, INNER)) for at, strength in _block_seams(text, blocks, fits))


def _item_heads(lines: list[Line]) -> list[int]:
    heads, at = [], 0
    while at < len(lines):
        if _FENCE.match(lines[at].text):
            at = _fence_end(lines, at)
            continue
        if _ITEM.match(lines[at].text):
            heads.append(at)
        at += 1
    return heads or [0]


def _item_ends(lines: list[Line], heads: list[int]) -> list[int]:
    """Where each item ends, with all that stands in it: before the next one that is not deeper."""
    ends = [lines[-1].end] * len(heads)
    open_items: list[int] = []
    for order, head in enumerate(heads):
        while open_items and lines[heads[open_items[-1]]].indent >= lines[head].indent:
            ends[open_items.pop()] = lines[head - 1].end
        open_items.append(order)
    return ends


def _table_seams(text: str, block: Block, fits: Fits) -> Iterator[Seam]:
    for order, line in enumerate(block.lines):
        if not fits(line.start, line.end):
            yield from _sentences(text, line.start, line.end)
        if order + 1 < len(block.lines):
            yield line.end, KEEP if order < 2 else INNER


def _code_seams(text: str, block: Block, fits: Fits) -> Iterator[Seam]:
    for order, line in enumerate(block.lines[:-1]):
        following = block.lines[order + 1]
        opens = order == 0 and _FENCE.match(line.text)
        closes = order + 2 == len(block.lines) and _FENCE.match(following.text)
        yield line.end, KEEP if opens or closes else INNER if following.gap else LINE


def _fence_end(lines: list[Line], at: int) -> int:
    opened = _FENCE.match(lines[at].text)
    mark = opened[1] if opened else "```"
    closing = re.compile(rf"[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}\Z")
    return next((index + 1 for index in range(at + 1, len(lines)) if closing.match(lines[index].text)), len(lines))


def _list_end(lines: list[Line], at: int) -> int:
    """After the last line that belongs to the list: its items, what is indented under them, and lines that merely go on."""
    outermost = lines[at].indent
    index = at + 1
    while index < len(lines):
        line = lines[index]
        if _FENCE.match(line.text) and (line.indent > outermost or not line.gap):
            index = _fence_end(lines, index)
            continue
        inside = _ITEM.match(line.text) and not _RULE.match(line.text)
        if not inside and (_ATX.match(line.text) or (line.gap and line.indent <= outermost) or _RULE.match(line.text)):
            return index
        index += 1
    return index


def _heads_table(lines: list[Line], at: int) -> bool:
    if "|" not in lines[at].text or at + 1 >= len(lines) or lines[at + 1].gap:
        return False
    below = lines[at + 1].text
    return "-" in below and "|" in below and _DELIMITER.match(below) is not None


def _table_end(lines: list[Line], at: int) -> int:
    rows = range(at + 2, len(lines))
    return next((index for index in rows if lines[index].gap or "|" not in lines[index].text), len(lines))


def _indented_end(lines: list[Line], at: int) -> int:
    return next((index for index in range(at + 1, len(lines)) if lines[index].indent < 4), len(lines))


def _paragraph_end(lines: list[Line], at: int) -> tuple[str, int, int]:
    """Kind, end and depth of what starts as a paragraph: an underlined one is a heading."""
    index = at + 1
    while index < len(lines) and not lines[index].gap:
        text = lines[index].text
        underline = _SETEXT.match(text)
        if underline:
            return "heading", index + 1, 1 if underline[1] else 2
        if _ATX.match(text) or _FENCE.match(text) or _RULE.match(text) or _ITEM.match(text) or _heads_table(lines, index):
            break
        index += 1
    return "paragraph", index, 0


def _paragraphs(lines: list[Line]) -> Iterator[Block]:
    first = 0
    for index in range(1, len(lines) + 1):
        if index == len(lines) or lines[index].gap:
            if lines[first:index]:
                yield Block("paragraph", lines[first:index])
            first = index


def _unwrapped(lines: list[Line]) -> Iterator[Line]:
    """Lines that end where they end because what they say does, not because the line was full."""
    longest = max(len(line.text) for line in lines)
    for line, following in pairwise(lines):
        goes_on = following.text.lstrip()[0].islower() or (50 <= longest <= 130 and len(line.text) * 10 >= longest * 6)
        if not goes_on or _ITEM.match(following.text):
            yield line


def _is_title(paragraph: Block, following: Block) -> bool:
    """A short line by itself above a longer paragraph names it."""
    line = paragraph.lines[0]
    return (
        len(paragraph.lines) == 1
        and len(line.text) <= _TITLE_CHARACTERS
        and following.end - following.start > _TITLE_CHARACTERS
        and not _ENDS_SENTENCE.search(line.text)
    )


def _sentences(text: str, start: int, end: int) -> Iterator[Seam]:
    return (seam for seam in sentence_ends(text, start, end) if seam[0] < end)


def _strongest(seams: Iterator[Seam] | list[Seam]) -> list[Seam]:
    """Sorted; of several seams in one place the strongest."""
    kept: dict[int, int] = {}
    for at, strength in seams:
        if strength > kept.get(at, 0):
            kept[at] = strength
    return sorted(kept.items())
