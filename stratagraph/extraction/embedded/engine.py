"""The default engine: no model, no network, no key. It reads what the ontology has words for, and nothing else.

A relation is a cue phrase (a label or skos:altLabel of a property) with a name on either side that fits domain and range.
Precision before recall: what is negated, supposed, asked, vaguely dated or ambiguous is left out, not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stratagraph.extraction.embedded.lexicon import CueMatch, Lexicon
from stratagraph.extraction.embedded.names import Gazetteer, Name, find_names
from stratagraph.extraction.protocol import ChunkInput, ExtractedEntity, ExtractedRelation, Extraction
from stratagraph.extraction.times import TimeExpression, find_times, iso
from stratagraph.extraction.tokens import (
    ALTERNATIVE,
    CHINESE_FILLERS,
    CHINESE_OTHERS,
    CHINESE_UNCERTAIN,
    CJK,
    COMPLEMENTS,
    FILLERS_AFTER,
    FILLERS_BEFORE,
    MONTHS_AND_DAYS,
    NO_LONGER,
    NO_SUBJECT_AFTER,
    PHRASE_STOPS,
    UNCERTAIN,
    Token,
    sentences,
    tokenise,
)
from stratagraph.ontology.model import Ontology

VERSION = "1"
_COORDINATION = re.compile(r"\s*(?:,|、|和|与|及|以及|,?\s*\band\b|&)\s*", re.I)
_AND = re.compile(r"\s*(?:[,;，；]\s*)?(?:and|then|,|，|并且?|而且|随后|然后|后来)?\s*", re.I)
_CONJUNCTION = re.compile(r"[,;，；]|\band\b|\bthen\b|并且?|而且|然后|后来", re.I)
_QUESTION = re.compile(r"[?？][\"'”’)\s]*$|吗[。！]?$")
_CHINESE_ITEM_STOP = re.compile(r"[我你他她它您的了吗呢吧这那什么哪没不是有会能要]")
_SEPARATOR = re.compile(r"[,，;；]|\band\b|\bthen\b")
_MAX_TITLE_GAP = 60


@dataclass(frozen=True)
class _Found:
    """A relation as found, before it is given its time."""

    subject: Name
    objects: tuple[tuple[Name, str], ...]
    subject_class: str
    match: CueMatch
    ends: bool
    start: int
    end: int


class EmbeddedExtractor:
    """Ontology-driven lexical extraction; see the module docstring."""

    concurrency = 1
    known_in_key = True

    def __init__(self) -> None:
        self._lexicon: Lexicon | None = None

    @property
    def name(self) -> str:
        return f"embedded/{VERSION}"

    @property
    def fingerprint(self) -> str:
        return self.name

    def extract(self, chunk: ChunkInput, ontology: Ontology) -> Extraction:
        if self._lexicon is None or self._lexicon.ontology is not ontology:
            self._lexicon = Lexicon.of(ontology)
        reader = _Reader(self._lexicon, chunk)
        for start, end in sentences(chunk.text):
            reader.read_sentence(start, end)
        return Extraction(
            entities=tuple(reader.entities.values()), relations=tuple(reader.relations), rejected=tuple(reader.rejected)
        )


class _Reader:
    """Reads one chunk, sentence by sentence."""

    def __init__(self, lexicon: Lexicon, chunk: ChunkInput) -> None:
        self.lexicon, self.chunk, self.text = lexicon, chunk, chunk.text
        self.known = Gazetteer(chunk.known, lexicon)
        self.entities: dict[tuple[str, str], ExtractedEntity] = {}
        self.relations: list[ExtractedRelation] = []
        self.rejected: list[tuple[str, str, str]] = []
        self.classes: dict[str, str] = {}  # name -> class, as told by an earlier relation or form

    def read_sentence(self, start: int, end: int) -> None:
        tokens = tokenise(self.text, start, end)
        if not tokens:
            return
        names = find_names(self.lexicon, self.text, tokens, self.known, self.chunk.speaker)
        for name in names:
            if name.sure and name.class_iri:
                self._add(name, name.class_iri)
        cues = [cue for cue in self.lexicon.find_cues(self.text, tokens) if not _inside(tokens[cue.start].start, names)]
        if not cues or _QUESTION.search(self.text[start:end]):
            return
        times = [
            TimeExpression(t.start + start, t.end + start, t.text, t.role, t.precision, t.instant, t.problem)
            for t in find_times(self.text[start:end], self.chunk.reference_time)
        ]
        found = self._relations(start, end, tokens, names, cues, times)
        for index, relation in enumerate(found):
            self._emit(relation, self._times_of(found, index, times), self.text[start:end])

    def _relations(
        self, start: int, end: int, tokens: list[Token], names: list[Name], cues: list[CueMatch], times: list[TimeExpression]
    ) -> list[_Found]:
        found: list[_Found] = []
        cues = self._viable(start, cues, tokens, names, times)
        for index, match in enumerate(cues):
            left = tokens[cues[index - 1].end - 1].end if index else start
            right = tokens[cues[index + 1].start].start if index + 1 < len(cues) else end
            if found and tokens[match.start].start < found[-1].end:
                continue  # part of an object: "love traveling and watching movies"
            cue_start, cue_end = tokens[match.start].start, tokens[match.end - 1].end
            subject, no_longer = self._subject(start, left, cue_start, names, times, found[-1] if found else None)
            if (
                subject is None
                or self._other_subject(subject, cue_start, tokens)
                or self._uncertain(start, cue_start, tokens, found)
            ):
                continue
            subject_class = self._class_of(subject, match.cue.domain)
            if subject_class is None:
                continue
            verbs = [tokens[cue.start].start for cue in cues[index + 1 :] if not tokens[cue.start].lower.endswith("ing")]
            objects = self._objects(match, cue_end, right, verbs[0] if verbs else end, tokens, names)
            if objects:
                last = max(name.end for name, _ in objects)
                found.append(_Found(subject, objects, subject_class, match, match.cue.ends or no_longer, cue_start, last))
        return found

    def _viable(
        self, start: int, cues: list[CueMatch], tokens: list[Token], names: list[Name], times: list[TimeExpression]
    ) -> list[CueMatch]:
        """Cues with a name or a conjunction before them; the others are mere words: "a novel about love called …"."""
        kept: list[CueMatch] = []
        for match in cues:
            left = tokens[kept[-1].end - 1].end if kept else start
            cue_start = tokens[match.start].start
            before = [name for name in names if left <= name.start and name.end <= cue_start]
            direct = bool(before) and self._gap(before[-1].end + self._tail(before[-1]), cue_start, times)[0]
            clauses = _CONJUNCTION.split(self._without_times(left, cue_start, times))
            if direct or (len(clauses) > 1 and _only_fillers(clauses[-1])):
                kept.append(match)
        return kept

    def _subject(
        self, start: int, left: int, cue_start: int, names: list[Name], times: list[TimeExpression], previous: _Found | None
    ) -> tuple[Name | None, bool]:
        """The name the cue speaks of, and whether 'no longer' stands between."""
        before = [name for name in names if left <= name.start and name.end <= cue_start]
        if before:
            gap, no_longer = self._gap(before[-1].end + self._tail(before[-1]), cue_start, times)
            if gap:
                return before[-1], no_longer
        if previous is not None and not [name for name in before if name.start >= previous.end]:
            between = self._without_times(previous.end, cue_start, times)
            conjoined = _AND.match(between)
            if conjoined and conjoined.group().strip() and _only_fillers(between[conjoined.end() :]):
                return previous.subject, False
        return None, False

    def _other_subject(self, subject: Name, cue_start: int, tokens: list[Token]) -> bool:
        """Whether the name is not what the cue speaks of: 'a friend of Ann joined', 'Ann or Bob joined', 'had Ann joined'."""
        before = [token.lower for token in tokens if token.end <= subject.start]
        if subject.kind == "self" or not before or re.search(r"\bwho\b", self.text[subject.end : cue_start]):
            return False
        nearest = before[-2:-1] if before[-1] in ("the", "a", "an", "both") else before[-1:]
        return bool(nearest) and nearest[0] in NO_SUBJECT_AFTER

    def _tail(self, name: Name) -> int:
        # "I'm", "I've": the pronoun's name ends after the letter I, the token does not.
        match = re.compile(r"['’](?:m|ve)\b").match(self.text, name.end) if name.kind == "self" else None
        return len(match.group()) if match else 0

    def _gap(self, start: int, end: int, times: list[TimeExpression]) -> tuple[bool, bool]:
        gap = self._without_times(start, end, times)
        words = tuple(token.lower for token in tokenise(gap))
        for phrase in NO_LONGER:
            if words[-len(phrase) :] == phrase and _only_fillers(" ".join(words[: -len(phrase)])):
                return True, True
        if gap.endswith("不再") and _only_fillers(gap[:-2]):
            return True, True
        return _only_fillers(gap), False

    def _without_times(self, start: int, end: int, times: Sequence[TimeExpression]) -> str:
        """The text between two places, dates and their prepositions taken out."""
        text = self.text[start:end]
        for time in reversed([t for t in times if start <= t.start and t.end <= end]):
            before = re.sub(r"\b(?:in|on|since|from|until|as of|at|自|从|于)\s*$", "", text[: time.start - start], flags=re.I)
            text = before + re.sub(r"^(?:年)?(?:以来|起|开始)?", "", text[time.end - start :])
        return text

    def _uncertain(self, start: int, cue_start: int, tokens: list[Token], found: list[_Found]) -> bool:
        """Whether something before the cue says that it did not, or not certainly, happen."""
        since = max((f.end for f in found), default=start)
        words = [token.lower for token in tokens if since <= token.start and token.end <= cue_start]
        if words[-2:] == ["no", "longer"] or words[-3:] == ["not", "any", "longer"]:
            words = words[:-2]
        if any(word in UNCERTAIN or word.endswith(("'d", "'ll", "n't")) for word in words):
            return True
        clause = re.split(r"[，,；;]", self.text[since:cue_start].removesuffix("不再"))[-1]
        return CHINESE_UNCERTAIN.search(clause) is not None

    def _objects(
        self, match: CueMatch, start: int, end: int, phrase_end: int, tokens: list[Token], names: list[Name]
    ) -> tuple[tuple[Name, str], ...]:
        expression = match.cue.range
        after = [name for name in names if start <= name.start and name.end <= end and name.kind != "self"]
        found: list[tuple[Name, str]] = []
        position = start
        for name in after:
            gap = self.text[position : name.start]
            if found and (match.cue.property.single_valued or not _COORDINATION.fullmatch(gap.rstrip('"“《「'))):
                break
            if not found and not self._leads_to(gap, name):
                break
            class_iri = self._class_of(name, expression)
            if class_iri is None or self.text[name.end : name.end + 2] in ("'s", "’s"):
                break
            found.append((name, class_iri))
            position = name.end + (1 if self.text[name.end : name.end + 1] in ('"', "”", "》", "」") else 0)
        if found:
            return () if ALTERNATIVE.match(self.text, position) else tuple(found)
        noun_class = self.lexicon.classes_for(self.lexicon.noun_classes, expression) if expression else None
        return tuple((name, noun_class) for name in self._nouns(start, phrase_end, tokens)) if noun_class else ()

    def _leads_to(self, gap: str, name: Name) -> bool:
        """Whether the words between a cue and a name leave the name its object."""
        stripped = gap.rstrip('"“《「')
        if name.kind == "quoted" and len(gap) <= _MAX_TITLE_GAP:
            return not re.search(r"[,;:，；：]", stripped) and not CHINESE_OTHERS.search(stripped)
        words = [token.lower for token in tokenise(stripped)]
        plain = stripped.strip(" \t\u00a0") == "" or re.fullmatch(r"[\w\s'’]*", stripped) is not None
        return plain and all(word in FILLERS_AFTER or word in self.lexicon.class_nouns for word in words)

    def _nouns(self, start: int, end: int, tokens: list[Token]) -> list[Name]:
        """Common-noun phrases right after a cue: 'painting, playing piano and tea tasting'."""
        piece = self.text[start:end]
        if re.match(rf"\s*[{CJK}]", piece):
            return _chinese_nouns(piece, start)
        found: list[Name] = []
        phrase: list[Token] = []
        position = start
        for token in [t for t in tokens if start <= t.start and t.end <= end]:
            gap = self.text[position : token.start]
            position = token.end
            ends_item = token.lower == "and" or "," in gap
            if not re.fullmatch(r"[\s-]*,?\s*", gap):
                break
            if ends_item:
                if not _keep(phrase, found, self.text):
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
        _keep(phrase, found, self.text)
        if len(found) == 2 and " " not in found[0].text and " " in found[1].text and not found[0].text.endswith(("s", "ing")):
            return found[1:]  # "sunny and warm weather": the first word may be half of the phrase
        return found

    def _class_of(self, name: Name, expression: tuple[frozenset[str], ...]) -> str | None:
        """The class of a name in a role, or None where it does not fit or cannot be told."""
        if len(name.classes) > 1:
            fitting = [iri for iri in name.classes if self.lexicon.ontology.satisfies(iri, expression)]
            return fitting[0] if len(fitting) == 1 else None
        told = name.class_iri or self.classes.get(name.text)
        if told is not None:
            return told if self.lexicon.ontology.satisfies(told, expression) else None
        only = self.lexicon.only_class(expression)
        known = self.lexicon.ontology.classes.get(only) if only else None
        return only if known and not known.quoted_names and not known.common_nouns else None

    def _times_of(self, found: list[_Found], index: int, times: list[TimeExpression]) -> list[TimeExpression]:
        """The times of one of a sentence's relations: its own, else those that open the sentence.

        A time after a comma or 'and' belongs to the relation that follows: "joined A in 2019 and in 2020 moved to B".
        """
        relation = found[index]
        until = found[index + 1].start if index + 1 < len(found) else len(self.text)
        after = [t for t in times if relation.end <= t.start and t.end <= until]
        if index + 1 < len(found):
            after = [t for t in after if not _SEPARATOR.search(self.text[relation.end : t.start])]
        since = found[index - 1].end if index else relation.subject.end
        before = [t for t in times if since <= t.start and t.end <= relation.start]
        if index:
            before = [t for t in before if _SEPARATOR.search(self.text[since : t.start])]
        return before + after or [t for t in times if t.end <= found[0].subject.start and t.end <= relation.subject.start]

    def _emit(self, relation: _Found, times: list[TimeExpression], quote: str) -> None:
        prop = relation.match.cue.property
        broken = next((t for t in times if t.instant is None), None)
        if broken is not None:
            self.rejected.append(("invalid_time", broken.problem or broken.text, quote))
            return
        if any(t.role == "vague" for t in times):
            return
        begins = next((t for t in times if t.role in ("at", "since")), None)
        ends = next((t for t in times if t.role == "until"), None)
        self._add(relation.subject, relation.subject_class)
        for name, class_iri in relation.objects:
            if name.text == relation.subject.text:
                continue
            self._add(name, class_iri)
            self.relations.append(
                ExtractedRelation(
                    subject=relation.subject.text, predicate=prop.iri, object=name.text, quote=quote, ended=relation.ends,
                    valid_from=iso(begins.instant) if begins and begins.instant else None,
                    valid_to=iso(ends.instant) if ends and ends.instant else None,
                    valid_from_text=begins.text if begins else None, valid_to_text=ends.text if ends else None,
                    confidence=0.9 if name.kind != "capitalised" or name.text != name.text.lower() else 0.7,
                )
            )  # fmt: skip

    def _add(self, name: Name, class_iri: str) -> None:
        self.classes.setdefault(name.text, class_iri)
        written = self.text[name.start : name.end]
        surface = written if written != name.text else None
        key = (name.text, class_iri)
        if key not in self.entities or (self.entities[key].surface and not surface):
            self.entities[key] = ExtractedEntity(name.text, class_iri, surface)


def _inside(position: int, names: list[Name]) -> bool:
    return any(name.start <= position < name.end for name in names if name.kind != "self")


def _only_fillers(gap: str) -> bool:
    if re.search(r"[^\w\s,'’，-]", gap):
        return False
    if re.search(rf"[{CJK}]", gap):
        return CHINESE_FILLERS.fullmatch(gap) is not None
    words = [token.lower for token in tokenise(gap)]
    return all(word in FILLERS_BEFORE for word in words) and (gap.count(",") == 0 or "who" in words)


def _keep(phrase: list[Token], found: list[Name], text: str) -> bool:
    """Keep a noun phrase of one to four words with a lower-case word in it; False ends the list."""
    if not phrase or len(phrase) > 4 or not any(token.text.islower() for token in phrase):
        return False
    start, end = phrase[0].start, phrase[-1].end
    found.append(Name(start, end, text[start:end], "capitalised"))
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
        found.append(Name(start, start + len(item), item, "capitalised"))
    return found
