"""Jobs: one, which builds everything. Unchanged stages return at once, so running it is always cheap and always right."""

from __future__ import annotations

import dagster as dg

BUILD = dg.define_asset_job(
    "build",
    selection=dg.AssetSelection.all(),
    description="Sources and documents to a published snapshot. A second run on the same input writes nothing.",
)
