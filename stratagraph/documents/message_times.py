"""When a message of a chat log was sent: ISO 8601, a number since 1970 in any unit, a date with the month's name, a pattern.

A date of three numbers whose order depends on the country (03/04/2023) is refused unless the pattern is given. ISO 8601 itself
is `times.py`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal, InvalidOperation

from stratagraph.documents.records import RefusedDocumentError
from stratagraph.documents.times import parse_reference_time

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Each unit from 1973 on: what is smaller is an index or an offset, not a time. Microseconds of one of the unit.
_UNITS = ((Decimal("1e8"), 1_000_000), (Decimal("1e11"), 1_000), (Decimal("1e14"), 1), (Decimal("1e17"), Decimal("0.001")))
_LARGEST = Decimal("1e20")
_NUMBER = re.compile(r"-?\d{1,25}(\.\d{1,25})?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY_FIRST = re.compile(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+(?:of\s+)?{_MONTH},?[\s-]+(?P<year>\d{{4}})", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})", re.IGNORECASE)
_CLOCK = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?\s*(?P<half>[ap]\.?m\.?)?", re.IGNORECASE)
_OFFSET = re.compile(r"(?P<zero>\bZ\b|\bUTC\b|\bGMT\b)|(?P<sign>[+-])(?P<hours>\d{2}):?(?P<minutes>\d{2})\b")
_FILLERS = re.compile(r"\b(?:on|at|mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\b|[\s,.()]", re.IGNORECASE)
TIME_OF_DAY = re.compile(r"\s*\d{1,2}:\d{2}.{0,24}", re.DOTALL)


def parse_message_time(value: object, zone: tzinfo, pattern: str | None = None) -> datetime:
    """The UTC instant; what has no offset is meant in the zone.

    >>> parse_message_time("1:56 pm on 8 May, 2023", UTC).isoformat()
    '2023-05-08T13:56:00+00:00'
    >>> parse_message_time(1683554160000, UTC).isoformat(), parse_message_time("1683554160.5", UTC).isoformat()
    ('2023-05-08T13:56:00+00:00', '2023-05-08T13:56:00.500000+00:00')
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise _refused(value, f"it is {type(value).__name__}")
    written = str(value).strip()
    try:
        if pattern:
            parsed = datetime.strptime(written, pattern)  # noqa: DTZ007 - the zone is set below
            return (parsed if parsed.tzinfo else parsed.replace(tzinfo=zone)).astimezone(UTC)
        if isinstance(value, (int, float)) or _NUMBER.fullmatch(written):
            return _since_epoch(written)
        return _named_month(written, zone) or parse_reference_time(written, zone)
    except (ValueError, OverflowError, InvalidOperation) as error:
        raise _refused(value, str(error)) from error


def is_absolute(value: object) -> bool:
    """Whether a time needs no zone."""
    written = str(value).strip()
    return _NUMBER.fullmatch(written) is not None or bool(_OFFSET.search(written[10:]))


def _since_epoch(written: str) -> datetime:
    number = Decimal(written)
    unit = next((micros for least, micros in reversed(_UNITS) if number >= least), None)
    if unit is None or number >= _LARGEST:
        raise ValueError("a number of this size is no time since 1970")
    return _EPOCH + timedelta(microseconds=int((number * unit).to_integral_value()))


def _named_month(written: str, zone: tzinfo) -> datetime | None:
    """A date such as '8 May, 2023' or 'May 8, 2023', with a time of day before or after it; None if it is of another kind."""
    date = _DAY_FIRST.search(written) or _MONTH_FIRST.search(written)
    if not date or len(written) > 64:
        return None
    rest = written[: date.start()] + " " + written[date.end() :]
    clock = _CLOCK.search(rest)
    rest = rest[: clock.start()] + " " + rest[clock.end() :] if clock else rest
    offset = _OFFSET.search(rest)
    rest = rest[: offset.start()] + " " + rest[offset.end() :] if offset else rest
    if _FILLERS.sub("", rest):
        raise ValueError("neither a date nor a date and a time")
    moment = datetime(int(date["year"]), _MONTHS.index(date["month"].lower()) + 1, int(date["day"]), tzinfo=zone)
    if clock:
        moment = moment.replace(hour=_hour(clock), minute=int(clock["minute"]), second=int(clock["second"] or 0))
    if offset:
        sign = -1 if offset["sign"] == "-" else 1
        shift = timedelta(hours=int(offset["hours"] or 0), minutes=int(offset["minutes"] or 0)) * sign
        moment = moment.replace(tzinfo=UTC) - shift
    return moment.astimezone(UTC)


def _hour(clock: re.Match[str]) -> int:
    hour = int(clock["hour"])
    if not clock["half"]:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError(f"{hour} is no hour of half a day")
    return hour % 12 + (12 if clock["half"].lower().startswith("p") else 0)


def _refused(value: object, why: str) -> RefusedDocumentError:
    return RefusedDocumentError("invalid_reference_time", f"{str(value)[:60]!r} is not a point in time: {why}")
