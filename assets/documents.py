"""Stage 4 and 5: files, episodes and chats to the landing file, then to documents and chunks with offsets."""

from __future__ import annotations

import dagster as dg

from assets.stage import LANDING_POOL, OWNERS, RETRY, WAREHOUSE_POOL, clear_failures, count_rows, shown
from stratagraph.project import Project


@dg.asset(
    key=["landing", "documents"],
    group_name="sources",
    description="Every document set of the config as dlt landed it: one row per document, with its reference time.",
    owners=OWNERS,
    kinds={"dlt", "duckdb"},
    code_version="1",
    pool=LANDING_POOL,
    retry_policy=RETRY,
)
def documents(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
    """Load the document sets."""
    from stratagraph.documents.load import load_documents

    with clear_failures():
        return dg.MaterializeResult(metadata=shown(load_documents(project)))


@dg.asset(
    key=["graph", "chunks"],
    deps=[["landing", "documents"]],
    group_name="documents",
    description="Documents cut into chunks with offsets; a changed or removed document is closed, not deleted.",
    owners=OWNERS,
    kinds={"python", "duckdb"},
    code_version="1",
    pool=WAREHOUSE_POOL,
)
def chunks(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
    """Update documents and chunks."""
    from stratagraph.documents.chunks import update_chunks

    with clear_failures():
        result = update_chunks(project)
        rows = count_rows(project, "chunks")
    return dg.MaterializeResult(metadata=shown(result, table="graph.chunks", rows=rows["chunks"]))
