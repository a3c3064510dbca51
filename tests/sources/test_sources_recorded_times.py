"""How a time is read from text: ISO 8601 or a pattern, with an offset or in a zone, and what a closed end includes."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from stratagraph.sqlfiles import load_sql


@pytest.fixture(scope="module", params=["UTC", "Asia/Tokyo"])
def macros(request: pytest.FixtureRequest) -> Iterator[duckdb.DuckDBPyConnection]:
    """The zone of the session must not matter."""
    with duckdb.connect() as connection:
        connection.execute(f"SET TimeZone = '{request.param}'")
        connection.execute(load_sql("sources", "create_macros"))
        yield connection


def utc(connection: duckdb.DuckDBPyConnection, expression: str, **values: object) -> str | None:
    """An expression over x, the text, as an instant in UTC."""
    query = f"SELECT CAST(timezone('UTC', {expression}) AS VARCHAR) FROM (VALUES ($text)) AS t(x)"
    row = connection.execute(query, values).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize(
    ("text", "zone", "pattern", "instant"),
    [
        ("2021-06-01", "Europe/Berlin", None, "2021-05-31 22:00:00"),
        ("2021-06-01T12:00Z", "Europe/Berlin", None, "2021-06-01 12:00:00"),
        ("20210601", "UTC", None, None),
        ("20210601", "Europe/Berlin", "%Y%m%d", "2021-05-31 22:00:00"),
        (" 20210601 ", "UTC", "%Y%m%d", "2021-06-01 00:00:00"),
        ("2021-06-01", "UTC", "%Y%m%d", None),
        ("2014", "UTC", "%Y", "2014-01-01 00:00:00"),
        ("20210601+0200", "UTC", "%Y%m%d%z", "2021-05-31 22:00:00"),
        ("1.2.2021 7:05 PM", "America/New_York", "%d.%m.%Y %I:%M %p", "2021-02-02 00:05:00"),
        ("", "UTC", "%Y", None),
        ("2021-02-29", "UTC", None, None),
        (None, "UTC", "%Y", None),
    ],
)
def test_an_instant_is_read_by_its_pattern(
    macros: duckdb.DuckDBPyConnection, text: str | None, zone: str, pattern: str | None, instant: str | None
) -> None:
    values = {"text": text, "zone": zone, "pattern": pattern}
    assert utc(macros, "instant_of(x, $zone, $pattern)", **values) == instant
    assert utc(macros, "end_of(x, $zone, $pattern, false)", **values) == instant


@pytest.mark.parametrize(
    ("text", "zone", "pattern", "end"),
    [
        ("2021-06-01", "UTC", None, "2021-06-02 00:00:00"),
        ("2021-06-01", "Europe/Berlin", None, "2021-06-01 22:00:00"),
        ("2024-03-30", "Europe/Berlin", None, "2024-03-30 23:00:00"),
        ("2024-03-31", "Europe/Berlin", None, "2024-03-31 22:00:00"),  # a day of 23 hours
        ("2021-12-31 00:00:00", "UTC", None, "2022-01-01 00:00:00"),  # a date in a column of times
        ("2021-12-31T00:00:00+02:00", "UTC", None, "2021-12-31 22:00:00"),
        ("2021-12-31 23:59:59", "UTC", None, "2022-01-01 00:00:00"),
        ("2021-12-31T23:59:59.997", "UTC", None, "2021-12-31 23:59:59.998"),
        ("2021-12-31T23:59+0200", "UTC", None, "2021-12-31 22:00:00"),
        ("20240229", "UTC", "%Y%m%d", "2024-03-01 00:00:00"),
        ("2021-12", "Europe/Berlin", "%Y-%m", "2021-12-31 23:00:00"),
        ("2021", "UTC", "%Y", "2022-01-01 00:00:00"),
        ("31.12.2021 23:59", "UTC", "%d.%m.%Y %H:%M", "2022-01-01 00:00:00"),
        ("2021123123+0200", "UTC", "%Y%m%d%H%z", "2021-12-31 22:00:00"),
        ("infinity", "Europe/Berlin", None, "infinity"),
        ("294247-01-10 04:00:54", "UTC", None, None),  # the day after the last one
        ("June", "UTC", None, None),
        (None, "UTC", None, None),
    ],
)
def test_a_closed_end_includes_what_it_names(
    macros: duckdb.DuckDBPyConnection, text: str | None, zone: str, pattern: str | None, end: str | None
) -> None:
    assert utc(macros, "end_of(x, $zone, $pattern, true)", text=text, zone=zone, pattern=pattern) == end
