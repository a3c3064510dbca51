"""Counts what ontology files say and lists what is wrong with them or has no effect, for people. Nothing is written.

The counts are of the triples, so they are the same whatever the syntax. What the axioms mean is `axioms.py` and `build.py`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import rdflib
from rdflib import OWL, RDF, RDFS, SKOS, BNode, Literal, URIRef
from rdflib.term import Node

from stratagraph.errors import OntologyError
from stratagraph.ontology import axioms
from stratagraph.ontology.load import made_of, read_graphs
from stratagraph.ontology.model import Ontology, OntologyClass, OntologyProperty, local_name
from stratagraph.ontology.plain import LABELS, SCHEMA, VOCABULARIES, vocabulary
from stratagraph.ontology.read import read_file

_SWRL_RULE = URIRef("http://www.w3.org/2003/11/swrl#Imp")
_VOCABULARIES = (str(OWL), str(RDFS), str(RDF), *(prefix + "DataType" for prefix in SCHEMA))
_CARDINALITIES = (
    OWL.minCardinality, OWL.maxCardinality, OWL.cardinality, OWL.minQualifiedCardinality, OWL.maxQualifiedCardinality,
    OWL.qualifiedCardinality,
)  # fmt: skip
_CHARACTERISTICS = {
    "functional": OWL.FunctionalProperty, "inverse_functional": OWL.InverseFunctionalProperty,
    "symmetric": OWL.SymmetricProperty, "transitive": OWL.TransitiveProperty, "asymmetric": OWL.AsymmetricProperty,
    "irreflexive": OWL.IrreflexiveProperty,
}  # fmt: skip


@dataclass(frozen=True)
class FileReport:
    """What one file says, or why it cannot be used. `labels` counts labels and altLabels by language, '' for no language."""

    file: str
    counts: dict[str, int] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class Report:
    """What the files of an ontology say together.

    Args:
        files: the given files, the imported ones and those that cannot be used.
        total: all that can be used, merged: what two files say counts once.
        problem: why nothing can be used, though each file can be read.
        imports: imported IRI -> file.
        missing_imports: imported IRIs that no file has.
        unreadable: files of the catalogue that cannot be read -> why.
        undeclared: terms used as classes or properties that no file declares: often a slip of the pen, or a missing import.
        unlabelled: classes and properties without a label, sorted; likewise `deprecated`, `unbound` (properties without
            domain and range, so they hold of anything).
        punned: IRI -> the kinds of thing it is, where it is more than one.
        without_effect: (IRI or '', axiom): axioms that nothing here reads.
    """

    files: tuple[FileReport, ...]
    total: FileReport
    problem: str = ""
    imports: dict[str, str] = field(default_factory=dict)
    missing_imports: tuple[str, ...] = ()
    unreadable: dict[str, str] = field(default_factory=dict)
    undeclared: tuple[str, ...] = ()
    unlabelled: tuple[str, ...] = ()
    deprecated: tuple[str, ...] = ()
    unbound: tuple[str, ...] = ()
    punned: dict[str, list[str]] = field(default_factory=dict)
    without_effect: tuple[tuple[str, str], ...] = ()

    @property
    def usable(self) -> bool:
        return not self.problem and not any(file.problem for file in self.files)

    def as_dict(self) -> dict[str, Any]:
        return {"usable": self.usable} | asdict(self)


def check_files(files: Iterable[Path], catalog: Iterable[Path] = ()) -> Report:
    """Read files as one ontology and report on them. Files that cannot be used are left out of the total."""
    good, bad = list(files), list[FileReport]()
    try:
        graphs, found = read_graphs(good, catalog)
    except OntologyError:
        good, bad = _sorted_out(good)
        if not good:
            return Report(tuple(bad), FileReport("all files"), problem="no file can be used")
        graphs, found = read_graphs(good, catalog)
    so_far = Report(
        tuple(bad), FileReport("all files"), imports={iri: str(path) for iri, path in found.resolved},
        missing_imports=found.missing, unreadable={str(path): why for path, why in found.unreadable},
    )  # fmt: skip
    try:
        ontology = made_of(graphs, found)
    except OntologyError as error:
        return replace(so_far, problem=str(error))
    merged = vocabulary(graph for _, graph in graphs)
    declared = {str(term) for term in merged.subjects(RDF.type)}
    reports = [_summary(str(path), vocabulary([graph]), ontology) for path, graph in graphs]
    terms = dict(_terms(ontology))
    return replace(
        so_far, files=(*reports, *bad), total=_summary("all files", merged, ontology),
        undeclared=tuple(sorted((terms.keys() | _used_as_properties(merged)) - declared)),
        unlabelled=tuple(sorted(iri for iri, term in terms.items() if not term.labels)),
        deprecated=tuple(sorted(iri for iri, term in terms.items() if term.deprecated)),
        unbound=tuple(sorted(iri for iri in ontology.properties if _is_unbound(ontology, iri))),
        punned=_punned(graph for _, graph in graphs), without_effect=tuple(sorted(set(_without_effect(merged)))),
    )  # fmt: skip


def _sorted_out(files: Iterable[Path]) -> tuple[list[Path], list[FileReport]]:
    """The files that can be read, and why the others cannot."""
    good, bad = [], []
    for file in files:
        try:
            read_file(file)
            good.append(file)
        except OntologyError as error:
            bad.append(FileReport(str(file), problem=str(error)))
    return good, bad


def _summary(name: str, graph: rdflib.Graph, ontology: Ontology) -> FileReport:
    """Counts of one graph. Kinds are those of the whole ontology: a file alone may not say what its properties are."""
    typed = {str(term) for term in graph.subjects(RDF.type)}
    properties = [prop for iri, prop in ontology.properties.items() if iri in typed]
    annotations = {str(prop) for prop in graph.subjects(RDF.type, OWL.AnnotationProperty)} - ontology.properties.keys()
    includes = {
        axiom: {prop for prefix in SCHEMA for prop in graph.subjects(URIRef(prefix + axiom + "Includes"))}
        for axiom in ("domain", "range")
    }
    counts = {
        "classes": len(typed & ontology.classes.keys()),
        "object_properties": sum(prop.kind == "object" for prop in properties),
        "data_properties": sum(prop.kind == "data" for prop in properties),
        "annotation_properties": len(annotations),
        "sub_class": _count(graph, RDFS.subClassOf),
        "equivalent_class": _count(graph, OWL.equivalentClass),
        "sub_property": _count(graph, RDFS.subPropertyOf),
        "equivalent_property": _count(graph, OWL.equivalentProperty),
        "domain": _count(graph, RDFS.domain) + len(includes["domain"]),
        "range": _count(graph, RDFS.range) + len(includes["range"]),
        **{name: len(set(graph.subjects(RDF.type, kind))) for name, kind in _CHARACTERISTICS.items()},
        "inverse": len({frozenset(pair) for pair in graph.subject_objects(OWL.inverseOf) if isinstance(pair[0], URIRef)}),
        "disjoint_classes": len(axioms.disjoint_classes(graph)),
        "disjoint_properties": len(axioms.disjoint_properties(graph)),
        "keys": _count(graph, OWL.hasKey),
        "chains": _count(graph, OWL.propertyChainAxiom),
        "cardinalities": sum(_count(graph, kind) for kind in _CARDINALITIES),
        "value_restrictions": _count(graph, OWL.allValuesFrom) + _count(graph, OWL.someValuesFrom),
        "deprecated": sum(iri in typed and term.deprecated for iri, term in _terms(ontology)),
    }
    texts = {(s, text) for kind in (*LABELS, SKOS.altLabel) for s, text in graph.subject_objects(kind)}
    languages = Counter((text.language or "").lower() for _, text in texts if isinstance(text, Literal))
    return FileReport(name, counts, dict(sorted(languages.items())))


def _count(graph: rdflib.Graph, predicate: URIRef) -> int:
    return sum(1 for _ in graph.subject_objects(predicate))


def _terms(ontology: Ontology) -> Iterator[tuple[str, OntologyClass | OntologyProperty]]:
    yield from ontology.classes.items()
    yield from ontology.properties.items()


def _used_as_properties(graph: rdflib.Graph) -> set[str]:
    subjects = (RDFS.domain, RDFS.range, RDFS.subPropertyOf, OWL.inverseOf, OWL.propertyChainAxiom)
    objects = (RDFS.subPropertyOf, OWL.inverseOf, OWL.onProperty)
    used = {term for axiom in subjects for term in graph.subjects(axiom)}
    used |= {term for axiom in objects for term in graph.objects(None, axiom)}
    return {str(term) for term in used if isinstance(term, URIRef) and not str(term).startswith(VOCABULARIES)}


def _is_unbound(ontology: Ontology, iri: str) -> bool:
    above = [ontology.properties[a] for a in ontology.properties[iri].ancestors if a in ontology.properties]
    return not any(prop.domain or prop.range or prop.datatypes for prop in above)


def _punned(graphs: Iterable[rdflib.Graph]) -> dict[str, list[str]]:
    kinds: dict[Node, str] = {
        OWL.Class: "class", RDFS.Class: "class", OWL.ObjectProperty: "object property", OWL.DatatypeProperty: "data property",
        OWL.AnnotationProperty: "annotation property", RDFS.Datatype: "datatype", OWL.NamedIndividual: "individual",
    }  # fmt: skip
    found: dict[str, set[str]] = defaultdict(set)
    for term, kind in (pair for graph in graphs for pair in graph.subject_objects(RDF.type)):
        if isinstance(term, URIRef) and not str(term).startswith(_VOCABULARIES):
            if kind in kinds:
                found[str(term)].add(kinds[kind])
            elif isinstance(kind, URIRef) and not str(kind).startswith(_VOCABULARIES):
                found[str(term)].add("individual")
    return {iri: sorted(what) for iri, what in sorted(found.items()) if len(what) > 1}


def _without_effect(graph: rdflib.Graph) -> Iterator[tuple[str, str]]:
    """(IRI or '', axiom) for what `axioms.py` and `build.py` do not read."""
    datatypes = set(graph.subjects(RDF.type, RDFS.Datatype))
    for sub, above in axioms.class_axioms(graph):
        if sub in datatypes or above in datatypes:
            continue
        below = sorted(set(axioms.below(graph, sub)))
        if not below and not isinstance(above, BNode):
            yield str(above), "what is enough to be in it: an anonymous class below or equivalent to it"
        for part in axioms.conjuncts(graph, above) if below else ():
            what = _unread(graph, part)
            yield from ((str(cls), f"above it: {what}") for cls in below if what)
    for axiom in (RDFS.domain, RDFS.range):
        for prop, node in graph.subject_objects(axiom):
            types, values = axioms.data_range(graph, node)
            if isinstance(node, BNode) and not types and not values and axioms.class_union(graph, node) is None:
                parts = list(axioms.conjuncts(graph, node))
                if not any(axioms.class_union(graph, part) for part in parts):
                    yield str(prop), f"{_local(axiom)}: {_unread(graph, node) or 'an expression'}"
    for node in graph.subjects(OWL.withRestrictions):
        users = sorted(str(user) for user in graph.subjects(None, node) if isinstance(user, URIRef))
        yield users[0] if users else "", "the facets of a datatype"
    read_keys, read_chains = axioms.keys(graph), axioms.chains(graph)
    for term in set(graph.subjects(OWL.hasKey)):
        if isinstance(term, URIRef) and str(term) not in read_keys:
            yield str(term), "a key with an inverse that has no name"
    for term in set(graph.subjects(OWL.propertyChainAxiom)):
        if str(term) not in read_chains:
            yield str(term), "a chain with an inverse that has no name"
    for _ in graph.subjects(RDF.type, _SWRL_RULE):
        yield "", "a rule of SWRL"


def _unread(graph: rdflib.Graph, node: Node) -> str:
    """What an anonymous class says that has no effect; empty where it has one."""
    if isinstance(node, URIRef) or (node, OWL.complementOf, None) in graph:
        return ""
    if (node, OWL.onProperty, None) in graph:
        if any(axioms.restriction_values(graph, node)):
            return ""
        says = sorted(_local(p) for p in graph.predicates(node) if p not in (RDF.type, OWL.onProperty))
        return f"{', '.join(says)} of {axioms.named_property(graph, graph.value(node, OWL.onProperty)) or 'an unnamed inverse'}"
    for operator in (OWL.unionOf, OWL.oneOf, OWL.datatypeComplementOf, OWL.onDatatype):
        if (node, operator, None) in graph:
            return _local(operator)
    return "an expression"


def _local(term: Node) -> str:
    return local_name(str(term))
