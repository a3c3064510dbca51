"""A problem in the config file: its place, its key, and what is wrong; and one message for all of them.

Only the shape and the wording live here. Finding problems is the business of `tree`, `environment`, `checks` and `loader`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stratagraph.config.urls import redact_url
from stratagraph.errors import ConfigError

KeyPath = tuple[str | int, ...]

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SHOWN = 80


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong.

    Args:
        line: line in the file, from 1.
        key: dotted key, or "" for the file as a whole.
        message: what is wrong, and what would be right.
    """

    line: int
    key: str
    message: str


@dataclass(frozen=True)
class Finding:
    """Something wrong at a path of the tree, before its line is looked up.

    Args:
        at: the path.
        message: what is wrong.
        about_value: whether the message reads on from the value (`'x' is not allowed`).
    """

    at: KeyPath
    message: str
    about_value: bool = False


def with_value(finding: Finding, tree: Any, secret: Container[KeyPath]) -> str:
    """The message, behind the value it speaks of; what came from the environment is never shown."""
    if not finding.about_value:
        return finding.message
    if finding.at in secret:
        return f"the value from the environment {finding.message}"
    value = tree
    for part in finding.at:
        value = value[part]
    return f"{shown(value)} {finding.message}"


def dotted(path: KeyPath) -> str:
    """The path as a person writes it: `sources.northwind.tables[2]`; keys with other characters stand in quotes."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if _PLAIN_KEY.fullmatch(part) else f'"{part}"')
    return text


def shown(value: object) -> str:
    """A short, harmless rendering of a value that was typed into the file. Passwords in URLs are masked."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if not isinstance(value, str):
        return str(value)
    text = redact_url(value)
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def nearest(name: str, allowed: Iterable[str]) -> str | None:
    """The allowed name that looks most like `name`, if any looks like it."""
    folded = {candidate.casefold(): candidate for candidate in sorted(allowed, reverse=True)}
    found = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def allowed_text(name: str, allowed: Iterable[str]) -> str:
    """`; did you mean x? Allowed: a, b, x` for a name that is not allowed."""
    names = list(allowed)
    guess = nearest(name, names)
    return f"{f'; did you mean {guess}?' if guess else '.'} Allowed: {', '.join(names)}"


def refuse(path: Path, problems: Iterable[Problem]) -> ConfigError:
    """One error that lists all problems in the order of the file."""
    lines = [
        f"  {path}:{problem.line}: {problem.key + ': ' if problem.key else ''}{problem.message}"
        for problem in sorted(set(problems))
    ]
    count = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
    return ConfigError("\n".join([f"{count} in the configuration", *lines]), where=str(path))
