"""Whether a clause states what it says: denials, suppositions, hearsay, plans and orders do not; and what may stand between a
subject and its verb. Pure functions of text; which names and cues there are is `reader.py`.

Precision before recall: where a clause may be meant otherwise, it is taken not to state anything.
"""

from __future__ import annotations

import re

from stratagraph.extraction.tokens import CHINESE_FILLERS, CJK, FILLERS_BEFORE, Token, tokenise, word_set

BE = word_set("is are was were am be been being")
NO_LONGER = (("no", "longer"), ("not", "any", "longer"), ("used", "to"))
# A participle after a form of "be" is passive: "was hired". These do not end in -ed.
IRREGULAR_PARTICIPLES = word_set(
    """met led sold bought built made told taught held kept lost paid sent spent won found left read heard put set cut hit born
    written given taken seen known shown chosen driven drawn thrown grown beaten spoken broken stolen run begun sung"""
)
RELATIVES = word_set("who which that")

# These deny the clause they stand in, up to a conjunction.
_NEGATORS = word_set("not never no cannot neither nor nobody none hardly scarcely barely")
# These make all that follows in the sentence somebody's word, wish or supposition.
_HEDGES = word_set(
    """would could might may if unless whether rumour rumours rumor rumors rumoured rumored reportedly allegedly supposedly
    denied denies deny denying hopes hope hoped plans plan planned wants want wanted wish wishes wished considering
    considered almost nearly imagine suppose supposes supposed pretend pretends pretended fake false falsely untrue
    wrong wrongly hoax says said say claims claimed claim claiming alleges alleged allegation allegations believes
    believed believe think thinks thought guess guesses suspect suspects suspected suspicion assume assumes assumed
    expects expected expect heard wonder wonders wondered doubt doubts doubted doubtful neither nor refused refuses
    refusing failed fails tried tries attempted threatened intends intended possibly perhaps maybe probably likely
    unlikely possibility dreams dream dreaming dreamed dreamt fears feared instead imagined apparently promised promises offered
    agreed asked told ordered whoever please let"""
)
_AS_SAID = re.compile(r"\b[Aa]s (?:expected|planned|hoped|promised|agreed|intended|feared|said|announced|reported)\b,?")
_CLAUSE = word_set("and but then when because although though while whereas since after so")
# After the relation: someone else said it, or it is called untrue.
_DISCLAIMED = re.compile(
    r"""[,"”]\s*["”]?\s*(?:(?!(?:and|but|who|which|where|when|because|while)\b)[\w.'’-]+\s+){1,5}?
          (?:said|says?|claim(?:s|ed)?|alleg(?:es|ed)|believe[sd]?|thinks?|thought|insist(?:s|ed)|hoped?|joked|lied|guess(?:es|ed)?)\b
      | \b(?:is|was)\s+(?:simply\s+|just\s+)?(?:false|untrue|wrong|a\s+(?:lie|hoax|rumou?r)|not\s+true|denied|fiction)\b
      | \baccording\s+to\s+(?:an?\s+|the\s+)?(?:rumou?rs?|unconfirmed|gossip)
      | \bin\s+(?:an?|his|her|their|the)\s+(?:dream|nightmare|imagination|fantasy|novel|story|film|movie|play|game)\b
      | \b(?:allegedly|reportedly|supposedly|apparently|if|unless)\b
      | [，,”]\s*”?[^，。,]{0,8}(?:(?<!小)说|声称|宣称|称|认为)[。！.]?\s*$
      | (?:是假|纯属|是谣言|不实)""",
    re.VERBOSE | re.IGNORECASE,
)
_CHINESE_HEDGES = re.compile(
    r"如果|要是|假如|假设|倘若|万一|除非|据[说称传悉]|听说|传闻|传言|谣传|(?<!小)说(?!服)|认为|以为|觉得|怀疑|声称|宣称|相信|猜|否认|拒绝|谁|是否|是不是|"
    r"会不会|或许|也许|可能|大概|似乎|好像|想要?|打算|希望|计划|准备|申请|差点|几乎|险些|梦|应该|即将|请|让|叫"
)
_CHINESE_NEGATORS = re.compile(r"[不没未别勿]|并非|绝非")
_APPOSITION = re.compile(r"\s*,\s+(?:\d{1,3}|(?:an?|the|its|their|our|now|then|formerly)\s+[a-z][^,;:.!?]{0,60}),\s*")
_PARENTHESIS = re.compile(r"\s*[(（][^()（）]{0,80}[)）]")


def is_stated(text: str, start: int, cue: tuple[int, int], end: int, tokens: list[Token], names: list[tuple[int, int]]) -> bool:
    """Whether a sentence states a relation.

    Args:
        start: where what may bear on it begins: the sentence, or the end of what it states before.
        cue: where the cue stands.
        end: where the relation ends (its last object); the sentence may say more.
        tokens: of the sentence.
        names: spans in which words mean nothing.
    """
    stop = tokens[-1].end
    if _in_quotation(text, tokens[0].start, cue[0], stop) or _DISCLAIMED.search(text, end, min(len(text), stop + 2)):
        return False
    # The first word of a sentence is capitalised whatever it is: "Imagine Ann joined", but "Hope Smith joined".
    opening = tokens[0].end if tokens[0].lower != "hope" else start
    before = _AS_SAID.sub("", _blank(text, start, cue[0], [(max(first, opening), last) for first, last in names]))
    said = [token.lower for token in tokenise(before) if token.text != "May"]  # the month; the verb does not open a statement
    for phrase in NO_LONGER:
        if tuple(said[-len(phrase) :]) == phrase:
            said = said[: -len(phrase)]
    if re.search(r"\bbefore\b[^,]*$", before, re.I):
        return False  # "was dismissed before he joined": it may never have happened
    if any(word in _HEDGES or word.endswith(("'d", "'ll")) for word in said):
        return False
    finite = any(t.lower.endswith(("s", "ed")) for t in tokenise(text, cue[0], cue[1])[:1]) or not before.isascii()
    breaks = [index for index, word in enumerate(said) if word in _CLAUSE and (finite or word not in ("and", "or"))]
    clause = said[breaks[-1] + 1 :] if breaks else said
    interjection = clause[:1] == ["no"] and re.match(r"\s*no\s*,", before, re.I)
    if any(word in _NEGATORS or word.endswith("n't") for word in clause[1 if interjection else 0 :]):
        return False
    return not (
        _CHINESE_HEDGES.search(before) or _CHINESE_NEGATORS.search(re.split(r"[，,；;]", before.removesuffix("不再"))[-1])
    )


def _in_quotation(text: str, start: int, cue: int, stop: int) -> bool:
    """Whether a cue stands in quotation marks, or in a sentence that one of them leaves or enters."""
    before, after = text.count('"', max(0, start - 1), cue), text.count('"', cue, stop + 2)
    if before % 2 or (after % 2 and not before):
        return True
    return any(
        text.rfind(opens, max(0, start - 1), cue) > text.rfind(closes, max(0, start - 1), cue)
        for opens, closes in ("“”", "「」")
    )


def _blank(text: str, start: int, end: int, names: list[tuple[int, int]]) -> str:
    """A piece of text with what is in names as spaces."""
    piece = text[start:end]
    for first, last in names:
        if first < end and last > start:
            first, last = max(first, start) - start, min(last, end) - start
            piece = piece[:first] + " " * (last - first) + piece[last:]
    return piece


def leads_to_verb(gap: str) -> tuple[bool, bool]:
    """Whether words between a subject and its cue leave it its subject, and whether they say that it is so no longer."""
    gap = _PARENTHESIS.sub(" ", gap)
    gap = _APPOSITION.sub(" ", gap, count=1)
    said = tuple(token.lower for token in tokenise(gap))
    for phrase in NO_LONGER:
        if said[-len(phrase) :] == phrase and only_fillers(" ".join(said[: -len(phrase)])):
            return True, True
    if gap.endswith("不再") and only_fillers(gap[:-2]):
        return True, True
    return only_fillers(gap), False


def only_fillers(gap: str) -> bool:
    """Whether words change nothing of what is said: "also", "has", "recently"."""
    if re.search(r"[^\w\s,'’，-]", gap):
        return False
    if re.search(rf"[{CJK}]", gap):
        return CHINESE_FILLERS.fullmatch(gap) is not None
    said = [token.lower for token in tokenise(gap)]
    return all(word in FILLERS_BEFORE or word in RELATIVES for word in said) and (
        gap.count(",") == 0 or any(word in RELATIVES for word in said)
    )


def is_participle(word: str) -> bool:
    return word.endswith("ed") or word in IRREGULAR_PARTICIPLES
