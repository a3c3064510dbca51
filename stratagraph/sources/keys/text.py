"""The text form of a foreign key, as people read and write it: `Orders(CustomerID) -> Customers(CustomerID)`.

A name that holds one of `( ) , " > -` or a space stands in double quotes, in which "" is a quote. Only the text is checked
here; whether there are such tables and columns is another question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stratagraph.errors import ConfigError

_TOKEN = re.compile(r'\s*(?:(?P<quoted>"(?:[^"]|"")*")|(?P<arrow>->)|(?P<mark>[(),])|(?P<plain>(?:(?!->)[^\s(),"])+))')
_NEEDS_QUOTES = re.compile(r'[\s(),">-]|^$')
_FORM = "write it as 'Orders(CustomerID) -> Customers(CustomerID)', with several columns as 'A(x, y) -> B(u, v)'"


@dataclass(frozen=True)
class KeyText:
    """A foreign key as it was written."""

    table: str
    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]

    def __str__(self) -> str:
        return print_key(self.table, self.columns, self.referenced_table, self.referenced_columns)

    @property
    def links(self) -> tuple[str, str, frozenset[tuple[str, str]]]:
        """What makes two keys the same, whatever the order of their columns."""
        pairs = zip(self.columns, self.referenced_columns, strict=True)
        return self.table, self.referenced_table, frozenset(pairs)


def print_key(table: str, columns: Sequence[str], referenced_table: str, referenced_columns: Sequence[str]) -> str:
    """The text of a key, which `parse_key` reads back."""
    return f"{_side(table, columns)} -> {_side(referenced_table, referenced_columns)}"


def parse_key(text: str, where: str | None = None) -> KeyText:
    """Read a key.

    >>> parse_key('"Order Details"(OrderID) -> Orders(OrderID)').table
    'Order Details'
    """
    tokens = _tokens(text, where)
    table, columns, rest = _parse_side(tokens, text, where)
    if not rest or rest[0] != ("arrow", "->"):
        raise _error(text, "there is no ->", where)
    referenced_table, referenced_columns, rest = _parse_side(rest[1:], text, where)
    if rest:
        raise _error(text, f"there is something behind it: {rest[0][1]}", where)
    if len(columns) != len(referenced_columns):
        raise _error(text, f"{len(columns)} columns can't refer to {len(referenced_columns)}", where)
    if len(set(columns)) < len(columns) or len(set(referenced_columns)) < len(referenced_columns):
        raise _error(text, "a column stands twice", where)
    return KeyText(table, columns, referenced_table, referenced_columns)


def _side(table: str, columns: Sequence[str]) -> str:
    return f"{_quoted(table)}({', '.join(map(_quoted, columns))})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if _NEEDS_QUOTES.search(name) else name


def _tokens(text: str, where: str | None) -> list[tuple[str, str]]:
    found, position = [], 0
    while position < len(text.rstrip()):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _error(text, f"the quote at character {position + 1} is not closed", where)
        kind = str(match.lastgroup)
        value = match[kind]
        found.append(
            ("name", value[1:-1].replace('""', '"')) if kind == "quoted" else ("name" if kind == "plain" else kind, value)
        )
        position = match.end()
    return found


def _parse_side(
    tokens: list[tuple[str, str]], text: str, where: str | None
) -> tuple[str, tuple[str, ...], list[tuple[str, str]]]:
    if len(tokens) > 1 and tokens[0][0] == tokens[1][0] == "name":
        raise _error(text, f'a name with a space needs quotes: "{tokens[0][1]} {tokens[1][1]}"', where)
    if len(tokens) < 2 or tokens[0][0] != "name" or tokens[1] != ("mark", "("):
        raise _error(text, "a table and its columns in parentheses are missing", where)
    columns, position = [], 2
    while position < len(tokens) and tokens[position][0] == "name":
        columns.append(tokens[position][1])
        closing = tokens[position + 1 : position + 2]
        if closing == [("mark", ")")]:
            return tokens[0][1], tuple(columns), tokens[position + 2 :]
        if closing and closing[0][0] == "name":
            raise _error(text, f'a name with a space needs quotes: "{tokens[position][1]} {closing[0][1]}"', where)
        if closing != [("mark", ",")]:
            break
        position += 2
    raise _error(text, f"the columns of {tokens[0][1]} don't end with )", where)


def _error(text: str, what: str, where: str | None) -> ConfigError:
    return ConfigError(f"{text!r} is no foreign key: {what}", where=where, hint=_FORM)
