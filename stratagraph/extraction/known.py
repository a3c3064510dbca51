"""Names that the structured sources give their things, matched to the chunks that name them.

In one build rows are staged before texts are read and committed after, so staged rows count as what the source says. All
matching is joins in SQL; what a name in a text means is the engine's (`embedded/names.py`).
"""

from __future__ import annotations

import duckdb

from stratagraph.extraction.tokens import FUNCTION_WORDS
from stratagraph.ontology.model import Ontology
from stratagraph.project import Project, fingerprint
from stratagraph.sources.batches import PRODUCER
from stratagraph.sqlfiles import load_sql
from stratagraph.staging import StagedBatch, staged_batches

LAYER = "extraction"
LONGEST = 12  # words (or Chinese characters) of a name that is looked for
MOST = 200  # names a chunk


def create_known(connection: duckdb.DuckDBPyConnection, project: Project, ontology: Ontology) -> None:
    """Make the temp table `extraction_known`: (chunk_id, name, class_iri) of what the sources name and a live chunk names."""
    dataset = project.config.dataset
    waiting = _waiting(connection, project)
    connection.execute(load_sql(LAYER, "create_name_macros"))
    if waiting:
        files = {"files": [str(staged.statements) for staged in waiting]}
        connection.execute(load_sql(LAYER, "create_staged_names"), files)
    else:
        connection.execute(load_sql(LAYER, "create_no_staged_names"))
    names = {
        "dataset": dataset, "classes": sorted(ontology.classes), "common": sorted(FUNCTION_WORDS), "longest": LONGEST,
        "replaced": sorted({staged.batch.source for staged in waiting if staged.batch.complete}),
    }  # fmt: skip
    connection.execute(load_sql(LAYER, "create_names"), names)
    connection.execute(load_sql(LAYER, "create_known"), {"dataset": dataset, "most": MOST})


def names_state(connection: duckdb.DuckDBPyConnection, project: Project) -> str:
    """A fingerprint of what the sources name: the same before and after their staged rows are committed."""
    staged = {(each.batch.source, each.batch.batch_id) for each in staged_batches(project, PRODUCER)}
    batches = {batch for batch in _committed(connection, project) | staged if batch[0] in project.config.sources}
    return fingerprint(*(part for batch in sorted(batches) for part in batch))


def _committed(connection: duckdb.DuckDBPyConnection, project: Project) -> set[tuple[str, str]]:
    rows = connection.execute(load_sql(LAYER, "select_committed"), {"dataset": project.config.dataset}).fetchall()
    return {(str(source), str(batch_id)) for source, batch_id in rows}


def _waiting(connection: duckdb.DuckDBPyConnection, project: Project) -> list[StagedBatch]:
    """Batches of rows that are not committed, from the last one on that states its source anew."""
    committed = {batch_id for _, batch_id in _committed(connection, project)}
    waiting: dict[str, list[StagedBatch]] = {}
    for staged in staged_batches(project, PRODUCER):
        if staged.batch.batch_id not in committed:
            before = [] if staged.batch.complete else waiting.get(staged.batch.source, [])
            waiting[staged.batch.source] = [*before, staged]
    return [staged for source in sorted(waiting) for staged in waiting[source]]
