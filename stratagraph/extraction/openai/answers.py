"""Reads what a model answered. Strict about the whole, item by item about the parts.

Code fences and words around the object are no obstacle. An answer that is no object with the two lists is malformed (the engine
asks again, and says what was wrong); an item that is not what was asked for is rejected alone, with its reason, and the others
are kept. Terms become IRIs here and are not corrected: what is no term is refused later.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from stratagraph.extraction.events import AT_PLACE
from stratagraph.extraction.openai.vocabulary import Vocabulary
from stratagraph.extraction.protocol import ExtractedEntity, ExtractedRelation, Extraction

VERSION = 3  # of what an answer looks like and how it is read
CONFIDENCE = 0.8
_LISTS = ("entities", "relations")
_MOST_STARTS = 200  # places in prose around an answer where it may begin

T = TypeVar("T")


class MalformedAnswerError(ValueError):
    """The answer as a whole cannot be read.

    Args:
        problem: what is wrong, in words of ours: it is told to the model.
        is_json: whether it is JSON at least.
    """

    def __init__(self, problem: str, *, is_json: bool = False) -> None:
        self.is_json = is_json
        super().__init__(problem)


class _Object(dict[str, Any]):
    """A JSON object; `twice` is a key that it has twice, with different values."""

    twice: str | None = None


def read_answer(text: str, vocabulary: Vocabulary) -> Extraction:
    """The extraction a model answered with, terms as IRIs.

    Raises:
        MalformedAnswerError: see there.
    """
    answer = _object(text)
    rejected: list[tuple[str, str, str]] = []

    def read(items: Any, what: str, item_of: Callable[[Any, Vocabulary], T]) -> list[T]:
        found = []
        for item in items if isinstance(items, list) else [items] if items else []:
            try:
                json.dumps(item, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair is no text
                found.append(item_of(item, vocabulary))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                payload = json.dumps(item, ensure_ascii=isinstance(error, UnicodeEncodeError))
                rejected.append(("malformed_item", f"not {what}: {_why(error)}", payload))
        return found

    entities = read(answer.get("entities"), "an entity", _entity)
    relations = read(answer.get("relations"), "a relation", _relation)
    for event, place, participants in read(answer.get("events"), "an event", _event) if vocabulary.mode == "events" else ():
        entities.append(event)
        relations += read(participants, "a participant", partial(_participant, event))
        relations += [_part(event, AT_PLACE, place)] if place else []
    return Extraction(tuple(entities), tuple(relations), tuple(rejected))


def _object(text: str) -> dict[str, Any]:
    """The last object with the lists: some models think aloud first, or repeat the schema."""
    if not text.strip():
        raise MalformedAnswerError("it is empty")
    values, broken = _values(text)
    answers = [value for value in values if isinstance(value, _Object) and _has_lists(value)]
    if not answers:
        raise MalformedAnswerError("it is not JSON" if broken else _problem(values[-1]), is_json=not broken)
    answer = answers[-1]
    if answer.twice in (*_LISTS, "events"):
        raise MalformedAnswerError(f'the list "{answer.twice}" stands twice in the object', is_json=True)
    return answer


def _has_lists(value: dict[str, Any]) -> bool:
    """Both lists, or entities alone: a model may leave out the list that would be empty."""
    given = [key for key in _LISTS if isinstance(value.get(key), list)]
    return len(given) == 2 or (given == ["entities"] and not {*value} - {*_LISTS, "events"} and value.get("relations") is None)


def _problem(value: Any) -> str:
    if not isinstance(value, dict):
        return 'it is a JSON list, not an object with the lists "entities" and "relations"'
    if value.get("type") == "object" and "properties" in value:
        return "it is the JSON schema, not an object that follows it"
    missing = [key for key in _LISTS if key not in value]
    if missing:
        return f'the object has no list "{missing[0]}"'
    return 'the values of "entities" and "relations" are not both lists'


def _values(text: str) -> tuple[list[Any], bool]:
    """The outermost JSON objects and lists in a text, in order, and whether the first one is broken, or there is none.

    Numbers are as they are written.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_paired, parse_int=str, parse_float=str)
    values: list[Any] = []
    broken, first_is_broken = 0, False
    begins = _BEGINS.search(text)
    while begins and broken < _MOST_STARTS:
        try:
            value, end = decoder.raw_decode(text, begins.start())
            values.append(value)
        except (ValueError, RecursionError):
            end, broken = begins.start() + 1, broken + 1
            first_is_broken = first_is_broken or not values
        begins = _BEGINS.search(text, end)
    return values, first_is_broken or not values


_BEGINS = re.compile(r'\{\s*["}]|\[\s*[\[{"\]]')


def _paired(pairs: list[tuple[str, Any]]) -> _Object:
    item = _Object(pairs)
    if len(item) < len(pairs):
        item.twice = next((key for key, value in pairs if item[key] != value), None)
    return item


def _entity(item: Any, vocabulary: Vocabulary) -> ExtractedEntity:
    item = _checked(item)
    return ExtractedEntity(
        _text(item["name"]),
        vocabulary.class_iri(_text(item["class"])),
        attributes=tuple(
            (vocabulary.property_iri(_text(_checked(attribute)["property"])), _text(attribute["value"]))
            for attribute in item.get("attributes") or ()
        ),
    )


def _relation(item: Any, vocabulary: Vocabulary) -> ExtractedRelation:
    item = _checked(item)
    return ExtractedRelation(
        subject=_text(item["subject"]),
        predicate=vocabulary.property_iri(_text(item["predicate"])),
        object=_text(item["object"]),
        quote=_text(item["quote"]),
        ended=_flag(item.get("ended")),
        confidence=CONFIDENCE,
        **_times(item),
    )


def _event(item: Any, vocabulary: Vocabulary) -> tuple[ExtractedEntity, str | None, Any]:
    """An event, the name of its place, and its participants as answered."""
    item = _checked(item)
    class_iri, quote = vocabulary.class_iri(_text(item["class"])), _text(item["quote"])
    event = ExtractedEntity(_text(item["name"]), class_iri, quote=quote, confidence=CONFIDENCE, **_times(item))
    return event, _optional(item.get("place")), item.get("participants")


def _participant(event: ExtractedEntity, item: Any, vocabulary: Vocabulary) -> ExtractedRelation:
    item = _checked(item)
    return _part(event, vocabulary.property_iri(_text(item["role"])), _text(item["name"]))


def _part(event: ExtractedEntity, predicate: str, name: str) -> ExtractedRelation:
    """What an event has to do with a thing, said by the words that tell of the event, and true when it happens."""
    since = event.valid_from or event.valid_from_text
    return ExtractedRelation(
        event.name, predicate, name, event.quote or "", confidence=event.confidence,
        valid_from=event.valid_from, valid_from_text=event.valid_from_text,
        # An end alone would say that the relation ended.
        valid_to=event.valid_to if since else None, valid_to_text=event.valid_to_text if since else None,
    )  # fmt: skip


def _times(item: _Object) -> dict[str, Any]:
    return {
        "valid_from": _optional(item.get("valid_from_resolved")), "valid_to": _optional(item.get("valid_to_resolved")),
        "valid_from_text": _optional(item.get("valid_from")), "valid_to_text": _optional(item.get("valid_to")),
    }  # fmt: skip


def _checked(item: Any) -> _Object:
    if not isinstance(item, _Object):
        raise TypeError(f"{_shown(item)} is no object")
    if item.twice is not None:
        raise ValueError(f"{item.twice!r} stands twice, with different values")
    return item


def _text(value: object) -> str:
    """Text; a truth value or (as it is written) a number is text as well."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{_shown(value)} is no text")
    return value.strip()


def _optional(value: object) -> str | None:
    """Text, or None if there is none; an empty one and the words for nothing are none."""
    if value is None or (isinstance(value, str) and value.strip().lower() in ("", "null", "none")):
        return None
    return _text(value)


def _flag(value: object) -> bool:
    text = _optional(value) or "false"
    if text.lower() not in ("true", "false"):
        raise ValueError(f"{_shown(value)} is neither true nor false")
    return text.lower() == "true"


def _why(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def _shown(value: object) -> str:
    return repr(value)[:80]
