"""Transitive relations and property chains on graphs of a known shape (rule 10)."""

from __future__ import annotations

import time
from datetime import timedelta

import pyarrow as pa
import pytest
from relations import ontology_of, relation
from vectors import table
from warehouse import Store, edge, node

from stratagraph.errors import CommitRefusedError
from stratagraph.ontology.model import Ontology
from stratagraph.temporal import composition
from stratagraph.temporal.audit import audit
from stratagraph.temporal.commit import CommitCounts, apply_rules, commit

PLACES = ontology_of([relation("in", transitive=True, inverses=["holds"]), relation("holds", inverses=["in"])])
KIN = ontology_of([
    relation("parent"), relation("brother"),
    relation("uncle", chains=[("parent", "brother")], above=["relative"]), relation("relative"),
    relation("greatUncle", chains=[("parent", "parent", "brother")]),
])  # fmt: skip


def store_of(ontology: Ontology) -> Store:
    store = Store()
    for rule in ontology.implications():
        store.connection.execute("INSERT INTO graph.ontology_implications VALUES ('main', ?, ?, ?)", [*rule])
    for rule in ontology.compositions():
        store.connection.execute("INSERT INTO graph.ontology_compositions VALUES ('main', ?, ?, ?)", [*rule])
    return store


def tell(store: Store, pairs: str) -> CommitCounts:
    """Commit `in` between the pairs of a query, which hold always."""
    said = {"source": "s", "scope": "s"}
    store.connection.register("one", table(store.connection, [edge("urn:s", "urn:in", "urn:o") | said]))
    query = f"SELECT one.* REPLACE (s AS subject, o AS object, s AS source_key) FROM one, ({pairs}) AS t(s, o)"
    rows = store.connection.sql(query).to_arrow_table()
    store.commits, store.now = store.commits + 1, store.now + timedelta(days=1)
    batch = f"told-{store.commits}"
    return commit(store.connection, rows, dataset="main", source="s", batch_id=batch, clock=lambda: store.now)


def chain(length: int) -> str:
    return f"SELECT 'urn:' || i, 'urn:' || (i + 1) FROM range({length}) AS r(i)"


def tree(size: int, children: int) -> str:
    return f"SELECT 'urn:' || i, 'urn:' || ((i - 1) // {children}) FROM range(1, {size}) AS r(i)"


def inferred(store: Store) -> list[tuple[str, str, str]]:
    query = "SELECT subject, predicate, object FROM graph.edges_open WHERE origin = 'inferred' ORDER BY ALL"
    return [tuple(part.removeprefix("urn:") for part in row) for row in store.rows(query)]  # type: ignore[misc]


def sound(store: Store) -> None:
    assert [finding for finding in audit(store.connection) if not finding.passed] == []


def test_a_way_is_valid_on_the_intersection_and_gone_with_any_of_its_edges() -> None:
    store = store_of(PLACES)
    store.commit(edge("urn:a", "urn:in", "urn:b", "2010-01-01T00:00:00Z", "2020-01-01T00:00:00Z"), source="one")
    store.commit(edge("urn:b", "urn:in", "urn:c", "2015-01-01T00:00:00Z", "2030-01-01T00:00:00Z"), source="two", complete=True)
    query = """
        SELECT year(valid_from), year(valid_to) FROM graph.edges_open
        WHERE origin = 'inferred' AND predicate = $p AND 'urn:a' IN (subject, object) AND 'urn:c' IN (subject, object)"""
    assert store.rows(query, p="urn:in") == store.rows(query, p="urn:holds") == [(2015, 2020)]
    sound(store)
    store.commit(source="two", complete=True)
    assert inferred(store) == [("b", "holds", "a")]
    sound(store)


def test_a_cycle_ends_and_nothing_is_related_to_itself() -> None:
    store = store_of(PLACES)
    store.commit(*[edge(f"urn:{a}", "urn:in", f"urn:{b}") for a, b in ("ab", "bc", "ca", "cd", "dd")])
    pairs = {(a, b) for a, name, b in inferred(store) if name == "in"}
    assert pairs == {("a", "c"), ("b", "a"), ("c", "b"), ("a", "d"), ("b", "d")}
    sound(store)


def test_chains_of_two_and_three_and_what_their_results_imply() -> None:
    store = store_of(KIN)
    told = [("ann", "parent", "bob"), ("bob", "brother", "carl"), ("zoe", "parent", "ann"), ("carl", "brother", "bob")]
    store.commit(*[edge(f"urn:{a}", f"urn:{p}", f"urn:{b}") for a, p, b in told])
    expected = [("ann", "relative", "carl"), ("ann", "uncle", "carl"), ("zoe", "greatUncle", "carl")]
    assert inferred(store) == expected
    support = store.rows("SELECT subject FROM graph.support JOIN graph.statements USING (statement_id) WHERE row_id IN "
                         "(SELECT edge_id FROM graph.edges_open WHERE predicate = 'urn:uncle')")  # fmt: skip
    assert support == [("urn:ann",)]  # the first of the two; the other supports the edge that is the rest of the way
    sound(store)


def test_classes_do_not_follow_from_domain_and_range() -> None:
    store = store_of(PLACES)
    store.commit(node("urn:a", cls="urn:City"), edge("urn:a", "urn:in", "urn:b"))
    assert store.rows("SELECT node_id, class FROM graph.nodes_open") == [("urn:a", "urn:City")]


def test_an_ontology_that_gets_or_loses_the_axiom_is_applied_to_what_was_said_before() -> None:
    store = store_of(PLACES)
    tell(store, chain(4))
    assert len(inferred(store)) == 4 + 2 * 6
    sound(store)
    for number, rules in enumerate(([], PLACES.compositions())):
        store.connection.execute("DELETE FROM graph.ontology_compositions")
        for rule in rules:
            store.connection.execute("INSERT INTO graph.ontology_compositions VALUES ('main', ?, ?, ?)", [*rule])
        store.now += timedelta(days=1)
        apply_rules(store.connection, dataset="main", batch_id=f"rules-{number}", clock=lambda: store.now)
        assert len(inferred(store)) == (16 if rules else 4)
        sound(store)


def test_a_chain_and_one_more_edge_at_its_end() -> None:
    store = store_of(PLACES)
    assert tell(store, chain(60)).inferred_opened == 60 * 61 - 60
    more = tell(store, "SELECT 'urn:new', 'urn:0'")
    assert (more.inferred_opened, more.inferred_closed) == (60 + 61, 0)
    assert tell(store, "SELECT 'urn:new', 'urn:0'").rows_written == 0


def test_one_edge_of_a_tree_touches_its_ancestors_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read for it are its ancestors in either direction, not the tree."""
    store = store_of(PLACES)
    tell(store, tree(400, 3))
    found = {}
    leads = composition._find_leads
    monkeypatch.setattr(composition, "_find_leads", lambda steps: (found.update(paths=steps.count("paths")), leads(steps)))
    depth = 6  # of node 399, with node 0 above all
    assert tell(store, "SELECT 'urn:new', 'urn:399'").inferred_opened == 2 * depth + 1
    assert found["paths"] < 50


def test_too_much_is_refused_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(PLACES)
    tell(store, "SELECT 'urn:a', 'urn:b'")
    monkeypatch.setattr(composition, "MAX_PATHS", 1_000)
    with pytest.raises(CommitRefusedError, match=r"urn:in.*edges.*1,000 at most[\s\S]*transitive"):
        tell(store, chain(200))
    monkeypatch.setattr(composition, "MAX_JOINED", 100)
    with pytest.raises(CommitRefusedError, match="comparisons"):
        tell(store, chain(200))
    assert store.rows("SELECT count(*) FROM graph.statements") == [(1,)]
    assert tell(store, "SELECT 'urn:b', 'urn:c'").edges_opened == 1  # and the connection goes on


@pytest.mark.slow
def test_a_chain_of_two_thousand() -> None:
    store = store_of(ontology_of([relation("in", transitive=True)]))
    assert tell(store, chain(2_000)).inferred_opened == 1_999_000


@pytest.mark.slow
def test_a_tree_of_a_hundred_thousand_and_one_more_leaf() -> None:
    store = store_of(ontology_of([relation("in", transitive=True)]))
    started = time.process_time()
    whole = tell(store, tree(100_000, 7))
    between = time.process_time()
    one = tell(store, "SELECT 'urn:new', 'urn:99999'")
    assert whole.inferred_opened > 400_000 and one.inferred_opened == 6
    assert (time.process_time() - between) / (between - started) < 0.3


def test_a_chain_is_stored_as_steps_of_two() -> None:
    rules = KIN.compositions()
    (rest,) = {second for first, second, implied in rules if implied == "urn:greatUncle"}
    assert rest.startswith("urn:stratagraph:chain:")
    assert set(rules) == {
        ("urn:parent", "urn:brother", "urn:uncle"), ("urn:parent", rest, "urn:greatUncle"), ("urn:parent", "urn:brother", rest)
    }  # fmt: skip
    assert PLACES.compositions() == [("urn:in",) * 3]


def test_relations_are_composed_in_parts() -> None:
    def parts(ontology: Ontology) -> list[tuple[str, str, bool]]:
        images = [(a, b, s) for a, b, s in ontology.implications()]
        found: pa.Table = composition.parts_table(ontology.compositions(), images)
        return [tuple(row.values()) for row in found.to_pylist()]  # type: ignore[misc]

    both = ontology_of([
        relation("in", transitive=True, inverses=["holds"]), relation("holds", transitive=True, inverses=["in"]),
    ])  # fmt: skip
    assert parts(both) == [("urn:holds", "urn:holds", False), ("urn:in", "urn:in", False)]
    fed = ontology_of([
        relation("uncle", chains=[("parent", "brother")], inverses=["nephew"]), relation("parent"), relation("brother"),
        relation("nephew", inverses=["uncle"]), relation("cousin", chains=[("nephew", "parent")]),
    ])  # fmt: skip
    assert {part for _, part, _ in parts(fed)} == {"urn:brother"} and all(both_ways for *_, both_ways in parts(fed))
