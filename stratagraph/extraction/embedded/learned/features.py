"""What is noted of a candidate: words around it, its form, its place; as numbers of hashed features.

Feature hashing (Weinberger et al., 2009): a feature is a string, its number the CRC-32 of it, so that no dictionary need be
kept and a model has one size. The same on every machine and in every run.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from stratagraph.extraction.embedded.learned.candidates import Candidate, Sentence, is_date
from stratagraph.extraction.tokens import FUNCTION_WORDS

VERSION = 1
SIZE = 1 << 18
Numbers = npt.NDArray[np.int64]
_LIST = frozenset((",", "and", "&", "de", "of", "von", "van", "the", "-", ".", '"', "'s"))
_INNER = ("of", "de", "-", "&", "'s", "and", "the", ":", ".")
_PRONOUNS = frozenset(["he", "she", "it", "they", "his", "her", "its", "their", "the", "this"])
_START, _END = "<s>", "</s>"


def hashed(features: Iterable[str]) -> Numbers:
    """The numbers of some features, sorted and distinct."""
    return np.unique(np.fromiter((zlib.crc32(f.encode("utf-8", "replace")) % SIZE for f in features), np.int64))


class Describer:
    """Describes the candidates of one sentence."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self._bag = [f"S={word}" for word in sentence.content]
        self._spans = [(span, sentence.span(*span).lower()) for span in sentence.spans]

    def object(self, candidate: Candidate, seen_as: Iterable[str]) -> Numbers:
        """An object candidate. seen_as: relations in which examples with other subjects have this very object."""
        s, start, end = self.sentence, candidate.start, candidate.end
        kind, extent = self._kind(start, end), self._extent(start, end)
        left, right = self._around(start, end)
        text = s.span(start, end)
        head = self._before_list(start)
        found = [
            "bias", f"l1={left[0]}", f"l2={left[1]}", f"l3={left[2]}", f"l12={left[1]} {left[0]}",
            f"l123={left[2]} {left[1]} {left[0]}", f"l23={left[2]} {left[1]}", f"l4={left[3]}",
            f"l234={left[3]} {left[2]} {left[1]}", f"r1={right[0]}", f"r2={right[1]}", f"r12={right[0]} {right[1]}",
            f"lr={left[0]}|{right[0]}", f"first={s.lower[start]}", f"last={s.lower[end - 1]}", f"text={text.lower()}",
            f"suffix3={s.lower[end - 1][-3:]}", f"suffix4={s.lower[end - 1][-4:]}", f"kind={kind}{extent}",
            f"length={kind}{min(end - start, 5)}", f"kl={kind}{extent}|{left[0]}", f"kr={kind}{extent}|{right[0]}",
            f"kl12={kind}{extent}|{left[1]} {left[0]}", f"shape={_shape(text)}", f"bracket={s.depth[start] > 0}{start == 0}",
            f"place={min(start * 8 // len(s.words), 7)}", f"opens={start <= 1}", f"h1={head[0]}", f"h12={head[1]} {head[0]}",
            f"h123={head[2]} {head[1]} {head[0]}", f"h1k={head[0]}{kind}", f"h12k={head[1]} {head[0]}|{kind}{extent}",
            f"quoted={self._is_quoted(start, end)}",
        ]  # fmt: skip
        found += [f"L={word}" for word in left[:5]] + [f"R={word}" for word in right[:4]]
        found += [f"w={word}" for word in s.lower[start:end]]
        found += [f"B8={word}" for word in s.lower[max(0, start - 8) : start]] + [
            f"A6={word}" for word in s.lower[end : end + 6]
        ]
        for verb in self._content(range(start - 1, max(-1, start - 12), -1)):
            found += [f"v={verb}", f"vk={verb}{kind}{extent}"]
        found += [f"vr={verb}" for verb in self._content(range(end, min(len(s.words), end + 8)))]
        found += self._bag
        if candidate.form == "same":
            found += [each for name in seen_as for each in (f"g={name}", f"gk={name}{kind}{extent}")]
        else:
            name = candidate.name
            found += ["alias", f"alias={name}", f"for={candidate.form}"]
            found += [f"alias={name}|{word}" for word in (*left[:3], *self._bag)]
        return hashed(found)

    def subject(self, candidate: Candidate, relation: str, obj: Candidate) -> Numbers:
        """A subject candidate, for one relation with one object."""
        s, start, end, form = self.sentence, candidate.start, candidate.end, candidate.form
        kind, extent = self._kind(start, end, plain=True), self._extent(start, end)
        left, right = self._around(start, end)
        order = "before" if end <= obj.start else "after" if start >= obj.end else "over"
        low, high = (end, obj.start) if order == "before" else (obj.end, start) if order == "after" else (0, 0)
        between, distance = s.lower[low:high], high - low
        opening = s.lower[0] if s.lower[0] in _PRONOUNS else ""
        found = [
            "bias", f"form={form}", f"kind={kind}{extent}{min(end - start, 6)}", f"kf={kind}{extent}{form}",
            f"l1={left[0]}{kind}", f"r1={right[0]}{kind}", f"r12={right[0]} {right[1]}", f"l12={left[1]} {left[0]}",
            f"lr={left[0]}|{right[0]}{extent}", f"place={min(start, 6)}{kind}", f"pf={min(start, 3)}{extent}{form}",
            f"first={s.lower[start]}", f"last={s.lower[end - 1]}", f"suffix3={s.lower[end - 1][-3:]}",
            f"bracket={s.depth[start] > 0}", f"order={order}",
            f"distance={order}{distance if distance < 4 else 4 + min(distance // 5, 4)}",
            f"names={order}{min(sum(word[0].isupper() for word in s.words[low:high]), 5)}", f"opening={s.lower[0]}",
            f"op={opening}{min(start, 2) if opening else ''}", f"part={self._is_part(candidate)}",
            f"again={min(s.text.count(s.span(start, end)), 3)}", f"quoted={self._is_quoted(start, end)}",
            f"aside={right[0] == '('}{min(start, 2)}", f"verb={right[0]}{min(start, 2)}{extent}",
        ]  # fmt: skip
        found += [f"w={word}" for word in s.lower[start:end]] + [f"between={order}{word}" for word in set(between)]
        if distance <= 4:
            found.append(f"all={order}{' '.join(between)}")
        return hashed([*found, *(f"{relation}|{each}" for each in found)])

    def _around(self, start: int, end: int) -> tuple[list[str], list[str]]:
        """Five words to the left, nearest first, and five to the right."""
        lower = self.sentence.lower
        left = [lower[start - k] if start >= k else _START for k in range(1, 6)]
        return left, [lower[end + k] if end + k < len(lower) else _END for k in range(5)]

    def _kind(self, start: int, end: int, plain: bool = False) -> str:
        first, text = self.sentence.words[start], self.sentence.span(start, end)
        if first[0].isdigit():
            return (
                "number"
                if plain or (not re.fullmatch(r"\d{4}", text) and not is_date(text))
                else "year"
                if end - start == 1
                else "date"
            )
        return "name" if first[0].isupper() else "plain"

    def _extent(self, start: int, end: int) -> str:
        """Whether the name may go on beyond the span, to the left or to the right."""
        s, found = self.sentence, ""
        if start > 0 and s.heads[start - 1]:
            found += "L"
        if end < len(s.words) and s.heads[end]:
            found += "R"
        if end + 1 < len(s.words) and s.lower[end] in _INNER and s.heads[end + 1]:
            found += "r"
        if start > 1 and s.lower[start - 1] in _INNER and s.heads[start - 2]:
            found += "l"
        return found

    def _before_list(self, start: int) -> tuple[str, str, str]:
        """The three words before the list that the span may be a member of, nearest first."""
        s, index = self.sentence, start - 1
        while index >= 0 and start - index < 15 and (s.heads[index] or s.lower[index] in _LIST):
            index -= 1
        first, second, third = (s.lower[index - k] if index >= k else _START for k in range(3))
        return first, second, third

    def _content(self, indices: Iterable[int]) -> list[str]:
        """The first word on the way that is neither a name nor a function word, if there is one."""
        s = self.sentence
        for index in indices:
            if s.lower[index].isalpha() and not s.heads[index] and s.lower[index] not in FUNCTION_WORDS:
                return [s.lower[index]]
        return []

    def _is_quoted(self, start: int, end: int) -> bool:
        words = self.sentence.words
        return start > 0 and words[start - 1] in '"“《「' and end < len(words) and words[end] in '"”》」'

    def _is_part(self, candidate: Candidate) -> bool:
        """Whether a longer name elsewhere in the sentence holds this one: 'Mubarak' where 'Hosni Mubarak' stands as well."""
        name = candidate.name.lower()
        return any(
            (end <= candidate.start or candidate.end <= start) and name != text and name in text
            for (start, end), text in self._spans
        )


def _shape(text: str) -> str:
    shape = re.sub(r"\d", "0", re.sub(r"[^\W\d_]", lambda m: "A" if m.group().isupper() else "a", text))
    return re.sub(r"(.)\1+", r"\1+", shape)[:12]
