"""A landing file of many tables: names of one domain, keys that all count from 1, columns that look like keys and are none."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb

from benchmarks.keyed.datasets import SCHEMA, Key
from stratagraph.sqlfiles import load_sql, qualified

_THINGS = (
    *("customer", "order", "product", "supplier", "invoice", "payment", "employee", "store", "region", "city", "country"),
    *("account", "contract", "project", "task", "ticket", "asset", "vendor", "shipment", "warehouse"),
)
_PARTS = (
    *("type", "status", "group", "item", "line", "note", "event", "log", "history", "detail", "plan", "rule", "price"),
    *("rate", "tax", "budget", "member", "role"),
)
_ATTRIBUTES = (
    "'name ' || (hash(range, 1) % 1000) AS name",
    "hash(range, 2) % 5 AS status",
    "hash(range, 3) % 100 AS quantity",
    "(hash(range, 4) % 10000) / 100.0 AS price",
    "TIMESTAMP '2020-01-01' + to_seconds((hash(range, 5) % 100000000)::BIGINT) AS created_at",
    "md5(range::VARCHAR) AS token",
    "'note ' || range AS note",
)


def build(path: Path, tables: int, columns: int, rows: int, seed: int = 1) -> tuple[duckdb.DuckDBPyConnection, list[Key]]:
    """The file, open, and its foreign keys: each table refers to up to four of those before it."""
    connection = duckdb.connect(str(path), config={"threads": 2})
    connection.execute(load_sql("sources", "create_macros"))
    connection.execute(f"CREATE SCHEMA {SCHEMA}")
    rng, keys, sizes = random.Random(seed), [], {}
    names = [name for thing in _THINGS for name in (thing, *(f"{thing}_{part}" for part in _PARTS))]
    names = [names[n] if n < len(names) else f"{names[n % len(names)]}_{'abcdefgh'[n // len(names)]}" for n in range(tables)]
    for number, name in enumerate(names):
        sizes[name] = rng.choice([rows // 20, rows // 4, rows]) + 7
        cells = [f"range + 1 AS {name}_id"]
        for parent in rng.sample(names[:number], min(number, 4)):
            cells.append(f"(hash(range, '{parent}{name}') % {sizes[parent]})::BIGINT + 1 AS {parent}_id")
            keys.append((name, (f"{parent}_id",), parent, (f"{parent}_id",)))
        cells += _ATTRIBUTES
        while len(cells) < columns:
            cells.append(f"hash(range, {len(cells)}) % {rng.choice([2, 50, 5000, 10**9])} AS attribute_{len(cells)}")
        query = f"SELECT {', '.join(cells[:columns])} FROM range({sizes[name]})"
        connection.execute(f"CREATE TABLE {qualified(SCHEMA, name)} AS {query}")
    return connection, keys
