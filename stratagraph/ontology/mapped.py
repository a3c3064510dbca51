"""The IRIs that the config's mappings name, checked against the ontology: a slip of the pen is no new class.

What is unmapped keeps its direct-mapping IRI and is not looked at here; nor is what was read from text (`validate.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stratagraph.config.problems import nearest
from stratagraph.config.sources import RecordedSource, RecordMapping, TableMapping
from stratagraph.errors import ConfigError
from stratagraph.ontology.align import Aligner, Kind
from stratagraph.ontology.model import Ontology, local_name
from stratagraph.project import Project

# Annotations that every ontology may use without declaring them.
_WELL_KNOWN = (
    "http://www.w3.org/2000/01/rdf-schema#",
    "http://www.w3.org/2004/02/skos/core#",
    "http://purl.org/dc/elements/1.1/",
    "http://purl.org/dc/terms/",
)


@dataclass(frozen=True, order=True)
class MappedTerm:
    """A name in a mapping: where it stands, what it must be (class, [object, data] property), as written, and its IRI."""

    key: str
    kind: str
    name: str
    iri: str


def mapped_terms(project: Project) -> list[MappedTerm]:
    """Every class and property that the sources' mappings name, sorted."""
    found = []
    for source, config in project.config.sources.items():
        if isinstance(config, RecordedSource):
            named = _of_records(config.mapping)
        else:
            named = (
                (f"{table}.{key}", kind, name)
                for table, mapping in config.mapping.items()
                for key, kind, name in _of_table(mapping)
            )
        for key, kind, name in named:
            found.append(MappedTerm(f"sources.{source}.mapping.{key}", kind, name, project.expand(name)))
    return sorted(found)


def term_faults(project: Project, ontology: Ontology) -> list[str]:
    """Every name in the mappings that the ontology does not have, with its place and what was probably meant."""
    return [f"{term.key}: {fault}" for term in mapped_terms(project) if (fault := _fault(project, ontology, term))]


def deprecations(project: Project, ontology: Ontology) -> list[str]:
    """Every name in the mappings that the ontology calls deprecated, with its place and what to use instead."""
    found = []
    for mapped in mapped_terms(project):
        term = (ontology.classes if mapped.kind == "class" else ontology.properties).get(mapped.iri)
        if term is not None and term.deprecated:
            instead = " or ".join(short_iri(project, iri) for iri in term.replaced_by)
            found.append(f"{mapped.key}: {mapped.name!r} is deprecated" + (f"; use {instead}" if instead else ""))
    return found


def check_mapping(project: Project, ontology: Ontology) -> None:
    """Refuse a mapping that names what the ontology does not have.

    Raises:
        ConfigError: all such names, with what was probably meant.
    """
    faults = term_faults(project, ontology)
    if faults:
        raise ConfigError(
            "\n".join(["the mapping names what the ontology does not have", *(f"  {fault}" for fault in faults)]),
            where=", ".join(str(file) for file in project.config.ontology.files),
            hint="correct the name, declare it in the ontology, or leave it out: what is unmapped keeps an IRI of its own",
        )


def _of_table(mapping: TableMapping) -> Iterator[tuple[str, str, str]]:
    if mapping.class_ is not None:
        yield "class", "class", mapping.class_
    if mapping.classes is not None:
        for value, name in mapping.classes.values.items():
            yield f"classes.values.{value}", "class", name
        if mapping.classes.otherwise is not None:
            yield "classes.otherwise", "class", mapping.classes.otherwise
    if mapping.edge is not None:
        yield "edge.predicate", "object property", mapping.edge.predicate
    for name in mapping.values:
        yield f"values.{name}", "data property", name
    for column, name in mapping.properties.items():
        yield f"properties.{column}", "property", name
    for columns, name in mapping.references.items():
        yield f"references.{columns}", "object property", name


def _of_records(mapping: RecordMapping) -> Iterator[tuple[str, str, str]]:
    if mapping.class_ is not None:
        yield "class", "class", mapping.class_
    for field, name in mapping.properties.items():
        yield f"properties.{field}", "property", name
    for number, edge in enumerate(mapping.edges):
        yield f"edges[{number}].predicate", "object property", edge.predicate
        yield f"edges[{number}].object_class", "class", edge.object_class
        for field, name in edge.properties.items():
            yield f"edges[{number}].properties.{field}", "property", name


def _fault(project: Project, ontology: Ontology, term: MappedTerm) -> str | None:
    if term.kind == "class":
        allowed = list(ontology.classes)
    else:
        known = ontology.properties.get(term.iri)
        if term.kind == "object property" and known is not None and known.kind != "object":
            return f"{term.name!r} is a data property, and a reference needs an object property"
        if term.kind == "data property" and known is not None and known.kind != "data":
            return f"{term.name!r} is an object property, and a template makes a text; map a foreign key to it in references"
        allowed = [iri for iri, prop in ontology.properties.items() if _fits(term, prop.kind)]
    if term.iri in allowed or (term.kind in ("property", "data property") and term.iri.startswith(_WELL_KNOWN)):
        return None
    guess = _called(ontology, term, allowed) or nearest(term.iri, allowed)
    return f"{term.name!r} is no {term.kind} of the ontology" + (
        f"; did you mean {short_iri(project, guess)}?" if guess else ""
    )


def _called(ontology: Ontology, term: MappedTerm, allowed: list[str]) -> str | None:
    """The allowed term that is called so: an IRI may be a number, and its label what people write."""
    kinds: tuple[Kind, ...] = ("class",) if term.kind == "class" else ("object", "data")
    found = (Aligner.of(ontology).align(local_name(term.iri), kind).iri for kind in kinds)
    return next((iri for iri in found if iri in allowed), None)


def _fits(term: MappedTerm, kind: str) -> bool:
    """Whether a property of a kind may stand where the term does."""
    return term.kind == "property" or term.kind == f"{kind} property"


def short_iri(project: Project, iri: str) -> str:
    """The IRI with the longest prefix of the config that it starts with."""
    matching = [(namespace, prefix) for prefix, namespace in project.config.prefixes.items() if iri.startswith(namespace)]
    namespace, prefix = max(matching, key=lambda pair: len(pair[0]), default=("", ""))
    return f"{prefix}:{iri.removeprefix(namespace)}" if namespace else iri
