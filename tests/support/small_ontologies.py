"""Small ontologies, made of terms without any file: what `ontology/build.py` derives is given directly, closed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from stratagraph.ontology.model import Ontology, OntologyClass, OntologyProperty

E = "http://e.org/"


def a_class(name: str, *above: str, **rest: object) -> OntologyClass:
    """A class and those right above it, by local name."""
    ancestors = frozenset(E + other for other in (name, *above))
    return replace(OntologyClass(E + name, name, (), (), ancestors), **rest)  # type: ignore[arg-type]


def a_property(name: str, *above: str, kind: str = "object", **rest: object) -> OntologyProperty:
    """A property and those right above it, by local name; domain and range are unions of local names, or one name."""
    for key in ("domain", "range"):
        unions = rest.pop(key, ())
        named = [unions] if isinstance(unions, str) else unions
        rest[key] = tuple(frozenset(E + part for part in str(union).split("|")) for union in named)  # type: ignore[attr-defined]
    plain = OntologyProperty(
        iri=E + name, kind=kind, label=name, labels=(), alt_labels=(), domain=(), range=(), datatypes=frozenset(),  # type: ignore[arg-type]
        functional=False, inverse_functional=False, symmetric=False, transitive=False, max_one=False, inverses=frozenset(),
        ancestors=frozenset(E + other for other in (name, *above)),
    )  # fmt: skip
    return replace(plain, **rest)  # type: ignore[arg-type]


def an_ontology(
    *terms: OntologyClass | OntologyProperty,
    disjoint_classes: Iterable[tuple[str, str]] = (),
    disjoint_properties: Iterable[tuple[str, str]] = (),
) -> Ontology:
    """The terms with their hierarchies closed; pairs by local name."""
    classes = {term.iri: term for term in terms if isinstance(term, OntologyClass)}
    properties = {term.iri: term for term in terms if isinstance(term, OntologyProperty)}
    return Ontology(
        {iri: replace(term, ancestors=_closed(iri, classes)) for iri, term in sorted(classes.items())},
        {iri: replace(term, ancestors=_closed(iri, properties)) for iri, term in sorted(properties.items())},
        _pairs(disjoint_classes), _pairs(disjoint_properties), (),
    )  # fmt: skip


def _closed(iri: str, terms: Mapping[str, OntologyClass] | Mapping[str, OntologyProperty]) -> frozenset[str]:
    found, frontier = {iri}, [iri]
    while frontier:
        above = terms[frontier.pop()].ancestors - found
        found |= above
        frontier += above
    return frozenset(found)


def _pairs(pairs: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    return frozenset((min(E + a, E + b), max(E + a, E + b)) for a, b in pairs)
