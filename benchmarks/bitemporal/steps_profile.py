"""Where the time of a commit goes: wraps the calls of `Steps` and notes what each took and how many rows it kept or wrote."""

from __future__ import annotations

import functools
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb

import stratagraph.temporal.commit as commit_module
from stratagraph.temporal.steps import Steps

Transaction = Callable[[duckdb.DuckDBPyConnection], AbstractContextManager[None]]
WATCHED = ("keep", "apply", "row", "count", "drop")


@dataclass
class Step:
    """One call of `Steps`: a file of sql/, kept as a table or applied to the store."""

    call: str
    name: str
    wall: float
    cpu: float
    rows: int | None


def cpu_seconds() -> float:
    """Of this process, all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def profiled() -> Iterator[list[Step]]:
    """The steps of every commit in the block, in order."""
    steps: list[Step] = []
    originals = {name: getattr(Steps, name) for name in WATCHED if hasattr(Steps, name)}
    transaction = commit_module.transaction
    for name, original in originals.items():
        setattr(Steps, name, _watch(name, original, steps))
    commit_module.transaction = _watch_transaction(transaction, steps)
    try:
        yield steps
    finally:
        for name, original in originals.items():
            setattr(Steps, name, original)
        commit_module.transaction = transaction


def _watch(call: str, original: Callable[..., Any], steps: list[Step]) -> Callable[..., Any]:
    @functools.wraps(original)
    def watched(self: Steps, *arguments: Any, **named: Any) -> Any:
        wall, cpu = time.perf_counter(), cpu_seconds()
        result = original(self, *arguments, **named)
        texts = [argument for argument in arguments if isinstance(argument, str)]
        step = Step(
            call,
            " ".join([*texts, *named.values()] if call == "keep" else texts),
            time.perf_counter() - wall,
            cpu_seconds() - cpu,
            None,
        )
        if call == "keep":
            step.rows = _count(self, texts[0])
        steps.append(step)
        return result

    return watched


def _watch_transaction(original: Transaction, steps: list[Step]) -> Transaction:
    """Notes what COMMIT takes: it writes the log of the file, and DuckDB checkpoints there when much was written."""

    @contextmanager
    def watched(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        with original(connection):
            yield
            wall, cpu = time.perf_counter(), cpu_seconds()
        steps.append(Step("transaction", "COMMIT", time.perf_counter() - wall, cpu_seconds() - cpu, None))

    return watched


def _count(steps: Steps, table: str) -> int | None:
    found = steps.connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
    return int(found[0]) if found else None


def render(steps: list[Step], total_wall: float, total_cpu: float) -> str:
    """The steps by time, those below a hundredth of the whole in one line."""
    lines = [f"{'wall s':>8} {'cpu s':>8} {'share':>6} {'rows':>11}  step"]
    shown = sorted((step for step in steps if step.wall >= total_wall / 100), key=lambda step: -step.wall)
    for step in shown:
        rows = f"{step.rows:,}" if step.rows is not None else ""
        lines.append(f"{step.wall:8.2f} {step.cpu:8.2f} {step.wall / total_wall:6.1%} {rows:>11}  {step.call} {step.name}")
    small = [step for step in steps if step.wall < total_wall / 100]
    for label, wall, cpu in (
        (f"{len(small)} smaller steps", sum(step.wall for step in small), sum(step.cpu for step in small)),
        ("outside the steps", total_wall - sum(step.wall for step in steps), total_cpu - sum(step.cpu for step in steps)),
        ("whole commit", total_wall, total_cpu),
    ):
        lines.append(f"{wall:8.2f} {cpu:8.2f} {wall / total_wall:6.1%} {'':>11}  {label}")
    return "\n".join(lines)
