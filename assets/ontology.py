"""Stage 6: the OWL files, as the axioms that the other stages read."""

from __future__ import annotations

import dagster as dg

from assets.stage import OWNERS, POOL, clear_failures, count_rows, shown
from stratagraph.project import Project


@dg.asset(
    key=["graph", "ontology"],
    group_name="ontology",
    description="Classes, properties and implications of the ontology: what is allowed, single-valued, inferred.",
    owners=OWNERS,
    kinds={"owl", "duckdb"},
    code_version="1",
    pool=POOL,
)
def ontology(project: dg.ResourceParam[Project]) -> dg.MaterializeResult:
    """Read the ontology files."""
    from stratagraph.ontology.load import update_ontology

    with clear_failures():
        result = update_ontology(project)
        rows = count_rows(project, "ontology_properties")
    return dg.MaterializeResult(metadata=shown(result, table="graph.ontology_properties", rows=rows["ontology_properties"]))
