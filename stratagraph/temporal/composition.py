"""Edges that follow from two others, one after the other: transitive relations and property chains (design section 4, rule 10).

At each instant they are the least set that is closed under the rules, over what is believed there. A commit composes again only
what lies on a way through an edge that changed: from whatever reaches it to whatever it leads to. The paths between those are
found from the asserted edges alone, so what was inferred before is only compared. Nothing here is done for a dataset whose
ontology has no such rule.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from stratagraph.errors import CommitRefusedError
from stratagraph.temporal.intake import keep_table
from stratagraph.temporal.steps import Steps

# What one commit may come to: more is taken for a relation that is transitive by mistake, and refused.
MAX_PATHS = 5_000_000
MAX_JOINED = 200_000_000

# From this share of the edges on it is cheaper to compose all again than to find out what changed.
WHOLE_SHARE = 0.25

Rules = list[tuple[str, str, str]]


def has_compositions(steps: Steps, dataset: str) -> bool:
    """Whether the ontology composes relations, or did when belief last applied it."""
    return bool(steps.row("temporal", "count_compositions", {"dataset": dataset})["number"])


def rules_changed(steps: Steps, dataset: str) -> bool:
    """Whether what can be composed is not what it was when belief last applied the rules. Reads changed_implications."""
    return bool(steps.row("temporal", "count_changed_compositions", {"dataset": dataset})["number"])


def compose(steps: Steps, dataset: str, *, whole: bool) -> bool:
    """Keep which asserted edges begin the derivation of which relation (`near_edges`), and what was inferred (`old_edges`).

    Returns whether there is anything to compose again; if not, they are not kept.

    Args:
        whole: compose everything, whatever changed. Otherwise reads changed_edges and plain_keys.

    Raises:
        CommitRefusedError: more paths would follow than `MAX_PATHS`.
    """
    named = {"dataset": dataset}
    for name, file in (("compositions", "select_compositions"), ("images", "select_images"), ("composed", "select_composed")):
        steps.keep(name, "temporal", file, named)
    if not whole and not steps.row("temporal", "count_changed_composed", named)["number"]:
        return False
    rules = steps.connection.table("compositions").order("ALL").fetchall()
    images = steps.connection.table("images").order("ALL").fetchall()
    keep_table(steps, "parts", parts_table(rules, images))
    steps.keep("hops", "temporal", "select_hops", named)
    whole = whole or steps.count("changed_edges") > WHOLE_SHARE * steps.count("hops")
    hops = "hops" if whole else _keep_near(steps, dataset)
    _find_paths(steps, hops, rules)
    _find_leads(steps)
    steps.keep("composed_edges", "temporal", "derive_composed_edges", hops=hops)
    if whole:
        steps.keep("near_edges", "temporal", "select_all_of", rows="composed_edges")
        steps.keep("old_edges", "temporal", "select_old_edges", named)
    else:
        steps.keep("near_edges", "temporal", "select_near_edges")
        steps.keep("old_edges", "temporal", "select_old_near_edges", named)
    return True


def parts_table(rules: Rules, images: Iterable[tuple[str, str, bool]]) -> pa.Table:
    """Which relations are composed with each other: (predicate, part, both_ways), a relation in one part.

    A part also holds what its results imply, if that is composed further. Between two transitive relations it is not needed: a
    step of one is a step of the other. If ends change places on the way, its edges are followed in both directions.
    """
    part = {predicate: predicate for rule in rules for predicate in rule}

    def top(predicate: str) -> str:
        while part[predicate] != predicate:
            predicate = part[predicate]
        return predicate

    def join(one: str, other: str) -> None:
        low, high = sorted((top(one), top(other)))
        part[high] = low

    closed = {first for first, second, implied in rules if first == second == implied}
    chained = {implied for first, second, implied in rules if not first == second == implied}
    for first, second, implied in rules:
        join(first, second)
        join(first, implied)
    feeding = [
        (head, body, swapped)
        for head, body, swapped in images
        if head in part and body in part and (head != body or swapped) and (head in chained or not {head, body} <= closed)
    ]
    for head, body, _ in feeding:
        join(head, body)
    both = {top(head) for head, _, swapped in feeding if swapped}
    names = sorted(part)
    return pa.table({
        "predicate": pa.array(names, pa.string()),
        "part": pa.array([top(name) for name in names], pa.string()),
        "both_ways": pa.array([top(name) in both for name in names], pa.bool_()),
    })  # fmt: skip


def _keep_near(steps: Steps, dataset: str) -> str:
    """Keep where composed relations may have changed (`origins`, `targets`), and the hops between those; the latter's step."""
    steps.keep("links", "temporal", "select_links")
    steps.keep("links_back", "temporal", "select_links_back")
    steps.keep("changed_links", "temporal", "select_changed_links", {"dataset": dataset})
    steps.keep("starts", "temporal", "select_starts", links="changed_links")
    steps.keep("ends", "temporal", "select_ends", links="changed_links")
    _reach(steps, {"starts": "links_back"})
    _reach(steps, {"ends": "links"})
    steps.keep("origins", "temporal", "select_origins", {"dataset": dataset}, seen="starts_seen")
    steps.keep("targets", "temporal", "select_targets", {"dataset": dataset}, seen="ends_seen")
    # Every path from an origin stays within what origins reach, every path to a target within what reaches targets.
    near = _reach(steps, {"origins": "links", "targets": "links_back"})
    steps.keep("near_hops", "temporal", "select_near_hops", near=near)
    return "near_hops"


def _reach(steps: Steps, starts: dict[str, str]) -> str:
    """Follow links (value) from nodes (key) until one of the searches has found all; its step, `<key>_seen`.

    The search with the fewest new nodes goes on first.
    """
    front = {start: start for start in starts}
    for start in starts:
        steps.keep(f"{start}_seen", "temporal", "select_all_of", rows=start)
    while True:
        start = min(starts, key=lambda name: (steps.count(front[name]), name))
        if not steps.count(front[start]):
            return f"{start}_seen"
        seen, last = f"{start}_seen", f"{start}_front"
        steps.keep(f"{start}_next", "temporal", "derive_reached", front=front[start], seen=seen, links=starts[start])
        steps.keep(last, "temporal", "select_all_of", rows=f"{start}_next")
        steps.keep(seen, "temporal", "select_both", these=seen, those=last)
        front[start] = last


def _find_paths(steps: Steps, hops: str, rules: Rules) -> None:
    """Keep `paths`: on which stretches which relation leads from where to where, in however many steps."""
    steps.keep("places", "temporal", "select_places", hops=hops)
    for name, file in (
        ("symbols", "select_symbols"),
        ("chain_rules", "select_chain_rules"),
        ("image_rules", "select_image_rules"),
    ):
        steps.keep(name, "temporal", file)
    steps.keep("leads", "temporal", "select_first_leads", hops=hops)
    steps.keep("steps", "temporal", "select_steps")
    while True:
        steps.keep("paths", "temporal", "select_first_paths")
        length = 1
        while _add_longer_paths(steps, length, rules):
            length *= 2
        if not steps.count("chain_rules") and not steps.count("image_rules"):
            return
        _check(steps.row("temporal", "count_chained"), MAX_JOINED, "comparisons", rules)
        steps.keep("chained", "temporal", "derive_chained")
        steps.keep("more_steps", "temporal", "derive_more_steps")
        steps.keep("new_steps", "temporal", "select_fresh", these="more_steps", those="steps")
        if not steps.count("new_steps"):
            return
        steps.keep("steps", "temporal", "select_both", these="steps", those="new_steps")
        _check({"number": steps.count("steps")}, MAX_PATHS, "edges", rules)


def _add_longer_paths(steps: Steps, length: int, rules: Rules) -> bool:
    values = {"length": length}
    _check(steps.row("temporal", "count_longer_paths", values), MAX_JOINED, "comparisons", rules)
    steps.keep("longer_paths", "temporal", "derive_longer_paths", values)
    steps.keep("new_paths", "temporal", "select_fresh", these="longer_paths", those="paths")
    if not steps.count("new_paths"):
        return False
    steps.keep("paths", "temporal", "select_both", these="paths", those="new_paths")
    _check({"number": steps.count("paths")}, MAX_PATHS, "edges", rules)
    return True


def _find_leads(steps: Steps) -> None:
    """Keep `results`: composed relations, each with the asserted edges (premise) that its derivations begin with."""
    steps.keep("new_leads", "temporal", "select_all_of", rows="leads")
    steps.keep("results", "temporal", "select_none_of", rows="leads")
    while steps.count("new_leads"):
        steps.keep("path_leads", "temporal", "derive_path_leads", leads="new_leads")
        steps.keep("chain_leads", "temporal", "derive_chain_leads", leads="new_leads")
        for found in ("path_leads", "chain_leads"):
            steps.keep("results", "temporal", "select_both", these="results", those=found)
        steps.keep("more_leads", "temporal", "derive_more_leads")
        steps.keep("new_leads", "temporal", "select_fresh_leads", these="more_leads", those="leads")
        steps.keep("leads", "temporal", "select_both", these="leads", those="new_leads")


def _check(found: dict[str, object], limit: int, what: str, rules: Rules) -> None:
    number = int(str(found["number"]))
    if number > limit:
        names = ", ".join(sorted({implied for *_, implied in rules})[:5])
        raise CommitRefusedError(
            f"what follows from {names} comes to {number:,} {what}, and a commit composes {limit:,} at most",
            where="ontology: owl:TransitiveProperty, owl:propertyChainAxiom",
            hint="nothing was written. A relation that leads from nearly everything to nearly everything is seldom meant to be "
            "transitive: take the axiom out of the ontology, or split the batch if it is",
        )
