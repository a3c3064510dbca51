"""How deep the expressions of a file are nested: in its triples, and in its text, to say where.

Parsers and readers of expressions are recursive; what is too deep for them is refused here before it can harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import rdflib
from rdflib import OWL, RDF, BNode

from stratagraph.errors import OntologyError

MAX_NESTING = 100  # of expressions; the deepest of real ontologies are some ten deep
MAX_PARTS = 1_000_000  # of one expression, what is shared counted as often as it is used
# What makes one expression a part of another.
_STRUCTURE = frozenset((
    RDF.first, RDF.rest, OWL.intersectionOf, OWL.unionOf, OWL.complementOf, OWL.oneOf, OWL.disjointUnionOf, OWL.onProperty,
    OWL.someValuesFrom, OWL.allValuesFrom, OWL.onClass, OWL.onDataRange, OWL.onDatatype, OWL.withRestrictions, OWL.members,
    OWL.hasKey, OWL.propertyChainAxiom,
))  # fmt: skip
# Strings, IRIs and comments are passed over, so that only brackets of the syntax are counted.
_BRACKETS = re.compile(r'"""(?:[^\\]|\\.)*?"""|"(?:[^"\\\n]|\\.)*"|<[^<>\s]*>|#[^\n]*|[\[({]|[\])}]', re.DOTALL)


def deep_line(data: bytes) -> int | None:
    """The line at which brackets of Turtle or JSON are nested too deeply; None where it is not by brackets."""
    depth = 0
    text = data.decode("utf-8-sig", "replace")
    for found in _BRACKETS.finditer(text):
        depth += {"[": 1, "(": 1, "{": 1, "]": -1, ")": -1, "}": -1}.get(found.group(), 0)
        if depth > MAX_NESTING:
            return text.count("\n", 0, found.start()) + 1
    return None


def nested_too_deeply(graph: rdflib.Graph, path: Path) -> bool:
    """Whether an anonymous expression is too deep. One that contains itself says nothing and is refused.

    So is one whose shared parts would make it endless, were they written out.
    """
    depths: dict[BNode, int] = {}
    sizes: dict[BNode, int] = {}
    for start in {node for node in graph.subjects() if isinstance(node, BNode)}:
        stack, open_ = [(start, _parts(graph, start))], {start}
        depths.setdefault(start, 0)
        while stack:
            node, parts = stack[-1]
            sizes.setdefault(node, 1)
            for part, is_rest in parts:
                if part in open_:
                    raise OntologyError(
                        "an anonymous class or list contains itself", where=str(path), hint="write it without the loop"
                    )
                if part in depths:
                    depths[node] = max(depths[node], depths[part] + (not is_rest))
                    sizes[node] += sizes[part]
                    continue
                depths[part] = 0
                open_.add(part)
                stack.append((part, _parts(graph, part)))
                break
            else:
                stack.pop()
                open_.discard(node)
                if stack:
                    above = stack[-1][0]
                    is_rest = (above, RDF.rest, node) in graph
                    depths[above] = max(depths[above], depths[node] + (not is_rest))
                    sizes[above] += sizes[node]
        if sizes[start] > MAX_PARTS:
            raise OntologyError(
                f"an expression has more than {MAX_PARTS:,} parts", where=str(path), hint="give what is used twice a name"
            )
        if depths[start] > MAX_NESTING:
            return True
    return False


def _parts(graph: rdflib.Graph, node: BNode) -> Iterator[tuple[BNode, bool]]:
    """The anonymous parts of an expression, and whether they are only the rest of a list."""
    return (
        (value, predicate == RDF.rest)
        for predicate, value in graph.predicate_objects(node)
        if isinstance(value, BNode) and predicate in _STRUCTURE
    )
