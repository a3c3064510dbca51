"""What is erased leaves the candidates and the kept answers about them as well."""

from __future__ import annotations

from collections.abc import Callable

from warehouse import edge, node
from worlds import World

from stratagraph.temporal.erase import erase

A, B, C, D = (f"urn:p/{name}" for name in "ABCD")


def test_nothing_of_an_erased_entity_stays_in_candidates(world: Callable[..., World]) -> None:
    here = world()
    same = {"urn:city": "Hiroshima", "urn:phone": "555 123 4567"}
    people = [node(ref, "Uma Thorsen", facet=f"{ref[-1]}/rows", properties=same) for ref in (A, B)]
    firms = [node(ref, "Oberhuber Holding", cls="urn:Company", facet=f"{ref[-1]}/rows") for ref in (C, D)]
    employed = [edge(firm, "urn:knows", A) for firm in (C, D)]
    here.tell(*people, *firms, *employed)
    here.find()
    hashes = "INSERT INTO graph.llm_calls SELECT dataset, content_hash, 'openai', 'm', content_hash, 1, 1, 'yes', recorded_from"
    with here.project.write() as connection:
        columns = [row[0] for row in connection.execute("DESCRIBE graph.llm_calls").fetchall()][9:]
        nulls = "".join(", NULL" for _ in columns)
        connection.execute(f"{hashes}{nulls} FROM graph.identity_candidates")
    assert len(here.candidates()) == 2
    with here.project.write() as connection:
        counts = erase(connection, dataset="main", kind="subject", id=A, clock=here.project.clock)
    assert counts.candidates >= 2  # of A itself, and of the firms, which were compared by knowing A
    assert here.rows("SELECT count(*) FROM graph.llm_calls") == [(0,)]
    assert here.rows("SELECT a FROM graph.identity_candidates WHERE contains(a || b || evidence, 'urn:p/A')") == []
