"""Common-noun phrases as objects: "I enjoy painting, playing piano and tea tasting", 我喜欢徒步、长跑."""

from __future__ import annotations

import re

from stratagraph.extraction.embedded.names import Name
from stratagraph.extraction.tokens import CJK, COMPLEMENTS, MONTHS_AND_DAYS, PHRASE_STOPS, Token

_CHINESE_ITEM_STOP = re.compile(r"[我你他她它您的了吗呢吧这那什么哪没不是有会能要]")


def noun_phrases(text: str, start: int, end: int, tokens: list[Token]) -> list[Name]:
    """Common-noun phrases right after a cue: 'painting, playing piano and tea tasting'."""
    piece = text[start:end]
    if re.match(rf"\s*[{CJK}]", piece):
        return _chinese_nouns(piece, start)
    found: list[Name] = []
    phrase: list[Token] = []
    position = start
    for token in [t for t in tokens if start <= t.start and t.end <= end]:
        gap = text[position : token.start]
        position = token.end
        ends_item = token.lower == "and" or "," in gap
        if not re.fullmatch(r"[\s-]*,?\s*", gap):
            break
        if ends_item:
            if not _keep(phrase, found, text):
                return found
            phrase = [] if token.lower == "and" else [token]
            if phrase and token.lower in PHRASE_STOPS:
                return found
            continue
        if token.lower in PHRASE_STOPS or token.lower in MONTHS_AND_DAYS or token.is_cjk:
            if phrase and phrase[0].lower.endswith("ing") and token.lower in COMPLEMENTS:
                phrase = []
            break
        phrase.append(token)
    _keep(phrase, found, text)
    if len(found) == 2 and " " not in found[0].text and " " in found[1].text and not found[0].text.endswith(("s", "ing")):
        return found[1:]  # "sunny and warm weather": the first word may be half of the phrase
    return found


def _keep(phrase: list[Token], found: list[Name], text: str) -> bool:
    """Keep a noun phrase of one to four words with a lower-case word in it; False ends the list."""
    if not phrase or len(phrase) > 4 or not any(token.text.islower() for token in phrase):
        return False
    start, end = phrase[0].start, phrase[-1].end
    found.append(Name(start, end, text[start:end], "noun"))
    return True


def _chinese_nouns(piece: str, offset: int) -> list[Name]:
    clause = re.match(rf"[{CJK}\w、]+", piece.strip())
    if clause is None:
        return []
    lead = len(piece) - len(piece.lstrip())
    found: list[Name] = []
    for match in re.finditer(r"[^、和与及]+", clause.group()):
        item = match.group()
        if "的" in item:
            return []  # 晴朗、温暖的天气: what came before may be its attributes
        if not 1 < len(item) <= 8 or item[0] == "在" or _CHINESE_ITEM_STOP.search(item):
            break
        start = offset + lead + match.start()
        found.append(Name(start, start + len(item), item, "noun"))
    return found
