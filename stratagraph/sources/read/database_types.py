"""The types with which a database's columns are read, so that no value is lost, rounded, or makes a whole load fail.

What a column holds is the database's business, and not every value has a like in Python or in a landing column: numbers
of any size, NaN, infinite times, intervals, whatever SQLite was given. Here is decided what becomes of each. Which XSD
datatype a column's values have is decided in `datatypes.py`, by the name of its type.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.engine import Engine
from sqlalchemy.exc import CompileError

_EXACT_DIGITS = 16  # a fraction that is longer is not exact as a double; see sql/sources/create_macros.sql
_LARGEST_DECIMAL = 38  # digits that a DECIMAL of DuckDB holds


class _StoredText(sa.String):
    """Text as a SQLite file stores it. SQLite doesn't enforce types: a DATETIME column may hold anything."""

    def result_processor(self, dialect: Any, coltype: Any) -> None:
        return None


class _StoredValue(sa.String):
    """Whatever a SQLite file stores, as JSON text: whole numbers of any size, text that looks like one, bytes.

    Args:
        binary: hex or digest: how bytes are kept.
        truth: whether 0 and 1 stand for false and true.
    """

    def __init__(self, binary: str, truth: bool = False) -> None:
        super().__init__()
        self.binary = binary
        self.truth = truth

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], str | None]:
        return self._as_json

    def _as_json(self, value: Any) -> str | None:
        if isinstance(value, bytes):
            digest = {"bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()}
            return json.dumps(value.hex().upper() if self.binary == "hex" else digest)
        if isinstance(value, float) and not math.isfinite(value):
            return json.dumps(str(value))
        if self.truth and value in (0, 1) and not isinstance(value, str):
            return json.dumps(bool(value))
        return None if value is None else json.dumps(value)


class _AnyNumber(sa.types.TypeDecorator[str]):
    """A number that no landing column could hold without rounding it, as JSON text. See `json_of_digits`."""

    impl = sa.Numeric
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> str | None:
        if value is None:
            return None
        number = Decimal(value)
        if not number.is_finite():
            return json.dumps(str(value))
        text = format(number, "f")
        digits = text.rstrip("0").rstrip(".") if "." in text else text
        return json.dumps(digits) if "." in digits and len(digits.lstrip("-")) > _EXACT_DIGITS else digits


class _Decimal(sa.types.TypeDecorator[Decimal]):
    """A number of a fixed precision. PostgreSQL lets NaN in, and no landing column does: it lands as a text beside it."""

    impl = sa.Numeric
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        return value if value is None or Decimal(value).is_finite() else _in_words(float(value))


class _Double(sa.types.TypeDecorator[float]):
    """A floating-point number. What is no finite one lands as a text beside it; dlt would make NULL of it."""

    impl = sa.Float
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        return value if not isinstance(value, float) or math.isfinite(value) else _in_words(value)


def _in_words(value: float) -> str:
    """A number that is none, as a text that dlt does not take for a number. See `lexical_double`."""
    return "not a number" if math.isnan(value) else "positive infinity" if value > 0 else "negative infinity"


class _AnyInteger(sa.types.TypeDecorator[str]):
    """A whole number beyond 64 bits, or a bit field, which a driver may give as bytes."""

    impl = sa.Integer
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> str | None:
        return str(int.from_bytes(value, "big") if isinstance(value, bytes) else value) if value is not None else None


class _WithoutPadding(sa.types.TypeDecorator[str]):
    """Text of a fixed length. What fills it up is no part of it, so that keys of different lengths find each other."""

    impl = sa.String
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> str | None:
        return value.rstrip(" ") if isinstance(value, str) else value


class _Array(sa.types.TypeDecorator[str]):
    """An array of PostgreSQL as JSON text, as the database writes it: numbers are exact, times are ISO 8601."""

    impl = sa.Text
    cache_ok = True

    def column_expression(self, column: Any) -> Any:
        return sa.cast(sa.func.to_jsonb(column), sa.Text)


class _CastText(sa.types.TypeDecorator[str]):
    """Any type that Python has no like of, as the text that the database makes of it."""

    impl = sa.Text
    cache_ok = True

    def column_expression(self, column: Any) -> Any:
        return sa.cast(column, sa.Text)


_ENCODED = (_StoredValue, _AnyNumber, _AnyInteger, _Array)  # as JSON text
_LANDING = (  # as dlt knows them
    sa.Integer, sa.String, sa.Boolean, sa.Date, sa.DateTime, sa.Time, sa.LargeBinary, sa.types.BINARY, sa.types.VARBINARY,
    sa.JSON, sa.Uuid,
)  # fmt: skip
_TEXTUAL = (sa.Enum, mysql.SET, postgresql.INET, postgresql.CIDR, postgresql.MACADDR, postgresql.MACADDR8)  # text already


def is_encoded(reading: sa.types.TypeEngine[Any]) -> bool:
    """Whether a column that is read with a type lands as the JSON text of its values."""
    return isinstance(reading, _ENCODED)


def type_name(engine: Engine, declared: sa.types.TypeEngine[Any]) -> str:
    """The database's name of a type."""
    try:
        return declared.compile(dialect=engine.dialect)
    except CompileError:
        return repr(declared)


def stored(declared: sa.types.TypeEngine[Any], binary: str) -> sa.types.TypeEngine[Any]:
    """The type to read a SQLite column with, so that no value is parsed, and none fails to be."""
    if isinstance(declared, sa.Boolean):
        return _StoredValue(binary, truth=True)
    if isinstance(declared, sa.Integer):
        return sa.BigInteger()
    if isinstance(declared, sa.Float):
        return _Double()
    if isinstance(declared, (sa.Numeric, sa.LargeBinary, sa.types.NullType)):
        return _StoredValue(binary)
    return _StoredText()


def readable(declared: sa.types.TypeEngine[Any], dialect: str) -> sa.types.TypeEngine[Any]:
    """The type to read a server's column with."""
    if isinstance(declared, sa.types.NullType) and dialect in ("mysql", "mariadb"):
        return declared  # they can't cast a shape to text; its bytes are read
    match declared:
        case sa.Float():
            return _Double()
        case sa.Numeric(precision=int(precision)) if precision <= _LARGEST_DECIMAL:
            return _Decimal(precision, declared.scale)
        case sa.Numeric():
            return _AnyNumber()
        case mysql.BIGINT(unsigned=True) | mysql.BIT():
            return _AnyInteger()
        case sa.CHAR() | sa.NCHAR():
            return _WithoutPadding()
        case mysql.YEAR():
            return sa.Integer()
        case sa.ARRAY():
            return _Array()
        case mysql.TIME() | sa.Time(timezone=True) | sa.types.NullType():
            return _CastText()
    if isinstance(declared, _TEXTUAL):
        return sa.String()
    return declared if isinstance(declared, _LANDING) else _CastText()


def without_domain(declared: sa.types.TypeEngine[Any]) -> sa.types.TypeEngine[Any]:
    """The type that a domain restricts."""
    while isinstance(declared, postgresql.DOMAIN):
        declared = declared.data_type
    return declared


def landing_type(declared: sa.types.TypeEngine[Any]) -> sa.types.TypeEngine[Any] | None:
    """The type dlt derives the landing column from; None: from the values."""
    if isinstance(declared, (*_ENCODED, _WithoutPadding, _CastText)):
        return sa.String()
    if isinstance(declared, sa.types.NullType):
        return None
    if isinstance(declared, _Double):
        return sa.Numeric(asdecimal=False)
    return declared.impl_instance if isinstance(declared, _Decimal) else declared


def keep_times(connection: Any, _record: Any) -> None:
    """Let PostgreSQL's dates that Python has none like of come as text: infinity, years before 1 and after 9999."""
    from psycopg2 import extensions

    for name, oid in (("DATE", 1082), ("TIMESTAMP", 1114), ("TIMESTAMPTZ", 1184)):
        known = {"DATE": extensions.PYDATE, "TIMESTAMP": extensions.PYDATETIME, "TIMESTAMPTZ": extensions.PYDATETIMETZ}[name]

        def cast(text: str | None, cursor: Any, known: Any = known) -> Any:
            if text is None or text.endswith(("infinity", "BC")):
                return text
            try:
                return known(text, cursor)
            except ValueError:
                return text

        extensions.register_type(extensions.new_type((oid,), name, cast), connection)
