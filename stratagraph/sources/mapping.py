"""Turns the mapping of the config into parameters of the SQL: IRIs, positions of fields, templates.

Checks it against what was loaded, so that a mapping of a column that doesn't exist is an error and not a silent no-op.
Nothing is read from the landing file here, and no row is seen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from string import Formatter
from typing import Any

from stratagraph.config.sources import TableMapping, TableSource
from stratagraph.errors import ConfigError
from stratagraph.project import Project
from stratagraph.sources.catalog import ForeignKey, Table
from stratagraph.sources.names import iri_safe, pointer, table_iri, words

_WORD = re.compile(r"[^a-z0-9]+")


def quoted(name: str) -> str:
    """A name as a JSON string."""
    return json.dumps(name, ensure_ascii=False)


def template(text: str, positions: Mapping[str, int], where: str, *, optional: bool = False) -> dict[str, list[Any]]:
    """A template as a parameter: literals around fields, positions of the fields, and which of them must be present.

    Args:
        text: such as '{name.first} {name.middle?}'; a field with ? is optional.
        positions: field -> position (from 1) in the list the SQL gives.
        where: place in the config, for messages.
        optional: whether all fields are optional.
    """
    literals, indexes, required = [""], [], []
    for literal, field, spec, conversion in Formatter().parse(text):
        literals[-1] += literal
        if field is None:
            continue
        name = field + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
        position = _position(positions, name.removesuffix("?"), where) if name not in positions else positions[name]
        indexes.append(position)
        if not optional and not name.endswith("?"):
            required.append(position)
        literals.append("")
    return {"literals": literals, "indexes": indexes, "required": required}


def template_fields(text: str) -> list[str]:
    """Names of the fields of a template."""
    return [field.removesuffix("?") for _, field, _, _ in Formatter().parse(text) if field is not None]


def _position(positions: Mapping[str, int], name: str, where: str) -> int:
    if name not in positions:
        raise ConfigError(f"there is no column {name!r}", where=where, hint=f"the columns are: {', '.join(positions)}")
    return positions[name]


def by_iri(pairs: Iterable[tuple[str, str]], where: str) -> list[tuple[str, str]]:
    """(IRI, field) pairs in order of the IRI, which only one field may have."""
    ordered = sorted(pairs)
    for (one, field), (other, another) in pairwise(ordered):
        if one == other:
            raise ConfigError(
                f"{field!r} and {another!r} are mapped to one property, {one}", where=where, hint="map one of them"
            )
    return ordered


def entity_parameters(project: Project, source: str, config: TableSource, table: Table) -> dict[str, Any]:
    """Parameters of `insert_entities` for one table."""
    where = f"sources.{source}.mapping.{table.name}"
    mapping = config.mapping.get(table.name, TableMapping())
    iri = table_iri(project, source, table.name)
    _refuse_unknown(mapping.properties, table.columns, f"{where}.properties")
    named = {column: project.expand(mapping.properties[column]) for column in mapping.properties}
    pairs = by_iri(((named.get(column, f"{iri}#{iri_safe(column)}"), column) for column in table.columns), where)
    positions = {column: position for position, (_, column) in enumerate(pairs, start=1)}
    label = mapping.label or _default_label(table)
    valid_time = mapping.valid_time or config.valid_time
    return {
        "source": source,
        "table": table.name,
        "class": project.expand(mapping.class_) if mapping.class_ else iri,
        "prefix": f"{iri}/",
        "iris": [quoted(name) for name, _ in pairs],
        "columns": [pointer(column) for _, column in pairs],
        "key": [pointer(column) for column in table.key],
        "key_names": [iri_safe(column) for column in table.key],
        "key_columns": [quoted(column) for column in table.key],
        "labels": [template(label, positions, f"{where}.label", optional=True)] if label else [],
        "valid_time": valid_time,
        "zone": mapping.zone,
        "from_column": _position(positions, mapping.valid_from, f"{where}.valid_from") if mapping.valid_from else None,
        "to_column": _position(positions, mapping.valid_to, f"{where}.valid_to") if mapping.valid_to else None,
    }


def _default_label(table: Table) -> str | None:
    """The column that names the row: name, label or title, or the table's own name with `name` behind it."""
    plain = {_WORD.sub("", column.lower()): column for column in reversed(table.columns)}
    own = _WORD.sub("", table.name.lower())
    stems = [own, own.removesuffix("s"), own.removesuffix("es"), own.removesuffix("ies") + "y"]
    wanted = ["name", "label", "title", *(stem + end for stem in stems for end in ("name", "label", "title"))]
    wanted += sorted(
        column for column in plain if column.endswith("name") and column not in ("firstname", "lastname", "username")
    )
    found = next((plain[name] for name in wanted if name in plain), None)
    return "{" + found + "}" if found and not set(found) & set("{}!:?") else None


def edge_parameters(
    project: Project, source: str, config: TableSource, key: ForeignKey, primary: Sequence[str]
) -> dict[str, Any]:
    """Parameters of `insert_edges` for one foreign key; `primary`: the primary key of the referenced table, if it has one."""
    mapped = config.mapping.get(key.table, TableMapping()).references
    given = {tuple(part.strip() for part in columns.split(",")): iri for columns, iri in mapped.items()}
    iri = table_iri(project, source, key.table)
    direct = f"{iri}#ref-" + ";".join(iri_safe(column) for column in key.columns)
    predicate = project.expand(given[key.columns]) if key.columns in given else direct
    # The IRI of a row that is missing follows from the key if this is the primary key (or all that is known of the table).
    order = (
        list(primary) if sorted(primary) == sorted(key.referenced_columns) else [] if primary else list(key.referenced_columns)
    )
    return {
        "table": key.table,
        "columns": [pointer(column) for column in key.columns],
        "referenced_table": key.referenced_table,
        "referenced_columns": [pointer(column) for column in key.referenced_columns],
        "predicate": predicate,
        "words": words(predicate),
        "dangling_prefix": f"{table_iri(project, source, key.referenced_table)}/",
        "dangling_names": [iri_safe(column) for column in order],
        "dangling_parts": [key.referenced_columns.index(column) + 1 for column in order],
    }


def check_mapping(source: str, config: TableSource, tables: Sequence[Table], keys: Sequence[ForeignKey]) -> None:
    """Refuse a mapping of a table that is not loaded, or of a foreign key that it does not have."""
    loaded = [table.name for table in tables]
    for table, mapping in config.mapping.items():
        if table not in loaded:
            raise ConfigError(
                f"the table {table!r} is not loaded",
                where=f"sources.{source}.mapping",
                hint=f"the tables are: {', '.join(loaded)}",
            )
        present = {key.columns for key in keys if key.table == table}
        for columns in mapping.references:
            if tuple(part.strip() for part in columns.split(",")) not in present:
                raise ConfigError(
                    f"the table has no foreign key {columns!r}", where=f"sources.{source}.mapping.{table}.references",
                    hint=f"its foreign keys are: {'; '.join(sorted(', '.join(key) for key in present)) or '(none)'}",
                )  # fmt: skip


def _refuse_unknown(names: Iterable[str], known: Sequence[str], where: str) -> None:
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise ConfigError(f"there is no column {', '.join(unknown)}", where=where, hint=f"the columns are: {', '.join(known)}")
