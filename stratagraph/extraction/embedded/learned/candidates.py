"""The words of a sentence, and the spans of them that may name a subject or an object.

Only what could be a name or a value is listed here; whether it is one is a matter of `features.py` and the model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from stratagraph.extraction.tokens import CJK, FUNCTION_WORDS, word_set

# Punctuation counts here, unlike in tokens.py: commas and brackets say where a list or an aside begins.
_TOKEN = re.compile(rf"\d+(?:[.,:/]\d+)*|[{CJK}]|[^\W_{CJK}]+(?:['’][^\W\d_{CJK}]{{2,}})*|['’]s\b|[^\w\s]|_")
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:{_MONTH})(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?\s+\d{{4}}")
_JOINS = word_set("of the de von van der den la le du di da al bin y & and for in on to - ' ’ : . 's ’s a")
_ENDS_NAME = word_set("is was are were has had have represents represent became become won will would")
_OPENS_NO_NAME = FUNCTION_WORDS | word_set("from based before like since without during made directed filmed known")
_PARTICLES = frozenset(("de", "von", "van", "da", "del", "der", "bin"))
_NICKNAME = re.compile(r'["“]([^\W\d_][\w.-]*)["”] ([^\W\d_][\w-]+)')
_PLAIN, _CAPITALISED, _MIXED, _CHINESE = 4, 9, 12, 8  # longest spans, in tokens
MAX_TOKENS = 150  # of a sentence; what comes later is not looked at


@dataclass(frozen=True)
class Candidate:
    """A span of tokens that may be a subject or an object.

    Args:
        name: what it would be called; the text of the span, or another form of it.
        form: how `name` comes from the span: 'same', a shortened name, or a relation for which examples call it so.
    """

    start: int
    end: int
    name: str
    form: str = "same"


class Sentence:
    """A sentence as words, punctuation and spans. Indices count tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [(m.start(), m.end()) for m in _TOKEN.finditer(text)][:MAX_TOKENS]
        self.words = [text[start:end] for start, end in self.tokens]
        self.lower = [word.lower() for word in self.words]
        self.heads = [word[0].isupper() or word[0].isdigit() for word in self.words]

    def span(self, start: int, end: int) -> str:
        return self.text[self.tokens[start][0] : self.tokens[end - 1][1]]

    def place(self, candidate: Candidate) -> tuple[int, int]:
        """Offsets of a candidate in the text."""
        return self.tokens[candidate.start][0], self.tokens[candidate.end - 1][1]

    @cached_property
    def depth(self) -> list[int]:
        """How many brackets are open at each token."""
        depths, open_ = [], 0
        for word in self.words:
            open_ += word == "("
            depths.append(open_)
            open_ -= word == ")" and open_ > 0
        return depths

    @cached_property
    def content(self) -> list[str]:
        """The sentence's words that are no function words, sorted."""
        found = {word for word in self.lower if word.isalpha() and len(word) > 2 and word not in FUNCTION_WORDS}
        return sorted(found)[:60]

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Names, numbers, dates and short noun phrases, with the parts of each: (start, end), sorted."""
        found: set[tuple[int, int]] = set()
        for start, word in enumerate(self.words):
            if word[0].isalnum():
                found.update((start, end) for end in self._capitalised(start))
                if self.lower[start] not in FUNCTION_WORDS:
                    found.update((start, end) for end in self._plain(start))
        return sorted(found | set(self._quoted()))

    def _capitalised(self, start: int) -> Iterator[int]:
        if not self.heads[start]:
            return
        for end in range(start + 1, min(len(self.words), start + _CAPITALISED) + 1):
            last = self.lower[end - 1]
            if end > start + 1 and not (self.heads[end - 1] or last in _JOINS or last in "/,!?"):
                return
            if self.heads[end - 1] or last in "!?":
                yield end

    def _plain(self, start: int) -> Iterator[int]:
        longest = _CHINESE if _is_chinese(self.words[start]) else _PLAIN
        for end in range(start + 1, min(len(self.words), start + longest) + 1):
            last = self.lower[end - 1]
            if not last[0].isalnum() and last not in ("-", "'", "’", "'s", "’s"):
                return
            if last[0].isalnum() and last not in FUNCTION_WORDS:
                yield end

    def _quoted(self) -> Iterator[tuple[int, int]]:
        opened = None
        for index, word in enumerate(self.words):
            if word in '"“”《》「」':
                if opened is not None and index - opened <= _MIXED and any(w[0].isalnum() for w in self.words[opened:index]):
                    yield opened, index
                opened = None if opened is not None and word in '"”》」' else index + 1

    @cached_property
    def subjects(self) -> list[Candidate]:
        """What the sentence may speak of: names, names with a lower-case head, the short forms of people's names."""
        found = [
            Candidate(start, end, name, form)
            for start, end in self.spans
            if end - start > 1 or self.lower[start] not in FUNCTION_WORDS
            if not (self.lower[start] in _OPENS_NO_NAME and self.lower[start] not in ("the", "a", "an", "in", "on", "of"))
            for form, name in self._forms(start, end)
        ]
        known = set(self.spans)
        found += [
            Candidate(start, end, self.span(start, end), "mixed") for start, end in self._mixed() if (start, end) not in known
        ]
        return found + list(self._nicknames())

    def _forms(self, start: int, end: int) -> Iterator[tuple[str, str]]:
        name = self.span(start, end)
        yield "same", name
        parts = name.split()
        if not 3 <= len(parts) <= 5 or not all(part[0].isupper() or part in _PARTICLES for part in parts):
            return
        yield "ends", f"{parts[0]} {parts[-1]}"
        if len(parts) == 3 and parts[1][1:]:
            yield "initial", f"{parts[0]} {parts[1][0]}. {parts[2]}"
        if len(parts) > 3:
            yield "without second", " ".join(parts[:1] + parts[2:])
            yield "without last but one", " ".join(parts[:-2] + parts[-1:])
            if parts[-2] in _PARTICLES:
                yield "particle", " ".join(parts[:1] + parts[-2:])

    def _mixed(self) -> set[tuple[int, int]]:
        """Names that go on in lower case: 'Peru women's national volleyball team'; up to a verb or a comma."""
        found: set[tuple[int, int]] = set()
        for start in range(min(len(self.words), 40)):
            if not self.heads[start] or not (start <= 2 or self.lower[start - 1] in ("the", '"', "“", ",", "by", "in", "of")):
                continue
            following = start + 1 < len(self.words) and self.heads[start + 1]
            if self.lower[start] in _OPENS_NO_NAME and not (following and self.lower[start] in ("the", "a", "an")):
                continue
            lower = False
            for end in range(start + 1, min(len(self.words), start + _MIXED) + 1):
                word = self.words[end - 1]
                if word in ',;()"“”' or self.lower[end - 1] in _ENDS_NAME:
                    break
                lower = lower or word in ":." or (word[0].isalnum() and not self.heads[end - 1])
                if lower and word[0].isalnum() and self.lower[end - 1] not in FUNCTION_WORDS:
                    found.add((start, end))
        return found

    def _nicknames(self) -> Iterator[Candidate]:
        ends = {end: index for index, (_, end) in enumerate(self.tokens)}
        for match in _NICKNAME.finditer(self.text):
            if match.end(2) in ends:
                index = ends[match.end(2)]
                yield Candidate(index, index + 1, f"{match.group(1)} {match.group(2)}", "nickname")

    def objects(self, aliases: Mapping[str, list[tuple[str, str]]]) -> list[Candidate]:
        """What may be an object, and what examples call it where they call it otherwise: (words) -> (name, relation)."""
        found: list[Candidate] = []
        for start, end in self.spans:
            name = self.span(start, end)
            found.append(Candidate(start, end, name))
            found += [Candidate(start, end, other, relation) for other, relation in aliases.get(name.casefold(), ())]
        return found


def comparable(name: str) -> str:
    """A name without spaces, case and Unicode forms: two spellings of one annotation are the same."""
    return re.sub(r"[\s_]+", "", unicodedata.normalize("NFKC", name)).casefold()


def is_date(text: str) -> bool:
    return _DATE.fullmatch(text) is not None


def _is_chinese(word: str) -> bool:
    return len(word) == 1 and word >= "\u3040"
