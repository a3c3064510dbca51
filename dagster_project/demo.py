"""`make demo`: builds the demo with the job `build`, in this process, and prints what happened and what can be asked.

The run is recorded in the Dagster instance of the checkout, so the UI shows it. What the demo answers is `tour.py`; here
is the driving: one demo at a time, leftovers of a killed one, numbers before and after, one message when it fails.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import resource
import runpy
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import dagster as dg
from rich.console import Console
from rich.table import Table

from dagster_project.build import build_defs
from dagster_project.resources import default_config_path
from dagster_project.tour import print_tour, tour_answers
from stratagraph.errors import StratagraphError, WarehouseError
from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql, qualified

CHECKOUT = Path(__file__).resolve().parent.parent
DRIVER_TAG = {"stratagraph/driver": "demo"}
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
UNFINISHED = [dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.NOT_STARTED]


@dataclass(frozen=True)
class Report:
    """What one demo run did; a line of `data/demo-runs.jsonl`, and the output of `--json`."""

    run_id: str
    seconds: float
    cpu_seconds: float
    first_cpu_seconds: float
    rows: dict[str, int]
    new_rows: dict[str, int]
    extraction_calls: int
    snapshot: str
    content_hash: str
    stages: dict[str, dict[str, Any]]


def main(arguments: list[str] | None = None) -> int:
    """Run the demo; the exit code is 0 only when the snapshot stands and every blocking check passed."""
    parser = argparse.ArgumentParser(prog="make demo", description="Build the demo and show what it can answer.")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the tour")
    options = parser.parse_args(arguments)
    console = Console(stderr=options.json, soft_wrap=True, highlight=False)
    try:
        project = Project.load(default_config_path())
        with only_one(project):
            report = build(project, console)
            if options.json:
                print(json.dumps(asdict(report) | {"answers": tour_answers(project)}, sort_keys=True, default=str))
            else:
                print_report(report, console)
                print_tour(project, console)
    except StratagraphError as error:
        console.print(f"[bold red]demo failed:[/] {_escaped(str(error))}")
        return 1
    return 0


@contextlib.contextmanager
def only_one(project: Project) -> Iterator[None]:
    """Hold `demo.lock` of the data directory; the lock ends with the process, however that ends."""
    project.data_dir.mkdir(parents=True, exist_ok=True)
    file = project.data_dir / "demo.lock"
    with file.open("a", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise WarehouseError("another demo is running", where=str(file), hint="wait until it has finished") from error
        yield


def build(project: Project, console: Console) -> Report:
    """Prepare the data, execute the job, and measure it."""
    started = time.monotonic()
    prepare(project)
    before = count_graph_rows(project)
    result = execute(console)
    after = count_graph_rows(project)
    stages = materialized(result)
    published = stages["publish/snapshot"]
    cpu_seconds = cpu_seconds_so_far()
    report = Report(
        run_id=result.run_id,
        seconds=round(time.monotonic() - started, 2),
        cpu_seconds=round(cpu_seconds, 2),
        first_cpu_seconds=round(first_cpu_seconds(project, cpu_seconds), 2),
        rows=after,
        new_rows={name: rows - before.get(name, 0) for name, rows in after.items()},
        extraction_calls=int(stages["staging/text_statements"]["calls"]),
        snapshot=str(published["snapshot_id"]),
        content_hash=str(published["content_hash"]),
        stages=stages,
    )
    remember(project, report)
    return report


def materialized(result: dg.ExecuteInProcessResult) -> dict[str, dict[str, Any]]:
    """The metadata of every materialized asset, without what only a page can show, such as columns of tables."""
    events = [event.materialization for event in result.get_asset_materialization_events()]
    plain = (str, int, float, bool)
    return {
        event.asset_key.to_user_string(): {
            name: value.value for name, value in event.metadata.items() if isinstance(value.value, plain)
        }
        for event in events
    }


def prepare(project: Project) -> None:
    """Make the source database that is shipped as a script."""
    script = project.root / "prepare.py"
    if script.is_file():
        runpy.run_path(str(script), run_name="__main__")


def execute(console: Console) -> dg.ExecuteInProcessResult:
    """Execute the job `build` against the instance of the checkout."""
    use_dagster_home()

    @dg.success_hook
    def say_done(context: dg.HookContext) -> None:
        step = context.step_key.replace("__", "/").replace(".", ": ")
        console.print(f"  [green]✓[/] {_escaped(step)}")

    with dg.DagsterInstance.get() as instance:
        end_dead_runs(instance)
        job = build_defs().resolve_job_def("build").with_hooks({say_done})
        console.print("[bold]Building the demo[/]")
        result = job.execute_in_process(
            instance=instance,
            tags=DRIVER_TAG,
            raise_on_error=False,
            run_config=QUIET,
        )
    if not result.success:
        raise StratagraphError(failure_message(result), hint="`make ui` shows the run; after the cause is gone, run it again")
    return result


def use_dagster_home() -> None:
    """DAGSTER_HOME as the Makefile sets it, also when this module is run by hand."""
    home = Path(os.environ.setdefault("DAGSTER_HOME", str(CHECKOUT / ".dagster")))
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "dagster.yaml").exists():
        (home / "dagster.yaml").symlink_to(CHECKOUT / "dagster.yaml")


def end_dead_runs(instance: dg.DagsterInstance) -> None:
    """Close the runs of demos that were killed: this process holds the lock, so none of them is alive.

    A killed run keeps its place in the pool, and the next one would wait for it without end.
    """
    for run in instance.get_runs(filters=dg.RunsFilter(statuses=UNFINISHED, tags=DRIVER_TAG)):
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
        instance.report_run_failed(run, "The process of this run ended before the run did.")


def failure_message(result: dg.ExecuteInProcessResult) -> str:
    """The message of the step that failed first, or the check that did."""
    for event in result.all_events:
        if event.is_step_failure:
            failure = event.step_failure_data
            if failure.user_failure_data and failure.user_failure_data.description:
                return failure.user_failure_data.description
            if failure.error:
                cause = failure.error.cause or failure.error
                return f"{event.step_key}: {cause.message.strip()}"
    return "the run failed without a failed step"


def count_graph_rows(project: Project) -> dict[str, int]:
    """Rows of every table of the schema `graph`; none before the first run."""
    if not project.warehouse.exists():
        return {}
    with project.read() as connection:
        names = [row[0] for row in connection.execute(load_sql("preview", "list_tables")).fetchall()]
        counts = {}
        for name in names:
            row = connection.execute(load_sql("preview", "count_rows", relation=qualified("graph", name))).fetchone()
            counts[name] = int(row[0]) if row else 0
        return counts


def cpu_seconds_so_far() -> float:
    """User and system time of this process and its finished children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def first_cpu_seconds(project: Project, default: float) -> float:
    """CPU seconds of the first demo run on this data directory."""
    file = project.data_dir / "demo-runs.jsonl"
    if not file.is_file():
        return default
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            with contextlib.suppress(ValueError):  # the last line of a killed run may be cut
                return float(json.loads(line)["cpu_seconds"])
    return default


def remember(project: Project, report: Report) -> None:
    """Append this run to the list of runs."""
    line = {name: value for name, value in asdict(report).items() if name != "stages"}
    with (project.data_dir / "demo-runs.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, sort_keys=True) + "\n")


def print_report(report: Report, console: Console) -> None:
    """What was done, in a table of stages and a table of rows."""
    stages = Table("stage", "changed", "what", title="What was done", title_justify="left")
    for name, metadata in report.stages.items():
        numbers = [
            f"{key.replace('_', ' ')} {value:,}" for key, value in metadata.items() if _is_number(value) and "/" not in key
        ]
        stages.add_row(name, "yes" if metadata.get("changed") else "no", ", ".join(numbers))
    console.print(stages)
    rows = Table("table of schema graph", "rows", "new", title="What is there", title_justify="left")
    for name, count in report.rows.items():
        if count or report.new_rows[name]:
            rows.add_row(name, f"{count:,}", f"{report.new_rows[name]:+,}" if report.new_rows[name] else "0")
    console.print(rows)
    added = sum(abs(count) for count in report.new_rows.values())
    share = report.cpu_seconds / report.first_cpu_seconds if report.first_cpu_seconds else 1.0
    console.print(f"[bold]{added:,} new rows[/] in all graph tables, [bold]{report.extraction_calls:,} extraction calls[/]")
    console.print(
        f"[bold]{report.cpu_seconds} CPU seconds[/] in {report.seconds} s; "
        f"the first run took {report.first_cpu_seconds} CPU seconds, this one {share:.0%} of it"
    )
    console.print(f"Snapshot {report.snapshot}, content hash {report.content_hash}\n")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value != 0


def _escaped(text: str) -> str:
    return text.replace("[", "\\[")


if __name__ == "__main__":
    sys.exit(main())
