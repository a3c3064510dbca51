"""Asset checks: the invariants of the graph, asked of the finished tables.

Each rule is a SQL file of the library (`sql/audit/`); here it gets a name in the UI and the power to stop what follows.
All audits run in one step, since a step may cost a process. What is allowed but worth a look warns and stops nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg

from assets.stage import POOL, clear_failures
from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.audit import AUDITS, REPORTS, AuditFinding, audit, run_audit

STATEMENTS = dg.AssetKey(["graph", "statements"])
NODES = dg.AssetKey(["graph", "nodes"])
EDGES = dg.AssetKey(["graph", "edges"])
SNAPSHOT = dg.AssetKey(["publish", "snapshot"])
MAX_QUARANTINE_SHARE = 0.2


def build_checks() -> list[dg.AssetChecksDefinition]:
    """All checks of the code location."""
    return [graph_is_sound, dangling_edges, quarantine_share, snapshot_verifies]


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
    statements = found[0][3]
    reasons = {f"{stage}/{reason}": count for stage, reason, count, _ in found if stage is not None}
    refused = sum(reasons.values())
    share = refused / max(refused + statements, 1)
    return dg.AssetCheckResult(
        passed=share <= MAX_QUARANTINE_SHARE,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"share": share, "refused": refused, "statements": statements, **reasons},
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
