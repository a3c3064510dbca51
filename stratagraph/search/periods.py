"""Finds the period a question names in plain words: `in 1973`, `in June 1973`, `on 1973-06-01`, `1973年6月`.

Only what cannot mean anything else: a bare number, or a year after another preposition, is no period.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

Period = tuple[datetime, datetime]

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_YEAR = r"(?P<year>1\d{3}|20\d{2})"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d){_YEAR}\s?年(?:\s?(?P<month>1[0-2]|0?[1-9])\s?月(?:\s?(?P<day>[12]\d|3[01]|0?[1-9])\s?[日号])?)?",
        rf"\b(?:on|as of|at)\s+{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)\b",
        rf"\b(?:in|during)\s+(?:the\s+year\s+)?(?:(?P<name>{'|'.join(_MONTHS)})\s+)?{_YEAR}(?![-\w]|[.,]\d|\s+(?!(?:wa|i|doe|ha|hi|thi|a)s\b)[a-z]+s\b)",
    )
)


def named_period(query: str) -> Period | None:
    """The half-open period a question names first, in UTC; None if it names none.

    >>> [moment.date().isoformat() for moment in named_period("Who was president in 1973?")]
    ['1973-01-01', '1974-01-01']
    >>> named_period("ticket 2048"), named_period("in 2000 customers")
    (None, None)
    """
    for pattern in _PATTERNS:
        if found := pattern.search(query):
            parts = found.groupdict()
            name = parts.get("name")
            month = _MONTHS.index(name.lower()) + 1 if name else int(parts.get("month") or 0)
            return _period(int(parts["year"]), month, int(parts.get("day") or 0))
    return None


def _period(year: int, month: int, day: int) -> Period | None:
    try:
        start = datetime(year, month or 1, day or 1, tzinfo=UTC)
    except ValueError:  # 30 February
        return None
    if day:
        return start, start + timedelta(days=1)
    return start, datetime(year + (month in (0, 12)), month % 12 + 1 if month else 1, 1, tzinfo=UTC)
