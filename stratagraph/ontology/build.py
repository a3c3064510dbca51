"""Derives an `Ontology` from RDF triples, with owlready2 as the OWL model.

RDFS vocabularies (`rdfs:Class`, `rdf:Property`, schema.org's `domainIncludes`) are first said in OWL, because owlready2
sees nothing else. Each build has a world of its own, in memory; nothing is kept and nothing is fetched.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import owlready2
import rdflib
from rdflib import OWL, RDF, RDFS, SKOS, XSD, BNode, Literal, URIRef
from rdflib.collection import Collection

from stratagraph.errors import OntologyError
from stratagraph.ontology.model import CORE, ClassExpression, Labels, Ontology, OntologyClass, OntologyProperty

_BASE = "urn:stratagraph:loaded#"
_SCHEMA = ("http://schema.org/", "https://schema.org/")
# owlready2 imports the Python modules that a file names in this namespace; a data file must not be able to do that.
_OWLREADY = "http://www.lesfleursdunormal.fr/static/_downloads/owlready_ontology.owl#"
_ANNOTATIONS = (SKOS.altLabel, *(URIRef(CORE + name) for name in ("endPhrase", "nameWord", "quotedNames", "commonNouns")))
_OWL_PROPERTIES = (OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty)
_IMPLIES_OBJECT = (OWL.SymmetricProperty, OWL.TransitiveProperty, OWL.InverseFunctionalProperty)


def build(graphs: list[tuple[Path, rdflib.Graph]]) -> Ontology:
    """One ontology from the triples of all files."""
    merged = rdflib.Graph()
    for _, graph in graphs:
        merged += graph
    world = owlready2.World()
    try:
        ontology = world.get_ontology(_BASE)
        triples = _as_owl(merged).serialize(format="nt", encoding="utf-8")
        ontology.load(only_local=True, fileobj=io.BytesIO(triples), format="ntriples")
        return _Reader(world).ontology(_missing_imports(merged), tuple(str(path) for path, _ in graphs))
    except OntologyError:
        raise
    except Exception as error:
        where = ", ".join(str(path) for path, _ in graphs)
        raise OntologyError(f"owlready2 cannot hold this ontology: {error}", where=where) from error
    finally:
        world.close()


def imports_core(graphs: Iterable[rdflib.Graph]) -> bool:
    """Whether the library's own vocabulary is imported and is not among the graphs."""
    given, core = list(graphs), URIRef(CORE.rstrip("#"))
    wanted = any((None, OWL.imports, core) in graph for graph in given)
    return wanted and not any((core, RDF.type, OWL.Ontology) in graph for graph in given)


def _missing_imports(graph: rdflib.Graph) -> tuple[str, ...]:
    present = {str(s).rstrip("#/") for s in graph.subjects(RDF.type, OWL.Ontology)}
    present |= {str(o).rstrip("#/") for o in graph.objects(None, OWL.versionIRI)}
    wanted = {str(o) for o in graph.objects(None, OWL.imports)}
    return tuple(sorted(iri for iri in wanted if iri.rstrip("#/") not in present))


def _as_owl(graph: rdflib.Graph) -> rdflib.Graph:
    """The same in plain OWL: classes and properties typed as such, nothing that reaches outside."""
    owl = rdflib.Graph()
    for subject, predicate, value in graph:
        if predicate == OWL.imports or not isinstance(predicate, URIRef) or str(predicate).startswith(_OWLREADY):
            continue
        if isinstance(subject, URIRef | BNode) and isinstance(value, URIRef | BNode | Literal):
            owl.add((subject, predicate, value))
    for annotation in _ANNOTATIONS:
        for kind in _OWL_PROPERTIES:
            owl.remove((annotation, RDF.type, kind))
        owl.add((annotation, RDF.type, OWL.AnnotationProperty))
    datatypes = _datatypes(owl)
    for cls in {*owl.subjects(RDF.type, RDFS.Class), *owl.subjects(RDF.type, OWL.DeprecatedClass)}:
        if isinstance(cls, URIRef) and str(cls) not in datatypes:
            owl.add((cls, RDF.type, OWL.Class))
    for prop in {*owl.subjects(RDF.type, RDF.Property), *owl.subjects(RDF.type, OWL.FunctionalProperty)}:
        if isinstance(prop, URIRef) and not any((prop, RDF.type, kind) in owl for kind in _OWL_PROPERTIES):
            owl.add((prop, RDF.type, OWL.ObjectProperty if _has_object_range(owl, prop, datatypes) else OWL.DatatypeProperty))
    for kind in _IMPLIES_OBJECT:
        for prop in list(owl.subjects(RDF.type, kind)):
            if not any((prop, RDF.type, other) in owl for other in _OWL_PROPERTIES):
                owl.add((prop, RDF.type, OWL.ObjectProperty))
    for prop in list(owl.subjects(RDF.type, OWL.ObjectProperty)):  # one name as both kinds: it relates things
        owl.remove((prop, RDF.type, OWL.DatatypeProperty))
        owl.remove((prop, RDF.type, OWL.AnnotationProperty))
    for prop in {*owl.subjects(RDF.type, OWL.DeprecatedProperty)}:
        owl.remove((prop, RDF.type, OWL.DeprecatedProperty))
        owl.add((prop, OWL.deprecated, Literal(True)))
    _drop_mixed_hierarchies(owl)
    _declare_classes(owl, datatypes)
    for prefix in _SCHEMA:
        _add_unions(owl, URIRef(prefix + "domainIncludes"), RDFS.domain, datatypes)
        _add_unions(owl, URIRef(prefix + "rangeIncludes"), RDFS.range, datatypes)
    return owl


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
    for operator in (OWL.unionOf, OWL.intersectionOf):
        for members in graph.objects(None, operator):
            used.update(Collection(graph, members))
    builtin = (str(OWL), str(RDFS), str(RDF))
    properties = {str(prop) for kind in _OWL_PROPERTIES for prop in graph.subjects(RDF.type, kind)}
    for term in used:
        if isinstance(term, URIRef) and not str(term).startswith(builtin) and not _is_datatype(term, datatypes | properties):
            graph.add((term, RDF.type, OWL.Class))


def _drop_mixed_hierarchies(graph: rdflib.Graph) -> None:
    """OWL keeps object, data and annotation properties apart; a sub-property axiom across them constrains nothing."""
    kinds = {kind: set(graph.subjects(RDF.type, kind)) for kind in _OWL_PROPERTIES}
    for sub, above in list(graph.subject_objects(RDFS.subPropertyOf)):
        if isinstance(above, URIRef) and not any(sub in members and above in members for members in kinds.values()):
            graph.remove((sub, RDFS.subPropertyOf, above))


def _datatypes(graph: rdflib.Graph) -> set[str]:
    found = {str(RDFS.Literal)} | {str(s) for s in graph.subjects(RDF.type, RDFS.Datatype)}
    for prefix in _SCHEMA:
        frontier = {*graph.subjects(RDF.type, URIRef(prefix + "DataType")), URIRef(prefix + "DataType")}
        while frontier:
            found |= {str(term) for term in frontier}
            frontier = {s for t in frontier for s in graph.subjects(RDFS.subClassOf, t) if str(s) not in found}
    return found


def _is_datatype(term: object, datatypes: set[str]) -> bool:
    return str(term) in datatypes or str(term).startswith(str(XSD))


def _has_object_range(graph: rdflib.Graph, prop: URIRef, datatypes: set[str]) -> bool:
    ranges = [r for p in (RDFS.range, *(URIRef(s + "rangeIncludes") for s in _SCHEMA)) for r in graph.objects(prop, p)]
    return not ranges or not all(_is_datatype(r, datatypes) for r in ranges)


def _add_unions(graph: rdflib.Graph, includes: URIRef, axiom: URIRef, datatypes: set[str]) -> None:
    members: dict[Any, list[URIRef]] = defaultdict(list)
    for prop, cls in graph.subject_objects(includes):
        if isinstance(cls, URIRef):
            members[prop].append(cls)
    for prop, found in members.items():
        if (prop, RDF.type, OWL.ObjectProperty) not in graph and axiom == RDFS.range:
            continue
        things = sorted(c for c in found if not _is_datatype(c, datatypes))
        if len(things) == 1:
            graph.add((prop, axiom, things[0]))
        elif things:
            union, items = BNode(), BNode()
            Collection(graph, items, list(things))
            graph.add((union, RDF.type, OWL.Class))
            graph.add((union, OWL.unionOf, items))
            graph.add((prop, axiom, union))


class _Reader:
    """Reads the entities of one owlready2 world."""

    def __init__(self, world: Any) -> None:
        self.world = world
        # Annotations by entity, by IRI: an ontology's own property called `label` would shadow the attribute.
        self.annotation = {str(iri): world[str(iri)] for iri in _ANNOTATIONS}

    def ontology(self, missing_imports: tuple[str, ...], files: tuple[str, ...]) -> Ontology:
        classes = {cls.iri: self.read_class(cls) for cls in self.world.classes() if _named(cls)}
        found = [prop for prop in self.world.properties() if _kind(prop)]
        above = {prop.iri: frozenset(a.iri for a in prop.ancestors() if _kind(a)) | {prop.iri} for prop in found}
        inverses = _inverses(found)
        functional = _spread({p.iri for p in found if owlready2.FunctionalProperty in p.is_a}, above)
        inverse_functional = _spread({p.iri for p in found if owlready2.InverseFunctionalProperty in p.is_a}, above)
        # If "employs" is inverse functional, "works for" is functional, and the other way round.
        functional |= _spread({i for iri in inverse_functional for i in inverses[iri]}, above)
        inverse_functional |= _spread({i for iri in functional for i in inverses[iri]}, above)
        limited = self.limited_properties()
        properties = {}
        for prop in found:
            kind = _kind(prop)
            assert kind is not None
            domain = _expression(prop.domain)
            is_object = kind == "object"
            properties[prop.iri] = OntologyProperty(
                iri=prop.iri, kind="object" if is_object else "data", label=self.label(prop), labels=self.labels(prop),
                alt_labels=self.texts(prop, SKOS.altLabel), domain=domain, range=_expression(prop.range) if is_object else (),
                datatypes=frozenset() if is_object else _value_types(prop.range), functional=prop.iri in functional,
                inverse_functional=is_object and prop.iri in inverse_functional,
                symmetric=is_object and owlready2.SymmetricProperty in prop.is_a,
                transitive=is_object and owlready2.TransitiveProperty in prop.is_a,
                max_one=_covers(limited.get(prop.iri, frozenset()), domain, classes), inverses=frozenset(inverses[prop.iri]),
                ancestors=above[prop.iri], end_phrases=self.texts(prop, URIRef(CORE + "endPhrase")),
                deprecated=self.deprecated(prop),
            )  # fmt: skip
        return Ontology(
            classes=dict(sorted(classes.items())), properties=dict(sorted(properties.items())),
            disjoint_classes=_pairs(self.world.disjoint_classes()),
            disjoint_properties=_pairs(self.world.disjoint_properties()),
            missing_imports=missing_imports, files=files,
        )  # fmt: skip

    def read_class(self, cls: Any) -> OntologyClass:
        return OntologyClass(
            iri=cls.iri, label=self.label(cls), labels=self.labels(cls), alt_labels=self.texts(cls, SKOS.altLabel),
            ancestors=frozenset(a.iri for a in cls.ancestors() if _named(a)) | {cls.iri},
            name_words=self.texts(cls, URIRef(CORE + "nameWord")), quoted_names=self.flag(cls, "quotedNames"),
            common_nouns=self.flag(cls, "commonNouns"), deprecated=self.deprecated(cls),
        )  # fmt: skip

    def labels(self, entity: Any) -> Labels:
        return _labels(owlready2.label[entity])

    def label(self, entity: Any) -> str:
        """The label people see: English if there is one, else untagged, else the first, else the IRI's last part."""
        labels = self.labels(entity)
        order = sorted(labels, key=lambda pair: (not pair[0].lower().startswith("en"), pair[0] != "", pair))
        return order[0][1] if order else local_name(entity.iri)

    def texts(self, entity: Any, annotation: URIRef) -> Labels:
        return _labels(self.annotation[str(annotation)][entity])

    def flag(self, entity: Any, name: str) -> bool:
        return any(str(value).lower() in ("true", "1") for value in self.annotation[CORE + name][entity])

    def deprecated(self, entity: Any) -> bool:
        return any(value is True for value in owlready2.deprecated[entity])

    def limited_properties(self) -> dict[str, frozenset[str]]:
        """Property -> classes whose members have at most one value of it, by a cardinality restriction."""
        found: dict[str, set[str]] = defaultdict(set)
        for cls in self.world.classes():
            for part in _conjuncts([*cls.is_a, *cls.equivalent_to]):
                if isinstance(part, owlready2.Restriction) and part.type in (owlready2.MAX, owlready2.EXACTLY):
                    qualified = part.value is not None and part.value is not owlready2.Thing
                    if (
                        part.cardinality is not None
                        and part.cardinality <= 1
                        and not qualified
                        and hasattr(part.property, "iri")
                    ):
                        found[part.property.iri].add(cls.iri)
        return {iri: frozenset(classes) for iri, classes in found.items()}


def local_name(iri: str) -> str:
    """The last part of an IRI."""
    return iri.rstrip("#/").replace("#", "/").rpartition("/")[2].rpartition(":")[2]


def _named(cls: Any) -> bool:
    return isinstance(cls, owlready2.ThingClass) and cls is not owlready2.Thing


def _kind(prop: Any) -> str | None:
    if isinstance(prop, owlready2.ObjectPropertyClass) and prop is not owlready2.ObjectProperty:
        return "object" if prop.namespace.base_iri != str(OWL) else None
    if isinstance(prop, owlready2.DataPropertyClass) and prop is not owlready2.DataProperty:
        return "data" if prop.namespace.base_iri != str(OWL) else None
    return None


def _labels(values: Iterable[Any]) -> Labels:
    found = {(getattr(value, "lang", "") or "", str(value).strip()) for value in values if isinstance(value, str)}
    return tuple(sorted(pair for pair in found if pair[1]))


def _inverses(properties: list[Any]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {prop.iri: set() for prop in properties}
    for prop in properties:
        inverse = getattr(prop, "inverse_property", None)
        if inverse is not None and inverse is not prop and inverse.iri in found:
            found[prop.iri].add(inverse.iri)
            found[inverse.iri].add(prop.iri)
    return found


def _spread(roots: set[str], above: dict[str, frozenset[str]]) -> set[str]:
    """A property below a functional one is functional as well."""
    return {iri for iri, ancestors in above.items() if ancestors & roots}


def _conjuncts(constructs: Iterable[Any]) -> Iterator[Any]:
    for construct in constructs:
        if isinstance(construct, owlready2.And):
            yield from _conjuncts(construct.Classes)
        else:
            yield construct


def _expression(constructs: Iterable[Any]) -> ClassExpression:
    """Named classes and unions of them; a construct of another kind constrains nothing here."""
    unions = set()
    for construct in _conjuncts(constructs):
        members = construct.Classes if isinstance(construct, owlready2.Or) else [construct]
        if all(isinstance(member, owlready2.ThingClass) for member in members) and owlready2.Thing not in members:
            unions.add(frozenset(member.iri for member in members))
    return tuple(sorted(unions, key=sorted))


def _value_types(constructs: Iterable[Any]) -> frozenset[str]:
    names = {str: "string", int: "integer", float: "decimal", bool: "boolean"}
    found = set()
    for construct in constructs:
        if isinstance(construct, type):
            found.add(
                str(XSD)
                + names.get(construct, {"date": "date", "datetime": "dateTime", "time": "time"}.get(construct.__name__, ""))
            )
    return frozenset(name for name in found if name != str(XSD))


def _covers(limited: frozenset[str], domain: ClassExpression, classes: dict[str, OntologyClass]) -> bool:
    """Whether the restricted classes cover every class that may have the property."""
    if not limited or not domain:
        return False
    return any(all(iri in classes and classes[iri].ancestors & limited for iri in union) for union in domain)


def _pairs(axioms: Iterable[Any]) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for axiom in axioms:
        iris = sorted({entity.iri for entity in axiom.entities if hasattr(entity, "iri")})
        found.update((a, b) for index, a in enumerate(iris) for b in iris[index + 1 :])
    return frozenset(found)
