"""Stage 9: nodes that may be one thing, found among those that changed, decided and merged."""

# No `from __future__ import annotations` here: Dagster reads the annotation of `context` as it is.

import dagster as dg

from assets.stage import OWNERS, POOL, RETRY, clear_failures, count_rows, shown
from stratagraph.project import Project

KEY = dg.AssetKey(["graph", "identity_candidates"])
WAITING = "candidates_wait"


@dg.asset(
    key=KEY,
    deps=[["graph", "statements"], ["graph", "identities"], ["graph", "nodes"], ["graph", "edges"]],
    group_name="belief",
    description="Pairs of nodes that may be one thing, with evidence and decision; what is decided to be one is merged.",
    owners=OWNERS,
    kinds={"sql", "duckdb"},
    code_version="1",
    pool=POOL,
    retry_policy=RETRY,
    check_specs=[dg.AssetCheckSpec(WAITING, asset=KEY, description="No candidate waits for a person's decision.")],
)
def identity_candidates(context: dg.AssetExecutionContext, project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
    """Compare what changed, and decide."""
    from stratagraph.identity.candidates import find_candidates

    with clear_failures():
        result = find_candidates(project, run_id=context.run.run_id)
        rows = count_rows(project, "identity_candidates")
    waiting = dg.AssetCheckResult(
        check_name=WAITING, passed=result.open == 0, severity=dg.AssetCheckSeverity.WARN,
        metadata={"open": result.open, "decide": "stratagraph identity candidates"},
    )  # fmt: skip
    metadata = shown(result, table="graph.identity_candidates", rows=rows["identity_candidates"])
    return dg.MaterializeResult(metadata=metadata, check_results=[waiting])
