"""Asset checks: the invariants of the graph, asked of the finished tables.

Each rule is a SQL file of the library (`sql/audit/`); here it gets a name in the UI and the power to stop what follows.
All audits run in one step, since a step may cost a process. What is allowed but worth a look warns and stops nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg
from stratagraph.temporal.audit import AUDITS, AuditFinding, audit

from assets.stage import POOL, clear_failures
from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql

NODES = dg.AssetKey(["graph", "nodes"])
EDGES = dg.AssetKey(["graph", "edges"])
SNAPSHOT = dg.AssetKey(["publish", "snapshot"])
MAX_QUARANTINE_SHARE = 0.2


def build_checks() -> list[dg.AssetChecksDefinition]:
    """All checks of the code location."""
    return [graph_is_sound, dangling_edges, quarantine_share, snapshot_verifies]


def audited_asset(name: str) -> dg.AssetKey:
    """The asset an audit speaks of: its name says so, and what concerns both is shown on the edges."""
    return NODES if name.startswith("node") else EDGES


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


def _verdict(finding: AuditFinding) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        asset_key=audited_asset(finding.name),
        check_name=finding.name,
        passed=finding.count == 0,
        severity=dg.AssetCheckSeverity.ERROR,
        metadata={"rows": finding.count} | ({"sample": dg.MetadataValue.text(str(finding.sample))} if finding.count else {}),
    )


@dg.asset_check(
    asset=EDGES,
    description="Edges believed now that no query shows, because one end is not believed: they are kept, and counted here.",
    pool=POOL,
)
def dangling_edges(project: dg.ResourceParam[Project]) -> dg.AssetCheckResult:
    """Count edges without a believed end."""
    with clear_failures(), project.read() as connection:
        found = connection.execute(load_sql("checks", "count_dangling_edges")).fetchall()
    edges = sum(row[2] for row in found)
    return dg.AssetCheckResult(
        passed=edges == 0,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"edges": edges, "samples": ", ".join(row[3] for row in found) or "none"},
    )


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
    description="The latest snapshot opens, its files have the hashes of its manifest, and it answers.",
    pool=POOL,
)
def snapshot_verifies(project: dg.ResourceParam[Project]) -> dg.AssetCheckResult:
    """Verify what agents are about to read."""
    from stratagraph.snapshot.verify import verify_latest

    with clear_failures():
        problems = verify_latest(project)
    return dg.AssetCheckResult(
        passed=not problems, metadata={"problems": len(problems), "first": problems[0] if problems else "none"}
    )
