"""Checks that go across keys of the file: CURIEs against prefixes, names against each other.

They work on the plain tree, so that they also report when other parts of the file are wrong. What one value may hold is
declared in `model.py`; nothing here opens a file or a connection.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from stratagraph.config.problems import Finding, KeyPath, nearest, shown

_CURIE = re.compile(r"(?P<prefix>[A-Za-z_][\w.-]*)?:(?P<local>(?!//).*)", re.DOTALL)
# Schemes of IRIs without `//`; any other `word:rest` in a mapping is meant as a CURIE.
_SCHEMES = frozenset({"urn", "tag", "doi", "did", "info", "mailto", "data", "ark"})
_RESERVED_PREFIXES = _SCHEMES | {"http", "https", "file", "ftp"}

_TABLE_IRIS = (
    ("class",),
    ("classes", "values", "*"),
    ("classes", "otherwise"),
    ("edge", "predicate"),
    ("properties", "*"),
    ("references", "*"),
)
_RECORD_IRIS = (
    ("class",),
    ("properties", "*"),
    ("edges", "*", "predicate"),
    ("edges", "*", "object_class"),
    ("edges", "*", "properties", "*"),
)


def cross_checks(tree: dict[str, Any]) -> Iterator[Finding]:
    """Everything wrong across keys, as findings."""
    yield from _prefixes(tree)
    yield from _names(tree)
    prefixes = tree.get("prefixes")
    known = list(prefixes) if isinstance(prefixes, dict) else []
    for path, value in _mapped_iris(tree):
        message = _iri_fault(value, known) if isinstance(value, str) else None
        if message:
            yield Finding(path, message, True)
    for path, name in _written_iris(tree):
        message = _iri_fault(name, known)
        if message:
            yield Finding(path, f"{shown(name)} {message}")


def _prefixes(tree: dict[str, Any]) -> Iterator[Finding]:
    for path, _ in _select(tree, ("prefixes", "*")):
        name = str(path[-1])
        if name.lower() in _RESERVED_PREFIXES:
            yield Finding(path, "this is the scheme of ordinary IRIs and cannot be a prefix; choose another name")
        elif name and not _CURIE.fullmatch(f"{name}:"):
            yield Finding(path, "a prefix must start with a letter or _ and hold only letters, digits, _, - and .")


def _names(tree: dict[str, Any]) -> Iterator[Finding]:
    """Sources and documents share one name space, in which case does not count (as in DuckDB)."""
    seen: dict[str, KeyPath] = {}
    for section in ("sources", "documents"):
        for path, _ in _select(tree, (section, "*")):
            first = seen.setdefault(str(path[-1]).casefold(), path)
            if first != path:
                yield Finding(path, f"the name is taken by {first[0]}.{first[1]}; sources and documents need different names")


def _mapped_iris(tree: dict[str, Any]) -> Iterator[tuple[KeyPath, Any]]:
    for path, source in _select(tree, ("sources", "*")):
        recorded = isinstance(source, dict) and source.get("type") == "recorded"
        for tail in _RECORD_IRIS if recorded else _TABLE_IRIS:
            head = ("mapping",) if recorded else ("mapping", "*")
            for below, value in _select(source, (*head, *tail)):
                yield (*path, *below), value


def _written_iris(tree: dict[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    """IRIs of tables' mappings that stand in another place than a value: as a key, or as the start of a template."""
    for path, source in _select(tree, ("sources", "*", "mapping", "*")):
        for below, _ in _select(source, ("values", "*")):
            if isinstance(below[-1], str):
                yield (*path, *below), below[-1]
        for below, template in _select(source, ("ref",)):
            start = template.partition("{")[0] if isinstance(template, str) else ""
            if ":" in start.partition("/")[0]:
                yield (*path, *below), start


def _iri_fault(value: str, prefixes: list[str]) -> str | None:
    if not value or any(character.isspace() or character in '<>"{}|\\^`' for character in value):
        return 'is no IRI: it is empty or holds a space or one of <>"{}|\\^`'
    if "://" in value:
        return None
    match = _CURIE.fullmatch(value)
    if match is None:
        return "is neither an IRI nor prefix:name"
    prefix = match["prefix"] or ""
    if prefix in prefixes or prefix in _SCHEMES:
        return None
    guess = nearest(prefix, prefixes)
    hint = f"; did you mean {guess}:?" if guess else "."
    return f"has the undeclared prefix {prefix}:{hint} Declared: {', '.join(f'{name}:' for name in prefixes) or 'none'}"


def _select(value: Any, pattern: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    """All values below a path in which `*` stands for every key or index; wrong shapes are left to the model."""
    if not pattern:
        yield (), value
        return
    head, tail = pattern[0], pattern[1:]
    entries: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        entries = [(key, item) for key, item in value.items() if head in ("*", key)]
    elif isinstance(value, list) and head == "*":
        entries = list(enumerate(value))
    for key, item in entries:
        for below, found in _select(item, tail):
            yield (key, *below), found
