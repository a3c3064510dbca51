"""The JSON schema of an answer, made from the terms that are shown: the subset that strict structured output allows.

Every field is required and nothing else is allowed; what may be absent may be null. Which classes a property is between cannot
be said in this subset, so the schema is flat and `resolve.py` checks that.
"""

from __future__ import annotations

from typing import Any

from stratagraph.extraction.openai.terms import Selection

# Limits of strict structured output: of all enumerations together, and of a long one.
MAX_VALUES = 1000
LONG_ENUM, MAX_LONG_ENUM_CHARACTERS = 250, 15_000

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_MAYBE: Schema = {"type": ["string", "null"]}
_TIMES = {"valid_from": _MAYBE, "valid_to": _MAYBE, "valid_from_resolved": _MAYBE, "valid_to_resolved": _MAYBE}


def schema_of(selection: Selection, *, events: bool) -> Schema:
    """JSON schema of an answer.

    Args:
        events: whether events are asked for.
    """
    things = [selection.names[term.iri] for term in selection.classes]
    happenings = [selection.names[term.iri] for term in selection.events]
    relations = [selection.names[term.iri] for term in selection.relations]
    roles = [selection.names[term.iri] for term in selection.roles]
    attributes = [selection.names[term.iri] for term in selection.attributes]
    closed = _closed([things, relations, attributes, happenings, roles] if events else [things, relations, attributes])

    def one_of(values: list[str]) -> Schema:
        return {"type": "string", "enum": sorted(values)} if values and values in closed else _TEXT

    attribute = _object(property=one_of(attributes), value=_TEXT)
    lists = {
        "entities": _list(_object(name=_TEXT, **{"class": one_of(things)}, attributes=_list(attribute))),
        "relations": _list(
            _object(
                subject=_TEXT, predicate=one_of(relations), object=_TEXT, quote=_TEXT, ended={"type": "boolean"}, **_TIMES
            )
        ),
    }  # fmt: skip
    if events:
        participant = _object(name=_TEXT, role=one_of(roles))
        event = {"name": _TEXT, "class": one_of(happenings), "quote": _TEXT, **_TIMES, "place": _MAYBE}
        lists["events"] = _list(_object(**event, participants=_list(participant)))
    return _object(**lists)


def _closed(enums: list[list[str]]) -> list[list[str]]:
    """Those that may be enumerations, the shortest first; names of the others are checked when the answer is read."""
    closed, count = [], 0
    for values in sorted(enums, key=len):
        characters = sum(map(len, values))
        if count + len(values) <= MAX_VALUES and not (len(values) > LONG_ENUM and characters > MAX_LONG_ENUM_CHARACTERS):
            closed.append(values)
            count += len(values)
    return closed


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}
