"""Stage 1 to 3: sources to the landing file, foreign keys between its tables, rows to statements.

dlt runs inside the library's load functions; docs/decisions/0002-dlt-inside-the-library.md says why not dagster-dlt. The
tables of a source are assets as well, as its last load found them; no source is opened to define them.
"""

# No `from __future__ import annotations` here: Dagster reads the annotation of `context` as it is.

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import dagster as dg

from assets.partitions import unknown_versions, versions_partitions
from assets.stage import OWNERS, POOL, RETRY, clear_failures, count_rows, shown
from stratagraph.config import Config
from stratagraph.config.sources import FileSource, RecordedSource, Source, SqlSource
from stratagraph.errors import CommitRefusedError
from stratagraph.project import Project
from stratagraph.sources.state import SourceState, TableState, VersionState, read_states
from stratagraph.sqlfiles import load_sql

GROUP = "sources"
# On assets with partitions of their own: the job `build` has none, and leaves them out.
PARTITIONED = "stratagraph/partitioned"
GUARD = "guard"
GUARD_DESCRIPTION = "The last load was not refused for losing too much, and neither was a version that it found."
SHOWN_KEYS = 500


def build_source_assets(config: Config, known: Mapping[str, SourceState]) -> list[dg.AssetsDefinition]:
    """One landing asset per configured source, with its tables as far as they are known; then what reads all of them."""
    sources = sorted(config.sources.items())
    landing = [_landing_assets(name, source, known.get(name)) for name, source in sources]
    versions = [_versions_asset(name, source) for name, source in sources if isinstance(source, RecordedSource)]
    landed = [source_key(name) for name, _ in sources]
    return [*landing, *versions, _foreign_keys(landed), _row_statements(landed)]


def source_key(source: str) -> dg.AssetKey:
    return dg.AssetKey(["landing", source])


def table_key(source: str, table: TableState) -> dg.AssetKey:
    """By the name that the table has in the landing file, which is plain."""
    return dg.AssetKey(["landing", source, table.landed_as.rpartition(".")[2]])


def versions_key(source: str) -> dg.AssetKey:
    return dg.AssetKey(["landing", source, "versions"])


def kind_of(source: Source) -> str:
    """What Dagster shows as the kind of a source: the database, the format of its files, or how it is fetched."""
    if isinstance(source, SqlSource):
        return source.url.partition(":")[0].partition("+")[0].lower()
    if isinstance(source, RecordedSource) and source.git is not None:
        return "git"
    if isinstance(source, (FileSource, RecordedSource)):
        suffix = PurePath(source.path or "").suffix.removeprefix(".").lower()
        return source.format or (suffix if suffix.isalnum() else "file")
    return source.type


def _landing_assets(name: str, source: Source, known: SourceState | None) -> dg.AssetsDefinition:
    key, kind = source_key(name), kind_of(source)
    tables = {table_key(name, table): table for table in known.tables} if known else {}
    common = {"group_name": GROUP, "owners": OWNERS, "kinds": {"dlt", "duckdb", kind}, "code_version": "1"}

    @dg.multi_asset(
        name=f"landing__{name}",
        specs=[
            *(_table_spec(table_key, table, common) for table_key, table in tables.items()),
            dg.AssetSpec(
                key,
                deps=[*tables],
                description=f"The source `{name}` ({source.type}) as dlt landed it, one table per table or record type.",
                **common,
            ),
        ],
        check_specs=[dg.AssetCheckSpec(GUARD, asset=key, description=GUARD_DESCRIPTION)],
        pool=POOL,
        retry_policy=RETRY,
    )
    def landing(
        context: dg.AssetExecutionContext, project: dg.ResourceParam[Project]
    ) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        from stratagraph.sources.load import load_source

        with clear_failures():
            try:
                result = load_source(project, name)
            except CommitRefusedError as error:
                yield _guarded(key, refused=str(error))
                raise
            state = read_states(project)[name]
        new = []
        for table in state.tables:
            metadata = {**_definition_metadata(table), **_table_metadata(table), "changed": result.changed}
            if (at := table_key(name, table)) in tables:
                yield dg.MaterializeResult(at, metadata=metadata)
            else:
                context.log_event(dg.AssetMaterialization(at, metadata=metadata))
                new.append(at.to_user_string())
        _note_versions(context, name, state.versions, changed=result.changed)
        yield dg.MaterializeResult(key, metadata=shown(result, rows=state.rows) | _source_metadata(state, new))
        yield _guarded(key, versions=state.versions)

    return landing


def _table_spec(key: dg.AssetKey, table: TableState, common: Mapping[str, Any]) -> dg.AssetSpec:
    nested = "." in table.name
    what = f"The lists `{table.name}` of records" if nested else f"The table `{table.name}`"
    return dg.AssetSpec(
        key, skippable=True, description=f"{what}, as the last load found it.", metadata=_definition_metadata(table), **common
    )


def _definition_metadata(table: TableState) -> dict[str, Any]:
    """What is known of a table without its rows."""
    return {
        "dagster/column_schema": _schema(table),
        "dagster/table_name": table.landed_as,
        "dagster/storage_kind": "duckdb",
    }


def _table_metadata(table: TableState) -> dict[str, Any]:
    return {} if table.rows is None else {"dagster/row_count": table.rows}


def _schema(table: TableState) -> dg.TableSchema:
    """Columns with types and keys, as Dagster shows them; keys of several columns stand with the table."""
    primary = {name for key in table.keys if key.kind == "primary" for name in key.columns}
    alone = {key.columns[0] for key in table.keys if len(key.columns) == 1}
    references: dict[str, list[str]] = {}
    for reference in table.references:
        for column in reference.columns:
            references.setdefault(column, []).append(f"{reference} ({reference.origin})")
    together = [f"{key.kind} key ({', '.join(key.columns)})" for key in table.keys if len(key.columns) > 1]
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                name=column.name,
                type=column.type or "unknown",
                description="; ".join(references.get(column.name, [])) or None,
                constraints=dg.TableColumnConstraints(
                    nullable=column.name not in primary,
                    unique=column.name in alone,
                    other=["primary key"] if column.name in primary else [],
                ),
            )
            for column in table.columns
        ],
        constraints=dg.TableConstraints(other=[*together, *(f"foreign key {reference}" for reference in table.references)]),
    )


def _source_metadata(state: SourceState, new: Sequence[str]) -> dict[str, Any]:
    references = [
        f"`{table.name}` {reference} ({reference.origin})" for table in state.tables for reference in table.references
    ]
    rows = [f"| {table.name} | {'' if table.rows is None else table.rows} | {len(table.columns)} |" for table in state.tables]
    metadata: dict[str, Any] = {
        "table_list": dg.MetadataValue.md("\n".join(["| table | rows | columns |", "|---|---:|---:|", *rows])),
        "foreign_keys": dg.MetadataValue.md("\n".join(f"- {reference}" for reference in references) or "none"),
    }
    if new:
        metadata["new_tables"] = f"{', '.join(new)}: assets once the code location is reloaded"
    return metadata


def _guarded(key: dg.AssetKey, *, refused: str = "", versions: Sequence[VersionState] = ()) -> dg.AssetCheckResult:
    """What the guard said. A refused load is an error; a refused version is history that does not count."""
    kept_out = {version.name: version.detail or "" for version in versions if not version.counts}
    return dg.AssetCheckResult(
        asset_key=key,
        check_name=GUARD,
        passed=not refused and not kept_out,
        severity=dg.AssetCheckSeverity.ERROR if refused else dg.AssetCheckSeverity.WARN,
        metadata={"refused": refused or "no", "refused_versions": dg.MetadataValue.json(kept_out)},
    )


def _note_versions(context: dg.AssetExecutionContext, source: str, versions: Sequence[VersionState], *, changed: bool) -> None:
    """Show each version that was loaded and counts as a partition; those that were shown are not shown again."""
    names = unknown_versions(context.instance, source, (version.name for version in versions))
    context.instance.add_dynamic_partitions(f"{source}_versions", names) if names else None
    key = versions_key(source)
    done = context.instance.get_materialized_partitions(key) if versions else set()
    for version in versions:
        if version.counts and version.name not in done:
            metadata = {"dagster/partition_row_count": version.rows, "changed": changed}
            context.log_event(dg.AssetMaterialization(key, partition=version.name, metadata=metadata))


def _versions_asset(name: str, source: RecordedSource) -> dg.AssetsDefinition:
    """Nothing depends on it and it depends on nothing: else Dagster would warn of whichever of both is not there yet."""

    def versions(context: dg.AssetExecutionContext, project: dg.ResourceParam[Project]) -> None:
        from stratagraph.sources.load import load_until
        from stratagraph.sources.recorded.load import recorded_versions

        wanted = set(context.partition_keys)
        with clear_failures():
            present = [version.name for version in recorded_versions(project, name) if version.name in wanted]
            if not present:
                raise dg.Failure(f"there is no version {', '.join(sorted(wanted))} any more", allow_retries=False)
            result = load_until(project, name, present[-1])
        loaded = read_states(project)[name].versions
        refused = [f"{version.name}: {version.detail}" for version in loaded if version.name in wanted and not version.counts]
        if refused:
            raise dg.Failure(f"refused by the guard: {'; '.join(refused)}", allow_retries=False)
        _note_versions(context, name, [version for version in loaded if version.name not in wanted], changed=result.changed)
        for version in loaded:
            if version.name in wanted:
                metadata = {"dagster/partition_row_count": version.rows, "changed": result.changed}
                context.add_asset_metadata(metadata, partition_key=version.name)

    with warnings.catch_warnings():  # without the policy, which is beta, a backfill would start a run for every version
        warnings.simplefilter("ignore", dg.BetaWarning)
        return dg.asset(
            key=versions_key(name),
            partitions_def=versions_partitions(name),
            backfill_policy=dg.BackfillPolicy.single_run(),
            group_name=GROUP,
            description=(
                f"The versions of the source `{name}`, one partition each. `landing/{name}` loads all that are new; "
                "a version that is materialised here is loaded with all before it."
            ),
            owners=OWNERS,
            kinds={"dlt", "duckdb", kind_of(source)},
            tags={PARTITIONED: "versions"},
            code_version="1",
            pool=POOL,
            retry_policy=RETRY,
        )(versions)


def _foreign_keys(landed: list[dg.AssetKey]) -> dg.AssetsDefinition:
    @dg.asset(
        key=["graph", "foreign_keys"],
        deps=landed,
        group_name=GROUP,
        description="Relationships between landing tables: declared, nested, configured and inferred.",
        owners=OWNERS,
        kinds={"python", "duckdb"},
        code_version="1",
        pool=POOL,
        retry_policy=RETRY,
    )
    def foreign_keys(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
        from stratagraph.sources.keys.update import update_foreign_keys

        with clear_failures():
            result = update_foreign_keys(project)
            rows = count_rows(project, "foreign_keys")
            keys = _known_keys(project)
        metadata = shown(result, table="graph.foreign_keys", rows=rows["foreign_keys"])
        return dg.MaterializeResult(metadata=metadata | ({"keys": dg.MetadataValue.table(keys)} if keys else {}))

    return foreign_keys


def _known_keys(project: Project) -> list[dg.TableRecord]:
    """Foreign keys with their evidence, those that hold least first; at most as many as a page shows."""
    with project.read() as connection:
        parameters = {"dataset": project.config.dataset, "limit": SHOWN_KEYS}
        found = connection.execute(load_sql("checks", "select_keys"), parameters)
        names = [column[0] for column in found.description]
        return [dg.TableRecord(dict(zip(names, row, strict=True))) for row in found.fetchall()]


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
