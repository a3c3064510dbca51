"""The SQL interface: every view and macro, from any client, under any name, without joins that compare all with all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from small_graph import EX, node_iri

from stratagraph.project import Project
from stratagraph.snapshot.layout import find_snapshot
from stratagraph.sqlfiles import data_path

QUERIES = {
    "nodes_now": "FROM {name}",
    "edges_now": "FROM {name}",
    "nodes_as_of": "FROM {name}('1970-01-01', '2013-03-16 14:50:00+00')",
    "edges_as_of": "FROM {name}(DATE '2021-01-01', now())",
    "history_of": f"FROM {{name}}('{node_iri('ada')}')",
    "changes_between": "FROM {name}('2013-03-16 14:50:00+00', '2013-03-16 16:00:00+00')",
    "timeline_of": f"FROM {{name}}('{node_iri('ada')}', '{EX}worksFor')",
    "neighbors_of": f"FROM {{name}}('{node_iri('ada')}', 2, '2023-01-01', now())",
    "evidence_of": f"FROM {{name}}('{node_iri('ada')}')",
}


@pytest.fixture(scope="module")
def files(published: Project) -> dict[str, Path]:
    return {"snapshot": find_snapshot(published.snapshots) / "snapshot.duckdb", "warehouse": published.warehouse}


@pytest.fixture(params=["snapshot", "warehouse", "another name"])
def client(request: pytest.FixtureRequest, files: dict[str, Path]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A client that has opened one of the files, or attached the snapshot beside a database of its own."""
    beside = request.param == "another name"
    with duckdb.connect(":memory:" if beside else str(files[request.param]), read_only=not beside) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        if beside:
            connection.execute(f"ATTACH '{files['snapshot']}' AS memories (READ_ONLY)")
            connection.execute("USE memories")
        yield connection


def test_every_view_and_macro_is_tried() -> None:
    text = data_path("sql", "schema", "create_shortcuts.sql").read_text(encoding="utf-8")
    assert set(re.findall(r"CREATE OR REPLACE (?:VIEW|MACRO) (\w+)", text)) == set(QUERIES)


@pytest.mark.parametrize("name", QUERIES)
def test_it_answers_with_and_without_the_schema(client: duckdb.DuckDBPyConnection, name: str) -> None:
    rows = client.execute(QUERIES[name].format(name=name)).fetchall()
    assert rows
    assert sorted(map(repr, client.execute(QUERIES[name].format(name=f"graph.{name}")).fetchall())) == sorted(map(repr, rows))


@pytest.mark.parametrize("name", QUERIES)
def test_no_plan_compares_all_with_all(client: duckdb.DuckDBPyConnection, name: str) -> None:
    ((_, plan),) = client.execute("EXPLAIN " + QUERIES[name].format(name=name)).fetchall()
    assert not re.search(r"NESTED_LOOP|BLOCKWISE_NL|CROSS_PRODUCT|PIECEWISE|IE_JOIN", plan), plan
