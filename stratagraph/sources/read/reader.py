"""What a source of tables hands to the loader: dlt resources, and what is known of their tables and columns.

Only the shapes live here. Each kind of source has a module that makes a `Reader`; `load_tables.py` takes any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from stratagraph.sources.catalog import ForeignKey


@dataclass(frozen=True, order=True)
class Column:
    """A column of a table, or a field of a record.

    Args:
        table: path of its table: `("Order Details",)`, or `("orders", "items")` for what is nested in each order.
        field: path of the field in a row: `("OrderID",)`, or `("ship", "city")` in nested objects.
        type: the source's name of its type, as far as it has one (see `datatypes.py`).
        encoded: whether the landing column holds the JSON text of each value, which keeps what no column type could.
    """

    table: tuple[str, ...]
    field: tuple[str, ...]
    type: str
    position: int
    encoded: bool = False

    @property
    def table_name(self) -> str:
        return ".".join(self.table)

    @property
    def name(self) -> str:
        return ".".join(self.field)


@dataclass(frozen=True)
class Identifier:
    """A primary or unique key of a table, loaded or not. kind: primary, unique; origin: declared, configured, inferred."""

    table: str
    kind: str
    columns: tuple[str, ...]
    origin: str = "declared"


@dataclass(frozen=True)
class Refused:
    """A row or a file that could not be read. It goes to the quarantine; what else the source holds is loaded.

    Args:
        reason: code, such as `malformed_row`.
        detail: what is wrong with it, for people.
        payload: the row as it stands, cut to 2,000 characters.
        location: where it stands: `players.csv:17`, relative to the project.
        table: table it was to be a row of.
    """

    reason: str
    detail: str
    payload: str
    location: str
    table: str


@dataclass(frozen=True)
class Opened:
    """A source that was opened.

    Args:
        resources: dlt resources, one for each table that is no nested one, named as the table, disposition replace.
        columns: asked once, after all resources were read: the columns of all tables, nested ones too.
        identifiers: keys that the source declares.
        foreign_keys: foreign keys that the source declares.
        refused: asked once, after all resources were read.
        notes: asked once, after all resources were read: what a person should know of how it was read.
    """

    resources: Sequence[Any]
    columns: Callable[[], Sequence[Column]]
    identifiers: Sequence[Identifier] = ()
    foreign_keys: Sequence[ForeignKey] = ()
    refused: Callable[[], Sequence[Refused]] = field(default=tuple)
    notes: Callable[[], Sequence[str]] = field(default=tuple)


class Reader(Protocol):
    """One source of tables."""

    @property
    def where(self) -> str:
        """What messages call it; holds no secret."""
        ...

    def fingerprint(self) -> str | None:
        """Of all that decides what a load brings, its own config included; None where only reading can tell."""
        ...

    def open(self, since: Since) -> AbstractContextManager[Opened]:
        """Open it for one load; every failure in the body that a person can act on is a SourceError."""
        ...


@dataclass(frozen=True)
class Since:
    """Where the last load of each incremental table stopped: table -> (cursor column, greatest value that was loaded)."""

    cursors: dict[str, tuple[str, Any]] = field(default_factory=dict)
