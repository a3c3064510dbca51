"""Finds a quote in a chunk: exactly, else after normalising Unicode, quotation marks, dashes, case, spaces and line breaks.

Offsets always point into the original text (in code points), so that `text[start:end]` is what is shown as evidence. What is
found begins and ends where words and numbers do: "US" does not stand in "bus", nor 3 in "3.5". What cannot be found is not
repaired here; the caller quarantines it.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from stratagraph.extraction.tokens import FUNCTION_WORDS

_SAME = str.maketrans({
    "’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
    "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "…": "...",
})  # fmt: skip
_EDGES = " \t\r\n\"'.…“”‘’"
_PLAIN = re.compile(r"[!-~]+")
_SPACE = re.compile(r"\s+")
_BROKEN = re.compile(r"\u00ad\s*\n\s*")  # a soft hyphen where a line was broken: the word goes on
_DECIMAL = re.compile(r"\d[.,]\d")
_WORDS = FUNCTION_WORDS | {"us"}
_LONGEST_PIECE = 30  # marks on one letter that are read; more of them are no spelling, and quadratic to normalise


@dataclass
class _Normalised:
    """A text as it is compared; for each of its characters, where in the original its piece starts and ends."""

    text: str = ""
    starts: array[int] = field(default_factory=lambda: array("Q"))
    ends: array[int] = field(default_factory=lambda: array("Q"))

    def places(self, needle: str) -> Iterator[tuple[int, int]]:
        """Where a normalised quote stands in the original; never a part of a ligature or of a letter with its accents."""
        at = self.text.find(needle)
        while at >= 0:
            last = at + len(needle) - 1
            begins = at == 0 or self.starts[at - 1] != self.starts[at]
            if begins and (last + 1 == len(self.text) or self.ends[last + 1] != self.ends[last]):
                yield self.starts[at], self.ends[last]
            at = self.text.find(needle, at + 1)


def ground(text: str, quote: str) -> tuple[int, int] | None:
    """Where the quote stands first in the text, as (start, end), or None. Punctuation alone is no quote."""
    return next(_exact(text, quote), None) or next(_nearest(text, quote), None) if _is_said(quote) else None


def occurrences(text: str, name: str) -> list[tuple[int, int]]:
    """Every place where a name stands; in other spellings if it never stands as given.

    In another case a common little word is no name: "who" is not the WHO.
    """
    if not _is_said(name):
        return []
    places = list(_exact(text, name)) or list(_nearest(text, name))
    return [(start, end) for start, end in places if text[start:end] == name or text[start:end] not in _WORDS]


def _is_said(quote: str) -> bool:
    """Whether there is more in it than spaces, punctuation and what cannot be seen."""
    return any(unicodedata.category(character)[0] in "LNS" for character in quote)


def _exact(text: str, quote: str) -> Iterator[tuple[int, int]]:
    at = text.find(quote)
    while at >= 0:
        end = at + len(quote)
        if not _splits(text, at, end):
            yield at, end
        at = text.find(quote, end)


def _nearest(text: str, quote: str) -> Iterator[tuple[int, int]]:
    normalised = _normalised(text)
    for candidate in dict.fromkeys((quote, quote.strip(_EDGES))):
        needle = _normalise(candidate).text.strip()
        places = normalised.places(needle) if needle else ()
        found = [(start, end) for start, end in places if not _splits(text, start, end)]
        if found:
            yield from found
            return


def _splits(text: str, start: int, end: int) -> bool:
    """Whether a place begins or ends within a word or a number."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if before and _in_word(before[-1]) and _in_word(text[start]):
        return True
    if after and _in_word(after[0]) and _in_word(text[end - 1]):
        return True
    return bool(_DECIMAL.fullmatch(before + text[start]) or _DECIMAL.fullmatch(text[end - 1] + after))


def _in_word(character: str) -> bool:
    # Chinese, Japanese and Thai write no spaces: a name there may touch its neighbours.
    return ord(character) < 0x0E00 and (character.isalnum() or unicodedata.category(character)[0] == "M")


@lru_cache(maxsize=2)  # the chunk that is being read, however many quotes are looked for
def _normalised(text: str) -> _Normalised:
    return _normalise(text)


def _normalise(text: str) -> _Normalised:
    found = _Normalised()
    written: list[str] = []
    gap: tuple[int, int] | None = None  # white space that was passed over

    def write(characters: str, starts: Iterable[int], ends: Iterable[int]) -> None:
        nonlocal gap
        if gap and written and not (_is_wide(written[-1][-1]) or _is_wide(characters[0])):
            written.append(" ")
            found.starts.append(gap[0])
            found.ends.append(gap[1])
        gap = None
        written.append(characters)
        found.starts.extend(starts)
        found.ends.extend(ends)

    position = 0
    while position < len(text):
        if plain := _PLAIN.match(text, position):
            end = plain.end() - (plain.end() < len(text) and _joins(text[plain.end()]))  # an accent takes its letter along
            if end > position:
                write(text[position:end].lower().replace("`", "'"), range(position, end), range(position + 1, end + 1))
                position = end
                continue
        if space := _SPACE.match(text, position):
            gap = (gap[0] if gap else position, space.end())
            position = space.end()
            continue
        if broken := _BROKEN.match(text, position):
            position = broken.end()
            continue
        end = position + 1
        while end < len(text) and end - position < _LONGEST_PIECE and _joins(text[end]):
            end += 1
        piece = unicodedata.normalize("NFKC", text[position:end].translate(_SAME)).casefold().translate(_SAME)
        # Zero-width characters, soft hyphens and marks of direction are not seen, so they are not compared.
        seen = "".join(character for character in piece if unicodedata.category(character) != "Cf")
        if seen:
            write(seen, [position] * len(seen), [end] * len(seen))
        position = end
    found.text = "".join(written)
    return found


def _joins(character: str) -> bool:
    """Whether it normalises together with what stands before it: accents, vowel signs, letters of a Korean syllable."""
    return character >= "\u0300" and (
        unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff" or character in "\uff9e\uff9f"
    )


def _is_wide(character: str) -> bool:
    """Whether it is of a script without spaces, where white space and line breaks mean nothing."""
    return "\u2e80" <= character < "\ua000" or character >= "\U00020000"
