"""The only writer of belief: one batch of statements becomes bitemporal node and edge rows, in one transaction.

Belief is a pure function of the statement log (design section 4): the log changes, the touched keys are derived again, and
the difference is recorded. The canonical form is that of design rule 4: a row is a maximal valid-time segment with one value,
kept for the maximal transaction-time interval in which exactly that segment is believed (half-open periods and the two clocks
as in SQL:2011; coalescing after Snodgrass, "Developing Time-Oriented Database Applications in SQL", 2000, chapters 6-10).
Everything is set-based; what a step computes stands in `sql/temporal/`. What a batch is against the log is decided in `intake`,
which refs are one thing in `identity`, what is believed in `belief`, and what follows from it in `inference`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import duckdb

from stratagraph.errors import CommitRefusedError
from stratagraph.identity.resolve import assign_nodes, register_functions, resolve_identities
from stratagraph.project import Clock
from stratagraph.sqlfiles import load_sql
from stratagraph.temporal.belief import derive_rows, derive_whole_keys, update_conflicts, write_rows
from stratagraph.temporal.claims import update_claims
from stratagraph.temporal.exclusion import add_keys_of_pairs, date_pairs, has_exclusions
from stratagraph.temporal.inference import derive_inferences
from stratagraph.temporal.intake import compare_with_log, keep_table, read_batch, read_nothing, renew_restated
from stratagraph.temporal.integrity import check_integrity
from stratagraph.temporal.steps import Steps
from stratagraph.temporal.tombstones import drop_erased
from stratagraph.transactions import transaction

if TYPE_CHECKING:
    from stratagraph.config.values import IntegrityPolicy
    from stratagraph.temporal.intake import StatementTable


@dataclass(frozen=True)
class CommitCounts:
    """What one commit did. `erased` statements were dropped; `keys_met`: of a recorded source, dated by the store's clock."""

    statements: int = 0
    new: int = 0
    unchanged: int = 0
    withdrawn: int = 0
    quarantined: int = 0
    empty_periods: int = 0
    erased: int = 0
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
    integrity: IntegrityPolicy = "report",
) -> CommitCounts:
    """Commit a batch of statements of one source.

    Args:
        connection: a warehouse opened for writing (`Project.write`), with no transaction open.
        statements: columns of `staging.STATEMENT_COLUMNS`; a Parquet file, a DuckDB relation, or a Polars or Arrow table.
        dataset: the unit of isolation; every statement of the batch must carry it.
        source: the source's name; a complete batch withdraws what this source said before and does not say now.
        batch_id: recorded in `graph.runs`; the caller skips ids that stand there.
        clock: gives the present instant; the store's transaction time is max(now, last + 1 µs).
        links: columns of `staging.LINK_COLUMNS`: refs that one record gives to one thing.
        complete: whether absence means that the source no longer says it.
        recorded_at: transaction time (UTC) of a recorded source; later than that source's last and not in the future.
        max_shrink: a complete batch that would withdraw more than this share of the source's live statements is refused.
        integrity: what is done about an edge that would lack an end for a time: see `temporal.integrity`.

    Raises:
        CommitRefusedError: the batch was refused as a whole and nothing was written.
    """
    steps = Steps(connection)
    register_functions(connection)
    with transaction(connection):
        store_now = next_instant(steps, clock, dataset, source, recorded_at)
        erased = read_batch(steps, dataset, statements, links)
        compare_with_log(steps, dataset, source, complete, max_shrink, batch_id)
        steps.apply("temporal", "insert_refused", {"run_id": run_id, "recorded_at": store_now})
        changed = resolve_identities(steps, store_now=store_now, identity_at=recorded_at or store_now)
        if not complete:
            renew_restated(steps)
        counts = _count_batch(steps, erased)
        if counts.new or counts.withdrawn or changed or _rules_changed(steps, dataset):
            counts += _change_belief(steps, dataset, source, store_now, recorded_at)
            check_integrity(steps, integrity, f"source {source}, batch {batch_id}")
        counts += CommitCounts(identities_changed=changed)
        _record_run(steps, dataset, source, batch_id, run_id, stage, store_now, recorded_at, counts)
        steps.drop()
    return counts


def apply_rules(
    connection: duckdb.DuckDBPyConnection, *, dataset: str, batch_id: str, clock: Clock, run_id: str = ""
) -> CommitCounts:
    """Derive again what a changed ontology touches: properties that became single-valued or ceased to be, exclusions,
    and implications.

    Writes nothing when belief has already applied the rules that stand in `graph.ontology_*`.
    """
    steps = Steps(connection)
    register_functions(connection)
    with transaction(connection):
        if not _rules_changed(steps, dataset):
            return CommitCounts()
        store_now = next_instant(steps, clock, dataset, "", None)
        read_nothing(steps, dataset)
        changed = resolve_identities(steps, store_now=store_now, identity_at=store_now)
        counts = _change_belief(steps, dataset, "", store_now, None) + CommitCounts(identities_changed=changed)
        _record_run(steps, dataset, "ontology", batch_id, run_id, "rules", store_now, None, counts)
        steps.drop()
    return counts


def assign_identities(
    connection: duckdb.DuckDBPyConnection,
    assignments: StatementTable,
    *,
    dataset: str,
    batch_id: str,
    clock: Clock,
    run_id: str = "",
) -> CommitCounts:
    """A user's merge or split: refs stand for other nodes from now on, and what that touches is derived again.

    No automatic resolution undoes it (design section 4, rule 12). Refs that stood for a reassigned ref follow it.

    Args:
        assignments: columns ref, node_id, reason, each ref once; `node_id` = `ref` splits the ref off.
    """
    steps = Steps(connection)
    with transaction(connection):
        store_now = next_instant(steps, clock, dataset, "", None)
        read_nothing(steps, dataset)
        keep_table(steps, "assigned", assignments)
        drop_erased(steps, dataset, "assigned", "select_unerased_refs", ref="ref", other="node_id")
        changed = assign_nodes(steps, dataset=dataset, store_now=store_now)
        counts = _change_belief(steps, dataset, "", store_now, None) if changed else CommitCounts()
        counts += CommitCounts(identities_changed=changed)
        if changed:
            _record_run(steps, dataset, "user", batch_id, run_id, "identity", store_now, None, counts)
        steps.drop()
    return counts


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


def _change_belief(steps: Steps, dataset: str, source: str, store_now: datetime, recorded_at: datetime | None) -> CommitCounts:
    """Bring the log, belief, claims, conflicts and inferred edges up to what the step tables of this commit say."""
    changed_rules = _rules_changed(steps, dataset)
    if changed_rules:
        steps.keep("rule_statements", "temporal", "select_rule_statements", {"dataset": dataset})
    else:
        steps.keep("rule_statements", "temporal", "select_no_statements")
    steps.keep("changed_implications", "temporal", "select_changed_implications", {"dataset": dataset})
    _touch_keys(steps, source, store_now, recorded_at)
    steps.apply("temporal", "insert_evidence")
    steps.apply("temporal", "close_statements")
    derive_rows(steps, dataset, source, recorded_at or store_now)
    steps.apply("temporal", "insert_statements")
    write_rows(steps)
    update_claims(steps)
    if changed_rules:
        steps.apply("temporal", "close_rekeyed_conflicts", {"dataset": dataset, "store_now": store_now})
    conflicts = update_conflicts(steps)
    opened, closed = derive_inferences(steps, dataset, store_now)
    if changed_rules:
        steps.apply("temporal", "replace_applied_rules", {"dataset": dataset})
    counts = CommitCounts(**_numbers(steps, "count_rows"))
    return replace(counts, conflicts_opened=conflicts, inferred_opened=opened, inferred_closed=closed)


def _rules_changed(steps: Steps, dataset: str) -> bool:
    """Whether the ontology differs from the one that belief last applied."""
    return bool(steps.row("temporal", "count_rule_changes", {"dataset": dataset})["number"])


def derive_keys(steps: Steps, dataset: str, at: datetime) -> None:
    """Derive keys again whole from the log as it stands, within a transaction of the caller, and record the difference at `at`.

    Reads the step tables whole_keys (dataset, kind, k1, k2, k3), mapping and rules.
    """
    read_nothing(steps, dataset)
    for name in ("keyed_gone", "keyed_moved"):
        steps.keep(name, "temporal", "key_statements", statements="withdrawn", mapping="mapping")
    steps.keep("keyed_arrivals", "temporal", "key_arrivals")
    steps.keep("keys", "temporal", "select_keys_whole")
    steps.keep("touched", "temporal", "date_keys_by_store", {"store_now": at})
    steps.keep("history", "temporal", "select_history_of_subjects", keys="keys")
    steps.keep("keyed_history", "temporal", "key_statements", statements="history", mapping="mapping")
    steps.keep("keyed_moved", "temporal", "key_statements", statements="history", mapping="mapping")  # all may uphold anew
    steps.keep("changed_implications", "temporal", "select_changed_implications", {"dataset": dataset})
    derive_whole_keys(steps, dataset)
    write_rows(steps)
    update_claims(steps, "select_affected_whole")
    update_conflicts(steps)
    derive_inferences(steps, dataset, at, replayed=True)


def _touch_keys(steps: Steps, source: str, store_now: datetime, recorded_at: datetime | None) -> None:
    """Keep the keys that this commit touches, each with its number and the transaction time of its change."""

    def key(name: str, statements: str, mapping: str = "mapping") -> None:
        steps.keep(name, "temporal", "key_statements", statements=statements, mapping=mapping)

    steps.keep("keyed_arrivals", "temporal", "key_arrivals")
    key("keyed_withdrawn", "withdrawn", mapping="mapping_before")
    key("keyed_left", "moved", mapping="mapping_before")
    key("keyed_came", "moved")
    key("keyed_rule_statements", "rule_statements")
    steps.keep("keyed_gone", "temporal", "select_both", these="keyed_withdrawn", those="keyed_left")
    steps.keep("keyed_moved", "temporal", "select_both", these="keyed_came", those="keyed_rule_statements")
    exclusive = has_exclusions(steps)
    if exclusive:
        steps.keep("changed_keys", "temporal", "select_keys")
        add_keys_of_pairs(steps)
    else:
        steps.keep("keys", "temporal", "select_keys")
    if recorded_at is None:
        steps.keep("touched", "temporal", "date_keys_by_store", {"store_now": store_now})
    else:
        steps.keep("history", "temporal", "select_history_of_subjects", keys="keys")
        key("keyed_history", "history")
        dates = {"store_now": store_now, "recorded_at": recorded_at, "source": source}
        steps.keep("dated_keys" if exclusive else "touched", "temporal", "date_keys_by_source", dates)
        if exclusive:
            date_pairs(steps, store_now)


def _count_batch(steps: Steps, erased: int) -> CommitCounts:
    counts = CommitCounts(**_numbers(steps, "count_batch"))
    found = steps.connection.execute(load_sql("temporal", "select_quarantine_reasons")).fetchall()
    reasons = {str(reason): int(count) for reason, count in found}
    unchanged = counts.statements - counts.new - counts.quarantined - counts.empty_periods
    return replace(counts, statements=counts.statements + erased, erased=erased, unchanged=unchanged, reasons=reasons)


def _numbers(steps: Steps, file: str) -> dict[str, Any]:
    return {name: int(str(value)) for name, value in steps.row("temporal", file).items()}


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
