"""Turns the mapping of a recorded source into parameters of the SQL: IRIs, positions of fields, templates.

What is common to rows and records is in `mapping`. Nothing is read from the landing file here, and no record is seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from stratagraph.config.sources import NestedEdge, RecordedSource, Validity
from stratagraph.errors import ConfigError
from stratagraph.project import Project
from stratagraph.sources.catalog import LandedColumn
from stratagraph.sources.mapping.templates import by_iri, quoted, template, template_fields
from stratagraph.sources.names import iri_safe, source_iri, words
from stratagraph.sources.recorded.series import ROOT

_WORD = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Plan:
    """The fields of a record (or list item) that the SQL needs, in order, then its lists of scalars, and the parameters."""

    fields: tuple[str, ...]
    lists: tuple[str, ...]
    parameters: dict[str, Any]


class Shape:
    """What the records of a source look like: the fields of each list, and what each list is in. Lists are called by paths."""

    def __init__(self, columns: Iterable[LandedColumn]) -> None:
        self._columns: dict[str, dict[str, LandedColumn]] = {}
        for column in columns:
            self._columns.setdefault(column.table, {})[column.name] = column

    def tables(self) -> list[str]:
        """All lists, the records themselves too."""
        return sorted(self._columns)

    def fields(self, table: str) -> dict[str, LandedColumn]:
        """The fields of a list of records by name; none where no version has it."""
        return self._columns.get(table, {})

    def landing_table(self, table: str) -> str | None:
        """dlt's name of a list."""
        return next((column.landing_table for column in self.fields(table).values()), None)

    def lists_in(self, table: str) -> dict[str, LandedColumn]:
        """Lists of scalars: path from the record they stand in -> the column of their members."""
        return {
            self.path(name): fields["value"]
            for name, fields in sorted(self._columns.items())
            if fields.keys() == {"value"} and self.parent(name) == table
        }

    def nested(self, table: str) -> list[str]:
        """The lists of records in a record, and those in their records, each behind what it is in."""
        found = [
            name for name, fields in sorted(self._columns.items()) if self.parent(name) == table and fields.keys() != {"value"}
        ]
        return [name for child in found for name in (child, *self.nested(child))]

    def parent(self, table: str) -> str | None:
        """The list that a list stands in."""
        parts = table.split(".")
        starts = (".".join(parts[:length]) for length in range(len(parts) - 1, 0, -1))
        return next((start for start in starts if start in self._columns), None)

    def path(self, table: str) -> str:
        """The field of a list, from the record it stands in."""
        return table.removeprefix(f"{self.parent(table)}.")


def record_plan(project: Project, source: str, config: RecordedSource, shape: Shape) -> Plan:
    """Parameters of `create_records`."""
    mapping = config.mapping
    where = f"sources.{source}.mapping"
    fields, lists = shape.fields(ROOT), shape.lists_in(ROOT)
    named = {field: project.expand(iri) for field, iri in mapping.properties.items()}
    by_iri(((iri, field) for field, iri in named.items()), f"{where}.properties")
    base = source_iri(project, source)
    kept = [*fields, *lists] if mapping.unmapped == "keep" else []
    names = dict.fromkeys([*named, *kept])
    labels = mapping.label or _default_label(fields)
    own = [field for edge in config.mapping.edges for field in _fields_of_record(edge)]
    used = [field for key in config.identifying for field in key]
    used += [field for text in labels for field in template_fields(text)]
    used += [field for field in (mapping.valid_from, mapping.valid_to, *own, *names) if field is not None]
    positions = {field: position for position, field in enumerate(dict.fromkeys(used), start=1)}
    list_positions = {path: len(positions) + number for number, path in enumerate((p for p in lists if p in names), start=1)}
    pairs = sorted((named.get(field, f"{base}{ROOT}#{iri_safe(field)}"), field) for field in names)
    parameters = {
        "class": project.expand(mapping.class_) if mapping.class_ else f"{base}{ROOT}",
        "prefix": base,
        "key_names": [list(key) for key in config.identifying],
        "key_indexes": [[positions[field] for field in key] for key in config.identifying],
        "lists": list(list_positions),
        "labels": [template(text, positions, f"{where}.label") for text in labels],
        "noun": None if mapping.label else source,
        "iris": [quoted(iri) for iri, _ in pairs],
        "property_indexes": [_places(field, positions, list_positions) for _, field in pairs],
        **_validity(mapping, positions),
    }
    return Plan(tuple(positions), tuple(list_positions), parameters)


def nested_plan(project: Project, source: str, config: RecordedSource, shape: Shape, table: str) -> Plan:
    """Parameters of `insert_nested` for the items of one nested list that no edge is made of."""
    fields, lists = shape.fields(table), shape.lists_in(table)
    base = source_iri(project, source)
    path, parent = shape.path(table), shape.parent(table)
    keys = config.nested_keys.get(table.removeprefix(f"{ROOT}."), [])
    labels = _default_label(fields)
    used = [*keys, *fields, *lists]
    positions = {field: position for position, field in enumerate(dict.fromkeys(used), start=1)}
    list_positions = {name: len(positions) + number for number, name in enumerate(lists, start=1)}
    pairs = sorted((f"{base}{iri_safe(table)}#{iri_safe(field)}", field) for field in {*fields, *lists})
    predicate = f"{base}{iri_safe(str(parent))}#{iri_safe(path)}"
    parameters = {
        "table_name": table,
        "list": iri_safe(path),
        "class": base + iri_safe(table),
        "key_names": [iri_safe(key) for key in keys],
        "key_indexes": [positions[key] for key in keys],
        "lists": list(list_positions),
        "labels": [template(text, positions, f"sources.{source}") for text in labels],
        "noun": path,
        "predicate": predicate,
        "words": words(predicate),
        "iris": [quoted(iri) for iri, _ in pairs],
        "property_indexes": [_places(field, positions, list_positions) for _, field in pairs],
    }
    return Plan(tuple(positions), tuple(list_positions), parameters)


def item_plan(project: Project, source: str, edge: NestedEdge, record: Plan) -> Plan:
    """Parameters of `insert_items` for the items of one nested list."""
    where = f"sources.{source}.mapping.edges.{edge.each}"
    pairs = by_iri(((project.expand(iri), field) for field, iri in edge.properties.items()), f"{where}.properties")
    texts = [edge.object_ref] if edge.object_label is None else [edge.object_ref, edge.object_label]
    used = [field for text in texts for field in template_fields(text) if not field.startswith("^")]
    used += [field for field in (edge.valid_from, edge.valid_to, *(field for _, field in pairs)) if field is not None]
    fields = tuple(dict.fromkeys(used))
    own = _fields_of_record(edge)
    positions = {field: number for number, field in enumerate([*fields, *(f"^{field}" for field in own)], start=1)}
    predicate = project.expand(edge.predicate)
    parameters = {
        "prefix": source_iri(project, _object_source(project, source, edge, where)),
        "record_fields": [record.fields.index(field) + 1 for field in own],
        "object": template(edge.object_ref, positions, f"{where}.object_ref"),
        "object_class": project.expand(edge.object_class),
        "labels": [template(text, positions, f"{where}.object_label") for text in texts[1:]],
        "local_ids": list(edge.object_labels),
        "local_labels": list(edge.object_labels.values()),
        "predicate": predicate,
        "words": words(predicate),
        "iris": [quoted(iri) for iri, _ in pairs],
        "property_indexes": [positions[field] for _, field in pairs],
        **_validity(edge, positions),
    }
    return Plan(fields, (), parameters)


def _object_source(project: Project, source: str, edge: NestedEdge, where: str) -> str:
    name = edge.object_source or source
    if name not in project.config.sources:
        known = ", ".join(sorted(project.config.sources))
        raise ConfigError(f"there is no source {name!r}", where=f"{where}.object_source", hint=f"the sources are: {known}")
    return name


def _fields_of_record(edge: NestedEdge) -> list[str]:
    """Fields of the record itself that an edge's templates name, as {^field}."""
    texts = (edge.object_ref, edge.object_label or "")
    found = (field for text in texts for field in template_fields(text))
    return list(dict.fromkeys(field.removeprefix("^") for field in found if field.startswith("^")))


def _validity(validity: Validity, positions: dict[str, int]) -> dict[str, Any]:
    return {
        "from_field": positions[validity.valid_from] if validity.valid_from is not None else None,
        "to_field": positions[validity.valid_to] if validity.valid_to is not None else None,
        "closed": validity.closed,
        "time_format": validity.time_format,
        "zone": validity.zone,
    }


def _places(field: str, positions: dict[str, int], lists: dict[str, int]) -> list[int]:
    """Where a field stands: a field may be a scalar in one version and a list in another."""
    return [places[field] for places in (positions, lists) if field in places]


def _default_label(fields: Iterable[str]) -> list[str]:
    """The fields that may name a record, the best first: label, name, title, or one whose last part is one of them."""
    plain = [field for field in fields if not set(field) & set("{}!:?^[]")]
    wanted = ("label", "name", "title", "fullname", "officialfull", "displayname")
    ranked = []
    for field in plain:
        *parents, last = (_WORD.sub("", part.lower()) for part in field.split("."))
        if last in wanted:
            ranked.append((len(parents), wanted.index(last), field))
    return ["{" + field + "}" for *_, field in sorted(ranked)]
