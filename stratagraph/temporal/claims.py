"""Keeps `graph.claims`: which statement says what of which row, and from when to when it does.

A claim is one statement's part in what is believed. `graph.support` joins it with the rows it overlaps, so that the number of
claims grows with the log and not with the rows that a contested key is cut into.
"""

from __future__ import annotations

from stratagraph.temporal.steps import Steps


def update_claims(steps: Steps, affected: str = "select_affected") -> None:
    """Record the claims that end and begin with this commit; `affected` is the step that finds whose may."""
    steps.keep("affected", "temporal", affected)
    steps.keep("claims_wanted", "temporal", "derive_claims")
    if steps.count("affected") == 0:
        steps.apply("temporal", "insert_claims", opened="claims_wanted")
        return
    steps.keep("claims_before", "temporal", "select_claims_before")
    replace_claims(steps, "claims_before", "claims_wanted")


def replace_claims(steps: Steps, before: str, wanted: str) -> None:
    """Close the claims of `before` that are not in `wanted`, and open those that are only there."""
    steps.keep("claims_closed", "temporal", "diff_claims", these=before, those=wanted)
    steps.keep("claims_opened", "temporal", "diff_claims", these=wanted, those=before)
    steps.apply("temporal", "close_claims", closed="claims_closed")
    steps.apply("temporal", "insert_claims", opened="claims_opened")
