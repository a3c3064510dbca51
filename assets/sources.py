"""Stage 1 to 3: sources to the landing file, foreign keys between its tables, rows to statements.

dlt runs inside the library's load functions; docs/decisions/0002-dlt-inside-the-library.md says why not dagster-dlt.
"""

from __future__ import annotations

import dagster as dg

from assets.stage import OWNERS, POOL, RETRY, clear_failures, count_rows, shown
from stratagraph.config import Config
from stratagraph.project import Project


def build_source_assets(config: Config) -> list[dg.AssetsDefinition]:
    """One landing asset per configured source, then the assets that read all of them."""
    landing = [_landing_asset(name, source.type) for name, source in sorted(config.sources.items())]
    landed = [asset.key for asset in landing]
    return [*landing, _foreign_keys(landed), _row_statements(landed)]


def _landing_asset(name: str, kind: str) -> dg.AssetsDefinition:
    @dg.asset(
        key=["landing", name],
        group_name="sources",
        description=f"The source `{name}` ({kind}) as dlt landed it, one table per table or record type.",
        owners=OWNERS,
        kinds={"dlt", "duckdb"},
        code_version="1",
        pool=POOL,
        retry_policy=RETRY,
    )
    def landing(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
        from stratagraph.sources.load import load_source

        with clear_failures():
            return dg.MaterializeResult(metadata=shown(load_source(project, name)))

    return landing


def _foreign_keys(landed: list[dg.AssetKey]) -> dg.AssetsDefinition:
    @dg.asset(
        key=["graph", "foreign_keys"],
        deps=landed,
        group_name="sources",
        description="Relationships between landing tables, as the source databases declare them.",
        owners=OWNERS,
        kinds={"python", "duckdb"},
        code_version="1",
        pool=POOL,
        retry_policy=RETRY,
    )
    def foreign_keys(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
        from stratagraph.sources.keys import update_foreign_keys

        with clear_failures():
            result = update_foreign_keys(project)
            rows = count_rows(project, "foreign_keys")
        return dg.MaterializeResult(metadata=shown(result, table="graph.foreign_keys", rows=rows["foreign_keys"]))

    return foreign_keys


def _row_statements(landed: list[dg.AssetKey]) -> dg.AssetsDefinition:
    @dg.asset(
        key=["staging", "row_statements"],
        deps=[*landed, ["graph", "foreign_keys"], ["graph", "ontology"]],
        group_name="statements",
        description="What the rows and recorded versions say, as statements: the Direct Mapping with the config's names.",
        owners=OWNERS,
        kinds={"duckdb", "parquet"},
        code_version="1",
        pool=POOL,
    )
    def row_statements(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
        from stratagraph.sources.rows import stage_rows

        with clear_failures():
            return dg.MaterializeResult(metadata=shown(stage_rows(project)))

    return row_statements
