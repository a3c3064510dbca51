"""`stratagraph sql`: a query against a snapshot, or against the warehouse for reading only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stratagraph.cli.opened import opened, point
from stratagraph.cli.options import config_option, reading_options
from stratagraph.cli.output import err, out, print_json, table
from stratagraph.cli.place import config_path

if TYPE_CHECKING:
    import duckdb

    from stratagraph.snapshot.reader import Snapshot

_CLOCKS = ("valid_at", "known_at")


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
    import duckdb

    if warehouse and path is not None:
        raise click.UsageError("--warehouse reads the project of --config; --path names a snapshot. Use one of them.")
    try:
        if warehouse:
            columns, rows = _ask_warehouse(query, config, valid_at, known_at, limit + 1)
        else:
            with opened(path) as snapshot:
                columns, rows = _ask_snapshot(snapshot, query, valid_at, known_at, limit + 1)
    except (duckdb.ProgrammingError, duckdb.DataError, duckdb.NotSupportedError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        print_json({"columns": columns, "rows": rows[:limit], "truncated": len(rows) > limit})
        return
    out().print(table(columns, rows[:limit]))
    if len(rows) > limit:
        err().print(f"more than {limit} rows; see --limit")


def _ask_snapshot(
    snapshot: Snapshot, query: str, valid_at: str | None, known_at: str | None, limit: int
) -> tuple[list[str], list[Any]]:
    result = snapshot.sql(query, _used(query, point(snapshot, valid_at, known_at)), limit)
    return list(result.columns), list(result.rows)


def _ask_warehouse(
    query: str, config: Path | None, valid_at: str | None, known_at: str | None, limit: int
) -> tuple[list[str], list[Any]]:
    import duckdb

    from stratagraph.project import Project
    from stratagraph.snapshot.times import parse_instant

    project = Project.load(config_path(config))
    now = project.clock()
    instants = [parse_instant(at, now) or now for at in (valid_at, known_at)]
    with project.read() as connection:
        relation = connection.sql(
            query, params=_used(query, dict(zip(_CLOCKS, (at.isoformat() for at in instants), strict=True)))
        )
        # An infinite instant has no Python datetime, so instants travel as text.
        columns = [
            duckdb.ColumnExpression(name).cast("VARCHAR").alias(name)
            if str(kind) == "TIMESTAMP WITH TIME ZONE"
            else _column(name)
            for name, kind in zip(relation.columns, relation.types, strict=True)
        ]
        return relation.columns, relation.select(*columns).limit(limit).fetchall()


def _column(name: str) -> duckdb.Expression:
    import duckdb

    return duckdb.ColumnExpression(name)


def _used(query: str, values: Mapping[str, str]) -> dict[str, str]:
    """Only the parameters that stand in the query: DuckDB refuses others."""
    import duckdb

    names = {name for statement in duckdb.extract_statements(query) for name in statement.named_parameters}
    return {name: value for name, value in values.items() if name in names}
