"""What the ontology allows as values of the properties that columns are mapped to: datatypes and listed values.

What a table is checked for as a whole is `checks.py`. An ontology that cannot be read is refused by its own stage; until it is
mended nothing is held against it here, and once it is, the source is stated anew (`fingerprint_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from stratagraph.config.sources import TableSource
from stratagraph.errors import OntologyError
from stratagraph.ontology.load import files_fingerprint, load_project, own_files
from stratagraph.ontology.model import Ontology, OntologyProperty
from stratagraph.ontology.xsd import BOUNDS, XSD
from stratagraph.project import Project

_KINDS = {
    **dict.fromkeys(("decimal", "double", "float"), "number"), "boolean": "boolean", "date": "date", "time": "time",
    **dict.fromkeys(("dateTime", "dateTimeStamp"), "moment"), "gYear": "year", "gYearMonth": "month", "anyURI": "iri",
}  # fmt: skip


@dataclass(frozen=True)
class Range:
    """A range axiom of a property, its own or inherited.

    Args:
        axiom: in readable form.
        datatypes: IRIs; a value is of one of them. Empty = of any.
        one_of: the values that are allowed. Empty = all.
    """

    axiom: str
    datatypes: tuple[str, ...]
    one_of: tuple[str, ...] = ()

    def expression(self, text: str, string: Callable[[str], str]) -> str:
        """SQL that tells whether a text is such a value, NULL counting as no.

        Args:
            string: how a constant stands in SQL.
        """
        if self.one_of:
            return f"list_contains([{', '.join(string(value) for value in self.one_of)}], {text})"
        return "(" + " OR ".join(_expression(datatype.removeprefix(XSD), text) for datatype in self.datatypes) + ")"


def _expression(name: str, text: str) -> str:
    """Macros of `sql/sources/create_macros.sql`; what is no number, time or IRI has every text as a value."""
    if name in BOUNDS:
        low, high = ("NULL" if bound is None else f"{bound}::HUGEINT" for bound in BOUNDS[name])
        return f"is_integer({text}, {low}, {high})"
    return f"is_{_KINDS[name]}({text})" if name in _KINDS else "TRUE"


def ontology_of(project: Project, config: TableSource) -> Ontology | None:
    """The ontology that the mapping of a source is held against; None where it maps nothing to it, or it can't be read."""
    if not _is_checked(project, config):
        return None
    try:
        return load_project(project)
    except OntologyError:
        return None


def value_ranges(project: Project, config: TableSource, ontology: Ontology) -> dict[str, tuple[Range, ...]]:
    """Property -> the axioms that its values must keep; of the properties that columns of the source are mapped to."""
    mapped = {project.expand(name) for mapping in config.mapping.values() for name in mapping.properties.values()}
    found: dict[str, tuple[Range, ...]] = {}
    for iri in sorted(mapped & ontology.properties.keys()):
        above = [
            ontology.properties[name] for name in sorted(ontology.properties[iri].ancestors) if name in ontology.properties
        ]
        if ranges := tuple(found_range for prop in above for found_range in _ranges(prop)):
            found[iri] = ranges
    return found


def _ranges(prop: OntologyProperty) -> Iterator[Range]:
    if prop.datatypes:
        datatypes = tuple(sorted(prop.datatypes))
        yield Range(f"{prop.iri} rdfs:range {' or '.join(datatypes)}", datatypes)
    if prop.one_of:
        yield Range(f"{prop.iri} rdfs:range owl:oneOf ({', '.join(prop.one_of)})", (), prop.one_of)


def fingerprint_of(project: Project, config: TableSource) -> tuple[str, ...]:
    """What the checks of a source depend on, beside its mapping and rows."""
    return (files_fingerprint(project),) if _is_checked(project, config) else ()


def _is_checked(project: Project, config: TableSource) -> bool:
    """Whether anything is mapped to properties and there is an ontology to hold it against."""
    mapped = any(m.properties or m.references or m.edge or m.values for m in config.mapping.values())
    return mapped and all(file.is_file() for file in own_files(project))


def refusals(ranges: Sequence[Range], text: str, string: Callable[[str], str]) -> str:
    """SQL for the axiom that a text breaks, or NULL."""
    cases = " ".join(f"WHEN NOT coalesce({r.expression(text, string)}, FALSE) THEN {string(r.axiom)}" for r in ranges)
    return f"CASE {cases} END"
