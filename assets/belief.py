"""Stage 8: staged statements to the log, identities, and the bitemporal nodes and edges."""

# No `from __future__ import annotations` here: Dagster reads the annotation of `context` as it is.

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.preview import graph_preview
from assets.stage import OWNERS, POOL, clear_failures, count_rows, shown
from stratagraph.project import Project

# The numbers of a commit, by the start of their names; the log shows all that belong to none of the others.
TOPICS = {"nodes": ("nodes_",), "edges": ("edges_", "inferred_", "conflicts_"), "identities": ("identities_",)}
UPSTREAM = [
    dg.AssetKey(["staging", "row_statements"]),
    dg.AssetKey(["staging", "document_statements"]),
    dg.AssetKey(["staging", "text_statements"]),
    dg.AssetKey(["graph", "ontology"]),
]
DESCRIPTIONS = {
    "statements": "The log: everything a source ever said, with both clocks. All belief is derived from it.",
    "identities": "Which canonical node each source's ref stands for, with the reason. Reversible.",
    "nodes": "Versions of entities: valid time and transaction time, no overlap, nothing left to coalesce.",
    "edges": "Versions of relations, asserted and inferred, with the same rules.",
}


@dg.multi_asset(
    name="belief",
    specs=[
        dg.AssetSpec(
            key=["graph", name],
            deps=UPSTREAM,
            group_name="belief",
            description=description,
            owners=OWNERS,
            kinds={"sql", "duckdb"},
            code_version="1",
        )
        for name, description in DESCRIPTIONS.items()
    ],
    pool=POOL,
)
def belief(context: dg.AssetExecutionContext, project: dg.ResourceParam[Project]) -> Iterator[dg.MaterializeResult]:
    """Commit every staged batch; one commit writes all four."""
    from stratagraph.temporal.run import commit_staged

    with clear_failures():
        result = commit_staged(project, run_id=context.run.run_id)
        rows = count_rows(project, *DESCRIPTIONS)
        preview = graph_preview(project, fresh=result.changed)
    for name in DESCRIPTIONS:
        metadata = of_topic(shown(result, table=f"graph.{name}", rows=rows[name]), name)
        if name in ("nodes", "edges"):
            metadata["preview"] = dg.MetadataValue.md(preview)
        yield dg.MaterializeResult(asset_key=["graph", name], metadata=metadata)


def of_topic(metadata: dict[str, Any], name: str) -> dict[str, Any]:
    """The metadata that belong on one asset's page."""
    others = tuple(start for topic, starts in TOPICS.items() if topic != name for start in starts)
    own = TOPICS.get(name)
    return {
        key: value
        for key, value in metadata.items()
        if "/" in key or key == "changed" or (key.startswith(own) if own else not key.startswith(others))
    }
