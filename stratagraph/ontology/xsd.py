"""Values of XSD datatypes: whether a text is one, and in which form it is kept, so that equal values are equal texts.

Numbers and times are kept in one form for each value (XSD 1.1's canonical one, except that a double is written without an
exponent where it is short); other values as they are. A datatype that is not known here has every text as a value. How prose
writes a date is read in `extraction/literals.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import date
from decimal import Decimal

XSD = "http://www.w3.org/2001/XMLSchema#"

_LONGEST = 2000  # characters of a number, a time or an IRI; what is longer is none that anybody states
_ZONE = r"(?P<zone>Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?"
_YEAR = r"(?P<year>-?(?:[1-9]\d{4,8}|\d{4}))"
_CLOCK = r"(?P<clock>(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,12})?)?)"
_GROUPED = re.compile(r"([+-]?\d{1,3}(?:,\d{3})+)(\.\d+)?")
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_DOUBLE = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_TIMES = {
    name: re.compile(pattern, re.ASCII)
    for name, pattern in {
        "date": rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d){_ZONE}",
        "dateTime": rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)[T ]{_CLOCK} ?{_ZONE}",
        "dateTimeStamp": rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)[T ]{_CLOCK} ?{_ZONE.removesuffix('?')}",
        "time": rf"{_CLOCK}{_ZONE}",
        "gYear": rf"{_YEAR}{_ZONE}",
        "gYearMonth": rf"{_YEAR}-(?P<month>\d\d){_ZONE}",
        "gMonthDay": rf"--(?P<month>\d\d)-(?P<day>\d\d){_ZONE}",
        "gMonth": rf"--(?P<month>\d\d){_ZONE}",
        "gDay": rf"---(?P<day>\d\d){_ZONE}",
    }.items()
}
_SHAPES = {
    name: re.compile(pattern, re.ASCII)
    for name, pattern in {
        "duration": r"-?P(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?",
        "dayTimeDuration": r"-?P(?=\d|T\d)(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?",
        "yearMonthDuration": r"-?P(?=\d)(?:\d+Y)?(?:\d+M)?",
        "language": r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*",
        "hexBinary": r"(?:[0-9a-fA-F]{2})*",
        "base64Binary": r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
    }.items()
}
_IRI = re.compile(r"[^\s<>\"{}|\\^`\x00-\x1f]+")
BOUNDS: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None), "nonNegativeInteger": (0, None), "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0), "negativeInteger": (None, -1),
    "long": (-(2**63), 2**63 - 1), "int": (-(2**31), 2**31 - 1), "short": (-(2**15), 2**15 - 1), "byte": (-128, 127),
    "unsignedLong": (0, 2**64 - 1), "unsignedInt": (0, 2**32 - 1), "unsignedShort": (0, 2**16 - 1), "unsignedByte": (0, 255),
}  # fmt: skip
_BOOLEANS = {"true": "true", "1": "true", "false": "false", "0": "false"}
TIMES = frozenset(XSD + name for name in _TIMES)


def canonical(datatype: str, text: str) -> str | None:
    """A value of a datatype in the form in which it is kept; None where the text is no value of it.

    Args:
        datatype: its IRI.

    >>> canonical(XSD + "integer", "+1,200"), canonical(XSD + "integer", "17 km"), canonical(XSD + "decimal", "1.50")
    ('1200', None, '1.5')
    >>> canonical(XSD + "date", "2024-02-30"), canonical(XSD + "dateTime", "2024-02-29 10:30")
    (None, '2024-02-29T10:30:00')
    """
    name = datatype.removeprefix(XSD) if datatype.startswith(XSD) else ""
    read = _READERS.get(name)
    if read is None:
        return text
    return read(unicodedata.normalize("NFKC", text).strip()) if len(text) <= _LONGEST else None


def _integer(name: str) -> Callable[[str], str | None]:
    low, high = BOUNDS[name]

    def read(text: str) -> str | None:
        text = _ungrouped(text)
        if not _INTEGER.fullmatch(text):
            return None
        number = int(text)
        return str(number) if (low is None or number >= low) and (high is None or number <= high) else None

    return read


def _decimal(text: str) -> str | None:
    text = _ungrouped(text)
    return _plain(text) if _DECIMAL.fullmatch(text) else None


def _double(text: str) -> str | None:
    if text in ("INF", "-INF", "NaN"):
        return text
    text = _ungrouped(text)
    if not _DOUBLE.fullmatch(text):
        return None
    number = repr(float(text))
    return number.replace("e+", "E").replace("e", "E") if "e" in number else _plain(number)


def _plain(number: str) -> str | None:
    value = Decimal(number)
    if not value.is_finite():
        return None
    written = f"{value:f}"
    written = (written.rstrip("0").rstrip(".") if "." in written else written).lstrip("+")
    return "0" if written in ("-0", "") else written


def _ungrouped(text: str) -> str:
    grouped = _GROUPED.fullmatch(text)
    return grouped[1].replace(",", "") + (grouped[2] or "") if grouped else text


def _time(name: str) -> Callable[[str], str | None]:
    def read(text: str) -> str | None:
        match = _TIMES[name].fullmatch(text)
        if match is None:
            return None
        found = match.groupdict()
        year, month, day = found.get("year"), int(found.get("month") or 1), int(found.get("day") or 1)
        if year is not None and int(year) == 0:
            return None
        try:  # the calendar comes round every 400 years; without a year, 29 February is a day
            date(2000 + int(year or 0) % 400, month, day)
        except ValueError:
            return None
        zone = "Z" if found["zone"] in ("+00:00", "-00:00") else found["zone"] or ""
        clock = found.get("clock")
        if clock is None:
            return text.removesuffix(found["zone"] or "").rstrip() + zone
        clock += ":00" if clock.count(":") == 1 else ""
        clock = clock.rstrip("0").rstrip(".") if "." in clock else clock
        start = text[: match.start("clock") - 1] + "T" if year is not None else ""
        return start + clock + zone

    return read


def _shaped(pattern: re.Pattern[str]) -> Callable[[str], str | None]:
    return lambda text: text if pattern.fullmatch(text) else None


_READERS: dict[str, Callable[[str], str | None]] = {
    "boolean": lambda text: _BOOLEANS.get(text.lower()),
    "decimal": _decimal, "double": _double, "float": _double, "anyURI": _shaped(_IRI),
    **{name: _integer(name) for name in BOUNDS},
    **{name: _time(name) for name in _TIMES},
    **{name: _shaped(pattern) for name, pattern in _SHAPES.items()},
}  # fmt: skip
