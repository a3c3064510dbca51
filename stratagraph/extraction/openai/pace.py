"""When requests may be sent: how many at once, and how long to wait, as the endpoint's headers and refusals say.

One `Pace` is shared by all threads of a run, so that a refusal to one of them slows all. It knows no request and no answer.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from threading import Condition

_FIRST_WAIT, _LONGEST_BACKOFF = 0.5, 30.0
LONGEST_WAIT = 120.0  # limits are by the minute; one that is by the day is no reason to sit here

_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_SECONDS = (86_400.0, 3600.0, 60.0, 1.0, 0.001)


class WaitTooLongError(Exception):
    """The endpoint wants a longer wait than this run gives it.

    Args:
        seconds: how long the wait would be.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"the endpoint asks to wait {seconds:,.0f} s")


@dataclass
class _Window:
    """What is left of a limit until it starts anew."""

    left: int
    ends: float


class Pace:
    """Turns for requests.

    Args:
        most: requests under way at once, 1 or more. After a refusal it is half of that, and then one more again for each
            round of requests that went well.
        longest_wait: seconds that may be waited now; asked before each wait.
        clock, sleep: in seconds.
        seed: of the jitter.
    """

    def __init__(
        self, most: int, longest_wait: Callable[[], float] = lambda: LONGEST_WAIT, *,
        clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep, seed: int = 0,
    ) -> None:  # fmt: skip
        self._most, self._longest_wait, self._clock, self._sleep = most, longest_wait, clock, sleep
        self._random = random.Random(seed)
        self._changed = Condition()
        self._at_once = float(most)
        self._under_way = 0
        self._not_before = 0.0
        self._windows: dict[str, _Window] = {}
        self.waited = 0.0

    @contextmanager
    def turn(self, tokens: int) -> Iterator[None]:
        """Wait until a request of so many tokens may be sent; it is under way inside of the block.

        Raises:
            WaitTooLongError: it could not be sent soon enough.
        """
        with self._changed:
            while self._under_way >= int(self._at_once):
                self._changed.wait()
            self._under_way += 1
        try:
            while (seconds := self._take(tokens)) > 0:
                self._wait(seconds)
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def went_well(self, headers: Mapping[str, str]) -> None:
        """A request was answered; headers, lower case, say what is left."""
        with self._changed:
            self._at_once = min(float(self._most), self._at_once + 1 / self._at_once)
            self._note(headers)
            self._changed.notify_all()

    def was_refused(self, attempt: int, headers: Mapping[str, str]) -> None:
        """The endpoint is busy: nobody sends before it said, or before a backoff where it does not say."""
        with self._changed:
            self._at_once = max(1.0, self._at_once / 2)
            self._note(headers)
            asked = retry_after(headers)
            pause = self._backoff(attempt) if asked is None else asked
            self._not_before = max(self._not_before, self._clock() + pause)

    def back_off(self, attempt: int) -> None:
        """Wait after a fault that is no sign of load, before the same request is sent again; the others go on."""
        with self._changed:
            pause = self._backoff(attempt)
        self._wait(pause)

    def _take(self, tokens: int) -> float:
        """Take a request off what is left; or how long to wait for that, in seconds."""
        with self._changed:
            now = self._clock()
            self._windows = {name: window for name, window in self._windows.items() if window.ends > now}
            needs = {"requests": 1, "tokens": tokens}
            short = [window.ends for name, window in self._windows.items() if window.left < needs[name]]
            pause = max([self._not_before, *short]) - now
            if pause <= 0:
                for name, window in self._windows.items():
                    window.left -= needs[name]
            return pause

    def _wait(self, seconds: float) -> None:
        if seconds > self._longest_wait():
            raise WaitTooLongError(seconds)
        self._sleep(seconds)
        with self._changed:
            self.waited += seconds

    def _backoff(self, attempt: int) -> float:
        """Exponential, with full jitter."""
        return self._random.uniform(0, min(_LONGEST_BACKOFF, _FIRST_WAIT * 2**attempt))

    def _note(self, headers: Mapping[str, str]) -> None:
        for name in ("requests", "tokens"):
            left, resets = headers.get(f"x-ratelimit-remaining-{name}", ""), headers.get(f"x-ratelimit-reset-{name}", "")
            seconds = duration(resets)
            if left.isdigit() and seconds is not None:
                self._windows[name] = _Window(int(left), self._clock() + seconds)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that an endpoint asks to wait, if it does. A date is compared with the response's own date."""
    milliseconds = headers.get("retry-after-ms", "")
    if re.fullmatch(r"\d+(\.\d+)?", milliseconds):
        return float(milliseconds) / 1000
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    until, now = _date(value), _date(headers.get("date", ""))
    return max(0.0, (until - now).total_seconds()) if until and now else None


def duration(text: str) -> float | None:
    """Seconds in a duration as rate limit headers write it.

    >>> duration("6m0s"), duration("120ms"), duration("1h2m3.5s"), duration("7.5"), duration("soon")
    (360.0, 0.12, 3723.5, 7.5, None)
    """
    text = text.strip().lower()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    match = _DURATION.fullmatch(text)
    if not text or not match:
        return None
    return sum(float(part) * seconds for part, seconds in zip(match.groups(), _SECONDS, strict=True) if part)


def _date(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text) if text else None
    except (TypeError, ValueError):
        return None
