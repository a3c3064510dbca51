"""Jobs: `build` makes everything, and `maintain` rewrites the warehouse in order.

Unchanged stages return at once, so running `build` is always cheap and always right.
"""

from __future__ import annotations

import dagster as dg

from assets.sources import PARTITIONED
from assets.stage import POOL, clear_failures
from stratagraph.project import Project
from stratagraph.temporal.maintain import rewrite_warehouse

BUILD = dg.define_asset_job(
    "build",
    selection=dg.AssetSelection.all()
    - dg.AssetSelection.tag(PARTITIONED, "versions")
    - dg.AssetSelection.tag(PARTITIONED, "buckets"),
    description="Sources and documents to a published snapshot. A second run on the same input writes nothing.",
)


@dg.op(pool=POOL, description="Rewrite warehouse.duckdb, clustered by key; no query gives another result.")
def rewrite(project: dg.ResourceParam[Project]) -> dg.Output[None]:
    """Give back the space of deleted rows, and put together what is looked for together."""
    with clear_failures():
        result = rewrite_warehouse(project)
    return dg.Output(None, metadata=dict(result.metadata()))


@dg.job(description="Rewrites the warehouse in order. Started by hand; safe to interrupt at any moment.")
def maintain() -> None:
    """Maintenance of the warehouse."""
    rewrite()
