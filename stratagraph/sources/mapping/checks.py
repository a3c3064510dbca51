"""Checks the mapping of a source's tables against what is known of them: a slip of the pen is an error and no silent no-op.

What the mapping names of the ontology is checked in `ontology/mapped.py`; both are what `stratagraph mapping check` runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from stratagraph.config.problems import allowed_text, dotted
from stratagraph.config.sources import TableMapping
from stratagraph.errors import ConfigError
from stratagraph.ontology.model import Ontology
from stratagraph.ontology.validate import Violation, check_attribute, check_relation
from stratagraph.sources.catalog import ForeignKey, Table
from stratagraph.sources.mapping.tables import Structure, link_ends, link_predicate
from stratagraph.sources.mapping.templates import column_list, no_column, template_fields
from stratagraph.sources.names import iri_safe

Fault = tuple[tuple[str, ...], str]  # the place in the mapping, and what is wrong


def check_mapping(structure: Structure, ontology: Ontology | None = None) -> None:
    """Refuse a mapping that names tables, columns or keys that are not there, gives one meaning twice, or breaks an axiom.

    Args:
        ontology: None where there is none to hold the mapping against.

    Raises:
        ConfigError: all of them, each with its place and what was probably meant.
    """
    faults = mapping_faults(structure) + (axiom_faults(structure, ontology)[0] if ontology else [])
    if faults:
        raise ConfigError(
            "\n".join(["the mapping does not fit the tables", *(f"  {fault}" for fault in faults)]),
            where=f"sources.{structure.source}.mapping",
            hint="`stratagraph mapping check` says whether it does now",
        )


def mapping_faults(structure: Structure) -> list[str]:
    """All that is wrong, with its place, in the order of the config."""
    found = []
    for name, mapping in structure.config.mapping.items():
        table = structure.tables.get(name)
        if table is None:
            faults: Iterable[Fault] = [((), f"the table {name!r} is not loaded{allowed_text(name, structure.tables)}")]
        else:
            faults = [*_columns(mapping, table), *_keys(structure, mapping, table), *_meanings(structure, mapping, table)]
        found += [f"{dotted(('sources', structure.source, 'mapping', name, *place))}: {fault}" for place, fault in faults]
    return found


def _columns(mapping: TableMapping, table: Table) -> Iterator[Fault]:
    """Columns that the table does not have."""
    for place, column in _named_columns(mapping, table):
        if column not in table.columns:
            yield place, no_column(column, table)


def _named_columns(mapping: TableMapping, table: Table) -> Iterator[tuple[tuple[str, ...], str]]:
    if mapping.classes is not None:
        yield ("classes", "column"), mapping.classes.column
    templates: list[tuple[tuple[str, ...], str | None]] = [(("label",), mapping.label), (("ref",), mapping.ref)]
    templates += [(("values", name), template) for name, template in mapping.values.items()]
    for place, template in templates:
        for field in template_fields(template or "", table.columns):
            yield place, field
    for key in ("valid_from", "valid_to", "updated_at", "observed_at"):
        if (column := getattr(mapping, key)) is not None:
            yield (key,), column
    for column in mapping.properties:
        yield ("properties", column), column
    for column in mapping.ignore:
        yield ("ignore",), column


def _keys(structure: Structure, mapping: TableMapping, table: Table) -> Iterator[Fault]:
    """Foreign keys that the table does not have."""
    own = [key for key in structure.keys if key.table == table.name]
    seen: dict[tuple[str, ...], str] = {}
    for text in mapping.references:
        columns = column_list(text)
        if (fault := _no_key(columns, text, own, table)) is not None:
            yield ("references", text), fault
        elif seen.setdefault(columns, text) != text:
            yield ("references", text), f"the key is mapped twice: also as {seen[columns]!r}"
    if mapping.edge is not None:
        yield from _edge(structure, mapping, table, structure.keys_of(table.name))


def _no_key(columns: tuple[str, ...], text: str, keys: Sequence[ForeignKey], table: Table) -> str | None:
    if any(key.columns == columns for key in keys):
        return None
    unknown = [column for column in columns if column not in table.columns]
    if unknown and columns != ("parent",):
        return f"the table has no foreign key {text!r}: {no_column(unknown[0], table)}"
    known = sorted({written(key.columns) for key in keys})
    declare = "" if known else ". It has none; one that nobody declared is named under `keys` of the source"
    return f"the table has no foreign key {text!r}{allowed_text(text, known) if known else declare}"


def written(columns: Iterable[str]) -> str:
    """The columns of a key as they are written in the config."""
    return ", ".join(
        '"' + column.replace('"', '""') + '"' if set(column) & set(',"') or column != column.strip() else column
        for column in columns
    )


def _edge(structure: Structure, mapping: TableMapping, table: Table, keys: Sequence[ForeignKey]) -> Iterator[Fault]:
    """What keeps the rows of a table from being edges."""
    assert mapping.edge is not None
    ends = {name: column_list(text) for name, text in (("subject", mapping.edge.subject), ("object", mapping.edge.object))}
    for name, columns in ends.items():
        if (fault := _no_key(columns, getattr(mapping.edge, name), keys, table)) is not None:
            yield ("edge", name), fault
    if ends["subject"] == ends["object"]:
        yield ("edge", "object"), "subject and object are the same foreign key"
    referring = sorted(
        {f"{key.table} ({written(key.columns)})" for key in structure.keys if key.referenced_table == table.name}
    )
    if referring:
        yield ("edge",), f"other rows refer to this table's, so they can't be edges: {'; '.join(referring)}"


def _meanings(structure: Structure, mapping: TableMapping, table: Table) -> Iterator[Fault]:
    """Properties that two columns are mapped to, and times that are not read."""
    expand = structure.project.expand
    named = [(("properties", column), name) for column, name in mapping.properties.items()]
    named += [(("values", name), name) for name in mapping.values]
    taken = {
        f"{structure.iri(table.name)}#{iri_safe(table.known_as.get(column, column))}": column
        for column in table.columns
        if column not in mapping.properties and column not in mapping.ignore
    }
    for place, name in named:
        iri = expand(name)
        if iri in taken:
            yield place, f"{taken[iri]!r} and {place[1]!r} are mapped to one property, {name}"
        taken.setdefault(iri, place[1])
    valid_time = mapping.valid_time or structure.config.valid_time
    if mapping.updated_at is not None and valid_time != "load":
        yield ("updated_at",), f"it is read only with valid_time: load, and here it is {valid_time}"


def axiom_faults(structure: Structure, ontology: Ontology) -> tuple[list[str], list[str]]:
    """What fits the tables and breaks an axiom of the ontology: domains and ranges, values where nodes belong.

    Returns:
        What all rows of a table break, which a build refuses; and what the rows of some of its classes break.
    """
    errors: list[str] = []
    warnings: list[str] = []
    for name, mapping in structure.config.mapping.items():
        if name in structure.tables:
            for certain, place, fault in _axioms(structure, ontology, mapping, structure.tables[name]):
                where = dotted(("sources", structure.source, "mapping", name, *place))
                (errors if certain else warnings).append(f"{where}: {fault}")
    return errors, warnings


def _axioms(
    structure: Structure, ontology: Ontology, mapping: TableMapping, table: Table
) -> Iterator[tuple[bool, tuple[str, ...], str]]:
    """(whether it is so for every row, the place in the mapping, the axiom)."""
    expand = structure.project.expand
    own = _classes(structure, ontology, table.name)
    columns = [(("properties", column), expand(name)) for column, name in mapping.properties.items()]
    columns += [(("values", name), expand(name)) for name in mapping.values]
    for place, iri in columns:
        known = ontology.properties.get(iri)
        if known is None:
            continue
        if known.kind == "object":
            yield (
                True,
                place,
                f"{iri} is an object property, and the column's values become no nodes; a foreign key belongs in references",
            )
        elif mapping.edge is None:
            found = [violation for cls in own if (violation := check_attribute(ontology, cls, iri)) is not None]
            yield from ((mapping.classes is None and _excludes(violation), place, violation.axiom) for violation in found)
    for key in structure.keys_of(table.name):
        for text, name in mapping.references.items():
            if column_list(text) == key.columns:
                ends = (table.name, key.referenced_table)
                yield from _relation(structure, ontology, ("references", text), expand(name), ends)
    if mapping.edge is not None and not list(_edge(structure, mapping, table, structure.keys_of(table.name))):
        subject, item = link_ends(structure, table.name)
        ends = (subject.referenced_table, item.referenced_table)
        yield from _relation(structure, ontology, ("edge", "predicate"), link_predicate(structure, table.name), ends)


def _relation(
    structure: Structure, ontology: Ontology, place: tuple[str, ...], predicate: str, tables: tuple[str, str]
) -> Iterator[tuple[bool, tuple[str, ...], str]]:
    certain = all(structure.mapping(table).classes is None for table in tables)
    subjects, objects = (_classes(structure, ontology, table) for table in tables)
    for subject in subjects:
        for item in objects:
            violation = check_relation(ontology, subject, predicate, item)
            if violation is not None:
                yield certain and _excludes(violation), place, violation.axiom


def _excludes(violation: Violation) -> bool:
    """Whether it makes the statement impossible: a term that is no longer recommended still says something."""
    return violation.code != "deprecated"


def _classes(structure: Structure, ontology: Ontology, table: str) -> list[str]:
    """The classes of the ontology that a table's rows may have; none where they keep that of the direct mapping."""
    mapping = structure.mapping(table)
    names = [mapping.class_]
    if mapping.classes is not None:
        names = [*mapping.classes.values.values(), mapping.classes.otherwise or mapping.class_]
    return sorted({iri for name in names if name is not None and (iri := structure.project.expand(name)) in ontology.classes})
