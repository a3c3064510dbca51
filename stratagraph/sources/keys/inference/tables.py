"""The tables in which keys are looked for, and how their cells are read: as the text that rows are compared by.

What a cell is as text must be what it is in the row log, or a key would be found that joins nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stratagraph.sqlfiles import quote_identifier

# How cells are turned into text and what they are, by the DuckDB type of their column (see create_macros.sql).
_PLAIN = {
    "VARCHAR": "s", "UUID": "s", "DATE": "t", "BIGINT": "n", "INTEGER": "n", "SMALLINT": "n", "TINYINT": "n", "HUGEINT": "n",
    "UBIGINT": "n", "UINTEGER": "n", "USMALLINT": "n", "UTINYINT": "n", "UHUGEINT": "n",
}  # fmt: skip
_MACROS = {
    "DOUBLE": ("json_of_number", "n"), "FLOAT": ("json_of_number", "n"), "DECIMAL": ("json_of_decimal", "n"),
    "TIMESTAMP": ("json_of_time", "t"), "TIMESTAMP WITH TIME ZONE": ("json_of_instant", "t"),
}  # fmt: skip


@dataclass(frozen=True)
class KeyColumn:
    """A column of a table.

    Args:
        name: its name in the source.
        landed: (name, DuckDB type) of the columns of the relation that hold its cells: one, and dlt's variants of it.
        encoded: whether they hold the JSON text of each cell.
    """

    name: str
    landed: tuple[tuple[str, str], ...]
    encoded: bool = False

    @property
    def text(self) -> str:
        """SQL of its cells as text."""
        if self.encoded:
            return _coalesced(f"json_extract_string({quote_identifier(name)}, '$')" for name, _ in self.landed)
        return _coalesced(_text(name, kind) for name, kind in self.landed)

    @property
    def kind(self) -> str:
        """SQL of what its cells are: number (n), text (s), time (t), or no key can be made of them (x)."""
        if self.encoded:
            first = f"left(ltrim(CAST({_coalesced(quote_identifier(name) for name, _ in self.landed)} AS VARCHAR)), 1)"
            return f"CASE WHEN {first} = '\"' THEN 's' WHEN {first} SIMILAR TO '[-0-9]' THEN 'n' ELSE 'x' END"
        kinds = {_kind(kind) for _, kind in self.landed}
        return f"'{kinds.pop()}'" if len(kinds) == 1 else "'s'"

    @property
    def profile(self) -> str:
        """SQL of its profile (see sql/keys/create_macros.sql), without making text of what needs none."""
        if self.encoded or len(self.landed) != 1 or {_base(kind) for _, kind in self.landed} & _MACROS.keys():
            return f"profile_of_mixed({self.text}, {self.kind})"
        name, kind = self.landed[0]
        macro = {"n": "profile_of_numbers", "s": "profile_of_text", "t": "profile_of_times"}.get(
            _kind(kind), "profile_of_others"
        )
        return f"{macro}({quote_identifier(name)})"


@dataclass(frozen=True)
class KeyTable:
    """A table. Without a relation it has no rows.

    Args:
        name: its name in the source.
        relation: the table of the landing file, quoted; None: there is none, as dlt makes none for no rows.
        columns: in the order of the source.
        primary: the primary key, as declared or configured; empty: none.
        unique: other keys that are declared.
    """

    name: str
    relation: str | None
    columns: tuple[KeyColumn, ...]
    primary: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()

    def column(self, name: str) -> KeyColumn:
        return next(column for column in self.columns if column.name == name)


def tuple_of(columns: Sequence[KeyColumn]) -> str:
    """SQL of several columns as one value to compare; one column is its text."""
    return columns[0].text if len(columns) == 1 else "[" + ", ".join(column.text for column in columns) + "]"


def all_filled(columns: Sequence[KeyColumn]) -> str:
    """SQL that is true where all columns have a value."""
    return " AND ".join(f"{column.text} IS NOT NULL" for column in columns)


def _coalesced(expressions: Iterable[str]) -> str:
    found = list(expressions)
    return found[0] if len(found) == 1 else f"coalesce({', '.join(found)})" if found else "NULL"


def _base(kind: str) -> str:
    """A DuckDB type without its precision: DECIMAL(18,3) is DECIMAL, a list of them is no such thing."""
    return kind if kind.endswith("]") else kind.partition("(")[0]


def _text(name: str, kind: str) -> str:
    base = _base(kind)
    if base in _PLAIN:
        return f"CAST({quote_identifier(name)} AS VARCHAR)"
    if base in _MACROS:
        return f"json_extract_string({_MACROS[base][0]}({quote_identifier(name)}), '$')"
    return f"CASE WHEN {quote_identifier(name)} IS NOT NULL THEN '' END"


def _kind(kind: str) -> str:
    base = _base(kind)
    return _PLAIN.get(base) or _MACROS.get(base, ("", "x"))[1]
