"""Derives belief again where a commit changes the log, and records the difference: rows and conflicts.

Belief at an instant depends only on the statements whose claims reach it, so that it can change only in the *windows*: the
union of the claims of the statements that came or went. Outside of them the rows before are cut, kept and joined (pieces) into
maximal segments (canonical form; coalescing after Snodgrass, "Developing Time-Oriented Database Applications in SQL", 2000,
chapters 6-10). Where only one new statement speaks and everything known was observed earlier, it wins its window unseen.
"""

from __future__ import annotations

from stratagraph.temporal.exclusion import add_denials, has_exclusions
from stratagraph.temporal.steps import Steps


def derive_rows(steps: Steps, dataset: str, source: str, recorded_at: object) -> None:
    """Keep the rows that end (`rows_closed`) and begin (`rows_opened`), from the touched keys and what changed in them."""
    _keep_log(steps, dataset, source, recorded_at)
    steps.keep("departures", "temporal", "select_departures")
    _derive(steps, dataset, source)


def derive_whole_keys(steps: Steps, dataset: str) -> None:
    """Like derive_rows, but all valid time of the touched keys is derived from the log as it stands. No arrivals."""
    steps.keep("sought", "temporal", "select_all_keys")
    steps.keep("log", "temporal", "select_log")
    steps.keep("departures", "temporal", "select_whole_keys")
    _derive(steps, dataset, "")


def _derive(steps: Steps, dataset: str, source: str) -> None:
    if has_exclusions(steps):
        steps.keep("spoken", "temporal", "select_live")
        add_denials(steps)
    else:
        steps.keep("live", "temporal", "select_live")
        steps.keep("event_starts", "temporal", "derive_event_starts", live="live")
    steps.keep("windows", "temporal", "derive_windows")
    steps.keep("rivals", "temporal", "derive_rivals")
    steps.keep("open_slots", "temporal", "select_open_slots", {"source": source})
    for name, file in (("candidates", "derive_candidates"), ("cells", "derive_cells")):
        steps.keep(name, "temporal", file)
    _keep_opinions(steps, "opinions", "candidates", "source")
    for name, file in (
        ("winners", "derive_winners"),
        ("hulls", "select_hulls"),
        ("current_rows", "select_current_rows"),
        ("meetings", "derive_meetings"),
        ("pieces", "derive_pieces"),
    ):
        steps.keep(name, "temporal", file)
    steps.keep("segments", "temporal", "derive_segments", pieces=_trust(steps, dataset))
    for name, file in (
        ("kept", "select_kept"),
        ("surer", "select_surer"),
        ("rows_closed", "select_rows_closed"),
        ("rows_opened", "select_rows_opened"),
    ):
        steps.keep(name, "temporal", file)
    steps.inline("closed_values", "temporal", "select_closed_values")
    steps.inline("opened_values", "temporal", "select_opened_values")


def write_rows(steps: Steps) -> None:
    """Close and open the rows of nodes and of asserted edges."""
    for file in ("insert_nodes_closed", "delete_nodes_open", "insert_nodes_open", "insert_edges_closed"):
        steps.apply("temporal", file)
    steps.apply("temporal", "delete_edges_open", closed="rows_closed")
    steps.apply("temporal", "insert_edges_open")
    if steps.count("surer"):
        steps.apply("temporal", "update_confidence")


def update_conflicts(steps: Steps) -> int:
    """Record which sources disagree in the windows, and where a tie was decided by the content hash alone; how many begin."""
    steps.keep("tied", "temporal", "select_tied")
    disputed = steps.count("tied") > 0 or int(str(steps.row("temporal", "count_sources")["sources"])) > 1
    if not disputed and not int(str(steps.row("temporal", "count_open_conflicts")["number"])):
        return 0
    _keep_opinions(steps, "tied_opinions", "tied", "tie")
    for name, file in (
        ("disputes", "derive_disputes"),
        ("disputes_named", "select_disputes"),
        ("current_conflicts", "select_current_conflicts"),
        ("conflict_pieces", "derive_conflict_pieces"),
    ):
        steps.keep(name, "temporal", file)
    steps.keep("conflict_segments", "temporal", "derive_segments", pieces="conflict_pieces")
    steps.keep("conflicts_closed", "temporal", "diff_conflicts_closed")
    steps.keep("conflicts_opened", "temporal", "diff_conflicts_opened")
    steps.apply("temporal", "close_conflicts")
    steps.apply("temporal", "insert_conflicts")
    return steps.count("conflicts_opened")


def _keep_log(steps: Steps, dataset: str, source: str, recorded_at: object) -> None:
    """Keep the other live statements of the touched keys, as far as they can matter.

    Where every known statement was observed before every new one, and by the same source, it matters for hot keys, and where
    the next known event bounds a new one.
    """
    facts = steps.row("temporal", "summarise_log", {"dataset": dataset, "source": source, "recorded_at": recorded_at})
    prevails = facts["later"] and not facts["others"] and steps.count("keyed_gone") == steps.count("keyed_moved") == 0
    steps.keep("sought", "temporal", "select_bounded_keys" if prevails else "select_all_keys")
    steps.keep("log", "temporal", "select_log")


def _trust(steps: Steps, dataset: str) -> str:
    """Give what is left of a cut row the confidence of its own first instant; the step of the pieces that have it."""
    if not steps.row("temporal", "count_confidences", {"dataset": dataset})["differ"]:
        return "pieces"
    steps.keep("trust", "temporal", "derive_trust")
    steps.keep("trusted_pieces", "temporal", "select_trusted_pieces")
    return "trusted_pieces"


def _keep_opinions(steps: Steps, name: str, candidates: str, division: str) -> None:
    firsts, covers = f"{name}_firsts", f"{name}_covers"
    steps.keep(firsts, "temporal", "select_firsts", candidates=candidates, division=division)
    steps.keep(covers, "temporal", "derive_covers", firsts=firsts)
    steps.keep(name, "temporal", "derive_opinions", covers=covers)
