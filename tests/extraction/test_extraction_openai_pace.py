"""When requests may be sent: by the headers of endpoints as they are, with a clock that only waiting moves."""

from __future__ import annotations

import pytest

from stratagraph.extraction.openai.pace import Pace, WaitTooLongError, duration, retry_after


class Time:
    def __init__(self) -> None:
        self.now, self.slept = 1000.0, list[float]()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds


def pace_of(most: int = 4, **more) -> tuple[Pace, Time]:
    clock = Time()
    return Pace(most, clock=clock, sleep=clock.sleep, **more), clock


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1), ("6m0s", 360), ("20ms", 0.02), ("1h2m3.5s", 3723.5), ("2m59.56s", 179.56), ("1d", 86400), ("7.66s", 7.66),
        ("0", 0), ("59.7", 59.7), ("", None), ("soon", None), ("-1s", None), ("2030-01-01T00:00:00Z", None), ("nan", None),
    ],
)  # fmt: skip
def test_durations_of_headers(text, seconds):
    assert duration(text) == (None if seconds is None else pytest.approx(seconds))


NOW = "Wed, 21 Oct 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "30"}, 30),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "30", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:45 GMT", "date": NOW}, 45),
        ({"retry-after": "Wed, 21 Oct 2026 07:27:00 GMT", "date": NOW}, 0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:45 GMT"}, None),  # nobody knows what time it is there
        ({"retry-after": "soon", "date": NOW}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_how_long_an_endpoint_asks_to_wait(headers, seconds):
    assert retry_after(headers) == seconds


def go(pace: Pace, tokens: int = 1) -> None:
    with pace.turn(tokens):
        pass


def test_what_is_left_is_used_up_before_anybody_waits():
    pace, clock = pace_of()
    pace.went_well({"x-ratelimit-remaining-requests": "2", "x-ratelimit-reset-requests": "10s"})
    for _ in range(4):
        go(pace)
    assert clock.slept == [10.0]


def test_tokens_that_are_left_are_counted_by_the_size_of_requests():
    pace, clock = pace_of()
    pace.went_well({"x-ratelimit-remaining-tokens": "2500", "x-ratelimit-reset-tokens": "6s"})
    go(pace, 2000)
    assert clock.slept == []
    go(pace, 2000)
    assert clock.slept == [6.0]
    pace.went_well({"x-ratelimit-remaining-tokens": "100", "x-ratelimit-reset-tokens": "6s"})
    go(pace, 1_000_000)  # more than any window has: it waits for one, and not for ever
    assert clock.slept == [6.0, 6.0]


def test_a_refusal_is_for_all_and_the_longest_wait_counts():
    pace, clock = pace_of()
    pace.was_refused(0, {"retry-after": "5"})
    pace.was_refused(0, {"retry-after": "3"})
    go(pace)
    go(pace)
    assert clock.slept == [5.0]
    assert pace.waited == 5.0


def test_backoff_grows_has_jitter_and_a_bound_and_is_the_same_for_a_seed():
    waits = []
    for seed in (0, 0, 1):
        pace, clock = pace_of(seed=seed)
        for attempt in range(12):
            pace.back_off(attempt)
        waits.append(clock.slept)
    assert waits[0] == waits[1] != waits[2]
    assert all(0 <= wait <= min(30, 0.5 * 2**attempt) for attempt, wait in enumerate(waits[0]))
    assert max(waits[0]) > 5
    pace, clock = pace_of()
    pace.was_refused(3, {})
    go(pace)
    assert 0 < clock.slept[0] <= 4


@pytest.mark.parametrize("headers", [
    {"retry-after": "3600"},
    {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "23h"},
])  # fmt: skip
def test_a_wait_that_is_too_long_is_said_at_once(headers):
    pace, clock = pace_of()
    pace.was_refused(0, headers)
    if "retry-after" not in headers:
        clock.now += 1
    with pytest.raises(WaitTooLongError, match="asks to wait"):
        go(pace)
    assert clock.slept == []


def test_fewer_at_once_after_a_refusal_and_more_again_as_it_goes_well():
    pace, _ = pace_of(8)

    def at_once() -> int:
        return int(pace._at_once)

    pace.was_refused(0, {"retry-after": "0"})
    assert at_once() == 4
    pace.was_refused(0, {"retry-after": "0"})
    pace.was_refused(0, {"retry-after": "0"})
    pace.was_refused(0, {"retry-after": "0"})
    assert at_once() == 1
    for _ in range(60):
        pace.went_well({})
    assert at_once() == 8


def test_headers_that_make_no_sense_are_no_limit():
    pace, clock = pace_of()
    for left, resets in [("0", "later"), ("-1", "1s"), ("many", "1s"), ("", "")]:
        pace.went_well({"x-ratelimit-remaining-requests": left, "x-ratelimit-reset-requests": resets})
        go(pace)
    assert clock.slept == []
