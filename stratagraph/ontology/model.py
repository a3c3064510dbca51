"""What the rest of the library knows of an ontology: plain frozen values, closed under its axioms.

Only the data model and the questions asked of it live here. Reading files is `read.py`, deriving these values from OWL
is `build.py`; nothing here imports owlready2 or rdflib.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Literal

from stratagraph.project import fingerprint

# (language, text), sorted; the language is '' for a literal without a tag.
Labels = tuple[tuple[str, str], ...]
# A conjunction of unions of class IRIs: a member of the property's domain is in one class of every union.
ClassExpression = tuple[frozenset[str], ...]

CORE = "urn:stratagraph:core#"
AGENT = CORE + "Agent"
THING = "http://www.w3.org/2002/07/owl#Thing"


@dataclass(frozen=True, order=True)
class Restriction:
    """What an axiom on a class says of its members' values of one property.

    Args:
        kind: all (owl:allValuesFrom), some, or a cardinality: min, max (an exact cardinality is both).
        cardinality: of min and max.
        filler: the union of classes or datatypes spoken of, sorted; empty = anything.
    """

    property: str
    kind: Literal["all", "some", "min", "max"]
    cardinality: int | None = None
    filler: tuple[str, ...] = ()


@dataclass(frozen=True)
class OntologyClass:
    """A named class.

    Args:
        ancestors: the class itself and every class above it (without owl:Thing); equivalent classes are above each other.
        labels: rdfs:label and skos:prefLabel.
        comments: rdfs:comment and skos:definition (and the definition of OBO), by language.
        restrictions: of this class itself, sorted; those of the classes above hold as well (`Ontology.restrictions_of`).
        keys: owl:hasKey: each a set of properties, sorted, whose values together identify a member.
        replaced_by: terms to use instead of a deprecated one.
        name_words: words that names of members end in, by language.
        quoted_names: members are named in quotation marks.
        common_nouns: members are named by common nouns.
    """

    iri: str
    label: str
    labels: Labels
    alt_labels: Labels
    ancestors: frozenset[str]
    name_words: Labels = ()
    quoted_names: bool = False
    common_nouns: bool = False
    deprecated: bool = False
    comments: Labels = ()
    restrictions: tuple[Restriction, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    replaced_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class OntologyProperty:
    """An object or data property, with what its axioms and those of the properties above it entail.

    Args:
        domain, range: unions of class IRIs that must all hold; empty = anything.
        datatypes: XSD datatypes of a data property's values; empty = any.
        functional: at most one value at a time, also by inheritance or by an inverse.
        inverse_functional: a value belongs to one thing only; of data properties as well (OWL Full, as in FOAF).
        max_one: a cardinality restriction on the class of every possible subject says the same.
        inverses: properties that say the same in the other direction.
        ancestors: the property itself and every property above it.
        end_phrases: phrases that say that the relation ended.
        chains: owl:propertyChainAxiom: each a sequence of properties that, one after the other, imply this one.
        one_of: the only values a data property may have (owl:oneOf), sorted; empty = any of its datatypes.
    """

    iri: str
    kind: Literal["object", "data"]
    label: str
    labels: Labels
    alt_labels: Labels
    domain: ClassExpression
    range: ClassExpression
    datatypes: frozenset[str]
    functional: bool
    inverse_functional: bool
    symmetric: bool
    transitive: bool
    max_one: bool
    inverses: frozenset[str]
    ancestors: frozenset[str]
    end_phrases: Labels = ()
    deprecated: bool = False
    comments: Labels = ()
    asymmetric: bool = False
    irreflexive: bool = False
    chains: tuple[tuple[str, ...], ...] = ()
    one_of: tuple[str, ...] = ()
    replaced_by: tuple[str, ...] = ()

    @property
    def single_valued(self) -> bool:
        return self.functional or self.max_one


@dataclass(frozen=True)
class Ontology:
    """All files of a project's ontology, merged and closed.

    Args:
        disjoint_classes, disjoint_properties: ordered pairs as declared (not inherited; `disjoint` looks above).
        missing_imports: imported ontologies that are not among the given files; not fatal.
    """

    classes: dict[str, OntologyClass]
    properties: dict[str, OntologyProperty]
    disjoint_classes: frozenset[tuple[str, str]]
    disjoint_properties: frozenset[tuple[str, str]]
    missing_imports: tuple[str, ...]
    files: tuple[str, ...] = ()

    @cached_property
    def content_hash(self) -> str:
        """Hash of what the files say, whatever their syntax, order, blank node names and places."""
        content = {name: value for name, value in asdict(self).items() if name not in ("files", "missing_imports")}
        return fingerprint(json.dumps(content, sort_keys=True, ensure_ascii=True, default=_sorted))

    def is_a(self, class_iri: str, ancestors: Iterable[str]) -> bool:
        """Whether a class is one of, or below one of, the given classes."""
        known = self.classes.get(class_iri)
        above = known.ancestors if known else frozenset((class_iri,))
        return any(ancestor == THING or ancestor in above for ancestor in ancestors)

    def satisfies(self, class_iri: str, expression: ClassExpression) -> bool:
        """Whether members of a class satisfy a domain or range.

        Where several axioms must hold and no class is below all of them, a member of one is not known to be outside the
        others: nothing would ever satisfy them else, and who writes two domains mostly means either.
        """
        held = [self.is_a(class_iri, union) for union in expression]
        if all(held) or not any(held) or expression in self._satisfiable:
            return all(held)
        others = [union for union, holds in zip(expression, held, strict=True) if not holds]
        return not any(all(self.disjoint(class_iri, other) for other in union) for union in others)

    @cached_property
    def _satisfiable(self) -> frozenset[ClassExpression]:
        """The domains and ranges of several axioms that some class satisfies."""
        several = {e for prop in self.properties.values() for e in (prop.domain, prop.range) if len(e) > 1}
        return frozenset(e for e in several if any(all(self.is_a(iri, union) for union in e) for iri in self.classes))

    def disjoint(self, one: str, other: str) -> tuple[str, str] | None:
        """The axiom that makes two classes disjoint, if there is one on them or above them."""
        left, right = self.classes.get(one), self.classes.get(other)
        if left is None or right is None:
            return None
        pairs = sorted(
            (a, b) for a in left.ancestors for b in right.ancestors if (min(a, b), max(a, b)) in self.disjoint_classes
        )
        return pairs[0] if pairs else None

    def restrictions_of(self, class_iri: str) -> list[Restriction]:
        """The restrictions on a class and on those above it, sorted."""
        known = self.classes.get(class_iri)
        above = known.ancestors if known else frozenset[str]()
        return sorted({r for iri in above if iri in self.classes for r in self.classes[iri].restrictions})

    @cached_property
    def speaker_class(self) -> str | None:
        """Class of whoever speaks in a conversation: the one class right below `core:Agent`, if it is one."""
        below = [c.iri for c in self.classes.values() if AGENT in c.ancestors and c.iri != AGENT]
        top = [iri for iri in below if not any(other != iri and other in self.classes[iri].ancestors for other in below)]
        return top[0] if len(top) == 1 else None

    def canonical(self, predicate: str) -> tuple[str, bool]:
        """The direction in which a relation is stored, and whether subject and object change places.

        `employs(org, person)` is stored as `worksFor(person, org)` when only the latter is single-valued, so that one
        key holds what both directions say.
        """
        known = self.properties.get(predicate)
        if known is None or known.single_valued:
            return predicate, False
        single = sorted(iri for iri in known.inverses if iri in self.properties and self.properties[iri].single_valued)
        return (single[0], True) if single else (predicate, False)

    @cached_property
    def entailed(self) -> dict[str, tuple[tuple[str, bool], ...]]:
        """Property -> all that a statement of it says: (property, whether the ends are swapped), itself first."""
        found = {iri: [(iri, False)] for iri in self.properties}
        for predicate, implied, swapped in self.implications():
            found[predicate].append((implied, swapped))
        return {iri: tuple(pairs) for iri, pairs in found.items()}

    def implications(self) -> list[tuple[str, str, bool]]:
        """(predicate, implied, swapped): closure over inverse, symmetric and sub-property axioms, without identities."""
        steps: dict[str, set[tuple[str, bool]]] = {}
        for prop in self.properties.values():
            if prop.kind == "object":
                steps[prop.iri] = {(above, False) for above in prop.ancestors} | {(inverse, True) for inverse in prop.inverses}
                if prop.symmetric:
                    steps[prop.iri].add((prop.iri, True))
        found: list[tuple[str, str, bool]] = []
        for start in sorted(steps):
            reached = {(start, False)}
            frontier = [(start, False)]
            while frontier:
                predicate, swapped = frontier.pop()
                for implied, swap in steps.get(predicate, ()):
                    state = (implied, swapped != swap)
                    if state not in reached:
                        reached.add(state)
                        frontier.append(state)
            found.extend((start, implied, swapped) for implied, swapped in reached - {(start, False)} if implied in steps)
        return sorted(found)

    def compositions(self) -> list[tuple[str, str, str]]:
        """(first, second, implied): first(a, b) and second(b, c) imply implied(a, c); transitive properties and chains.

        The rest of a chain of more than two is a relation of its own, whose IRI is made from its members.
        """
        found = {(p.iri, p.iri, p.iri) for p in self.properties.values() if p.transitive}
        for prop in self.properties.values():
            for chain in prop.chains:
                implied = prop.iri
                while len(chain) > 1:
                    first, *rest = chain
                    second = rest[0] if len(rest) == 1 else "urn:stratagraph:chain:" + fingerprint(*rest)
                    found.add((first, second, implied))
                    chain, implied = tuple(rest), second
        return sorted(found)

    def exclusions(self) -> list[tuple[str, str, bool]]:
        """(predicate, excluded, swapped): object properties that do not hold together, each pair both ways round.

        What implies one of two disjoint properties excludes what implies the other; with its ends swapped where one implies
        its property in the other direction.
        """
        implying: dict[str, set[tuple[str, bool]]] = {p.iri: {(p.iri, False)} for p in self.properties.values()}
        for predicate, implied, swapped in self.implications():
            implying[implied].add((predicate, swapped))
        found = set()
        for pair in self.disjoint_properties:
            if all(iri in self.properties and self.properties[iri].kind == "object" for iri in pair):
                for one, turned in implying[pair[0]]:
                    for other, turned_too in implying[pair[1]]:
                        found |= {(one, other, turned != turned_too), (other, one, turned != turned_too)}
        return sorted(rule for rule in found if rule[0] != rule[1] or rule[2])


def local_name(iri: str) -> str:
    """The last part of an IRI."""
    return iri.rstrip("#/").replace("#", "/").rpartition("/")[2].rpartition(":")[2]


def _sorted(value: object) -> object:
    if isinstance(value, frozenset):
        return sorted(value)
    raise TypeError(f"not part of an ontology: {value!r}")
