"""Where sentences end, with offsets, in any script. What is unsure is told apart from what is sure.

A stop that may belong to an abbreviation, an initial or a number ends a sentence only as a `PHRASE`: to cut there is better
than to cut between two words, and worse than to cut at a sure end. Thai, Lao, Khmer and Burmese part phrases by a space and
mark no sentences; those spaces are phrases too. Words are not known here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

PHRASE, SENTENCE = 5, 6  # how strong a seam is; splitting.py has the whole order

# After a stop of an alphabet “ closes (German), in Chinese it opens what comes next.
_FULL_CLOSERS = "\"'”’»)\\]}」』）】》〉〕］｝*_"
_CLOSERS = "\"'”’“»«›)\\]}」』）】》〉〕］｝*_`"
# Scripts that write words without spaces between them and phrases with one: Thai, Lao, Burmese, Khmer. Not ๆ, which has spaces
# about it.
_UNSPACED = "\u0e01-\u0e45\u0e47-\u0eff\u1000-\u109f\u1780-\u17ff"
_MARK = re.compile(
    rf"(?P<full>[。！？｡।॥።፧។៕။](?:[。！？｡।॥!?…])*+[{_FULL_CLOSERS}]*+)"
    rf"|(?P<stop>(?<![.!?؟۔։])[.!?؟۔։]++[{_CLOSERS}]*+(?:[ \u00a0\u202f]»)?)(?=\s|\Z)"
    rf"|(?P<greek>(?<=[\u0370-\u03ff\u1f00-\u1fff]);)(?=\s)"
    rf"|(?P<space>(?<=[{_UNSPACED}]) ++)(?=[{_UNSPACED}])"
    r"|(?P<open>[「『])|(?P<close>[」』])"
)
_VISIBLE = re.compile(r"\s*+(\S?)")
_LAST_WORD = re.compile(r"[^\s\"'“”‘’«»„(\[{（「—–/]+\Z")
_JAPANESE_GOES_ON = frozenset("とっなのがはもにを、，,")  # 「はい。」と彼は言った。
_QUOTES = re.compile("[\"'”’“»«›」』]")
_WORD_CHARACTERS = 24


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A stop after these ends no sentence.
_TITLES = _words(
    """mr mrs ms dr prof st no nr vs e.g i.e gen sen rep gov capt col lt sgt rev hon mt ft fig figs pp vol ed eds al cf ca
    approx
    hr fr frl bzw vgl z.b d.h u.a ggf evtl abs art str sog bes inkl exkl zzgl bspw tel
    mme mlle mgr sra srta sres dña núm pág págs av sig dott dott.ssa ing avv p.ej cit dhr mevr drs bijv
    им ул гг стр рис тыс руб см др т.е т.к т.н напр англ акад чл проф ред"""
)
# A stop after these may end one.
_MAYBE = _words("inc ltd co corp bros llc llp plc jr sr esq etc ave blvd rd dept est usw ff enz osv ecc тд тп")
_MONTHS = _words(
    """jan feb mar apr jun jul aug sep sept oct nov dec mär okt dez janv févr avr juil août déc ene abr ago dic gen mag giu
    lug set ott"""
)
# A number with a stop after these is the third or the fifth, in German and its neighbours.
_BEFORE_ORDINALS = _words("am der die das dem den des vom zum zur im bis ab seit und dieser d dne")


def sentence_ends(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Places in `text[start:end]` after which a new sentence or phrase begins, each with its strength.

    >>> list(sentence_ends("Dr. Smith left. 他走了。Then", 0, 24))
    [(15, 6), (20, 6)]
    """
    depth = 0
    for match in _MARK.finditer(text, start, end):
        match match.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth = max(depth - 1, 0)
            case "full":
                depth = max(depth - sum(mark in "」』" for mark in match.group()), 0)
                strength = _after_full_stop(text, match.end(), end)
                if strength:
                    yield match.end(), min(strength, PHRASE) if depth else strength
            case "stop":
                strength = _after_stop(text, start, match, end)
                if strength:
                    yield match.end(), strength
            case "greek":
                yield match.end(), SENTENCE
            case _:
                yield match.start(), PHRASE


def joins(text: str, at: int, end: int) -> bool:
    """Whether the character at a place belongs to the one before it, so that nothing may be cut there."""
    if not 0 < at < end:
        return False
    mark = text[at]
    return "\u200d" in (mark, text[at - 1]) or unicodedata.category(mark)[0] == "M" or "\U0001f3fb" <= mark <= "\U0001f3ff"


def _after_full_stop(text: str, at: int, end: int) -> int:
    if joins(text, at, end) or (at < end and text[at] in "、，,；)）"):
        return 0
    return 0 if at < end and text[at - 1] in "」』" and text[at] in _JAPANESE_GOES_ON else SENTENCE


def _after_stop(text: str, start: int, match: re.Match[str], end: int) -> int:
    visible = _VISIBLE.match(text, match.end(), end)
    following = visible[1] if visible else ""
    # A lower-case letter goes on with the sentence ('"Why?" she asked'); so does a mark that belongs to the space before it.
    if following.islower() or (following and unicodedata.category(following)[0] == "M"):
        return 0
    marks = match.group().rstrip(_CLOSERS + " \u00a0\u202f")
    if marks != ".":
        return PHRASE if set(marks) == {"."} else SENTENCE
    if _QUOTES.search(match.group()):
        return SENTENCE
    before = _LAST_WORD.search(text, max(start, match.start() - _WORD_CHARACTERS), match.start())
    return _after_word(before[0], following, text, start, before.start()) if before else SENTENCE


def _after_word(word: str, following: str, text: str, start: int, at: int) -> int:
    lower = word.lower()
    if lower in _TITLES:
        return 0
    if len(word) == 1 and word.isalpha():
        return (
            (PHRASE if word == "I" else 0) if word.isupper() or word.islower() else SENTENCE
        )  # an initial; other scripts have none
    if word.isdecimal() and len(word) <= 2:  # 'am 3. Oktober', and '1. First' of a list
        line = max(start, text.rfind("\n", start, at) + 1, at - _WORD_CHARACTERS)
        before = text[line:at].split()
        abbreviated = before and before[-1].lower().rstrip(".") in _TITLES  # 'Fig. 3.'
        if not before or (before[-1].endswith((".", "!", "?", ":", ";")) and not abbreviated):
            return 0
        return PHRASE if before[-1].lower() in _BEFORE_ORDINALS else SENTENCE
    if lower in _MONTHS:
        return 0 if following.isdecimal() else PHRASE
    if lower in _MAYBE or ("." in word and word.replace(".", "").isalpha()) or (following.isdecimal() and len(word) <= 4):
        return PHRASE
    return SENTENCE
