"""`stratagraph doctor`: prints what `stratagraph.cli.health` finds."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from stratagraph.cli.health import check_all
from stratagraph.cli.options import config_option, json_option
from stratagraph.cli.output import clean, out, print_json
from stratagraph.cli.place import config_path

_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


@click.command("doctor")
@config_option
@json_option
@click.pass_context
def doctor(ctx: click.Context, config: Path | None, as_json: bool) -> None:
    """Check versions, config, sources, ontology, extraction endpoint, disk, locks and snapshot.

    Each line says ok, warn or fail, and what to do. The exit code is 1 if anything fails. Nothing is changed.

    \b
    Example:
      stratagraph doctor --config examples/demo/stratagraph.yaml
    """
    checks = []
    console = out()
    for check in check_all(config_path(config)):
        checks.append(check)
        if not as_json:
            console.print(
                Text.assemble((f"{check.status:<5}", _STYLES[check.status]), (check.name, "bold"), "  ", _lines(check.message))
            )
            if check.hint:
                console.print(Text(f"      -> {_lines(check.hint)}", style="dim"))
    failed = any(check.status == "fail" for check in checks)
    if as_json:
        print_json({"ok": not failed, "checks": [check.as_dict() for check in checks]})
    ctx.exit(1 if failed else 0)


def _lines(text: str) -> str:
    return "\n".join(clean(line) for line in text.splitlines())
