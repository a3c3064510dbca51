"""Puts pydantic's validation errors into words a user of `stratagraph.yaml` can act on.

Which keys and values are allowed is read from the model, so that a message cannot drift from it. No rule is declared here.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from stratagraph.config.model import Config
from stratagraph.config.problems import Finding, KeyPath, allowed_text

# Sections whose entries are told apart by `type`: pydantic puts the type into the path of an error, as its third part.
_TAGGED = ("sources", "documents")
_KEY_MARK = "[key]"
_MAPPING_ERRORS = ("model_type", "model_attributes_type", "dict_type", "dataclass_type")


def explain(error: ValidationError, value: dict[str, Any]) -> Iterator[Finding]:
    """Each error of a validation as a finding. `value` is the tree that was validated."""
    for details in error.errors(include_url=False):
        at = tuple(details["loc"])
        if len(at) > 2 and at[0] in _TAGGED and at[2] != _KEY_MARK:
            at = (*at[:2], *at[3:])
        yield _finding(details, at, value)


def _finding(details: ErrorDetails, at: KeyPath, value: dict[str, Any]) -> Finding:
    kind = details["type"]
    context = details.get("ctx", {})
    if kind == "missing":
        return Finding(at, "is required")
    if kind == "extra_forbidden":
        return Finding(at, "unknown key" + allowed_text(str(at[-1]), _keys(_model_at(at[:-1], value))))
    if kind == "union_tag_not_found":
        return Finding((*at, "type"), f"is required. Allowed: {', '.join(_tags(_type_at(at, value)))}")
    if kind == "union_tag_invalid":
        return Finding((*at, "type"), "is not allowed" + allowed_text(context["tag"], _tags(_type_at(at, value))), True)
    if kind == "literal_error":
        allowed = [str(choice) for choice in _choices(_type_at(at, value))]
        return Finding(at, "is not allowed" + allowed_text(str(details["input"]), allowed), True)
    if at[-1:] == (_KEY_MARK,):
        return Finding(at[:-1], "this name is not allowed; a name is a letter, then letters, digits or _ (64 at most)")
    if kind in _MAPPING_ERRORS:
        return Finding(at, "must be a mapping of `key: value`", True)
    if kind == "list_type":
        return Finding(at, "must be a list of `- value` or `[value, value]`", True)
    if kind in ("string_type", "path_type"):
        return Finding(at, "must be text; put a number in quotes", True)
    if kind == "value_error":
        return Finding(at, str(context["error"]), not isinstance(details["input"], dict))
    if kind == "too_short":
        return Finding(at, f"must have at least {context['min_length']} entry")
    message = details["msg"]
    for wording in ("Input should", "String should", "Value should"):
        message = message.replace(wording, "must")
    return Finding(at, message, True)


def _type_at(at: KeyPath, value: Any) -> Any:
    """The annotation the model has at a path; the value decides between the members of a tagged union."""
    annotation: Any = Config
    for part in at:
        annotation = _member(_bare(annotation), value)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            fields = {field.alias or name: field.annotation for name, field in annotation.model_fields.items()}
            annotation = fields.get(str(part), Any)
        else:
            arguments = get_args(annotation)
            annotation = arguments[-1] if arguments else Any
        value = _step(value, part)
    return annotation


def _model_at(at: KeyPath, value: Any) -> Any:
    """As `_type_at`, with a tagged union at the path itself decided as well."""
    annotation = _type_at(at, value)
    for part in at:
        value = _step(value, part)
    return _member(_bare(annotation), value)


def _step(value: Any, part: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(part)
    if isinstance(value, list) and isinstance(part, int) and part < len(value):
        return value[part]
    return None


def _bare(annotation: Any) -> Any:
    """Without `Annotated` and `| None`."""
    if get_origin(annotation) is Annotated:
        return _bare(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not type(None)]
        if len(members) == 1:
            return _bare(members[0])
    return annotation


def _member(annotation: Any, value: Any) -> Any:
    """The member of a union that the value's `type` names; anything else is returned unchanged."""
    tag = value.get("type") if isinstance(value, dict) else None
    for member in get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else ():
        if tag in _choices(member.model_fields["type"].annotation):
            return member
    return annotation


def _keys(annotation: Any) -> list[str]:
    annotation = _bare(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        shared = {name for base in annotation.__mro__[1:] for name in getattr(base, "__annotations__", {})}
        ordered = sorted(annotation.model_fields.items(), key=lambda item: item[0] in shared)  # its own keys first
        return [field.alias or name for name, field in ordered]
    return []


def _tags(annotation: Any) -> list[str]:
    return [str(tag) for member in get_args(_bare(annotation)) for tag in _choices(member.model_fields["type"].annotation)]


def _choices(annotation: Any) -> tuple[Any, ...]:
    annotation = _bare(annotation)
    return get_args(annotation) if get_origin(annotation) is Literal else ()
