"""Edges that follow from others by inverse, symmetric and sub-property axioms (design section 4, rule 10).

An inferred edge is valid where its premises are, supported by their statements, and gone with them. Where the relation itself
is asserted, no inferred row stands beside it. Chains and transitivity do not belong here yet.
"""

from __future__ import annotations

from datetime import datetime

from stratagraph.temporal.claims import replace_claims
from stratagraph.temporal.steps import Steps


def derive_inferences(steps: Steps, store_now: datetime) -> tuple[int, int]:
    """Derive again the inferred relations that this commit reaches, and record the difference: rows opened and closed."""
    if not int(str(steps.row("temporal", "count_implications")["number"])):
        return 0, 0
    dates = {"store_now": store_now}
    steps.keep("changed_edges", "temporal", "select_changed_edges", dates)
    if steps.count("changed_edges") == 0:
        return 0, 0
    steps.keep("inferred_keys", "temporal", "select_inferred_keys", dates)
    for name, file in (
        ("premises", "select_premises"),
        ("inferred", "derive_inferred"),
        ("current_inferred", "select_current_inferred"),
        ("inferred_rows_closed", "diff_inferred_closed"),
        ("inferred_rows_opened", "diff_inferred_opened"),
        ("inferred_claims_before", "select_inferred_claims_before"),
        ("inferred_claims", "derive_inferred_claims"),
    ):
        steps.keep(name, "temporal", file)
    steps.apply("temporal", "insert_inferred_closed")
    steps.apply("temporal", "delete_edges_open", closed="inferred_rows_closed")
    steps.apply("temporal", "insert_inferred_open")
    steps.apply("temporal", "update_inferred_confidence")
    replace_claims(steps, "inferred_claims_before", "inferred_claims")
    return steps.count("inferred_rows_opened"), steps.count("inferred_rows_closed")
