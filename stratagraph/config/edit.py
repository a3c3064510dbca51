"""Adds one entry to a list of `stratagraph.yaml`, and touches nothing else: comments, order and line ends stay.

The place is found by the marks that YAML gives to its nodes. The result is read again before it replaces the file: it must
hold what the old file held and the new entry, or nothing is written.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import yaml

from stratagraph.config.loader import load_config
from stratagraph.config.problems import dotted
from stratagraph.config.tree import read_tree
from stratagraph.errors import ConfigError

_BOM = b"\xef\xbb\xbf"


def add_to_list(path: Path, section: tuple[str, ...], name: str, entry: str) -> bool:
    """Add a text to the list `name` of a section that exists, such as `("sources", "shop")`; False if it is there already.

    Raises:
        ConfigError: the file can't be changed by inserting text; the message says which lines to add by hand.
    """
    before = read_tree(path).value
    wanted = _with_entry(before, section, name, entry)
    if wanted is None:
        return False
    raw = path.read_bytes()
    text = raw.decode("utf-8-sig")
    changed = _inserted(text, section, name, entry)
    if changed is None:
        raise _by_hand(path, section, name, entry, "it is not written in a way that an entry can be inserted into")
    _replace(path.resolve(), (_BOM if raw.startswith(_BOM) else b"") + changed.encode("utf-8"), wanted, section, name, entry)
    return True


def lines_to_add(section: tuple[str, ...], name: str, entries: list[str]) -> str:
    """The lines that a person would add to the file."""
    heads = [f"{'  ' * depth}{_key(key)}:" for depth, key in enumerate((*section, name))]
    return "\n".join([*heads, *(f"{'  ' * (len(section) + 1)}- {_quoted(entry)}" for entry in entries)])


def _with_entry(tree: Any, section: tuple[str, ...], name: str, entry: str) -> Any | None:
    """The file's values with the entry added; None: it has it. Values are shared as little as needed."""
    if not section:
        listed = tree.get(name) or []
        if not isinstance(listed, list):
            raise ConfigError(f"{name} is no list", hint="correct the file first")
        return None if entry in listed else {**tree, name: [*listed, entry]}
    below = tree.get(section[0])
    if not isinstance(below, dict):
        raise ConfigError(f"there is no section {dotted(section[:1])}", hint="correct the file first")
    changed = _with_entry(below, section[1:], name, entry)
    return None if changed is None else {**tree, section[0]: changed}


def _inserted(text: str, section: tuple[str, ...], name: str, entry: str) -> str | None:
    """The text with the entry in it; None: there is no plain place for it."""
    node: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    for key in section:
        node = _value(node, key)
    if not isinstance(node, yaml.MappingNode) or not node.value:
        return None
    listed = _value(node, name)
    if listed is None:
        return _with_new_key(text, node, name, entry)
    if isinstance(listed, yaml.SequenceNode) and listed.flow_style:
        return _in_brackets(text, listed, _quoted(entry))
    if isinstance(listed, yaml.SequenceNode):
        last = listed.value[-1]
        return _after_line(text, _end(text, last), f"{' ' * _column(listed)}- {_quoted(entry)}")
    if isinstance(listed, yaml.ScalarNode) and not listed.value:  # `keys:` with nothing behind it
        key = next(found for found, _ in node.value if found.value == name)
        return _after_line(text, _mark(key).index, f"{' ' * (_column(key) + 2)}- {_quoted(entry)}")
    return None


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for found, value in node.value if isinstance(found, yaml.ScalarNode) and found.value == key), None)


def _with_new_key(text: str, node: yaml.MappingNode, name: str, entry: str) -> str:
    if node.flow_style:
        return _in_brackets(text, node, f"{name}: [{_quoted(entry)}]")
    column = _column(node.value[0][0])
    lines = f"{' ' * column}{name}:", f"{' ' * (column + 2)}- {_quoted(entry)}"
    return _after_line(text, _end(text, node.value[-1][1]), *lines)


def _in_brackets(text: str, node: yaml.CollectionNode, addition: str) -> str:
    close = node.end_mark.index - 1 if node.end_mark else len(text)
    inside = text[:close].rstrip()
    comma = "" if not node.value or inside.endswith(",") else ","
    return f"{inside}{comma}{' ' if comma or inside.endswith(',') else ''}{addition}{text[len(inside) : close]}{text[close:]}"


def _end(text: str, node: yaml.Node) -> int:
    """Where a node ends. What YAML calls the end of a block is where the next thing starts, behind comments."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(last, tuple) else last)
    end = node.end_mark.index if node.end_mark else len(text)
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return len(text[:end].rstrip())
    return end


def _after_line(text: str, position: int, *lines: str) -> str:
    """The text with lines behind the line of a position, with the line ends that the file has there."""
    end = text.find("\n", position)
    if end < 0:
        newline = "\r\n" if "\r\n" in text else "\n"
        return text + "".join(newline + line for line in lines)
    newline = "\r\n" if text[end - 1 : end] == "\r" else "\n"
    return text[: end + 1] + "".join(line + newline for line in lines) + text[end + 1 :]


def _mark(node: yaml.Node) -> yaml.Mark:
    assert node.start_mark is not None
    return node.start_mark


def _column(node: yaml.Node) -> int:
    return int(_mark(node).column)


def _quoted(entry: str) -> str:
    return "'" + entry.replace("'", "''") + "'"


def _key(key: str) -> str:
    return key if key.isidentifier() else _quoted(key)


def _by_hand(path: Path, section: tuple[str, ...], name: str, entry: str, why: str) -> ConfigError:
    return ConfigError(
        f"the file was not changed: {why}", where=str(path), hint=f"add by hand:\n{lines_to_add(section, name, [entry])}"
    )


def _replace(path: Path, content: bytes, wanted: Any, section: tuple[str, ...], name: str, entry: str) -> None:
    """Put the new content in the file's place, whole or not at all, if it says what is wanted."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".yaml", dir=path.parent)
    place = Path(temporary)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            tree = read_tree(place)
            if tree.problems or tree.value != wanted:
                raise _by_hand(path, section, name, entry, "an inserted line would change what else it says")
            load_config(place)
        except ConfigError as error:
            if error.what.startswith("the file was not changed"):
                raise
            raise _by_hand(path, section, name, entry, "it could not be read any more with the line inserted") from error
        shutil.copymode(path, place)
        place.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            place.unlink()
