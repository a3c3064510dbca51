"""Finds a quote in a chunk: exactly, else after normalising Unicode, quotation marks, dashes, case and whitespace.

Offsets always point into the original text (in code points), so that `text[start:end]` is what is shown as evidence.
What cannot be found is not repaired here; the caller quarantines it.
"""

from __future__ import annotations

import re
import unicodedata

_SAME = {
    "’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
    "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "…": "...",
}  # fmt: skip
_EDGES = " \t\r\n\"'.…“”‘’"


def ground(text: str, quote: str) -> tuple[int, int] | None:
    """Where the quote stands in the text, as (start, end), or None."""
    if not quote.strip():
        return None
    start = text.find(quote)
    if start >= 0:
        return start, start + len(quote)
    haystack, offsets = _normalised(text)
    for candidate in (quote, quote.strip(_EDGES)):
        needle = _normalised(candidate)[0].strip()
        start = haystack.find(needle) if needle else -1
        if start >= 0:
            return offsets[start][0], offsets[start + len(needle) - 1][1]
    return None


def occurrences(text: str, name: str) -> list[tuple[int, int]]:
    """Every place where a name stands as a whole word; the nearest spelling if it never stands as given."""
    if not name.strip():
        return []
    found = [match.span() for match in re.finditer(re.escape(name), text) if not _splits_word(text, *match.span())]
    if found:
        return found
    nearest = ground(text, name)
    if nearest and not _splits_word(text, *nearest):
        return [nearest]
    return []


def _bounded(character: str) -> bool:
    # Chinese, Japanese and Thai write no spaces: a name there may touch its neighbours.
    return character.isalnum() and ord(character) < 0x0E00


def _splits_word(text: str, start: int, end: int) -> bool:
    before = start > 0 and _bounded(text[start - 1]) and _bounded(text[start])
    after = end < len(text) and _bounded(text[end]) and _bounded(text[end - 1])
    return before or after


def _normalised(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Normalised text, and for each of its characters the span of the original it came from."""
    characters: list[str] = []
    offsets: list[tuple[int, int]] = []
    position = 0
    while position < len(text):
        end = position + 1
        while end < len(text) and unicodedata.combining(text[end]):  # a letter and its accents normalise together
            end += 1
        piece = unicodedata.normalize("NFKC", text[position:end])
        for character in piece.casefold():
            for same in _SAME.get(character, character):
                if same.isspace():
                    if characters and characters[-1] == " ":
                        offsets[-1] = (offsets[-1][0], end)
                        continue
                    same = " "
                elif unicodedata.category(same) == "Cf":  # zero-width characters and soft hyphens
                    continue
                characters.append(same)
                offsets.append((position, end))
        position = end
    return "".join(characters), offsets
