"""Replaces `${NAME}` in the strings of a config by environment variables; `$${` stands for the characters `${`.

Values are never shown: what this module reports names a variable, not its content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from stratagraph.config.problems import KeyPath

_REFERENCE = re.compile(r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}|\$\{")


class FromEnvironment(str):
    """Text that holds something from the environment, which must not be shown.

    It stays what it is where the model takes anything, such as in the arguments of a dlt source.

    Args:
        parts: what the variables held.
    """

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, text: str, parts: tuple[str, ...] = ()) -> FromEnvironment:
        self = super().__new__(cls, text)
        self.parts = parts
        return self


@dataclass
class Expansion:
    """The tree after replacement.

    Args:
        value: the tree.
        secret: paths of strings that hold something from the environment; their values must not be printed.
        problems: path and message of each reference that cannot be replaced; those strings stay as they are.
    """

    value: Any
    secret: set[KeyPath] = field(default_factory=set)
    problems: list[tuple[KeyPath, str]] = field(default_factory=list)


def expand_environment(tree: Any, environment: Mapping[str, str]) -> Expansion:
    """Replace all references in all strings of a tree of mappings, lists and scalars; keys are left alone."""
    result = Expansion(None)
    result.value = _expand(tree, (), environment, result)
    return result


def _expand(value: Any, path: KeyPath, environment: Mapping[str, str], result: Expansion) -> Any:
    if isinstance(value, dict):
        return {key: _expand(item, (*path, key), environment, result) for key, item in value.items()}
    if isinstance(value, list):
        return [_expand(item, (*path, index), environment, result) for index, item in enumerate(value)]
    if not isinstance(value, str) or "${" not in value:
        return value
    faults = list(_faults(value, environment))
    if faults:
        result.problems.extend((path, fault) for fault in faults)
        return value
    expanded = _REFERENCE.sub(lambda match: environment[match["name"]] if match["name"] else "${", value)
    names = [match["name"] for match in _REFERENCE.finditer(value) if match["name"]]
    if not names:
        return expanded
    result.secret.add(path)
    return FromEnvironment(expanded, tuple(environment[name] for name in names))


def _faults(value: str, environment: Mapping[str, str]) -> Iterator[str]:
    for match in _REFERENCE.finditer(value):
        name = match["name"]
        if name and name not in environment:
            yield f"the environment variable {name} is not set"
        elif match.group() == "${":
            yield "`${` must be followed by the name of a variable and `}`; write `$${` for the characters themselves"
