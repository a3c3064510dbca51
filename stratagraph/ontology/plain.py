"""Says the triples of any vocabulary in plain OWL: RDFS classes and properties, schema.org's domains and ranges, deprecations.

Triples go in and triples come out. Which axioms they make is `axioms.py`; which files they come from is `load.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import rdflib
from rdflib import DCTERMS, OWL, RDF, RDFS, SKOS, XSD, BNode, Literal, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from stratagraph.ontology.axioms import members
from stratagraph.ontology.model import CORE

SCHEMA = ("http://schema.org/", "https://schema.org/")
OBO = "http://purl.obolibrary.org/obo/"
LABELS = (RDFS.label, SKOS.prefLabel)
COMMENTS = (RDFS.comment, SKOS.definition, URIRef(OBO + "IAO_0000115"))
# What to use instead of a deprecated term.
REPLACED_BY = (DCTERMS.isReplacedBy, URIRef(OBO + "IAO_0100001"), *(URIRef(s + "supersededBy") for s in SCHEMA))
CORE_ANNOTATIONS = tuple(URIRef(CORE + name) for name in ("endPhrase", "nameWord", "quotedNames", "commonNouns"))
ANNOTATIONS = (SKOS.altLabel, SKOS.prefLabel, *COMMENTS[1:], *REPLACED_BY, *CORE_ANNOTATIONS)
PROPERTY_KINDS = (OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty)
# owlready2 imports the Python modules that a file names in this namespace; a data file must not be able to do that.
_OWLREADY = "http://www.lesfleursdunormal.fr/static/_downloads/owlready_ontology.owl#"
VOCABULARIES = (str(OWL), str(RDFS), str(RDF))
_IMPLIES_OBJECT = (
    OWL.SymmetricProperty, OWL.AsymmetricProperty, OWL.TransitiveProperty, OWL.InverseFunctionalProperty,
    OWL.ReflexiveProperty, OWL.IrreflexiveProperty,
)  # fmt: skip
PROPERTY_TYPES = (*PROPERTY_KINDS, OWL.FunctionalProperty, *_IMPLIES_OBJECT)
_SCHEMA_TYPES = {
    "Boolean": [XSD.boolean], "Date": [XSD.date], "DateTime": [XSD.dateTime], "Time": [XSD.time], "Text": [XSD.string],
    "Number": [XSD.decimal, XSD.double], "Integer": [XSD.integer], "Float": [XSD.double], "URL": [XSD.anyURI],
}  # fmt: skip


def as_owl(graphs: Iterable[rdflib.Graph]) -> rdflib.Graph:
    """What several graphs define, in plain OWL: classes and properties typed as such, nothing that reaches outside."""
    owl = vocabulary(graphs)
    for annotation in ANNOTATIONS:
        owl.remove((annotation, RDF.type, None))
        owl.add((annotation, RDF.type, OWL.AnnotationProperty))
    datatypes = _datatypes(owl)
    for cls in {*owl.subjects(RDF.type, RDFS.Class), *owl.subjects(RDF.type, OWL.DeprecatedClass)}:
        if isinstance(cls, URIRef) and str(cls) not in datatypes:
            owl.add((cls, RDF.type, OWL.Class))
    untyped = (RDF.Property, OWL.FunctionalProperty, OWL.DeprecatedProperty)
    for prop in {prop for kind in untyped for prop in owl.subjects(RDF.type, kind)}:
        if isinstance(prop, URIRef) and not any((prop, RDF.type, kind) in owl for kind in PROPERTY_KINDS):
            owl.add((prop, RDF.type, OWL.ObjectProperty if _has_object_range(owl, prop, datatypes) else OWL.DatatypeProperty))
    for kind in _IMPLIES_OBJECT:
        for prop in list(owl.subjects(RDF.type, kind)):
            if not any((prop, RDF.type, other) in owl for other in PROPERTY_KINDS):
                owl.add((prop, RDF.type, OWL.ObjectProperty))
    for prop in list(owl.subjects(RDF.type, OWL.ObjectProperty)):  # one name as both kinds: it relates things
        owl.remove((prop, RDF.type, OWL.DatatypeProperty))
        owl.remove((prop, RDF.type, OWL.AnnotationProperty))
    for term in {*owl.subjects(RDF.type, OWL.DeprecatedProperty), *owl.subjects(RDF.type, OWL.DeprecatedClass)}:
        owl.remove((term, RDF.type, OWL.DeprecatedProperty))
        owl.add((term, OWL.deprecated, Literal(True)))
    _drop_mixed_hierarchies(owl)
    _declare_classes(owl, datatypes)
    for prefix in SCHEMA:
        for term in set(owl.subjects(URIRef(prefix + "supersededBy"))):
            owl.add((term, OWL.deprecated, Literal(True)))
        _add_unions(owl, URIRef(prefix + "domainIncludes"), RDFS.domain, datatypes)
        _add_unions(owl, URIRef(prefix + "rangeIncludes"), RDFS.range, datatypes)
    return owl


def vocabulary(graphs: Iterable[rdflib.Graph]) -> rdflib.Graph:
    """The triples that define terms. Facts about individuals, of which a file may hold any number, are left out."""
    kept = {*ANNOTATIONS, *(URIRef(prefix + name) for prefix in SCHEMA for name in ("domainIncludes", "rangeIncludes"))}
    data_types = {URIRef(prefix + "DataType") for prefix in SCHEMA}
    found = rdflib.Graph()
    for subject, predicate, value in (triple for graph in graphs for triple in graph):
        if not isinstance(subject, URIRef | BNode) or not isinstance(value, URIRef | BNode | Literal):
            continue  # N3 has formulas
        if predicate == RDF.type:
            defines = (str(value).startswith(VOCABULARIES) and value != OWL.NamedIndividual) or value in data_types
        else:
            defines = predicate in kept or (str(predicate).startswith(VOCABULARIES) and predicate != OWL.imports)
        if defines and not str(predicate).startswith(_OWLREADY):
            found.add((subject, predicate, value))
    return found


def _declare_classes(graph: rdflib.Graph, datatypes: set[str]) -> None:
    """What is used as a class is one, even where the file that declares it is not at hand."""
    used: set[Any] = set()
    for axiom in (RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith):
        for pair in graph.subject_objects(axiom):
            used.update(pair)
    for axiom in (RDFS.domain, RDFS.range):
        for resource in list(graph.subjects(axiom, RDFS.Resource)):
            graph.remove((resource, axiom, RDFS.Resource))
        used.update(graph.objects(None, axiom))
    for operator in (OWL.unionOf, OWL.intersectionOf, OWL.disjointUnionOf):
        for items in graph.objects(None, operator):
            used.update(members(graph, items))
    properties = {str(prop) for kind in PROPERTY_KINDS for prop in graph.subjects(RDF.type, kind)}
    for term in used:
        if (
            isinstance(term, URIRef)
            and not str(term).startswith(VOCABULARIES)
            and not _is_datatype(term, datatypes | properties)
        ):
            graph.add((term, RDF.type, OWL.Class))


def _drop_mixed_hierarchies(graph: rdflib.Graph) -> None:
    """OWL keeps object, data and annotation properties apart; a sub-property axiom across them constrains nothing."""
    kinds = {kind: set(graph.subjects(RDF.type, kind)) for kind in PROPERTY_KINDS}
    for sub, above in list(graph.subject_objects(RDFS.subPropertyOf)):
        if isinstance(above, URIRef) and not any(sub in found and above in found for found in kinds.values()):
            graph.remove((sub, RDFS.subPropertyOf, above))


def _datatypes(graph: rdflib.Graph) -> set[str]:
    found = {str(RDFS.Literal)} | {str(s) for s in graph.subjects(RDF.type, RDFS.Datatype)}
    for prefix in SCHEMA:
        frontier = {*graph.subjects(RDF.type, URIRef(prefix + "DataType")), URIRef(prefix + "DataType")}
        while frontier:
            found |= {str(term) for term in frontier}
            frontier = {s for t in frontier for s in graph.subjects(RDFS.subClassOf, t) if str(s) not in found}
    return found


def _is_datatype(term: object, datatypes: set[str]) -> bool:
    return str(term) in datatypes or str(term).startswith(str(XSD))


def _has_object_range(graph: rdflib.Graph, prop: URIRef, datatypes: set[str]) -> bool:
    ranges = [r for p in (RDFS.range, *(URIRef(s + "rangeIncludes") for s in SCHEMA)) for r in graph.objects(prop, p)]
    return not ranges or not all(_is_datatype(r, datatypes) or (r, RDF.type, RDFS.Datatype) in graph for r in ranges)


def _add_unions(graph: rdflib.Graph, includes: URIRef, axiom: URIRef, datatypes: set[str]) -> None:
    """schema.org says each possible domain or range for itself: together they are a union."""
    included: dict[Any, set[URIRef]] = defaultdict(set)
    for prop, term in graph.subject_objects(includes):
        if isinstance(term, URIRef):
            included[prop].add(term)
    for prop, found in included.items():
        if axiom == RDFS.range and (prop, RDF.type, OWL.ObjectProperty) not in graph:
            types = [_xsd(graph, term) for term in found]
            parts = {xsd for part in types for xsd in part} if all(types) else set()
            kind = RDFS.Datatype
        else:
            parts = {term for term in found if not _is_datatype(term, datatypes)}
            kind = OWL.Class
        if len(parts) == 1:
            graph.add((prop, axiom, parts.pop()))
        elif parts:
            union, items = BNode(), BNode()
            Collection(graph, items, list[Node](sorted(parts)))
            graph.add((union, RDF.type, kind))
            graph.add((union, OWL.unionOf, items))
            graph.add((prop, axiom, union))


def _xsd(graph: rdflib.Graph, datatype: URIRef) -> list[URIRef]:
    """The XSD datatypes of one of schema.org's, or of the one above it."""
    seen: set[Any] = set()
    frontier: list[Any] = [datatype]
    while frontier:
        term = frontier.pop()
        name = next((str(term).removeprefix(prefix) for prefix in SCHEMA if str(term).startswith(prefix)), "")
        if name in _SCHEMA_TYPES:
            return _SCHEMA_TYPES[name]
        seen.add(term)
        frontier.extend(sorted(set(graph.objects(term, RDFS.subClassOf)) - seen))
    return []
