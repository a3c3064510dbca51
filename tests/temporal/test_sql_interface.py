"""The SQL interface for people: each view and macro against a plain reading of the stored rows, on random stores."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warehouse import EPOCH, Store, edge, node

Row = dict[str, Any]
SEEDS = range(3)
NODES = [f"urn:n/{number}" for number in range(6)]
COMMITS = 4
checked = settings(
    derandomize=True, deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow], database=None
)


def day(number: int) -> datetime:
    return datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=number)


def random_statements(chance: random.Random) -> list[Row]:
    """A few statements: nodes with two facets that come and go, edges that may join a node with itself, twice, or nothing."""
    rows = []
    for _ in range(12):
        start = chance.randrange(10)
        times = {"valid_from": day(start).isoformat(), "valid_to": day(start + chance.randrange(1, 8)).isoformat()}
        times |= chance.choice([{}, {}, {"valid_from": "-infinity"}, {"valid_to": "infinity"}])
        polarity = {"polarity": chance.choice(["assert", "assert", "assert", "retract"])}
        if chance.random() < 0.5:
            facet = {"facet": chance.choice(["record", "text"]), "cls": chance.choice(["urn:A", "urn:B"])}
            rows.append(node(chance.choice(NODES), chance.choice(["x", "y", None]), **facet, **times, **polarity))
        else:
            ends = [chance.choice(NODES), chance.choice(["urn:p", "urn:q"]), chance.choice([*NODES, "urn:nowhere"])]
            rows.append(edge(*ends, **times, **polarity, fact=chance.choice(["f", "g"])))
    return rows


@cache
def random_store(seed: int) -> Store:
    chance, store = random.Random(seed), Store()
    for _ in range(COMMITS):
        always = [node(ref, "z", facet="base") for ref in NODES[:3]] if store.commits == 0 else []
        store.commit(*always, *random_statements(chance))
    return store


stores = st.sampled_from(SEEDS).map(random_store)
# Half days lie between the bounds, whole ones on them.
valid = st.integers(-2, 40).map(lambda number: day(0) + timedelta(hours=12 * number))
known = st.integers(0, 2 * COMMITS + 2).map(lambda number: EPOCH + timedelta(hours=12 * number))


def rows_of(store: Store, query: str, **parameters: Any) -> list[Row]:
    """Rows as mappings. Instants are microseconds, so that an infinity stays beyond all others."""
    found = store.connection.execute(query, parameters)
    names = [column[0] for column in found.description or []]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


BOUNDS = ("valid_from", "valid_to", "recorded_from", "recorded_to")
_NUMBERS = ", ".join(
    f"coalesce(epoch_us({bound}), CASE WHEN {bound} > now() THEN 1e17 ELSE -1e17 END) AS {bound}" for bound in BOUNDS
)


def stored(store: Store, source: str, **parameters: Any) -> list[Row]:
    return rows_of(store, f"SELECT * REPLACE ({_NUMBERS}) FROM {source}", **parameters)


def microseconds(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def at(rows: Iterable[Row], v: datetime, k: datetime) -> list[Row]:
    """The rows that hold at a point, by the definition."""
    p, q = microseconds(v), microseconds(k)
    return [r for r in rows if r["valid_from"] <= p < r["valid_to"] and r["recorded_from"] <= q < r["recorded_to"]]


def believed(store: Store, v: datetime, k: datetime) -> tuple[list[Row], list[Row]]:
    """Nodes and edges at a point: an edge only where some facet of either end is."""
    nodes = at(stored(store, "graph.nodes"), v, k)
    ids = {row["node_id"] for row in nodes}
    return nodes, [e for e in at(stored(store, "graph.edges"), v, k) if {e["subject"], e["object"]} <= ids]


def as_set(rows: Iterable[Row], *names: str) -> set[tuple[Any, ...]]:
    rows = list(rows)
    found = {tuple(row[name] for name in names or row) for row in rows}
    assert len(found) == len(rows), "no row stands twice"
    return found


@checked
@given(stores, valid, known)
def test_as_of_is_what_the_rows_say(store: Store, v: datetime, k: datetime) -> None:
    nodes, edges = believed(store, v, k)
    assert as_set(stored(store, "graph.nodes_as_of($v, $k)", v=v, k=k)) == as_set(nodes)
    assert as_set(stored(store, "graph.edges_as_of($v, $k)", v=v, k=k)) == as_set(edges)


@pytest.mark.parametrize("seed", SEEDS)
def test_now_is_as_of_now(seed: int) -> None:
    store = random_store(seed)
    for kind in ("nodes", "edges"):
        now = as_set(stored(store, f"graph.{kind}_now"))
        assert now
        # The store's clock is ahead of the real one, so the last moment it knows of stands for the present.
        assert now == as_set(stored(store, f"graph.{kind}_as_of(now(), $k)", k=store.now))


@checked
@given(stores, st.sampled_from([*NODES, "urn:nowhere"]), st.integers(0, 7), valid, known)
def test_neighbors_are_those_of_a_breadth_first_search(store: Store, start: str, hops: int, v: datetime, k: datetime) -> None:
    nodes, edges = believed(store, v, k)
    reached = {start: 0} if start in {row["node_id"] for row in nodes} else {}
    for hop in range(1, hops + 1):
        near = [name for name, distance in reached.items() if distance == hop - 1]
        far = {e["object"] for e in edges if e["subject"] in near} | {e["subject"] for e in edges if e["object"] in near}
        reached |= dict.fromkeys(far - set(reached), hop)
    expected = {("main", name, distance) for name, distance in reached.items() if distance}
    assert as_set(rows_of(store, "FROM graph.neighbors_of($i, $h, $v, $k)", i=start, h=hops, v=v, k=k)) == expected


def test_neighbors_end_on_cycles_loops_and_parallel_edges() -> None:
    store = Store()
    links = [("urn:a", "urn:p", "urn:b"), ("urn:a", "urn:q", "urn:b"), ("urn:b", "urn:p", "urn:a"), ("urn:b", "urn:p", "urn:b")]
    store.commit(
        *(node(name) for name in ("urn:a", "urn:b", "urn:c")), *(edge(*link) for link in [*links, ("urn:b", "urn:p", "urn:c")])
    )
    point = {"k": store.now}
    found = "FROM graph.neighbors_of('urn:a', {hops}, '2020-01-01', $k)"
    assert store.rows(found.format(hops=1_000_000), **point) == [("main", "urn:b", 1), ("main", "urn:c", 2)]
    assert store.rows(found.format(hops=1), **point) == [("main", "urn:b", 1)]
    assert store.rows(found.format(hops=0), **point) == store.rows(found.format(hops="NULL"), **point) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_history_is_every_version_once(seed: int) -> None:
    store = random_store(seed)
    nodes, edges = stored(store, "graph.nodes"), stored(store, "graph.edges")
    for name in [*NODES, *{e["edge_id"] for e in edges}]:
        own = {("node", n["content_hash"], n["recorded_from"]) for n in nodes if n["node_id"] == name}
        own |= {
            ("edge", e["content_hash"], e["recorded_from"]) for e in edges if name in (e["edge_id"], e["subject"], e["object"])
        }
        history = stored(store, "graph.history_of($i)", i=name)
        assert as_set(history, "kind", "content_hash", "recorded_from") == own
        order = [(row["kind"] != "node", row["recorded_from"], row["valid_from"]) for row in history]
        assert order == sorted(order)


CHANGES = "FROM graph.changes_between($a, $b)"


@checked
@given(stores, known, known)
def test_changes_are_the_difference_of_two_beliefs_and_turn_round(store: Store, a: datetime, b: datetime) -> None:
    changes = as_set(rows_of(store, CHANGES, a=a, b=b), "change", "kind", "id", "content_hash")
    swapped = {("added" if row[0] == "removed" else "removed", *row[1:]) for row in changes}
    assert as_set(rows_of(store, CHANGES, a=b, b=a), "change", "kind", "id", "content_hash") == swapped

    def belief(k: datetime) -> set[tuple[Any, ...]]:
        p = microseconds(k)
        rows = [("node", n["node_id"], n) for n in stored(store, "graph.nodes")]
        rows += [("edge", e["edge_id"], e) for e in stored(store, "graph.edges")]
        return {(kind, name, r["content_hash"]) for kind, name, r in rows if r["recorded_from"] <= p < r["recorded_to"]}

    gone, new = belief(a) - belief(b), belief(b) - belief(a)
    assert changes == {("removed", *row) for row in gone} | {("added", *row) for row in new}


@pytest.mark.parametrize("seed", SEEDS)
def test_equal_points_do_not_differ(seed: int) -> None:
    store = random_store(seed)
    assert rows_of(store, CHANGES, a=store.now, b=store.now) == []
    assert rows_of(store, DIFF, va=day(3), ka=store.now, vb=day(3), kb=store.now) == []
    assert rows_of(store, DIFF, va=day(3), ka=EPOCH, vb=day(3), kb=store.now), "and others do"


def test_what_ended_and_came_back_the_same_is_no_change() -> None:
    store = Store()
    before = (store.commit(node("urn:a", "Ada")), store.now)[1]
    store.commit(node("urn:b", "Bob"), complete=True)
    between = store.now
    store.commit(node("urn:a", "Ada"), node("urn:b", "Bob"), complete=True)
    ids = "SELECT change, id FROM graph.changes_between($a, $b) ORDER BY ALL"
    assert store.rows(ids, a=before, b=between) == [("added", "urn:b"), ("removed", "urn:a")]
    assert store.rows(ids, a=before, b=store.now) == [("added", "urn:b")]


DIFF = "FROM graph.diff_between($va, $ka, $vb, $kb)"


@checked
@given(stores, valid, known, valid, known)
def test_a_diff_gives_both_values_and_turns_round(store: Store, va: datetime, ka: datetime, vb: datetime, kb: datetime) -> None:
    def values(v: datetime, k: datetime) -> dict[tuple[str, str, str], Row]:
        nodes, edges = believed(store, v, k)
        of_nodes = {("node", n["node_id"], n["facet"]): {"class": n["class"], "label": n["label"]} for n in nodes}
        of_edges = {("edge", e["edge_id"], ""): {"fact": e["fact"], "origin": e["origin"]} for e in edges}
        properties = {("node", n["node_id"], n["facet"]): n["properties"] for n in nodes}
        properties |= {("edge", e["edge_id"], ""): e["properties"] for e in edges}
        return {key: value | {"properties": json.loads(properties[key])} for key, value in (of_nodes | of_edges).items()}

    def read(**point: datetime) -> dict[tuple[str, str, str], tuple[Any, ...]]:
        found = rows_of(store, DIFF, **point)
        read = [value and json.loads(value) for row in found for value in (row["before"], row["after"])]
        keys = [(row["kind"], row["id"], row["facet"]) for row in found]
        assert len(set(keys)) == len(keys)
        return {key: (row["change"], *read[2 * i : 2 * i + 2]) for i, (key, row) in enumerate(zip(keys, found, strict=True))}

    before, after = values(va, ka), values(vb, kb)
    expected = {}
    for key in before.keys() | after.keys():
        was, becomes = before.get(key), after.get(key)
        if was != becomes:
            expected[key] = ("added" if was is None else "removed" if becomes is None else "changed", was, becomes)
    assert read(va=va, ka=ka, vb=vb, kb=kb) == expected
    turned = {"added": "removed", "removed": "added", "changed": "changed"}
    assert read(va=vb, ka=kb, vb=va, kb=ka) == {k: (turned[c], b, a) for k, (c, a, b) in expected.items()}


@checked
@given(stores, valid, known)
def test_the_slice_of_the_temporal_join_is_the_join_of_the_slices(store: Store, v: datetime, k: datetime) -> None:
    hashes = ("content_hash", "subject_hash", "object_hash")
    nodes, edges = believed(store, v, k)
    joined = {
        (e["content_hash"], s["content_hash"], o["content_hash"])
        for e in edges for s in nodes for o in nodes
        if s["node_id"] == e["subject"] and o["node_id"] == e["object"]
    }  # fmt: skip
    whole = stored(store, "graph.edges_labelled")
    assert all(row["valid_from"] < row["valid_to"] and row["recorded_from"] < row["recorded_to"] for row in whole)
    assert as_set(at(whole, v, k), *hashes) == joined
    sliced = """SELECT * FROM graph.edges_labelled
                WHERE graph.holds_at(valid_from, valid_to, $v) AND graph.holds_at(recorded_from, recorded_to, $k)"""
    assert as_set(rows_of(store, sliced, v=v, k=k), *hashes) == joined


def test_a_period_does_not_include_its_end() -> None:
    store = Store()
    holds = "SELECT graph.holds_at('2020-01-01'::TIMESTAMPTZ, 'infinity'::TIMESTAMPTZ, $m)"
    assert [store.rows(holds, m=m) for m in ("2019-12-31", "2020-01-01", "infinity")] == [[(False,)], [(True,)], [(False,)]]
    overlap = "SELECT graph.overlap(DATE '2020-01-01', DATE '2020-02-01', $a::DATE, $b::DATE)"
    assert store.rows(overlap, a="2020-02-01", b="2020-03-01") == [(False,)], "they touch"
    assert store.rows(overlap, a="2020-01-31", b="2020-03-01") == [(True,)]


def test_the_succession_of_one_relation() -> None:
    store = Store()
    store.commit(node("urn:a"), node("urn:x"), node("urn:y"))
    store.commit(edge("urn:a", "urn:p", "urn:y", "2022-01-01"), edge("urn:a", "urn:p", "urn:x", "2020-01-01", "2021-01-01"))
    store.commit(edge("urn:a", "urn:q", "urn:x"))
    assert store.rows("SELECT object FROM graph.timeline_of('urn:a', 'urn:p')") == [("urn:x",), ("urn:y",)]


QUOTED = {
    "document_id": "letters/1", "chunk_id": "letters/1#0", "char_start": 4, "char_end": 18, "quote": "Ann knows Bob.",
    "source_table": None, "source_key": None,
}  # fmt: skip


def test_evidence_leads_to_the_words_or_the_row() -> None:
    store = Store()
    store.commit(node("urn:a", "Ann", source_table="people", source_key='{"id": 1}'), node("urn:b", "Bob"))
    store.commit(edge("urn:a", "urn:knows", "urn:b", **QUOTED), source="letters")
    places = "SELECT document_id, chunk_id, char_start, char_end, quote, source_table, source_key FROM graph.evidence_of($i)"
    ((edge_id,),) = store.rows("SELECT edge_id FROM graph.edges")
    assert store.rows(places, i=edge_id) == [tuple(QUOTED.values())]
    assert store.rows(places, i="urn:a") == [(None, None, None, None, None, "people", '{"id": 1}')]
    assert store.rows(places, i="urn:nobody") == []
    said = store.rows("SELECT source, kind, subject, predicate, object FROM graph.evidence_of($i)", i=edge_id)
    assert said == [("letters", "edge", "urn:a", "urn:knows", "urn:b")]


def test_evidence_keeps_what_is_no_longer_said() -> None:
    store = Store()
    store.commit(node("urn:a", "Ann"), source="one")
    store.commit(node("urn:a", "Ann"), source="two")
    store.commit(node("urn:z"), source="one", complete=True)
    found = store.rows("SELECT source, recorded_to = 'infinity' FROM graph.evidence_of('urn:a') ORDER BY ALL")
    assert found == [("one", False), ("two", True)]


def test_evidence_is_of_what_was_believed_and_not_of_what_never_was() -> None:
    store = Store()
    store.commit(
        node("urn:a", "Old", observed_at="2020-01-01T00:00:00Z", source_key="old"),
        node("urn:a", "New", observed_at="2021-01-01T00:00:00Z", source_key="new"),
    )
    assert store.rows("SELECT source_key FROM graph.evidence_of('urn:a')") == [("new",)]


def test_evidence_of_an_inferred_edge_is_that_of_its_premises() -> None:
    store = Store()
    store.connection.execute("INSERT INTO graph.ontology_implications VALUES ('main', 'urn:knows', 'urn:knownBy', true)")
    store.commit(node("urn:a"), node("urn:b"))
    store.commit(edge("urn:a", "urn:knows", "urn:b", **QUOTED), source="letters")
    found = store.rows(
        "SELECT v.quote, v.subject, v.predicate FROM graph.edges AS e, graph.evidence_of($i) AS v WHERE e.origin = 'inferred'",
        i=store.rows("SELECT edge_id FROM graph.edges WHERE origin = 'inferred'")[0][0],
    )
    assert found == [("Ann knows Bob.", "urn:a", "urn:knows")]


def test_nothing_crosses_a_dataset() -> None:
    store = Store()
    store.commit(node("urn:a"), node("urn:b"), node("urn:c"), edge("urn:a", "urn:p", "urn:b"))
    links = [("urn:a", "urn:p", "urn:b"), ("urn:b", "urn:p", "urn:c"), ("urn:c", "urn:p", "urn:b")]
    store.commit(*(row | {"dataset": "other"} for row in (node("urn:a"), *(edge(*link) for link in links))), dataset="other")
    assert store.rows("SELECT dataset, count(*) FROM graph.edges GROUP BY 1 ORDER BY 1") == [("main", 1), ("other", 3)]
    assert store.rows("SELECT dataset FROM graph.edges_as_of('2020-01-01', $k)", k=store.now) == [("main",)]
    assert store.rows("SELECT DISTINCT dataset FROM graph.edges_labelled") == [("main",)]
    assert store.rows("FROM graph.neighbors_of('urn:a', 3, '2020-01-01', $k)", k=store.now) == [("main", "urn:b", 1)]


def scans(store: Store, query: str) -> list[tuple[str, str]]:
    """Every scan of a plan: the table, and the filters that reach it."""
    ((_, text),) = store.connection.execute("EXPLAIN (FORMAT JSON) " + query).fetchall()

    def walk(node: Row) -> Iterable[tuple[str, str]]:
        extra = node.get("extra_info") or {}
        if "Table" in extra:
            yield extra["Table"].rpartition(".")[2], str(extra.get("Filters"))
        for child in node["children"]:
            yield from walk(child)

    return [scan for root in json.loads(text) for scan in walk(root)]


@pytest.mark.parametrize(
    "query",
    [
        "FROM graph.history_of('urn:n/1')",
        "FROM graph.timeline_of('urn:n/1', 'urn:p')",
        "FROM graph.evidence_of('urn:n/1')",
    ],
)
def test_every_scan_of_one_thing_is_filtered_by_it(query: str) -> None:
    # Evidence is looked up by the statements found, whose ids stand in no plan.
    found = [scan for scan in scans(random_store(0), query) if scan[0] not in ("statements", "evidence")]
    assert found
    assert all("urn:n/1" in filters for _, filters in found), found


@pytest.mark.parametrize("column", ["subject", "object", "edge_id"])
def test_a_filter_on_edges_as_of_reaches_the_edges(column: str) -> None:
    store = random_store(0)
    ((value,),) = store.rows(f"SELECT {column} FROM graph.edges ORDER BY ALL LIMIT 1")
    query = f"FROM graph.edges_as_of('2020-01-03', '2026-01-03') WHERE {column} = '{value}'"
    found = [filters for table, filters in scans(store, query) if table.startswith("edges_")]
    assert found
    assert all(value in filters for filters in found), found
