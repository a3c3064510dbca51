"""What a store keeps of what was erased: tombstones, and the secret that they are made with.

A tombstone holds an id as a keyed hash, so the id can be recognised when it is said again and cannot be read or guessed. Here
staged input is held against them; making them is `erase.py`'s.
"""

from __future__ import annotations

import duckdb

from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.steps import Steps

LAYER = "erasure"


def prepare_tokens(connection: duckdb.DuckDBPyConnection) -> None:
    """Make `token_of` known on this connection. Outside of a transaction, as it changes the catalogue."""
    connection.execute(load_sql(LAYER, "create_token"))


def read_secret(connection: duckdb.DuckDBPyConnection) -> bytes | None:
    """The store's secret, None before the first erasure."""
    row = connection.execute(load_sql(LAYER, "select_secret")).fetchone()
    return bytes(row[0]) if row else None


def has_tombstones(connection: duckdb.DuckDBPyConnection, dataset: str) -> bool:
    """Whether anything of a dataset was ever erased: without, nothing needs to be held against tombstones."""
    row = connection.execute(load_sql(LAYER, "count_tombstones"), {"dataset": dataset}).fetchone()
    return bool(row and row[0])


def drop_erased(steps: Steps, dataset: str) -> int:
    """Drop what is erased from the step tables staged and staged_links; returns how many statements that were."""
    if not has_tombstones(steps.connection, dataset):
        return 0
    prepare_tokens(steps.connection)
    values = {"dataset": dataset, "secret": read_secret(steps.connection)}
    before = steps.count("staged")
    for name, file in (("staged", "select_unerased"), ("staged_links", "select_unerased_links")):
        steps.keep(f"{name}_before", LAYER, "select_all", staged=name)
        steps.keep(name, LAYER, file, values, staged=f"{name}_before")
    return before - steps.count("staged")
