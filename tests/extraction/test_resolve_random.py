"""Random ontologies and extractions: nothing forbidden is staged, nothing allowed is refused, nothing is lost.

What is forbidden is told by brute force: all that the relations entail is written out, moment by moment, and every axiom is
held against every triple. Nothing of the library's rules is used for that.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_ontologies import E, a_class, a_property, an_ontology

from stratagraph.extraction.protocol import ChunkInput, ExtractedEntity, ExtractedRelation, Extraction
from stratagraph.extraction.resolve import resolve
from stratagraph.ontology.model import Ontology, OntologyProperty, Restriction

REFERENCE = datetime(2020, 1, 1, tzinfo=UTC)
NAMES = ("Ann", "Bob", "Cem", "Dan")
TEXT = " ".join(NAMES)
CLASSES, PROPERTIES = ("C0", "C1", "C2"), ("P0", "P1")
PREDICATES = tuple(E + name for name in PROPERTIES)
TIMES = (*[(None, None)] * 4, ("2010", None), ("2010", "2015"), ("2012", "2020"), ("2015", "2020"))

Triple = tuple[str, str, str]


@st.composite
def ontologies(draw: st.DrawFn) -> Ontology:
    some = st.sampled_from
    rare = st.integers(0, 9).map(lambda number: number == 9)
    union = st.one_of(
        st.just([]), st.just([]), st.lists(some(CLASSES), min_size=1, max_size=2).map("|".join).map(lambda u: [u])
    )
    rule = st.builds(
        Restriction, some(PREDICATES), some(["all", "max", "max"]), some([0, 1, 2, 2, 2]),
        st.one_of(st.just(()), some(CLASSES).map(lambda name: (E + name,))),
    )  # fmt: skip

    two = st.builds(Restriction, some(PREDICATES), st.just("max"), st.just(2)).map(lambda at_most: [at_most])

    def above_of(names: tuple[str, ...], number: int) -> list[str]:
        return draw(st.lists(some(names[:number]), max_size=1)) if number else []

    def pairs_of(names: tuple[str, ...], least: int) -> list[tuple[str, str]]:
        pair = st.lists(some(names), min_size=2, max_size=2, unique=True).map(tuple)
        return draw(st.lists(pair, min_size=least, max_size=1 + least))

    classes = [
        a_class(
            name,
            *above_of(CLASSES, number),
            restrictions=tuple(draw(st.one_of(st.lists(rule, max_size=2), two))),
            deprecated=draw(rare),
        )
        for number, name in enumerate(CLASSES)
    ]
    inverse = draw(st.dictionaries(some(PROPERTIES), some(PROPERTIES), max_size=1))
    pairs = {pair for a, b in inverse.items() if a != b for pair in ((a, b), (b, a))}
    properties = [
        a_property(
            name, *above_of(PROPERTIES, number), domain=draw(union), range=draw(union), symmetric=draw(rare),
            asymmetric=draw(st.integers(0, 3)) == 3, irreflexive=draw(rare), deprecated=draw(rare),
            inverses=frozenset(E + b for a, b in pairs if a == name),
        )
        for number, name in enumerate(PROPERTIES)
    ]  # fmt: skip
    return an_ontology(
        *classes, *properties, disjoint_classes=pairs_of(CLASSES, 0), disjoint_properties=pairs_of(PROPERTIES, 1)
    )


CONFIDENCES = st.sampled_from([0.5, 0.9])
FOUND = st.builds(
    ExtractedEntity, st.sampled_from([*NAMES, "Zoe"]), st.sampled_from([*CLASSES * 2, "C9"]).map(E.__add__),
    confidence=CONFIDENCES,
)  # fmt: skip
ENTITIES = st.tuples(
    *(st.builds(ExtractedEntity, st.just(name), st.sampled_from(CLASSES).map(E.__add__)) for name in NAMES),
    st.lists(FOUND, max_size=3),
).map(lambda found: [*found[:-1], *found[-1]])
RELATIONS = st.lists(
    st.builds(
        lambda ends, predicate, quote, ended, times, confidence: ExtractedRelation(
            ends[0], E + predicate, ends[1], quote, ended, *times, confidence=confidence
        ),
        st.tuples(st.sampled_from(("Ann", *NAMES[:2])), st.sampled_from(NAMES)), st.sampled_from([*PROPERTIES * 4, "P9"]),
        st.sampled_from([*[TEXT] * 7, *NAMES[:1] * 2, "Zoe"]), st.sampled_from([False, False, False, True]),
        st.sampled_from(TIMES), CONFIDENCES,
    ),
    min_size=2, max_size=10,
)  # fmt: skip


def above(ontology: Ontology, class_iri: str) -> frozenset[str]:
    return ontology.classes[class_iri].ancestors


def written_out(ontology: Ontology, triple: Triple) -> set[Triple]:
    """All that a relation entails, by applying every axiom until nothing is new."""
    found = {triple}
    while True:
        more = set(found)
        for subject, predicate, object_ in found:
            prop = ontology.properties[predicate]
            more |= {(subject, iri, object_) for iri in prop.ancestors} | {(object_, iri, subject) for iri in prop.inverses}
            more |= {(object_, predicate, subject)} if prop.symmetric else set()
        if more == found:
            return found
        found = more


def breaks(ontology: Ontology, triples: Iterable[Triple], class_of: dict[str, str]) -> bool:
    """Whether relations that hold at one moment break an axiom."""
    facts = {fact for triple in triples for fact in written_out(ontology, triple)}
    for subject, predicate, object_ in facts:
        prop: OntologyProperty = ontology.properties[predicate]
        kinds, object_kinds = above(ontology, class_of[subject]), above(ontology, class_of[object_])
        if any(not kinds & union for union in prop.domain) or any(not object_kinds & union for union in prop.range):
            return True
        if (prop.irreflexive and subject == object_) or (prop.asymmetric and (object_, predicate, subject) in facts):
            return True
        for one, other in ontology.disjoint_properties:
            if {(subject, one, object_), (subject, other, object_)} <= facts:
                return True
        for rule in [rule for kind in kinds for rule in ontology.classes[kind].restrictions if rule.property == predicate]:
            if rule.kind == "all" and rule.filler and not object_kinds & set(rule.filler):
                return True
            counted = {
                o for s, p, o in facts
                if (s, p) == (subject, predicate) and (not rule.filler or above(ontology, class_of[o]) & set(rule.filler))
            }  # fmt: skip
            if rule.kind == "max" and rule.cardinality != 1 and len(counted) > (rule.cardinality or 0):
                return True
    return False


def unusable(ontology: Ontology, class_iri: str) -> bool:
    if class_iri not in ontology.classes or ontology.classes[class_iri].deprecated:
        return True
    return any(set(pair) <= above(ontology, class_iri) for pair in ontology.disjoint_classes)


def exclude(ontology: Ontology, one: str, other: str) -> bool:
    kinds = above(ontology, one), above(ontology, other)
    return any((a in kinds[0] and b in kinds[1]) or (b in kinds[0] and a in kinds[1]) for a, b in ontology.disjoint_classes)


def span(relation: dict) -> tuple[str, str | None]:
    return relation["valid_from"] or "2020-01-01T00:00:00Z", relation["valid_to"]


def at(relations: Iterable[dict], moment: str) -> list[Triple]:
    """What is asserted for a moment; what has no end is known to hold when it begins."""
    found = []
    for relation in relations:
        since, until = span(relation)
        if since == moment or (until is not None and since <= moment < until):
            found.append((relation["subject"], relation["predicate"], relation["object"]))
    return found


def broken_at_some_moment(ontology: Ontology, relations: list[dict], class_of: dict[str, str]) -> bool:
    return any(breaks(ontology, at(relations, span(r)[0]), class_of) for r in relations)


def check(ontology: Ontology, entities: list[ExtractedEntity], relations: list[ExtractedRelation]) -> None:
    found = resolve(ChunkInput(TEXT, REFERENCE), Extraction(tuple(entities), tuple(relations)), ontology)
    refused = [(rejection.reason, json.loads(rejection.payload)) for rejection in found.rejected]
    class_of = {entity.ref: entity.class_iri for entity in found.entities}
    refs_of: dict[str, list[str]] = defaultdict(list)
    for ref in class_of:
        refs_of[ref.rpartition("/")[2]].append(ref)
    _check_entities(ontology, entities, [payload for _, payload in refused], refs_of, class_of)

    staged = [asdict(relation) for relation in found.relations]
    kept = [relation for relation in staged if relation["polarity"] == "assert"]
    assert not broken_at_some_moment(ontology, kept, class_of)
    lost = [(reason, payload) for reason, payload in refused if "predicate" in payload]
    for relation in relations:  # nothing is lost; what is said twice is one thing, as sure as the surer of both
        said = [{**payload, "confidence": relation.confidence} for _, payload in lost]
        assert asdict(relation) in said or any(
            s["predicate"] == relation.predicate
            and s["subject"] in refs_of[relation.subject.lower()]
            and s["object"] in refs_of[relation.object.lower()]
            for s in staged
        )
    for reason, payload in lost:
        prop = ontology.properties.get(payload["predicate"])
        if not _is_grounded(payload):
            continue  # whatever else is wrong with it
        if prop is None or prop.deprecated or not _as_staged(payload, refs_of):
            assert reason in ("unknown_entity", "refused_entity", "ungrounded", "unknown_property", "deprecated")
            continue
        # It could not be, or not beside what stands, or not beside another one that is just as sure and was refused as well.
        rivals = [other for _, other in lost if other is not payload and other["confidence"] == payload["confidence"]]
        beside = [kept, *([wanted] for other in rivals for wanted in _as_staged(other, refs_of) if not other["ended"])]
        possible = [
            wanted for wanted in _as_staged(payload, refs_of) if not breaks(ontology, at([wanted], span(wanted)[0]), class_of)
        ]
        assert not possible or not payload["ended"]
        assert not possible or any(
            broken_at_some_moment(ontology, [*others, wanted], class_of) for others in beside for wanted in possible
        ), payload


def _is_grounded(payload: dict) -> bool:
    """Whether the quote stands in the text and names what it is to prove something of."""
    return payload["quote"] in TEXT and any(payload[end] in payload["quote"] for end in ("subject", "object"))


def _check_entities(
    ontology: Ontology,
    entities: list[ExtractedEntity],
    refused: list[dict],
    refs_of: dict[str, list[str]],
    class_of: dict[str, str],
) -> None:
    """What is staged is usable and of no two disjoint classes; what is refused is neither, or not in the text."""
    for refs in refs_of.values():
        assert not any(unusable(ontology, class_of[ref]) for ref in refs)
        assert not any(exclude(ontology, class_of[a], class_of[b]) for a in refs for b in refs)
    for entity in entities:
        known = [class_of[ref] for ref in refs_of[entity.name.lower()]]
        if entity.class_iri not in known:
            assert json.loads(json.dumps(asdict(entity))) in refused
            usable = entity.name in NAMES and not unusable(ontology, entity.class_iri)
            assert not usable or any(exclude(ontology, entity.class_iri, other) for other in known)


def _as_staged(payload: dict, refs_of: dict[str, list[str]]) -> list[dict]:
    """The relations that a refused one would be, between the things that were accepted under its names."""
    times = {key: f"{payload[key]}-01-01T00:00:00Z" if payload[key] else None for key in ("valid_from", "valid_to")}
    return [
        {"subject": subject, "predicate": payload["predicate"], "object": object_, **times}
        for subject in refs_of[payload["subject"].lower()]
        for object_ in refs_of[payload["object"].lower()]
        if payload["predicate"] in PREDICATES
    ]


RANDOM = settings(deadline=None, suppress_health_check=list(HealthCheck))


@settings(RANDOM, max_examples=40)
@given(ontologies(), ENTITIES, RELATIONS)
def test_what_the_ontology_forbids_is_refused_and_nothing_else(ontology, entities, relations):
    check(ontology, entities, relations)


@pytest.mark.slow
@settings(RANDOM, max_examples=1000)
@given(ontologies(), ENTITIES, RELATIONS)
def test_what_the_ontology_forbids_is_refused_and_nothing_else_in_many_cases(ontology, entities, relations):
    check(ontology, entities, relations)
