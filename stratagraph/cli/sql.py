"""`stratagraph sql`: a query against a snapshot, or against the warehouse for reading only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stratagraph.cli.opened import opened, point
from stratagraph.cli.options import config_option, reading_options
from stratagraph.cli.output import err, out, print_json, table
from stratagraph.cli.place import config_path
from stratagraph.sqlfiles import load_sql

if TYPE_CHECKING:
    from stratagraph.snapshot.model import Table


@click.command("sql")
@click.argument("query")
@click.option(
    "--warehouse", is_flag=True, help="Read the warehouse instead of the latest snapshot; fails while a build writes it."
)
@config_option
@reading_options(limit=100)
def sql(
    query: str, warehouse: bool, config: Path | None, path: Path | None, valid_at: str | None, known_at: str | None, limit: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Run one SQL query (DuckDB), read-only. `$valid_at` and `$known_at` in it stand for the options of that name.

    \b
    Examples:
      stratagraph sql "SELECT class, count(*) FROM nodes_now GROUP BY class"
      stratagraph sql 'FROM edges_as_of($valid_at, $known_at)' --valid-at 1970-01-01 --limit 20
      stratagraph sql "FROM graph.quarantine" --warehouse
    """
    if warehouse and path is not None:
        raise click.UsageError("--warehouse reads the project of --config; --path names a snapshot. Use one of them.")
    if warehouse:
        result = _ask_warehouse(query, config, valid_at, known_at, limit + 1)
    else:
        with opened(path) as snapshot:
            result = snapshot.sql(query, _used(query, point(snapshot, valid_at, known_at)), limit + 1)
    rows = result.rows[:limit]
    if as_json:
        print_json({"columns": result.columns, "rows": rows, "truncated": len(result.rows) > limit})
        return
    out().print(table(result.columns, rows))
    if len(result.rows) > limit:
        err().print(f"more than {limit} rows; see --limit")


def _ask_warehouse(query: str, config: Path | None, valid_at: str | None, known_at: str | None, limit: int) -> Table:
    from stratagraph.project import Project
    from stratagraph.snapshot.statements import run_query
    from stratagraph.snapshot.times import parse_instant

    project = Project.load(config_path(config))
    now = project.clock()
    valid, known = (parse_instant(at, now) or now for at in (valid_at, known_at))
    with project.read() as connection:
        connection.execute(load_sql("cli", "configure_warehouse"))
        values = {"valid_at": valid.isoformat(), "known_at": known.isoformat()}
        return run_query(connection, query, _used(query, values), limit, timeout=None)


def _used(query: str, values: Mapping[str, str]) -> dict[str, str]:
    """Only the parameters that stand in the query: DuckDB refuses others."""
    from stratagraph.snapshot.statements import parameter_names

    names = parameter_names(query)
    return {name: value for name, value in values.items() if name in names}
