"""Checks statements against the ontology: known terms, domain, range, datatype, disjointness and what else its axioms forbid.

A violation carries a code and the axiom in readable form. Nothing is repaired here: what breaks the ontology is refused by the
caller and kept in quarantine. What is not said is no violation (the world is open): a missing value breaks no axiom. A single
value where another stood before is none either; that is decided by time (`temporal/`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from stratagraph.identity.names import normalise_name
from stratagraph.ontology.model import THING, ClassExpression, Ontology, OntologyClass, OntologyProperty, Restriction
from stratagraph.ontology.xsd import XSD, canonical

_PLAIN = frozenset(XSD + name for name in ("string", "normalizedString", "token", "anyURI"))

Read = Callable[[str, str], str | None]  # (datatype, text) -> the value in the datatype's form, or None


@dataclass(frozen=True)
class Violation:
    """Why a statement is refused.

    Args:
        code: unknown_class, unknown_property, not_an_object_property, not_a_data_property, deprecated, domain, range, datatype,
            disjoint_classes, disjoint_properties, irreflexive, asymmetric, cardinality.
        axiom: the axiom that is broken, as 'subject predicate object'.
    """

    code: str
    axiom: str


@dataclass(frozen=True)
class Claim:
    """A relation as axioms see it, and what it is stated of.

    Args:
        subject, object: refs; equal refs are one thing.
    """

    subject: str
    subject_class: str
    predicate: str
    object: str
    object_class: str


def check_class(ontology: Ontology, class_iri: str) -> Violation | None:
    """Whether a class is one of the ontology's, in use, and may have members."""
    if class_iri == THING:  # everything is one; a domain or a range is seldom satisfied by it
        return None
    known = ontology.classes.get(class_iri)
    if known is None:
        return Violation("unknown_class", f"{class_iri} is not a class of the ontology")
    if known.deprecated:
        return _deprecated(known)
    return check_classes(ontology, [class_iri, class_iri])


def check_classes(ontology: Ontology, classes: Iterable[str]) -> Violation | None:
    """Whether one thing may be in all of these classes."""
    ordered = sorted(classes)
    for index, one in enumerate(ordered):
        for other in ordered[index + 1 :]:
            axiom = ontology.disjoint(one, other)
            if axiom:
                return Violation("disjoint_classes", f"{axiom[0]} owl:disjointWith {axiom[1]}")
    return None


def check_relation(ontology: Ontology, subject_class: str, predicate: str, object_class: str) -> Violation | None:
    """Whether a relation may hold between members of two classes."""
    for class_iri in (subject_class, object_class):
        violation = check_class(ontology, class_iri)
        if violation:
            return violation
    known = ontology.properties.get(predicate)
    violation = _check_property(predicate, known)
    if violation or known is None:
        return violation
    if known.kind != "object":
        return Violation("not_an_object_property", f"{predicate} rdf:type owl:DatatypeProperty")
    # Its own axioms first, then those of the properties that it entails, inverses among them, which hold of it as well.
    for implied, swapped in ontology.entailed[predicate]:
        axioms = ontology.properties[implied]
        subject, object_ = (object_class, subject_class) if swapped else (subject_class, object_class)
        if not ontology.satisfies(subject, axioms.domain):
            return Violation("domain", f"{implied} rdfs:domain {_readable(axioms.domain)}, not {subject}")
        if not ontology.satisfies(object_, axioms.range):
            return Violation("range", f"{implied} rdfs:range {_readable(axioms.range)}, not {object_}")
        for rule in ontology.restrictions_of(subject):
            if rule.kind == "all" and rule.property == implied and rule.filler and not ontology.is_a(object_, rule.filler):
                return Violation("range", f"{subject} rdfs:subClassOf {_restriction(rule)}, not {object_}")
            if rule.kind == "max" and rule.cardinality == 0 and rule.property == implied and _counts(ontology, rule, object_):
                return Violation("cardinality", f"{subject} rdfs:subClassOf {_restriction(rule)}")
    return None


def check_claim(ontology: Ontology, claim: Claim) -> Violation | None:
    """Whether a relation may hold between these two things: by their classes, and of a thing with itself."""
    return check_relation(ontology, claim.subject_class, claim.predicate, claim.object_class) or check_together(
        ontology, claim, claim
    )


def check_together(ontology: Ontology, one: Claim, other: Claim) -> Violation | None:
    """Whether two relations may hold at one time: not of disjoint properties, nor both ways of an asymmetric one.

    A relation may break an axiom by itself: an irreflexive one of a thing with itself.
    """
    others: dict[tuple[str, str], set[str]] = defaultdict(set)
    for implied, ends in _entailed(ontology, other):
        others[ends].add(implied)
    for implied, (subject, object_) in _entailed(ontology, one):
        prop = ontology.properties[implied]
        if one is other and subject == object_ and prop.irreflexive:
            return Violation("irreflexive", f"{implied} rdf:type owl:IrreflexiveProperty")
        if prop.asymmetric and implied in others.get((object_, subject), ()):
            return Violation("asymmetric", f"{implied} rdf:type owl:AsymmetricProperty")
        for against in sorted(others.get((subject, object_), ())):
            pair = (min(implied, against), max(implied, against))
            if pair in ontology.disjoint_properties:
                return Violation("disjoint_properties", f"{pair[0]} owl:propertyDisjointWith {pair[1]}")
    return None


def check_cardinality(ontology: Ontology, claim: Claim, moments: Iterable[Sequence[Claim]]) -> Violation | None:
    """Whether a relation is one too many: more than n of at most n, n being 2 or more.

    Of one at most, the later replaces the earlier; that is no violation.

    Args:
        moments: for each moment at which it holds, what else does; looked at only where a cardinality counts.
    """
    limits = []
    for implied, swapped in ontology.entailed[claim.predicate]:
        ends, classes = (claim.subject, claim.object), (claim.subject_class, claim.object_class)
        (subject, object_), (subject_class, object_class) = (ends[::-1], classes[::-1]) if swapped else (ends, classes)
        for rule in ontology.restrictions_of(subject_class):
            limited = rule.kind == "max" and (rule.cardinality or 0) >= 2 and rule.property == implied
            if limited and _counts(ontology, rule, object_class):
                limits.append((rule, subject, object_, subject_class))
    for beside in moments if limits else ():
        for rule, subject, object_, subject_class in limits:
            values = {
                other
                for held in beside
                for prop, (thing, other) in _entailed(ontology, held)
                if prop == rule.property and thing == subject and _counts(ontology, rule, _class_of(held, other))
            }
            if object_ not in values and len(values) >= (rule.cardinality or 0):
                return Violation("cardinality", f"{subject_class} rdfs:subClassOf {_restriction(rule)}")
    return None


def check_attribute(ontology: Ontology, class_iri: str, predicate: str) -> Violation | None:
    """Whether a member of a class may have values of a data property at all."""
    known = ontology.properties.get(predicate)
    violation = _check_property(predicate, known)
    if violation or known is None:
        return violation
    if known.kind != "data":
        return Violation("not_a_data_property", f"{predicate} rdf:type owl:ObjectProperty")
    for above in _above(ontology, known):
        if not ontology.satisfies(class_iri, above.domain):
            return Violation("domain", f"{above.iri} rdfs:domain {_readable(above.domain)}, not {class_iri}")
    for rule in _rules(ontology, class_iri, known):
        if rule.kind == "max" and rule.cardinality == 0 and not rule.filler:
            return Violation("cardinality", f"{class_iri} rdfs:subClassOf {_restriction(rule)}")
    return None


def check_value(
    ontology: Ontology, class_iri: str, predicate: str, written: str, read: Read = canonical
) -> tuple[str, Violation | None]:
    """A value of a data property in the form of its datatype, and what it breaks.

    Args:
        read: how a text becomes a value of a datatype.
    """
    value = written
    known = ontology.properties[predicate]
    unions = [(f"{above.iri} rdfs:range", above.datatypes) for above in _above(ontology, known) if above.datatypes]
    for rule in _rules(ontology, class_iri, known):
        if rule.kind == "all" and rule.filler:
            unions.append((f"{class_iri} rdfs:subClassOf {rule.property} owl:allValuesFrom", frozenset(rule.filler)))
    for axiom, datatypes in unions:
        # The most telling first: of date or string, a date is one.
        readings = (read(datatype, value) for datatype in sorted(datatypes, key=lambda iri: (iri in _PLAIN, iri)))
        found = next((reading for reading in readings if reading is not None), None)
        if found is None:
            return written, Violation("datatype", f"{axiom} {' or '.join(sorted(datatypes))}, not {written!r}")
        value = found
    for above in _above(ontology, known):
        if above.one_of:
            found = _chosen(above.one_of, value)
            if found is None:
                allowed = ", ".join(map(repr, above.one_of[:20])) + (", …" if len(above.one_of) > 20 else "")
                return written, Violation("datatype", f"{above.iri} rdfs:range owl:oneOf ({allowed}), not {written!r}")
            value = found
    return value, None


def check_value_count(
    ontology: Ontology, class_iri: str, predicate: str, value: str, beside: Iterable[tuple[str, str]]
) -> Violation | None:
    """Whether a value is one too many beside others of the same thing, as (property, value); see `check_cardinality`."""
    known = ontology.properties[predicate]
    held = list(beside)
    for rule in _rules(ontology, class_iri, known):
        if rule.kind == "max" and (rule.cardinality or 0) >= 2 and not rule.filler:
            values = {v for iri, v in held if rule.property in ontology.properties[iri].ancestors}
            if value not in values and len(values) >= (rule.cardinality or 0):
                return Violation("cardinality", f"{class_iri} rdfs:subClassOf {_restriction(rule)}")
    return None


def _check_property(iri: str, known: OntologyProperty | None) -> Violation | None:
    if known is None:
        return Violation("unknown_property", f"{iri} is not a property of the ontology")
    return _deprecated(known) if known.deprecated else None


def _deprecated(term: OntologyClass | OntologyProperty) -> Violation:
    instead = f"; use {' or '.join(term.replaced_by)}" if term.replaced_by else ""
    return Violation("deprecated", f"{term.iri} owl:deprecated true{instead}")


def _above(ontology: Ontology, known: OntologyProperty) -> list[OntologyProperty]:
    """A property, then those above it."""
    above = sorted(known.ancestors - {known.iri})
    return [known, *(ontology.properties[iri] for iri in above if iri in ontology.properties)]


def _rules(ontology: Ontology, class_iri: str, known: OntologyProperty) -> Iterator[Restriction]:
    return (rule for rule in ontology.restrictions_of(class_iri) if rule.property in known.ancestors)


def _entailed(ontology: Ontology, claim: Claim) -> Iterator[tuple[str, tuple[str, str]]]:
    """(property, (subject, object)) of all that a relation says."""
    for implied, swapped in ontology.entailed[claim.predicate]:
        yield implied, (claim.object, claim.subject) if swapped else (claim.subject, claim.object)


def _class_of(claim: Claim, ref: str) -> str:
    return claim.subject_class if ref == claim.subject else claim.object_class


def _counts(ontology: Ontology, rule: Restriction, class_iri: str) -> bool:
    """Whether a member of the class is among those that a cardinality counts."""
    return not rule.filler or ontology.is_a(class_iri, rule.filler)


def _chosen(values: tuple[str, ...], value: str) -> str | None:
    """The listed value that this is, in the list's spelling; exact, else after normalisation where that is one value."""
    if value in values:
        return value
    same = [listed for listed in values if normalise_name(listed) == normalise_name(value) != ""]
    return same[0] if len(same) == 1 else None


def _readable(expression: ClassExpression) -> str:
    return " and ".join(" or ".join(sorted(union)) for union in expression)


def _restriction(rule: Restriction) -> str:
    of = f" {' or '.join(rule.filler)}" if rule.filler else ""
    word = "owl:allValuesFrom" if rule.kind == "all" else f"owl:maxCardinality {rule.cardinality}"
    return f"{rule.property} {word}{of}"
