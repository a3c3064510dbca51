"""Stages a node for every document, so that documents are entities: found, cited and linked like any other.

What a document says is staged by extraction; here it is only said that the document exists, what it is called, when it is from
and in which language. Both kinds of statements come from the same files, but they are loads of their own, and a complete load
withdraws what its source said before: so each has a source name of its own.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from stratagraph.documents.load import LAYER
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import Batch, clear_batches, staged_batches, write_batch

VERSION = 1  # of what the statements look like; a change stages everything again
PRODUCER = "documents"
SOURCE_SUFFIX = "/documents"
CORE = "urn:stratagraph:core#"


@dataclass(frozen=True)
class StageResult:
    """Batches that wait for the commit, and the statements this run wrote."""

    changed: bool
    batches: int
    statements: int

    def metadata(self) -> dict[str, int | float | str]:
        return asdict(self)


def stage_documents(project: Project) -> StageResult:
    """Stage one complete batch per documents source whose documents differ from what was committed last."""
    dataset = project.config.dataset
    names = {"class": CORE + "Document", "date": CORE + "date", "language": CORE + "language", "title": CORE + "title"}
    with project.read() as connection:
        committed = {row[0] for row in connection.execute(load_sql(LAYER, "select_committed"), {"dataset": dataset}).fetchall()}
        states = connection.execute(load_sql(LAYER, "select_source_states"), {"dataset": dataset}).fetchall()
        batches = [
            Batch(fingerprint("documents", VERSION, dataset, source, *state), source + SOURCE_SUFFIX, order, complete=True)
            for order, (source, *state) in enumerate(states)
        ]
        wanted = [batch for batch in batches if batch.batch_id not in committed]
        if [staged.batch for staged in staged_batches(project, PRODUCER)] == wanted:
            return StageResult(False, len(wanted), 0)
        clear_batches(project, PRODUCER)  # what was staged of an older state and never committed
        statements = 0
        for batch in wanted:
            parameters = {
                "dataset": dataset,
                "source": batch.source.removesuffix(SOURCE_SUFFIX),
                "said_by": batch.source,
            } | names
            relation = connection.sql(load_sql(LAYER, "select_statements"), params=parameters)
            write_batch(project, PRODUCER, batch, relation)
            statements += len(relation)
    return StageResult(bool(wanted), len(wanted), statements)
