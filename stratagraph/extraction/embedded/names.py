"""Finds names in a sentence: capitalised runs, titles in quotation marks, known names, names that end in a telling word.

A name may carry a class that its form tells; otherwise its class follows from the relation it takes part in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from stratagraph.extraction.embedded.lexicon import Lexicon
from stratagraph.extraction.protocol import KnownName
from stratagraph.extraction.tokens import CJK, FUNCTION_WORDS, Token, word_set

_QUOTED = re.compile(r"《([^《》]{1,60})》|“([^“”]{1,80})”|\"([^\"\n]{1,80})\"|「([^「」]{1,60})」")
_CONNECTORS = frozenset(("of", "de", "von", "van", "der", "den", "la", "le", "du", "di", "da", "al", "bin", "y", "the", "&"))
_HONORIFICS = word_set("mr mrs ms dr prof professor sir lady gen sen rep gov capt col lt sgt rev hon")
_TITLES = _HONORIFICS | word_set(
    """president vice senator governor mayor minister secretary chancellor ambassador chairman chairwoman chair ceo cfo cto coo
    director manager captain colonel general lieutenant sergeant judge justice doctor reverend"""
)
_GENERATIONS = frozenset(("jr", "sr"))
_LEGAL_FORMS = frozenset(("co", "inc", "ltd", "corp"))
_FIRST_PERSON = frozenset(("i", "i'm", "i've"))
_JOINS = re.compile(r"(?: |-|&| & |\. |\u00a0)")
_MAX_NAME_TOKENS = 5
_OPEN, _CLOSE = frozenset('"“‘「《'), frozenset('"”’」》')
_APOSTROPHES = "'’‘ʼ`´"
_NO_APOSTROPHES = str.maketrans("", "", _APOSTROPHES)
# A word of a name: letters of any script, digits, accents, and signs that carry meaning (C++, C#, AT&T); "'s" is no part of it.
_UNIT = re.compile(
    rf"[{CJK}]|(?:(?![{CJK}])[^\s!-\"'-*,-/:-?\[-`{{-~\x00-\x1f\x7f-\xbf\u2000-\u206f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]"
    rf"|[\uff0b\uff03\uff06]|[{_APOSTROPHES}](?![sS]\b)(?=\w))+"
)
_STEM = rf"[{CJK}]"
_NOT_IN_STEM = "的了是在去到和与或我你他她它们这那一个有从来过也很还、，。就吗呢吧于被把向给"


@dataclass(frozen=True)
class Name:
    """A name in a text.

    Args:
        kind: how it was recognised.
        class_iri: the class its form tells, if it does.
        sure: whether the form alone makes it an entity, without a relation.
        classes: the classes it may have, if it is known as the name of several things.
        confidence: that it names a thing of its class, where its form alone says so.
    """

    start: int
    end: int
    text: str
    kind: Literal["capitalised", "quoted", "known", "self", "pronoun", "noun"]
    class_iri: str | None = None
    sure: bool = False
    classes: tuple[str, ...] = ()
    confidence: float = 0.8


def find_names(
    lexicon: Lexicon, text: str, tokens: list[Token], known: Gazetteer, speaker: str | None, cues: list[tuple[int, int]]
) -> list[Name]:
    """Names of one sentence, in order, not overlapping; the more telling form wins. No Chinese name holds one of the cues."""
    start, end = tokens[0].start, tokens[-1].end + 2
    given = known.find(text, start, min(end, len(text)))
    found = [name for name in _quoted(lexicon, text, start, end) if all(name.text != other.text for other in given)]
    found += [*given, *_suffixed(lexicon, text, start, end, cues + [(name.start, name.end) for name in given])]
    found += [name for name in _capitalised(lexicon, text, tokens) if not _is_titled(lexicon, text, name, given)]
    if speaker:
        found += _first_person(lexicon, text, tokens, speaker)
    rank = {"quoted": 0, "self": 1, "capitalised": 2, "known": 2}
    chosen: list[Name] = []
    for name in sorted(found, key=lambda n: (rank[n.kind], n.start - n.end, n.kind != "known", n.start)):
        if all(name.end <= other.start or other.end <= name.start for other in chosen):
            chosen.append(name)
    return sorted(chosen, key=lambda n: n.start)


def _is_titled(lexicon: Lexicon, text: str, name: Name, known: list[Name]) -> bool:
    """Whether a capitalised run is a known name after a title or a word of its class: 'CEO Ann Smith', 'Company Acme'."""
    for other in known:
        if other.end == name.end and other.start > name.start:
            before = re.findall(r"\w+", text[name.start : other.start].casefold())
            return all(word in _TITLES or word in lexicon.class_nouns for word in before)
    return False


def _quoted(lexicon: Lexicon, text: str, start: int, end: int) -> list[Name]:
    if not lexicon.quoted_classes:
        return []
    found = []
    for match in _QUOTED.finditer(text, start - 1 if start and text[start - 1] in '"“《「' else start, min(end, len(text))):
        group = next(index for index in range(1, 5) if match.group(index) is not None)
        inner = match.group(group)
        title = inner.strip().rstrip(",，")
        if not title or re.search(r"[.!?。！？]$", title) or not _title_like(title):
            continue
        first = match.start(group) + len(inner) - len(inner.lstrip())
        sure = match.group(1) is not None or len(title.split()) > 1
        found.append(Name(first, first + len(title), title, "quoted", lexicon.quoted_classes[0], sure))
    return found


def _title_like(title: str) -> bool:
    words = title.split()
    if len(words) > 8:
        return False
    if re.match(_STEM, title):
        return True
    content = [word for word in words if word.lower() not in FUNCTION_WORDS]
    return words[0][0].isupper() and bool(content) and all(word[0].isupper() or not word[0].isalpha() for word in content)


class Gazetteer:
    """Known names, found in a text by their words as they are compared: one step a word, however many names there are."""

    def __init__(self, known: Iterable[KnownName], lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._names: dict[tuple[str, ...], tuple[str, list[str]]] = {}  # words -> name as written, classes
        self._lengths: dict[str, list[int]] = {}  # first word -> numbers of words, the longest first
        for given in sorted(known, key=lambda each: (each.name, each.class_iri or "")):
            key = tuple(word for _, _, word in name_units(given.name))
            class_iri = given.class_iri or lexicon.ontology.speaker_class
            if not key or (class_iri is not None and class_iri not in lexicon.ontology.classes):
                continue
            classes = self._names.setdefault(key, (given.name, []))[1]
            if class_iri and class_iri not in classes:
                classes.append(class_iri)
            lengths = self._lengths.setdefault(key[0], [])
            if len(key) not in lengths:
                lengths.append(len(key))
                lengths.sort(reverse=True)

    def find(self, text: str, start: int, end: int) -> list[Name]:
        """Known names of a sentence, from left to right, the longest at each place."""
        if not self._names:
            return []
        units = name_units(text, start, end)
        found: list[Name] = []
        index = 0
        while index < len(units):
            places = ((index, index + length) for length in self._lengths.get(units[index][2], ()))
            name = next((name for place in places if (name := self._at(text, units[slice(*place)]))), None)
            if name:
                found.append(name)
            index += len(name_units(name.text)) if name else 1
        return found

    def _at(self, text: str, units: list[tuple[int, int, str]]) -> Name | None:
        key = tuple(word for _, _, word in units)
        if key not in self._names:
            return None
        name, classes = self._names[key]
        start, end = units[0][0], units[-1][1]
        written = text[start:end]
        quoted = text[start - 1 : start] in _OPEN and text[end : end + 1] in _CLOSE
        if not quoted:  # in quotation marks even a common word is a name
            if all(word in FUNCTION_WORDS or word in self.lexicon.common_words for word in key):
                return None
            # One word is a name where it is written as one: 'Chai' is, and in 'a cup of chai' it is not.
            if len(key) == 1 and key[0].isalpha() and name[0].isupper() and not written[0].isupper():
                return None
        only = classes[0] if len(classes) == 1 else None
        return Name(start, end, name, "known", only, only is not None, tuple(classes), 0.95)


def name_units(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int, str]]:
    """Words of a text as names are compared by them, with their places; as `sql/extraction/create_name_macros.sql` does it."""
    found = []
    for match in _UNIT.finditer(text, start, len(text) if end is None else end):
        word = match.group()
        if not word.isascii():
            word = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", word))
        found.append((match.start(), match.end(), word.casefold().translate(_NO_APOSTROPHES)))
    return found


def _suffixed(lexicon: Lexicon, text: str, start: int, end: int, apart: list[tuple[int, int]]) -> list[Name]:
    """Chinese names that end in a word of a class (绿禾公园). Without spaces that is a hint, which a relation must confirm."""
    found = []
    for word, class_iri in lexicon.name_words.items():
        if not re.match(_STEM, word):
            continue
        pattern = re.compile(rf"(?:(?![{_NOT_IN_STEM}]){_STEM}){{2,6}}?{re.escape(word)}")
        first = start
        for stop, following in [*sorted(apart), (end, end)]:
            found += [Name(*match.span(), match.group(), "known", class_iri) for match in pattern.finditer(text, first, stop)]
            first = max(first, following)
    return found


def _capitalised(lexicon: Lexicon, text: str, tokens: list[Token]) -> list[Name]:
    found = []
    index = 0
    while index < len(tokens):
        if not _opens_name(tokens[index]) or tokens[index].lower in lexicon.roles:
            index += 1
            continue
        last = index
        probe = index + 1
        while probe < len(tokens) and _JOINS.fullmatch(text[tokens[probe - 1].end : tokens[probe].start]):
            token = tokens[probe]
            if token.lower in lexicon.roles and token.text.isupper():
                break  # Acme CEO Ann Smith
            if token.text[0].isdigit() or (token.capitalised and token.lower not in FUNCTION_WORDS):
                last = probe
            elif token.lower not in _CONNECTORS or probe - last > 2:
                break
            if text[token.end : token.end + 2] in ("'s", "’s"):
                break
            probe += 1
        first = index + 1 if tokens[index].lower in _HONORIFICS and last > index else index
        if not _owned(lexicon, tokens, first, last) and not _may_be_two(text, tokens, first, last):
            found.append(_capitalised_name(lexicon, text, tokens, first, last))
        index = last + 1
    return found


def _owned(lexicon: Lexicon, tokens: list[Token], first: int, last: int) -> bool:
    """Whether a run may be an owner and a name: "Acme's Ann Smith". "Levi's Park" is one name, as its last word tells."""
    owner = any(tokens[index].lower.endswith("'s") for index in range(first, last))
    return owner and tokens[last].lower not in lexicon.name_words


def _may_be_two(text: str, tokens: list[Token], first: int, last: int) -> bool:
    """Whether a sentence may end inside a run: 'the U.S. Bob Jones', 'Plan B. Bob Jones', 'Main St. Bob Jones'.

    What only begins the sentence is no end of one (J. K. Rowling), and an initial before a single name is one (George W. Bush).
    """
    for index in range(first, last):
        stopped = tokens[index].text.endswith(".") or text[tokens[index].end] == "."
        if not stopped or (index == first and (index == 0 or not tokens[index].text.endswith("."))):
            continue
        following = [t for t in tokens[index + 1 : last + 1] if t.capitalised and t.lower not in _GENERATIONS]
        if len(tokens[index].text) > 1 and tokens[index].lower not in _LEGAL_FORMS:
            return True
        if len(tokens[index].text) == 1 and len(following) > 1 and text[following[0].end : following[0].end + 1] != ".":
            return True
    return False


def _opens_name(token: Token) -> bool:
    return token.capitalised and token.lower not in FUNCTION_WORDS and not token.is_cjk


def _capitalised_name(lexicon: Lexicon, text: str, tokens: list[Token], first: int, last: int) -> Name:
    start, end = tokens[first].start, tokens[last].end
    if text[end - 2 : end] in ("'s", "’s"):
        end -= 2
    telling = 0 < last - first < _MAX_NAME_TOKENS  # a longer run is rather a title that ends in such a word
    class_iri = lexicon.name_words.get(re.sub(r"['’]s$", "", tokens[last].lower)) if telling else None
    return Name(start, end, text[start:end], "capitalised", class_iri, class_iri is not None)


def _first_person(lexicon: Lexicon, text: str, tokens: list[Token], speaker: str) -> list[Name]:
    found = []
    for index, token in enumerate(tokens):
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if (token.text[0] == "I" and token.lower in _FIRST_PERSON) or (
            token.text == "我" and following not in ("们", "的", "国", "家")
        ):
            end = token.start + 1
            found.append(Name(token.start, end, speaker, "self", lexicon.ontology.speaker_class))
    return found
