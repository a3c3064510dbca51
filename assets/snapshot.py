"""Stage 10 and 11: the search index, and the snapshot that agents read."""

from __future__ import annotations

import dagster as dg

from assets.stage import OWNERS, POOL, clear_failures, shown
from stratagraph.project import Project


@dg.asset(
    key=["publish", "search_index"],
    deps=[["graph", "chunks"], ["graph", "nodes"], ["graph", "edges"], ["graph", "communities"]],
    group_name="publish",
    description="Lexical index (tantivy) and vectors (wordllama) over chunks, facts, nodes and communities.",
    owners=OWNERS,
    kinds={"tantivy", "numpy"},
    code_version="1",
    pool=POOL,
)
def search_index(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
    """Build the index of the present content, unless it is there."""
    from stratagraph.search.build import build_index

    with clear_failures():
        return dg.MaterializeResult(metadata=shown(build_index(project)))


@dg.asset(
    key=["publish", "snapshot"],
    deps=[
        ["publish", "search_index"],
        ["graph", "statements"],
        ["graph", "identities"],
        ["graph", "foreign_keys"],
        ["graph", "ontology"],
    ],
    group_name="publish",
    description="An immutable snapshot: Parquet tables, a DuckDB file, the index and a manifest, published atomically.",
    owners=OWNERS,
    kinds={"parquet", "duckdb"},
    code_version="1",
    pool=POOL,
)
def snapshot(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
    """Publish the present content, unless it is published."""
    from stratagraph.snapshot.publish import publish

    with clear_failures():
        return dg.MaterializeResult(metadata=shown(publish(project)))
