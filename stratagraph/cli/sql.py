"""`stratagraph sql`: a query against a snapshot, or against the warehouse for reading only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from stratagraph.cli.asked import asked
from stratagraph.cli.options import config_option, reading_options, warehouse_option
from stratagraph.cli.output import err, out, print_json, table


@click.command("sql")
@click.argument("query")
@warehouse_option
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
    with asked(path, warehouse, config) as place:
        valid, known = place.point(valid_at, known_at)
        result = place.run(query, _used(query, {"valid_at": valid, "known_at": known}), limit + 1)
    rows = result.rows[:limit]
    if as_json:
        print_json({"columns": result.columns, "rows": rows, "truncated": len(result.rows) > limit})
        return
    out().print(table(result.columns, rows))
    if len(result.rows) > limit:
        err().print(f"more than {limit} rows; see --limit")


def _used(query: str, values: Mapping[str, str]) -> dict[str, str]:
    """Only the parameters that stand in the query: DuckDB refuses others."""
    from stratagraph.snapshot.statements import parameter_names

    names = parameter_names(query)
    return {name: value for name, value in values.items() if name in names}
