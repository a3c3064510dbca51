"""Turns the mapping of a recorded source into parameters of the SQL: IRIs, positions of fields, templates.

What is common to rows and records is in `mapping`. Nothing is read from the landing file here, and no record is seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stratagraph.config.sources import NestedEdge, RecordMapping
from stratagraph.project import Project
from stratagraph.sources.mapping import by_iri, quoted, template, template_fields
from stratagraph.sources.names import source_iri, words


@dataclass(frozen=True)
class RecordPlan:
    """The fields of a record (or list item) that the SQL needs, in order, and its parameters."""

    fields: tuple[str, ...]
    parameters: dict[str, Any]


def record_plan(project: Project, source: str, mapping: RecordMapping) -> RecordPlan:
    """Parameters of `create_records`."""
    where = f"sources.{source}.mapping"
    pairs = by_iri(((project.expand(iri), field) for field, iri in mapping.properties.items()), f"{where}.properties")
    used = [
        *mapping.keys,
        *(field for _, field in pairs),
        *(field for text in mapping.label for field in template_fields(text)),
    ]
    positions = {field: position for position, field in enumerate(dict.fromkeys(used), start=1)}
    parameters = {
        "source": source,
        "class": project.expand(mapping.class_),
        "prefix": source_iri(project, source),
        "key_names": list(mapping.keys),
        "key_indexes": [positions[key] for key in mapping.keys],
        "labels": [template(text, positions, f"{where}.label") for text in mapping.label],
        "iris": [quoted(iri) for iri, _ in pairs],
        "property_indexes": [positions[field] for _, field in pairs],
    }
    return RecordPlan(tuple(positions), parameters)


def item_plan(project: Project, source: str, edge: NestedEdge) -> RecordPlan:
    """Parameters of `insert_items` for the items of one nested list."""
    where = f"sources.{source}.mapping.edges.{edge.each}"
    pairs = by_iri(((project.expand(iri), field) for field, iri in edge.properties.items()), f"{where}.properties")
    used = [*template_fields(edge.object_ref), edge.valid_from, edge.valid_to, *(field for _, field in pairs)]
    positions = {field: position for position, field in enumerate(dict.fromkeys(used), start=1)}
    predicate = project.expand(edge.predicate)
    parameters = {
        "prefix": source_iri(project, source),
        "object": template(edge.object_ref, positions, f"{where}.object_ref"),
        "object_class": project.expand(edge.object_class),
        "local_ids": list(edge.object_labels),
        "local_labels": list(edge.object_labels.values()),
        "predicate": predicate,
        "words": words(predicate),
        "zone": edge.zone,
        "from_field": positions[edge.valid_from],
        "to_field": positions[edge.valid_to],
        "iris": [quoted(iri) for iri, _ in pairs],
        "property_indexes": [positions[field] for _, field in pairs],
    }
    return RecordPlan(tuple(positions), parameters)
