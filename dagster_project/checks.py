"""Asset checks: the invariants of the graph, asked of the finished tables.

Each rule is a SQL file of the library (`sql/audit/`); here it gets a name in the UI and the power to stop what follows.
All audits run in one step, since a step may cost a process. What is allowed but worth a look warns and stops nothing.
"""

# No `from __future__ import annotations` here: Dagster reads the annotation of `context` as it is.

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from assets.extraction import STATEMENTS as TEXT_STATEMENTS
from assets.sources import source_key
from assets.stage import POOL, clear_failures
from stratagraph.config import Config
from stratagraph.config.model import ExtractionConfig
from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.audit import AUDITS, REPORTS, AuditFinding, audit, run_audit

STATEMENTS = dg.AssetKey(["graph", "statements"])
NODES = dg.AssetKey(["graph", "nodes"])
EDGES = dg.AssetKey(["graph", "edges"])
SNAPSHOT = dg.AssetKey(["publish", "snapshot"])
MAX_QUARANTINE_SHARE = 0.2
SOURCE_CHECKS = {
    "keys_hold": "Every foreign key that edges are made of finds a row for every row that has it.",
    "quarantine_share": f"At most {MAX_QUARANTINE_SHARE:.0%} of what the source says is in quarantine.",
}
NEAR_A_CEILING = 0.8
EXTRACTION_CHECKS = {
    "chunks_read": "At most `extraction.max_unread_share` of the chunks could not be read by any engine.",
    "quarantine_share": "At most `extraction.max_quarantine_share` of what was read is in quarantine.",
    "mentions_found": "The texts name something that the ontology has a class for.",
    "below_ceilings": f"The last run used at most {NEAR_A_CEILING:.0%} of a ceiling: a larger one would be stopped by it.",
}


def build_checks(config: Config) -> list[dg.AssetChecksDefinition]:
    """All checks of the code location. What a load's guard says is a check of the load's own asset."""
    of_sources = [_source_checks(sorted(config.sources))] if config.sources else []
    return [graph_is_sound, dangling_edges, quarantine_share, extraction_holds, snapshot_verifies, *of_sources]


def audited_asset(name: str) -> dg.AssetKey:
    """The asset an audit speaks of: its name says so, and what concerns nodes and edges is shown on the edges."""
    return STATEMENTS if "statements" in name else NODES if "nodes" in name else EDGES


@dg.multi_asset_check(
    name="graph_is_sound",
    specs=[
        dg.AssetCheckSpec(name=name, asset=audited_asset(name), description=description, blocking=True)
        for name, description in sorted(AUDITS.items())
    ],
    pool=POOL,
)
def graph_is_sound(project: dg.ResourceParam[Project]) -> Iterator[dg.AssetCheckResult]:
    """Every audit of the library; one finding stops what depends on the graph."""
    with clear_failures(), project.read() as connection:
        findings = audit(connection)
    for finding in findings:
        yield _verdict(finding)


def _verdict(
    finding: AuditFinding, severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR, *, expected: bool = False
) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        asset_key=audited_asset(finding.name),
        check_name=finding.name,
        passed=finding.passed or expected,
        severity=severity,
        metadata={"rows": finding.count, "first": dg.MetadataValue.json(finding.sample)},
    )


@dg.asset_check(asset=EDGES, description=REPORTS["dangling_edges"], pool=POOL)
def dangling_edges(project: dg.ResourceParam[Project]) -> dg.AssetCheckResult:
    """List the stretches on which an edge lacks an end; the policy `clip` says that they are expected."""
    with clear_failures(), project.read() as connection:
        finding = run_audit(connection, "dangling_edges")
    return _verdict(finding, dg.AssetCheckSeverity.WARN, expected=project.config.belief.integrity == "clip")


@dg.asset_check(
    asset=EDGES,
    description=f"At most {MAX_QUARANTINE_SHARE:.0%} of what was read is in quarantine.",
    pool=POOL,
)
def quarantine_share(project: dg.ResourceParam[Project]) -> dg.AssetCheckResult:
    """Compare what was refused with what stands."""
    with clear_failures(), project.read() as connection:
        found = connection.execute(load_sql("checks", "measure_quarantine")).fetchall()
    reasons = {f"{stage}/{reason}": count for stage, reason, count, _ in found if stage is not None}
    return _quarantined(reasons, found[0][3])


@dg.multi_asset_check(
    name="extraction_holds",
    specs=[
        dg.AssetCheckSpec(name, asset=TEXT_STATEMENTS, description=description)
        for name, description in EXTRACTION_CHECKS.items()
    ],
    pool=POOL,
)
def extraction_holds(
    context: dg.AssetCheckExecutionContext, project: dg.ResourceParam[Project]
) -> Iterator[dg.AssetCheckResult]:
    """How much of the texts was read, how much of that was refused, and how near the last run came to its ceilings."""
    config = project.config.extraction
    with clear_failures(), project.read() as connection:
        found = connection.execute(load_sql("checks", "measure_extraction"), {"dataset": project.config.dataset}).fetchall()
    chunks, unread, mentions, reasons = found[0]
    unread_share, refused = unread / max(chunks, 1), sum(reasons.values())
    refused_share = refused / max(refused + mentions, 1)
    latest = context.instance.get_latest_materialization_event(TEXT_STATEMENTS)
    of_run = latest.asset_materialization.metadata if latest and latest.asset_materialization else {}
    used = _ceilings_used({name: entry.value for name, entry in of_run.items()}, config)
    warn = dg.AssetCheckSeverity.WARN
    for name, passed, severity, metadata in (
        ("chunks_read", unread_share <= config.max_unread_share, dg.AssetCheckSeverity.ERROR,
         {"share": unread_share, "unread": unread, "chunks": chunks}),
        ("quarantine_share", refused_share <= config.max_quarantine_share, warn,
         {"share": refused_share, "refused": refused, "mentions": mentions, **reasons}),
        ("mentions_found", mentions > 0 or chunks == 0, warn, {"mentions": mentions, "chunks": chunks}),
        ("below_ceilings", all(share <= NEAR_A_CEILING for share in used.values()), warn, used),
    ):  # fmt: skip
        yield dg.AssetCheckResult(
            asset_key=TEXT_STATEMENTS, check_name=name, passed=passed, severity=severity, metadata=metadata
        )


def _ceilings_used(of_run: Mapping[str, Any], config: ExtractionConfig) -> dict[str, float]:
    """The share of each ceiling that a run has used."""
    used = {}
    for ceiling, names in {"max_tokens_per_run": ("prompt_tokens", "completion_tokens"), "max_cost_per_run": ("cost",)}.items():
        most = getattr(config, ceiling)
        spent = [of_run.get(name, 0) for name in names]
        if most is not None and all(isinstance(value, int | float) for value in spent):  # without prices, cost is a text
            used[ceiling] = sum(spent) / most
    return used


def _source_checks(sources: Sequence[str]) -> dg.AssetChecksDefinition:
    """Keys and quarantine of each source, asked once its rows are committed."""
    after = [STATEMENTS, dg.AssetKey(["graph", "foreign_keys"])]

    @dg.multi_asset_check(
        name="sources_hold",
        specs=[
            dg.AssetCheckSpec(name, asset=source_key(source), additional_deps=after, description=description)
            for source in sources
            for name, description in SOURCE_CHECKS.items()
        ],
        can_subset=True,
        pool=POOL,
    )
    def sources_hold(
        context: dg.AssetCheckExecutionContext, project: dg.ResourceParam[Project]
    ) -> Iterator[dg.AssetCheckResult]:
        for source in sources:
            wanted = {key.name for key in context.selected_asset_check_keys if key.asset_key == source_key(source)}
            if wanted:
                yield from (result for result in _of_source(project, source) if result.check_name in wanted)

    return sources_hold


def _of_source(project: Project, source: str) -> Iterator[dg.AssetCheckResult]:
    """As long as only loads were run there is no warehouse, and nothing to find."""
    parameters = {"dataset": project.config.dataset, "source": source}
    total, incomplete, found = 0, [], [(None, 0, 0)]
    if project.warehouse.exists():
        with clear_failures(), project.read() as connection:
            total, incomplete = connection.execute(load_sql("checks", "measure_source_keys"), parameters).fetchall()[0]
            found = connection.execute(load_sql("checks", "measure_source_quarantine"), parameters).fetchall()
    key = source_key(source)
    yield dg.AssetCheckResult(
        asset_key=key,
        check_name="keys_hold",
        passed=not incomplete,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"keys": total, "incomplete": len(incomplete), "coverage": dg.MetadataValue.json(incomplete)},
    )
    reasons = {reason: count for reason, count, _ in found if reason is not None}
    yield _quarantined(reasons, found[0][2], asset_key=key, check_name="quarantine_share")


def _quarantined(reasons: dict[str, int], statements: int, **of: Any) -> dg.AssetCheckResult:
    """Compare what was refused, by reason, with what stands."""
    refused = sum(reasons.values())
    share = refused / max(refused + statements, 1)
    return dg.AssetCheckResult(
        passed=share <= MAX_QUARANTINE_SHARE,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"share": share, "refused": refused, "statements": statements, **reasons},
        **of,
    )


@dg.asset_check(
    asset=SNAPSHOT,
    blocking=True,
    description="Every file of the latest snapshot has the size and hash that its manifest says.",
    pool=POOL,
)
def snapshot_verifies(project: dg.ResourceParam[Project]) -> dg.AssetCheckResult:
    """Verify what agents are about to read."""
    from stratagraph.snapshot.layout import damaged_files, find_snapshot, read_manifest

    with clear_failures():
        folder = find_snapshot(project.snapshots)
        manifest = read_manifest(folder)
        damaged = damaged_files(folder, manifest, contents=True)
    return dg.AssetCheckResult(
        passed=not damaged,
        metadata={"snapshot": folder.name, "files": len(manifest["files"]), "damaged": ", ".join(damaged) or "none"},
    )
