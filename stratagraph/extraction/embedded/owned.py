"""What is said of a thing by the noun of a property: "Ann's birthday is …", "the CEO of Acme is Ann", "Ann, CEO of Acme,".

Only where the noun stands in a sentence and what its neighbours say of it; which values fit is `values.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from stratagraph.extraction.embedded.lexicon import Noun
from stratagraph.extraction.embedded.names import Name
from stratagraph.extraction.embedded.values import NUMBER

_OWNS = re.compile(r"[\"”》」]?(?:['’]s\s+|(?<=\b[Mm]y)\s+|的\s*|\s+(?:has|have|had)\s+(?:an?|the)\s+)")
_IS = re.compile(
    r"\s*(?:[:：,，]\s*)?(?:(?:is|are|was|were|named|called)\b\s*|是|为|叫)?(?:(?:the|an?|named|called)\s+)?", re.I
)
_IS_SURELY = re.compile(r"[\"”》」]?\s*(?:[:：]|\b(?:is|are)\b|是|为)\s*(?:(?:the|an?)\s+)?", re.I)
_OF = re.compile(r"\s+(?:of|for)\s+(?:the\s+)?[\"“《「]?", re.I)
_IS_THE = re.compile(
    r"[\"”》」]?\s*(?:,\s*(?:who|which)?\s*)?(?:\b(?:is|are)\b)?\s*(?:\b(?:the|an?|its|current|new)\b\s*){0,2}", re.I
)
_ARTICLE = re.compile(r"(?:^|\W)(?:the|its|their)\s+$", re.I)
_HAS_OR_IS = re.compile(r"\s+(?:is|are|has|have|employs|counts)\s+(?:about\s+)?$", re.I)


@dataclass(frozen=True)
class Said:
    """A property's noun, who has it, and where its value is.

    Args:
        owner: "Acme" of "the CEO of Acme".
        value: the name that is its value, if the value is a name before it or after it.
        value_from: where the value begins, if it follows; for a number before the noun its span is `number`.
    """

    noun: Noun
    owner: Name
    start: int
    end: int
    value: Name | None = None
    value_from: int | None = None
    number: tuple[int, int] | None = None


def find_owned(text: str, end: int, nouns: list[tuple[Noun, int, int]], names: list[Name]) -> Iterator[Said]:
    """What each noun of a sentence may say; the caller checks classes and values.

    Args:
        end: of the sentence.
    """
    for noun, first, last in nouns:
        before = [name for name in names if name.end <= first]
        after = [name for name in names if name.start >= last]
        if before and _OWNS.fullmatch(text, before[-1].end, first):  # Ann's birthday is …, Ann has a friend …
            following = _IS.match(text, last, end)
            yield Said(noun, before[-1], first, last, *_value(following, after))
        elif after and _OF.fullmatch(text, last, after[0].start):
            owner = after[0]
            surely = _IS_SURELY.match(text, owner.end, end)
            if surely and _ARTICLE.search(text, max(0, first - 6), first):  # the birthday of Ann is …
                yield Said(noun, owner, first, owner.end, *_value(surely, after[1:]))
            if before and text[before[-1].end : first].strip() and _IS_THE.fullmatch(text, before[-1].end, first):
                yield Said(noun, owner, first, owner.end, before[-1])  # Bob is the CEO of Acme; Bob, CEO of Acme,
        elif before and (number := _number_before(text, before[-1].end, first)):  # Acme has 500 employees
            yield Said(noun, before[-1], first, last, number=number)


def _value(match: re.Match[str] | None, after: list[Name]) -> tuple[Name | None, int | None]:
    if match is None:
        return None, None
    name = after[0] if after and after[0].start in range(match.end(), match.end() + 2) else None
    return name, match.end() if match.group().strip() else None


def _number_before(text: str, start: int, noun: int) -> tuple[int, int] | None:
    match = re.compile(rf"(?P<lead>.{{1,20}}?){NUMBER.pattern}\s+").fullmatch(text, start, noun)
    return match.span("value") if match and _HAS_OR_IS.fullmatch(match["lead"]) else None
