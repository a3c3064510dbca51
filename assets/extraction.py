"""Stage 7: chunks to statements, each grounded in a quote and constrained by the ontology."""

from __future__ import annotations

import dagster as dg

from assets.stage import OWNERS, POOL, RETRY, clear_failures, shown
from stratagraph.project import Project


@dg.asset(
    key=["staging", "text_statements"],
    deps=[["graph", "chunks"], ["graph", "ontology"], ["staging", "row_statements"]],
    group_name="statements",
    description="What the texts say, as statements with their quotes; what is not grounded or not allowed is quarantined.",
    owners=OWNERS,
    kinds={"ai", "parquet"},
    code_version="1",
    pool=POOL,
    retry_policy=RETRY,
)
def text_statements(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
    """Extract statements from chunks that are new or changed."""
    from stratagraph.extraction.run import extract

    with clear_failures():
        return dg.MaterializeResult(metadata=shown(extract(project)))
