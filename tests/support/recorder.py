"""Watches commits at work: what every compute step reads and gives, and the plan of every statement.

A test runs its commits under `record`; they run as they always do, with `Steps` watched.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from portable import Operator
from sqlglot import exp

from stratagraph.sqlfiles import load_sql, quote_identifier
from stratagraph.temporal import commit as commit_module
from stratagraph.temporal.steps import Steps

# Types that other engines do not know, and the one that carries the same values there.
CARRIERS = {"HUGEINT": "BIGINT", "UHUGEINT": "BIGINT", "UBIGINT": "BIGINT", "JSON": "VARCHAR"}


@dataclass(frozen=True)
class Step:
    """One compute step as it was run, with the rows of its inputs by the name that the query reads."""

    commit: int
    name: str
    file: str
    query: str
    parameters: dict[str, Any]
    inputs: dict[str, pa.Table]
    output: pa.Table


@dataclass(frozen=True)
class Explained:
    """The plan of one statement; it computes something or writes to the store."""

    computes: bool
    file: str
    query: str
    plan: list[Operator]


@dataclass
class Recording:
    """What the commits did, in order: steps where rows were asked for, else plans; and the tables that writes read."""

    commits: int = 0
    steps: list[Step] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    explained: list[Explained] = field(default_factory=list)


def record(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object], *, rows: bool) -> Recording:
    """Run `work` with every commit in it watched: for the rows that steps read and give, or for the plans."""
    recording = Recording()

    class Watched(Steps):
        def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
            super().__init__(connection)
            self._seen: dict[str, pa.Table] = {}
            recording.commits += 1

        def keep(self, name: str, layer: str, file: str, parameters: Any = None, **inputs: str) -> None:
            query, values = _query(layer, file, inputs), dict(parameters or {})
            if not rows:
                self._explain(True, f"{layer}/{file}", query, values)
                super().keep(name, layer, file, parameters, **inputs)
                return
            read = {table: self._rows(table) for table in tables_of(query)}
            super().keep(name, layer, file, parameters, **inputs)
            self._seen.pop(name, None)
            recording.steps.append(Step(recording.commits, name, f"{layer}/{file}", query, values, read, self._rows(name)))

        def apply(self, layer: str, file: str, parameters: Any = None, **inputs: str) -> None:
            query = _query(layer, file, inputs)
            if not rows:
                self._explain(False, f"{layer}/{file}", query, dict(parameters or {}))
            recording.written |= tables_of(query)
            super().apply(layer, file, parameters, **inputs)
            self._seen = {table: seen for table, seen in self._seen.items() if not table.startswith("graph.")}

        def row(self, layer: str, file: str, parameters: Any = None) -> dict[str, object]:
            if not rows:
                self._explain(True, f"{layer}/{file}", _query(layer, file, {}), dict(parameters or {}))
            return super().row(layer, file, parameters)

        def _explain(self, computes: bool, file: str, query: str, values: dict[str, Any]) -> None:
            recording.explained.append(Explained(computes, file, query, plan_of(self.connection, query, values)))

        def _rows(self, table: str) -> pa.Table:
            """The rows of a table or a registered input; what was not written since is not read again."""
            if table not in self._seen or table.endswith("_input"):
                self._seen[table] = carried(self.connection, table)
            return self._seen[table]

    with monkeypatch.context() as patch:
        patch.setattr(commit_module, "Steps", Watched)
        work()
    return recording


def plan_of(connection: duckdb.DuckDBPyConnection, query: str, parameters: dict[str, Any]) -> list[Operator]:
    """The physical plans of the statements of a file."""
    plans: list[Operator] = []
    for statement in connection.extract_statements(query):
        values = {name: parameters[name] for name in statement.named_parameters}
        for _, plan in connection.execute(f"EXPLAIN (FORMAT json) {statement.query}", values).fetchall():
            plans += json.loads(plan)
    return plans


def tables_of(query: str) -> set[str]:
    """The tables that a file names, without its own CTEs."""
    trees = [tree for tree in sqlglot.parse(query, read="duckdb") if tree]
    own = {cte.alias for tree in trees for cte in tree.find_all(exp.CTE)}
    tables = [table for tree in trees for table in tree.find_all(exp.Table)]
    read = {".".join(part for part in (table.db, table.name) if part) for table in tables}
    return {name for name in read if name and name not in own}


def carried(connection: duckdb.DuckDBPyConnection, table: str) -> pa.Table:
    """The rows of a table, in types that another engine can read."""
    described = connection.execute(f"DESCRIBE FROM {table}").fetchall()
    columns = ", ".join(
        f"CAST({quote_identifier(name)} AS {CARRIERS.get(kind, kind)}) AS {quote_identifier(name)}"
        for name, kind, *_ in described
    )
    return connection.execute(f"SELECT {columns} FROM {table}").to_arrow_table()


def _query(layer: str, file: str, inputs: dict[str, str]) -> str:
    return load_sql(layer, file, **{key: quote_identifier(value) for key, value in inputs.items()})
