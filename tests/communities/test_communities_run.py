"""Communities: nothing dropped, it terminates, the same graph gives the same ids, rows keep their times, reports cite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from small_graph import STORE, Rows, make_project, node_iri, small_project

from stratagraph.communities.leiden import Settings, divide
from stratagraph.communities.run import CommunitiesResult, update_communities
from stratagraph.project import Project


def put(project: Project, edges: Sequence[tuple[str, str]], alone: Sequence[str] = (), moment_offset: int = 0) -> None:
    rows = Rows(STORE + timedelta(seconds=moment_offset))
    for name in sorted({name for edge in edges for name in edge} | set(alone)):
        rows.node(name, "Robot" if name.startswith("r") else "Person", name.upper())
    for subject, object_ in edges:
        rows.edge(subject, "met", object_)
    with project.write() as connection:
        rows.insert(connection)


def query(project: Project, text: str) -> list[tuple[object, ...]]:
    with project.read() as connection:
        return connection.execute(text).fetchall()


def ids(project: Project) -> list[tuple[object, ...]]:
    return query(
        project, "SELECT community_id, level, parent_id FROM graph.communities WHERE recorded_to = 'infinity' ORDER BY ALL"
    )


def leaves(project: Project) -> list[tuple[object, ...]]:
    return query(
        project,
        "SELECT m.node_id FROM graph.community_members AS m WHERE m.recorded_to = 'infinity' AND m.community_id NOT IN "
        "(SELECT parent_id FROM graph.communities WHERE parent_id IS NOT NULL AND recorded_to = 'infinity') ORDER BY ALL",
    )


def clique(prefix: str, size: int) -> list[tuple[str, str]]:
    return [(f"{prefix}{i:02d}", f"{prefix}{j:02d}") for i in range(size) for j in range(i + 1, size)]


def test_every_node_is_in_exactly_one_leaf(tmp_path: Path) -> None:
    project = make_project(tmp_path, max_size=6)
    put(project, [*clique("a", 8), *clique("b", 5), ("a00", "b00"), ("c0", "c1")], alone=["r1", "r2", "lonely"])
    result = update_communities(project)
    nodes = query(project, "SELECT DISTINCT node_id FROM graph.nodes_now ORDER BY ALL")
    assert leaves(project) == nodes and len(nodes) == 18
    assert result.changed and result.communities == len(ids(project)) and result.leaves <= result.communities
    titles = [row[0] for row in query(project, "SELECT title FROM graph.community_reports ORDER BY title")]
    assert "Without relations: 2 Robot" in titles and "LONELY" in titles


def test_levels(tmp_path: Path) -> None:
    project = make_project(tmp_path, max_size=10)
    groups = [edge for prefix in "abcdefghij" for edge in clique(prefix, 8)]
    ring = [(f"{a}00", f"{b}00") for a, b in zip("abcdefghij", "bcdefghija", strict=True)] * 3
    put(project, groups + sorted(set(ring)))
    update_communities(project)
    sizes = query(project, "SELECT level, member_count, parent_id FROM graph.communities")
    assert {level for level, _, _ in sizes} <= {0, 1, 2}
    parents = query(
        project,
        "SELECT count(*) FROM graph.community_members AS m JOIN graph.communities AS c USING (community_id) "
        "ANTI JOIN graph.community_members AS p ON p.community_id = c.parent_id AND p.node_id = m.node_id "
        "WHERE c.parent_id IS NOT NULL",
    )
    assert parents == [(0,)]


def test_an_empty_graph(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    expected = CommunitiesResult(False, communities=0, leaves=0, levels=0, opened=0, closed=0, reports_written=0)
    assert update_communities(project) == expected == update_communities(project)


def test_nodes_without_edges(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    put(project, [], alone=["x", "y", "r1"])
    assert update_communities(project).communities == 2
    assert len(leaves(project)) == 3


def test_parallel_edges_and_self_loops_terminate(tmp_path: Path) -> None:
    project = make_project(tmp_path, max_size=2)
    rows = Rows()
    for name in ("x", "y", "z"):
        rows.node(name, "Person", name)
    for predicate in ("met", "knows", "likes"):
        rows.edge("x", predicate, "y")
        rows.edge("y", predicate, "x")
    rows.edge("z", "likes", "z")
    with project.write() as connection:
        rows.insert(connection)
    update_communities(project)
    assert len(leaves(project)) == 3
    assert sorted(query(project, "SELECT member_count, edge_count FROM graph.communities")) == [(1, 1), (2, 6)]


def test_one_giant_community(tmp_path: Path) -> None:
    project = make_project(tmp_path, max_size=5)
    put(project, clique("a", 40))
    update_communities(project)
    assert len(leaves(project)) == 40


def test_the_same_graph_gives_the_same_ids_whatever_the_row_order(tmp_path: Path) -> None:
    edges = [*clique("a", 7), *clique("b", 7), ("a00", "b03"), ("b00", "c0")]
    one, two = make_project(tmp_path / "one", max_size=5), make_project(tmp_path / "two", max_size=5)
    put(one, edges, alone=["d"])
    put(two, list(reversed(edges)), alone=["d"], moment_offset=77)
    for project in (one, two):
        update_communities(project)
    assert ids(one) == ids(two)
    text = "SELECT community_id, title, summary, findings, coverage, input_hash FROM graph.community_reports ORDER BY ALL"
    assert query(one, text) == query(two, text)


def test_again_does_nothing_and_a_change_touches_what_it_changes(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    put(project, [*clique("a", 5), *clique("b", 5)])
    first = update_communities(project)
    before = query(project, "SELECT * FROM graph.community_reports ORDER BY ALL")
    assert not update_communities(project).changed
    assert query(project, "SELECT * FROM graph.community_reports ORDER BY ALL") == before
    put(project, [("c0", "c1")], moment_offset=10)
    second = update_communities(project)
    assert (second.opened, second.closed, second.reports_written) == (1, 0, 1)
    assert second.communities == first.communities + 1
    kept = query(project, "SELECT count(*) FROM graph.community_reports WHERE recorded_to = 'infinity'")
    assert kept == [(3,)]


def test_rows_are_closed_and_opened_at_one_later_instant(tmp_path: Path) -> None:
    project = make_project(tmp_path, clock=STORE - timedelta(days=365))  # a clock behind what is recorded
    put(project, clique("a", 4))
    update_communities(project)
    (first,) = query(project, "SELECT DISTINCT epoch_us(recorded_from) FROM graph.communities")[0]
    assert first == (STORE.timestamp() * 1_000_000) + 1
    put(project, [("a00", "new")], moment_offset=1)
    assert update_communities(project).closed == 1
    times = query(
        project,
        "SELECT DISTINCT epoch_us(t) FROM ("
        "SELECT recorded_to AS t FROM graph.communities WHERE recorded_to <> 'infinity' UNION ALL "
        "SELECT recorded_from FROM graph.communities WHERE recorded_to = 'infinity' UNION ALL "
        "SELECT recorded_to FROM graph.community_members WHERE recorded_to <> 'infinity' UNION ALL "
        "SELECT recorded_to FROM graph.community_reports WHERE recorded_to <> 'infinity')",
    )
    assert len(times) == 1
    overlapping = query(project, "SELECT count(*) FROM graph.communities WHERE recorded_from >= recorded_to")
    assert overlapping == [(0,)]
    # The store's next commit looks at runs to come after this.
    assert query(project, "SELECT max(epoch_us(recorded_at)) FROM graph.runs WHERE clock = 'store'") == times


def test_only_what_is_valid_now_counts(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    update_communities(project)
    cited = {
        edge_id
        for (findings,) in query(project, "SELECT findings FROM graph.community_reports")
        for finding in json.loads(str(findings))
        for edge_id in finding["edge_ids"]
    }
    assert "urn:edge:ada:worksFor:globex" in cited
    assert not cited & {"urn:edge:ada:worksFor:acme", "urn:edge:agnew:holdsOffice:prez", "urn:edge:agnew:holdsOffice:viceprez"}


def test_reports_cite_edges_of_their_community_and_keep_a_ledger(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    put(project, clique("a", 9))  # 36 facts, more than a report shows
    update_communities(project)
    ((community, findings, coverage),) = query(project, "SELECT community_id, findings, coverage FROM graph.community_reports")
    cited = [edge_id for finding in json.loads(str(findings)) for edge_id in finding["edge_ids"]]
    inside = {edge_id for (edge_id,) in query(project, "SELECT edge_id FROM graph.edges_now")}
    assert community and set(cited) <= inside and len(cited) == len(set(cited)) == 20
    assert json.loads(str(coverage)) == {"facts_in": 36, "facts_shown": 20, "facts_cited": 20, "truncated": True}


def test_each_relation_has_its_turn_in_a_report(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    rows = Rows()
    for name in ["hub", *(f"p{i}" for i in range(30))]:
        rows.node(name, "Person", name)
    for i in range(30):
        rows.edge(f"p{i}", "reportsTo", "hub")
    rows.edge("p3", "likes", "p4")
    with project.write() as connection:
        rows.insert(connection)
    update_communities(project)
    summaries = [str(row[0]) for row in query(project, "SELECT summary FROM graph.community_reports")]
    assert any("p3 likes p4" in summary for summary in summaries)


def test_a_changed_label_writes_the_report_again_but_keeps_the_community(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    put(project, clique("a", 4))
    update_communities(project)
    before = ids(project)
    with project.write() as connection:
        connection.execute("UPDATE graph.nodes_open SET label = 'A new name' WHERE node_id = ?", [node_iri("a00")])
    result = update_communities(project)
    assert (result.opened, result.closed, result.reports_written) == (0, 0, 1)
    assert ids(project) == before
    current = query(project, "SELECT title FROM graph.community_reports WHERE recorded_to = 'infinity'")
    assert len(current) == 1 and "A new name" in str(current[0][0])


@pytest.mark.parametrize("seed", [1, 2])
def test_divide_is_a_function_of_its_input(seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = np.unique(np.sort(random.integers(0, 500, (1500, 2)), axis=1), axis=0)
    links = pairs[pairs[:, 0] != pairs[:, 1]]
    settings = Settings(resolution=1.0, max_size=20, max_levels=4, seed=42)
    arguments = (random.integers(0, 3, 520), links, np.ones(len(links)), settings)
    first, second = divide(*arguments), divide(*arguments)
    assert [(c.level, c.parent, c.members.tolist()) for c in first] == [(c.level, c.parent, c.members.tolist()) for c in second]
    parents = {community.parent for community in first}
    covered = np.concatenate([community.members for community in first if community.number not in parents])
    assert sorted(covered.tolist()) == list(range(520))
    assert all(c.parent is None or set(c.members) < set(first[c.parent].members) for c in first)
