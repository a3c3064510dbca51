"""All that is known of one term, inherited axioms with the term each comes from. For people; nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from stratagraph.errors import OntologyError
from stratagraph.ontology.align import Aligner
from stratagraph.ontology.model import Labels, Ontology, OntologyClass, OntologyProperty, Restriction

_KINDS: tuple[Literal["class", "object", "data"], ...] = ("class", "object", "data")
_CHARACTERISTICS = (
    "functional", "inverse_functional", "symmetric", "transitive", "asymmetric", "irreflexive", "max_one"
)  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """One thing known of a term.

    Args:
        what: the axiom or annotation: label, domain, key, …
        value: in readable form.
        source: IRI of the term that it is said of, if that is another one.
        language: of a text.
    """

    what: str
    value: str
    source: str = ""
    language: str = ""


@dataclass(frozen=True)
class Description:
    """What is known of a term; kind is class, object property or data property."""

    iri: str
    kind: str
    facts: tuple[Fact, ...]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def find_terms(ontology: Ontology, name: str, prefixes: Mapping[str, str]) -> list[str]:
    """The IRIs that a name means: itself, a prefixed name, or the label or altLabel of a term in any language, exactly.

    Raises:
        OntologyError: none; the message says what was probably meant.
    """
    found = [Aligner.of(ontology).align(name, kind, prefixes) for kind in _KINDS]
    iris = sorted({iri for one in found for iri in ((one.iri,) if one.iri else one.ambiguous)})
    if not iris:
        guesses = sorted({one.suggestion for one in found if one.suggestion})
        raise OntologyError(
            f"no class or property is called {name!r}",
            hint=f"did you mean {' or '.join(guesses)}?"
            if guesses
            else "give its IRI, a prefixed name, a label or an altLabel",
        )
    return iris


def describe(ontology: Ontology, iri: str) -> list[Description]:
    """What is known of a term; two descriptions where one IRI is a class and a property."""
    found = []
    if iri in ontology.classes:
        found.append(Description(iri, "class", tuple(_of_class(ontology, ontology.classes[iri]))))
    if iri in ontology.properties:
        prop = ontology.properties[iri]
        found.append(Description(iri, f"{prop.kind} property", tuple(_of_property(ontology, prop))))
    return found


def _texts(term: OntologyClass | OntologyProperty) -> Iterator[Fact]:
    texts: dict[str, Labels] = {"label": term.labels, "altLabel": term.alt_labels, "comment": term.comments}
    if isinstance(term, OntologyClass):
        texts["name word"] = term.name_words
    else:
        texts["end phrase"] = term.end_phrases
    for what, labels in texts.items():
        for language, text in labels:
            yield Fact(what, text, language=language)
    if term.deprecated:
        yield Fact("deprecated", f"use {', '.join(term.replaced_by)}" if term.replaced_by else "no replacement is named")


def _of_class(ontology: Ontology, cls: OntologyClass) -> Iterator[Fact]:
    yield from _texts(cls)
    above = [ontology.classes[iri] for iri in sorted(cls.ancestors) if iri in ontology.classes]
    for ancestor in above:
        if ancestor is not cls:
            yield Fact("equivalent to" if cls.iri in ancestor.ancestors else "sub-class of", ancestor.iri)
    for other in ontology.classes.values():
        if other is not cls and cls.iri in other.ancestors and other.iri not in cls.ancestors:
            yield Fact("super-class of", other.iri)
    for ancestor in (cls, *(a for a in above if a is not cls)):
        source = "" if ancestor is cls else ancestor.iri
        for restriction in ancestor.restrictions:
            yield Fact("restriction", restriction_text(restriction), source)
        for key in ancestor.keys:
            yield Fact("key", " and ".join(key), source)
        for one, other_iri in sorted(ontology.disjoint_classes):
            if ancestor.iri in (one, other_iri):
                yield Fact("disjoint with", other_iri if ancestor.iri == one else one, source)
    for prop in ontology.properties.values():
        for what, expression in (("subject of", prop.domain), ("object of", prop.range)):
            for named in sorted({iri for union in expression for iri in union} & cls.ancestors):
                yield Fact(what, prop.iri, "" if named == cls.iri else named)


def _of_property(ontology: Ontology, prop: OntologyProperty) -> Iterator[Fact]:
    yield from _texts(prop)
    above = [ontology.properties[iri] for iri in sorted(prop.ancestors) if iri in ontology.properties and iri != prop.iri]
    for ancestor in above:
        yield Fact("equivalent to" if prop.iri in ancestor.ancestors else "sub-property of", ancestor.iri)
    for other in ontology.properties.values():
        if other is not prop and prop.iri in other.ancestors and other.iri not in prop.ancestors:
            yield Fact("super-property of", other.iri)
    for ancestor in (prop, *above):
        source = "" if ancestor is prop else ancestor.iri
        for what, expression in (("domain", ancestor.domain), ("range", ancestor.range)):
            for union in expression:
                yield Fact(what, " or ".join(sorted(union)), source)
        if ancestor.datatypes:
            yield Fact("range", " or ".join(sorted(ancestor.datatypes)), source)
        if ancestor.one_of:
            yield Fact("one of", ", ".join(map(repr, ancestor.one_of)), source)
        for inverse in sorted(ancestor.inverses):
            yield Fact("inverse of", inverse, source)
        for one, other_iri in sorted(ontology.disjoint_properties):
            if ancestor.iri in (one, other_iri):
                yield Fact("disjoint with", other_iri if ancestor.iri == one else one, source)
    for chain in prop.chains:
        yield Fact("implied by", " then ".join(chain))
    for name in _CHARACTERISTICS:
        if getattr(prop, name):
            yield Fact("characteristic", name.replace("_", " "), _source(ontology, prop, name, above))
    yield Fact("values at a time", "one" if prop.single_valued else "any number")
    predicate, swapped = ontology.canonical(prop.iri)
    if swapped:
        yield Fact("stored as", f"{predicate}, with subject and object changing places")
    for cls in ontology.classes.values():
        for restriction in cls.restrictions:
            if restriction.property == prop.iri:
                yield Fact("restriction", restriction_text(restriction), cls.iri)


def _source(ontology: Ontology, prop: OntologyProperty, name: str, above: list[OntologyProperty]) -> str:
    """The highest property above that has a characteristic as well: it is inherited from there."""
    if name in ("symmetric", "transitive", "max_one"):
        return ""
    holders = [other for other in above if getattr(other, name)]
    highest = [other.iri for other in holders if not any(o.iri != other.iri and o.iri in other.ancestors for o in holders)]
    return min(highest, default="")


def restriction_text(restriction: Restriction) -> str:
    """`at most 1 of <property> in <class>`."""
    of = " or ".join(restriction.filler)
    words = {
        "all": f"every value of {restriction.property} is in {of}",
        "some": f"at least one value of {restriction.property}" + (f" in {of}" if of else ""),
        "min": f"at least {restriction.cardinality} values of {restriction.property}" + (f" in {of}" if of else ""),
        "max": f"at most {restriction.cardinality} values of {restriction.property}" + (f" in {of}" if of else ""),
    }
    return words[restriction.kind]
