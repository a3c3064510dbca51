"""Reads what a model answered. Strict about the whole, item by item about the parts.

An answer that is no object with the two lists is malformed (the engine asks again); an item that is not what was asked for is
rejected alone, with its reason, and the others are kept.
"""

from __future__ import annotations

import json
import re
from typing import Any

from stratagraph.extraction.openai.prompt import Vocabulary
from stratagraph.extraction.protocol import ExtractedEntity, ExtractedRelation, Extraction

_FENCE = re.compile(r"\A\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
CONFIDENCE = 0.8


class MalformedAnswerError(ValueError):
    """The answer as a whole cannot be read."""


def read_answer(text: str, vocabulary: Vocabulary) -> Extraction:
    """The extraction a model answered with, terms as IRIs."""
    answer = _object(text)
    rejected: list[tuple[str, str, str]] = []
    entities: list[ExtractedEntity] = []
    relations: list[ExtractedRelation] = []
    for item in answer["entities"]:
        try:
            entities.append(_entity(item, vocabulary))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            rejected.append(("malformed_item", f"not an entity: {_why(error)}", json.dumps(item, ensure_ascii=False)))
    for item in answer["relations"]:
        try:
            relations.append(_relation(item, vocabulary))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            rejected.append(("malformed_item", f"not a relation: {_why(error)}", json.dumps(item, ensure_ascii=False)))
    return Extraction(tuple(entities), tuple(relations), tuple(rejected))


def _object(text: str) -> dict[str, Any]:
    if not text.strip():
        raise MalformedAnswerError("the answer is empty")
    fenced = _FENCE.match(text)
    try:
        answer = json.loads(fenced.group(1) if fenced else text)
        json.dumps(answer, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        raise MalformedAnswerError(f"the answer is not JSON: {error}") from error
    if not isinstance(answer, dict):
        raise MalformedAnswerError(f"the answer is a JSON {type(answer).__name__}, not an object")
    for key in ("entities", "relations"):
        if not isinstance(answer.get(key), list):
            raise MalformedAnswerError(f"the answer has no list {key!r}; its keys are {sorted(answer)[:6]}")
    return answer


def _entity(item: dict[str, Any], vocabulary: Vocabulary) -> ExtractedEntity:
    attributes = tuple((vocabulary.iri(_text(a["property"])), _text(a["value"])) for a in item.get("attributes") or ())
    return ExtractedEntity(_text(item["name"]), vocabulary.iri(_text(item["class"])), attributes=attributes)


def _relation(item: dict[str, Any], vocabulary: Vocabulary) -> ExtractedRelation:
    return ExtractedRelation(
        subject=_text(item["subject"]),
        predicate=vocabulary.iri(_text(item["predicate"])),
        object=_text(item["object"]),
        quote=_text(item["quote"]),
        ended=item.get("ended") is True,
        valid_from=_optional(item.get("valid_from_resolved")),
        valid_to=_optional(item.get("valid_to_resolved")),
        valid_from_text=_optional(item.get("valid_from")),
        valid_to_text=_optional(item.get("valid_to")),
        confidence=CONFIDENCE,
    )


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{value!r} is no text")
    return value.strip()


def _optional(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) and value.strip().lower() not in ("null", "none") else None


def _why(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
