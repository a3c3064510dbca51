"""What the mappings of tables and of records have in common: templates, columns as they are written, one field a property.

How they become SQL is `mapping/tables.py` and `recorded/mapping.py`; no row is seen here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import pairwise
from string import Formatter
from typing import Any

from stratagraph.config.problems import allowed_text
from stratagraph.errors import ConfigError
from stratagraph.sources.catalog import Table


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


def template_fields(text: str, known: Container[str] = ()) -> list[str]:
    """Names of the fields of a template; a ? behind one is part of its name only where such a field is known."""
    fields = [field for _, field in parsed_template(text) if field is not None]
    return [field if field in known else field.removesuffix("?") for field in fields]


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


def parsed_template(template: str) -> Iterator[tuple[str, str | None]]:
    for literal, field, spec, conversion in Formatter().parse(template):
        if field is None:
            yield literal, None
        else:
            yield literal, field + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")


def known_column(column: str, table: Table, where: str) -> str:
    """The column, if the table has it."""
    if column in table.columns:
        return column
    raise ConfigError(no_column(column, table), where=where)


def no_column(column: str, table: Table) -> str:
    """That a table has no such column, and what was probably meant."""
    renamed = sorted(now for now, former in table.former.items() if column in former or table.known_as.get(now) == column)
    if renamed:
        return f"there is no column {column!r} any more: it is called {renamed[0]} now"
    return f"there is no column {column!r}{allowed_text(column, table.columns)}"


def column_list(text: str) -> tuple[str, ...]:
    """The columns of a key as they are written in the config: `CustomerID`, `x, y`, `"a,b", c`.

    >>> column_list('OrderID, "Unit, price"')
    ('OrderID', 'Unit, price')
    """
    parts = re.findall(r'\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(?:,|$)', text)
    return tuple(quoted_name.replace('""', '"') or plain for quoted_name, plain in parts if quoted_name or plain)
