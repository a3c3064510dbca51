"""Stage 4 and 5: files, episodes and chats to the landing file, then to documents, chunks with offsets, and their nodes."""

from __future__ import annotations

import dagster as dg

from assets.stage import OWNERS, POOL, RETRY, clear_failures, count_rows, shown
from stratagraph.project import Project


@dg.asset(
    key=["landing", "documents"],
    group_name="sources",
    description="Every document set of the config as dlt landed it: one row per document, with its reference time.",
    owners=OWNERS,
    kinds={"dlt", "duckdb"},
    code_version="1",
    pool=POOL,
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
    pool=POOL,
)
def chunks(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
    """Update documents and chunks."""
    from stratagraph.documents.chunks import update_chunks

    with clear_failures():
        result = update_chunks(project)
        rows = count_rows(project, "chunks")
    return dg.MaterializeResult(metadata=shown(result, table="graph.chunks", rows=rows["chunks"]))


@dg.asset(
    key=["staging", "document_statements"],
    deps=[["graph", "chunks"]],
    group_name="statements",
    description="A node for every document, with title, date and language, so that documents are found and cited.",
    owners=OWNERS,
    kinds={"duckdb", "parquet"},
    code_version="1",
    pool=POOL,
)
def document_statements(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
    """Stage the documents that differ from what was committed."""
    from stratagraph.documents.stage import stage_documents

    with clear_failures():
        return dg.MaterializeResult(metadata=shown(stage_documents(project)))
