"""Stage 10: communities of the current graph, and a report on each."""

from __future__ import annotations

import dagster as dg

from assets.preview import communities_preview
from assets.stage import OWNERS, POOL, clear_failures, count_rows, shown
from stratagraph.project import Project


@dg.asset(
    key=["graph", "communities"],
    deps=[["graph", "nodes"], ["graph", "edges"], ["graph", "identity_candidates"]],
    group_name="communities",
    description="Hierarchical Leiden communities with members and reports; an unchanged community keeps its id.",
    owners=OWNERS,
    kinds={"igraph", "duckdb"},
    code_version="1",
    pool=POOL,
)
def communities(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
    """Update communities and reports."""
    from stratagraph.communities.run import update_communities

    with clear_failures():
        result = update_communities(project)
        rows = count_rows(project, "communities")
        preview = communities_preview(project, fresh=result.changed)
    metadata = shown(result, table="graph.communities", rows=rows["communities"])
    return dg.MaterializeResult(metadata=metadata | {"preview": dg.MetadataValue.md(preview)})
