"""Edges that follow from others by axioms of the ontology (design section 4, rule 10).

From one other edge: inverse, symmetric and sub-property axioms. From two: see `composition`. An inferred edge is valid where
its premises are, supported by their statements, and gone with them. Where the relation itself is asserted, no inferred row
stands beside it.
"""

from __future__ import annotations

from datetime import datetime

from stratagraph.temporal.claims import replace_claims
from stratagraph.temporal.composition import compose, has_compositions, rules_changed
from stratagraph.temporal.steps import Steps


def derive_inferences(steps: Steps, dataset: str, store_now: datetime, *, replayed: bool = False) -> tuple[int, int]:
    """Derive again the inferred relations that this commit reaches, and record the difference: rows opened and closed.

    `replayed`: the store is brought to what it was, so that what was inferred may be missing though nothing changed.
    """
    composing = has_compositions(steps, dataset)
    if not composing and not int(str(steps.row("temporal", "count_implications")["number"])):
        return 0, 0
    dates = {"store_now": store_now}
    steps.keep("changed_edges", "temporal", "select_changed_edges", dates)
    whole = composing and (replayed or rules_changed(steps, dataset))
    if steps.count("changed_edges") == 0 and not whole:
        return 0, 0
    steps.keep("plain_keys", "temporal", "select_inferred_keys", dates)
    if composing and compose(steps, dataset, whole=whole):
        named = {"dataset": dataset, "store_now": store_now}
        steps.keep("composed_premises", "temporal", "select_composed_premises", named, edges="near_edges")
        steps.keep("inferred_keys", "temporal", "select_inferred_keys_with_composed", named)
        steps.keep("plain_premises", "temporal", "select_premises")
        steps.keep("premises", "temporal", "select_both", these="plain_premises", those="composed_premises")
    else:
        steps.keep("inferred_keys", "temporal", "select_all_of", rows="plain_keys")
        steps.keep("premises", "temporal", "select_premises")
    for name, file in (
        ("inferred", "derive_inferred"),
        ("current_inferred", "select_current_inferred"),
        ("inferred_rows_closed", "diff_inferred_closed"),
        ("inferred_rows_opened", "diff_inferred_opened"),
        ("inferred_claims_before", "select_inferred_claims_before"),
    ):
        steps.keep(name, "temporal", file)
    if composing:  # a statement may begin several derivations of one edge
        steps.keep("claim_pieces", "temporal", "derive_inferred_claims")
        steps.keep("inferred_claims", "temporal", "derive_joined_claims")
    else:
        steps.keep("inferred_claims", "temporal", "derive_inferred_claims")
    steps.apply("temporal", "insert_inferred_closed")
    steps.apply("temporal", "delete_edges_open", closed="inferred_rows_closed")
    steps.apply("temporal", "insert_inferred_open")
    steps.apply("temporal", "update_inferred_confidence")
    replace_claims(steps, "inferred_claims_before", "inferred_claims")
    return steps.count("inferred_rows_opened"), steps.count("inferred_rows_closed")
