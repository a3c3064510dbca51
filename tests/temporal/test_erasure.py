"""Erasure (design section 4, rule 11): after it the store is as if what was erased had never been said."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import pytest
from warehouse import Store, edge, node

from stratagraph.temporal.audit import audit
from stratagraph.temporal.erase import ErasureCounts, erase

TABLES = (
    "statements", "evidence", "nodes_open", "nodes_closed", "edges_open", "edges_closed", "claims", "identities", "conflicts",
    "quarantine", "documents", "chunks", "mentions", "llm_calls", "communities", "community_members", "community_reports",
    "runs", "tombstones", "watermarks",
)  # fmt: skip


def forget(store: Store, id: str, kind: Any = "subject") -> ErasureCounts:
    return erase(store.connection, dataset="main", kind=kind, id=id, clock=lambda: store.now)


def everything(store: Store) -> str:
    """All that stands in any table, as text."""
    return "\n".join(f"{table}: {store.rows(f'SELECT to_json(t) FROM graph.{table} AS t')}" for table in TABLES)


def belief(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All that is believed and was, and why."""
    return {
        "nodes": store.rows("SELECT * EXCLUDE (content_hash, value_hash) FROM graph.nodes ORDER BY ALL"),
        "edges": store.rows("SELECT * EXCLUDE (content_hash, value_hash) FROM graph.edges ORDER BY ALL"),
        "claims": store.rows("SELECT * FROM graph.claims ORDER BY ALL"),
        "support": store.rows("SELECT * FROM graph.support ORDER BY ALL"),
        "conflicts": store.rows("SELECT * FROM graph.conflicts ORDER BY ALL"),
        "statements": store.rows("SELECT * FROM graph.statements ORDER BY ALL"),
        "evidence": store.rows("SELECT * FROM graph.evidence ORDER BY ALL"),
        "identities": store.rows("SELECT * FROM graph.identities ORDER BY ALL"),
    }


def rule(store: Store, single: str = "urn:worksFor", inverse: str = "urn:employs") -> None:
    store.connection.execute("INSERT INTO graph.ontology_properties VALUES ('main', $p, $p, TRUE)", {"p": single})
    store.connection.execute(
        "INSERT INTO graph.ontology_implications VALUES ('main', $p, $i, TRUE)", {"p": single, "i": inverse}
    )


def sound(store: Store) -> None:
    assert [finding for finding in audit(store.connection) if not finding.passed] == []


def test_nothing_of_a_subject_stays_in_any_table() -> None:
    store = Store()
    rule(store)
    store.commit(node("urn:alice", "Alice Liddell"), node("urn:acme", "Acme"), node("urn:bob", "Bob"))
    store.commit(edge("urn:alice", "urn:worksFor", "urn:acme", "2020-01-01T00:00:00Z", None), source="memo")
    store.commit(
        edge("urn:bob", "urn:met", "urn:alice"),
        edge("urn:bob", "urn:met", "urn:alice", "2020-01-02T00:00:00Z", "2019-01-01T00:00:00Z"),
    )
    store.commit(node("urn:alice", "Alice Hargreaves"), node("urn:acme", "Acme"), complete=True)
    counts = forget(store, "urn:alice")
    assert counts.known and counts.statements == 4 and counts.quarantine == 1
    assert counts.edges == 3  # worksFor, its inverse, met
    assert "alice" not in everything(store).lower()
    assert store.rows("SELECT node_id FROM graph.nodes_now") == [("urn:acme",)]
    sound(store)


def test_erasing_again_or_erasing_the_unknown_writes_nothing() -> None:
    store = Store()
    store.commit(node("urn:alice", "Alice"), node("urn:acme"))
    assert not forget(store, "urn:nobody").known
    assert store.rows("SELECT * FROM graph.tombstones") == []
    forget(store, "urn:alice")
    before = everything(store)
    again = forget(store, "urn:alice")
    assert again == ErasureCounts(known=True)
    assert everything(store) == before


def random_log(rng: random.Random) -> list[dict[str, Any]]:
    """Batches of three sources about a few things, with merges, withdrawals, retractions, late and contradicting news."""
    people = [f"urn:p{number}" for number in range(4)]
    firms = [f"urn:f{number}" for number in range(3)]

    def day(low: int, high: int) -> str:
        return datetime(2020, 1, rng.randint(low, high), tzinfo=UTC).isoformat()

    def statement(source: str) -> dict[str, Any]:
        start, end = sorted((day(1, 14), day(15, 28)))
        document = rng.choice(["urn:d0", "urn:d1", None])
        common = {
            "polarity": rng.choice(["assert", "assert", "assert", "retract"]), "observed_at": day(1, 28),
            "sequence": rng.randint(0, 2),
            "document_id": document, "quote": "said" if document else None, "source_table": None if document else "t",
            "source_key": None if document else f'{{"id":{rng.randint(1, 3)}}}',
        }  # fmt: skip
        what = rng.random()
        subject = rng.choice(people)
        to = rng.choice([end, None])
        if what < 0.3:
            kind = {"valid_from": start, "valid_to": to, "mode": "event" if to is None else "period"}
            return node(subject, f"label {rng.randint(1, 2)}", facet=rng.choice(["a", "b"])) | kind | common
        if what < 0.7:
            return edge(subject, "urn:worksFor", rng.choice(firms), start, to, **common)
        if what < 0.85:
            return edge(rng.choice(firms), "urn:employs", subject, start, to, **common)
        relation = rng.choice(["urn:met", "urn:avoids", "urn:under", "urn:under"])
        return edge(subject, relation, rng.choice(people), start, to, **common)

    # Known from the start, so that who is merged into whom depends on nothing that is erased.
    batches = [{"source": "base", "rows": [node(ref, facet="base") for ref in people], "links": None, "complete": False}]
    for _ in range(rng.randint(4, 9)):
        source = rng.choice(["one", "two", "three"])
        links = None
        if rng.random() < 0.3:
            ref, alias = rng.choice([people[:2], people[2:]])
            links = [(ref, "k1", alias, "k2")]
        rows = [statement(source) for _ in range(rng.randint(0, 5))]
        batches.append({"source": source, "rows": rows, "links": links, "complete": rng.random() < 0.4})
    return batches


def told(batches: list[dict[str, Any]], keep: Any, composed: bool = False) -> Store:
    """A store that was told what `keep` says of each batch's statements and links; `composed`: relations follow from two."""
    store = Store()
    rule(store)
    store.connection.execute("INSERT INTO graph.ontology_implications VALUES ('main', 'urn:met', 'urn:met', TRUE)")
    for pair in (("urn:met", "urn:avoids"), ("urn:avoids", "urn:met")):
        for swapped in (False, True):
            store.connection.execute("INSERT INTO graph.ontology_exclusions VALUES ('main', ?, ?, ?)", [*pair, swapped])
    compositions = [("urn:under", "urn:under", "urn:under"), ("urn:under", "urn:worksFor", "urn:serves")]
    for composition in compositions if composed else []:
        store.connection.execute("INSERT INTO graph.ontology_compositions VALUES ('main', ?, ?, ?)", composition)
    for batch in batches:
        rows = [row for row in batch["rows"] if keep(row)]
        links = [link for link in batch["links"] or [] if keep({"subject": link[0], "object": link[2], "document_id": None})]
        store.commit(*rows, source=batch["source"], links=links or None, complete=batch["complete"])
    return store


COMPOSED = [pytest.param(seed, True, marks=[pytest.mark.slow] if seed != 1 else []) for seed in range(8)]


@pytest.mark.parametrize(("seed", "composed"), [*((seed, False) for seed in (0, 1, 2, 4, 12)), *COMPOSED])
def test_after_erasure_the_store_is_as_if_it_had_never_been_said(seed: int, composed: bool) -> None:
    rng = random.Random(seed)
    batches = random_log(rng)
    store = told(batches, lambda row: True, composed)
    kind = rng.choice(["subject", "document", "source_record"])
    if kind == "document":
        id = "urn:d0"
        gone = lambda row: row["document_id"] == id or id in (row["subject"], row["object"])  # noqa: E731
    elif kind == "source_record":
        id = 'one/t {"id":1}'
        source_of = {id_of(row): batch["source"] for batch in batches for row in batch["rows"]}
        gone = lambda row: row.get("source_key") == '{"id":1}' and source_of[id_of(row)] == "one"  # noqa: E731
    else:
        id = rng.choice(["urn:p0", "urn:f1"])
        live = store.rows("SELECT ref, node_id FROM graph.identities WHERE recorded_to = 'infinity'")
        node_id = dict(live).get(id, id)
        refs = {id, node_id, *(ref for ref, stands_for in live if stands_for == node_id)}
        gone = lambda row: row["subject"] in refs or row["object"] in refs  # noqa: E731
    forget(store, id, kind)
    assert belief(store) == belief(told(batches, lambda row: not gone(row), composed))
    sound(store)


def id_of(row: dict[str, Any]) -> int:
    return id(row)


def test_what_is_erased_is_dropped_when_it_is_said_again() -> None:
    store = Store()
    rule(store)
    people = [node("urn:alice", "Alice"), node("urn:bob", "Bob"), node("urn:acme", "Acme")]
    facts = [
        edge("urn:alice", "urn:worksFor", "urn:acme", "2020-01-01T00:00:00Z", None),
        edge("urn:bob", "urn:met", "urn:alice"),
        edge("urn:bob", "urn:worksFor", "urn:acme", "2020-01-01T00:00:00Z", None, document_id="urn:doc", quote="q"),
        edge("urn:bob", "urn:met", "urn:acme", source_key='{"id":7}'),
    ]
    links = [("urn:alice", "k", "urn:ally", "l")]
    store.commit(*people, links=links)
    store.commit(*facts)
    for id, kind in (("urn:ally", "subject"), ("urn:doc", "document"), ('s/t {"id":7}', "source_record")):
        assert forget(store, id, kind).known
    before = belief(store)
    again = store.commit(*people, links=links)
    assert (again.erased, again.rows_written, again.quarantined) == (1, 0, 0)
    again = store.commit(*facts, node("urn:ally", "Ally"))
    assert (again.statements, again.erased, again.rows_written, again.quarantined) == (5, 5, 0, 0)
    assert belief(store) == before
    assert "ally" not in everything(store).lower() and "alice" not in everything(store).lower()
    sound(store)


def test_another_dataset_is_not_touched() -> None:
    store = Store()
    store.commit(node("urn:alice", "Alice"), node("urn:acme", "Acme"))
    erase(store.connection, dataset="other", kind="subject", id="urn:alice", clock=lambda: store.now)
    assert store.rows("SELECT count(*) FROM graph.nodes") == [(2,)]
    erase(store.connection, dataset="main", kind="subject", id="urn:alice", clock=lambda: store.now)
    assert store.rows("SELECT count(*) FROM graph.nodes") == [(1,)]
