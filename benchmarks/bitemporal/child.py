"""Runs one probe in a process of its own, so that its memory is its own and nothing is warm that would not be.

`python -m benchmarks.bitemporal.child` reads a request (probe name and arguments) as JSON on its input and answers with JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class ProbeError(RuntimeError):
    """A probe ended without a result; the text says why."""


def run(probe: str, arguments: dict[str, Any], *, timeout: float | None = None, python: str = sys.executable) -> dict[str, Any]:
    """What the probe measured.

    Args:
        probe: `<module of benchmarks.bitemporal>.<function>`.
        arguments: its arguments, as JSON can carry them.
        timeout: seconds after which it is ended.
        python: the interpreter.
    """
    request = json.dumps({"probe": probe, "arguments": arguments})
    command = [python, "-W", "ignore", "-m", "benchmarks.bitemporal.child"]
    try:
        ended = subprocess.run(command, input=request, capture_output=True, text=True, cwd=ROOT, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as error:
        raise ProbeError(f"not finished after {timeout:.0f} s") from error
    if ended.returncode != 0:
        raise ProbeError((ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"])[-1])
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def peak_memory() -> int:
    """The most memory this process held, in bytes. Not ru_maxrss, which on Linux remembers the parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Answer the request on the standard input."""
    import importlib

    request = json.load(sys.stdin)
    module, _, name = request["probe"].partition(".")
    function: Callable[..., dict[str, Any]] = getattr(importlib.import_module(f"benchmarks.bitemporal.{module}"), name)
    answer = function(**request["arguments"])
    print(json.dumps(answer | {"peak_memory": peak_memory()}))


if __name__ == "__main__":
    main()
