"""Each rule's test can fail: a bug planted in the SQL of a rule is found by a small random run against the oracle.

A mutation replaces text of one file as it is loaded. It has to leave SQL that runs: an error of the engine is no finding.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from genres import ALL, EXCLUSIONS, FAMILY, GENRES, PLACES, Genre, related, rivals, tell_randomly
from oracle import Implication
from stories import Story, statement

from stratagraph import sqlfiles


@dataclass(frozen=True)
class Mutation:
    """A bug: in `sql/<file>.sql` the text `old` becomes `new`, and the run of this name has to notice."""

    rule: int
    bug: str
    file: str
    old: str
    new: str
    run: str = "plain"

    def __str__(self) -> str:
        return f"rule {self.rule}: {self.bug}"


def plain(rng: random.Random) -> None:
    story = Story(1)
    for batches, complete in ((2, 0.0), (2, 1.0), (1, 0.0)):
        tell_randomly(story, rng, ALL, cases=80, batches=batches, complete=complete)
    story.check()


def ties(rng: random.Random) -> None:
    story = Story(1)
    tell_randomly(story, rng, [GENRES["ties"]], cases=80, batches=3)
    story.check()


def repeated(rng: random.Random) -> None:
    story = Story(1)
    for counts in ((0, 1, 1), (0,), (0, 1), (0,)):
        genre = replace(GENRES["repeated"], counts=counts)
        tell_randomly(story, rng, [genre], cases=80, batches=2, complete=0.0)
    story.check()


def fed(rng: random.Random) -> None:
    """Batches observed later than, or as late as, what is known; first of one source alone, then of another."""
    story = Story(1)
    later = Genre(span=6, events=0.5, observed=(None, 0), again=(0,), counts=(0, 1, 2))
    for genre, batches, source in ((later, 2, "A"), (replace(later, observed=(1,)), 1, "A"), (later, 2, "A"), (later, 2, "B")):
        tell_randomly(story, rng, [genre], cases=100, batches=batches, complete=0.0, sources=source, replay=False)
    story.check()


def two_datasets(rng: random.Random) -> None:
    story = Story(1, datasets=("main", "other"))
    tell_randomly(story, rng, [GENRES["mixed"]], cases=40, batches=5, refs=2)
    story.check()


def recorded(rng: random.Random) -> None:
    story = Story(1)
    tell_randomly(story, rng, [GENRES["mixed"]], cases=60, batches=8, sources="RS")
    story.check()


def standing_still(rng: random.Random) -> None:
    """The machine's clock does not move between commits."""
    story = Story(1)
    for number in range(3):
        said = [GENRES["periods"].say(rng, case, "A", number) for case in range(40)]
        story.commit([statement(item, rng) for item in said], source="A")
    times = "SELECT count(DISTINCT recorded_from) FROM graph.statements"
    assert story.connection.execute(times).fetchall() == [(3,)], "two commits at one instant"


def merged(rng: random.Random) -> None:
    story = Story(1)
    tell_randomly(story, rng, [GENRES["mixed"]], cases=150, batches=4, refs=3)
    story.check()


def ruled(rng: random.Random) -> None:
    story = Story(1)
    for single in ([], ["urn:p:single", "urn:p:many"]):
        tell_randomly(story, rng, [GENRES["mixed"]], cases=60, batches=1, objectless=False)
        story.change_rules(single)
    story.check()


def inferred(rng: random.Random) -> None:
    rules = [Implication("urn:p:many", "urn:p:many", True), Implication("urn:p:single", "urn:p:wider", False)]
    story = Story(1, implications=rules)
    tell_randomly(story, rng, [GENRES["mixed"]], cases=60, batches=4)
    story.check()
    assert all(story.seen(v, story.now) == story.believed_seen(v, story.now) for v in (0, 5)), "an as-of query differs"


def exclusive(rng: random.Random) -> None:
    story = Story(1, exclusions=EXCLUSIONS)
    tell_randomly(story, rng, rivals("mixed", "long", "events"), cases=80, batches=3)
    story.check()


def composed(rng: random.Random) -> None:
    """Of everything first, then of what is near to a few changes."""
    for ontology in (PLACES, FAMILY):
        story = Story(1, ontology=ontology)
        for cases in (15, 2, 2):
            tell_randomly(
                story, rng, related(ontology, "mixed", "periods"), cases=cases, batches=1, objectless=False, complete=0.0
            )
        story.check()


RUNS: dict[str, Callable[[random.Random], None]] = {
    run.__name__: run
    for run in (
        plain, ties, repeated, fed, two_datasets, recorded, standing_still, merged, ruled, inferred, exclusive, composed
    )
}  # fmt: skip

MUTATIONS = [
    Mutation(1, "single-valued is ignored", "temporal/key_arrivals", "kind = 'node' OR single_valued", "kind = 'node'"),
    Mutation(1, "a dataset is left out of a join", "temporal/key_arrivals", "m.dataset = n.dataset AND", "", "two_datasets"),
    Mutation(1, "the rows of another facet are taken", "temporal/select_current_rows", " AND t.k2 = n.facet", ""),
    Mutation(2, "an event ends at the one after the next", "temporal/derive_event_starts",
             "BETWEEN 1 FOLLOWING", "BETWEEN 2 FOLLOWING"),
    Mutation(2, "an event that is withdrawn still ends others", "temporal/derive_event_starts",
             "max(held) AS held", "1 AS held"),
    Mutation(3, "observed_at is ignored in the log", "temporal/select_log",
             "coalesce(s.observed_at, s.recorded_from)", "s.recorded_from"),
    Mutation(3, "observed_at is ignored in a batch", "temporal/select_live", "coalesce(a.observed_at, t.key_at)", "t.key_at"),
    Mutation(3, "the later observation does not win", "temporal/derive_candidates", "ORDER BY a.observed, ", "ORDER BY "),
    Mutation(3, "an event wins over a period of the same observation", "temporal/derive_candidates",
             "a.is_event DESC", "a.is_event"),
    Mutation(3, "sequence is dropped", "temporal/derive_candidates", "a.sequence, a.statement_id", "a.statement_id", "ties"),
    Mutation(3, "the lower hash wins", "temporal/derive_candidates",
             "a.statement_id, c.slot)", "a.statement_id DESC, c.slot)", "ties"),
    Mutation(3, "a retraction is ignored", "temporal/derive_candidates",
             "ON a.number = c.number", "ON a.number = c.number AND a.asserts"),
    Mutation(3, "what is observed as late as the log prevails", "temporal/select_open_slots",
             ">= w.first_observed", "> w.first_observed", "fed"),
    Mutation(3, "what is observed as late as all that is known prevails", "temporal/summarise_log",
             "s.last_observed < least", "s.last_observed <= least", "fed"),
    Mutation(3, "what others know is not looked at", "temporal/summarise_log",
             "coalesce(bool_or(source <> $source), FALSE)", "(FALSE AND $source = '')", "fed"),
    Mutation(3, "the next known event does not end a new one", "temporal/select_bounded_keys",
             "by_event OR hot", "hot", "fed"),
    Mutation(4, "an interval includes its end", "temporal/derive_covers", "t.cell AS beyond", "t.cell + 1 AS beyond"),
    Mutation(4, "a wide claim is not seen everywhere", "temporal/derive_covers", "high % 2 = 1", "FALSE"),
    Mutation(4, "a window is too small on the left", "temporal/derive_windows",
             "min(valid_from) AS window_from", "max(valid_from) AS window_from"),
    Mutation(4, "a window is too small on the right", "temporal/derive_windows",
             "max(valid_to) AS window_to", "min(valid_to) AS window_to"),
    Mutation(4, "rows that only touch on the left are not joined", "temporal/derive_meetings",
             "c.valid_to >= w.window_from", "c.valid_to > w.window_from"),
    Mutation(4, "rows that only touch on the right are not joined", "temporal/derive_meetings",
             "c.valid_from <= w.window_to", "c.valid_from < w.window_to"),
    Mutation(4, "rows that only touch are not looked for", "temporal/select_current_rows",
             "n.valid_from <= t.hull_to", "n.valid_from < t.hull_to"),
    Mutation(4, "a row over two windows is cut in one of them", "temporal/derive_pieces",
             "greatest(valid_from, coalesce(prev_to, valid_from))", "valid_from"),
    Mutation(4, "coalescing is dropped", "temporal/derive_segments",
             "coalesce(previous_to = valid_from AND", "coalesce(FALSE AND"),
    Mutation(4, "a gap is coalesced", "temporal/derive_segments", "coalesce(previous_to = valid_from AND", "coalesce("),
    Mutation(4, "another value is coalesced", "temporal/derive_segments", " AND previous_value = value_key", ""),
    Mutation(4, "another object is coalesced", "temporal/key_arrivals",
             "unhex(md5(CAST(to_json([hex(value_hash), object]) AS VARCHAR)))", "value_hash"),
    Mutation(4, "a replay counts as new", "temporal/select_arrivals", "WHERE w.statement_id IS NULL", "WHERE FALSE"),
    Mutation(4, "the order of properties matters", "temporal/normalise_statements",
             "WHEN names = sorted_names OR", "WHEN TRUE OR"),
    Mutation(4, "a row that stays is closed", "temporal/select_rows_closed", "WHERE k.number IS NULL", ""),
    Mutation(5, "a key that meets another source keeps the recorded time", "temporal/date_keys_by_source",
             "coalesce(s.met, FALSE) OR", "", "recorded"),
    Mutation(5, "the clock stands still", "temporal/select_last_recorded",
             "max(recorded_at) AS store_last", "NULL AS store_last", "standing_still"),
    Mutation(6, "a withdrawn statement is kept", "temporal/select_log", "WHERE s.recorded_to = 'infinity'", ""),
    Mutation(6, "a withdrawal forgets to close", "temporal/close_statements", "AND s.recorded_to = 'infinity'", "AND FALSE"),
    Mutation(6, "a withdrawal opens no window", "temporal/select_departures", "FROM keyed_gone AS g", "FROM keyed_moved AS g"),
    Mutation(6, "what left a window is not looked at", "temporal/select_open_slots", "w.departures > 0 OR", ""),
    Mutation(6, "said again after something else is not observed anew", "temporal/select_restated",
             "l.recorded_from > k.recorded_from", "FALSE", "repeated"),
    Mutation(6, "said again with something else is not observed anew", "temporal/select_restated",
             "k1, k2, k3 FROM keyed_arrivals", "k1, k2, k3 FROM keyed_arrivals WHERE FALSE", "repeated"),
    Mutation(6, "said again with its date is observed anew", "temporal/select_again",
             "WHERE n.observed_at IS NULL", "", "repeated"),
    Mutation(7, "a complete load withdraws what others said", "temporal/select_withdrawn",
             " AND source = $source", " AND (source = $source OR TRUE)"),
    Mutation(8, "a relation that became single-valued is not derived again", "temporal/select_rule_statements",
             "FROM rules EXCEPT", "FROM rules WHERE FALSE EXCEPT", "ruled"),
    Mutation(8, "a relation that ceases to be single-valued is not derived again", "temporal/select_rule_statements",
             "FROM applied EXCEPT", "FROM applied WHERE FALSE EXCEPT", "ruled"),
    Mutation(8, "sources that agree are in conflict", "temporal/derive_disputes", "s.value_key <> l.value_key OR", "TRUE OR"),
    Mutation(8, "a retraction overrides unnoticed", "temporal/derive_disputes", " OR NOT s.asserts", ""),
    Mutation(8, "a conflict ends nowhere", "temporal/diff_conflicts_closed", "WHERE s.key IS NULL", "WHERE FALSE"),
    Mutation(9, "an edge is seen without its object", "schema/create_interface",
             "o.node_id = e.object", "o.node_id IS NOT NULL", "inferred"),
    Mutation(10, "an inferred edge stands beside an asserted one", "temporal/derive_inferred",
             "AND assertions_open = 0", "", "inferred"),
    Mutation(10, "swapped is ignored", "temporal/select_premises",
             "e.subject = k.object AND e.object = k.subject", "e.subject = k.subject AND e.object = k.object", "inferred"),
    Mutation(10, "inferred rows are not coalesced", "temporal/derive_inferred",
             "CASE WHEN previous_upper = bound THEN 0 ELSE 1 END", "1", "inferred"),
    Mutation(10, "an inferred edge outlives its premise", "temporal/select_changed_edges",
             "FROM rows_closed WHERE", "FROM rows_closed WHERE FALSE AND", "inferred"),
    Mutation(8, "what excludes outlives its own claim", "temporal/select_live_with_denials",
             "coalesce(d.valid_to, s.claim_to)", "coalesce(d.valid_to, 'infinity')", "exclusive"),
    Mutation(8, "an exclusion is not turned round", "temporal/derive_denials",
             "CASE WHEN x.swapped THEN s.k3 ELSE s.k1 END", "s.k1", "exclusive"),
    Mutation(8, "what excludes does not end an event", "temporal/select_voices",
             "number, key, is_event, FALSE", "number, key, FALSE, FALSE", "exclusive"),
    Mutation(8, "the relations of a pair are not derived together", "temporal/select_keys_of_pairs",
             "FROM keyed_pair_statements AS k", "FROM keyed_pair_statements AS k WHERE FALSE", "exclusive"),
    Mutation(10, "a way is valid where its first edge is", "temporal/derive_path_leads",
             "greatest(l.valid_from, r.valid_from)", "l.valid_from", "composed"),
    Mutation(10, "a way leads back to where it began", "temporal/derive_path_leads", " AND l.a <> r.b", "", "composed"),
    Mutation(10, "what reaches a changed edge is not looked at", "temporal/select_links_back",
             "b AS a, a AS b", "a, b", "composed"),
    Mutation(10, "what a composed relation implies is not turned round", "temporal/select_composed_premises",
             "CASE WHEN swapped THEN target ELSE origin END", "origin", "composed"),
    Mutation(12, "objects that move are forgotten", "temporal/select_moved", "AND c.ref = l.object", "AND FALSE", "merged"),
    Mutation(12, "the key that a statement left is forgotten", "temporal/select_keys",
             "FROM keyed_gone", "FROM keyed_gone WHERE FALSE", "merged"),
    Mutation(12, "the key that a statement came to is forgotten", "temporal/select_departures",
             "FROM keyed_moved AS g", "FROM keyed_gone AS g", "merged"),
    Mutation(13, "a reversed period is let in", "temporal/normalise_statements",
             "WHEN valid_from > valid_to THEN 'reversed_period'", ""),
    Mutation(13, "a NULL key is let in", "temporal/normalise_statements",
             "AND (facet IS NULL OR facet = '')", "AND facet IS NULL"),
    Mutation(13, "an empty period is not counted", "temporal/count_batch", "valid_from = valid_to OR", ""),
    Mutation(4, "a claim that only touches supports", "schema/create_views",
             "b.valid_from < c.valid_to", "b.valid_from <= c.valid_to"),
    Mutation(4, "a claim of another value supports", "schema/create_views", " AND c.value_hash = b.value_hash", ""),
    Mutation(4, "a claim outlives the next event", "temporal/select_affected", "l.is_event AND t.by_event", "FALSE"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
def test_without_a_bug_nothing_is_found(run: str) -> None:
    RUNS[run](random.Random(1))


FIRST = {mutation.rule: mutation for mutation in reversed(MUTATIONS)}  # one of each rule in every run, all in `make test-slow`


@pytest.mark.parametrize(
    "mutation",
    [pytest.param(m, id=str(m), marks=() if m is FIRST[m.rule] else pytest.mark.slow) for m in MUTATIONS],
)
def test_a_planted_bug_is_found(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    read, place = sqlfiles._text, tuple(mutation.file.split("/"))
    assert mutation.old in read(*place), "the text to replace is gone"

    def mutated(layer: str, name: str) -> str:
        text = read(layer, name)
        return text.replace(mutation.old, mutation.new) if (layer, name) == place else text

    monkeypatch.setattr(sqlfiles, "_text", mutated)
    with pytest.raises(AssertionError):
        RUNS[mutation.run](random.Random(1))
