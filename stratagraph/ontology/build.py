"""Derives an `Ontology` from RDF triples.

owlready2 says what the entities are: classes, object and data properties, and their characteristics. Texts are read from the
triples, and so is, by `axioms.py`, what owlready2 loses. Each build has a world of its own, in memory; nothing is kept and
nothing is fetched.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import owlready2
import rdflib
from rdflib import OWL, RDF, RDFS, SKOS, Literal, URIRef
from rdflib.term import Node

from stratagraph.errors import OntologyError
from stratagraph.ontology import axioms
from stratagraph.ontology.model import (
    CORE,
    ClassExpression,
    Labels,
    Ontology,
    OntologyClass,
    OntologyProperty,
    Restriction,
    local_name,
)
from stratagraph.ontology.plain import COMMENTS, LABELS, PROPERTY_TYPES, REPLACED_BY, VOCABULARIES, as_owl

_BASE = "urn:stratagraph:loaded#"
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NO_IRI = re.compile(r"""[\x00-\x20<>"{}|\\^`\ud800-\udfff]""")


def build(graphs: list[tuple[Path, rdflib.Graph]], missing_imports: tuple[str, ...] = ()) -> Ontology:
    """One ontology from the triples of all files."""
    files = tuple(str(path) for path, _ in graphs)
    where = ", ".join(files)
    try:
        plain = as_owl(graph for _, graph in graphs)
        with _world(plain, (OWL.Class,)) as classes, _world(plain, PROPERTY_TYPES) as properties:
            return _Reader(classes, properties, plain).ontology(missing_imports, files)
    except OntologyError as error:
        raise OntologyError(error.what, where=f"{where}: {error.where}" if error.where else where, hint=error.hint) from error
    except Exception as error:
        raise OntologyError(f"owlready2 cannot hold this ontology: {error}", where=where) from error


@contextmanager
def _world(plain: rdflib.Graph, kinds: tuple[URIRef, ...]) -> Iterator[Any]:
    """An owlready2 world of the entities of some kinds, with their types.

    Classes and properties have a world each, because owlready2 takes no IRI for both, as OWL allows. It is not given the
    hierarchies: it would make Python classes of them, which fails where they are cyclic or deep.
    """
    entities = rdflib.Graph()
    for kind in kinds:
        for entity in plain.subjects(RDF.type, kind):
            if isinstance(entity, URIRef) and not str(entity).startswith(VOCABULARIES):
                entities.add((entity, RDF.type, kind))
    wrong = min((iri for iri in map(str, entities.subjects()) if _NO_IRI.search(iri)), default=None)
    if wrong is not None:
        raise OntologyError(f"not an IRI: {wrong!r}", hint="it has a character that no IRI may have; correct it")
    world = owlready2.World()
    try:
        triples = io.BytesIO(entities.serialize(format="nt", encoding="utf-8"))
        world.get_ontology(_BASE).load(only_local=True, fileobj=triples, format="ntriples")
        yield world
    finally:
        world.close()


class _Reader:
    """Makes the values of `model.py` of owlready2's classes and properties and the triples they came from."""

    def __init__(self, classes: Any, properties: Any, graph: rdflib.Graph) -> None:
        self.classes, self.properties, self.graph = classes, properties, graph
        self.above_class = axioms.ancestors_of_classes(graph)
        self.above_property = axioms.ancestors_of_properties(graph)
        self.inverses = axioms.inverses(graph)
        self.restrictions = axioms.restrictions(graph)
        self.at_most_one: dict[str, list[tuple[str, Restriction]]] = defaultdict(list)
        for cls, said in self.restrictions.items():
            for restriction in said:
                if restriction.kind == "max" and restriction.cardinality in (0, 1):
                    self.at_most_one[restriction.property].append((cls, restriction))
        self.keys = axioms.keys(graph)
        self.chains = axioms.chains(graph)

    def ontology(self, missing_imports: tuple[str, ...], files: tuple[str, ...]) -> Ontology:
        classes = {cls.iri: self.read_class(cls) for cls in self.classes.classes() if _named(cls)}
        found = {prop.iri: prop for prop in self.properties.properties() if _kind(prop)}
        known = frozenset(found)
        above = {iri: (self.above_property.get(iri, frozenset()) & known) | {iri} for iri in found}
        inverses = {iri: self.inverses.get(iri, frozenset()) & known for iri in found}

        def of_kind(kind: Any) -> set[str]:
            return {iri for iri, prop in found.items() if kind in prop.is_a}

        functional = _spread(of_kind(owlready2.FunctionalProperty), above)
        inverse_functional = _spread(of_kind(owlready2.InverseFunctionalProperty), above)
        # If "employs" is inverse functional, "works for" is functional, and the other way round.
        functional |= _spread({i for iri in inverse_functional for i in inverses[iri]}, above)
        inverse_functional |= _spread({i for iri in functional for i in inverses[iri]}, above)
        own_inverse = {iri for iri in found if iri in inverses[iri]}
        symmetric = _same(of_kind(owlready2.SymmetricProperty) | own_inverse, above)
        transitive = _same(of_kind(owlready2.TransitiveProperty), above)
        asymmetric = _spread(of_kind(owlready2.AsymmetricProperty), above)
        irreflexive = _spread(of_kind(owlready2.IrreflexiveProperty), above) | asymmetric
        properties = {}
        for iri, prop in found.items():
            kind = _kind(prop)
            assert kind is not None
            is_object = kind == "object"
            domain = axioms.expression(self.graph, self.graph.objects(URIRef(iri), RDFS.domain))
            ranges = list(self.graph.objects(URIRef(iri), RDFS.range))
            range_ = axioms.expression(self.graph, ranges) if is_object else ()
            datatypes, one_of = axioms.data_ranges(self.graph, [] if is_object else ranges)
            properties[iri] = OntologyProperty(
                iri=iri, kind="object" if is_object else "data", label=self.label(prop), labels=self.texts(prop, *LABELS),
                alt_labels=self.texts(prop, SKOS.altLabel), comments=self.texts(prop, *COMMENTS), domain=domain, range=range_,
                datatypes=datatypes, one_of=tuple(sorted(one_of)), functional=iri in functional,
                inverse_functional=iri in inverse_functional, symmetric=is_object and iri in symmetric,
                transitive=is_object and iri in transitive, asymmetric=is_object and iri in asymmetric,
                irreflexive=is_object and iri in irreflexive, chains=self.chains.get(iri, ()),
                max_one=_covers(self.limited(iri, range_, datatypes), domain, self.above_class),
                inverses=inverses[iri] - {iri}, ancestors=above[iri], end_phrases=self.texts(prop, URIRef(CORE + "endPhrase")),
                deprecated=self.deprecated(prop), replaced_by=self.replaced_by(prop),
            )  # fmt: skip
        return Ontology(
            classes=dict(sorted(classes.items())), properties=dict(sorted(properties.items())),
            disjoint_classes=axioms.disjoint_classes(self.graph), disjoint_properties=axioms.disjoint_properties(self.graph),
            missing_imports=missing_imports, files=files,
        )  # fmt: skip

    def read_class(self, cls: Any) -> OntologyClass:
        return OntologyClass(
            iri=cls.iri, label=self.label(cls), labels=self.texts(cls, *LABELS), alt_labels=self.texts(cls, SKOS.altLabel),
            comments=self.texts(cls, *COMMENTS), ancestors=self.above_class.get(cls.iri, frozenset()) | {cls.iri},
            restrictions=self.restrictions.get(cls.iri, ()), keys=self.keys.get(cls.iri, ()),
            name_words=self.texts(cls, URIRef(CORE + "nameWord")), quoted_names=self.flag(cls, "quotedNames"),
            common_nouns=self.flag(cls, "commonNouns"), deprecated=self.deprecated(cls), replaced_by=self.replaced_by(cls),
        )  # fmt: skip

    def label(self, entity: Any) -> str:
        """The label people see: English if there is one, else untagged, else the first, else the IRI's last part.

        A preferred label of SKOS goes before the others of its language.
        """
        preferred = self.texts(entity, SKOS.prefLabel)
        labels = self.texts(entity, *LABELS)
        order = sorted(labels, key=lambda pair: (not _is_english(pair[0]), pair[0] != "", pair not in preferred, pair))
        return order[0][1] if order else local_name(entity.iri)

    def texts(self, entity: Any, *annotations: URIRef) -> Labels:
        return _labels(value for annotation in annotations for value in self.values(entity, annotation))

    def flag(self, entity: Any, name: str) -> bool:
        return any(_is_true(value) for value in self.values(entity, URIRef(CORE + name)))

    def deprecated(self, entity: Any) -> bool:
        return any(_is_true(value) for value in self.values(entity, OWL.deprecated))

    def replaced_by(self, entity: Any) -> tuple[str, ...]:
        """The terms that an ontology names in place of one."""
        found = {value for annotation in REPLACED_BY for value in self.values(entity, annotation)}
        return tuple(sorted(str(iri) for iri in found if isinstance(iri, URIRef)))

    def values(self, entity: Any, annotation: URIRef) -> Iterator[Node]:
        # owlready2 has them, too, but asks its database for each, which takes minutes where there are many entities.
        return self.graph.objects(URIRef(entity.iri), annotation)

    def limited(self, prop: str, range_: ClassExpression, datatypes: frozenset[str]) -> frozenset[str]:
        """Classes whose members have at most one value of a property, by a cardinality restriction."""
        bounds = self.at_most_one.get(prop, ())
        return frozenset(cls for cls, restriction in bounds if self.says_all(restriction, range_, datatypes))

    def says_all(self, restriction: Restriction, range_: ClassExpression, datatypes: frozenset[str]) -> bool:
        """Whether a restriction speaks of all that the property may have: "at most one Person", where Person is its range."""
        filler = set(restriction.filler)
        if not filler or (datatypes and datatypes <= filler):
            return True
        return any(all(({iri} | self.above_class.get(iri, frozenset())) & filler for iri in union) for union in range_)


def _named(cls: Any) -> bool:
    return isinstance(cls, owlready2.ThingClass) and cls is not owlready2.Thing


def _kind(prop: Any) -> str | None:
    if isinstance(prop, owlready2.ObjectPropertyClass) and prop is not owlready2.ObjectProperty:
        return "object" if prop.namespace.base_iri != str(OWL) else None
    if isinstance(prop, owlready2.DataPropertyClass) and prop is not owlready2.DataProperty:
        return "data" if prop.namespace.base_iri != str(OWL) else None
    return None


def _labels(values: Iterable[Node]) -> Labels:
    found = {(value.language or "", str(value).strip()) for value in values if isinstance(value, Literal)}
    if half := next((text for _, text in sorted(found) if _SURROGATE.search(text)), None):
        raise OntologyError(f"a text holds half a character (a lone surrogate): {half[:80]!a}")
    return tuple(sorted(pair for pair in found if pair[1]))


def _spread(roots: set[str], above: dict[str, frozenset[str]]) -> set[str]:
    """A property below a functional one is functional as well."""
    return {iri for iri, ancestors in above.items() if ancestors & roots}


def _same(roots: set[str], above: dict[str, frozenset[str]]) -> set[str]:
    """A property that is equivalent to a symmetric one is symmetric as well; one that is only below it need not be."""
    return {iri for iri, ancestors in above.items() if any(iri in above[root] for root in ancestors & roots)}


def _is_english(language: str) -> bool:
    return language.lower().partition("-")[0] == "en"


def _is_true(value: object) -> bool:
    return str(value).lower() in ("true", "1")


def _covers(limited: frozenset[str], domain: ClassExpression, above: dict[str, frozenset[str]]) -> bool:
    """Whether the restricted classes cover every class that may have the property."""
    return any(all((above.get(iri, frozenset()) | {iri}) & limited for iri in union) for union in domain)
