"""Reads YAML into records with the safe loader and the scalars of YAML 1.2: `no`, `12:30`, `007` and dates stay text.

A name that stands twice in a mapping is an error, as are merge keys and tags of other than plain values. Depth and aliases are
bounded before anything is built.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import yaml

from stratagraph.errors import SourceError
from stratagraph.sources.read.formats.encoding import Encoding, refuse_undecodable
from stratagraph.sources.read.formats.inputs import Input
from stratagraph.sources.read.formats.records import BadRecord, node_budget, records_of

MAX_DOCUMENT = 50_000_000  # bytes; a tree of nodes takes many times its text
MAX_DEPTH = 100


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader with the scalars of YAML 1.2, and without silent losses."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own declaration

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key is no plain value", key.start_mark)
            if key.value == "<<" and key.style not in ("'", '"'):
                raise yaml.constructor.ConstructorError(None, None, "merge keys (<<) are not read", key.start_mark)
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"the name {key.value!r} stands twice", key.start_mark)
            seen.add(key.value)
        return {key.value: self.construct_object(value, deep=deep) for key, value in node.value}


def _as_number(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int | Decimal:
    text = str(loader.construct_scalar(node))
    return int(text) if re.fullmatch(r"[-+]?[0-9]{1,1000}", text) else Decimal(text)


def _as_boolean(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> bool:
    return str(loader.construct_scalar(node)).lower() == "true"


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"-?(0|[1-9][0-9]*)$"), list("-0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,9})?$"), list("-0123456789")
)
_Loader.add_constructor("tag:yaml.org,2002:int", _as_number)
_Loader.add_constructor("tag:yaml.org,2002:float", _as_number)
_Loader.add_constructor("tag:yaml.org,2002:bool", _as_boolean)


def read_document(file: Input, encoding: Encoding, report: Callable[[BadRecord], None]) -> list[dict[str, Any]]:
    """The records of a document: a list of them, or a mapping with one list. Anything else in the list is reported."""
    data = file.read(MAX_DOCUMENT)
    try:
        text = data.decode(encoding.codec)
    except UnicodeError as error:
        raise refuse_undecodable(file, encoding) from error
    try:
        _refuse_depth(text, file)
        value = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error)
        raise SourceError(f"not valid YAML: {what}", where=f"{file.path}:{mark.line + 1}" if mark else file.path) from error
    except (RecursionError, ValueError, ArithmeticError) as error:
        raise SourceError(f"it can't be read as YAML: {error}", where=file.path) from error
    _refuse_bomb(value, node_budget(len(data)), file)
    return records_of(value, file.path, report)


def _refuse_depth(text: str, file: Input) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise SourceError("it is nested too deeply", where=file.path)


def _refuse_bomb(root: Any, budget: int, file: Input) -> None:
    """Aliases let a few hundred bytes stand for billions of values, or for a value in itself."""
    waiting: list[tuple[Any, int]] = [(root, 0)]
    while waiting:
        value, depth = waiting.pop()
        if not isinstance(value, (dict, list)):
            continue
        budget -= len(value)
        if budget < 0 or depth > MAX_DEPTH:
            raise SourceError("it expands to far more than its size", where=file.path, hint="remove its aliases")
        waiting += [(member, depth + 1) for member in (value.values() if isinstance(value, dict) else value)]
