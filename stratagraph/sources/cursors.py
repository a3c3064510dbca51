"""How far incremental tables were loaded, and from where the next load asks for their rows.

The place is kept in the landing file (`stratagraph.cursors`), not in dlt's state: it moves with the transaction that brought
the rows, and a lag that is taken off for one run never moves it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import duckdb

from stratagraph.config.sources import TableLoad
from stratagraph.errors import ConfigError
from stratagraph.project import Project
from stratagraph.sources.catalog import LandedColumn, has_catalog
from stratagraph.sources.landing import landing_columns, replace_cursors
from stratagraph.sources.read.reader import Since
from stratagraph.sqlfiles import load_sql, qualified, quote_identifier

LAYER = "sources"
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def read_since(project: Project, source: str, loads: Mapping[str, TableLoad]) -> Since:
    """Where each incremental table was left off, less its lag."""
    wanted = {table: load for table, load in loads.items() if load.mode == "incremental"}
    if not wanted or not project.landing.exists():
        return Since()
    cursors: dict[str, tuple[str, Any]] = {}
    with project.landing_connection() as connection:
        if not has_catalog(connection):
            return Since()
        for table, load in wanted.items():
            last = _last(connection, source, table, load.cursor)
            if last is not None and load.cursor is not None:
                where = f"sources.{source}.load.{table}.lag"
                cursors[table] = (load.cursor, _less_lag(_typed(connection, *last), load.lag, where))
    return Since(cursors)


def update_cursors(connection: duckdb.DuckDBPyConnection, source: str, dataset: str, columns: Sequence[LandedColumn]) -> None:
    """Note how far a load came. `columns`: the cursors of its tables; what a load does not show stays where it was."""
    landed = landing_columns(connection, dataset)
    places = []
    for column in columns:
        kind = landed.get(column.landing_table, {}).get(column.landing_column)
        last = _last(connection, source, column.table, column.name)
        place = _further(connection, last, _greatest(connection, dataset, column, kind) if kind else None)
        if place is not None:
            value, of_type = place
            places.append({"table_name": column.table, "column_name": column.name, "value": value, "type": of_type})
    replace_cursors(connection, source, places)


def _last(connection: duckdb.DuckDBPyConnection, source: str, table: str, column: str | None) -> tuple[str, str] | None:
    """Value and DuckDB type."""
    parameters = {"source": source, "table": table, "column": column}
    return connection.execute(load_sql(LAYER, "select_last_cursor"), parameters).fetchone()


def _greatest(connection: duckdb.DuckDBPyConnection, dataset: str, column: LandedColumn, kind: str) -> tuple[str, str] | None:
    names = {
        "table": qualified(dataset, column.landing_table), "column": quote_identifier(column.landing_column)
    }  # fmt: skip
    query = "select_encoded_cursor" if column.encoded else "select_cursor"
    row = connection.execute(load_sql(LAYER, query, **names)).fetchone()
    if row is None or row[0] is None:
        return None
    return row[0], row[1] if column.encoded else kind


def _further(
    connection: duckdb.DuckDBPyConnection, last: tuple[str, str] | None, now: tuple[str, str] | None
) -> tuple[str, str] | None:
    """The greater of two places; the new one if the type of the cursor changed."""
    if last is None or now is None or last[1] != now[1]:
        return now or last
    row = connection.execute(load_sql(LAYER, "select_greater", type=now[1]), {"one": last[0], "other": now[0]}).fetchone()
    assert row is not None
    return row[0], now[1]


def _typed(connection: duckdb.DuckDBPyConnection, value: str, kind: str) -> Any:
    row = connection.execute(load_sql(LAYER, "select_typed", type=kind), {"value": value}).fetchone()
    assert row is not None
    return row[0]


def _less_lag(value: Any, lag: str, where: str) -> Any:
    """The value that late rows may still have: times go back by the lag; text does where it is an ISO 8601 time."""
    back = timedelta(**{_UNITS[lag[-1]]: int(lag[:-1])})
    if not back:
        return value
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError as error:
            raise ConfigError(f"the cursor {value!r} is no time, so it has no lag", where=where) from error
        # As it is written in the column, since text is compared as text.
        return (moment - back).isoformat(sep=value[10] if len(value) > 10 else "T")[: max(len(value), 10)]
    try:
        return value - back
    except TypeError as error:
        raise ConfigError(f"the cursor {value!r} is no time, so it has no lag", where=where) from error
