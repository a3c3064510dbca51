"""Reads one chunk by what the ontology has words for: cues, the names beside them, when it was so, and how sure that is.

A relation is a cue phrase (a label or skos:altLabel of a property) with a name on either side that fits domain and range.
Precision before recall: what is negated, supposed, asked, vaguely dated or ambiguous is left out, not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from stratagraph.extraction.embedded.clauses import BE, RELATIVES, is_participle, is_stated, leads_to_verb, only_fillers
from stratagraph.extraction.embedded.learned.reading import Reader
from stratagraph.extraction.embedded.learned.statements import read_sentence
from stratagraph.extraction.embedded.lexicon import CueMatch, Lexicon, Noun
from stratagraph.extraction.embedded.names import Gazetteer, Name, find_names
from stratagraph.extraction.embedded.nouns import noun_phrases
from stratagraph.extraction.embedded.owned import find_owned
from stratagraph.extraction.embedded.values import value_at
from stratagraph.extraction.protocol import ChunkInput, ExtractedEntity, ExtractedRelation
from stratagraph.extraction.times import Precision, TimeExpression, find_times, iso
from stratagraph.extraction.tokens import (
    ALTERNATIVE,
    CHINESE_OTHERS,
    FILLERS_AFTER,
    NO_SUBJECT_AFTER,
    Token,
    tokenise,
)
from stratagraph.ontology.model import ClassExpression, OntologyProperty

_COORDINATION = re.compile(r"\s*(?:,|、|和|与|及|以及|,?\s*\band\b|&)\s*", re.I)
_AND = re.compile(r"\s*(?:[,;，；]\s*)?(?:and|but|then|,|，|并且?|而且|随后|然后|后来)?\s*", re.I)
_NEXT_VERB = re.compile(
    r"(?:\b(?:and|(?<!all )but|then)\b|[，；](?:并且?|而且|但是?|随后|然后|后来)?)\s*(?P<last>[^，；]*)$", re.I
)
_SUBORDINATE = re.compile(r"\b(?:that|who|which|whose|whom|when|because|if|where|while|of|['’]s)\b|['’]s\b|的", re.I)
# Somebody who is spoken of without a name: a pronoun may mean them.
_PERSONS = re.compile(
    r"\b(?:(?:grand)?(?:mother|father|son|daughter)|mom|dad|sister|brother|wife|husband|uncle|aunt|cousin|niece|nephew|friend|colleague"
    r"|boss|man|woman|boy|girl|guy|lady|child|baby|partner|neighbou?r|teacher|doctor)s?\b|[妈爸姐妹兄弟哥]|朋友|同事|老师|妻子|丈夫|儿子|女儿",
    re.I,
)
_AFTER_OR = re.compile(r"(?:\b(?:or|nor)|或者?|还是)\s*$", re.I)
_IS_A = re.compile(
    r"(?:\s+(?:is|was)|,)\s+an?\s+(?P<what>[\w-]+(?:\s+[\w-]+){0,3}?)"
    r"(?=[,.;!]|\s+(?:in|of|from|based|that|which|who|whose|founded|with|by|and|near|on)\b|$)"
)
_OR = re.compile(r"\s*(?:,\s*)?(?:\bor\b|\bnor\b|或者?|还是)\s*", re.I)
_CONJUNCTION = re.compile(r"[,;，；]|\band\b|\bbut\b|\bthen\b|并且?|而且|然后|后来", re.I)
_QUESTION = re.compile(r"[?？][\"'”’)\s]*$|吗[。！]?$")
_SEPARATOR = re.compile(r"[,，;；]|\b(?:and|but|then)\b")
_MAX_TITLE_GAP = 60


# How sure a relation is, by how it is said; what weakens it multiplies.
_PLAIN = 0.9  # a cue with a name right before and right after it
_SURE_CLASS = 0.85  # "Acme is a company"
_SURE = {"quoted": 0.9, "noun": 0.8, "ellipsis": 0.9, "pronoun": 0.7, "apart": 0.9}


@dataclass(frozen=True)
class _Subject:
    """What a cue speaks of.

    Args:
        ended: "no longer" stands between.
        sure: 1.0 where it stands right before the cue.
        direct: whether it stands in the cue's own clause, right before it.
    """

    names: tuple[Name, ...]
    ended: bool = False
    sure: float = 1.0
    direct: bool = True


@dataclass(frozen=True)
class _Found:
    """A relation as found, before it is given its time.

    Args:
        stated: the sentence says so; else it is kept because what follows may have the same subject.
    """

    subjects: tuple[tuple[Name, str], ...]
    objects: tuple[tuple[Name, str], ...]
    predicate: OntologyProperty
    ends: bool
    start: int
    end: int
    confidence: float
    stated: bool

    @property
    def first(self) -> int:
        return min(name.start for name, _ in self.subjects + self.objects)

    @property
    def holds(self) -> bool:
        """Whether it is stated of both ends; "hired by strangers" names no subject."""
        return self.stated and bool(self.subjects and self.objects)


class ChunkReader:
    """Reads one chunk, sentence by sentence."""

    def __init__(self, lexicon: Lexicon, chunk: ChunkInput) -> None:
        self.lexicon, self.chunk, self.text = lexicon, chunk, chunk.text
        self.known = Gazetteer(chunk.known, lexicon)
        self.entities: dict[tuple[str, str], ExtractedEntity] = {}
        self.relations: list[ExtractedRelation] = []
        self.rejected: list[tuple[str, str, str]] = []
        self.classes: dict[str, str] = {}  # name -> class, as told by an earlier relation or form
        self.attributes: dict[tuple[str, str], list[tuple[str, str]]] = {}  # of entities by name and class
        self.last_time: tuple[datetime, Precision] | None = None
        self.spoken_of: set[str] = set()  # names in earlier sentences that may be persons

    def read_sentence(self, start: int, end: int) -> None:
        tokens = tokenise(self.text, start, end)
        if not tokens:
            return
        cues = self.lexicon.find_cues(self.text, tokens)
        spans = [(tokens[cue.start].start, tokens[cue.end - 1].end) for cue in cues]
        names = find_names(self.lexicon, self.text, tokens, self.known, self.chunk.speaker, spans)
        for name in names:
            if name.sure and name.class_iri:
                self._add(name, name.class_iri, name.confidence)
        cues = [cue for cue in cues if not _inside(tokens[cue.start].start, names)]
        nouns = [noun for noun in self.lexicon.find_nouns(self.text, tokens) if not _inside(noun[1], names)]
        if not _QUESTION.search(self.text[start:end]):
            times = self._times(start, end)
            names = [name for name in names if name.kind != "capitalised" or not _inside_time(name, times)]
            names = [self._classed(name, tokens, names) for name in names]
            if cues or nouns:
                self._read_statements(start, end, tokens, names, cues, nouns, times)
        self.spoken_of.update(name.text for name in names if name.kind != "self" and self._may_be_person(name))

    def read_learned(self, learned: Reader, start: int, end: int) -> None:
        """What annotated examples teach of a sentence, beside what the ontology has words for."""
        if _QUESTION.search(self.text[start:end]):
            return
        said = {(relation.subject, relation.predicate, relation.object) for relation in self.relations}
        for subject, obj, relation in read_sentence(learned, self.chunk, self.lexicon.ontology, start, end, self.classes):
            for entity in filter(None, (subject, obj)):
                self.entities.setdefault((entity.name, entity.class_iri), replace(entity, attributes=()))
                self.classes.setdefault(entity.name, entity.class_iri)
            values = self.attributes.setdefault((subject.name, subject.class_iri), []) if subject.attributes else []
            values.extend(value for value in subject.attributes if value not in values)
            if relation is not None and (relation.subject, relation.predicate, relation.object) not in said:
                self.relations.append(relation)

    def _times(self, start: int, end: int) -> list[TimeExpression]:
        times = [
            replace(time, start=time.start + start, end=time.end + start)
            for time in find_times(self.text[start:end], self.chunk.reference_time, self.last_time)
        ]
        told = [(time.instant, time.precision) for time in times if time.instant and time.role != "vague"]
        self.last_time = next(((instant, precision) for instant, precision in reversed(told) if instant), self.last_time)
        return times

    def _read_statements(
        self, start: int, end: int, tokens: list[Token], names: list[Name], cues: list[CueMatch],
        nouns: list[tuple[Noun, int, int]], times: list[TimeExpression],
    ) -> None:  # fmt: skip
        read = sorted([*names, *self._pronouns(tokens, names)], key=lambda name: name.start)
        found = [each for each in self._relations(start, end, tokens, read, cues, times) if each.holds]
        found += self._owned(end, tokens, read, nouns, times, found)
        found.sort(key=lambda each: each.start)
        for index, relation in enumerate(found):
            self._emit(relation, self._times_of(found, index, times), self.text[start:end])

    def _owned(
        self, end: int, tokens: list[Token], names: list[Name], nouns: list[tuple[Noun, int, int]], times: list[TimeExpression],
        found: list[_Found],
    ) -> list[_Found]:  # fmt: skip
        """What the nouns of properties say: attributes are kept here, relations are handed back."""
        spans = [(name.start, name.end) for name in names]
        owners = sorted([*names, *self._mine(tokens)], key=lambda name: name.start)
        more: list[_Found] = []
        for said in find_owned(self.text, end, nouns, owners):
            if not is_stated(self.text, tokens[0].start, (said.start, said.end), said.end, tokens, spans):
                continue
            if any(each.start <= said.start < each.end for each in found) or self._one_of_several(said.owner, said.value):
                continue
            prop = said.noun.property
            if prop.kind == "data":
                place = said.number
                if said.value_from is not None:
                    place = value_at(self.text, said.value_from, end, prop.datatypes, times)
                self._describe(said.owner, said.noun.domain, prop, place, _PLAIN)
                continue
            if said.value is None or said.value.text == said.owner.text or said.value.kind == "pronoun":
                continue
            subject, object_ = (said.value, said.owner) if said.noun.inverse else (said.owner, said.value)
            subject_class, object_class = self._class_of(subject, said.noun.domain), self._class_of(object_, said.noun.range)
            if subject_class and object_class:
                last = max(said.end, said.value.end)
                pair = ((subject, subject_class),), ((object_, object_class),)
                more.append(_Found(*pair, prop, False, said.start, last, _PLAIN, True))
        return more

    def _one_of_several(self, *names: Name | None) -> bool:
        """Whether "or" joins a name to another."""
        return any(
            name
            and (_AFTER_OR.search(self.text, max(0, name.start - 10), name.start) or ALTERNATIVE.match(self.text, name.end))
            for name in names
        )

    def _mine(self, tokens: list[Token]) -> list[Name]:
        """The speaker as the owner of what follows: "my birthday", 我的生日."""
        speaker = self.chunk.speaker
        return [
            Name(token.start, token.end, speaker, "self", self.lexicon.ontology.speaker_class)
            for token in tokens
            if speaker and (token.lower == "my" or (token.text == "我" and self.text[token.end : token.end + 1] == "的"))
        ]

    def _describe(
        self, owner: Name, domain: ClassExpression, prop: OntologyProperty, place: tuple[int, int] | None, confidence: float
    ) -> None:
        class_iri = self._class_of(owner, domain)
        if place is None or class_iri is None:
            return
        self._add(owner, class_iri, confidence)
        told = self.attributes.setdefault((owner.text, class_iri), [])
        value = (prop.iri, self.text[slice(*place)])
        if value not in told:
            told.append(value)

    def described(self) -> list[ExtractedEntity]:
        """The entities with their attributes."""
        return [
            replace(entity, attributes=tuple(self.attributes.get(key, ()))) if key in self.attributes else entity
            for key, entity in self.entities.items()
        ]

    def _classed(self, name: Name, tokens: list[Token], names: list[Name]) -> Name:
        """A name with the class that the words beside it tell: "the film Alien", "Acme, a company,", "Acme is a company"."""
        if name.class_iri or name.classes or name.kind in ("self", "pronoun") or name.text in self.classes:
            return name
        before = [token for token in tokens if token.end <= name.start][-4:]
        noun = self._class_noun([token.lower for token in before[1:]])
        if noun and any(token.lower in ("the", "a", "an", "this") for token in before):
            return replace(name, class_iri=noun)
        after = _IS_A.match(self.text, name.end, tokens[-1].end)
        noun = self._class_noun([token.lower for token in tokenise(after["what"])]) if after else None
        spans = [(each.start, each.end) for each in names]
        if (
            after is None
            or noun is None
            or not is_stated(self.text, tokens[0].start, after.span("what"), after.end(), tokens, spans)
        ):
            return name
        self._add(name, noun, _SURE_CLASS)
        return replace(name, class_iri=noun)

    def _class_noun(self, said: list[str]) -> str | None:
        """The class of a phrase that ends in its noun, if the ontology has one that is called so."""
        for length in (3, 2, 1):
            found = self.lexicon.class_nouns.get(" ".join(said[-length:])) if len(said) >= length else None
            if found:
                return next(iter(found)) if len(found) == 1 else None
        return None

    def _may_be_person(self, name: Name) -> bool:
        told = name.class_iri or self.classes.get(name.text)
        person = self.lexicon.ontology.speaker_class
        return told is None or person is None or self.lexicon.ontology.is_a(told, (person,))

    def _pronouns(self, tokens: list[Token], names: list[Name]) -> list[Name]:
        """He and she, where they can only be the one person that was spoken of so far."""
        person = self.lexicon.ontology.speaker_class
        found: list[Name] = []
        for token in tokens:
            if (
                person is None
                or token.lower not in ("he", "she", "他", "她")
                or self.text[token.end : token.end + 1] in ("们", "的")
            ):
                continue
            before = {
                name.text for name in names if name.end <= token.start and name.kind != "self" and self._may_be_person(name)
            }
            if _PERSONS.search(self.text, 0, token.start):
                return found
            meant = {name for name in self.spoken_of | before if self.classes.get(name) is None or self._is_person(name)}
            if len(meant) == 1 and not _inside(token.start, names):
                found.append(Name(token.start, token.end, meant.pop(), "pronoun", person))
        return found

    def _is_person(self, name: str) -> bool:
        person = self.lexicon.ontology.speaker_class
        return person is not None and self.lexicon.ontology.is_a(self.classes[name], (person,))

    def _relations(
        self, start: int, end: int, tokens: list[Token], names: list[Name], cues: list[CueMatch], times: list[TimeExpression]
    ) -> list[_Found]:
        found: list[_Found] = []
        every, cues = cues, self._viable(start, cues, tokens, names, times)
        spans = [(name.start, name.end) for name in names]
        for index, match in enumerate(cues):
            left = tokens[cues[index - 1].end - 1].end if index else start
            right = tokens[cues[index + 1].start].start if index + 1 < len(cues) else end
            if found and tokens[match.start].start < found[-1].end:
                continue  # part of an object: "love traveling and watching movies"
            cue_start, cue_end = tokens[match.start].start, tokens[match.end - 1].end
            undergone = self._undergone(left, cue_start, names, match)
            if undergone and is_stated(self.text, start, (cue_start, cue_end), cue_end, tokens, spans):
                found.append(
                    _Found(*undergone, match.cue.property, match.cue.ends, undergone[1][0][0].start, cue_end, _PLAIN, True)
                )
                continue
            subject = self._subject(start, left, match, tokens, names, times, found)
            if subject is None or self._other_subject(subject, cue_start, tokens, every):
                continue
            passive, agents_from = self._passive(match, subject, cue_start, tokens)
            if passive and agents_from is None:
                continue  # "Ann was hired": by whom, it does not say
            domain, range_ = (match.cue.range, match.cue.domain) if passive else (match.cue.domain, match.cue.range)
            subjects = [(name, class_iri) for name in subject.names if (class_iri := self._class_of(name, domain))]
            if len(subjects) < len(subject.names):
                continue
            if match.cue.property.kind == "data":
                place = value_at(self.text, cue_end, right, match.cue.property.datatypes, times)
                if is_stated(self.text, start, (cue_start, cue_end), place[1] if place else cue_end, tokens, spans):
                    for name in subject.names if not match.inserted else ():
                        self._describe(name, domain, match.cue.property, place, self._sureness(subject, (), cue_end))
                continue
            verbs = [tokens[cue.start].start for cue in cues[index + 1 :] if not tokens[cue.start].lower.endswith("ing")]
            taken = self._subject_of_next(cues[index + 1], tokens, names, times) if index + 1 < len(cues) else None
            objects = self._objects(
                match, agents_from or cue_end, min(right, taken or right), verbs[0] if verbs else end, tokens, names, range_,
                single=match.cue.property.single_valued and not passive,
            )  # fmt: skip
            last = max([name.end for name, _ in objects], default=cue_end)
            since = max((each.end for each in found if each.holds), default=start)
            inserted = set(match.inserted)
            stated = is_stated(self.text, since, (cue_start, cue_end), last, tokens, spans) and not inserted & {"not", "never"}
            stated = stated or ("longer" in inserted and is_stated(self.text, since, (cue_start, cue_end), last, tokens, spans))
            ends = match.cue.ends or subject.ended or "longer" in inserted
            if stated and objects:  # of one sentence, each relation knows what those before it make of a name
                for name, class_iri in (*subjects, *objects):
                    self.classes.setdefault(name.text, class_iri)
            pair = (objects, tuple(subjects)) if passive else (tuple(subjects), objects)
            found.append(
                _Found(*pair, match.cue.property, ends, cue_start, last, self._sureness(subject, objects, cue_end), stated)
            )
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
            direct = bool(before) and self._gap(before[-1], match, cue_start, times)[0]
            clauses = _CONJUNCTION.split(self._without_times(left, cue_start, times))
            if direct or (len(clauses) > 1 and only_fillers(clauses[-1]) and not match.cue.bare):
                kept.append(match)
        return kept

    def _subject(
        self, start: int, left: int, match: CueMatch, tokens: list[Token], names: list[Name], times: list[TimeExpression],
        found: list[_Found],
    ) -> _Subject | None:  # fmt: skip
        """What the cue speaks of: the name right before it, else that of the verb before it, else the sentence's first name."""
        cue_start = tokens[match.start].start
        before = [name for name in names if left <= name.start and name.end <= cue_start]
        if before:
            leads, no_longer = self._gap(before[-1], match, cue_start, times)
            if leads:
                apart = "," in self.text[before[-1].end : cue_start] or "(" in self.text[before[-1].end : cue_start]
                sure = _SURE["pronoun"] if before[-1].kind == "pronoun" else _SURE["apart"] if apart else 1.0
                chain = self._chain(before, found)
                return _Subject(chain, no_longer, sure) if chain else None
        if match.cue.bare:
            return None
        for previous in reversed(found):
            if [name for name in before if name.start >= previous.end]:
                break
            between = self._without_times(previous.end, cue_start, times)
            conjoined = _AND.match(between)
            if conjoined and conjoined.group().strip() and only_fillers(between[conjoined.end() :]):
                said = previous.subjects
                if said and all(self._class_of(name, match.cue.domain) for name, _ in said):
                    return _Subject(tuple(name for name, _ in said), sure=_SURE["ellipsis"], direct=False)
        return self._first_name(start, cue_start, names, times)

    def _first_name(self, start: int, cue_start: int, names: list[Name], times: list[TimeExpression]) -> _Subject | None:
        """ "Ann did not hesitate and joined Acme": the name at the sentence's start is who the next verb speaks of."""
        before = [name for name in names if start <= name.start and name.end <= cue_start]
        if not before or self.text[before[0].end : before[0].end + 2] in ("'s", "’s"):
            return None
        lead, between = self._without_times(start, before[0].start, times), self._without_times(before[0].end, cue_start, times)
        verb = _NEXT_VERB.search(between)
        if (
            verb is None
            or _SUBORDINATE.search(between)
            or not only_fillers(lead.replace(",", ""))
            or not only_fillers(verb["last"])
        ):
            return None
        return _Subject((before[0],), sure=_SURE["ellipsis"], direct=False)

    def _chain(self, before: list[Name], found: list[_Found]) -> tuple[Name, ...]:
        """The subject and those joined to it by "and"; none where one of several is meant."""
        chain = [before[-1]]
        for name in reversed(before[:-1]):
            gap = self.text[name.end : chain[0].start].strip('"“”《》「」')
            if _OR.fullmatch(gap):
                return ()
            if found or not _COORDINATION.fullmatch(gap) or (len(chain) == 1 and gap.strip() == ","):
                break
            chain.insert(0, name)
        return tuple(chain)

    def _subject_of_next(
        self, match: CueMatch, tokens: list[Token], names: list[Name], times: list[TimeExpression]
    ) -> int | None:
        """Where the next verb's own subject starts: "Ann met Bob and *Carol* joined Acme"."""
        cue_start = tokens[match.start].start
        before = [name for name in names if name.end <= cue_start]
        if not before or match.cue.bare or not self._gap(before[-1], match, cue_start, times)[0]:
            return None
        gap = self.text[before[-1].end : cue_start]
        return None if any(token.lower in RELATIVES for token in tokenise(gap)) or "," in gap else before[-1].start

    def _other_subject(self, subject: _Subject, cue_start: int, tokens: list[Token], cues: list[CueMatch]) -> bool:
        """Whether the name is not what the cue speaks of: "a friend of Ann joined", "whoever met Ann joined"."""
        first = subject.names[0]
        before = [token for token in tokens if token.end <= first.start]
        between = {token.lower for token in tokens if first.end <= token.start and token.end <= cue_start}
        if first.kind == "self" or not subject.direct or not before or between & RELATIVES:
            return False
        if any(tokens[cue.end - 1] == before[-1] for cue in cues):
            return "," not in self.text[first.end : cue_start]
        words = [token.lower for token in before]
        nearest = words[-2:-1] if words[-1] in ("the", "a", "an", "both") else words[-1:]
        return bool(nearest) and nearest[0] in NO_SUBJECT_AFTER

    def _passive(self, match: CueMatch, subject: _Subject, cue_start: int, tokens: list[Token]) -> tuple[bool, int | None]:
        """Whether a verb is passive here, and where its agent may follow: "was hired by", "hired by"."""
        last = tokens[match.end - 1]
        before = [token.lower for token in tokens[: match.start] if subject.names[-1].end <= token.start]
        if match.end - match.start != 1 or not is_participle(last.lower):
            return False, None
        by = tokens[match.end] if match.end < len(tokens) and tokens[match.end].lower == "by" else None
        if (before and before[-1] in BE) or "been" in before or "being" in before:
            return True, by.end if by else None
        return (True, by.end) if by else (False, None)

    def _undergone(
        self, left: int, cue_start: int, names: list[Name], match: CueMatch
    ) -> tuple[tuple[tuple[Name, str]], tuple[tuple[Name, str]]] | None:
        """Who does it and to whom, where 被 says so: 王峰被星辰公司聘请了."""
        before = [name for name in names if left <= name.start and name.end <= cue_start]
        if (
            len(before) < 2
            or before[-1].end != cue_start
            or self.text[before[-2].end : before[-1].start].removeprefix("已") != "被"
        ):
            return None
        agent, patient = self._class_of(before[-1], match.cue.domain), self._class_of(before[-2], match.cue.range)
        return (((before[-1], agent),), ((before[-2], patient),)) if agent and patient else None

    def _gap(self, name: Name, match: CueMatch, cue_start: int, times: list[TimeExpression]) -> tuple[bool, bool]:
        gap = self._without_times(name.end + self._tail(name), cue_start, times)
        following = self.text[cue_start : cue_start + 40]
        bare = match.cue.bare or (match.end - match.start == 1 and re.match(r"\w+ed by\b|\w+ by\b", following) is not None)
        if bare and gap.strip() == ",":
            return True, False
        # In Chinese, what follows a comma goes on with the subject of the clause before, not with its object.
        return (False, False) if match.cue.bare or "，" in gap else leads_to_verb(gap)

    def _tail(self, name: Name) -> int:
        # "I'm", "I've": the pronoun's name ends after the letter I, the token does not.
        match = re.compile(r"['’](?:m|ve)\b").match(self.text, name.end) if name.kind == "self" else None
        return len(match.group()) if match else 0

    def _without_times(self, start: int, end: int, times: Sequence[TimeExpression]) -> str:
        """The text between two places, dates and their prepositions taken out."""
        text = self.text[start:end]
        for time in reversed([t for t in times if start <= t.start and t.end <= end]):
            before = re.sub(r"\b(?:in|on|since|from|until|as of|at|自|从|于)\s*$", "", text[: time.start - start], flags=re.I)
            before = re.sub(r"[自从于在到至]$", "", before)
            text = before + re.sub(r"^(?:年)?(?:以来|起|开始)?", "", text[time.end - start :])
        return text

    def _sureness(self, subject: _Subject, objects: tuple[tuple[Name, str], ...], cue_end: int) -> float:
        sure = _PLAIN * subject.sure
        if objects:
            name = objects[0][0]
            sure *= _SURE["noun"] if name.kind == "noun" else _SURE["quoted"] if name.start - cue_end > 12 else 1.0
        return round(sure, 2)

    def _objects(
        self, match: CueMatch, start: int, end: int, phrase_end: int, tokens: list[Token], names: list[Name],
        expression: ClassExpression, *, single: bool,
    ) -> tuple[tuple[Name, str], ...]:  # fmt: skip
        after = [name for name in names if start <= name.start and name.end <= end and name.kind not in ("self", "pronoun")]
        found: list[tuple[Name, str]] = []
        position = start
        for name in after:
            gap = self.text[position : name.start]
            if found and (single or not _COORDINATION.fullmatch(gap.rstrip('"“《「'))):
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
        return tuple((name, noun_class) for name in noun_phrases(self.text, start, phrase_end, tokens)) if noun_class else ()

    def _leads_to(self, gap: str, name: Name) -> bool:
        """Whether the words between a cue and a name leave the name its object."""
        stripped = gap.rstrip('"“《「')
        if name.kind == "quoted" and len(gap) <= _MAX_TITLE_GAP:
            return not re.search(r"[,;:，；：]", stripped) and not CHINESE_OTHERS.search(stripped)
        words = [token.lower for token in tokenise(stripped)]
        plain = stripped.strip(" \t\u00a0") == "" or re.fullmatch(r"[\w\s'’]*", stripped) is not None
        return plain and all(word in FILLERS_AFTER or word in self.lexicon.class_nouns for word in words)

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
        since = found[index - 1].end if index else relation.subjects[-1][0].end
        before = [t for t in times if since <= t.start and t.end <= relation.start]
        if index:
            before = [t for t in before if _SEPARATOR.search(self.text[since : t.start])]
        return before + after or [t for t in times if t.end <= min(found[0].first, relation.first)]

    def _emit(self, relation: _Found, times: list[TimeExpression], quote: str) -> None:
        prop = relation.predicate
        if any(t.role == "vague" for t in times):
            return
        broken = next((t for t in times if t.instant is None), None)
        if broken is not None:
            self.rejected.append(("invalid_time", broken.problem or broken.text, quote))
            return
        begins = next((t for t in times if t.role in ("at", "since")), None)
        ends = next((t for t in times if t.role == "until"), None)
        for subject, subject_class in relation.subjects:
            for object_, object_class in relation.objects:
                if object_.text == subject.text:
                    continue
                self._add(subject, subject_class, relation.confidence)
                self._add(object_, object_class, relation.confidence)
                self.relations.append(
                    ExtractedRelation(
                        subject=subject.text, predicate=prop.iri, object=object_.text, quote=quote, ended=relation.ends,
                        valid_from=iso(begins.instant) if begins and begins.instant else None,
                        valid_to=iso(ends.instant) if ends and ends.instant else None,
                        valid_from_text=begins.text if begins else None, valid_to_text=ends.text if ends else None,
                        confidence=relation.confidence,
                    )
                )  # fmt: skip

    def _add(self, name: Name, class_iri: str, confidence: float) -> None:
        self.classes.setdefault(name.text, class_iri)
        written = self.text[name.start : name.end]
        surface = written if written != name.text and name.kind != "pronoun" else None
        key = (name.text, class_iri)
        before = self.entities.get(key)
        if before is None or (before.surface and not surface):
            self.entities[key] = ExtractedEntity(
                name.text, class_iri, surface, confidence=max(confidence, before.confidence if before else 0)
            )


def _inside_time(name: Name, times: list[TimeExpression]) -> bool:
    return any(time.start <= name.start and name.end <= time.end for time in times)


def _inside(position: int, names: list[Name]) -> bool:
    return any(name.start <= position < name.end for name in names if name.kind != "self")
