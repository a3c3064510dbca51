"""Times in text: what they mean, what role they play, what precision they have, and what is no date at all."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stratagraph.extraction.times import TimeError, find_times, iso, parse_time

REFERENCE = datetime(2020, 6, 15, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("since January 2015", [("January 2015", "since", "month", "2015-01-01")]),
        ("moved in March 2020.", [("March 2020", "at", "month", "2020-03-01")]),
        ("In 2019, she", [("2019", "at", "year", "2019-01-01")]),
        ("on 12 March 2020", [("12 March 2020", "at", "day", "2020-03-12")]),
        ("March 12th, 2020", [("March 12th, 2020", "at", "day", "2020-03-12")]),
        ("on 2020-03-12 and 2020/3/2", [("2020-03-12", "at", "day", "2020-03-12"), ("2020/3/2", "at", "day", "2020-03-02")]),
        ("from 2010 to 2014", [("2010", "since", "year", "2010-01-01"), ("2014", "until", "year", "2014-01-01")]),
        ("between 2001 and 2004", [("2001", "since", "year", "2001-01-01"), ("2004", "until", "year", "2004-01-01")]),
        ("(1999–2003)", [("1999", "since", "year", "1999-01-01"), ("2003", "until", "year", "2003-01-01")]),
        ("from March 2010 through May 2012",
         [("March 2010", "since", "month", "2010-03-01"), ("May 2012", "until", "month", "2012-06-01")]),
        ("until December 2019", [("December 2019", "until", "month", "2019-12-01")]),
        ("before 2010", [("2010", "vague", "year", "2010-01-01")]),
        ("2023年4月27日", [("2023年4月27日", "at", "day", "2023-04-27")]),
        ("自2019年以来", [("2019年", "since", "year", "2019-01-01")]),
        ("从2010年到2014年", [("2010年", "since", "year", "2010-01-01"), ("2014年", "until", "year", "2014-01-01")]),
        ("2015年之前", [("2015年", "vague", "year", "2015-01-01")]),
        ("stopped in March", [("March", "at", "month", "2020-03-01")]),
        ("in November", [("November", "at", "month", "2019-11-01")]),
        ("on 5 July", [("5 July", "at", "day", "2019-07-05")]),
        ("yesterday", [("yesterday", "at", "day", "2020-06-14")]),
        ("two years ago", [("two years ago", "at", "year", "2018-01-01")]),
        ("13 months ago", [("13 months ago", "at", "month", "2019-05-01")]),
        ("last week", [("last week", "at", "week", "2020-06-08")]),
        ("去年", [("去年", "at", "year", "2019-01-01")]),
        ("born 29 February 2020", [("29 February 2020", "at", "day", "2020-02-29")]),
        ("until 2024-02-30", [("2024-02-30", "until", "day", None)]),
        ("on 31 April 2020", [("31 April 2020", "at", "day", None)]),
        ("2019年13月", [("2019年13月", "at", "day", None)]),
        ("I may go, he might march", []),
        ("the top 2000 customers paid 2019.50 in 2019.5 rooms", []),
        ("she went to 1984", []),
        ("phone 555-2019-12", []),
    ],
)  # fmt: skip
def test_find_times(text, expected):
    found = [(t.text, t.role, t.precision, iso(t.instant)[:10] if t.instant else None) for t in find_times(text, REFERENCE)]
    assert found == expected
    assert all(text[t.start : t.end] == t.text for t in find_times(text, REFERENCE))


def test_precision_tells_a_year_from_its_first_day():
    assert parse_time("1950", REFERENCE) == (datetime(1950, 1, 1, tzinfo=UTC), "year")
    assert parse_time("1950-01-01", REFERENCE) == (datetime(1950, 1, 1, tzinfo=UTC), "day")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z"),
        ("2020-01-02T03:04:05+02:00", "2020-01-02T01:04:05Z"),
        ("2020-01-02 03:04", "2020-01-02T03:04:00Z"),
        ("2020-01-02T03:04:05.123456Z", "2020-01-02T03:04:05.123456Z"),
        ("in March 2019", "2019-03-01T00:00:00Z"),
    ],
)
def test_parse_time(text, expected):
    assert iso(parse_time(text, REFERENCE)[0]) == expected


@pytest.mark.parametrize("text", ["2024-02-30", "soon", "", "2020-13-01", "March 2020 or so", "2020-01-02T25:00:00Z"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises((TimeError, ValueError)):
        parse_time(text, REFERENCE)
