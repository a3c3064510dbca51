"""A small project whose graph is told statement by statement, for tests of identity."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from vectors import table

from stratagraph.identity.candidates import CandidatesResult, find_candidates
from stratagraph.ontology.load import update_ontology
from stratagraph.project import Project
from stratagraph.temporal.commit import apply_rules, commit

ONTOLOGY = """
@prefix : <urn:> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<urn:o> a owl:Ontology .
:Agent a owl:Class . :Person a owl:Class ; rdfs:subClassOf :Agent ; owl:hasKey ( :passport ) .
:Company a owl:Class ; rdfs:subClassOf :Agent ; owl:disjointWith :Person ; owl:hasKey ( :register :number ) .
:Report a owl:Class . :Place a owl:Class . :Fruit a owl:Class . :Planet a owl:Class . :Metal a owl:Class .
:birthday a owl:DatatypeProperty , owl:FunctionalProperty . :phone a owl:DatatypeProperty . :city a owl:DatatypeProperty .
:passport a owl:DatatypeProperty . :register a owl:DatatypeProperty . :number a owl:DatatypeProperty .
:email a owl:DatatypeProperty , owl:InverseFunctionalProperty .
:worksFor a owl:ObjectProperty , owl:FunctionalProperty . :knows a owl:ObjectProperty .
"""
CONFIG = """
version: 1
base_iri: "urn:"
ontology: {files: [o.ttl]}
"""


class World:
    """A project, and what its graph is told. Its clock steps a second at each question."""

    def __init__(self, folder: Path, config: str = "") -> None:
        (folder / "o.ttl").write_text(ONTOLOGY, encoding="utf-8")
        (folder / "stratagraph.yaml").write_text(CONFIG + config, encoding="utf-8")
        seconds = itertools.count()
        start = datetime(2026, 1, 1, tzinfo=UTC)
        self.project = Project.load(folder / "stratagraph.yaml", lambda: start + timedelta(seconds=next(seconds)))
        self.batches = 0
        update_ontology(self.project)

    def tell(self, *rows: dict[str, Any], source: str = "s", complete: bool = False) -> None:
        self.batches += 1
        batch = f"{source}-{self.batches}"
        with self.project.write() as connection:
            apply_rules(connection, dataset="main", batch_id=f"rules-{self.batches}", clock=self.project.clock)
            stated = table(connection, [row | {"source": source, "scope": source} for row in rows])
            commit(
                connection, stated, dataset="main", source=source, batch_id=batch, clock=self.project.clock, complete=complete
            )

    def find(self) -> CandidatesResult:
        return find_candidates(self.project)

    def rows(self, query: str, **parameters: Any) -> list[tuple[Any, ...]]:
        with self.project.read() as connection:
            return connection.execute(query, parameters).fetchall()

    def mapping(self) -> dict[str, tuple[str, str]]:
        """Of each ref that stands for another node: the node and the method."""
        found = self.rows("SELECT ref, node_id, method FROM graph.identities WHERE recorded_to = 'infinity'")
        return {ref: (node_id, method) for ref, node_id, method in found}

    def candidates(self) -> dict[tuple[str, str], tuple[str, str, str]]:
        """Of each pair that is a candidate: decision, judge, reason."""
        query = "SELECT a, b, decision, judge, reason FROM graph.identity_candidates WHERE recorded_to = 'infinity'"
        return {(a, b): (decision, judge, reason) for a, b, decision, judge, reason in self.rows(query)}

    def belief(self) -> list[tuple[Any, ...]]:
        """What is believed now, whenever it was recorded."""
        return self.rows(
            "SELECT 'node', node_id, facet, hex(content_hash) FROM graph.nodes_open UNION ALL "
            "SELECT 'edge', edge_id, subject, hex(content_hash) FROM graph.edges_open ORDER BY ALL"
        )
