"""Every audit finds the fault that it is there for, and nothing in a store that only commits have written."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import duckdb
import pyarrow as pa
import pytest
from portable import slow_joins
from recorder import plan_of
from warehouse import EPOCH, Store, edge, node

from stratagraph.sqlfiles import load_sql, sql_names
from stratagraph.temporal.audit import AUDITS, REPORTS, audit, audit_query, run_audit

NODE_COLUMNS = (
    "dataset, node_id, facet, class, label, properties, valid_from, valid_to, recorded_from, recorded_to, "
    "confidence, content_hash, value_hash"
)
EDGE_COLUMNS = (
    "dataset, edge_id, subject, predicate, object, fact, properties, origin, valid_from, valid_to, recorded_from, recorded_to, "
    "confidence, content_hash, value_hash"
)


@pytest.fixture(scope="module")
def store() -> Store:
    """Open and closed rows, a single-valued relation with its history, inferred edges, a conflict, a merged identity."""
    made = Store()
    made.connection.execute("INSERT INTO graph.ontology_properties VALUES ('main', 'urn:worksFor', 'works for', TRUE)")
    made.connection.execute("INSERT INTO graph.ontology_implications VALUES ('main', 'urn:worksFor', 'urn:employs', TRUE)")
    for pair in (("urn:knows", "urn:avoids"), ("urn:avoids", "urn:knows")):
        made.connection.execute("INSERT INTO graph.ontology_exclusions VALUES ('main', ?, ?, FALSE)", pair)
    people = [node(f"urn:p{i}", f"Person {i}") for i in range(9)]
    companies = [node(f"urn:c{i}", f"Company {i}", cls="urn:Company") for i in range(3)]
    jobs = [edge(f"urn:p{i}", "urn:worksFor", f"urn:c{i % 2}", "2020-01-01T00:00:00Z", None) for i in range(9)]
    moves = [edge(f"urn:p{i}", "urn:worksFor", "urn:c2", "2022-01-01T00:00:00Z", None) for i in range(4)]
    made.commit(*people, *companies, source="people", complete=True)
    made.commit(*jobs, source="memo", complete=True)
    made.commit(*jobs[:8], *moves, source="memo", complete=True)
    made.commit(edge("urn:p5", "urn:knows", "urn:p6"), edge("urn:p5", "urn:avoids", "urn:p8"), source="talk")
    made.commit(node("urn:p5", "Another", observed_at="2026-06-01T00:00:00Z"), node("urn:k1", "P", facet="key"), source="other")
    made.commit(source="keys", links=[("urn:p1", "p", "urn:k1", "k")])
    return made


@contextmanager
def planted(store: Store, *faults: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """The store with faults in it, which are taken back."""
    store.connection.begin()
    try:
        for fault in faults:
            store.connection.execute(fault)
        yield store.connection
    finally:
        store.connection.rollback()


def copy_of_node(**changes: str) -> str:
    """SQL of a closed row like an open one, with other values in some columns."""
    columns = ", ".join(f"{changes.get(name, name)} AS {name}" for name in NODE_COLUMNS.split(", "))
    return (
        f"INSERT INTO graph.nodes_closed SELECT {columns} FROM graph.nodes "
        "WHERE node_id = 'urn:p7' AND recorded_to = 'infinity'"
    )


def copy_of_edge(**changes: str) -> str:
    columns = ", ".join(f"{changes.get(name, name)} AS {name}" for name in EDGE_COLUMNS.split(", "))
    return (
        f"INSERT INTO graph.edges_closed SELECT {columns} FROM graph.edges "
        "WHERE subject = 'urn:p7' AND origin = 'asserted' AND recorded_to = 'infinity'"
    )


DAY = "INTERVAL 1 DAY"
FUTURE = "TIMESTAMPTZ '2100-01-01 00:00:00Z'"
BEFORE = "TIMESTAMPTZ '2026-01-01 00:00:00Z'"
LONG_AGO = "TIMESTAMPTZ '2000-01-01 00:00:00Z'"
FAULTS: dict[str, list[str]] = {
    "overlapping_nodes": [
        "INSERT INTO graph.nodes_open SELECT * FROM graph.nodes_open LIMIT 1",
        copy_of_node(recorded_from=BEFORE, recorded_to=f"recorded_from + {DAY}"),
        copy_of_node(recorded_from=BEFORE, recorded_to="recorded_from + INTERVAL 1 MICROSECOND", valid_from=LONG_AGO),
    ],
    "overlapping_edges": [
        "INSERT INTO graph.edges_open SELECT * FROM graph.edges_open WHERE origin = 'inferred' LIMIT 1",
        copy_of_edge(recorded_from=BEFORE, recorded_to=f"recorded_from + {DAY}", content_hash="'x'::BLOB"),
    ],
    "single_valued_relations": [
        "INSERT INTO graph.edges_open SELECT * REPLACE ('urn:c9' AS object, 'urn:e' AS edge_id) FROM graph.edges_open "
        "WHERE subject = 'urn:p7' AND origin = 'asserted'",
        "UPDATE graph.edges_open SET valid_to = 'infinity' WHERE subject = 'urn:p1' AND valid_to < 'infinity'",
    ],
    "exclusive_relations": [
        "INSERT INTO graph.edges_open SELECT * REPLACE ('urn:avoids' AS predicate, 'urn:e' AS edge_id) FROM graph.edges_open "
        "WHERE predicate = 'urn:knows'",
    ],
    "uncoalesced_rows": [
        "INSERT INTO graph.edges_open SELECT * REPLACE (valid_to AS valid_from, TIMESTAMPTZ '2023-01-01' AS valid_to) "
        "FROM graph.edges_open WHERE subject = 'urn:p1' AND valid_to < 'infinity'",
        copy_of_node(recorded_from=BEFORE, recorded_to="recorded_from", valid_from=LONG_AGO) + ";"
        + copy_of_node(recorded_from=BEFORE, recorded_to="recorded_from", valid_to=LONG_AGO),
    ],
    "reopened_rows": [
        copy_of_node(recorded_from=BEFORE, recorded_to="recorded_from"),
        copy_of_edge(recorded_from=BEFORE, recorded_to="recorded_from"),
    ],
    "empty_intervals": [
        copy_of_node(recorded_from="recorded_from", recorded_to="recorded_from"),
        copy_of_edge(valid_to="valid_from", recorded_to=f"recorded_from + {DAY}"),
        "UPDATE graph.statements SET recorded_to = recorded_from WHERE subject = 'urn:p7'",
        "UPDATE graph.statements SET valid_to = 'infinity' WHERE mode = 'event'",
        "UPDATE graph.identities SET recorded_to = recorded_from",
        "UPDATE graph.conflicts SET recorded_to = recorded_from",
        "UPDATE graph.conflicts SET valid_to = valid_from",
        "UPDATE graph.claims SET recorded_to = recorded_from WHERE row_id = 'urn:p7'",
        "UPDATE graph.claims SET valid_to = valid_from WHERE row_id = 'urn:p7'",
    ],
    "unsupported_rows": [
        "DELETE FROM graph.claims WHERE row_id = 'urn:p7'",
        "DELETE FROM graph.claims WHERE kind = 'edge' AND recorded_to = 'infinity'",
        "DELETE FROM graph.claims WHERE facet = 'inferred'",
        f"UPDATE graph.claims SET recorded_to = recorded_from + {DAY} WHERE row_id = 'urn:p7'",
        "UPDATE graph.claims SET recorded_from = recorded_from + INTERVAL 1 SECOND WHERE row_id = 'urn:p7'",
        f"UPDATE graph.claims SET valid_from = {LONG_AGO} WHERE row_id = 'urn:p7'",
        "UPDATE graph.nodes_open SET value_hash = 'x'::BLOB WHERE node_id = 'urn:p7'",
        # Of a row that was closed.
        "DELETE FROM graph.claims WHERE recorded_to < 'infinity'",
    ],
    "statements_without_claims": [
        "DELETE FROM graph.claims WHERE row_id = 'urn:p7'",
        "INSERT INTO graph.claims SELECT * REPLACE ('urn:p8' AS row_id) FROM graph.claims WHERE row_id = 'urn:p7'",
    ],
    "claims_without_statements": [
        "DELETE FROM graph.statements WHERE subject = 'urn:p7' AND kind = 'node'",
        "UPDATE graph.statements SET polarity = 'retract' WHERE subject = 'urn:p7'",
        f"UPDATE graph.statements SET recorded_to = recorded_from + {DAY} WHERE subject = 'urn:p7' AND kind = 'edge'",
        "UPDATE graph.statements SET recorded_from = recorded_from + INTERVAL 1 SECOND WHERE subject = 'urn:p7'",
        "DELETE FROM graph.statements WHERE recorded_to < 'infinity'",
    ],
    "overlapping_claims": ["INSERT INTO graph.claims SELECT * FROM graph.claims WHERE row_id = 'urn:p7'"],
    "overlapping_conflicts": ["INSERT INTO graph.conflicts SELECT * FROM graph.conflicts"],
    "inferred_without_premises": [
        "DELETE FROM graph.edges_open WHERE subject = 'urn:p7' AND origin = 'asserted'",
        "UPDATE graph.edges_open SET valid_from = '2025-01-01' WHERE subject = 'urn:p7' AND origin = 'asserted'",
        "DELETE FROM graph.ontology_implications; DELETE FROM graph.applied_implications",
    ],
    "statements_without_evidence": ["DELETE FROM graph.evidence WHERE source_key = 'urn:p7'"],
    "doubled_statements": [
        "INSERT INTO graph.statements SELECT * FROM graph.statements WHERE subject = 'urn:p7'",
        "INSERT INTO graph.statements SELECT * REPLACE (recorded_from - INTERVAL 1 HOUR AS recorded_from, "
        "recorded_from + INTERVAL 1 MICROSECOND AS recorded_to) FROM graph.statements WHERE subject = 'urn:p7'",
    ],
    "conflicts_without_statements": [
        "UPDATE graph.conflicts SET standing_statement = 'x'::BLOB",
        "UPDATE graph.conflicts SET overridden_statement = NULL",
        f"UPDATE graph.statements SET recorded_to = recorded_from + {DAY} WHERE subject = 'urn:p5'",
    ],
    "ambiguous_identities": [
        "INSERT INTO graph.identities SELECT * REPLACE ('urn:p2' AS node_id) FROM graph.identities",
        "INSERT INTO graph.identities SELECT * FROM graph.identities",
    ],
    "unresolved_refs": [
        "UPDATE graph.nodes_open SET node_id = 'urn:k1' WHERE node_id = 'urn:p1' AND facet = 'key'",
        "UPDATE graph.edges_open SET subject = 'urn:k1' WHERE subject = 'urn:p1' AND origin = 'asserted'",
        "UPDATE graph.edges_open SET object = 'urn:k1' WHERE object = 'urn:p1'",
    ],
    "repeated_runs": [
        "INSERT INTO graph.runs SELECT * FROM graph.runs LIMIT 1",
        "UPDATE graph.runs SET recorded_at = (SELECT max(recorded_at) FROM graph.runs)",
    ],
    "future_transactions": [
        f"UPDATE graph.nodes_open SET recorded_from = {FUTURE} WHERE node_id = 'urn:p7'",
        f"UPDATE graph.nodes_closed SET recorded_to = {FUTURE}",
        "UPDATE graph.edges_closed SET recorded_to = 'infinity'",
        f"UPDATE graph.edges_open SET recorded_from = {FUTURE} WHERE subject = 'urn:p7'",
        f"UPDATE graph.statements SET recorded_to = {FUTURE} WHERE subject = 'urn:p7'",
        f"UPDATE graph.statements SET recorded_from = {FUTURE} WHERE subject = 'urn:p7'",
        f"UPDATE graph.identities SET recorded_from = {FUTURE}",
        f"UPDATE graph.conflicts SET recorded_from = {FUTURE}",
        f"UPDATE graph.claims SET recorded_to = {FUTURE} WHERE row_id = 'urn:p7'",
        "DELETE FROM graph.runs",
    ],
}  # fmt: skip


def test_the_store_has_something_for_every_audit_and_passes(store: Store) -> None:
    (rows,) = store.rows(
        """SELECT (SELECT count(*) FROM graph.nodes_closed), (SELECT count(*) FROM graph.edges_closed),
                  (SELECT count(*) FROM graph.edges_open WHERE origin = 'inferred'), (SELECT count(*) FROM graph.conflicts),
                  (SELECT count(*) FROM graph.identities),
                  (SELECT count(*) FROM graph.statements WHERE recorded_to < 'infinity')"""
    )
    assert all(count > 0 for count in rows)
    assert [finding for finding in audit(store.connection) if not finding.passed] == []


def test_every_audit_has_a_fault_and_every_file_is_an_audit() -> None:
    assert FAULTS.keys() == AUDITS.keys()
    assert set(sql_names("audit")) == {*AUDITS, *REPORTS, "summarise_audit", "select_overlaps"}


@pytest.mark.parametrize(("name", "fault"), [(name, fault) for name, faults in FAULTS.items() for fault in faults])
def test_a_planted_fault_is_found(store: Store, name: str, fault: str) -> None:
    with planted(store, *fault.split(";")) as connection:
        finding = run_audit(connection, name)
    assert not finding.passed
    assert 0 < len(finding.sample) <= 5 and all(finding.sample)
    assert finding.description == AUDITS[name]


@pytest.mark.parametrize("name", [*AUDITS, *REPORTS])
def test_no_audit_compares_every_row_with_every_other(store: Store, name: str) -> None:
    query = load_sql("audit", "summarise_audit", query=audit_query(name))
    assert slow_joins(plan_of(store.connection, query, {})) == []


def test_rows_that_meet_do_not_overlap(store: Store) -> None:
    first = copy_of_node(recorded_from=BEFORE, recorded_to="recorded_from", content_hash="'x'::BLOB", value_hash="'x'::BLOB")
    with planted(store, first) as connection:
        assert run_audit(connection, "overlapping_nodes").passed
        assert run_audit(connection, "reopened_rows").passed


@pytest.mark.parametrize("most", [2, 16, 10_000])
def test_overlaps_are_those_of_a_comparison_of_all_pairs(most: int) -> None:
    """Random rectangles under separate keys; `most` moves the border between the two ways of looking for overlaps."""
    chance = random.Random(11)
    rows, wrong = [], set()
    for key in range(400):
        boxes: list[tuple[int, int, int, int]] = []
        for _ in range(chance.choice((2, 3, 8, 40))):
            span = chance.choice((6, 30, 100))
            box = (*sorted(chance.sample(range(span), 2)), *sorted(chance.sample(range(span), 2)))
            crossing = any(a < box[1] and box[0] < b and c < box[3] and box[2] < d for a, b, c, d in boxes)
            if crossing and chance.random() < 0.97:
                continue
            if crossing:
                wrong.add(f"k{key}")
            boxes.append(box)
        rows += [(f"k{key}", *(EPOCH + timedelta(days=day) for day in box)) for box in boxes]
    connection = duckdb.connect()
    names = ("part_a", "a", "b", "c", "d")
    connection.register("boxes", pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)}))
    times = "a AS valid_from, b AS valid_to, c AS recorded_from, d AS recorded_to"
    selected = f"SELECT 'main' AS dataset, part_a, '' AS part_b, {times} FROM boxes"
    query = load_sql("audit", "select_overlaps", query=selected)
    assert " 16" in query
    found = connection.execute(f"SELECT DISTINCT key FROM ({query.replace(' 16', f' {most}')})").fetchall()
    assert {key for (key,) in found} == wrong
    assert 20 < len(wrong) < 380


def test_a_hot_key_is_audited_without_comparing_its_rows(store: Store) -> None:
    """Ten thousand rows of one node, as a feed leaves them: stretches that ended, and presents that were replaced."""
    history = """
        INSERT INTO graph.nodes_closed
        SELECT 'main', 'urn:hot', 'record', 'urn:Person', NULL, '{}', to_timestamp(i),
               CASE k WHEN 0 THEN 'infinity' ELSE to_timestamp(i + 1) END,
               to_timestamp(i + k), CASE k WHEN 0 THEN to_timestamp(i + 1) ELSE to_timestamp(100000) END,
               1.0, unhex(md5(i || ' ' || k)), unhex(md5(i || ' ' || k))
        FROM range(5000) AS r(i), range(2) AS s(k)"""
    overlap = """
        UPDATE graph.nodes_closed SET recorded_to = recorded_to + INTERVAL 1 MICROSECOND
        WHERE valid_from = to_timestamp(3000) AND valid_to = 'infinity'"""
    with planted(store, history) as connection:
        assert run_audit(connection, "overlapping_nodes").passed
        connection.execute(overlap)
        assert run_audit(connection, "overlapping_nodes").sample == ["urn:hot record"] * 2
