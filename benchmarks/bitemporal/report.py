"""What was measured, as lines with a figure, a ratio, a target and whether it is met; for people, for files, for machines."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Line:
    """One figure of the run.

    Args:
        name: what it is.
        figure: the measured quantity in words, with its unit.
        ratio: what is compared with the target, if anything is.
        target: the greatest ratio (or quantity) that meets the target.
        unit: of the ratio: 'x' for a true ratio.
    """

    name: str
    figure: str
    ratio: float | None = None
    target: float | None = None
    unit: str = "x"

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.target is None:
            return None
        return self.ratio is not None and self.ratio <= self.target

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """As text: name, figure, ratio, target, met."""
        ratio = "" if self.ratio is None else _number(self.ratio, self.unit)
        target = "" if self.target is None else f"≤ {_number(self.target, self.unit)}"
        return self.name, self.figure, ratio, target, {True: "met", False: "not met", None: ""}[self.met]


HEADER = ("measured", "figure", "ratio", "target", "")


def as_table(lines: list[Line]) -> str:
    """A table in columns, for a terminal."""
    rows = [HEADER, *(line.cells for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def as_markdown(lines: list[Line]) -> str:
    """The same as a Markdown table."""
    rows = [HEADER, ("---",) * len(HEADER), *(line.cells for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def as_records(lines: list[Line]) -> list[dict[str, object]]:
    """The same for JSON."""
    return [asdict(line) | {"met": line.met} for line in lines]


def _number(value: float, unit: str) -> str:
    text = f"{value:.2f}" if value < 100 else f"{value:,.0f}"
    return f"{text} {unit}"
