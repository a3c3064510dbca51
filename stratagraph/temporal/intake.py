"""Reads a batch and compares it with the log: what is refused, what is new, what its source no longer says.

Nothing here knows what is believed; that follows in `belief`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from stratagraph.errors import CommitRefusedError
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import STATEMENT_COLUMNS
from stratagraph.temporal.exclusion import add_restated_pairs, has_exclusions
from stratagraph.temporal.steps import Steps
from stratagraph.temporal.tombstones import drop_erased, has_tombstones

if TYPE_CHECKING:
    import duckdb
    import polars
    import pyarrow

    StatementTable: TypeAlias = Path | polars.DataFrame | pyarrow.Table | duckdb.DuckDBPyRelation


def read_batch(steps: Steps, dataset: str, statements: StatementTable, links: StatementTable | None) -> int:
    """Keep the batch with its identities and reason codes (`normalised`), its links, the rules, and the refs' nodes.

    What is erased is dropped; returns how many statements that were.
    """
    steps.keep("mapping", "temporal", "select_mapping")
    steps.keep("rules", "temporal", "select_rules", {"dataset": dataset})
    steps.keep("exclusions", "temporal", "select_exclusions", {"dataset": dataset})
    erased = 0
    if has_tombstones(steps.connection, dataset):
        keep_table(steps, "staged", statements)
        erased = drop_erased(steps, dataset, "staged", "select_unerased")
    else:
        steps.connection.register("staged", _relation(steps, statements))
    steps.keep("normalised", "temporal", "normalise_statements", {"dataset": dataset})
    steps.connection.unregister("staged")
    if links is None:
        steps.keep("staged_links", "identity", "select_no_links")
    else:
        keep_table(steps, "staged_links", links)
        drop_erased(steps, dataset, "staged_links", "select_unerased_refs", ref="ref", other="alias")
    return erased


def read_nothing(steps: Steps, dataset: str) -> None:
    """The step tables of a commit that brings no statements, typed like those of a batch."""
    columns = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in STATEMENT_COLUMNS.items())
    empty = steps.connection.sql(load_sql("temporal", "select_no_rows", columns=columns))
    read_batch(steps, dataset, empty.to_arrow_table(), None)
    steps.keep("known", "temporal", "select_known")
    steps.keep("withdrawn", "temporal", "select_no_statements")
    steps.keep("arrivals", "temporal", "select_arrivals")


def keep_table(steps: Steps, name: str, table: StatementTable) -> None:
    """Keep a file, relation, or Arrow or Polars table as a step table."""
    steps.connection.register(f"{name}_input", _relation(steps, table))
    steps.keep(name, "temporal", "select_staged", relation=f"{name}_input")
    steps.connection.unregister(f"{name}_input")


def _relation(steps: Steps, table: StatementTable) -> object:
    return steps.connection.read_parquet(str(table)) if isinstance(table, Path) else table


def compare_with_log(steps: Steps, dataset: str, source: str, complete: bool, max_shrink: float, batch_id: str) -> None:
    """Keep what the source withdraws (`withdrawn`) and what is new (`arrivals`).

    Raises:
        CommitRefusedError: a complete batch would withdraw more of the source than `max_shrink` allows.
    """
    steps.keep("known", "temporal", "select_known")
    if complete:
        steps.keep("withdrawn", "temporal", "select_withdrawn", {"dataset": dataset, "source": source})
    else:
        steps.keep("withdrawn", "temporal", "select_no_statements")
    steps.keep("arrivals", "temporal", "select_arrivals")
    if complete:
        _guard(steps, dataset, source, max_shrink, batch_id)


def renew_restated(steps: Steps) -> None:
    """Withdraw, and take as new, what the batch says again after or with something else about its key: observed anew."""
    again = steps.row("temporal", "count_again")
    if not again["known"] or (not again["older"] and steps.count("arrivals") == 0):
        return
    steps.keep("keyed_arrivals", "temporal", "key_arrivals")
    steps.keep("again", "temporal", "select_again")
    steps.keep("keyed_again", "temporal", "key_statements", statements="again", mapping="mapping")
    steps.keep("history", "temporal", "select_history_of_subjects", keys="keyed_again")
    steps.keep("keyed_history", "temporal", "key_statements", statements="history", mapping="mapping")
    if has_exclusions(steps):
        steps.keep("restated", "temporal", "select_restated")
        add_restated_pairs(steps)
    else:
        steps.keep("withdrawn", "temporal", "select_restated")
    steps.keep("arrivals", "temporal", "select_arrivals")


def _guard(steps: Steps, dataset: str, source: str, max_shrink: float, batch_id: str) -> None:
    share = steps.row("temporal", "count_withdrawal", {"dataset": dataset, "source": source})
    withdrawn, live = int(str(share["withdrawn"])), int(str(share["live"]))
    arrivals = steps.count("arrivals")
    if live and (withdrawn - min(withdrawn, arrivals)) / live > max_shrink:
        raise CommitRefusedError(
            f"a complete load would withdraw {withdrawn} of {live} live statements and bring {arrivals}",
            where=f"source {source}, batch {batch_id}",
            hint=f"nothing was written. If the source really shrank, raise guard.max_shrink (now {max_shrink:g})",
        )
