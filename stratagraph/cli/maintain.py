"""`stratagraph maintain`: rewrites the warehouse so that what is looked for together stands together."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from stratagraph.cli.options import config_option, json_option
from stratagraph.cli.output import err, out, print_json, table
from stratagraph.cli.place import config_path
from stratagraph.locks import alone


@click.command("maintain")
@click.option("--landing", is_flag=True, help="Rewrite the file of loaded tables (landing.duckdb) as well.")
@click.option("--memory-limit", metavar="SIZE", help="Of DuckDB, such as 2GB; what does not fit is sorted on the disk.")
@config_option
@json_option
def maintain(landing: bool, memory_limit: str | None, config: Path | None, as_json: bool) -> None:
    """Rewrite the warehouse: clustered by key, without the space of what was deleted. No query gives another result.

    It may be interrupted at any moment: there is the old file or the new one, whole. It waits for a build that is running,
    and a build waits for it.

    \b
    Examples:
      stratagraph maintain
      stratagraph maintain --landing --memory-limit 2GB --json
    """
    from stratagraph.project import Project
    from stratagraph.temporal.maintain import rewrite_landing, rewrite_warehouse

    project = Project.load(config_path(config))
    with alone(project.data_dir / "build.lock", _waiting):
        results = [rewrite_warehouse(project, memory_limit=memory_limit)]
        if landing:
            results.append(rewrite_landing(project, memory_limit=memory_limit))
    if as_json:
        print_json({"data_dir": str(project.data_dir), "files": [asdict(result) for result in results]})
        return
    rows = [
        (result.file, f"{result.tables}", f"{result.rows:,}", _size(result.bytes_before), _size(result.bytes_after),
         f"{result.seconds:.1f}")
        for result in results
        if result.changed
    ]  # fmt: skip
    if rows:
        out().print(table(("file", "tables", "rows", "MB before", "MB after", "seconds"), rows))
    for result in results:
        if not result.changed:
            err().print(f"{result.file}: there is none yet, so there is nothing to rewrite.", markup=False)


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f}"


def _waiting(process: str) -> None:
    err().print(f"A build (process {process}) is running; waiting for it to end.")
