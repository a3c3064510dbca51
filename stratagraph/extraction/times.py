"""Reads times in text: dates, intervals and relative expressions, in English and Chinese, against a reference time.

A time keeps its precision: `1950` and `1950-01-01` start at the same instant but are not the same. Intervals are half-open,
so "until March 2020" ends where "in March 2020" starts. What says less than a year ("spring 2020", "early 2019") is that year;
what says no year or several ("the 1990s", "a few years ago", "before 2010") is vague. An impossible date (30 February) is
reported, never bent, and one that may be two (5/3/2020) is not read. Why this is no library: `docs/decisions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

Precision = Literal["century", "decade", "year", "quarter", "month", "week", "day", "instant"]
Role = Literal["at", "since", "until", "vague"]

_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_MONTH_NUMBER = {name: index + 1 for index, name in enumerate(_MONTHS)} | {name[:3]: i + 1 for i, name in enumerate(_MONTHS)}
_MONTH_NUMBER["sept"] = 9
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?"
    r"|Dec(?:ember)?)\b\.?"
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
}  # fmt: skip
_COUNT = r"(?:\d{1,3}|" + "|".join(sorted(_COUNTS, key=len, reverse=True)) + ")"
_SEVERAL = r"(?:a\s+few|several|many|some|a\s+couple\s+of|a\s+number\s+of)"
_UNIT = r"(?:day|week|month|year|decade)s?"
_DIGITS = "〇零一二三四五六七八九"
_HAN = r"(?:\d{1,3}|[一二两三四五六七八九十]{1,3})"
_HAN_YEAR = rf"(?:\d{{4}}|[{_DIGITS}]{{4}})"
_HAN_MONTH = r"(?:\d{1,2}|十[一二]?|[一二三四五六七八九])"
_HAN_DAY = r"(?:\d{1,2}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_HAN_YEARS = {"去年": -1, "前年": -2, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_HAN_DAYS = {"今天": 0, "今日": 0, "昨天": -1, "昨日": -1, "前天": -2, "明天": 1, "后天": 2}
_SHIFTS = {"last": -1, "past": -1, "this": 0, "next": 1, "上": -1, "本": 0, "这": 0, "下": 1}
_ENGLISH_DAYS = {
    "today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1, "the day before yesterday": -2, "the day after tomorrow": 2,
}  # fmt: skip
_LEAD = r"(?i:in|on|since|until|till|from|to|by|during|of|between|and|before|after|around|circa|prior\s+to)"

# One named group for each kind of expression, the more telling first; `_READERS` says what each means.
_PATTERN = re.compile(
    rf"""
      (?P<instant>\d{{4}}-\d{{2}}-\d{{2}}[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?(?:\s?Z|[+-]\d{{2}}:?\d{{2}})?)
    | (?P<iso>(?<![\d-])\d{{4}}(?P<separator>[-/])\d{{1,2}}(?P=separator)\d{{1,2}}(?![\d-]))
    | (?P<quarter>\b(?:Q[1-4][\s/,-]*[12]\d{{3}}|[12]\d{{3}}[\s-]*Q[1-4]|(?:first|second|third|fourth|1st|2nd|3rd|4th)\s+quarter
        \s+(?:of\s+)?[12]\d{{3}})(?!\d)|{_HAN_YEAR}年第?[一二三四1-4]季度)
    | (?P<iso_month>(?<![\d-])\d{{4}}-(?:0[1-9]|1[0-2])(?![\d-]))
    | (?P<lunar>(?:农历|阴历)[^，。,;；\s]{{0,8}})
    | (?P<republic>民国{_HAN}年(?:{_HAN_MONTH}月(?:{_HAN_DAY}[日号])?)?)
    | (?P<chinese_part>{_HAN_YEAR}年(?:初|底|末|中(?!国)|[春夏秋]天?|[上下]半年))
    | (?P<chinese>{_HAN_YEAR}\s?年(?:\s?{_HAN_MONTH}\s?月(?:\s?{_HAN_DAY}\s?[日号])?|\d{{1,2}}月)?)
    | (?P<chinese_year>(?:去年|前年|今年|本年|明年|后年)(?:{_HAN_MONTH}月(?:{_HAN_DAY}[日号])?)?)
    | (?P<chinese_day>今天|今日|昨天|昨日|前天|明天|后天)
    | (?P<chinese_week>[上本这下]个?(?:周|星期|礼拜)[一二三四五六日天]?)
    | (?P<chinese_month>[上本这下]个?月)
    | (?P<chinese_ago>(?:{_HAN}|[几数多半])(?:年|个?月|天|周|个?星期)(?:以?前|之前))
    | (?P<chinese_later>{_HAN}(?:年|个?月|天|周|个?星期)(?:以?后|之后)|次年|翌年|第二年|同年|此后|从那以后)
    | (?P<chinese_decade>(?:[一二三四五六七八九]十|\d0)年代|{_HAN}世纪)
    | (?P<chinese_month_day>{_HAN_MONTH}月{_HAN_DAY}[日号]|(?<=[在于自从到至]){_HAN_MONTH}月(?!天))
    | (?P<dmy>\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+\d{{4}}\b)
    | (?P<mdy>\b{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}\b)
    | (?P<part>\b(?i:(?:early|mid|late)[\s-]+|(?:spring|summer|autumn|fall|end|start|beginning|middle
        |first\s+half|second\s+half)\s+(?:of\s+)?)(?:{_MONTH},?\s+)?[12]\d{{3}}(?![\d\w]))
    | (?P<winter>\b(?i:winter)\s+(?:of\s+)?[12]\d{{3}}\b)
    | (?P<month_year>\b{_MONTH},?\s+(?:of\s+)?\d{{4}}\b)
    | (?P<month_day>\b(?i:on|since|until|till|from|to)\s+(?:{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?
        |\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH})(?![\w:])(?!,?\s+\d{{4}}))
    | (?P<month>\b(?i:in|since|until|till|from|during)\s+{_MONTH}(?!\.?,?\s*\d))
    | (?P<through>\b(?i:through)\s+(?:{_MONTH},?\s+)?[12]\d{{3}}(?![\d\w%/-]|[.,]\d))
    | (?P<year>\b{_LEAD}\s+[12]\d{{3}}(?![\d\w%/-]|[.,]\d|\s*BCE?\b|\s*Q[1-4]))
    | (?P<dash>(?<=[\s(\d])[12]\d{{3}}\s?[–-]\s?(?:[12]\d{{3}}(?!\d)|(?i:present|now|today)\b))
    | (?P<decade>\b[12]\d{{2}}0s\b|(?<!\w)['’]?[2-9]0s\b)
    | (?P<century>\b\d{{1,2}}(?:st|nd|rd|th)[\s-]+century\b)
    | (?P<day>\b(?i:the\s+day\s+before\s+yesterday|the\s+day\s+after\s+tomorrow|yesterday|today|tonight|tomorrow)\b)
    | (?P<later>\b(?i:{_COUNT}\s+{_UNIT}\s+(?:later|afterwards?|earlier)|(?:the|that)\s+(?:following|next|same|very)
        \s+(?:year|month|week|day)|that\s+(?:year|month)|since\s+then)\b)
    | (?P<shift>\b(?i:last|this|next)\s+(?:(?i:week|month|year)|{_WEEKDAY}|{_MONTH})(?!\w|\s+\d))
    | (?P<weekday>\b(?i:on)\s+{_WEEKDAY}(?!\w|['’]|,?\s+(?:\d|{_MONTH})))
    | (?P<some>\b(?i:{_SEVERAL}\s+{_UNIT}\s+ago|long\s+ago|in\s+recent\s+{_UNIT}|(?:over|in|during|within|for)\s+the
        \s+(?:past|last)\s+(?:{_COUNT}|few|several)\s+{_UNIT}|(?:in|within)\s+{_COUNT}\s+{_UNIT})\b)
    | (?P<ago>\b(?i:{_COUNT}\s+{_UNIT}\s+(?:ago|from\s+now))\b)
    | (?P<lasting>\b(?i:for)\s+(?i:{_COUNT}\s+{_UNIT})\b(?!\s+(?:or|old)\b))
    """,
    re.VERBOSE,
)
_SINCE = re.compile(
    r"(?:\b(?:since|from|as of|starting(?: in| on)?|beginning(?: in| on)?|effective|between)(?:\s+the)?|自|从)\s*$",
    re.I,
)
_UNTIL = re.compile(r"(?:\b(?:until|till|up to)(?:\s+the)?|直到|直至|到|至)\s*$", re.I)
_TO = re.compile(r"(?:\b(?:to|and)(?:\s+the)?|[–—~-])\s*$", re.I)
_RANGE = re.compile(r"\s*(?:至|到|[–—~-]|\bto\b)\s*")
_VAGUE = re.compile(r"(?:\b(?:before|after|by|around|about|circa|prior to|not until|sometime in)(?:\s+the)?)\s*$", re.I)
_AFTER_SINCE = re.compile(r"\s*(?:以来|起|开始)")
_AFTER_UNTIL = re.compile(r"\s*(?:为止|止)")
_AFTER_VAGUE = re.compile(r"\s*(?:之前|之后|以前|以后|左右)")
_PERFECT = re.compile(r"(?:\b(?:has|have|had)|['’]s|['’]ve)\b[^.;:!?]{0,80}$", re.I)
_OPENING = re.compile(rf"{_LEAD}\s+")


class TimeError(ValueError):
    """A time that does not exist or cannot be read."""


@dataclass(frozen=True)
class TimeExpression:
    """A time in a text.

    Args:
        instant: where the time starts (UTC), or for 'until' where what it bounds ends; None when it does not exist or, of a
            vague one, when it says none.
        problem: why instant is None.
    """

    start: int
    end: int
    text: str
    role: Role
    precision: Precision
    instant: datetime | None
    problem: str | None = None


@dataclass(frozen=True)
class _Value:
    """What an expression means by itself: the role, where it has one of its own."""

    instant: datetime | None
    precision: Precision
    role: Role | None = None


@dataclass(frozen=True)
class _Context:
    """What an expression counts from: the reference time, the time spoken of before, and the text before it."""

    reference: datetime
    previous: tuple[datetime, Precision] | None
    before: str

    @property
    def midnight(self) -> datetime:
        return self.reference.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def find_times(text: str, reference_time: datetime, previous: tuple[datetime, Precision] | None = None) -> list[TimeExpression]:
    """All times in a text, in order, with the role their neighbouring words give them.

    Args:
        previous: the time that was spoken of before this text, from which "two years later" counts.
    """
    found: list[TimeExpression] = []
    for match in _PATTERN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "dash":
            found.extend(_dash(match))
            continue
        start = match.start()
        opening = _OPENING.match(match.group()) if kind in ("year", "month", "month_day", "weekday") else None
        start += opening.end() if opening else 0
        before = text[max(0, start - 20) : start]
        if kind == "decade" and re.search(r"\b(?:his|her|their|my|your|our)\s+(?:early\s+|mid-?|late\s+)?$", before):
            continue  # an age
        role = _role(before, text[match.end() : match.end() + 4], found, start)
        if kind == "year" and role == "at" and re.search(r"\b(?:to|and)\s*$", before, re.I):
            continue  # "went to 1984", "Jones and 2019": only after a start are these the end of an interval
        if kind in ("day", "chinese_day") and role == "until" and match.group().lower() in ("today", "今天", "今日"):
            continue  # "until today" says that it goes on
        if role == "at" and (span := _RANGE.match(text, match.end())) and _PATTERN.match(text, span.end()):
            role = "since"
        spoken = [(each.instant, each.precision) for each in found if each.instant and each.role != "vague"]
        last = next(((instant, precision) for instant, precision in reversed(spoken) if instant), previous)
        context = _Context(reference_time, last, text[max(0, match.start() - 100) : match.start()])
        written = text[start : match.end()]
        try:
            value = _READERS[kind](written, context)
        except (TimeError, ValueError, OverflowError) as error:
            found.append(TimeExpression(start, match.end(), written, role, "day", None, f"{written!r} is no date: {error}"))
            continue
        if value is None:
            continue
        instant, role = value.instant, value.role or role
        closing = role in ("since", "until") and re.match(r"end\b", written, re.I)
        if instant and (kind == "through" or closing):
            instant = _end_of(instant, value.precision)
        if closing:  # its meaning depends on the word before it, so that word is part of it
            lead = _SINCE.search(before) or _UNTIL.search(before)
            start -= len(lead.group()) if lead else 0
            written = text[start : match.end()]
        problem = None if instant else f"{written!r} says no time by itself"
        found.append(TimeExpression(start, match.end(), written, role, value.precision, instant, problem))
    return found


def parse_time(text: str, reference_time: datetime) -> tuple[datetime, Precision]:
    """One time, such as an engine gives it: ISO 8601 of any precision, or an expression as found in text.

    Raises:
        TimeError: it is no time, does not exist, or is vague.
    """
    stripped = text.strip()
    if re.fullmatch(r"[12]\d{3}", stripped):
        return datetime(int(stripped), 1, 1, tzinfo=UTC), "year"
    for candidate in (stripped, f"in {stripped}", f"on {stripped}"):
        for found in find_times(candidate, reference_time):
            if found.end == len(candidate):
                if found.instant is None or found.role == "vague":
                    raise TimeError(found.problem or f"{stripped!r} is too vague to be a time")
                return found.instant, found.precision
    raise TimeError(f"{stripped!r} is no time that can be read")


def iso(instant: datetime) -> str:
    """ISO 8601 in UTC."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _role(before: str, after: str, found: list[TimeExpression], start: int) -> Role:
    if _AFTER_VAGUE.match(after) or _VAGUE.search(before):
        return "vague"
    if _AFTER_SINCE.match(after) or _SINCE.search(before):
        return "since"
    if _AFTER_UNTIL.match(after) or _UNTIL.search(before):
        return "until"
    opened = bool(found) and found[-1].role == "since" and start - found[-1].end <= 10
    if opened and _TO.search(before):
        return "until"
    return "at"


def _dash(match: re.Match[str]) -> list[TimeExpression]:
    first, last = re.findall(r"\d{4}|[A-Za-z]+", match.group())
    if last.isdigit() and last < first:
        return []
    places = [(match.start(), first, "since")] + ([(match.end() - 4, last, "until")] if last.isdigit() else [])
    return [
        TimeExpression(at, at + 4, year, "since" if role == "since" else "until", "year", datetime(int(year), 1, 1, tzinfo=UTC))
        for at, year, role in places
    ]


def _instant(written: str, _: _Context) -> _Value:
    parsed = datetime.fromisoformat(written.replace(" Z", "Z").replace("Z", "+00:00"))
    return _Value((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC), "instant")


def _iso(written: str, _: _Context) -> _Value:
    return _date(*re.split("[-/]", written))


def _named(written: str, _: _Context) -> _Value:
    """Day, month and year in any order, the month by its name."""
    month = _month_of(written)
    numbers = re.findall(r"\d+", written)
    year = next(number for number in numbers if len(number) == 4)
    day = next((number for number in numbers if len(number) < 4), None)
    return _date(year, month, day)


def _part(written: str, context: _Context) -> _Value:
    return _named(written, context) if re.search(_MONTH, written) else _date(re.findall(r"[12]\d{3}", written)[0])


def _through(written: str, context: _Context) -> _Value:
    value = _part(written, context)
    return _Value(value.instant, value.precision, "until")


def _winter(written: str, _: _Context) -> _Value:
    return _Value(_date(re.findall(r"\d{4}", written)[0]).instant, "year", "vague")


def _without_year(written: str, context: _Context) -> _Value:
    """A day or month of no year: the last one up to the reference time."""
    reference, month = context.reference, _month_of(written)
    day = re.findall(r"\d+", written)
    if not day:
        return _date(reference.year if month <= reference.month else reference.year - 1, month)
    return _last_day(reference, month, int(day[0]))


def _last_day(reference: datetime, month: int, day: int) -> _Value:
    found = _date(reference.year, month, day)
    return found if found.instant and found.instant <= reference else _date(reference.year - 1, month, day)


def _year(written: str, _: _Context) -> _Value:
    return _date(written)


def _quarter(written: str, _: _Context) -> _Value:
    chinese = re.match(rf"({_HAN_YEAR})年第?(.)季度", written)
    if chinese:
        year, number = _han_year(chinese[1]), _han(chinese[2])
    else:
        year = int(re.findall(r"[12]\d{3}", written)[0])
        named = re.match(r"\w+", written)
        number = _ORDINALS.get(named.group().lower(), 0) if named else 0
        number = number or int(re.findall(r"Q([1-4])", written)[0])
    return _Value(datetime(year, number * 3 - 2, 1, tzinfo=UTC), "quarter")


def _decade(written: str, _: _Context) -> _Value:
    digits = re.findall(r"\d+", written)[0]
    return _Value(datetime(int(digits) if len(digits) == 4 else 1900 + int(digits), 1, 1, tzinfo=UTC), "decade", "vague")


def _century(written: str, _: _Context) -> _Value:
    return _Value(datetime(int(re.findall(r"\d+", written)[0]) * 100 - 99, 1, 1, tzinfo=UTC), "century", "vague")


def _day(written: str, context: _Context) -> _Value:
    days = _ENGLISH_DAYS | _HAN_DAYS
    return _Value(context.midnight + timedelta(days=days[" ".join(written.lower().split())]), "day")


def _shift(written: str, context: _Context) -> _Value:
    """Last, this and next: weeks, months and years; days of the week and months by their names."""
    word, name = written.lower().split()
    shift, midnight = _SHIFTS[word], context.midnight
    if name in ("week", "month", "year"):
        return _shifted(midnight, shift, name)
    if name in _WEEKDAYS:
        back = (midnight.weekday() - _WEEKDAYS.index(name)) % 7
        if shift < 0:
            return _Value(midnight - timedelta(days=back or 7), "day")
        week = midnight - timedelta(days=midnight.weekday() - 7 * shift - _WEEKDAYS.index(name))
        return _Value(week, "day", None if shift == 0 else "vague")  # next Friday: of this week or of the next
    month = _month_of(name)
    if shift < 0:
        return _date(midnight.year if month < midnight.month else midnight.year - 1, month)
    return _Value(_date(midnight.year + shift, month).instant, "month", None if shift == 0 else "vague")


def _weekday(written: str, context: _Context) -> _Value:
    back = (context.midnight.weekday() - _WEEKDAYS.index(written.lower())) % 7
    return _Value(context.midnight - timedelta(days=back), "day")


def _ago(written: str, context: _Context) -> _Value:
    count, unit = written.lower().split()[:2]
    sign = 1 if written.lower().endswith("now") else -1
    return _counted(context.midnight, sign * _count(count), unit.rstrip("s"))


def _some(written: str, context: _Context) -> _Value:
    said = written.lower().split()
    unit = next((word.rstrip("s") for word in said if re.fullmatch(_UNIT, word)), "year")
    count = next((_count(word) for word in said if word.isdigit() or (word in _COUNTS and word not in ("a", "an"))), 0)
    back = -1 if "past" in said or "last" in said else 1
    known = _counted(context.midnight, back * count, unit) if count else _Value(None, _precision(unit))
    return _Value(known.instant, known.precision, "vague")


def _lasting(written: str, context: _Context) -> _Value | None:
    """ "Has worked for three years" began three years ago; "worked for three years" says not when."""
    _, count, unit = written.lower().split()
    if not _PERFECT.search(context.before):
        return None
    value = _counted(context.midnight, -_count(count), unit.rstrip("s"))
    return _Value(value.instant, value.precision, "since")


def _later(written: str, context: _Context) -> _Value:
    """What counts from the time that was spoken of before."""
    said = written.lower().split()
    since: Role | None = "since" if said[0] == "since" or written in ("此后", "从那以后") else None
    unit = next((word.rstrip("s") for word in said if re.fullmatch(_UNIT, word)), "")
    count = 0 if "same" in said or "very" in said or said[0] == "that" else 1
    if said[0] in _COUNTS or said[0].isdigit():
        count = _count(said[0]) * (-1 if said[-1] == "earlier" else 1)
    return _after(context, count, unit, since)


def _after(context: _Context, count: int, unit: str, role: Role | None) -> _Value:
    if context.previous is None:
        return _Value(None, _precision(unit or "year"), "vague")
    instant, precision = context.previous
    if role == "since":
        return _Value(instant, precision, role)
    finer = {"year": 0, "quarter": 1, "month": 1, "week": 2, "day": 2, "instant": 2}
    if finer.get(precision, -1) < finer.get(_precision(unit), 0):
        return _Value(None, _precision(unit), "vague")  # "in 2010, and a week later"
    midnight = instant.replace(hour=0, minute=0, second=0, microsecond=0)
    return _counted(midnight, count, unit)


def _chinese(written: str, _: _Context) -> _Value:
    year, month, day = _han_parts(written)
    return _date(_han_year(year), month, day)


def _chinese_part(written: str, _: _Context) -> _Value:
    return _date(_han_year(written.partition("年")[0]))


def _chinese_year(written: str, context: _Context) -> _Value:
    _, month, day = _han_parts(written)
    return _date(context.midnight.year + _HAN_YEARS[written[:2]], month, day)


def _republic(written: str, _: _Context) -> _Value:
    year, month, day = _han_parts(written.removeprefix("民国"))
    return _date(1911 + _han(year), month, day)


def _lunar(_written: str, _: _Context) -> _Value:
    return _Value(None, "day", "vague")


def _chinese_month_day(written: str, context: _Context) -> _Value:
    _, month, day = _han_parts(written)
    reference = context.reference
    if day is None:
        return _date(reference.year if (month or 1) <= reference.month else reference.year - 1, month)
    return _last_day(reference, month or 1, day)


def _chinese_week(written: str, context: _Context) -> _Value:
    week = _shifted(context.midnight, _SHIFTS[written[0]], "week")
    if written[-1] not in "一二三四五六日天":
        return week
    monday = context.midnight - timedelta(days=context.midnight.weekday() - 7 * _SHIFTS[written[0]])
    return _Value(monday + timedelta(days=6 if written[-1] in "日天" else _han(written[-1]) - 1), "day")


def _chinese_month(written: str, context: _Context) -> _Value:
    return _shifted(context.midnight, _SHIFTS[written[0]], "month")


def _chinese_ago(written: str, context: _Context) -> _Value:
    unit = _han_unit(written)
    if written[0] in "几数多":
        return _Value(None, _precision(unit), "vague")
    if written[0] == "半":
        return _counted(context.midnight, -6, "month") if unit == "year" else _Value(None, _precision(unit), "vague")
    return _counted(context.midnight, -_han(re.match(_HAN, written).group()), unit)  # type: ignore[union-attr]


def _chinese_later(written: str, context: _Context) -> _Value:
    if written in ("此后", "从那以后"):
        return _after(context, 0, "year", "since")
    if written in ("次年", "翌年", "第二年", "同年"):
        return _after(context, 0 if written == "同年" else 1, "year", None)
    return _after(context, _han(re.match(_HAN, written).group()), _han_unit(written), None)  # type: ignore[union-attr]


def _chinese_decade(written: str, _: _Context) -> _Value:
    if written.endswith("世纪"):
        return _Value(datetime(_han(written[:-2]) * 100 - 99, 1, 1, tzinfo=UTC), "century", "vague")
    return _Value(datetime(1900 + _han(written[:-2]), 1, 1, tzinfo=UTC), "decade", "vague")


_READERS: dict[str, Callable[[str, _Context], _Value | None]] = {
    "instant": _instant, "iso": _iso, "iso_month": _iso, "quarter": _quarter, "dmy": _named, "mdy": _named,
    "month_year": _named, "part": _part, "winter": _winter, "month_day": _without_year, "month": _without_year,
    "through": _through, "year": _year,
    "decade": _decade, "century": _century, "day": _day, "shift": _shift, "weekday": _weekday, "ago": _ago, "some": _some,
    "lasting": _lasting, "later": _later, "lunar": _lunar, "republic": _republic, "chinese": _chinese,
    "chinese_part": _chinese_part, "chinese_year": _chinese_year, "chinese_day": _day, "chinese_week": _chinese_week,
    "chinese_month": _chinese_month, "chinese_ago": _chinese_ago, "chinese_later": _chinese_later,
    "chinese_decade": _chinese_decade, "chinese_month_day": _chinese_month_day,
}  # fmt: skip


def _date(year: int | str, month: int | str | None = None, day: int | str | None = None) -> _Value:
    precision: Precision = "day" if day is not None else "month" if month is not None else "year"
    return _Value(datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC), precision)


def _month_of(written: str) -> int:
    return _MONTH_NUMBER[re.findall(_MONTH, written, re.I)[-1].lower().rstrip(".")]


def _count(word: str) -> int:
    return _COUNTS[word] if word in _COUNTS else int(word)


def _precision(unit: str) -> Precision:
    known: dict[str, Precision] = {"day": "day", "week": "week", "month": "month", "decade": "decade"}
    return known.get(unit, "year")


def _shifted(midnight: datetime, count: int, unit: str) -> _Value:
    """A week, month or year before or after the one that a time stands in."""
    return _Value(midnight + timedelta(days=7 * count), "week") if unit == "week" else _counted(midnight, count, unit)


def _counted(midnight: datetime, count: int, unit: str) -> _Value:
    if unit in ("day", "week"):
        return _Value(midnight + timedelta(days=count * (7 if unit == "week" else 1)), _precision(unit))
    if unit == "month":
        return _Value(_months_on(midnight, count), "month")
    if unit == "decade":
        return _Value(datetime(midnight.year + 10 * count, 1, 1, tzinfo=UTC), "decade", "vague")
    return _Value(datetime(midnight.year + count, 1, 1, tzinfo=UTC), "year")


def _months_on(instant: datetime, count: int) -> datetime:
    months = instant.year * 12 + instant.month - 1 + count
    return datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)


def _end_of(instant: datetime, precision: Precision) -> datetime:
    if precision == "year":
        return datetime(instant.year + 1, 1, 1, tzinfo=UTC)
    if precision in ("month", "quarter"):
        return _months_on(instant, 3 if precision == "quarter" else 1)
    return instant + timedelta(days={"week": 7, "day": 1}.get(precision, 0))


def _han(written: str) -> int:
    """A Chinese number below a thousand, or one in digits."""
    if written.isdigit():
        return int(written)
    tens, ten, ones = written.replace("两", "二").rpartition("十")
    return (_DIGITS.index(tens) - 1 if tens else 1) * 10 * bool(ten) + (_DIGITS.index(ones) - 1 if ones else 0)


def _han_year(written: str) -> int:
    if written.isdigit():
        return int(written)
    return int("".join(str(max(0, _DIGITS.index(digit) - 1)) for digit in written))


def _han_parts(written: str) -> tuple[str, int | None, int | None]:
    year, _, rest = written.replace(" ", "").rpartition("年")
    month, _, day = rest.partition("月")
    return year, _han(month) if month else None, _han(day.rstrip("日号")) if day else None


def _han_unit(written: str) -> str:
    return (
        "year" if "年" in written else "month" if "月" in written else "week" if "周" in written or "星期" in written else "day"
    )
