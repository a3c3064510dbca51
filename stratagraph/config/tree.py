"""Reads YAML text into mappings, lists and scalars, and remembers the line of every key and value.

Safe by construction: tags are refused, files and expanded aliases are bounded, a key that stands twice is a problem.
Scalars follow YAML 1.2 (`true`, `12`, `1.5`, `null`); dates, `yes`, `no`, `on`, `off` and `12:30` stay text, because in
this file they are text. Keys are always text, as written. What the values mean is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from stratagraph.config.problems import KeyPath, Problem, dotted, refuse
from stratagraph.errors import ConfigError

MAX_BYTES = 1_000_000
MAX_NODES = 50_000
MAX_DEPTH = 40


class _Loader(yaml.SafeLoader):
    """The safe loader with the scalars of YAML 1.2."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own declaration


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"[-+]?(0|[1-9][0-9]*)$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)

_SCALARS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": lambda text: text.lower() == "true",
    "null": lambda _: None,
}

_COLLECTIONS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


@dataclass
class Tree:
    """A file as plain values.

    Args:
        value: mappings (keys are text), lists and scalars.
        lines: line of each value; of the key for an entry of a mapping.
        problems: what is wrong with the text as YAML, apart from its meaning.
    """

    value: Any
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, path: KeyPath) -> int:
        """Line of a path, or of the nearest one above it that stands in the file."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_tree(path: Path) -> Tree:
    """Read a YAML file. Raises ConfigError when there is nothing to go on with; other problems are in the tree."""
    text = _read_text(path)
    try:
        _check_size(path, text)
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise refuse(path, [Problem(mark.line + 1 if mark else 1, "", _explain(error))]) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise refuse(path, [Problem(line, "", f"the character U+{ord(text[error.position]):04X} is not allowed")]) from error
    if root is None:
        raise ConfigError("the file is empty", where=str(path), hint="`stratagraph init DIR` writes a starter")
    tree = Tree(None)
    tree.value = _Builder(path, tree).build(root, ())
    return tree


def _read_text(path: Path) -> str:
    if path.is_dir():
        raise ConfigError("this is a folder, not a file", where=str(path), hint="name the stratagraph.yaml inside it")
    if not path.exists():
        raise ConfigError(
            "no such file", where=str(path), hint="run `stratagraph init DIR` to write a starter, or use --config"
        )
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=str(path)) from error
    if len(raw) > MAX_BYTES:
        raise ConfigError(f"the file is larger than {MAX_BYTES:,} bytes", where=str(path))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise refuse(path, [Problem(line, "", f"byte {error.start} is not UTF-8; save the file as UTF-8")]) from error


def _check_size(path: Path, text: str) -> None:
    """Bound the nesting before composing, which is recursive."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise refuse(
                path,
                [Problem(event.start_mark.line + 1 if event.start_mark else 1, "", f"nested deeper than {MAX_DEPTH} levels")],
            )


def _explain(error: yaml.MarkedYAMLError) -> str:
    message = f"this is not YAML: {error.problem or error.context}"
    if error.context and error.problem:
        message += f" ({error.context})"
    if error.problem and "\\t" in error.problem:
        message += "; indent with spaces, not tabs"
    return message


class _Builder:
    """Turns YAML nodes into values. Aliases are expanded by visiting their node again, so nodes visited are counted."""

    def __init__(self, path: Path, tree: Tree) -> None:
        self.path = path
        self.tree = tree
        self.visited = 0

    def build(self, node: yaml.Node, at: KeyPath) -> Any:
        line = node.start_mark.line + 1
        self.visited += 1
        if self.visited > MAX_NODES or len(at) > MAX_DEPTH:
            raise refuse(self.path, [Problem(line, dotted(at[:8]), "too many or self-referring aliases (*name)")])
        self.tree.lines.setdefault(at, line)
        if isinstance(node, yaml.CollectionNode) and node.tag not in _COLLECTIONS:
            self.problem(line, at, f"the tag {node.tag} is not allowed")
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, at)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*at, index)) for index, item in enumerate(node.value)]
        return self.scalar(node, at)

    def mapping(self, node: yaml.MappingNode, at: KeyPath) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self.problem(line, at, "a key must be text")
                continue
            key = key_node.value
            if key in result:
                self.problem(line, (*at, key), f"stands twice; the first is on line {self.tree.lines[(*at, key)]}")
                continue
            self.tree.lines[(*at, key)] = line
            result[key] = self.build(value_node, (*at, key))
        return result

    def scalar(self, node: yaml.Node, at: KeyPath) -> Any:
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        if kind not in _SCALARS:
            self.problem(node.start_mark.line + 1, at, f"the tag {node.tag} is not allowed")
            return None
        try:
            return _SCALARS[kind](node.value)
        except ValueError:  # an explicit tag: !!int abc
            self.problem(node.start_mark.line + 1, at, f"is no {kind}")
            return None

    def problem(self, line: int, at: KeyPath, message: str) -> None:
        self.tree.problems.append(Problem(line, dotted(at), message))
