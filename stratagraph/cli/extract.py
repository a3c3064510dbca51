"""`stratagraph extract`: the stage that reads the texts, alone; or what it would ask and cost."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stratagraph.cli.build import shown, waiting
from stratagraph.cli.options import config_option, json_option
from stratagraph.cli.output import err, out, print_json, table
from stratagraph.cli.place import config_path
from stratagraph.locks import alone

if TYPE_CHECKING:
    from stratagraph.project import Project


@click.command("extract")
@click.option("--dry-run", is_flag=True, help="Say what would be asked and what that may cost. Nothing is asked or written.")
@config_option
@json_option
def extract(dry_run: bool, config: Path | None, as_json: bool) -> None:
    """Read the chunks that have no answer yet, and stage what they say; the next build takes it from there.

    Chunks get into the warehouse by a build, also by one that stops at extraction. A chunk that was answered is never paid for
    twice: a run that was stopped, by a ceiling or by `kill -9`, is simply run again.

    \b
    Examples:
      stratagraph extract --dry-run
      stratagraph extract --json
    """
    from stratagraph.project import Project

    project = Project.load(config_path(config))
    if dry_run:
        _print_estimate(project, as_json)
        return
    from stratagraph.extraction.run import extract as run

    with alone(project.data_dir / "build.lock", waiting), shown("text statements") as on_progress:
        result = run(project, on_progress)
    metadata = result.metadata()
    if as_json:
        print_json(metadata)
        return
    out().print(table(("what", "value"), [(name, value) for name, value in metadata.items() if name != "warning"]))
    if "warning" in metadata:
        err().print(f"Warning: {metadata['warning']}", markup=False)


def _print_estimate(project: Project, as_json: bool) -> None:
    from stratagraph.extraction.estimate import estimate

    found = estimate(project)
    if as_json:
        print_json(asdict(found))
        return
    lines: list[tuple[str, object]] = [
        ("engine", found.engine),
        ("chunks with an answer", f"{found.answered:,}"),
        ("chunks to ask about", f"{found.chunks:,}"),
    ]
    if found.most_answer_tokens:
        lines += [
            ("tokens of prompts, about", f"{found.prompt_tokens:,}"),
            ("tokens of answers, at most", f"{found.most_answer_tokens:,}"),
            ("cost of prompts, about", _money(found.prompt_cost)),
            ("cost in all, at most", _money(found.most_cost)),
            ("beyond the ceiling", ", ".join(f"extraction.{name}" for name in found.beyond) or "none"),
        ]
    out().print(table(("what", "value"), lines))
    if len(found.sources) > 1:
        rows = [
            (name, f"{of.answered:,}", f"{of.chunks:,}", f"{of.prompt_tokens:,}", _money(of.prompt_cost))
            for name, of in found.sources.items()
        ]
        out().print(table(("source", "with an answer", "to ask about", "tokens of prompts", "their cost"), rows))


def _money(cost: float | None) -> str:
    return "unknown: set extraction.prices" if cost is None else f"{cost:,.4f}"
