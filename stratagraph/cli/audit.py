"""`stratagraph audit`: asks the warehouse whether what must always hold does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from stratagraph.cli.options import config_option, json_option
from stratagraph.cli.output import err, out, print_json, table
from stratagraph.cli.place import config_path

if TYPE_CHECKING:
    from stratagraph.temporal.audit import AuditFinding


@click.command("audit")
@config_option
@json_option
@click.pass_context
def audit(ctx: click.Context, config: Path | None, as_json: bool) -> None:
    """Check every invariant of the warehouse, and name the first keys that break one. Exit code 1 if any is broken.

    What is listed as "note" is allowed, and worth a look.

    \b
    Examples:
      stratagraph audit
      stratagraph audit --json
    """
    from stratagraph.project import Project
    from stratagraph.temporal.audit import AUDITS, REPORTS, run_audit

    project = Project.load(config_path(config))
    with project.read() as connection:
        findings = [run_audit(connection, name) for name in AUDITS]
        notes = [run_audit(connection, name) for name in REPORTS]
    broken = [finding for finding in findings if not finding.passed]
    if as_json:
        print_json({"ok": not broken, "audits": [_entry(f) for f in findings], "notes": [_entry(f) for f in notes]})
    else:
        rows = [_row(finding, "BROKEN") for finding in findings] + [_row(finding, "note") for finding in notes]
        out().print(table(("result", "what must hold", "rows", "first keys"), rows))
        if broken:
            err().print(f"{len(broken)} of {len(findings)} invariants are broken.")
    if broken:
        ctx.exit(1)


def _row(finding: AuditFinding, otherwise: str) -> tuple[object, ...]:
    return (
        "ok" if finding.passed else otherwise,
        finding.description,
        finding.count or "",
        "\n".join(finding.sample),
    )


def _entry(finding: AuditFinding) -> dict[str, object]:
    return {
        "name": finding.name,
        "description": finding.description,
        "passed": finding.passed,
        "rows": finding.count,
        "first": finding.sample,
    }
