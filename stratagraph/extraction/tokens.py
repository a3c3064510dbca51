"""Sentences and words of a text, with offsets. Chinese and other unspaced scripts give one token a character.

Only segmentation and word lists live here; what words mean together is `embedded/reader.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LETTERS = rf"(?:[^\W_{CJK}][\u0300-\u036f]*)+"  # with accents that are characters of their own (NFD)
_TOKEN = re.compile(rf"[{CJK}]|\b(?:[A-Z]\.){{2,}}|{_LETTERS}(?:['’]{_LETTERS})*")
_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+|(?<=[。！？；])[”’」』]*|\n+")
_LONGEST = 1000
# A stop after these ends no sentence, whatever follows: a name goes on (Dr. Smith), or it is an initial (George W. Bush).
_GOES_ON = re.compile(r"(?:\b(?:Mrs?|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|Gen|Sen|Rep|Gov|Capt|Col|Lt|Sgt|Rev|Hon)|\b[A-Z])\.$")
# A stop after these ends a sentence if what follows begins one: 'joined Globex Inc. Ann Smith met Bob' are two.
_MAY_END = re.compile(r"\b(?:Inc|Ltd|Co|Corp|Bros|LLC|LLP|PLC|Jr|Sr|Esq|etc|Ave|Blvd|Rd)\.$")
_MONTH = re.compile(r"\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$")
_LEGAL_FORM = re.compile(r"(?:Inc|Ltd|Co|Corp|LLC|LLP|PLC|GmbH|AG)\b")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a Chinese character."""

    start: int
    end: int
    text: str
    lower: str

    @property
    def is_cjk(self) -> bool:
        return self.text >= "\u3040" and len(self.text) == 1

    @property
    def capitalised(self) -> bool:
        return self.text[0].isupper()


def tokenise(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of a text, or of a part of it."""
    stop = len(text) if end is None else end
    return [Token(m.start(), m.end(), m.group(), _lower(m.group())) for m in _TOKEN.finditer(text, start, stop)]


def _lower(word: str) -> str:
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", word.casefold().replace("’", "'"))


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans of sentences, without surrounding white space."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if "\n" not in match.group() and _is_abbreviation(text, start, match):
            continue
        spans.append((start, match.start() if match.group().isspace() else match.end()))
        start = match.end()
    spans.append((start, len(text)))
    trimmed = []
    for first, last in (part for begin, end in spans for part in _parts(text, begin, end)):
        piece = text[first:last]
        if piece.strip():
            trimmed.append((first + len(piece) - len(piece.lstrip()), first + len(piece.rstrip())))
    return trimmed


def _is_abbreviation(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether the stop before a possible end of a sentence belongs to a word, and the sentence goes on."""
    since, stop = max(start, end.start() - 6), end.start()
    if _GOES_ON.search(text, since, stop):
        return True
    following = text[end.end() : end.end() + 1]
    if _MONTH.search(text, since, stop):
        return following.isdigit() or following.islower()
    if _MAY_END.search(text, since, stop):
        return following.islower() or _LEGAL_FORM.match(text, end.end()) is not None
    return False


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence, or parts of what is too long to be one (a table, a list): reading costs the square of the length."""
    while end - start > _LONGEST:
        space = max(text.rfind(mark, start, start + _LONGEST) for mark in (" ", "，", ","))
        cut = space + 1 if space > start else start + _LONGEST
        yield start, cut
        start = cut
    yield start, end


def word_set(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


MONTHS_AND_DAYS = word_set(
    """january february march april may june july august september october november december jan feb mar apr jun jul aug sep
    sept oct nov dec monday tuesday wednesday thursday friday saturday sunday"""
)
# Capitalised only because a sentence starts; never the start of a name.
FUNCTION_WORDS = MONTHS_AND_DAYS | word_set(
    """dear a an the this that these those i i'm i've i'd i'll you you're your yours he he's his him she she's her hers it it's
    its we we're we've our ours they they're their theirs them me my mine myself who whom whose which what when where why
    how if unless whether while although though because since until after before during as at by for from in into of off
    on onto out over to under up with without within about above across against along among around behind below beneath
    beside besides between beyond despite down except inside like near outside past through throughout toward towards via
    and or but nor so yet not no yes never ever also too very just only even still already again then than there here now
    today yesterday tomorrow recently lately currently finally later soon sometimes often usually always maybe perhaps
    however therefore moreover meanwhile instead otherwise thus hence both either neither each every everyone everybody
    everything some someone somebody something any anyone anybody anything none nobody nothing many much more most few
    several all another other others such same own is am are was were be been being do does did done have has had having
    can could may might must shall should will would let let's please thanks thank hello hi hey ok okay oh well sure
    certainly great good nice wow sorry welcome people"""
)
# What may stand between a subject and its cue without changing what is said.
FILLERS_BEFORE = word_set(
    """also now then later recently just still currently once has have had is was are were am who really first again
    originally finally soon eventually already often very much so quite particularly especially always do did does i'm
    i've been being himself herself today additionally mainly truly absolutely definitely personally"""
)
FILLERS_AFTER = word_set("the a an at of our his her their its company firm startup called named both also")
# Right before a name, these say that it is not the subject of what follows: a friend of Ann joined, Bob or Ann joined.
NO_SUBJECT_AFTER = word_set(
    """of at from with by for in on to near like unlike than against about between among via or nor had were should did does do
    has have was is are will would could can"""
)
# After an object, perhaps with more of them between: one of several is not each of them.
ALTERNATIVE = re.compile(r"(?:,(?: [^\s,;.]+){1,4}){0,5}[\s,，]*(?:\b(?:or|nor)\b|或|还是)", re.I)
# After these a phrase that opens with a verb would lose its object: "listening to music".
COMPLEMENTS = word_set("to out of up for with about near on off at in into over around from by through")
# Where a noun phrase ends.
PHRASE_STOPS = (FUNCTION_WORDS - MONTHS_AND_DAYS - {"good", "great", "nice", "well", "past"}) | word_set(
    "is was when really doing getting going yourself himself herself ourselves themselves because very especially particularly "
    "mainly etc including"
)
CHINESE_FILLERS = re.compile(
    r"(?:很|也|还|最|最近|非常|就|在|正|正在|曾|曾经|已|已经|现在|今天|昨天|又|特别|真的|都|一直|比较|更|平时|是|，|,|\s|后来|随后|然后|并|并且|而且|其实|挺|十分|个人|本人)*"
)
CHINESE_OTHERS = re.compile(r"[你他她它您]|我们|咱|大家|谁|别人|人家")
