"""The outcome of one check."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal


@dataclass(frozen=True)
class Check:
    """One line of the doctor's report.

    Args:
        name: what was looked at.
        status: ok; warn: works, but someone should know; fail: a build or a search will not work.
        message: what was found. Never a secret.
        hint: what to do; empty when all is well.
    """

    name: str
    status: Literal["ok", "warn", "fail"]
    message: str
    hint: str = ""

    def as_dict(self) -> dict[str, str]:
        return asdict(self)
