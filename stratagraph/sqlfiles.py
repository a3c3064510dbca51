"""Loads the SQL files that ship with the library and quotes identifiers.

All SQL lives in `sql/<layer>/<verb>_<thing>.sql`. Values are bound as parameters; the only text ever put into a
statement is an identifier, through `quote_identifier`. No other module builds SQL.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_PACKAGED = Path(__file__).parent / "_data"
_CHECKOUT = Path(__file__).parent.parent
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def data_path(*parts: str) -> Path:
    """Path of a data file that ships with the library (`sql/…`, `ontologies/…`), in a wheel or a checkout."""
    packaged = _PACKAGED.joinpath(*parts)
    return packaged if packaged.exists() else _CHECKOUT.joinpath(*parts)


def quote_identifier(name: str) -> str:
    """Quote one SQL identifier, doubling embedded quotes. Empty names and NUL characters are refused."""
    if not name or "\x00" in name:
        raise ValueError(f"not an identifier: {name!r}")
    return '"' + name.replace('"', '""') + '"'


def qualified(*names: str) -> str:
    """Quote a dotted name: `qualified('landing', 'order details')` -> `"landing"."order details"`."""
    return ".".join(quote_identifier(name) for name in names)


def escape_path(path: Path) -> str:
    """A file's path for `ATTACH '{path}'`, the one statement that takes no parameter; never anything from data."""
    text = str(path)
    if "\x00" in text:
        raise ValueError(f"not a path: {text!r}")
    return text.replace("'", "''")


@cache
def _text(layer: str, name: str) -> str:
    return data_path("sql", layer, f"{name}.sql").read_text(encoding="utf-8")


def load_sql(layer: str, name: str, /, **identifiers: str) -> str:
    """Text of `sql/<layer>/<name>.sql`, with `{placeholders}` replaced by already quoted identifiers.

    Args:
        layer: folder below `sql/`.
        name: file name without `.sql`.
        identifiers: quoted identifiers or lists of them, made with `quote_identifier` or `qualified`.
    """
    # In one pass, so that an identifier that looks like a placeholder itself is left alone.
    return _PLACEHOLDER.sub(lambda found: identifiers.get(found[1], found[0]), _text(layer, name))


def sql_names(layer: str) -> list[str]:
    """Names (without `.sql`) of all files of a layer, sorted."""
    return sorted(path.stem for path in data_path("sql", layer).glob("*.sql"))
