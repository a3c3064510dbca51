"""Rules of design section 4 that need more than one key: withdrawal, guard, clocks, inference, ontology changes, conflicts."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest
from warehouse import EPOCH, Store, edge, node

from stratagraph.errors import CommitRefusedError
from stratagraph.temporal.audit import audit
from stratagraph.temporal.commit import apply_rules


def now_edges(store: Store) -> list[tuple[str, str, str]]:
    return store.rows("SELECT subject, predicate, object FROM graph.edges_now ORDER BY ALL")


def functional(store: Store, predicate: str) -> None:
    store.connection.execute("INSERT INTO graph.ontology_properties VALUES ('main', $p, $p, TRUE)", {"p": predicate})


def test_a_fact_with_two_supporters_survives_the_loss_of_one() -> None:
    store = Store()
    people = [node("urn:a", "A"), node("urn:b", "B")]
    store.commit(*people, source="people")
    store.commit(edge("urn:a", "urn:knows", "urn:b"), source="one", complete=True)
    store.commit(edge("urn:a", "urn:knows", "urn:b"), source="two", complete=True)
    assert len(store.rows("SELECT * FROM graph.support WHERE kind = 'edge' AND recorded_to = 'infinity'")) == 2
    assert store.commit(source="one", complete=True).edges_closed == 0
    assert now_edges(store) == [("urn:a", "urn:knows", "urn:b")]
    assert store.commit(source="two", complete=True).edges_closed == 1
    assert now_edges(store) == []
    assert [finding for finding in audit(store.connection) if not finding.passed] == []


def test_what_a_withdrawn_statement_had_overridden_comes_back() -> None:
    store = Store()
    functional(store, "urn:worksFor")
    store.commit(node("urn:a"), node("urn:acme"), node("urn:globex"), source="people")
    store.commit(edge("urn:a", "urn:worksFor", "urn:acme", "2020-01-01T00:00:00Z", None), source="memo")
    store.commit(edge("urn:a", "urn:worksFor", "urn:globex", "2022-01-01T00:00:00Z", None), source="rumour", complete=True)
    assert now_edges(store) == [("urn:a", "urn:worksFor", "urn:globex")]
    store.commit(source="rumour", complete=True)
    assert now_edges(store) == [("urn:a", "urn:worksFor", "urn:acme")]
    believed_then = store.rows(
        "SELECT object FROM graph.edges_as_of('2023-01-01 00:00:00Z', $known)", known=datetime(2026, 1, 4, 12, tzinfo=UTC)
    )
    assert believed_then == [("urn:globex",)]


def test_a_complete_load_that_shrinks_too_far_is_refused_and_writes_nothing() -> None:
    store = Store()
    store.commit(*[node(f"urn:{i}") for i in range(10)], complete=True, max_shrink=0.5)
    with pytest.raises(CommitRefusedError, match=r"withdraw 10 of 10.*\n.*max_shrink"):
        store.commit(complete=True, max_shrink=0.5)
    assert len(store.rows("SELECT * FROM graph.nodes_open")) == 10
    assert store.rows("SELECT count(*) FROM graph.runs") == [(1,)]
    # Ten changed rows are not a shrinkage.
    changed = store.commit(*[node(f"urn:{i}", "renamed") for i in range(10)], complete=True, max_shrink=0.5)
    assert (changed.withdrawn, changed.nodes_closed, changed.nodes_opened) == (10, 10, 10)


def test_a_recorded_source_brings_its_own_transaction_times() -> None:
    store = Store()
    first, second = datetime(2013, 3, 16, 14, tzinfo=UTC), datetime(2013, 3, 16, 15, tzinfo=UTC)
    store.commit(node("urn:p", "old"), source="git", complete=True, recorded_at=first)
    store.commit(node("urn:p", "new"), source="git", complete=True, recorded_at=second)
    rows = store.rows("SELECT label, recorded_from, recorded_to < 'infinity' FROM graph.nodes ORDER BY recorded_from")
    assert [(label, moment.astimezone(UTC), closed) for label, moment, closed in rows] == [
        ("old", first, True),
        ("new", second, False),
    ]
    with pytest.raises(CommitRefusedError, match="not later"):
        store.commit(node("urn:p", "late"), source="git", complete=True, recorded_at=first)
    with pytest.raises(CommitRefusedError, match="future"):
        store.commit(node("urn:p", "late"), source="git", complete=True, recorded_at=datetime(2100, 1, 1, tzinfo=UTC))


def test_where_a_recorded_source_meets_another_the_stores_clock_is_used() -> None:
    store = Store()
    store.commit(node("urn:p"), node("urn:q"), node("urn:r"), source="crm")
    store.commit(edge("urn:p", "urn:knows", "urn:q"), source="crm")
    counts = store.commit(
        edge("urn:p", "urn:knows", "urn:q"), edge("urn:p", "urn:knows", "urn:r"),
        source="git", complete=True, recorded_at=datetime(2013, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    assert counts.keys_met == 1
    times = store.rows("SELECT object, recorded_from FROM graph.statements WHERE source = 'git' ORDER BY object")
    assert [(target, moment.year) for target, moment in times] == [("urn:q", 2026), ("urn:r", 2013)]
    assert [finding for finding in audit(store.connection) if not finding.passed] == []


def test_the_stores_clock_never_runs_backwards() -> None:
    store = Store()
    for _ in range(3):
        store.commit(node(f"urn:{store.commits}"), clock=lambda: EPOCH)
    times = [row[0] for row in store.rows("SELECT recorded_at FROM graph.runs ORDER BY 1")]
    assert times == sorted(set(times)) and len(times) == 3
    assert (times[2] - times[0]).microseconds == 2


def test_inferred_edges_follow_their_premises() -> None:
    store = Store()
    functional(store, "urn:worksFor")
    store.connection.execute("INSERT INTO graph.ontology_implications VALUES ('main', 'urn:worksFor', 'urn:employs', TRUE)")
    store.commit(node("urn:a"), node("urn:acme"), node("urn:globex"), source="people")
    store.commit(edge("urn:a", "urn:worksFor", "urn:acme", "2020-01-01T00:00:00Z", None), source="memo")
    store.commit(edge("urn:a", "urn:worksFor", "urn:globex", "2022-01-01T00:00:00Z", None), source="memo")
    inferred = (
        "SELECT subject, valid_from::VARCHAR, valid_to::VARCHAR FROM graph.edges_open WHERE origin = 'inferred' ORDER BY ALL"
    )
    assert store.rows(inferred) == [
        ("urn:acme", "2020-01-01 00:00:00+00", "2022-01-01 00:00:00+00"),
        ("urn:globex", "2022-01-01 00:00:00+00", "infinity"),
    ]
    supported = (
        "SELECT count(*) FROM graph.support AS u JOIN graph.edges_open AS e ON e.edge_id = u.row_id WHERE e.origin = 'inferred'"
    )
    assert store.rows(supported)[0][0] >= 2
    assert [finding for finding in audit(store.connection) if not finding.passed] == []
    # An assertion of the inferred relation takes its place where it holds.
    store.commit(edge("urn:acme", "urn:employs", "urn:a", "2020-06-01T00:00:00Z", "2021-01-01T00:00:00Z"), source="hr")
    assert store.rows(inferred)[:2] == [
        ("urn:acme", "2020-01-01 00:00:00+00", "2020-06-01 00:00:00+00"),
        ("urn:acme", "2021-01-01 00:00:00+00", "2022-01-01 00:00:00+00"),
    ]


def test_an_inferred_edge_is_as_sure_as_its_premises() -> None:
    """Whichever came first."""
    found = []
    for order in ((0.5, 0.9), (0.9, 0.5)):
        store = Store()
        store.connection.execute("INSERT INTO graph.ontology_implications VALUES ('main', 'urn:worksFor', 'urn:employs', TRUE)")
        for confidence in order:
            said = edge("urn:a", "urn:worksFor", "urn:acme", confidence=confidence, sequence=int(10 * confidence))
            store.commit(said | {"observed_at": "2020-01-01T00:00:00Z"}, source="memo")
        found.append(store.rows("SELECT origin, confidence FROM graph.edges_open ORDER BY ALL"))
    assert found == [[("asserted", 0.9), ("inferred", 0.9)]] * 2


def test_a_changed_ontology_derives_again_what_it_touches() -> None:
    store = Store()
    store.commit(node("urn:a"), node("urn:x"), node("urn:y"), source="people")
    for target, year in (("urn:x", 2020), ("urn:y", 2022)):
        store.commit(edge("urn:a", "urn:worksFor", target, f"{year}-01-01T00:00:00Z", None), source="memo")
    assert len(now_edges(store)) == 2
    functional(store, "urn:worksFor")
    store.connection.execute("INSERT INTO graph.ontology_implications VALUES ('main', 'urn:worksFor', 'urn:employs', TRUE)")

    numbers = itertools.count()

    def apply() -> int:
        return apply_rules(
            store.connection, dataset="main", batch_id=f"rules-{next(numbers)}", clock=lambda: store.now
        ).rows_written

    assert apply() > 0
    assert now_edges(store) == [("urn:a", "urn:worksFor", "urn:y"), ("urn:y", "urn:employs", "urn:a")]
    assert apply() == 0
    store.connection.execute("DELETE FROM graph.ontology_properties; DELETE FROM graph.ontology_implications")
    assert apply() > 0
    assert now_edges(store) == [("urn:a", "urn:worksFor", "urn:x"), ("urn:a", "urn:worksFor", "urn:y")]
    assert [finding for finding in audit(store.connection) if not finding.passed] == []


def test_an_override_between_sources_is_listed_with_what_stands_and_why() -> None:
    store = Store()
    store.commit(node("urn:a", "Old name", observed_at="2020-01-01T00:00:00Z"), source="crm")
    store.commit(node("urn:a", "New name", observed_at="2021-01-01T00:00:00Z"), source="hr")
    listed = store.rows(
        """SELECT c.rule, c.reason, s.value ->> 'label', o.value ->> 'label' FROM graph.conflicts AS c
           JOIN graph.statements AS s ON s.statement_id = c.standing_statement
           JOIN graph.statements AS o ON o.statement_id = c.overridden_statement WHERE c.recorded_to = 'infinity'"""
    )
    assert listed == [("override_between_sources", "later observation stands", "New name", "Old name")]


def test_edges_show_only_while_both_ends_are_believed() -> None:
    store = Store()
    lives = [node("urn:a", "young", valid_from="2000-01-01T00:00:00Z", valid_to="2010-01-01T00:00:00Z"),
             node("urn:a", "old", valid_from="2010-01-01T00:00:00Z", valid_to="2020-01-01T00:00:00Z")]  # fmt: skip
    store.commit(*lives, node("urn:b"), edge("urn:a", "urn:knows", "urn:b"))
    seen = "SELECT count(*) FROM graph.edges_as_of($valid, '2026-02-01 00:00:00Z')"
    for moment, count in (("1999-06-01", 0), ("2009-12-31", 1), ("2010-01-01", 1), ("2019-12-31", 1), ("2020-01-01", 0)):
        assert store.rows(seen, valid=f"{moment} 00:00:00Z") == [(count,)], moment


def test_bad_statements_are_quarantined_with_a_reason_and_the_rest_goes_on() -> None:
    store = Store()
    bad = {
        "null_key": edge("urn:a", "urn:knows", ""),
        "reversed_period": edge("urn:a", "urn:knows", "urn:b", "2020-01-01T00:00:00Z", "2019-01-01T00:00:00Z"),
        "null_valid_from": node("urn:x") | {"valid_from": None},
        "invalid_value": node("urn:y") | {"value": "[1]"},
        "unknown_mode": node("urn:z") | {"mode": "sometimes"},
        "null_valid_to": node("urn:w") | {"valid_to": None},
    }
    counts = store.commit(node("urn:a"), *bad.values())
    assert counts.reasons == dict.fromkeys(bad, 1)
    assert (counts.quarantined, counts.nodes_opened) == (6, 1)
    assert len(store.rows("SELECT * FROM graph.quarantine WHERE stage = 'belief'")) == 6
    store.commit(*bad.values())
    assert len(store.rows("SELECT * FROM graph.quarantine")) == 6


def test_property_order_and_copies_do_not_matter() -> None:
    store = Store()
    one = node("urn:a") | {"value": '{"label": "A", "properties": {"x": 1, "y": null}}'}
    two = node("urn:a") | {"value": '{"properties": {"y": null, "x": 1}, "label": "A"}'}
    assert store.commit(one, two, one, complete=True).new == 1
    assert store.commit(two, complete=True).new == 0
