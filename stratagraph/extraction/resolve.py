"""From what an engine found to what may be staged: grounded in the text, allowed by the ontology, with refs and times.

The same for every engine. Nothing is repaired and nothing is dropped in silence: what fails a rule goes to `rejected` with a
reason code, and from there to the quarantine. Offsets are relative to the chunk.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import quote as url_quote

from stratagraph.extraction.ground import ground, occurrences
from stratagraph.extraction.protocol import ChunkInput, ExtractedEntity, ExtractedRelation, Extraction
from stratagraph.extraction.times import TimeError, iso, parse_time
from stratagraph.identity.names import normalise_name
from stratagraph.ontology.model import Ontology, OntologyProperty
from stratagraph.ontology.validate import Violation, check_attribute, check_class, check_classes, check_relation

VERSION = 1  # of these rules: when it changes, answers are resolved again without asking an engine again
_PRONOUN = re.compile(r"\b(?:I|my|me|My|Me|we|We|our|Our)\b|我")
_MAX_PAYLOAD = 2000


@dataclass(frozen=True)
class ResolvedEntity:
    """One place where an entity is named. `ref` is relative to the project's base IRI; `properties` is JSON."""

    ref: str
    class_iri: str
    name: str
    start: int
    end: int
    properties: str


@dataclass(frozen=True)
class ResolvedRelation:
    """A relation that may be staged. A relation without valid_from starts at the chunk's reference time."""

    subject: str
    predicate: str
    object: str
    fact: str
    polarity: str
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


def local_ref(class_iri: str, name: str) -> str:
    """Ref of a thing that text names, relative to the base IRI: `name/<Class>/<normalised name>`."""
    local = re.split(r"[#/:]", class_iri.rstrip("#/"))[-1]
    return f"name/{url_quote(local, safe='')}/{url_quote(normalise_name(name), safe='')}"


def resolve(chunk: ChunkInput, extraction: Extraction, ontology: Ontology) -> Resolved:
    """Ground and check what an engine found in a chunk."""
    resolver = _Resolver(chunk, ontology)
    for reason, detail, payload in extraction.rejected:
        resolver.reject(reason, detail, payload)
    for entity in extraction.entities:
        resolver.entity(entity)
    for relation in extraction.relations:
        resolver.relation(relation)
    return resolver.resolved


class _Resolver:
    def __init__(self, chunk: ChunkInput, ontology: Ontology) -> None:
        self.chunk, self.ontology = chunk, ontology
        self.resolved = Resolved()
        self.classes: dict[str, list[str]] = {}  # normalised name -> classes of the entities that were accepted
        self.refused: set[str] = set()  # normalised names of refused entities: their relations are refused with them
        self.seen: set[tuple[Any, ...]] = set()

    def reject(self, reason: str, detail: str, payload: object) -> None:
        text = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False, sort_keys=True)
        self.resolved.rejected.append(Rejection(reason, detail, text[:_MAX_PAYLOAD]))

    def entity(self, entity: ExtractedEntity) -> None:
        key = normalise_name(entity.name)
        classes = self.classes.get(key, [])
        if key and entity.class_iri in classes:
            return
        violation = check_class(self.ontology, entity.class_iri) or check_classes(self.ontology, [*classes, entity.class_iri])
        places = self._places(entity)
        if not key:
            violation = Violation("no_name", "an entity without a letter or digit in its name")
        elif violation is None and not places:
            violation = Violation("ungrounded", f"{entity.surface or entity.name!r} does not stand in the chunk")
        if violation:
            self.refused.add(key)
            self.reject(violation.code, violation.axiom, asdict(entity))
            return
        self.classes.setdefault(key, []).append(entity.class_iri)
        properties = json.dumps(self._attributes(entity), ensure_ascii=False, sort_keys=True)
        ref = local_ref(entity.class_iri, entity.name)
        for start, end in places:
            self.resolved.entities.append(ResolvedEntity(ref, entity.class_iri, entity.name, start, end, properties))

    def _places(self, entity: ExtractedEntity) -> list[tuple[int, int]]:
        found = occurrences(self.chunk.text, entity.surface or entity.name)
        if not found and self.chunk.speaker and normalise_name(entity.name) == normalise_name(self.chunk.speaker):
            pronoun = _PRONOUN.search(self.chunk.text)
            found = [pronoun.span()] if pronoun else []
        # A pronoun stands for the speaker all over the text; its first place is enough.
        return found[:1] if entity.surface else found

    def _attributes(self, entity: ExtractedEntity) -> dict[str, str]:
        kept: dict[str, str] = {}
        for predicate, value in entity.attributes:
            violation = check_attribute(self.ontology, entity.class_iri, predicate)
            if violation is None and ground(self.chunk.text, value) is None:
                violation = Violation("ungrounded", f"{value!r} does not stand in the chunk")
            if violation:
                self.reject(violation.code, violation.axiom, {"entity": entity.name, "property": predicate, "value": value})
            else:
                kept.setdefault(predicate, value)
        return kept

    def relation(self, relation: ExtractedRelation) -> None:
        problem = self._relation(relation)
        if problem:
            self.reject(problem.code, problem.axiom, asdict(relation))

    def _relation(self, relation: ExtractedRelation) -> Violation | None:
        place = ground(self.chunk.text, relation.quote)
        if place is None:
            return Violation("ungrounded", f"the quote {relation.quote!r} does not stand in the chunk")
        for name in (relation.subject, relation.object):
            if normalise_name(name) not in self.classes:
                code = "refused_entity" if normalise_name(name) in self.refused else "unknown_entity"
                return Violation(code, f"{name!r} is not among the accepted entities of the chunk")
        subject_class, object_class, violation = self._classes(relation)
        if violation:
            return violation
        try:
            valid_from, valid_to = self._interval(relation)
        except (TimeError, ValueError, OverflowError) as error:
            return Violation("invalid_time", str(error))
        ended = relation.ended
        if valid_to is not None and (valid_from is None or ended):
            # "until 2014" says when it ended, not since when it was so: a retraction at that time.
            valid_from, valid_to, ended = valid_to, None, True
        if valid_from is not None and valid_to is not None and valid_from >= valid_to:
            return Violation("valid_from_after_valid_to", f"{valid_from} is not before {valid_to}")
        self._keep(relation, subject_class, object_class, place, valid_from, valid_to, "retract" if ended else "assert")
        return None

    def _classes(self, relation: ExtractedRelation) -> tuple[str, str, Violation | None]:
        """The classes of both ends: the first pair, if there is a choice, that the ontology allows."""
        first: Violation | None = None
        for subject_class in self.classes[normalise_name(relation.subject)]:
            for object_class in self.classes[normalise_name(relation.object)]:
                violation = check_relation(self.ontology, subject_class, relation.predicate, object_class)
                if violation is None:
                    return subject_class, object_class, None
                first = first or violation
        return "", "", first

    def _interval(self, relation: ExtractedRelation) -> tuple[str | None, str | None]:
        bounds = []
        for resolved, written in ((relation.valid_from, relation.valid_from_text), (relation.valid_to, relation.valid_to_text)):
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

    def _keep(
        self, relation: ExtractedRelation, subject_class: str, object_class: str, place: tuple[int, int],
        valid_from: str | None, valid_to: str | None, polarity: str,
    ) -> None:  # fmt: skip
        predicate, swapped = self.ontology.canonical(relation.predicate)
        subject, object_ = local_ref(subject_class, relation.subject), local_ref(object_class, relation.object)
        fact = self._fact(self.ontology.properties[predicate], relation, swapped)
        if swapped:
            subject, object_ = object_, subject
        if subject == object_ or (key := (subject, predicate, object_, polarity, valid_from, valid_to)) in self.seen:
            return
        self.seen.add(key)
        self.resolved.relations.append(
            ResolvedRelation(
                subject, predicate, object_, fact, polarity, valid_from, valid_to, place[0], place[1], "{}",
                min(max(relation.confidence, 0.0), 1.0),
            )
        )  # fmt: skip

    def _fact(self, prop: OntologyProperty, relation: ExtractedRelation, swapped: bool) -> str:
        """A readable sentence that is the same for every way of saying it, so that a restatement is no new value."""
        left, right = (relation.object, relation.subject) if swapped else (relation.subject, relation.object)
        if self.chunk.language == "zh":
            label = next((text for language, text in prop.labels if language == "zh"), None)
            if label:
                return f"{left}{label}{right}"
        return f"{left} {prop.label} {right}"
