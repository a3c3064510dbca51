"""From what an engine found to what may be staged: grounded in the text, allowed by the ontology, with refs and times.

The same for every engine. Nothing is repaired and nothing is dropped in silence: what fails a rule goes to `rejected` with a
reason code, and from there to the quarantine. Offsets are relative to the chunk. Only what one chunk says is compared here;
what chunks and documents say against each other is decided by time (`temporal/`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import Any, Literal
from urllib.parse import quote as url_quote

from stratagraph.extraction.events import event_key, is_event
from stratagraph.extraction.ground import ground, occurrences
from stratagraph.extraction.literals import read_value
from stratagraph.extraction.protocol import ChunkInput, ExtractedEntity, ExtractedRelation, Extraction
from stratagraph.extraction.times import TimeError, iso, parse_time
from stratagraph.identity.names import normalise_name
from stratagraph.ontology.align import Aligner, Kind
from stratagraph.ontology.model import THING, Ontology, OntologyProperty
from stratagraph.ontology.validate import (
    Claim,
    Violation,
    check_attribute,
    check_cardinality,
    check_claim,
    check_class,
    check_classes,
    check_together,
    check_value,
    check_value_count,
)

VERSION = 4  # of these rules: when it changes, answers are resolved again without asking an engine again
_PRONOUN = re.compile(r"\b(?:I|my|me|My|Me|we|We|our|Our)\b|我")
# What a text may call its topic after the title has named it, beside its class ("the film").
_PRONOUNS = r"it|its|he|his|him|she|her|they|their|them"
_CHINESE_PRONOUNS = "[它他她该其]"
_MAX_PAYLOAD = 2000
_LONGEST_NAME = 500


@dataclass(frozen=True)
class ResolvedAttribute:
    """A value of a data property.

    Args:
        facet: its facet of the node: the property, with the value's hash where there may be several values.
        value: in the form of its datatype; the quote keeps the wording.
    """

    facet: str
    property: str
    value: str
    quote: str
    start: int
    end: int


@dataclass(frozen=True)
class ResolvedEntity:
    """One place where an entity is named. `ref` is relative to the project's base IRI.

    Args:
        valid_from, valid_to: of an event; an entity without them stands whenever it is spoken of.
        attributes: with the first place alone.
    """

    ref: str
    class_iri: str
    name: str
    start: int
    end: int
    confidence: float
    valid_from: str | None = None
    valid_to: str | None = None
    attributes: tuple[ResolvedAttribute, ...] = ()


@dataclass(frozen=True)
class ResolvedRelation:
    """A relation that may be staged. A relation without valid_from starts at the chunk's reference time."""

    subject: str
    predicate: str
    object: str
    fact: str
    polarity: Literal["assert", "retract"]
    valid_from: str | None
    valid_to: str | None
    start: int
    end: int
    properties: str
    confidence: float


@dataclass(frozen=True)
class Rejection:
    """What was refused, and why."""

    reason: str
    detail: str
    payload: str


@dataclass
class Resolved:
    """What one chunk contributes."""

    entities: list[ResolvedEntity] = field(default_factory=list)
    relations: list[ResolvedRelation] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {
            "entities": [asdict(entity) for entity in self.entities],
            "relations": [asdict(relation) for relation in self.relations],
            "rejected": [asdict(rejection) for rejection in self.rejected],
        }


def local_ref(ontology: Ontology, class_iri: str, name: str) -> str:
    """Ref of a thing that text names, relative to the base IRI: `name/<Class>/<normalised name>`."""
    return f"name/{url_quote(Aligner.of(ontology).short(class_iri), safe='')}/{url_quote(normalise_name(name), safe='')}"


def resolve(chunk: ChunkInput, extraction: Extraction, ontology: Ontology) -> Resolved:
    """Ground and check what an engine found in a chunk. What is surer comes first, and stands where two cannot both be."""
    resolver = _Resolver(chunk, ontology)
    for reason, detail, payload in extraction.rejected:
        resolver.reject(reason, detail, payload)
    for entity in sorted(extraction.entities, key=_by_confidence):
        resolver.entity(entity)
    for relation in sorted(extraction.relations, key=_by_confidence):
        resolver.relation(relation)
    resolver.settle()
    return resolver.resolved


@dataclass
class _Thing:
    """An accepted entity.

    Args:
        values: its attributes as (property, value).
        places: where it is named; anywhere: a pronoun or other words stand for it.
    """

    ref: str
    class_iri: str
    valid_from: str | None
    valid_to: str | None
    values: list[tuple[str, str]] = field(default_factory=list)
    places: set[tuple[int, int]] = field(default_factory=set)
    anywhere: bool = False

    def is_named_in(self, place: tuple[int, int]) -> bool:
        return self.anywhere or any(start < place[1] and place[0] < end for start, end in self.places)


@dataclass(frozen=True)
class _Held:
    """A relation that stands by itself, before it is compared with the others.

    Args:
        until: of a period. Without one it is known to hold at `since`; what is said of later times may replace it.
    """

    claim: Claim
    source: ExtractedRelation
    resolved: ResolvedRelation
    since: str
    until: str | None

    @property
    def about(self) -> frozenset[str]:
        return frozenset((self.claim.subject, self.claim.object))

    def holds_at(self, instant: str) -> bool:
        return self.since == instant if self.until is None else self.since <= instant < self.until

    def beside(self, other: _Held) -> bool:
        """Whether neither their times nor the end of one of them tells two relations apart."""
        if "retract" in (self.resolved.polarity, other.resolved.polarity):
            return False
        return self.holds_at(other.since) or other.holds_at(self.since)


class _Resolver:
    def __init__(self, chunk: ChunkInput, ontology: Ontology) -> None:
        self.chunk, self.ontology = chunk, ontology
        self.resolved = Resolved()
        self.things: dict[str, list[_Thing]] = {}  # by normalised name
        self.refused: set[str] = set()  # normalised names of refused entities: their relations are refused with them
        self.held: dict[tuple[Any, ...], _Held] = {}  # by what is staged: said twice, it is said once

    def reject(self, reason: str, detail: str, payload: object) -> None:
        text = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False, sort_keys=True)
        self.resolved.rejected.append(Rejection(reason, _storable(detail[:_MAX_PAYLOAD]), _storable(text[:_MAX_PAYLOAD])))

    def entity(self, entity: ExtractedEntity) -> None:
        problem = self._entity(entity)
        if problem:
            self.refused.add(normalise_name(entity.name[: _LONGEST_NAME + 1]))
            self.reject(problem.code, problem.axiom, asdict(entity))

    def _entity(self, entity: ExtractedEntity) -> Violation | None:
        if len(entity.name) > _LONGEST_NAME:
            return Violation("name_too_long", f"a name of {len(entity.name)} characters; {_LONGEST_NAME} are the most")
        key = normalise_name(entity.name)
        if not key:
            return Violation("no_name", "an entity without a letter or digit in its name")
        class_iri, violation = self._term(entity.class_iri, "class")
        if violation:
            return violation
        same = [thing.class_iri for thing in self.things.get(key, ()) if thing.class_iri != class_iri]
        violation = check_class(self.ontology, class_iri) or check_classes(self.ontology, [*same, class_iri])
        if violation:
            return violation
        if entity.quote is not None and ground(self.chunk.text, entity.quote) is None:
            return Violation("ungrounded", f"the quote {entity.quote!r} does not stand in the chunk")
        places = self._places(entity, class_iri)
        if not places:
            return Violation("ungrounded", f"{entity.surface or entity.name!r} does not stand in the chunk")
        try:
            valid_from, valid_to = self._interval(entity)
        except (TimeError, ValueError, OverflowError) as error:
            return Violation("invalid_time", str(error))
        if reversed_ := _reversed(valid_from, valid_to):
            return reversed_
        name = event_key(entity.name, valid_from) if is_event(self.ontology, class_iri) else entity.name
        thing = self._thing(key, _Thing(local_ref(self.ontology, class_iri, name), class_iri, valid_from, valid_to))
        thing.places.update(places)
        thing.anywhere |= normalise_name(self.chunk.text[slice(*places[0])]) != key
        attributes = tuple(self._attributes(entity, thing))
        for start, end in places:
            self.resolved.entities.append(
                ResolvedEntity(
                    thing.ref, class_iri, entity.name, start, end, _clamped(entity.confidence), valid_from, valid_to, attributes
                )
            )
            attributes = ()
        return None

    def _thing(self, key: str, found: _Thing) -> _Thing:
        """The thing as it was accepted before, or this one."""
        known = self.things.setdefault(key, [])
        same = next((thing for thing in known if thing.ref == found.ref), None)
        if same is None:
            known.append(found)
        return same or found

    def _term(self, name: str, kind: Kind) -> tuple[str, Violation | None]:
        """The IRI that an engine means: its answer as it is, or the one term that is called so."""
        if name == THING or name in (self.ontology.classes if kind == "class" else self.ontology.properties):
            return name, None
        aligner = Aligner.of(self.ontology)
        alignment = aligner.align(name, kind)
        if kind != "class" and alignment.iri is None and not alignment.ambiguous:
            # The other kind's property of that name is what is meant, and is refused as such.
            alignment = replace(alignment, iri=aligner.align(name, "object" if kind == "data" else "data").iri)
        if alignment.iri is not None:
            return alignment.iri, None
        what = "class" if kind == "class" else "property"
        why = f"; {alignment.why}" if alignment.why else ""
        code = f"{'ambiguous' if alignment.ambiguous else 'unknown'}_{what}"
        return name, Violation(code, f"{name} is not a {what} of the ontology{why}")

    def _places(self, entity: ExtractedEntity, class_iri: str) -> list[tuple[int, int]]:
        found = occurrences(self.chunk.text, entity.surface or entity.name)
        if not found:
            found = self._pronouns(normalise_name(entity.name), class_iri)
        if not found and entity.quote and is_event(self.ontology, class_iri):
            place = ground(self.chunk.text, entity.quote)  # what happens has no name of its own: its quote stands for it
            found = [place] if place else []
        # A pronoun stands for the speaker or the topic all over the text; its first place is enough.
        return found[:1] if entity.surface else found

    def _pronouns(self, key: str, class_iri: str) -> list[tuple[int, int]]:
        """Where the text speaks of the speaker or of its topic without a name."""
        if self.chunk.speaker and key == normalise_name(self.chunk.speaker):
            pronoun = _PRONOUN.search(self.chunk.text)
        elif self.chunk.topic and key == normalise_name(self.chunk.topic):
            pronoun = self._topic_words(class_iri).search(self.chunk.text)
        else:
            pronoun = None
        return [pronoun.span()] if pronoun else []

    def _topic_words(self, class_iri: str) -> re.Pattern[str]:
        """Pronouns, and "the" or "this" with a noun for the class or one above it."""
        known = self.ontology.classes.get(class_iri)
        classes = [self.ontology.classes[iri] for iri in known.ancestors if iri in self.ontology.classes] if known else []
        nouns = sorted({re.escape(text) for each in classes for _, text in (*each.labels, *each.alt_labels)} | {"one"})
        return re.compile(rf"\b(?:{_PRONOUNS}|(?:the|this)\s+(?:{'|'.join(nouns)}))\b|{_CHINESE_PRONOUNS}", re.I)

    def _attributes(self, entity: ExtractedEntity, thing: _Thing) -> Iterator[ResolvedAttribute]:
        for name, written in entity.attributes:
            found = self._attribute(thing, name, written)
            if isinstance(found, Violation):
                self.reject(found.code, found.axiom, {"entity": entity.name, "property": name, "value": written})
            elif found is not None:
                yield found

    def _attribute(self, thing: _Thing, name: str, written: str) -> ResolvedAttribute | Violation | None:
        predicate, violation = self._term(name, "data")
        violation = violation or check_attribute(self.ontology, thing.class_iri, predicate)
        if violation:
            return violation
        place = ground(self.chunk.text, written)
        if place is None:
            return Violation("ungrounded", f"{written!r} does not stand in the chunk")
        read = partial(read_value, reference_time=self.chunk.reference_time)
        value, violation = check_value(self.ontology, thing.class_iri, predicate, written, read)
        violation = violation or check_value_count(self.ontology, thing.class_iri, predicate, value, thing.values)
        if violation:
            return violation
        if (predicate, value) in thing.values:
            return None
        thing.values.append((predicate, value))
        facet = predicate
        if not self.ontology.properties[predicate].single_valued:
            facet += f"={hashlib.md5(value.encode('utf-8'), usedforsecurity=False).hexdigest()}"
        return ResolvedAttribute(facet, predicate, value, self.chunk.text[slice(*place)], *place)

    def relation(self, relation: ExtractedRelation) -> None:
        problem = self._relation(relation)
        if problem:
            self.reject(problem.code, problem.axiom, asdict(relation))

    def _relation(self, relation: ExtractedRelation) -> Violation | None:
        place = ground(self.chunk.text, relation.quote)
        if place is None:
            return Violation("ungrounded", f"the quote {relation.quote!r} does not stand in the chunk")
        for name in (relation.subject, relation.object):
            key = normalise_name(name[: _LONGEST_NAME + 1])
            if key not in self.things:
                code = "refused_entity" if key in self.refused else "unknown_entity"
                return Violation(code, f"{name!r} is not among the accepted entities of the chunk")
        predicate, violation = self._term(relation.predicate, "object")
        if violation:
            return violation
        try:
            valid_from, valid_to = self._interval(relation)
        except (TimeError, ValueError, OverflowError) as error:
            return Violation("invalid_time", str(error))
        ends = self._ends(relation, predicate, valid_from)
        if isinstance(ends, Violation):
            return ends
        if not any(thing.is_named_in(place) for thing in ends):
            return Violation(
                "ungrounded", f"the quote {relation.quote!r} names neither {relation.subject!r} nor {relation.object!r}"
            )
        ended = relation.ended
        if valid_from is None and valid_to is None and not ended:
            # What is said of an event holds when it happens.
            event = next((thing for thing in ends if thing.valid_from), None)
            valid_from, valid_to = (event.valid_from, event.valid_to) if event else (None, None)
        if reversed_ := _reversed(valid_from, valid_to):
            return reversed_
        if valid_to is not None and (valid_from is None or ended):
            if valid_from is not None:  # "from 2010 to 2014" and ended says both
                self._hold(replace(relation, predicate=predicate, ended=False), ends, place, valid_from, valid_to)
            # "until 2014" says when it ended, not since when it was so: a retraction at that time.
            valid_from, valid_to, ended = valid_to, None, True
        self._hold(replace(relation, predicate=predicate, ended=ended), ends, place, valid_from, valid_to)
        return None

    def _ends(self, relation: ExtractedRelation, predicate: str, since: str | None) -> tuple[_Thing, _Thing] | Violation:
        """Both ends: if names leave a choice, the first that the ontology allows, events of that very time before others."""
        first: Violation | None = None
        subjects, objects = (
            sorted(self.things[normalise_name(name)], key=lambda thing: since is None or thing.valid_from != since)
            for name in (relation.subject, relation.object)
        )
        for subject in subjects:
            for object_ in objects:
                violation = check_claim(self.ontology, _claim(subject, predicate, object_))
                if violation is None:
                    return subject, object_
                first = first or violation
        assert first is not None
        return first

    def _interval(self, item: ExtractedEntity | ExtractedRelation) -> tuple[str | None, str | None]:
        bounds = []
        for resolved, written in ((item.valid_from, item.valid_from_text), (item.valid_to, item.valid_to_text)):
            if written and ground(self.chunk.text, written) is None:
                raise TimeError(f"{written!r} does not stand in the chunk")
            # A date as written is read again here; an engine's own reading only counts where ours has none.
            instant = None
            if written:
                try:
                    instant = parse_time(written, self.chunk.reference_time)[0]
                except TimeError:
                    if not resolved:
                        raise
            if instant is None and resolved:
                instant = parse_time(resolved, self.chunk.reference_time)[0]
            bounds.append(iso(instant) if instant else None)
        return bounds[0], bounds[1]

    def _hold(
        self, relation: ExtractedRelation, ends: tuple[_Thing, _Thing], place: tuple[int, int], valid_from: str | None,
        valid_to: str | None,
    ) -> None:  # fmt: skip
        predicate, swapped = self.ontology.canonical(relation.predicate)
        fact = self._fact(self.ontology.properties[predicate], relation, swapped)
        subject, object_ = reversed(ends) if swapped else ends
        resolved = ResolvedRelation(
            subject.ref, predicate, object_.ref, fact, "retract" if relation.ended else "assert", valid_from, valid_to, *place,
            "{}", _clamped(relation.confidence),
        )  # fmt: skip
        since = valid_from or iso(self.chunk.reference_time)
        key = (resolved.subject, predicate, resolved.object, resolved.polarity, valid_from, valid_to)
        self.held.setdefault(key, _Held(_claim(ends[0], relation.predicate, ends[1]), relation, resolved, since, valid_to))

    def settle(self) -> None:
        """Keep the relations that can all be true: of two that cannot, the surer one; of two that are equally sure, none."""
        kept: dict[str, list[_Held]] = defaultdict(list)  # by each of the things they are about
        for _, equally_sure in groupby(self.held.values(), key=lambda held: held.resolved.confidence):
            level: dict[frozenset[str], list[_Held]] = defaultdict(list)
            for held in equally_sure:
                surer = (other for other in kept[held.claim.subject] if other.about == held.about)
                if not self._refuse(held, self._clash(held, surer)):
                    level[held.about].append(held)
            for held in [held for rivals in level.values() for held in rivals]:
                near = (other for ref in held.about for other in kept[ref])
                violation = self._clash(held, level[held.about]) or self._too_many(held, near)
                if not self._refuse(held, violation):
                    for ref in held.about:
                        kept[ref].append(held)
                    self.resolved.relations.append(held.resolved)

    def _refuse(self, held: _Held, violation: Violation | None) -> bool:
        if violation:
            self.reject(violation.code, violation.axiom, asdict(held.source))
        return violation is not None

    def _clash(self, held: _Held, others: Iterable[_Held]) -> Violation | None:
        rivals = (other for other in others if other is not held and other.beside(held))
        clashes = (check_together(self.ontology, held.claim, other.claim) for other in rivals)
        return next((violation for violation in clashes if violation), None)

    def _too_many(self, held: _Held, near: Iterable[_Held]) -> Violation | None:
        def moments() -> Iterator[list[Claim]]:
            beside = [other for other in near if other.beside(held)]
            for instant in {held.since, *(other.since for other in beside if held.holds_at(other.since))}:
                yield [other.claim for other in beside if other.holds_at(instant)]

        return check_cardinality(self.ontology, held.claim, moments()) if held.resolved.polarity == "assert" else None

    def _fact(self, prop: OntologyProperty, relation: ExtractedRelation, swapped: bool) -> str:
        """A readable sentence that is the same for every way of saying it, so that a restatement is no new value."""
        left, right = (relation.object, relation.subject) if swapped else (relation.subject, relation.object)
        if self.chunk.language == "zh":
            label = next((text for language, text in prop.labels if language == "zh"), None)
            if label:
                return f"{left}{label}{right}"
        return f"{left} {prop.label} {right}"


def _by_confidence(item: ExtractedEntity | ExtractedRelation) -> float:
    return -_clamped(item.confidence)


def _clamped(confidence: float) -> float:
    return min(max(0.0, confidence), 1.0)  # what is no number is 0


def _reversed(valid_from: str | None, valid_to: str | None) -> Violation | None:
    if valid_from is None or valid_to is None or valid_from < valid_to:
        return None
    return Violation("valid_from_after_valid_to", f"{valid_from} is not before {valid_to}")


def _claim(subject: _Thing, predicate: str, object_: _Thing) -> Claim:
    return Claim(subject.ref, subject.class_iri, predicate, object_.ref, object_.class_iri)


def _storable(text: str) -> str:
    """The text as it can be stored: half of a surrogate pair is shown as '?'."""
    return text.encode("utf-8", "replace").decode("utf-8")
