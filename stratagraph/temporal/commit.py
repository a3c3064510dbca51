"""The only writer of belief: one batch of statements becomes bitemporal node and edge rows, in one transaction.

Belief is a pure function of the statement log (design section 4): the log changes, the touched keys are derived again, and
the difference is recorded. The canonical form is that of design rule 4: a row is a maximal valid-time segment with one value,
kept for the maximal transaction-time interval in which exactly that segment is believed (half-open periods and the two clocks
as in SQL:2011; coalescing after Snodgrass, "Developing Time-Oriented Database Applications in SQL", 2000, chapters 6-10).
Everything is set-based; what a step computes stands in `sql/temporal/`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import duckdb

from stratagraph.errors import CommitRefusedError
from stratagraph.identity.resolve import register_functions, resolve_identities
from stratagraph.project import Clock
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import STATEMENT_COLUMNS
from stratagraph.temporal.inference import derive_inferences
from stratagraph.temporal.steps import Steps
from stratagraph.transactions import transaction

if TYPE_CHECKING:
    import polars
    import pyarrow

    StatementTable: TypeAlias = Path | polars.DataFrame | pyarrow.Table


@dataclass(frozen=True)
class CommitCounts:
    """What one commit did. `met` counts keys of a recorded source that the store's clock had to date."""

    statements: int = 0
    new: int = 0
    unchanged: int = 0
    withdrawn: int = 0
    quarantined: int = 0
    empty_periods: int = 0
    nodes_opened: int = 0
    nodes_closed: int = 0
    edges_opened: int = 0
    edges_closed: int = 0
    inferred_opened: int = 0
    inferred_closed: int = 0
    conflicts_opened: int = 0
    identities_changed: int = 0
    keys_touched: int = 0
    keys_met: int = 0
    reasons: dict[str, int] = field(default_factory=dict)

    @property
    def rows_written(self) -> int:
        """Belief rows opened or closed; zero for a replay."""
        nodes = self.nodes_opened + self.nodes_closed
        return nodes + self.edges_opened + self.edges_closed + self.inferred_opened + self.inferred_closed

    def __add__(self, other: CommitCounts) -> CommitCounts:
        reasons = dict(self.reasons)
        for reason, count in other.reasons.items():
            reasons[reason] = reasons.get(reason, 0) + count
        numbers = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self) if f.name != "reasons"}
        return CommitCounts(**numbers, reasons=reasons)


def commit(
    connection: duckdb.DuckDBPyConnection,
    statements: StatementTable,
    *,
    dataset: str,
    source: str,
    batch_id: str,
    clock: Clock,
    links: StatementTable | None = None,
    complete: bool = False,
    recorded_at: datetime | None = None,
    max_shrink: float = 1.0,
    run_id: str = "",
    stage: str = "belief",
) -> CommitCounts:
    """Commit a batch of statements of one source.

    Args:
        connection: a warehouse opened for writing (`Project.write`), with no transaction open.
        statements: columns of `staging.STATEMENT_COLUMNS`; a Parquet file, or a Polars or Arrow table.
        dataset: the unit of isolation; every statement of the batch must carry it.
        source: the source's name; a complete batch withdraws what this source said before and does not say now.
        batch_id: recorded in `graph.runs`; the caller skips ids that stand there.
        clock: gives the present instant; the store's transaction time is max(now, last + 1 µs).
        links: columns of `staging.LINK_COLUMNS`: refs that one record gives to one thing.
        complete: whether absence means that the source no longer says it.
        recorded_at: transaction time (UTC) of a recorded source; later than that source's last and not in the future.
        max_shrink: a complete batch that would withdraw more than this share of the source's live statements is refused.

    Raises:
        CommitRefusedError: the batch was refused as a whole and nothing was written.
    """
    steps = Steps(connection)
    prepare(connection)
    with transaction(connection):
        store_now = next_instant(steps, clock, dataset, source, recorded_at)
        _read_batch(steps, statements, links)
        _compare_with_log(steps, dataset, source, complete, max_shrink, batch_id)
        at = recorded_at or store_now
        resolve_identities(steps, store_now=store_now, identity_at=at)
        _touch_keys(steps, source, store_now, recorded_at)
        steps.apply("temporal", "insert_refused", {"run_id": run_id, "recorded_at": store_now})
        steps.apply("temporal", "insert_evidence")
        steps.apply("temporal", "close_statements")
        steps.apply("temporal", "insert_statements")
        _derive(steps)
        derive_inferences(steps, store_now)
        counts = _count(steps)
        _record_run(steps, dataset, source, batch_id, run_id, stage, store_now, recorded_at, counts)
        steps.drop()
    return counts


def apply_rules(
    connection: duckdb.DuckDBPyConnection, *, dataset: str, batch_id: str, clock: Clock, run_id: str = ""
) -> CommitCounts:
    """Derive again what a changed ontology touches: properties that became single-valued or ceased to be, and implications.

    Writes nothing when belief has already applied the rules that stand in `graph.ontology_*`.
    """
    steps = Steps(connection)
    prepare(connection)
    with transaction(connection):
        steps.keep("rules", "temporal", "select_rules")
        steps.keep("changed_implications", "temporal", "select_changed_implications")
        steps.keep("rule_statements", "temporal", "select_rule_statements")
        if steps.count("rule_statements") == 0 and steps.count("changed_implications") == 0:
            steps.apply("temporal", "replace_applied_rules")
            steps.drop()
            return CommitCounts()
        store_now = next_instant(steps, clock, dataset, "", None)
        _read_nothing(steps)
        resolve_identities(steps, store_now=store_now, identity_at=store_now)
        _touch_keys(steps, "", store_now, None)
        _derive(steps)
        derive_inferences(steps, store_now)
        steps.apply("temporal", "replace_applied_rules")
        counts = _count(steps)
        if counts.rows_written:
            _record_run(steps, dataset, "ontology", batch_id, run_id, "rules", store_now, None, counts)
        steps.drop()
    return counts


def prepare(connection: duckdb.DuckDBPyConnection) -> None:
    """Register what the SQL files call from Python. Outside of a transaction, as it changes the catalogue."""
    register_functions(connection)


def next_instant(steps: Steps, clock: Clock, dataset: str, source: str, recorded_at: datetime | None) -> datetime:
    """The store's next transaction time, strictly after the last (design section 4, rule 5); checks a recorded time."""
    now = clock()
    last = steps.row("temporal", "select_last_recorded", {"dataset": dataset, "source": source})
    store_last, source_last = last["store_last"], last["source_last"]
    if recorded_at is not None:
        if recorded_at > now:
            raise CommitRefusedError(
                f"the recorded time {recorded_at.isoformat()} lies in the future",
                where=f"source {source}",
                hint="check the time in the file name or manifest",
            )
        if isinstance(source_last, datetime) and recorded_at <= source_last:
            raise CommitRefusedError(
                f"the recorded time {recorded_at.isoformat()} is not later than the last one, {source_last.isoformat()}",
                where=f"source {source}",
                hint="recorded versions are loaded in order; an older version cannot be added afterwards",
            )
    if isinstance(store_last, datetime) and store_last >= now:
        return store_last + timedelta(microseconds=1)
    return now


def _read_batch(steps: Steps, statements: StatementTable, links: StatementTable | None) -> None:
    _keep_table(steps, "staged", statements)
    if links is None:
        steps.keep("staged_links", "identity", "select_no_links")
    else:
        _keep_table(steps, "staged_links", links)
    steps.keep("rules", "temporal", "select_rules")
    steps.keep("normalised", "temporal", "normalise_statements")
    steps.keep("changed_implications", "temporal", "select_changed_implications")
    steps.keep("rule_statements", "temporal", "select_rule_statements")


def _read_nothing(steps: Steps) -> None:
    """The step tables of an empty batch, typed like a real one."""
    columns = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in STATEMENT_COLUMNS.items())
    empty = steps.connection.sql(load_sql("temporal", "select_no_rows", columns=columns))
    _read_batch(steps, empty.to_arrow_table(), None)
    steps.keep("withdrawn", "temporal", "select_empty_statements")
    steps.keep("arrivals", "temporal", "select_arrivals")


def _keep_table(steps: Steps, name: str, table: StatementTable) -> None:
    if isinstance(table, Path):
        steps.keep(name, "temporal", "select_staged", {"path": str(table)})
        return
    steps.connection.register(f"{name}_input", table)
    steps.keep(name, "temporal", "select_staged_relation", relation=f"{name}_input")
    steps.connection.unregister(f"{name}_input")


def _compare_with_log(steps: Steps, dataset: str, source: str, complete: bool, max_shrink: float, batch_id: str) -> None:
    if complete:
        steps.keep("withdrawn", "temporal", "select_withdrawn", {"dataset": dataset, "source": source})
    else:
        steps.keep("withdrawn", "temporal", "select_restated")
    steps.keep("arrivals", "temporal", "select_arrivals")
    if not complete:
        return
    share = steps.row("temporal", "count_withdrawal", {"dataset": dataset, "source": source})
    withdrawn, live = int(str(share["withdrawn"])), int(str(share["live"]))
    replaced = min(withdrawn, steps.count("arrivals"))
    if live and (withdrawn - replaced) / live > max_shrink:
        raise CommitRefusedError(
            f"a complete load would withdraw {withdrawn} of {live} live statements and bring {steps.count('arrivals')}",
            where=f"source {source}, batch {batch_id}",
            hint=f"nothing was written. If the source really shrank, raise guard.max_shrink (now {max_shrink:g})",
        )


def _touch_keys(steps: Steps, source: str, store_now: datetime, recorded_at: datetime | None) -> None:
    def key(name: str, statements: str, mapping: str = "mapping") -> None:
        steps.keep(name, "temporal", "key_statements", statements=statements, mapping=mapping)

    key("keyed_arrivals", "arrivals")
    key("keyed_withdrawn", "withdrawn")
    key("keyed_moved_before", "moved", mapping="mapping_before")
    key("keyed_moved_after", "moved")
    key("keyed_rule_statements", "rule_statements")
    steps.keep("keys", "temporal", "select_keys")
    if recorded_at is None:
        steps.keep("touched", "temporal", "date_keys_by_store", {"store_now": store_now})
    else:
        steps.keep("history", "temporal", "select_history_of_subjects")
        key("keyed_history", "history")
        dates = {"store_now": store_now, "recorded_at": recorded_at, "source": source}
        steps.keep("touched", "temporal", "date_keys_by_source", dates)


def _derive(steps: Steps) -> None:
    """Derive the touched keys again and record the difference: rows, support, conflicts."""
    for name, file in (
        ("live", "select_live"),
        ("candidates", "derive_candidates"),
        ("islands", "derive_islands"),
        ("contests", "derive_contests"),
        ("winners", "derive_winners"),
        ("segments", "derive_segments"),
        ("current_rows", "select_current_rows"),
        ("rows_wanted", "select_rows_wanted"),
        ("rows_closed", "select_rows_closed"),
        ("rows_opened", "select_rows_opened"),
        ("support_wanted", "derive_support"),
        ("conflicts_wanted", "derive_conflicts"),
        ("current_conflicts", "select_current_conflicts"),
        ("conflicts_closed", "diff_conflicts_closed"),
        ("conflicts_opened", "diff_conflicts_opened"),
    ):
        steps.keep(name, "temporal", file)
    steps.keep("row_dates", "temporal", "select_row_dates")
    compare_support(steps, current="current_rows", wanted="support_wanted", keys="row_dates", prefix="")
    for file in ("insert_nodes_closed", "delete_nodes_open", "insert_nodes_open"):
        steps.apply("temporal", file)
    steps.apply("temporal", "insert_edges_closed", closed="rows_closed")
    steps.apply("temporal", "delete_edges_open", closed="rows_closed")
    steps.apply("temporal", "insert_edges_open")
    steps.apply("temporal", "close_support", closed="support_closed")
    steps.apply("temporal", "insert_support", opened="support_opened")
    steps.apply("temporal", "close_conflicts")
    steps.apply("temporal", "insert_conflicts")


def compare_support(steps: Steps, *, current: str, wanted: str, keys: str, prefix: str) -> None:
    """Keep the support rows that end and begin, as `<prefix>support_closed` and `<prefix>support_opened`."""
    held = f"{prefix}current_support"
    steps.keep(held, "temporal", "select_current_support", current=current)
    steps.keep(f"{prefix}support_closed", "temporal", "diff_support_closed", current=held, wanted=wanted, keys=keys)
    steps.keep(f"{prefix}support_opened", "temporal", "diff_support_opened", current=held, wanted=wanted)


def _count(steps: Steps) -> CommitCounts:
    numbers = {name: int(str(value)) for name, value in steps.row("temporal", "count_commit").items()}
    reasons = steps.connection.execute(load_sql("temporal", "select_quarantine_reasons")).fetchall()
    unchanged = numbers["statements"] - numbers["new"] - numbers["quarantined"] - numbers["empty_periods"]
    return CommitCounts(**numbers, unchanged=unchanged, reasons={str(reason): int(count) for reason, count in reasons})


def _record_run(
    steps: Steps,
    dataset: str,
    source: str,
    batch_id: str,
    run_id: str,
    stage: str,
    store_now: datetime,
    recorded_at: datetime | None,
    counts: CommitCounts,
) -> None:
    run: dict[str, object] = {
        "dataset": dataset,
        "batch_id": batch_id,
        "run_id": run_id,
        "stage": stage,
        "source": source,
        "recorded_at": recorded_at or store_now,
        "clock": "recorded" if recorded_at else "store",
        "counts": json.dumps(asdict(counts), sort_keys=True),
    }
    steps.apply("temporal", "insert_run", run)
    if recorded_at is not None:
        # The store's clock moved too: it dated quarantine rows, and keys that met another source.
        steps.apply(
            "temporal",
            "insert_run",
            run | {"batch_id": f"{batch_id}#store", "recorded_at": store_now, "clock": "store", "counts": "{}"},
        )
