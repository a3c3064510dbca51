"""How well what is wanted was found: precision, recall and F1 of counts."""

from __future__ import annotations


class Found:
    """For a class that counts what was `wanted`, what was `found`, and how much of that was `right`."""

    wanted: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.found + self.wanted) if self.found + self.wanted else 1.0
