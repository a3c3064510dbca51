"""Checks what was extracted against the ontology: known terms, domain, range, disjointness.

A violation carries a code and the axiom in readable form. Nothing is repaired here: what breaks the ontology is refused
by the caller and kept in quarantine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stratagraph.ontology.model import ClassExpression, Ontology


@dataclass(frozen=True)
class Violation:
    """Why a statement is refused.

    Args:
        code: unknown_class, unknown_property, not_an_object_property, not_a_data_property, domain, range, disjoint_classes.
        axiom: the axiom that is broken, as 'subject predicate object'.
    """

    code: str
    axiom: str


def check_class(ontology: Ontology, class_iri: str) -> Violation | None:
    """Whether a class is one of the ontology's."""
    if class_iri in ontology.classes:
        return None
    return Violation("unknown_class", f"{class_iri} is not a class of the ontology")


def check_classes(ontology: Ontology, classes: Iterable[str]) -> Violation | None:
    """Whether one thing may be in all of these classes."""
    ordered = sorted(set(classes))
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
    if known is None:
        return Violation("unknown_property", f"{predicate} is not a property of the ontology")
    if known.kind != "object":
        return Violation("not_an_object_property", f"{predicate} rdf:type owl:DatatypeProperty")
    # Its own axioms first, then those of the properties above it, which hold of it as well.
    for above in (predicate, *sorted(known.ancestors - {predicate})):
        axioms = ontology.properties.get(above)
        if axioms is None:
            continue
        if not ontology.satisfies(subject_class, axioms.domain):
            return Violation("domain", f"{above} rdfs:domain {_readable(axioms.domain)}, not {subject_class}")
        if not ontology.satisfies(object_class, axioms.range):
            return Violation("range", f"{above} rdfs:range {_readable(axioms.range)}, not {object_class}")
    return None


def check_attribute(ontology: Ontology, class_iri: str, predicate: str) -> Violation | None:
    """Whether a member of a class may have a value of a data property."""
    known = ontology.properties.get(predicate)
    if known is None:
        return Violation("unknown_property", f"{predicate} is not a property of the ontology")
    if known.kind != "data":
        return Violation("not_a_data_property", f"{predicate} rdf:type owl:ObjectProperty")
    if not ontology.satisfies(class_iri, known.domain):
        return Violation("domain", f"{predicate} rdfs:domain {_readable(known.domain)}, not {class_iri}")
    return None


def _readable(expression: ClassExpression) -> str:
    return " and ".join(" or ".join(sorted(union)) for union in expression)
