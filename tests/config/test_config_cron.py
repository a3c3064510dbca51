"""Our cron check agrees with the scheduler that will run it."""

from __future__ import annotations

import pytest
from dagster._utils.schedules import is_valid_cron_string

from stratagraph.config.cron import check_cron, check_zone

EXPRESSIONS = [
    "0 3 * * *", "*/15 * * * *", "0 0-6/2 * * 1-5", "0 0 1 jan *", "0 0 * * MON,fri", "5,10 4 1,15 */2 0", "0 0 * * 7",
    "@daily", "@hourly", "@weekly", "0 0 29 2 *", "59 23 31 12 6",
    "", "0 3 * *", "0 3 * * * *", "60 0 * * *", "0 24 * * *", "0 0 0 * *", "0 0 32 * *", "0 0 * 13 *", "0 0 * * 8", "a * * * *",
    "*/0 * * * *", "0 0 30 2 *", "@fortnightly", "1--2 * * * *", "-1 * * * *", "1,,2 * * * *", "* * * * foo", "1/ * * * *",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_agrees_with_the_scheduler(expression: str) -> None:
    try:
        check_cron(expression)
        ours = True
    except ValueError:
        ours = False
    assert ours == is_valid_cron_string(expression)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"])
def test_known_zones_pass(zone: str) -> None:
    assert check_zone(zone) == zone


@pytest.mark.parametrize("zone", ["", "Europe", "Mars/Base", "/etc/passwd", "../../etc/passwd", "Europe/Berlin\x00", "+02:00"])
def test_anything_else_is_refused(zone: str) -> None:
    with pytest.raises(ValueError, match="is no IANA time zone"):
        check_zone(zone)
