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
from stratagraph.sqlfiles import data_path, load_sql

COMPARES_ALL = r"NESTED_LOOP|BLOCKWISE_NL|CROSS_PRODUCT|PIECEWISE|IE_JOIN"
QUERIES = {
    "nodes_now": "FROM {name}",
    "edges_now": "FROM {name}",
    "nodes_as_of": "FROM {name}('1970-01-01', '2013-03-16 14:50:00+00')",
    "node_at": f"FROM {{name}}('{node_iri('ada')}', DATE '2021-01-01', now())",
    "edges_as_of": "FROM {name}(DATE '2021-01-01', now())",
    "history_of": f"FROM {{name}}('{node_iri('ada')}')",
    "changes_between": "FROM {name}('2013-03-16 14:50:00+00', '2013-03-16 16:00:00+00')",
    "timeline_of": f"FROM {{name}}('{node_iri('ada')}', '{EX}worksFor')",
    "neighbors_of": f"FROM {{name}}('{node_iri('ada')}', 2, '2023-01-01', now())",
    "evidence_of": f"FROM {{name}}('{node_iri('ada')}')",
    "node_spans": "FROM {name}(now())",
    "edges_within_ends": "FROM {name}(now())",
    "edges_labelled": f"FROM {{name}} WHERE subject = '{node_iri('ada')}'",
    "diff_between": "FROM {name}('2020-01-01', '2013-03-16 14:50:00+00', '2021-01-01', now())",
    "holds_at": "SELECT {name}(DATE '2020-01-01', 'infinity'::TIMESTAMPTZ, '2021-01-01')",
    "overlap": "SELECT {name}(DATE '2020-01-01', DATE '2021-01-01', DATE '2020-06-01', 'infinity'::TIMESTAMPTZ)",
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
    assert not re.search(COMPARES_ALL, plan), plan


# What the reader itself asks of a snapshot, with the parameters it gives.
POINT = {"valid_at": "2023-01-01", "known_at": "2026-01-02"}
READER = {
    "select_citations": {"ordinals": "1,2", "known_at": None, "limit": 5},
    "select_communities": {"level": None, "limit": 3},
    "select_evidence": {"id": node_iri("ada")},
    "select_facets": {"id": node_iri("ada"), **POINT},
    "select_history": {"id": node_iri("ada")},
    "select_neighbors": {"id": node_iri("ada"), "hops": 2, "limit": 5, **POINT},
    "select_node_id": {"id": node_iri("ada"), "known_at": None},
    "select_refs": {"id": node_iri("ada"), "known_at": None},
    "select_report_citations": {"ordinals": "1"},
    "select_units": {"ordinals": "1,2"},
}


@pytest.mark.parametrize("name", READER)
def test_no_plan_of_the_reader_compares_all_with_all(files: dict[str, Path], name: str) -> None:
    with duckdb.connect(str(files["snapshot"]), read_only=True) as connection:
        query = "\n".join(line for line in load_sql("snapshot", name).splitlines() if not line.startswith("--"))
        ((_, plan),) = connection.execute(f"EXPLAIN {query}", READER[name]).fetchall()
    assert not re.search(COMPARES_ALL, plan), plan
