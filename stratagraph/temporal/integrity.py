"""Edges against the nodes at their ends (design section 4, rule 9): what is done about an edge whose end is not believed.

A policy decides at commit (`reject`); what is only reported is asked of the finished tables (`temporal.audit`), and what is
shown of an edge is decided where it is read (`edges_as_of`, `edges_within_ends`). An end is believed on the union of its node's
segments, all facets together, so an attribute that changes never touches the node's edges.
"""

from __future__ import annotations

from typing import get_args

from stratagraph.config.values import IntegrityPolicy
from stratagraph.errors import CommitRefusedError
from stratagraph.temporal.steps import Steps


def check_integrity(steps: Steps, policy: IntegrityPolicy, where: str) -> int:
    """Count the stretches of the edges a commit touches on which an end is not believed; zero unless the policy is `reject`.

    Call it inside the commit's transaction, when the rows are written.

    Args:
        steps: the commit, with its tables `rows_opened` and `rows_closed`.
        policy: report (accepted, and listed by the check), clip (accepted, edges may well be longer than their ends), reject.
        where: what is committed, for the message.

    Raises:
        CommitRefusedError: under `reject`, if there is such a stretch.
    """
    if policy not in get_args(IntegrityPolicy):
        raise ValueError(f"not an integrity policy: {policy!r}")
    # Under the other policies the answer changes nothing here, and asking costs a look at the nodes.
    if policy != "reject":
        return 0
    concerned = steps.row("integrity", "count_concerned")
    if not concerned["edges"] and not concerned["nodes"]:
        return 0
    steps.keep("touched_edges", "integrity", "select_touched_edges")
    steps.keep("uncovered", "integrity", "derive_uncovered", edges="touched_edges")
    found = steps.row("integrity", "summarise_uncovered")
    stretches = int(str(found["stretches"]))
    if stretches:
        raise CommitRefusedError(
            f"{stretches} stretches of {found['edges']} edges would lack an end: {_listed(found['sample'], stretches)}",
            where=where,
            hint="nothing was written. State the nodes in the same batch, or set belief.integrity to report or clip",
        )
    return stretches


def _listed(sample: object, count: int) -> str:
    words = [str(item) for item in sample] if isinstance(sample, list) else []
    return "; ".join(words) + ("; …" if count > len(words) else "")
