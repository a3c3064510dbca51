"""Encodes records (nested objects and lists) for the landing tables. What a record means is not known here.

Every scalar becomes JSON text, so that the landing tables keep exactly what the source said (`00123` stays text, `411351`
a number) and no column ever changes its type. Objects and lists stay what they are: dlt makes columns and nested
tables of them.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from stratagraph.errors import SourceError

# An honest file has at most about one node a byte; YAML aliases can promise billions in a few hundred.
_NODES_PER_BYTE = 10
_SMALL = 1000
_quoted: Callable[[Any], str] = json.encoder.encode_basestring  # what json.dumps uses with ensure_ascii=False


@dataclass(frozen=True, order=True)
class FieldPath:
    """Where a scalar stands: the list it is in (`record`, `terms`) and its path in an item of that list (`id`, `bioguide`)."""

    table: tuple[str, ...]
    field: tuple[str, ...]


def node_budget(size: int) -> int:
    """How many values a text of so many bytes may hold once its aliases are expanded."""
    return max(size, _SMALL) * _NODES_PER_BYTE


class _Place:
    """Where values of records stand, with the places below it: made once, since there is one look-up for each value.

    Args:
        seen: whether a scalar stood here.
    """

    __slots__ = ("_fields", "_items", "path", "seen")

    def __init__(self, path: FieldPath) -> None:
        self.path = path
        self.seen = False
        self._fields: dict[str, _Place] = {}
        self._items: dict[tuple[str, ...], _Place] = {}

    def field(self, name: str) -> _Place:
        """The field of an object that stands here."""
        place = self._fields.get(name)
        if place is None:
            place = self._fields[name] = _Place(FieldPath(self.path.table, (*self.path.field, name)))
        return place

    def item(self, field: tuple[str, ...]) -> _Place:
        """The field of an item of a list that stands here."""
        place = self._items.get(field)
        if place is None:
            place = self._items[field] = _Place(FieldPath((*self.path.table, *self.path.field), field))
        return place


class RecordEncoder:
    """Encodes the records of one table.

    Args:
        table: name of the table, which is the first part of each `FieldPath`.
        where: what messages call the file or feed.
        fields: receives the path of every scalar that occurs.
        budget: how many values all records together may hold; None: any number.
    """

    def __init__(self, table: str, where: str, fields: set[FieldPath], budget: int | None = None) -> None:
        self._root = _Place(FieldPath((table,), ()))
        self._where = where
        self._fields = fields
        self._left = math.inf if budget is None else budget

    def record(self, record: dict[Any, Any]) -> dict[str, Any]:
        """The record with its scalars as JSON text."""
        try:
            return self._object(record, self._root)
        except RecursionError as error:
            raise SourceError("a record is nested too deeply", where=self._where) from error

    def _object(self, value: dict[Any, Any], at: _Place) -> dict[str, Any]:
        return {name: self._value(member, at.field(name)) for key, member in value.items() for name in (str(key),)}

    def _value(self, value: Any, at: _Place) -> Any:
        self._left -= 1
        if self._left < 0:
            raise SourceError("the file expands to far more than its size", where=self._where, hint="remove its aliases")
        if isinstance(value, dict):
            return self._object(value, at)
        if isinstance(value, (set, frozenset)):
            value = sorted(value, key=json_text)  # its own order is another in every process
        if isinstance(value, (list, tuple)):
            return [self._item(item, at) for item in value]
        if not at.seen:
            self._fields.add(at.path)
            at.seen = True
        return None if value is None else json_text(value)

    def _item(self, item: Any, at: _Place) -> Any:
        # dlt names the only column of a list of scalars `value`, and the table of a list in a list `list`.
        if isinstance(item, dict):
            return self._value(item, at.item(()))
        nested = isinstance(item, (list, tuple, set, frozenset))
        return self._value(item, at.item(("list",) if nested else ("value",)))


def json_text(value: object) -> str:
    """A scalar as JSON text: numbers with all their digits, times in ISO 8601, bytes as their size and hash."""
    kind = type(value)  # the most frequent ones first: this is called for every value
    if kind is str:
        return _quoted(value)
    if kind is int:
        return str(value)
    match value:
        case float() if not math.isfinite(value):
            return json.dumps(str(value))
        case str() | bool() | int() | float():
            return json.dumps(value, ensure_ascii=False)
        case Decimal():
            return str(value) if value.is_finite() else json.dumps(str(value))
        case datetime() | date() | time():
            return json.dumps(value.isoformat())
        case bytes():
            return json.dumps({"bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()}, sort_keys=True)
        case _:
            return json.dumps(str(value), ensure_ascii=False)


@dataclass(frozen=True)
class BadRecord:
    """What stands where a record should. place: its line, or its number in a list, from 0."""

    reason: str
    what: str
    raw: str
    place: int


def records_of(value: Any, where: str, report: Callable[[BadRecord], None]) -> list[dict[str, Any]]:
    """The records of a document: a list of them, or an object with one list. What is no record is reported."""
    if isinstance(value, dict):
        lists = [name for name, member in value.items() if isinstance(member, list)]
        if len(lists) != 1:
            what = "no list" if not lists else f"several lists: {', '.join(map(repr, sorted(lists)[:5]))}"
            raise SourceError(f"it is an object with {what}, not with one list of records", where=where)
        value = value[lists[0]]
    if not isinstance(value, list):
        raise SourceError("it is no list of records", where=where)
    records = []
    for number, item in enumerate(value):
        if isinstance(item, dict):
            records.append(item)
        else:
            raw = json.dumps(item, ensure_ascii=False, default=str)
            report(BadRecord("not_a_record", "no object, but a value of its own", raw, number))
    return records
