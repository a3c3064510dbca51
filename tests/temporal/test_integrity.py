"""Edges against the nodes at their ends (design rule 9): the three policies, against the union of a node's segments."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from vectors import table
from warehouse import Store, edge, node

from stratagraph.errors import CommitRefusedError
from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql, qualified
from stratagraph.staging import Batch, write_batch
from stratagraph.temporal.audit import audit, run_audit
from stratagraph.temporal.run import commit_staged

# Valid time is cut into cells by the days of January 2020; the first and the last reach to the infinities.
CELLS = 11
BOUNDS = ["-infinity", *[f"2020-01-{day:02d}T00:00:00Z" for day in range(1, CELLS)], "infinity"]


def bound(instant: str) -> int:
    return BOUNDS.index(instant)


@dataclass
class Model:
    """What is believed, cell by cell: of a node's facets, and of edges (by subject, predicate, object)."""

    nodes: dict[tuple[str, str], list[str | None]] = field(default_factory=dict)
    edges: dict[tuple[str, str, str], list[str | None]] = field(default_factory=dict)

    def after(self, changes: list[tuple[Any, ...]]) -> Model:
        nodes = {key: list(cells) for key, cells in self.nodes.items()}
        edges = {key: list(cells) for key, cells in self.edges.items()}
        for kind, key, value, start, end in changes:
            cells = (nodes if kind == "node" else edges).setdefault(key, [None] * CELLS)
            cells[start:end] = [value] * (end - start)
        return Model(nodes, edges)

    def covered(self, name: str) -> list[bool]:
        """The union of the segments of all facets of a node."""
        facets = [cells for (owner, _), cells in self.nodes.items() if owner == name]
        return [any(cells[cell] is not None for cells in facets) for cell in range(CELLS)]

    def rows(self) -> set[tuple[tuple[str, str, str], str, int, int]]:
        """Edges as rows: maximal stretches of one value."""
        return {(key, *run) for key, cells in self.edges.items() for run in runs(cells)}

    def uncovered(self) -> set[tuple[tuple[str, str, str], str, int, int]]:
        """Per edge row and end, the stretches on which the end is not believed."""
        found = set()
        for key, _, start, end in self.rows():
            for name in {key[0], key[2]}:
                held = self.covered(name)
                gaps = ["gap" if start <= cell < end and not held[cell] else None for cell in range(CELLS)]
                found |= {(key, name, *run[1:]) for run in runs(gaps)}
        return found

    def within_ends(self) -> set[tuple[tuple[str, str, str], str, int, int]]:
        """Edges cut to the cells in which both ends are believed."""
        found = set()
        for key, value, start, end in self.rows():
            both = [s and o for s, o in zip(self.covered(key[0]), self.covered(key[2]), strict=True)]
            inside = [value if start <= cell < end and both[cell] else None for cell in range(CELLS)]
            found |= {(key, *run) for run in runs(inside)}
        return found


def runs(cells: list[str | None]) -> set[tuple[str, int, int]]:
    """Maximal stretches of one value."""
    found, start = set(), 0
    for cell in range(1, len(cells) + 1):
        if cell == len(cells) or cells[cell] != cells[start]:
            if cells[start] is not None:
                found.add((cells[start], start, cell))
            start = cell
    return found


def random_changes(rng: random.Random, size: int, nodes: int, loss: float) -> list[tuple[Any, ...]]:
    """Periods of node facets and edges, said or retracted."""
    changes: list[tuple[Any, ...]] = []
    for _ in range(size):
        start, end = sorted(rng.sample(range(CELLS + 1), 2))
        value = None if rng.random() < loss else rng.choice("ab")
        subject, target = f"urn:n:{rng.randrange(nodes)}", f"urn:n:{rng.randrange(nodes)}"
        if rng.random() < 0.6:
            changes.append(("node", (subject, rng.choice(["f", "g"])), value, start, end))
        else:
            changes.append(("edge", (subject, "urn:p", target), value, start, end))
    return changes


def statements(changes: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    stated = []
    for place, (kind, key, value, start, end) in enumerate(changes):
        period = {"valid_from": BOUNDS[start], "valid_to": BOUNDS[end], "properties": {"v": value}, "sequence": place}
        row = node(key[0], facet=key[1], **period) if kind == "node" else edge(*key, **period)
        stated.append(row | {"polarity": "retract" if value is None else "assert"})
    return stated


def stretches(store: Store, query: str, *names: str, **parameters: Any) -> list[tuple[Any, ...]]:
    """Rows (subject, predicate, object, what, from, to) of a query, with bounds by their place."""
    columns = ", ".join([*names, "graph.iso(valid_from)", "graph.iso(valid_to)"])
    found = store.rows(f"SELECT subject, predicate, object, {columns} FROM ({query})", **parameters)
    return [((row[0], row[1], row[2]), row[3], bound(row[4]), bound(row[5])) for row in found]


def uncovered(store: Store) -> list[tuple[Any, ...]]:
    query = load_sql("integrity", "derive_uncovered", edges=qualified("graph", "edges_open"))
    return stretches(store, query, "node_id")


@pytest.mark.parametrize("seed", range(4))
def test_intervals_against_the_union_of_segments(seed: int) -> None:
    """On both clocks: what the intervals say is what a cell-by-cell reading says."""
    rng = random.Random(seed)
    store, model, known = Store(), Model(), []
    for _ in range(5):
        changes = random_changes(rng, 80, nodes=25, loss=0.3)
        store.commit(*statements(changes))
        model = model.after(changes)
        known.append((store.now, model))
    assert sorted(uncovered(store)) == sorted(model.uncovered())
    assert run_audit(store.connection, "dangling_edges").count == len(model.uncovered()) > 5
    for instant, then in known:
        cut = stretches(store, "SELECT * FROM graph.edges_within_ends($k)", "properties ->> 'v'", k=instant)
        assert sorted(cut) == sorted(then.within_ends())
        for cell in range(1, CELLS - 1):
            midday = datetime.fromisoformat(BOUNDS[cell]) + timedelta(hours=12)
            shown = store.rows("SELECT subject, predicate, object FROM graph.edges_as_of($v, $k)", v=midday, k=instant)
            assert sorted(shown) == sorted(key for key, _, start, end in then.within_ends() if start <= cell < end)
    assert store.rows("SELECT * FROM graph.edges_within_ends('2020-01-01')") == []


@pytest.mark.parametrize("seed", range(3))
def test_a_store_that_rejects_is_covered_after_every_commit(seed: int) -> None:
    rng = random.Random(seed)
    store, model, verdicts = Store(), Model(), []
    start = [("node", (f"urn:n:{n}", "f"), "a", 0, CELLS) for n in range(4)]
    for changes in [start, *(random_changes(rng, rng.choice([1, 1, 2, 3]), nodes=4, loss=0.4) for _ in range(20))]:
        wanted = model.after(changes)
        before = contents(store)
        try:
            store.commit(*statements(changes), integrity="reject")
        except CommitRefusedError:
            assert wanted.uncovered() != set()
            assert contents(store) == before
            verdicts.append("refused")
            continue
        assert wanted.uncovered() == set()
        model = wanted
        verdicts.append("accepted")
    assert uncovered(store) == []
    assert {*verdicts} == {"accepted", "refused"}
    assert [finding for finding in audit(store.connection) if not finding.passed] == []


def contents(store: Store) -> list[tuple[Any, ...]]:
    tables = [row[0] for row in store.rows("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'graph' ORDER BY ALL")]
    return [row for name in tables for row in store.rows(f"SELECT '{name}', t FROM graph.\"{name}\" AS t ORDER BY ALL")]


ENDS = [node("urn:a", valid_from="2020-01-01", valid_to="2020-02-01"), node("urn:b")]
LONG = edge("urn:a", "urn:p", "urn:b", "2020-01-15", "2020-03-01")


@pytest.mark.parametrize("policy", ["report", "clip"])
def test_an_edge_longer_than_its_ends_is_kept_and_shown_within_them(policy: str) -> None:
    store = Store()
    store.commit(*ENDS, LONG, integrity=policy)
    assert store.rows("SELECT graph.iso(valid_from), graph.iso(valid_to) FROM graph.edges_open") == [
        ("2020-01-15T00:00:00Z", "2020-03-01T00:00:00Z")
    ]
    cut = store.rows("SELECT graph.iso(valid_from), graph.iso(valid_to) FROM graph.edges_within_ends($k)", k=store.now)
    assert cut == [("2020-01-15T00:00:00Z", "2020-02-01T00:00:00Z")]
    finding = run_audit(store.connection, "dangling_edges")
    assert finding.count == 1
    assert finding.sample == ["urn:a urn:p urn:b: urn:a is not believed on [2020-02-01T00:00:00Z, 2020-03-01T00:00:00Z)"]


def test_a_refusal_names_edge_end_stretch_and_number() -> None:
    store = Store()
    with pytest.raises(CommitRefusedError) as refused:
        store.commit(
            *ENDS, LONG, edge("urn:b", "urn:q", "urn:nobody"), edge("urn:nobody", "urn:q", "urn:nobody"), integrity="reject"
        )
    assert "3 stretches of 3 edges would lack an end" in refused.value.what
    assert "urn:a urn:p urn:b: urn:a is not believed on [2020-02-01T00:00:00Z, 2020-03-01T00:00:00Z)" in refused.value.what
    assert "urn:b urn:q urn:nobody: urn:nobody is not believed on [-infinity, infinity)" in refused.value.what
    assert refused.value.where == "source s, batch 1"
    assert store.rows("SELECT count(*) FROM graph.statements") == [(0,)]
    assert store.rows("SELECT count(*) FROM graph.runs") == [(0,)]


def test_a_withdrawn_node_that_carries_an_edge_is_refused() -> None:
    store = Store()
    store.commit(*ENDS, source="nodes", integrity="reject")
    store.commit(edge("urn:a", "urn:p", "urn:b", "2020-01-15", "2020-02-01"), source="edges", integrity="reject")
    with pytest.raises(CommitRefusedError, match="urn:b is not believed"):
        store.commit(ENDS[0], source="nodes", complete=True, integrity="reject")
    store.commit(source="edges", complete=True, integrity="reject")
    store.commit(ENDS[0], source="nodes", complete=True, integrity="reject")
    assert store.rows("SELECT DISTINCT node_id FROM graph.nodes_open") == [("urn:a",)]


def test_a_change_of_an_attribute_leaves_the_edges_alone() -> None:
    store = Store()
    store.commit(*ENDS, edge("urn:a", "urn:p", "urn:b", "2020-01-01", "2020-02-01"), integrity="reject")
    changed = node("urn:a", valid_from="2020-01-10", valid_to="2020-02-01", properties={"v": 2}, sequence=1)
    counts = store.commit(changed, integrity="reject")
    assert (counts.nodes_opened, counts.edges_opened, counts.edges_closed) == (2, 0, 0)


def test_what_dangled_before_is_not_held_against_a_commit() -> None:
    store = Store()
    store.commit(*ENDS, LONG, integrity="report")
    store.commit(node("urn:c"), edge("urn:c", "urn:p", "urn:b"), integrity="reject")
    assert run_audit(store.connection, "dangling_edges").count == 1


def test_no_plan_compares_every_edge_with_every_segment() -> None:
    store = Store()
    store.commit(*ENDS, LONG)
    whole = load_sql("integrity", "derive_uncovered", edges=qualified("graph", "edges_open"))
    for query in (whole, "SELECT * FROM graph.edges_within_ends(now())"):
        plan = store.rows(f"EXPLAIN {query}")[0][1]
        assert "HASH_JOIN" in plan
        assert not any(join in plan for join in ("NESTED_LOOP", "BLOCKWISE", "CROSS_PRODUCT", "PIECEWISE"))


def test_an_unknown_policy_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="not an integrity policy: 'strict'"):
        Store().commit(node("urn:a"), integrity="strict")


@pytest.mark.parametrize("policy", ["report", "clip", "reject"])
def test_the_belief_stage_keeps_to_the_policy_of_the_project(policy: str, tmp_path: Path) -> None:
    config = tmp_path / "stratagraph.yaml"
    config.write_text(f"version: 1\nontology: {{files: [o.ttl]}}\nbelief: {{integrity: {policy}}}\n", encoding="utf-8")
    project = Project.load(config)
    with project.write() as connection:
        stated = table(connection, [row | {"source": "s", "scope": "s"} for row in (*ENDS, LONG)])
        write_batch(project, "rows", Batch("b", "s", 0, complete=True), connection.from_arrow(stated))
    if policy == "reject":
        with pytest.raises(CommitRefusedError, match="urn:a is not believed on"):
            commit_staged(project)
    else:
        assert commit_staged(project).counts.edges_opened == 1
