"""Printing: JSON for programs, tables for people. Results go to stdout, progress and remarks to stderr.

Text from a graph is data: control characters (which could steer a terminal) are replaced, and rich's markup is never
interpreted in it.
"""

from __future__ import annotations

import codecs
import io
import json
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

_PIPED_WIDTH = 160
_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def out() -> Console:
    """The console of results. Wider than 80 columns where there is no terminal, so that little is folded."""
    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else _PIPED_WIDTH, highlight=False, soft_wrap=False)


def err() -> Console:
    """The console of progress and remarks."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: object) -> None:
    """One JSON document on stdout, in UTF-8: escaped where the stream has another encoding, or the text is not sound."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=_plain)
    encoding = codecs.lookup(getattr(sys.stdout, "encoding", None) or "utf-8").name
    if encoding != "utf-8" or any(unicodedata.category(character) == "Cs" for character in set(text)):
        text = json.dumps(value, indent=2, default=_plain)
    click.echo(text)


def escape_unknown_characters() -> None:
    """Let stdout and stderr escape what their encoding does not know (a Windows code page, ASCII) instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _plain(value: object) -> object:
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    return str(value)


def clean(text: object) -> str:
    """Text without characters that could steer a terminal or turn the direction of writing; line ends become spaces."""
    return "".join(" " if character in "\n\t\r" else "\ufffd" if _steers(character) else character for character in str(text))


def _steers(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs") or character in _DIRECTIONS


def cell(value: object, style: str = "") -> Text:
    """A value in a table, as plain text."""
    if value is None:
        return Text("NULL", style="dim")
    if isinstance(value, (bytes, bytearray, memoryview)):
        return Text(bytes(value).hex(), style=style)
    if isinstance(value, (dict, list)):
        value = json.dumps(value, ensure_ascii=False, default=_plain)
    return Text(clean(value), style=style)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> Table:
    """A table whose cells are folded, never cut off."""
    result = Table(title=title, title_justify="left", header_style="bold")
    for column in columns:
        result.add_column(cell(column), overflow="fold")
    for row in rows:
        result.add_row(*(cell(value) for value in row))
    return result


def short_time(time: object) -> str:
    """An ISO time as short as it can be: a date for midnight UTC, … for an open end."""
    if time is None:
        return ""
    if time in ("infinity", "-infinity"):
        return "…"
    text = str(time).replace("+00:00", "Z").removesuffix("Z").replace(" ", "T")
    return text.removesuffix("T00:00:00") if text.endswith("T00:00:00") else text


def period(row: Mapping[str, Any], clock: str = "valid") -> str:
    """The interval of one clock of a row, `2020-01-01 → …`."""
    return f"{short_time(row.get(clock + '_from'))} → {short_time(row.get(clock + '_to'))}"
