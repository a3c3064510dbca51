"""Checks cron expressions and IANA time zones as the scheduler will read them. Nothing is scheduled here."""

from __future__ import annotations

import difflib
from zoneinfo import ZoneInfo, available_timezones

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_SHORTCUTS = ("@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually")

# name, first and last number, names of numbers
_FIELDS: tuple[tuple[str, int, int, dict[str, int]], ...] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day of month", 1, 31, {}),
    ("month", 1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    ("day of week", 0, 7, {name: number for number, name in enumerate(_DAYS)}),
)


def check_cron(text: str) -> str:
    """Return the expression, or raise ValueError that says which field is wrong and what it may hold."""
    if text.startswith("@"):
        if text not in _SHORTCUTS:
            raise ValueError(f"is an unknown shortcut; allowed: {', '.join(_SHORTCUTS)}")
        return text
    fields = text.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"has {len(fields)} fields, must have 5: minute, hour, day of month, month, day of week")
    for part, (name, first, last, names) in zip(fields, _FIELDS, strict=True):
        if not all(_item_fits(item.lower(), first, last, names) for item in part.split(",")):
            extra = f" or {next(iter(names))}-{list(names)[-1]}" if names else ""
            raise ValueError(f"has a wrong {name}; it must be *, numbers {first}-{last}{extra}, ranges, steps (*/2) or lists")
    if fields[3].lower() in ("2", "feb") and fields[2] in ("30", "31"):
        raise ValueError("never happens: February has no such day")
    return text


def _item_fits(item: str, first: int, last: int, names: dict[str, int]) -> bool:
    span, slash, step = item.partition("/")
    if slash and not (step.isascii() and step.isdigit() and 0 < int(step) <= last):
        return False
    if span == "*":
        return True
    ends = [names.get(end, int(end) if end.isascii() and end.isdigit() else -1) for end in span.split("-")]
    return len(ends) in (1, 2) and all(first <= end <= last for end in ends) and ends == sorted(ends)


def check_zone(name: str) -> str:
    """Return the name of a time zone, or raise ValueError with the nearest known one."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:  # unknown, malformed (an absolute path), or a folder (Europe)
        near = difflib.get_close_matches(name, sorted(available_timezones()), n=1)
        raise ValueError(
            f"is no IANA time zone{f' (did you mean {near[0]}?)' if near else ''}; allowed: UTC, Europe/Berlin and the like"
        ) from error
    return name
