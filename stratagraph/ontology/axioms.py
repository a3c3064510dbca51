"""Reads from RDF triples what owlready2 loses: hierarchies, class axioms, domains, ranges, keys, chains, disjointness.

owlready2 drops cycles of sub-classes and cannot hold deep ones, keeps one inverse a property, turns datatypes into types of
Python, and knows neither keys nor what an equivalent class implies. All functions here are pure; what they cannot say in the
values of `model.py` is left out by them and listed by `report.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

import rdflib
from rdflib import OWL, RDF, RDFS, XSD, Literal, URIRef
from rdflib.term import Node

from stratagraph.errors import OntologyError
from stratagraph.ontology.model import THING, ClassExpression, Restriction

# A hierarchy that a person made has some hundred thousand pairs (a class and one above it); SNOMED has five million.
MAX_PAIRS = 5_000_000
_LITERAL = str(RDFS.Literal)
_RDF_TYPES = (str(RDF.langString), str(RDF.PlainLiteral))
_LEAST = (OWL.minCardinality, OWL.cardinality, OWL.minQualifiedCardinality, OWL.qualifiedCardinality)
_MOST = (OWL.maxCardinality, OWL.cardinality, OWL.maxQualifiedCardinality, OWL.qualifiedCardinality)
Pairs = frozenset[tuple[str, str]]


def members(graph: rdflib.Graph, start: Node | None) -> list[Node]:
    """The items of an RDF list. A list that ends in itself is an OntologyError."""
    found: list[Node] = []
    seen: set[Node] = set()
    while start is not None and start != RDF.nil:
        if start in seen:
            raise OntologyError("a list has no end", where=str(start), hint="write it without the loop")
        seen.add(start)
        item = graph.value(start, RDF.first)
        if item is not None:
            found.append(item)
        start = graph.value(start, RDF.rest)
    return found


def class_axioms(graph: rdflib.Graph) -> Iterator[tuple[Node, Node]]:
    """(sub, above): classes and expressions of classes; an equivalence is said in both directions.

    What a named class carries itself (an intersection, a union) is an equivalence, too.
    """
    yield from graph.subject_objects(RDFS.subClassOf)
    for one, other in graph.subject_objects(OWL.equivalentClass):
        yield one, other
        yield other, one
    for operator in (OWL.intersectionOf, OWL.unionOf, OWL.disjointUnionOf):
        for cls, items in graph.subject_objects(operator):
            for part in members(graph, items) if isinstance(cls, URIRef) else ():
                yield (cls, part) if operator == OWL.intersectionOf else (part, cls)


def below(graph: rdflib.Graph, node: Node) -> Iterator[URIRef]:
    """Named classes whose members are all members of the expression: itself, or those of a union."""
    if isinstance(node, URIRef):
        yield node
    else:
        for items in graph.objects(node, OWL.unionOf):
            for part in members(graph, items):
                yield from below(graph, part)


def conjuncts(graph: rdflib.Graph, node: Node) -> Iterator[Node]:
    """What a member of the expression is a member of: itself, or the parts of an intersection."""
    lists = [] if isinstance(node, URIRef) else list(graph.objects(node, OWL.intersectionOf))
    if not lists:
        yield node
    for items in lists:
        for part in members(graph, items):
            yield from conjuncts(graph, part)


def ancestors_of_classes(graph: rdflib.Graph) -> dict[str, frozenset[str]]:
    """Class that has others above it -> all of those, without owl:Thing. Equivalent classes are above each other."""
    direct: dict[str, set[str]] = defaultdict(set)
    for sub, above in class_axioms(graph):
        found = {str(part) for part in conjuncts(graph, above) if isinstance(part, URIRef)}
        for named in below(graph, sub) if found else ():
            direct[str(named)] |= found
    return {cls: above - {THING} for cls, above in closed(direct).items()}


def ancestors_of_properties(graph: rdflib.Graph) -> dict[str, frozenset[str]]:
    """Property that has others above it -> all of those. Equivalent properties are above each other."""
    direct: dict[str, set[str]] = defaultdict(set)
    pairs = {*graph.subject_objects(RDFS.subPropertyOf), *graph.subject_objects(OWL.equivalentProperty)}
    pairs |= {(other, one) for one, other in graph.subject_objects(OWL.equivalentProperty)}
    for sub, above in pairs:
        if isinstance(sub, URIRef) and isinstance(above, URIRef):
            direct[str(sub)].add(str(above))
    return closed(direct)


def closed(direct: dict[str, set[str]]) -> dict[str, frozenset[str]]:
    """The transitive closure, with cycles; deep hierarchies need no deep recursion.

    Raises:
        OntologyError: it would not fit into memory.
    """
    found: dict[str, frozenset[str]] = {}
    pairs = 0
    for start in sorted(direct):
        reached: set[str] = set()
        frontier = list(direct[start])
        while frontier:
            term = frontier.pop()
            if term not in reached:
                reached.add(term)
                if term in found:
                    reached |= found[term]
                else:
                    frontier.extend(direct.get(term, ()))
        found[start] = frozenset(reached)
        pairs += len(reached)
        if pairs > MAX_PAIRS:
            raise OntologyError(
                f"the hierarchy has more than {MAX_PAIRS:,} pairs of a term and one above it", where=start,
                hint="use the part of the ontology that you need",
            )  # fmt: skip
    return found


def inverses(graph: rdflib.Graph) -> dict[str, frozenset[str]]:
    """Property -> named properties that are declared its inverses; a property may be its own (it is symmetric)."""
    found: dict[str, set[str]] = defaultdict(set)
    for one, other in graph.subject_objects(OWL.inverseOf):
        if isinstance(one, URIRef) and isinstance(other, URIRef):
            found[str(one)].add(str(other))
            found[str(other)].add(str(one))
    return {iri: frozenset(others) for iri, others in found.items()}


def named_property(graph: rdflib.Graph, node: Node | None) -> str | None:
    """The IRI of a property; of the inverse of one, its first named inverse, if it has one."""
    if isinstance(node, URIRef):
        return str(node)
    of = graph.value(node, OWL.inverseOf) if node is not None else None
    named = {*graph.objects(of, OWL.inverseOf), *graph.subjects(OWL.inverseOf, of)} if of is not None else set()
    return min((str(iri) for iri in named if isinstance(iri, URIRef)), default=None)


def restrictions(graph: rdflib.Graph) -> dict[str, tuple[Restriction, ...]]:
    """Named class -> what its own axioms restrict, sorted; also inside intersections and equivalent classes."""
    found: dict[str, set[Restriction]] = defaultdict(set)
    for sub, above in class_axioms(graph):
        parts = [part for part in conjuncts(graph, above) if (part, OWL.onProperty, None) in graph]
        for named in below(graph, sub) if parts else ():
            for part in parts:
                found[str(named)].update(restriction_values(graph, part))
    return {cls: tuple(sorted(said)) for cls, said in found.items() if said}


def restriction_values(graph: rdflib.Graph, node: Node) -> Iterator[Restriction]:
    """What one owl:Restriction says, as far as `Restriction` can say it."""
    prop = named_property(graph, graph.value(node, OWL.onProperty))
    if prop is None:
        return
    for union in (u for filler in graph.objects(node, OWL.allValuesFrom) for u in _fillers(graph, filler) if u):
        yield Restriction(prop, "all", None, union)
    for union in (u for filler in graph.objects(node, OWL.someValuesFrom) for u in _fillers(graph, filler)):
        yield Restriction(prop, "some", None, union)
    of = graph.value(node, OWL.onClass) or graph.value(node, OWL.onDataRange)
    unions = _fillers(graph, of) if of is not None else [()]
    for count in _counts(graph, node, _LEAST):
        yield from (Restriction(prop, "min", count, union) for union in unions if count)
    # "At most one red A" does not mean "at most one A", so what is read only in part bounds nothing from above.
    if of is None or (len(unions) == 1 and _is_plain(graph, of)):
        yield from (Restriction(prop, "max", count, unions[0]) for count in _counts(graph, node, _MOST))


def _counts(graph: rdflib.Graph, node: Node, bounds: Iterable[URIRef]) -> Iterator[int]:
    for number in (value for bound in bounds for value in graph.objects(node, bound)):
        text = str(number).strip()
        if isinstance(number, Literal) and text.isascii() and text.isdigit() and len(text) < 10:
            yield int(text)


def _is_plain(graph: rdflib.Graph, node: Node) -> bool:
    """Whether `_fillers` says all of an expression: a name, or a union of names."""
    parts = [part for items in graph.objects(node, OWL.unionOf) for part in members(graph, items)]
    return isinstance(node, URIRef) or (bool(parts) and all(isinstance(part, URIRef) for part in parts))


def _fillers(graph: rdflib.Graph, node: Node) -> list[tuple[str, ...]]:
    """Unions of classes or datatypes that must all hold, sorted; () = anything."""
    found = set()
    for part in conjuncts(graph, node):
        union = class_union(graph, part)
        if union is None and (types := data_range(graph, part)[0]):
            union = types
        found.add(tuple(sorted(union or ())))
    return sorted(found - {()}) or [()]


def class_union(graph: rdflib.Graph, node: Node) -> frozenset[str] | None:
    """A name or a union of names that holds all members of the node; None where that is everything, or nothing known.

    Of an intersection inside a union one name is taken: "an A that is not a B" is an A.
    """
    if isinstance(node, URIRef):
        return None if str(node) in (THING, _LITERAL, str(RDFS.Resource)) else frozenset((str(node),))
    unions = [members(graph, items) for items in graph.objects(node, OWL.unionOf)]
    if len(unions) != 1 or not unions[0]:
        return None
    found: set[str] = set()
    for part in unions[0]:
        options = [one for one in (class_union(graph, conjunct) for conjunct in conjuncts(graph, part)) if one is not None]
        if not options:
            return None
        found |= min(options, key=lambda option: (len(option), sorted(option)))
    return frozenset(found)


def expression(graph: rdflib.Graph, nodes: Iterable[Node]) -> ClassExpression:
    """Named classes and unions of them that must all hold; a construct of another kind constrains nothing here."""
    found = (class_union(graph, part) for node in nodes for part in conjuncts(graph, node))
    return tuple(sorted({part for part in found if part is not None}, key=sorted))


def data_range(graph: rdflib.Graph, node: Node, seen: frozenset[Node] = frozenset()) -> tuple[frozenset[str], frozenset[str]]:
    """(datatypes, the only values): of a data range; nothing = any. Facets of a datatype are not looked at."""
    nothing: frozenset[str] = frozenset()
    if isinstance(node, URIRef) and (str(node).startswith(str(XSD)) or str(node) in _RDF_TYPES):
        return frozenset((str(node),)), nothing
    if node in seen:
        return nothing, nothing
    seen |= {node}
    for items in graph.objects(node, OWL.oneOf):
        values = [item for item in members(graph, items) if isinstance(item, Literal)]
        return frozenset(str(v.datatype or XSD.string) for v in values if not v.language), frozenset(map(str, values))
    for base in (*graph.objects(node, OWL.onDatatype), *graph.objects(node, OWL.equivalentClass)):
        return data_range(graph, base, seen)
    for items in graph.objects(node, OWL.unionOf):
        parts = [data_range(graph, part, seen) for part in members(graph, items)]
        any_type, any_value = any(not types for types, _ in parts), any(not values for _, values in parts)
        return (
            nothing if any_type else nothing.union(*(types for types, _ in parts)),
            nothing if any_value else nothing.union(*(values for _, values in parts)),
        )
    for items in graph.objects(node, OWL.intersectionOf):
        return data_ranges(graph, members(graph, items), seen)
    return nothing, nothing


def data_ranges(
    graph: rdflib.Graph, nodes: Iterable[Node], seen: frozenset[Node] = frozenset()
) -> tuple[frozenset[str], frozenset[str]]:
    """(datatypes, the only values) that several data ranges leave together."""
    both: list[frozenset[str]] = [frozenset(), frozenset()]
    for found in (data_range(graph, node, seen) for node in nodes):
        for index, part in enumerate(found):
            # No datatype in common: one may be derived of the other (int, integer), so either is as good.
            both[index] = (both[index] & part or both[index] | part) if both[index] and part else both[index] or part
    return both[0], both[1]


def keys(graph: rdflib.Graph) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Named class -> its owl:hasKey axioms, each sorted."""
    found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for cls, items in graph.subject_objects(OWL.hasKey):
        parts = {named_property(graph, part) for part in members(graph, items)}
        for named in below(graph, cls) if parts and None not in parts else ():
            found[str(named)].add(tuple(sorted(part for part in parts if part is not None)))
    return {cls: tuple(sorted(said)) for cls, said in found.items()}


def chains(graph: rdflib.Graph) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Property -> its owl:propertyChainAxiom axioms, each in its order."""
    found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for prop, items in graph.subject_objects(OWL.propertyChainAxiom):
        parts = [named_property(graph, part) for part in members(graph, items)]
        if isinstance(prop, URIRef) and parts and None not in parts:
            found[str(prop)].add(tuple(part for part in parts if part is not None))
    return {prop: tuple(sorted(said)) for prop, said in found.items()}


def disjoint_classes(graph: rdflib.Graph) -> Pairs:
    """Ordered pairs of named classes: owl:disjointWith, AllDisjointClasses, disjointUnionOf, and sub-classes of complements."""
    sides = [(one, other) for one, other in graph.subject_objects(OWL.disjointWith)]
    sides += graph.subject_objects(OWL.complementOf)
    for sub, above in class_axioms(graph):
        sides += ((sub, other) for part in conjuncts(graph, above) for other in graph.objects(part, OWL.complementOf))
    groups = [members(graph, items) for items in graph.objects(None, OWL.disjointUnionOf)]
    sides += _pairs([*groups, *_listed(graph, OWL.AllDisjointClasses)])
    return _ordered((str(a), str(b)) for one, other in sides for a in below(graph, one) for b in below(graph, other))


def disjoint_properties(graph: rdflib.Graph) -> Pairs:
    """Ordered pairs of named properties: owl:propertyDisjointWith and AllDisjointProperties."""
    sides = [*graph.subject_objects(OWL.propertyDisjointWith), *_pairs(_listed(graph, OWL.AllDisjointProperties))]
    return _ordered((str(a), str(b)) for a, b in sides if isinstance(a, URIRef) and isinstance(b, URIRef))


def _listed(graph: rdflib.Graph, kind: URIRef) -> list[list[Node]]:
    return [members(graph, items) for axiom in graph.subjects(RDF.type, kind) for items in graph.objects(axiom, OWL.members)]


def _pairs(groups: Iterable[list[Node]]) -> Iterator[tuple[Node, Node]]:
    pairs = 0
    for group in groups:
        pairs += len(group) ** 2 // 2
        if pairs > MAX_PAIRS:
            raise OntologyError(f"more than {MAX_PAIRS:,} pairs are disjoint", hint="use the part that you need")
        yield from combinations(group, 2)


def _ordered(pairs: Iterable[tuple[str, str]]) -> Pairs:
    return frozenset((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1])
