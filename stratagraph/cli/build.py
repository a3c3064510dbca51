"""`stratagraph build`: everything from the sources to a published snapshot, without Dagster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from stratagraph.cli import stages as flow
from stratagraph.cli.options import config_option, json_option
from stratagraph.cli.output import err, out, print_json, table
from stratagraph.cli.place import config_path
from stratagraph.locks import alone

if TYPE_CHECKING:
    from stratagraph.project import Project


@click.command("build")
@config_option
@json_option
def build(config: Path | None, as_json: bool) -> None:
    """Read what is new, update the graph, and publish a snapshot.

    What did not change costs nothing: a second build right after the first writes no row. A build that was interrupted
    is simply run again; one that is started while another runs waits for it.

    \b
    Examples:
      stratagraph build
      stratagraph build --config examples/demo/stratagraph.yaml --json
    """
    from stratagraph.project import Project

    project = Project.load(config_path(config))
    todo = flow.stages(project)
    done = []
    with alone(project.data_dir / "build.lock", waiting):
        for number, stage in enumerate(todo, 1):
            with shown(f"[{number}/{len(todo)}] {stage.name}") as on_progress:
                done.append(flow.run_stage(stage, on_progress))
        _finish_erasure(project)
    changed = any(stage.changed for stage in done)
    if as_json:
        print_json({"changed": changed, "data_dir": str(project.data_dir), "stages": [stage.as_dict() for stage in done]})
        return
    rows = [(stage.name, "yes" if stage.changed else "-", _counts(stage), f"{stage.seconds:.1f}") for stage in done]
    out().print(table(("stage", "changed", "counts", "seconds"), rows))
    for name, counts in ((stage.name, stage.counts) for stage in done):
        if "warning" in counts:
            err().print(f"Warning, {name}: {counts['warning']}", markup=False)
    if not changed:
        err().print("Nothing changed since the last build.")


def _finish_erasure(project: Project) -> None:
    """Clear the files of an erasure that was interrupted."""
    from stratagraph.forget import clear_files, is_pending

    if is_pending(project):
        err().print("An erasure was interrupted; clearing what files still hold of it.")
        clear_files(project)


def waiting(process: str) -> None:
    """Say that the lock of builds is not free."""
    err().print(f"Another build (process {process}) is running; waiting for it to end.")


@contextmanager
def shown(title: str) -> Iterator[flow.Progress]:
    """Show a running stage on stderr: live in a terminal, one line elsewhere."""
    console = err()
    if not console.is_terminal:
        console.print(title, markup=False)
        yield lambda done, total: None
        return
    with _live(console) as progress:
        task = progress.add_task(title.replace("[", "\\["), total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _live(console: Console) -> Progress:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)


def _counts(stage: flow.Done) -> str:
    return ", ".join(
        f"{name} {value}" for name, value in stage.counts.items() if name != "warning" and value not in (0, "", None)
    )
