"""A small history of commits in which every step of the merge has something to do."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from warehouse import Store, edge, node

from stratagraph.errors import CommitRefusedError
from stratagraph.temporal import commit as commit_module
from stratagraph.temporal.commit import apply_rules, assign_identities
from stratagraph.transactions import transaction

WORKS_FOR, EMPLOYS, KNOWS, MEMBER_OF, AVOIDS = "urn:worksFor", "urn:employs", "urn:knows", "urn:memberOf", "urn:avoids"
UNDER, SERVES, SERVED_BY = "urn:under", "urn:serves", "urn:servedBy"


def ontology(store: Store) -> None:
    """worksFor is single-valued and the inverse of employs, knows is symmetric and excludes avoids.

    under is transitive, and whom one is under decides whom one serves, which has an inverse.
    """
    execute = store.connection.execute
    execute(f"INSERT INTO graph.ontology_properties VALUES ('main', '{WORKS_FOR}', 'works for', TRUE)")
    execute(f"INSERT INTO graph.ontology_implications VALUES ('main', '{WORKS_FOR}', '{EMPLOYS}', TRUE)")
    execute(f"INSERT INTO graph.ontology_implications VALUES ('main', '{KNOWS}', '{KNOWS}', TRUE)")
    for composition in ((UNDER, UNDER, UNDER), (UNDER, WORKS_FOR, SERVES), (SERVED_BY, UNDER, KNOWS)):
        execute("INSERT INTO graph.ontology_compositions VALUES ('main', ?, ?, ?)", [*composition])
    execute(f"INSERT INTO graph.ontology_implications VALUES ('main', '{SERVES}', '{SERVED_BY}', TRUE)")
    for pair in ((KNOWS, AVOIDS), (AVOIDS, KNOWS)):
        for swapped in (False, True):
            execute("INSERT INTO graph.ontology_exclusions VALUES ('main', ?, ?, ?)", [*pair, swapped])
    execute("INSERT INTO graph.ontology_classes VALUES ('main', 'urn:Person', 'urn:Person', 'person')")


def change_ontology(store: Store) -> None:
    """memberOf becomes single-valued, and worksFor implies it."""
    store.connection.execute(f"INSERT INTO graph.ontology_properties VALUES ('main', '{MEMBER_OF}', 'member of', TRUE)")
    store.connection.execute(f"INSERT INTO graph.ontology_implications VALUES ('main', '{WORKS_FOR}', '{MEMBER_OF}', FALSE)")
    apply_rules(store.connection, dataset="main", batch_id="rules", clock=lambda: store.now)


def assign(store: Store) -> None:
    """A user merges two people, whose badges follow, and splits a badge off."""
    refs = {"ref": ["urn:p/4", "urn:b/9"], "node_id": ["urn:p/5", "urn:b/9"], "reason": ["same person", "lent to somebody"]}
    assign_identities(store.connection, pa.table(refs), dataset="main", batch_id="user", clock=lambda: store.now)


def restate(store: Store) -> None:
    """A source takes back what it said last by saying again what it said before; another is surer of the same."""
    before, after = (edge("urn:p/7", MEMBER_OF, f"urn:o/{i}", "2001-01-01T00:00:00Z", None) for i in (1, 2))
    for said in (before, after, before | {"confidence": 0.5}, after):
        store.commit(said, source="desk")
    for target in ("urn:p/1", "urn:p/2"):
        store.commit(edge("urn:p/3", UNDER, target, "2002-01-01T00:00:00Z"), source="desk")
    for confidence in (0.4, 0.9):
        told = edge("urn:p/8", KNOWS, "urn:p/9", "2003-01-01T00:00:00Z", confidence=confidence, source_key=str(confidence))
        store.commit(told, source="desk")


def refuse(store: Store) -> None:
    """An edge to what nobody knows, where edges must have their ends."""
    with pytest.raises(CommitRefusedError):
        store.commit(edge("urn:p/1", KNOWS, "urn:nobody"), source="desk", integrity="reject")


def derive_again(store: Store) -> None:
    """Every key of the nodes and of one relation from the whole log, as after an erasure: nothing changes."""
    keys = (
        "CREATE TEMPORARY TABLE whole_keys AS "
        "SELECT DISTINCT dataset, 'node' AS kind, node_id AS k1, facet AS k2, '' AS k3 FROM graph.nodes_open UNION "
        f"SELECT DISTINCT dataset, 'edge', subject, predicate, '' FROM graph.edges_open WHERE predicate = '{WORKS_FOR}'"
    )
    steps = commit_module.Steps(store.connection)
    with transaction(store.connection):
        store.connection.execute(keys)
        steps.keep("rules", "temporal", "select_rules", {"dataset": "main"})
        steps.keep("mapping", "temporal", "select_mapping")
        commit_module.derive_keys(steps, "main", store.now)
        assert steps.count("rows_opened") == steps.count("rows_closed") == 0
        steps.drop()


def batch(rng: random.Random, people: int, size: int, *, dated: bool = True) -> list[dict[str, Any]]:
    """Random statements in both modes: late ones, equal starts, equal values, retractions, observation times."""
    rows = []
    for position in range(size):
        person, year = f"urn:p/{rng.randrange(people)}", rng.randrange(2000, 2020)
        start = f"{year}-01-01T00:00:00Z"
        common = {"sequence": position % 3, "observed_at": rng.choice([None, None, "2021-01-01T00:00:00Z" if dated else None])}
        if rng.random() < 0.3:
            label = f"Person {person[6:]}" if rng.random() < 0.8 else "Somebody"
            rows.append(node(person, label, facet=rng.choice(["crm", "web"]), valid_from=start, **common))
            continue
        until = rng.choice([None, None, "infinity", f"{year + rng.randrange(1, 6)}-01-01T00:00:00Z"])
        predicate = rng.choice([WORKS_FOR, WORKS_FOR, KNOWS, MEMBER_OF, AVOIDS])
        if rng.random() < 0.05:
            predicate = UNDER
        target = f"urn:p/{rng.randrange(people)}" if predicate in (KNOWS, AVOIDS, UNDER) else f"urn:o/{rng.randrange(7)}"
        polarity = "retract" if rng.random() < 0.15 else "assert"
        rows.append(edge(person, predicate, target, start, until, polarity=polarity, **common))
    return rows


def merges(people: int = 25, size: int = 150, seed: int = 1) -> Store:
    """Commit a history: first loads, changes, withdrawals, identities, recorded versions, an ontology that changes."""
    rng = random.Random(seed)
    store = Store()
    ontology(store)
    said = [node(f"urn:p/{i}", f"Person {i}", facet="crm") for i in range(people)] + batch(rng, people, 2 * size)
    store.commit(*said, source="crm")
    store.commit(*batch(rng, people, size // 3, dated=False), source="crm")
    store.commit(*batch(rng, people, size), source="memo", complete=True)
    store.commit(*batch(rng, people, size), source="memo", complete=True)
    # What was read from text gets the person of its name; records that share a key become one.
    named = [node(f"urn:t/{i}", f"PERSON {i}", facet="text") for i in range(5)]
    told = [edge(f"urn:t/{i}", KNOWS, f"urn:t/{i + 1}", "2012-05-01T00:00:00Z", None) for i in range(4)]
    store.commit(*named, *told, source="text")
    keys = [(f"urn:p/{i}", "crm", f"urn:b/{i}", "badge") for i in range(0, people, 3)]
    shared = [
        ("urn:p/1", "crm", "urn:b/0", "badge"),
        ("urn:b/3", "badge", "urn:s/1", "site"),
        ("urn:b/6", "badge", "urn:s/1", "site"),
        # two badges of one person by another's records: not one thing
        ("urn:h/1", "hr", "urn:b/100", "badge"),
        ("urn:h/1", "hr", "urn:b/101", "badge"),
    ]
    badges = [node(f"urn:b/{i}", f"Badge {i}", facet="badge") for i in range(0, people, 2)]
    store.commit(*badges, source="badges", links=[])
    store.commit(*badges, *batch(rng, people, size // 3), source="badges", links=keys)
    store.commit(*badges, source="badges", links=[*keys, *shared])
    # A recorded source: its own times where nobody else speaks, the store's clock where it meets another.
    for month in (3, 4):
        own = [
            edge(f"urn:g/{rng.randrange(9)}", KNOWS, f"urn:g/{rng.randrange(9)}", f"20{10 + i}-01-01T00:00:00Z")
            for i in range(8)
        ]
        met = batch(rng, people, size // 10)
        at = datetime(2013, month, 1, tzinfo=UTC)
        store.commit(*own, *met, source="git", complete=True, recorded_at=at)
    change_ontology(store)
    assign(store)
    restate(store)
    refuse(store)
    derive_again(store)
    store.commit(*batch(rng, people, size), source="memo", complete=True)
    return store
