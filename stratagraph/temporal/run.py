"""The belief stage: commits every staged batch that the store has not seen, in order.

Rows come before documents and text, so that text can be resolved against what the structured sources say. One refused batch
does not stop the others; the refusals are raised together at the end.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

import duckdb

from stratagraph.errors import CommitRefusedError
from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import StagedBatch, staged_batches
from stratagraph.temporal.commit import CommitCounts, apply_rules, commit

# The order of the flow: structured sources, documents, what was read from text.
PRODUCERS = ("rows", "documents", "text")


@dataclass(frozen=True)
class BeliefResult:
    """What the belief stage did in all its commits."""

    changed: bool
    batches: int = 0
    recorded_batches: int = 0
    counts: CommitCounts = field(default_factory=CommitCounts)
    totals: dict[str, int] = field(default_factory=dict)

    def metadata(self) -> dict[str, int | float | str]:
        """Numbers for an asset's page: what changed, and the size of the store."""
        numbers: dict[str, int | float | str] = {"batches": self.batches, "recorded_batches": self.recorded_batches}
        for name, value in asdict(self.counts).items():
            if name != "reasons":
                numbers[name] = value
        for reason, count in self.counts.reasons.items():
            numbers[f"quarantined_{reason}"] = count
        return numbers | self.totals


def commit_staged(project: Project, run_id: str = "") -> BeliefResult:
    """Commit all staged batches of all producers that are not in `graph.runs` yet.

    Raises:
        CommitRefusedError: at least one batch was refused (the others are committed).
    """
    dataset = project.config.dataset
    batches = [staged for producer in PRODUCERS for staged in staged_batches(project, producer)]
    done, refusals = [], []
    with project.write() as connection:
        found = connection.execute(load_sql("temporal", "select_batch_ids"), {"dataset": dataset}).fetchall()
        committed = {str(row[0]) for row in found}
        pending = [staged for staged in batches if staged.batch.batch_id not in committed]
        rules = apply_rules(connection, dataset=dataset, batch_id=f"rules-{len(committed)}", clock=project.clock, run_id=run_id)
        for position, staged in enumerate(pending):
            try:
                done.append(_commit_one(project, connection, staged, run_id))
            except CommitRefusedError as error:
                if not _superseded(staged, pending[position + 1 :]):
                    refusals.append(error)
        totals = {name: int(count) for name, count in connection.execute(load_sql("temporal", "count_tables")).fetchall()}
    if refusals:
        raise CommitRefusedError("\n".join(str(error) for error in refusals))
    counts = sum(done, rules)
    recorded = sum(1 for staged in pending if staged.batch.recorded_at is not None)
    return BeliefResult(bool(done) or rules.rows_written > 0, len(done), recorded, counts, totals)


def _commit_one(project: Project, connection: duckdb.DuckDBPyConnection, staged: StagedBatch, run_id: str) -> CommitCounts:
    batch = staged.batch
    return commit(
        connection,
        staged.statements,
        dataset=project.config.dataset,
        source=batch.source,
        batch_id=batch.batch_id,
        clock=project.clock,
        links=staged.links if staged.links.exists() else None,
        complete=batch.complete,
        recorded_at=batch.recorded_at,
        # A recorded version was judged when it was loaded, against the last one that was accepted.
        max_shrink=1.0 if batch.recorded_at is not None else project.config.max_shrink(batch.source),
        integrity=project.config.belief.integrity,
        run_id=run_id,
    )


def _superseded(staged: StagedBatch, later: list[StagedBatch]) -> bool:
    """Whether a later version of the same recorded source follows: a broken version is then history, not a failure."""
    return staged.batch.recorded_at is not None and any(
        other.batch.source == staged.batch.source and other.batch.recorded_at is not None for other in later
    )
