"""Reads OWL/XML into triples, as "OWL 2: Mapping to RDF Graphs" says.

owlready2 has a reader of its own, but it loses keys, all but two of equivalent classes, and the slash an IRI ends with. Facts
about individuals, annotations of axioms and SWRL rules are left out: nothing here reads them. The XML was checked before
(`read.check_xml`): it is well-formed, not deep, and its entities are harmless.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from urllib.parse import urljoin

import rdflib
from lxml import etree
from rdflib import OWL, RDF, RDFS, XSD, BNode, Literal, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from stratagraph.errors import OntologyError

_XML = "{http://www.w3.org/XML/1998/namespace}"
_PREFIXES = {"owl": str(OWL), "rdf": str(RDF), "rdfs": str(RDFS), "xsd": str(XSD)}
_ENTITIES = {
    "Class": OWL.Class, "Datatype": RDFS.Datatype, "ObjectProperty": OWL.ObjectProperty,
    "DataProperty": OWL.DatatypeProperty, "AnnotationProperty": OWL.AnnotationProperty, "NamedIndividual": OWL.NamedIndividual,
}  # fmt: skip
# Axioms of two parts: one triple.
_PAIRS = {
    "SubClassOf": RDFS.subClassOf, "SubObjectPropertyOf": RDFS.subPropertyOf, "SubDataPropertyOf": RDFS.subPropertyOf,
    "SubAnnotationPropertyOf": RDFS.subPropertyOf, "InverseObjectProperties": OWL.inverseOf,
    "DatatypeDefinition": OWL.equivalentClass,
    **{f"{kind}Property{axiom.title()}": RDFS[axiom] for kind in ("Object", "Data", "Annotation")
       for axiom in ("domain", "range")},
}  # fmt: skip
_EQUIVALENTS = {
    "EquivalentClasses": OWL.equivalentClass, "EquivalentObjectProperties": OWL.equivalentProperty,
    "EquivalentDataProperties": OWL.equivalentProperty,
}  # fmt: skip
_DISJOINT = {
    "DisjointClasses": (OWL.disjointWith, OWL.AllDisjointClasses),
    "DisjointObjectProperties": (OWL.propertyDisjointWith, OWL.AllDisjointProperties),
    "DisjointDataProperties": (OWL.propertyDisjointWith, OWL.AllDisjointProperties),
}
_CHARACTERISTICS = {
    f"{name}{kind}Property": OWL[f"{name}Property"]
    for name in ("Functional", "InverseFunctional", "Symmetric", "Asymmetric", "Transitive", "Reflexive", "Irreflexive")
    for kind in ("Object", "Data")
}
_OPERATORS = {
    f"{kind}{name}": (OWL.Class if kind == "Object" else RDFS.Datatype, OWL[name[0].lower() + name[1:]])
    for kind in ("Object", "Data")
    for name in ("IntersectionOf", "UnionOf", "ComplementOf", "OneOf")
}
_QUANTIFIERS = {
    f"{kind}{name}": OWL[name[0].lower() + name[1:]]
    for kind in ("Object", "Data")
    for name in ("SomeValuesFrom", "AllValuesFrom", "HasValue")
}
_CARDINALITIES = {
    f"{kind}{name}Cardinality": (plain, qualified, OWL.onClass if kind == "Object" else OWL.onDataRange)
    for kind in ("Object", "Data")
    for name, plain, qualified in (
        ("Min", OWL.minCardinality, OWL.minQualifiedCardinality),
        ("Max", OWL.maxCardinality, OWL.maxQualifiedCardinality),
        ("Exact", OWL.cardinality, OWL.qualifiedCardinality),
    )
}


def read_owl_xml(data: bytes, path: Path) -> rdflib.Graph:
    """The triples of an OWL/XML document. Any fault is an OntologyError with the file and the line."""
    parser = etree.XMLParser(
        resolve_entities="internal", no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise OntologyError(f"not valid OWL/XML: {error.msg}", where=f"{path}:{error.lineno}") from error
    return _Document(root, path).graph


class _Document:
    def __init__(self, root: etree._Element, path: Path) -> None:
        self.path = path
        self.graph = rdflib.Graph()
        self.base = root.get(f"{_XML}base") or root.get("ontologyIRI") or ""
        self.prefixes = _PREFIXES | {e.get("name", ""): e.get("IRI", "") for e in root if _name(e) == "Prefix"}
        self.ontology = URIRef(root.get("ontologyIRI")) if root.get("ontologyIRI") else BNode()
        self.graph.add((self.ontology, RDF.type, OWL.Ontology))
        if root.get("versionIRI"):
            self.graph.add((self.ontology, OWL.versionIRI, URIRef(root.get("versionIRI"))))
        for element in root:
            try:
                self.read(element, _name(element), [child for child in element if _name(child) != "Annotation"])
            except OntologyError:
                raise
            except (LookupError, ValueError, TypeError) as error:
                raise self.fault(element, f"<{_name(element)}> is not complete") from error

    def fault(self, element: etree._Element, what: str) -> OntologyError:
        return OntologyError(f"not valid OWL/XML: {what}", where=f"{self.path}:{element.sourceline}")

    def read(self, element: etree._Element, name: str, parts: Sequence[etree._Element]) -> None:
        """One axiom. What is no axiom about terms is passed over."""
        add = self.graph.add
        if name == "Import":
            add((self.ontology, OWL.imports, URIRef(urljoin(self.base, (element.text or "").strip()))))
        elif name == "Annotation":
            add((self.ontology, self.node(element[-2]), self.node(element[-1])))
        elif name == "Declaration":
            add((self.node(parts[0]), RDF.type, _ENTITIES[_name(parts[0])]))
        elif name == "SubObjectPropertyOf" and _name(parts[0]) == "ObjectPropertyChain":
            add((self.node(parts[1]), OWL.propertyChainAxiom, self.list(map(self.node, parts[0]))))
        elif name in _PAIRS:
            one, other = map(self.node, parts)
            add((one, _PAIRS[name], other))
        elif name in _EQUIVALENTS:
            for one, other in pairwise(map(self.node, parts)):
                add((one, _EQUIVALENTS[name], other))
        elif name in _DISJOINT:
            self.disjoint(*_DISJOINT[name], [self.node(part) for part in parts])
        elif name == "DisjointUnion":
            add((self.node(parts[0]), OWL.disjointUnionOf, self.list(map(self.node, parts[1:]))))
        elif name == "HasKey":
            add((self.node(parts[0]), OWL.hasKey, self.list(map(self.node, parts[1:]))))
        elif name in _CHARACTERISTICS:
            add((self.node(parts[0]), RDF.type, _CHARACTERISTICS[name]))
        elif name == "AnnotationAssertion":
            predicate, subject, value = map(self.node, parts)
            add((subject, predicate, value))

    def disjoint(self, pair: URIRef, group: URIRef, terms: list[Node]) -> None:
        if len(terms) == 2:
            self.graph.add((terms[0], pair, terms[1]))
        else:
            axiom = BNode()
            self.graph.add((axiom, RDF.type, group))
            self.graph.add((axiom, OWL.members, self.list(terms)))

    def node(self, element: etree._Element) -> Node:
        """An entity, an expression, an IRI or a literal; the triples of an expression are added."""
        name = _name(element)
        if name in _ENTITIES or name in ("IRI", "AbbreviatedIRI"):
            return self.iri(element)
        if name == "Literal":
            language, datatype = element.get(f"{_XML}lang"), element.get("datatypeIRI")
            plain = language or datatype in (None, str(XSD.string), str(RDF.PlainLiteral))
            return Literal(element.text or "", lang=language, datatype=None if plain else URIRef(datatype))
        if name == "AnonymousIndividual":
            return BNode()
        return self.expression(element, name, list(element))

    def iri(self, element: etree._Element) -> URIRef:
        written = element.get("IRI") if _name(element) != "IRI" else (element.text or "")
        if written is not None:
            return URIRef(self.base + written if written.startswith("#") else urljoin(self.base, written))
        prefix, colon, local = (element.get("abbreviatedIRI") or element.text or "").strip().partition(":")
        if not colon:
            raise self.fault(element, f"<{_name(element)}> names nothing")
        if prefix not in self.prefixes:
            raise self.fault(element, f"the prefix {prefix!r} is not declared")
        return URIRef(self.prefixes[prefix] + local)

    def expression(self, element: etree._Element, name: str, parts: Sequence[etree._Element]) -> BNode:
        node = BNode()

        def say(*pairs: tuple[URIRef, Node]) -> BNode:
            for predicate, value in pairs:
                self.graph.add((node, predicate, value))
            return node

        if name in _OPERATORS:
            kind, predicate = _OPERATORS[name]
            if predicate == OWL.complementOf:
                what = OWL.complementOf if kind == OWL.Class else OWL.datatypeComplementOf
                return say((RDF.type, kind), (what, self.node(parts[0])))
            return say((RDF.type, kind), (predicate, self.list(map(self.node, parts))))
        if name in _QUANTIFIERS:
            *properties, filler = parts
            if len(properties) != 1:
                raise self.fault(element, f"<{name}> of several properties is not read")
            return say(
                (RDF.type, OWL.Restriction), (OWL.onProperty, self.node(properties[0])), (_QUANTIFIERS[name], self.node(filler))
            )
        if name in _CARDINALITIES:
            plain, qualified, on = _CARDINALITIES[name]
            count = Literal(element.get("cardinality"), datatype=XSD.nonNegativeInteger)
            say((RDF.type, OWL.Restriction), (OWL.onProperty, self.node(parts[0])))
            return say((qualified, count), (on, self.node(parts[1]))) if len(parts) > 1 else say((plain, count))
        if name == "ObjectHasSelf":
            return say((RDF.type, OWL.Restriction), (OWL.onProperty, self.node(parts[0])), (OWL.hasSelf, Literal(True)))
        if name == "ObjectInverseOf":
            return say((OWL.inverseOf, self.node(parts[0])))
        if name == "DatatypeRestriction":
            facets = [self.facet(part) for part in parts[1:]]
            return say(
                (RDF.type, RDFS.Datatype), (OWL.onDatatype, self.node(parts[0])), (OWL.withRestrictions, self.list(facets))
            )
        raise self.fault(element, f"<{name}> is no expression of OWL")

    def facet(self, element: etree._Element) -> BNode:
        node = BNode()
        self.graph.add((node, URIRef(element.get("facet")), self.node(element[0])))
        return node

    def list(self, items: Iterable[Node]) -> Node:
        found = list(items)
        if not found:
            return RDF.nil
        head = BNode()
        Collection(self.graph, head, found)
        return head


def _name(element: etree._Element) -> str:
    return str(etree.QName(element).localname)
