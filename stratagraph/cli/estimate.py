"""`stratagraph estimate`: what reading the texts would cost, before it does."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from stratagraph.cli.options import config_option, json_option
from stratagraph.cli.output import out, print_json, table
from stratagraph.cli.place import config_path


@click.command("estimate")
@config_option
@json_option
def estimate(config: Path | None, as_json: bool) -> None:
    """What extraction would ask of the chunks that are in the warehouse and have no answer, and what that may cost.

    Nothing is asked. Chunks get there by a build, also by one that stops at extraction.

    \b
    Examples:
      stratagraph estimate
      stratagraph estimate --json
    """
    from stratagraph.extraction.estimate import estimate as estimated
    from stratagraph.project import Project

    found = estimated(Project.load(config_path(config)))
    if as_json:
        print_json(asdict(found))
        return
    lines: list[tuple[str, object]] = [("engine", found.engine), ("chunks without an answer", f"{found.chunks:,}")]
    if found.most_answer_tokens:
        lines += [
            ("tokens of prompts, about", f"{found.prompt_tokens:,}"),
            ("tokens of answers, at most", f"{found.most_answer_tokens:,}"),
            ("cost of prompts, about", _money(found.prompt_cost)),
            ("cost in all, at most", _money(found.most_cost)),
            ("beyond the ceiling", ", ".join(f"extraction.{name}" for name in found.beyond) or "none"),
        ]
    out().print(table(("what", "value"), lines))


def _money(cost: float | None) -> str:
    return "unknown: set extraction.prices" if cost is None else f"{cost:,.4f}"
