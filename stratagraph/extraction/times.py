"""Reads times in text: dates in English and Chinese, intervals, and the commonest relative expressions.

A time keeps its precision: `1950` and `1950-01-01` start at the same instant but are not the same. Intervals are half-open,
so "until March 2020" ends where "in March 2020" starts. An impossible date (30 February) is reported, never bent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

Precision = Literal["year", "month", "week", "day", "instant"]
Role = Literal["at", "since", "until", "vague"]

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH_NUMBER = {name: index + 1 for index, name in enumerate(_MONTHS)} | {name[:3]: i + 1 for i, name in enumerate(_MONTHS)}
_MONTH_NUMBER["sept"] = 9
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?"
    r"|Dec(?:ember)?)\b\.?"
)
_UNITS = {"day": 1, "week": 7, "天": 1, "周": 7}
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_COUNT = r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten"

_PATTERN = re.compile(
    rf"""
      (?P<instant>\d{{4}}-\d{{2}}-\d{{2}}[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?(?:\s?Z|[+-]\d{{2}}:?\d{{2}})?)
    | (?P<iso>(?<![\d-])\d{{4}}(?P<separator>[-/])\d{{1,2}}(?P=separator)\d{{1,2}}(?![\d-]))
    | (?P<iso_month>(?<![\d-])\d{{4}}-(?:0[1-9]|1[0-2])(?![\d-]))
    | (?P<chinese>(?P<cy>\d{{4}})\s?年(?:\s?(?P<cm>\d{{1,2}})\s?月(?:\s?(?P<cd>\d{{1,2}})\s?[日号])?)?)
    | (?P<dmy>\b(?P<dd>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<dm>{_MONTH}),?\s+(?P<dy>\d{{4}})\b)
    | (?P<mdy>\b(?P<mm>{_MONTH})\s+(?P<md>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<my>\d{{4}})\b)
    | (?P<month_year>\b(?P<ym>{_MONTH}),?\s+(?:of\s+)?(?P<yy>\d{{4}})\b)
    | (?P<month_day>\b(?i:on|since|until|till|from|to)\s+(?:(?P<nm>{_MONTH})\s+(?P<nd>\d{{1,2}})(?:st|nd|rd|th)?
        |(?P<pd>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<pm>{_MONTH}))(?![\w:])(?!,?\s+\d{{4}}))
    | (?P<month>\b(?i:in|since|until|till|from|during)\s+(?P<om>{_MONTH})(?!,?\s*\d))
    | (?P<year>\b(?i:in|since|from|until|till|to|by|during|through|of|between|and|before|after)\s+
        (?P<oy>[12]\d{{3}})(?![\d\w%/-]|[.,]\d))
    | (?P<dash>(?<=[\s(\d])(?P<d1>[12]\d{{3}})\s?[–-]\s?(?P<d2>[12]\d{{3}})(?!\d))
    | (?P<relative>\b(?i:yesterday|today|last\s+(?:week|month|year)|(?:{_COUNT})\s+(?:days?|weeks?|months?|years?)\s+ago)\b
        |昨天|昨日|前天|今天|今日|上周|上个?月|去年|前年|今年)
    """,
    re.VERBOSE,
)
_SINCE = re.compile(
    r"(?:\bsince|\bfrom|\bas of|\bstarting(?: in| on)?|\bbeginning(?: in| on)?|\beffective|\bbetween|自|从)\s*$", re.I
)
_UNTIL = re.compile(r"(?:\buntil|\btill|\bup to|直到|直至|到|至)\s*$", re.I)
_THROUGH = re.compile(r"\bthrough\s*$", re.I)
_TO = re.compile(r"(?:\bto|\band)\s*$", re.I)
_VAGUE = re.compile(r"(?:\bbefore|\bafter|\bby|\baround|\babout|\bcirca|\bprior to)\s*$", re.I)
_AFTER_SINCE = re.compile(r"\s*(?:以来|起|开始)")
_AFTER_UNTIL = re.compile(r"\s*(?:为止|止)")
_AFTER_VAGUE = re.compile(r"\s*(?:之前|之后|以前|以后|左右)")


class TimeError(ValueError):
    """A time that does not exist or cannot be read."""


@dataclass(frozen=True)
class TimeExpression:
    """A time in a text.

    Args:
        instant: where the time starts (UTC), or for 'until' where what it bounds ends; None when it does not exist.
        problem: why instant is None.
    """

    start: int
    end: int
    text: str
    role: Role
    precision: Precision
    instant: datetime | None
    problem: str | None = None


def find_times(text: str, reference_time: datetime) -> list[TimeExpression]:
    """All times in a text, in order, with the role their neighbouring words give them."""
    found: list[TimeExpression] = []
    for match in _PATTERN.finditer(text):
        kind = _kind(match)
        if kind == "dash":
            found.extend(_dash(match))
            continue
        start = match.start()
        lead = re.match(
            r"(?:in|on|since|until|till|from|to|by|during|through|of|between|and|before|after)\s+", match.group(), re.I
        )
        if lead and kind in ("year", "month", "month_day"):
            start += lead.end()
        before = text[max(0, start - 16) : start]
        role, inclusive = _role(before, text[match.end() : match.end() + 4], found, start)
        if kind == "year" and role == "at" and re.search(r"\b(?:to|and)\s*$", before, re.I):
            continue  # "went to 1984", "Jones and 2019": only after a start are these the end of an interval
        written = text[start : match.end()]
        try:
            instant, precision = _value(match, kind, reference_time)
            if inclusive:
                instant = _end_of(instant, precision)
        except (TimeError, ValueError, OverflowError) as error:
            found.append(TimeExpression(start, match.end(), written, role, "day", None, f"{written!r} is no date: {error}"))
            continue
        found.append(TimeExpression(start, match.end(), written, role, precision, instant))
    return found


def parse_time(text: str, reference_time: datetime) -> tuple[datetime, Precision]:
    """One time, such as an engine gives it: ISO 8601 of any precision, or an expression as found in text."""
    stripped = text.strip()
    if re.fullmatch(r"[12]\d{3}", stripped):
        return datetime(int(stripped), 1, 1, tzinfo=UTC), "year"
    for candidate in (stripped, f"in {stripped}"):
        for found in find_times(candidate, reference_time):
            if found.end == len(candidate):
                if found.instant is None:
                    raise TimeError(found.problem or stripped)
                return found.instant, found.precision
    raise TimeError(f"{stripped!r} is no time that can be read")


def iso(instant: datetime) -> str:
    """ISO 8601 in UTC."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _kind(match: re.Match[str]) -> str:
    names = (
        "instant",
        "iso",
        "iso_month",
        "chinese",
        "dmy",
        "mdy",
        "month_year",
        "month_day",
        "month",
        "year",
        "dash",
        "relative",
    )
    return next(name for name in names if match.group(name) is not None)


def _role(before: str, after: str, found: list[TimeExpression], start: int) -> tuple[Role, bool]:
    if _AFTER_VAGUE.match(after) or _VAGUE.search(before):
        return "vague", False
    if _AFTER_SINCE.match(after) or _SINCE.search(before):
        return "since", False
    if _AFTER_UNTIL.match(after) or _UNTIL.search(before):
        return "until", False
    opened = bool(found) and found[-1].role == "since" and start - found[-1].end <= 10
    if _THROUGH.search(before):
        return "until", True
    if opened and _TO.search(before):
        return "until", False
    return "at", False


def _value(match: re.Match[str], kind: str, reference: datetime) -> tuple[datetime, Precision]:
    if kind == "instant":
        written = match.group().replace(" Z", "Z").replace("Z", "+00:00")
        parsed = datetime.fromisoformat(written)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC), "instant"
    if kind == "iso":
        return _day(*re.split("[-/]", match.group()))
    if kind == "iso_month":
        return _month(*match.group().split("-"))
    if kind == "chinese":
        year, month, day = match.group("cy", "cm", "cd")
        if day:
            return _day(year, month, day)
        return _month(year, month) if month else (datetime(int(year), 1, 1, tzinfo=UTC), "year")
    if kind == "dmy":
        return _day(match["dy"], _month_number(match["dm"]), match["dd"])
    if kind == "mdy":
        return _day(match["my"], _month_number(match["mm"]), match["md"])
    if kind == "month_year":
        return _month(match["yy"], _month_number(match["ym"]))
    if kind == "month_day":
        month = _month_number(match["nm"] or match["pm"])
        found = _day(reference.year, month, match["nd"] or match["pd"])
        return found if found[0] <= reference else _day(reference.year - 1, month, match["nd"] or match["pd"])
    if kind == "month":
        month = _month_number(match["om"])
        return _month(reference.year if month <= reference.month else reference.year - 1, month)
    if kind == "year":
        return datetime(int(match["oy"]), 1, 1, tzinfo=UTC), "year"
    return _relative(match.group().lower(), reference)


def _month_number(name: str) -> int:
    return _MONTH_NUMBER[name.lower().rstrip(".")]


def _day(year: int | str, month: int | str, day: int | str) -> tuple[datetime, Precision]:
    return datetime(int(year), int(month), int(day), tzinfo=UTC), "day"


def _month(year: int | str, month: int | str) -> tuple[datetime, Precision]:
    return datetime(int(year), int(month), 1, tzinfo=UTC), "month"


def _dash(match: re.Match[str]) -> list[TimeExpression]:
    first, second = int(match["d1"]), int(match["d2"])
    if second < first:
        return []
    return [
        TimeExpression(match.start("d1"), match.end("d1"), match["d1"], "since", "year", datetime(first, 1, 1, tzinfo=UTC)),
        TimeExpression(match.start("d2"), match.end("d2"), match["d2"], "until", "year", datetime(second, 1, 1, tzinfo=UTC)),
    ]


def _relative(written: str, reference: datetime) -> tuple[datetime, Precision]:
    midnight = reference.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    written = " ".join(written.split())
    days = {"today": 0, "今天": 0, "今日": 0, "yesterday": 1, "昨天": 1, "昨日": 1, "前天": 2}
    if written in days:
        return midnight - timedelta(days=days[written]), "day"
    if written in ("last week", "上周"):
        return midnight - timedelta(days=7), "week"
    if written in ("last month", "上个月", "上月"):
        return _months_back(midnight, 1), "month"
    years = {"last year": 1, "去年": 1, "前年": 2, "今年": 0}
    if written in years:
        return datetime(midnight.year - years[written], 1, 1, tzinfo=UTC), "year"
    count, unit, _ = written.split(" ")
    number = _NUMBERS[count] if count in _NUMBERS else int(count)
    unit = unit.rstrip("s")
    if unit in _UNITS:
        return midnight - timedelta(days=number * _UNITS[unit]), "day" if unit == "day" else "week"
    if unit == "month":
        return _months_back(midnight, number), "month"
    return datetime(midnight.year - number, 1, 1, tzinfo=UTC), "year"


def _months_back(instant: datetime, count: int) -> datetime:
    months = instant.year * 12 + instant.month - 1 - count
    return datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)


def _end_of(instant: datetime, precision: Precision) -> datetime:
    if precision == "year":
        return datetime(instant.year + 1, 1, 1, tzinfo=UTC)
    if precision == "month":
        return _months_back(instant, -1)
    return instant + timedelta(days=7 if precision == "week" else 1 if precision == "day" else 0)
