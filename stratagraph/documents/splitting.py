"""Cuts a text into chunks at its best seams: each a slice, in order, none overlapping, together everything but white space.

From where a chunk starts, everything that the limit reaches is looked at. The strongest seam of the second half is taken (a
heading already from the first quarter on); if there is none, the last end of a sentence or a larger unit; if one sentence
alone is longer than the limit, it is cut at a comma, else between words, else between what a reader sees as one character.
Which places are seams is `blocks.py`; where words of Thai, Chinese and Japanese end, the splitter library's dictionaries know.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from semantic_text_splitter import TextSplitter

from stratagraph.documents.blocks import BLOCK, KEEP, Seam, markdown_seams, plain_seams
from stratagraph.documents.sentences import SENTENCE, joins
from stratagraph.documents.tokens import count_tokens, token_starts

_VISIBLE = re.compile(r"\S")
_SPACE = re.compile(r"\s+")
# A stop after a part of a sentence. In scripts without spaces it needs none after it.
_CLAUSE = re.compile(r"[,;:|،؛)\]](?=\s)|\s[—–-](?=\s)|[，；：、」』）…]")
_LOOKAHEAD = 64  # characters after the limit that a splitter sees, so that a word which goes on there is known to


@dataclass(frozen=True, slots=True)
class Limit:
    """How long a chunk may be: in characters, and in tokens too if that is given."""

    characters: int
    tokens: int | None = None


class Splitter:
    """Cuts one text.

    Args:
        text: the document.
        limit: what each chunk must fit into.
        markdown: whether the text is Markdown.
    """

    def __init__(self, text: str, limit: Limit, markdown: bool = False) -> None:
        self.text, self.limit, self.markdown = text, limit, markdown
        self._tokens = token_starts(text) if limit.tokens and len(text) > _sure(limit.tokens) else None

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
        """The chunks of the text, or of a part of it.

        >>> [*Splitter("One. Two.", Limit(5)).chunks()]
        [(0, 4), (5, 9)]
        """
        start, end = self._trim(start, len(self.text) if end is None else end)
        if start < end and self._fits_exactly(start, end):  # most turns of a chat
            yield start, end
            return
        find = markdown_seams if self.markdown else plain_seams
        seams = find(self.text, start, end, self._fits) if start < end else []
        places = [at for at, _ in seams]
        while start < end:
            stop = self._stop(start, end, seams, places)
            yield self._trim(start, stop)
            start, _ = self._trim(stop, end)

    def _stop(self, start: int, end: int, seams: list[Seam], places: list[int]) -> int:
        """Where the chunk that starts here ends."""
        spare = 0  # tokens: a slice may have some more than its place in the whole text says
        while True:
            reach = self._reach(start, end, spare)
            stop = end if reach == end else self._best(start, reach, end, seams, places)
            over = self._excess(start, stop)
            if over <= 0 or stop == start + 1:
                return stop
            spare += over

    def _best(self, start: int, reach: int, end: int, seams: list[Seam], places: list[int]) -> int:
        first, last = bisect_right(places, start), bisect_right(places, reach)
        quarter, half = start + (reach - start) // 4, start + (reach - start) // 2
        best, strongest = 0, 0
        for at, strength in reversed(seams[bisect_left(places, quarter, first, last) : last]):
            if strength > strongest and (at >= half or strength > BLOCK):
                best, strongest = at, strength
        if strongest >= SENTENCE:
            return best
        for at, strength in reversed(seams[first:last]):
            if strength >= SENTENCE:
                return at
        if first < last:
            at, strength = seams[last - 1]
            following = places[last] if last < len(places) else end
            # What comes next fits into no chunk anyway: a heading is better kept with its first part.
            if strength > KEEP or at >= half or following - at <= reach - start:
                return at
        return self._inside(start, reach, end)

    def _inside(self, start: int, reach: int, end: int) -> int:
        """Where to cut a sentence that is longer than a chunk may be."""
        half = start + (reach - start) // 2
        window = self.text[half : min(reach + 1, end)]
        clauses = [half + match.end() for match in _CLAUSE.finditer(window)]
        spaces = [half + match.start() for match in _SPACE.finditer(window)]
        for places in (clauses, spaces):
            for at in reversed(places):
                if start < at <= reach and not self._glued(at, end):
                    return at
        run = max(start, *(match.end() for match in _SPACE.finditer(self.text, start, half)), start)
        pieces = TextSplitter(reach - run, trim=False).chunk_indices(self.text[run : min(reach + _LOOKAHEAD, end)])
        return run + len(pieces[0][1]) if pieces else reach

    def _glued(self, at: int, end: int) -> bool:
        """Whether a mark that has no letter of its own would be parted from what it stands on."""
        visible = _VISIBLE.search(self.text, at, end)
        return joins(self.text, at, end) or (visible is not None and joins(self.text, visible.start(), end))

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        visible = _VISIBLE.search(self.text, start, end)
        if not visible:
            return end, end
        while self.text[end - 1].isspace():
            end -= 1
        return visible.start(), end

    def _fits(self, start: int, end: int) -> bool:
        """Whether a part can be one chunk, to within a token or two."""
        return end - start <= self.limit.characters and self._reach(start, end, 0) == end

    def _fits_exactly(self, start: int, end: int) -> bool:
        return self._fits(start, end) and self._excess(start, end) <= 0

    def _reach(self, start: int, end: int, spare: int) -> int:
        """The furthest end of a chunk that starts here; one character always fits."""
        reach = min(start + self.limit.characters, end)
        if self._tokens is None or not self.limit.tokens:
            return reach
        allowed = self._tokens[start] + self.limit.tokens - spare
        return max(start + 1, min(reach, int(np.searchsorted(self._tokens, allowed, side="right")) - 1))

    def _excess(self, start: int, end: int) -> int:
        """Tokens that a slice has over the limit."""
        if not self.limit.tokens or end - start <= _sure(self.limit.tokens):
            return 0
        return count_tokens(self.text[start:end]) - self.limit.tokens


def _sure(tokens: int) -> int:
    """How many characters have no more tokens than that, whatever they are: each has four at most, and one starts the text."""
    return (tokens - 1) // 4
