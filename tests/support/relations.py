"""Ontologies made by hand, for tests of what is derived from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stratagraph.ontology.model import Ontology, OntologyProperty


def relation(
    name: str, *, above: Iterable[str] = (), inverses: Iterable[str] = (), symmetric: bool = False, transitive: bool = False,
    functional: bool = False, chains: Iterable[Sequence[str]] = (),
) -> OntologyProperty:  # fmt: skip
    """An object property `urn:<name>`; other names are local ones as well."""
    return OntologyProperty(
        iri=_iri(name), kind="object", label=name, labels=(("en", name),), alt_labels=(), domain=(), range=(),
        datatypes=frozenset(), functional=functional, inverse_functional=False, symmetric=symmetric, transitive=transitive,
        max_one=False, inverses=frozenset(map(_iri, inverses)), ancestors=frozenset(map(_iri, [name, *above])),
        chains=tuple(tuple(map(_iri, chain)) for chain in chains),
    )  # fmt: skip


def ontology_of(properties: Iterable[OntologyProperty], disjoint: Iterable[tuple[str, str]] = ()) -> Ontology:
    """An ontology of relations alone."""
    return Ontology(
        classes={}, properties={prop.iri: prop for prop in properties}, disjoint_classes=frozenset(),
        disjoint_properties=frozenset((_iri(one), _iri(other)) for one, other in disjoint), missing_imports=(),
    )  # fmt: skip


def _iri(name: str) -> str:
    return f"urn:{name}"
