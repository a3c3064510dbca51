"""How sure a foreign key is: a product of factors, each of which is evidence that a person can check.

confidence = what the names say × what the values say × what speaks against it. From CERTAIN on a key is used unasked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from stratagraph.sources.keys.inference.names import NameMatch

CERTAIN = 0.85
LISTED = 0.3  # less is not worth a person's time

# How often a name of this kind is right, where the target's own name fits its table, and its values are all found.
_NAMES = {
    "same": 0.97,
    "table": 0.97,
    "role": 0.95,
    "self": 0.9,
    "named": 0.75,
    "short": 0.75,
    "suffixed": 0.75,
    "parts": 0.9,
    "values": 0.35,
}
_TELLING = 0.17  # added to a name that alone is not enough, where the values are telling


@dataclass(frozen=True)
class Measure:
    """How a foreign key holds, as counted in all rows.

    Args:
        rows: rows that have a value.
        found: rows whose value is found.
        values: different values.
        values_found: different values that are found.
        targets: different values there are to refer to.
        least, greatest: of what is referred to, where it is numbers.
        low, high: of what refers, where it is numbers.
    """

    rows: int
    found: int
    values: int
    values_found: int
    targets: int
    least: float | None = None
    greatest: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def coverage(self) -> float | None:
        return self.found / self.rows if self.rows else None


@dataclass
class Score:
    """The factors of a confidence, in the order in which they were found."""

    factors: dict[str, float] = field(default_factory=dict)

    def times(self, reason: str, factor: float) -> None:
        if factor != 1.0:
            self.factors[reason] = round(factor, 4)

    @property
    def confidence(self) -> float:
        product = 1.0
        for factor in self.factors.values():
            product *= factor
        return round(product, 4)


def name_factor(match: NameMatch, identifier: bool, telling: bool, text: bool, identity: bool) -> float:
    """What the names say.

    Args:
        identifier: the target is called an identifier, such as `city_id` or `city_name`.
        telling: the values could hardly be found by chance; text: they are text.
        identity: the target stands first in its table, or is declared to tell its rows apart.
    """
    base = _NAMES[match.kind]
    if not identifier:
        base = min(base, 0.75)
        return base + _TELLING if telling and identity else base
    if match.kind in ("named", "short", "suffixed", "values"):
        return base + _TELLING if telling else base
    if match.owner >= 0.6 or match.kind == "self":
        return base
    # The target is called after something else than its table, as in university(school_id): it must be a key all the more.
    return 0.75 if not identity else 0.9 if telling else 0.88 if text else 0.8


def is_telling(measure: Measure, numbers: bool, length: float) -> bool:
    """Whether values that don't belong together would hardly all be found.

    Text keys are telling when there are some. Small numbers are found in every column that counts from 1: they are telling
    only if they leave gaps where the target does, or if they reach as far as the target does.
    """
    if measure.values < 3:
        return False
    if not numbers or measure.least is None or measure.greatest is None or measure.low is None or measure.high is None:
        return length >= 2
    span = measure.greatest - measure.least + 1
    if measure.targets / span < 0.5:
        return True
    reach = (measure.high - measure.least + 1) / span
    return (measure.values >= 20 and reach >= 0.5) or (measure.targets >= 10 and measure.values >= 0.9 * measure.targets)


def coverage_factor(coverage: float | None) -> float:
    """Rows without their target count double; without rows the names stand alone."""
    return 0.93 if coverage is None else max(0.0, 1 - 2 * (1 - coverage))
