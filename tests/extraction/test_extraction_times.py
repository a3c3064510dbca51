"""Times in text: what they mean, what role they play, what precision they have, and what is no date at all."""

from __future__ import annotations

import re
import time
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
         [("March 2010", "since", "month", "2010-03-01"), ("through May 2012", "until", "month", "2012-06-01")]),
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


# expression in a sentence | what is found, as "text role precision day", "-" for none; the reference is Monday 2020-06-15.
# Written before the code was.
GOLD = """
on 12 March 2020 | 12 March 2020 at day 2020-03-12
on March 12th, 2020 | March 12th, 2020 at day 2020-03-12
on the 3rd of May 1970 | 3rd of May 1970 at day 1970-05-03
born on 3 May 1970 | 3 May 1970 at day 1970-05-03
on Monday, 5 March 2018 | 5 March 2018 at day 2018-03-05
on 2020-03-12 | 2020-03-12 at day 2020-03-12
in Sept. 2019 | Sept. 2019 at month 2019-09-01
in May 2019 | May 2019 at month 2019-05-01
in 1950 | 1950 at year 1950-01-01
since 1999 | 1999 since year 1999-01-01
until the end of 2019 | until the end of 2019 until year 2020-01-01
through 2014 | through 2014 until year 2015-01-01
from 2010 to 2014 | 2010 since year 2010-01-01; 2014 until year 2014-01-01
from March 2010 through May 2012 | March 2010 since month 2010-03-01; through May 2012 until month 2012-06-01
between 2001 and 2004 | 2001 since year 2001-01-01; 2004 until year 2004-01-01
(1999–2003) | 1999 since year 1999-01-01; 2003 until year 2003-01-01
(2010–present) | 2010 since year 2010-01-01
from 2015 to the present | 2015 since year 2015-01-01
before 2010 | 2010 vague year 2010-01-01
around 2010 | 2010 vague year 2010-01-01
in early 2019 | early 2019 at year 2019-01-01
in mid-2019 | mid-2019 at year 2019-01-01
in late March 2020 | late March 2020 at month 2020-03-01
at the end of 2018 | end of 2018 at year 2018-01-01
in the spring of 2020 | spring of 2020 at year 2020-01-01
in autumn 2017 | autumn 2017 at year 2017-01-01
in winter 2018 | winter 2018 vague year 2018-01-01
in the 1990s | 1990s vague decade 1990-01-01
in the late 1980s | 1980s vague decade 1980-01-01
in the 90s | 90s vague decade 1990-01-01
in Q3 2021 | Q3 2021 at quarter 2021-07-01
in the third quarter of 2019 | third quarter of 2019 at quarter 2019-07-01
in 2019 Q1 | 2019 Q1 at quarter 2019-01-01
in the first half of 2018 | first half of 2018 at year 2018-01-01
in the 19th century | 19th century vague century 1801-01-01
today | today at day 2020-06-15
yesterday | yesterday at day 2020-06-14
the day before yesterday | the day before yesterday at day 2020-06-13
tomorrow | tomorrow at day 2020-06-16
last week | last week at week 2020-06-08
this week | this week at week 2020-06-15
next week | next week at week 2020-06-22
last month | last month at month 2020-05-01
this month | this month at month 2020-06-01
next month | next month at month 2020-07-01
last year | last year at year 2019-01-01
this year | this year at year 2020-01-01
next year | next year at year 2021-01-01
last Friday | last Friday at day 2020-06-12
last Monday | last Monday at day 2020-06-08
on Friday | Friday at day 2020-06-12
next Friday | next Friday vague day 2020-06-26
last March | last March at month 2020-03-01
last December | last December at month 2019-12-01
next March | next March vague month 2021-03-01
in November | November at month 2019-11-01
on 5 July | 5 July at day 2019-07-05
two years ago | two years ago at year 2018-01-01
13 months ago | 13 months ago at month 2019-05-01
three weeks ago | three weeks ago at week 2020-05-25
twenty years ago | twenty years ago at year 2000-01-01
a few years ago | a few years ago vague year -
several months ago | several months ago vague month -
in two years | in two years vague year 2022-01-01
two years from now | two years from now at year 2022-01-01
in recent years | in recent years vague year -
over the past three years | over the past three years vague year 2017-01-01
has worked there for three years | for three years since year 2017-01-01
in 2010 and left two years later | 2010 at year 2010-01-01; two years later at year 2012-01-01
in 2010, and the following year | 2010 at year 2010-01-01; the following year at year 2011-01-01
in 2010 and since then | 2010 at year 2010-01-01; since then since year 2010-01-01
two years later | two years later vague year -
in March 2010 and later that year | March 2010 at month 2010-03-01; that year at year 2010-01-01
on 5/3/2020 | -
on 13/05/2020 | -
until 2024-02-30 | 2024-02-30 until day -
on 31 April 2020 | 31 April 2020 at day -
I may go, he might march, she went to 1984 | -
the top 2000 customers paid 2019.50 | -
a second time, for a month or so, Monday's child | -
2020-01-02T03:04:05+02:00 | 2020-01-02T03:04:05+02:00 at instant 2020-01-02T01:04:05
2023年4月27日 | 2023年4月27日 at day 2023-04-27
二〇一九年三月 | 二〇一九年三月 at month 2019-03-01
自2019年以来 | 2019年 since year 2019-01-01
从2010年到2014年 | 2010年 since year 2010-01-01; 2014年 until year 2014-01-01
2019年3月至2020年5月 | 2019年3月 since month 2019-03-01; 2020年5月 until month 2020-05-01
2015年之前 | 2015年 vague year 2015-01-01
2019年初 | 2019年初 at year 2019-01-01
2019年底 | 2019年底 at year 2019-01-01
2020年第三季度 | 2020年第三季度 at quarter 2020-07-01
2018年上半年 | 2018年上半年 at year 2018-01-01
民国三十八年 | 民国三十八年 at year 1949-01-01
上世纪九十年代 | 九十年代 vague decade 1990-01-01
昨天 | 昨天 at day 2020-06-14
前天 | 前天 at day 2020-06-13
明天 | 明天 at day 2020-06-16
上周 | 上周 at week 2020-06-08
本周一 | 本周一 at day 2020-06-15
上周五 | 上周五 at day 2020-06-12
下周三 | 下周三 at day 2020-06-24
上个月 | 上个月 at month 2020-05-01
下个月 | 下个月 at month 2020-07-01
去年三月 | 去年三月 at month 2019-03-01
今年5月3日 | 今年5月3日 at day 2020-05-03
前年 | 前年 at year 2018-01-01
明年 | 明年 at year 2021-01-01
三年前 | 三年前 at year 2017-01-01
两个月前 | 两个月前 at month 2020-04-01
十天前 | 十天前 at day 2020-06-05
几年前 | 几年前 vague year -
2010年加入，两年后离开 | 2010年 at year 2010-01-01; 两年后 at year 2012-01-01
2010年加入，次年离开 | 2010年 at year 2010-01-01; 次年 at year 2011-01-01
3月5日 | 3月5日 at day 2020-03-05
农历五月初五 | 农历五月初五 vague day -
三个人，五月天乐队 | -
2019年13月 | 2019年13月 at day -
"""


@pytest.mark.parametrize("line", GOLD.strip().splitlines())
def test_expressions(line):
    text, _, expected = line.partition(" | ")
    found = find_times(text, REFERENCE)
    told = [
        f"{t.text} {t.role} {t.precision} {iso(t.instant)[: 19 if t.precision == 'instant' else 10] if t.instant else '-'}"
        for t in found
    ]
    assert told == ([] if expected == "-" else expected.split("; "))
    assert all(text[t.start : t.end] == t.text for t in found)


AGAIN = [line for line in GOLD.strip().splitlines() if ";" not in line and not line.endswith(" -")]


@pytest.mark.parametrize("line", [line for line in AGAIN if not re.search(r"\| (?:\d{4}年? vague|for )", line)])
def test_an_expression_means_the_same_when_it_is_read_again(line):
    """What is stored is read from the words again (`resolve.py`); what is vague is refused."""
    written, role, precision, day = line.partition(" | ")[2].rsplit(" ", 3)
    if role == "vague":
        with pytest.raises(TimeError):
            parse_time(written, REFERENCE)
    else:
        instant, precise = parse_time(written, REFERENCE)
        assert (precise, iso(instant)[: len(day)]) == (precision, day)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("March 2019 to May 2020", "since 2019-03-01; until 2020-05-01"), ("March 2019 – May 2020",
        "since 2019-03-01; until 2020-05-01"),
        ("in her 30s, in 2010", "at 2010-01-01"), ("from 2010 until today", "since 2010-01-01"), ("in 44 BC, in 1066 BC", ""),
        ("worked there for three years", ""), ("from 2010, for a week or so", "since 2010-01-01"), ("Mondays and Fridays",
        ""),
        ("since the end of 2018", "since 2019-01-01"), ("on Friday's show", ""), ("2019年中国", "at 2019-01-01"),
    ],
)  # fmt: skip
def test_what_stands_beside_a_time(text, expected):
    found = find_times(text, REFERENCE)
    assert "; ".join(f"{t.role} {iso(t.instant)[:10]}" for t in found if t.instant) == expected


def test_the_time_spoken_of_before_may_stand_in_another_sentence():
    found = find_times("Two years later she left.", REFERENCE, (datetime(2010, 3, 1, tzinfo=UTC), "month"))
    assert [(t.role, t.precision, t.instant) for t in found] == [("at", "year", datetime(2012, 1, 1, tzinfo=UTC))]


@pytest.mark.parametrize(
    "text", ["in " * 6000, "2019" * 6000, "一" * 12000, "a few " * 6000, "May " * 6000, "for three " * 4000]
)
def test_hostile_text_costs_as_much_as_its_length(text):
    def seconds(piece):
        started = time.process_time()
        find_times(piece, REFERENCE)
        return time.process_time() - started

    small = min(seconds(text[: len(text) // 8]) for _ in range(3))
    assert seconds(text) < 40 * max(small, 0.001)
