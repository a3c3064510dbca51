"""Values of attributes in a text: what follows "the birthday of Ann is" and fits the datatype, as it is written.

A number with a unit of measure is left out, because the property does not say which unit it counts; a currency is no part of
the number. What an attribute's value becomes in the form of its datatype is `extraction/literals.py`.
"""

from __future__ import annotations

import re

from stratagraph.extraction.times import TimeExpression
from stratagraph.extraction.tokens import CJK, FUNCTION_WORDS, tokenise, word_set
from stratagraph.ontology.xsd import TIMES, XSD

_NUMBERS = frozenset(
    XSD + name
    for name in (
        "integer", "decimal", "float", "double", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger",
        "unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte", "negativeInteger", "nonPositiveInteger",
    )
)  # fmt: skip
# What a time must say to be a value of a datatype; a day is as good as its midnight where a moment is asked for.
_PRECISIONS = {
    XSD + "date": ("day",), XSD + "dateTime": ("day", "instant"), XSD + "dateTimeStamp": ("day", "instant"),
    XSD + "gYear": ("year",), XSD + "gYearMonth": ("month",),
}  # fmt: skip
_LEAD = re.compile(r"[\s:：,]*(?:\b(?:on|in|at|the|as|about)\b\s*|[为是于在]\s*)?", re.I)
NUMBER = re.compile(r"(?:[$€£¥￥]\s?)?(?P<value>[+-]?\d+(?:\.\d+)?)(?![\w,]|\.\d|\s?%)")
_UNIT = re.compile(rf"\s?(?:(?P<word>[A-Za-zµ°²³]+)|[{CJK}]|[/°])")
_CURRENCY = word_set(
    "usd eur gbp cny rmb jpy dollars dollar euros euro pounds yuan yen and or but in on at from since until to for by"
)
_QUOTED = re.compile(r"[\"“「《](?P<value>[^\"“”「」《》\n]{1,80})[\"”」》]")
_MAIL = re.compile(r"(?P<value>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)")
_LINK = re.compile(r"(?P<value>https?://[^\s<>\"'，。]*[^\s<>\"'，。.,;:!?)])")
_PHONE = re.compile(r"(?P<value>\+?\(?\d[\d ().-]{4,18}\d)(?!\w)")
_WORDS = re.compile(
    rf"(?P<value>[^\s,.;:!?()\"“”{CJK}]+(?: [^\s,.;:!?()\"“”{CJK}]+){{0,3}})(?=\s*(?:[,.;!?)]|$|\band\b|\bbut\b))"
)
_CHINESE = re.compile(rf"(?P<value>[{CJK}]{{1,12}})(?=[，。；！？、\s]|$)")
_NO_VALUE = FUNCTION_WORDS | word_set("unknown none missing secret private changed changing different confidential important")


def value_at(text: str, start: int, end: int, datatypes: frozenset[str], times: list[TimeExpression]) -> tuple[int, int] | None:
    """Where the value stands that begins at a place in a sentence, or None.

    Args:
        datatypes: XSD datatypes that the property allows; empty = any.
        times: those of the sentence.
    """
    at = min(_LEAD.match(text, start, end).end(), end)  # type: ignore[union-attr]  # it matches nothing at least
    if datatypes & TIMES:
        found = next((t for t in times if at <= t.start <= at + 3 and t.instant and t.role == "at"), None)
        told = found and any(found.precision in _PRECISIONS.get(datatype, ()) for datatype in datatypes)
        return (found.start, found.end) if found and told else None
    if datatypes & _NUMBERS:
        return number_at(text, at, end)
    if XSD + "boolean" in datatypes:
        return None
    for pattern in (_QUOTED, _MAIL, _LINK, _PHONE):
        match = pattern.match(text, at, end)
        if match:
            return match.span("value")
    if XSD + "anyURI" in datatypes:
        return None
    match = _CHINESE.match(text, at, end) or _WORDS.match(text, at, end)
    if (
        match is None
        or any(token.lower in _NO_VALUE for token in tokenise(match["value"]))
        or re.match(r"[不没未]", match["value"])
    ):
        return None
    return match.span("value")


def number_at(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where a number stands that counts nothing else: "12.50", "$12.50", "12.50 USD", and not "5 ft"."""
    match = NUMBER.match(text, start, end)
    if match is None:
        return None
    unit = _UNIT.match(text, match.end(), end)
    if unit and (unit["word"] or "").lower() not in _CURRENCY | FUNCTION_WORDS:
        return None
    return match.span("value")
