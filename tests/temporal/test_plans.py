"""No step of a commit compares every row with every other, and every compute step is a SELECT that other engines can run.

Both are looked at in the statements of real commits, on a store in which every step has something to do.
"""

from __future__ import annotations

import re

import duckdb
import pytest
from merges import merges
from portable import faults_of_query, slow_joins
from recorder import Explained, plan_of, record

from stratagraph.sqlfiles import load_sql, sql_names

READS = ("SELECT", "WITH", "FROM", "VALUES")
LAYERS = ("temporal", "identity", "integrity")


@pytest.fixture(scope="module")
def explained() -> list[Explained]:
    with pytest.MonkeyPatch.context() as patch:
        return record(patch, lambda: merges(people=100, size=500), rows=False).explained


def test_a_commit_joins_by_hash(explained: list[Explained]) -> None:
    slow = {step.file: slow_joins(step.plan) for step in explained}
    assert {file: joins for file, joins in slow.items() if joins} == {}


def test_compute_steps_are_plain_selects(explained: list[Explained]) -> None:
    faults = {step.file: faults_of_query(step.query) for step in explained if step.computes}
    assert {file: found for file, found in faults.items() if found} == {}


def test_every_query_of_belief_is_a_plain_select(explained: list[Explained]) -> None:
    """Those that the history does not reach as well; and a file that writes computes nothing."""
    computes = {step.file for step in explained if step.computes}
    writes = {step.file for step in explained if not step.computes}
    assert computes & writes == set()
    faults = {}
    for layer in LAYERS:
        for name in sql_names(layer):
            query = re.sub(r"\{\w+\}", "x", load_sql(layer, name))
            first = next(line for line in query.splitlines() if line and not line.startswith("--")).split()[0]
            if first in READS and f"{layer}/{name}" not in writes:
                faults[f"{layer}/{name}"] = faults_of_query(query)
    assert {file: found for file, found in faults.items() if found} == {}


def test_the_history_reaches_the_steps(explained: list[Explained]) -> None:
    """The plans looked at are those of nearly all files, or the tests above show little."""
    seen = {step.file for step in explained}
    prefixes = ("derive_", "diff_", "insert_", "delete_", "close_", "key_", "date_")
    unseen = {name for name in sql_names("temporal") if name.startswith(prefixes) and f"temporal/{name}" not in seen}
    assert unseen == set()


BAD = {
    "not one statement": "SELECT 1 AS a; SELECT 2 AS b",
    "not a SELECT": "CREATE TEMPORARY TABLE t AS SELECT 1 AS a",
    "rowid": "SELECT o.rowid AS place FROM o",
    "QUALIFY": "SELECT a FROM o QUALIFY row_number() OVER (ORDER BY a) = 1",
    "GROUP BY ALL": "SELECT a, count(*) AS n FROM o GROUP BY ALL",
    "ANTI JOIN": "SELECT a FROM o ANTI JOIN z ON o.a = z.a",
    "outer join on z.n = 1": "SELECT o.a FROM o LEFT JOIN z ON z.a = o.a AND z.n = 1",
}


@pytest.mark.parametrize("fault", BAD)
def test_a_query_that_others_cannot_run_is_noticed(fault: str) -> None:
    assert fault in faults_of_query(BAD[fault])


def test_a_delete_is_no_compute_step() -> None:
    assert faults_of_query("DELETE FROM o USING z WHERE o.a = z.a") == ["not a SELECT"]


SLOW = {
    "a condition on one side of an outer join": "SELECT o.a FROM o LEFT JOIN z ON z.a = o.a AND o.n = 1",
    "a condition on one side of an anti join": "SELECT o.a FROM o ANTI JOIN z ON z.a = o.a AND o.n > z.n AND o.n = 1",
    "ranges alone": "SELECT o.a FROM o JOIN z ON o.a < z.n AND z.a < o.n",
    "nothing in common": "SELECT o.a FROM o, z",
    "either of two": "SELECT o.a FROM o JOIN z ON o.a = z.a OR o.n = z.n",
}

FINE = (
    "SELECT o.a FROM o JOIN z ON o.a = z.a AND o.n < z.n",
    "WITH last AS (SELECT max(a) AS a FROM z) SELECT o.a FROM o CROSS JOIN last AS l WHERE o.n < l.a",
    "SELECT (SELECT count(*) FROM o) AS p, (SELECT count(*) FROM z) AS q",
)


@pytest.mark.parametrize("why", SLOW)
def test_a_slow_join_is_noticed(why: str) -> None:
    connection = duckdb.connect()
    for table in ("o", "z"):
        connection.execute(f"CREATE TABLE {table} AS SELECT range AS a, range % 7 AS n FROM range(10000)")
    assert slow_joins(plan_of(connection, SLOW[why], {})) != []
    for fine in FINE:
        assert slow_joins(plan_of(connection, fine, {})) == []
