"""What a store keeps of what was erased: tombstones, and the secret that they are made with.

A tombstone holds an id as a keyed hash, so the id can be recognised when it is said again and cannot be read or guessed. Here
staged input is held against them; making them is `erase.py`'s.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import duckdb

from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql, quote_identifier
from stratagraph.temporal.steps import Steps

if TYPE_CHECKING:
    import pyarrow

LAYER = "erasure"


@dataclass(frozen=True)
class Tombstones:
    """The tombstones of a dataset, where ids pass by one at a time."""

    secret: bytes = b""
    tokens: frozenset[tuple[str, bytes]] = field(default_factory=frozenset)

    def hold(self, kind: str, id: str) -> bool:
        """Whether an id is erased."""
        return bool(self.tokens) and (kind, token_of(self.secret, kind, id)) in self.tokens


def token_of(secret: bytes, kind: str, id: str) -> bytes:
    """The same as `sql/erasure/create_token.sql`."""
    key = secret.hex().upper()
    inner = hashlib.sha256(f"{key}/inner/{kind}/{id}".encode()).hexdigest()
    return hashlib.sha256(f"{key}/outer/{inner}".encode()).digest()


def read_tombstones(connection: duckdb.DuckDBPyConnection, dataset: str) -> Tombstones:
    """All tombstones of a dataset."""
    secret = read_secret(connection)
    if secret is None:
        return Tombstones()
    rows = connection.execute(load_sql(LAYER, "select_tombstones"), {"dataset": dataset}).fetchall()
    return Tombstones(secret, frozenset((str(kind), bytes(token)) for kind, token in rows))


def prepare_tokens(connection: duckdb.DuckDBPyConnection) -> None:
    """Make `token_of` known on this connection. Outside of a transaction, as it changes the catalogue."""
    connection.execute(load_sql(LAYER, "create_token"))


def read_secret(connection: duckdb.DuckDBPyConnection) -> bytes | None:
    """The store's secret, None before the first erasure."""
    try:
        rows = connection.execute(load_sql(LAYER, "select_secret")).fetchall()
    except duckdb.CatalogException:  # the file was made, and the schema not yet
        return None
    return bytes(rows[0][0]) if rows else None


def erased_in(project: Project) -> Tombstones:
    """The tombstones of a project's dataset."""
    if not project.warehouse.exists():
        return Tombstones()
    with project.read() as connection:
        return read_tombstones(connection, project.config.dataset)


def has_tombstones(connection: duckdb.DuckDBPyConnection, dataset: str) -> bool:
    """Whether anything of a dataset was ever erased: without, nothing needs to be held against tombstones."""
    return bool(connection.execute(load_sql(LAYER, "count_tombstones"), {"dataset": dataset}).fetchall()[0][0])


def drop_erased(steps: Steps, dataset: str, name: str, file: str, **columns: str) -> int:
    """Drop what is erased from a step table, by a query of this layer; returns how many rows that were."""
    if not has_tombstones(steps.connection, dataset):
        return 0
    before = steps.count(name)
    if not before:
        return 0
    prepare_tokens(steps.connection)
    steps.keep(f"{name}_before", LAYER, "select_all", staged=name)
    values = {"dataset": dataset, "secret": read_secret(steps.connection)}
    steps.keep(name, LAYER, file, values, staged=f"{name}_before", **columns)
    steps.drop(f"{name}_before")
    return before - steps.count(name)


def unerased(
    connection: duckdb.DuckDBPyConnection, dataset: str, rows: pyarrow.Table, *, kind: str, column: str
) -> pyarrow.Table:
    """The rows of a table whose id in a column is not erased."""
    if not has_tombstones(connection, dataset):
        return rows
    prepare_tokens(connection)
    connection.register("passing_rows", rows)
    query = load_sql(LAYER, "select_unerased_rows", rows=quote_identifier("passing_rows"), column=quote_identifier(column))
    values = {"dataset": dataset, "secret": read_secret(connection), "kind": kind}
    kept = connection.execute(query, values).to_arrow_table()
    connection.unregister("passing_rows")
    return kept


def delete_found(connection: duckdb.DuckDBPyConnection, dataset: str, columns: dict[str, tuple[str, ...]]) -> None:
    """Delete what extraction found of erased entities; `columns`: its tables, and which of their columns hold refs."""
    if not has_tombstones(connection, dataset):
        return
    prepare_tokens(connection)
    values = {"dataset": dataset, "secret": read_secret(connection)}
    for table, names in columns.items():
        for name in names:
            statement = load_sql(LAYER, "delete_found", table=quote_identifier(table), column=quote_identifier(name))
            connection.execute(statement, values)
