"""Reads the instants a caller gives for the two clocks. Nothing is guessed: a time of day without a zone is refused."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from stratagraph.errors import SnapshotError

ANY = "any"
Instant = datetime | date | str | None
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HINT = "use an ISO 8601 date, or a date and time with a zone: 2013-03-16T14:50:00Z"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def parse_instant(value: Instant, default: datetime | None) -> datetime | None:
    """An aware instant in UTC; None for 'any', that is, no filter on this clock.

    >>> parse_instant("2020-01-01", None).isoformat()
    '2020-01-01T00:00:00+00:00'
    """
    if value is None:
        return default
    if isinstance(value, str):
        return None if value.strip().lower() == ANY else _aware(_parse(value.strip()), value)
    if isinstance(value, datetime):
        return _aware(value, value)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    raise SnapshotError(f"not an instant: {value!r}", hint=_HINT)


def _parse(text: str) -> datetime:
    try:
        if _DATE.fullmatch(text):
            return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise SnapshotError(f"not an instant: {text!r}", hint=_HINT) from error


def _aware(moment: datetime, given: object) -> datetime:
    if moment.tzinfo is None:
        raise SnapshotError(
            f"a time without a zone: {str(given)!r}", hint="add Z or an offset, such as 2013-03-16T14:50:00+00:00"
        )
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise SnapshotError(f"an instant out of range: {str(given)!r}") from error


def microseconds(moment: datetime | None) -> int | None:
    """Microseconds since 1970 of an instant."""
    return None if moment is None else (moment - _EPOCH) // timedelta(microseconds=1)


def iso(moment: datetime | None) -> str:
    """An instant as text, 'any' for None."""
    if moment is None:
        return ANY
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
