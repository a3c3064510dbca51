"""Edges that follow from others by inverse, symmetric and sub-property axioms (design section 4, rule 10).

An inferred edge is valid where its premises are, supported by their statements, and gone with them. Where the relation itself
is asserted, no inferred row stands beside it. Chains and transitivity do not belong here yet.
"""

from __future__ import annotations

from datetime import datetime

from stratagraph.temporal.steps import Steps


def derive_inferences(steps: Steps, store_now: datetime) -> None:
    """Derive again the inferred relations that this commit's changes reach, and record the difference."""
    from stratagraph.temporal.commit import compare_support

    dates = {"store_now": store_now}
    steps.keep("changed_edges", "temporal", "select_changed_edges", dates)
    steps.keep("inferred_keys", "temporal", "select_inferred_keys", dates)
    for name, file in (
        ("premises", "select_premises"),
        ("inferred", "derive_inferred"),
        ("current_inferred", "select_current_inferred"),
        ("inferred_rows_closed", "diff_inferred_closed"),
        ("inferred_rows_opened", "diff_inferred_opened"),
        ("inferred_support", "derive_inferred_support"),
        ("inferred_dates", "select_inferred_dates"),
    ):
        steps.keep(name, "temporal", file)
    compare_support(steps, current="current_inferred", wanted="inferred_support", keys="inferred_dates", prefix="inferred_")
    steps.apply("temporal", "insert_edges_closed", closed="inferred_rows_closed")
    steps.apply("temporal", "delete_edges_open", closed="inferred_rows_closed")
    steps.apply("temporal", "insert_inferred_open")
    steps.apply("temporal", "close_support", closed="inferred_support_closed")
    steps.apply("temporal", "insert_support", opened="inferred_support_opened")
