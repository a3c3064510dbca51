"""An inferred fact that only repeats an asserted one is not shown beside it; one that says something new is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from small_graph import EX, node_iri, small_project

from stratagraph.snapshot.publish import publish
from stratagraph.snapshot.reader import Snapshot, open_snapshot

# An edge like the one it is inferred from, with the same statement behind it.
INFER = """
INSERT INTO graph.edges_open SELECT * REPLACE (
    $edge_id AS edge_id, $subject AS subject, $predicate AS predicate, $object AS object, NULL AS fact, 'inferred' AS origin,
    md5($edge_id)::BLOB AS content_hash
) FROM graph.edges_open WHERE edge_id = $premise
"""
CLAIM = """
INSERT INTO graph.claims SELECT * REPLACE ($edge_id AS row_id, 'inferred' AS facet)
FROM graph.claims WHERE row_id = $premise AND recorded_to = 'infinity'
"""
WORKS, EMPLOYS = "urn:edge:ada:worksFor:globex", "urn:edge:globex:employs:ada"


@pytest.fixture(scope="module")
def inferred(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    project = small_project(tmp_path_factory.mktemp("inferred"))
    edges = [
        (EMPLOYS, "globex", "employs", "ada", WORKS),  # an inverse
        ("urn:edge:ada:affiliatedWith:globex", "ada", "affiliatedWith", "globex", WORKS),  # a wider relation
        ("urn:edge:ada:knows:carol", "ada", "knows", "carol", WORKS),  # a chain: of other nodes, hence new
    ]
    with project.write() as connection:
        for edge_id, subject, predicate, object_, premise in edges:
            ends = {"subject": node_iri(subject), "predicate": f"{EX}{predicate}", "object": node_iri(object_)}
            connection.execute(INFER, {"edge_id": edge_id, "premise": premise, **ends})
            connection.execute(CLAIM, {"edge_id": edge_id, "premise": premise})
    publish(project)
    with open_snapshot(project.data_dir) as snapshot:
        yield snapshot


@pytest.mark.parametrize(
    "query", ["Ada Okafor Globex", "Who employs Ada?", "Globex employs Ada Okafor", "Who is affiliated with Globex?"]
)
@pytest.mark.parametrize("clocks", [{}, {"valid_at": "any", "known_at": "any"}])
def test_the_asserted_fact_stands_for_its_repetitions(inferred: Snapshot, query: str, clocks: dict[str, str]) -> None:
    for hits in (
        inferred.search(query, "facts", limit=100, **clocks),
        inferred.search(query, limit=100, **clocks),
        inferred.recall(query, limit=100, **clocks).hits,
    ):
        ids = [hit.id for hit in hits if hit.kind == "fact"]
        assert WORKS in ids
        assert not {EMPLOYS, "urn:edge:ada:affiliatedWith:globex"} & set(ids)


def test_it_has_the_score_of_the_better_wording(inferred: Snapshot) -> None:
    assert inferred.search("employs", "facts", limit=1)[0].id == WORKS


def test_what_was_inferred_of_other_nodes_is_shown(inferred: Snapshot) -> None:
    assert "urn:edge:ada:knows:carol" in [hit.id for hit in inferred.search("Ada knows Carol", "facts")]


def test_nothing_is_lost_elsewhere(inferred: Snapshot) -> None:
    assert EMPLOYS in {edge["edge_id"] for node in inferred.neighbors(node_iri("ada")) for edge in node["via"]}
    assert EMPLOYS in {version["id"] for version in inferred.history(node_iri("ada"))}
