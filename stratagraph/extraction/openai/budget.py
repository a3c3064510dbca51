"""What a run may spend, in tokens, money and time, and what it has spent.

A request is counted in before it is sent, at the most it may cost, so that several at once never pass a ceiling together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition

from stratagraph.config.model import ExtractionConfig, PricesConfig
from stratagraph.extraction.protocol import EngineUnavailableError

_BYTES_PER_TOKEN = 3  # a cautious guess, for the ceilings only, where the endpoint has not counted yet


def tokens_of(text: str) -> int:
    """About how many tokens a text has; rather too many."""
    return len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN + 1


@dataclass
class Spent:
    """Tokens of one request, or of all."""

    prompt: int = 0
    completion: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion

    def cost(self, prices: PricesConfig) -> float:
        """In the currency of the prices."""
        return (self.prompt * prices.input + self.completion * prices.output) / 1_000_000

    def add(self, other: Spent, sign: int = 1) -> None:
        self.prompt += sign * other.prompt
        self.completion += sign * other.completion


class Budget:
    """The ceilings of one run, whose time begins now.

    Args:
        clock: in seconds.
    """

    def __init__(self, config: ExtractionConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self._config, self._clock = config, clock
        self._started = clock()
        self._changed = Condition()
        self._reserved = Spent()
        self.spent = Spent()

    @property
    def seconds_left(self) -> float:
        most = self._config.max_seconds_per_run
        return float("inf") if most is None else self._started + most - self._clock()

    @property
    def cost(self) -> float | None:
        """What was spent so far; None without prices."""
        return self.spent.cost(self._config.prices) if self._config.prices else None

    @contextmanager
    def reserved(self, most: Spent) -> Iterator[Spent]:
        """Keep room for the most a request may spend; what it did spend is written into what this gives.

        If there is no room because of other requests under way, these are waited for: most spend less than they may.

        Raises:
            EngineUnavailableError: a ceiling is reached.
        """
        with self._changed:
            while reached := self.reached(most):
                if not self._reserved.tokens:
                    raise EngineUnavailableError(reached, stops=True)
                self._changed.wait()
            self._reserved.add(most)
        used = Spent()
        try:
            yield used
        finally:
            with self._changed:
                self._reserved.add(most, -1)
                self.spent.add(used)
                self._changed.notify_all()

    def check_time(self, wait: float = 0.0) -> None:
        """Raises EngineUnavailableError when the time is over, or would be after a wait of so many seconds."""
        if self.seconds_left <= wait:
            raise EngineUnavailableError(
                f"the ceiling of {self._config.max_seconds_per_run:,.0f} seconds per run is reached; "
                "raise extraction.max_seconds_per_run, or run again",
                stops=True,
            )

    def reached(self, more: Spent) -> str | None:
        """Which ceiling so much more would pass, in words, or None."""
        self.check_time()
        after = Spent(self.spent.prompt, self.spent.completion)
        after.add(self._reserved)
        after.add(more)
        config = self._config
        if after.tokens > config.max_tokens_per_run:
            return (
                f"the ceiling of {config.max_tokens_per_run:,} tokens per run is reached ({self.spent.tokens:,} used, and the "
                f"next request may need {more.tokens:,}); raise extraction.max_tokens_per_run, or run again"
            )
        prices, most = config.prices, config.max_cost_per_run
        if prices and most is not None and after.cost(prices) > most:
            return (
                f"the ceiling of {most:g} in money per run is reached ({self.spent.cost(prices):.4f} spent, and the next "
                f"request may cost {more.cost(prices):.4f}); raise extraction.max_cost_per_run, or run again"
            )
        return None
