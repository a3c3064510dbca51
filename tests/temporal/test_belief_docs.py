"""The example of docs/belief.md is what happens."""

from __future__ import annotations

import re
from pathlib import Path

from warehouse import Store, edge

from stratagraph.ontology.load import load_ontology

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "belief.md").read_text(encoding="utf-8")


def tables_of(text: str) -> list[list[list[str]]]:
    """The rows of each table, without its head."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    return [[[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()[2:]] for block in blocks]


def test_the_example_of_exclusion_and_inference(tmp_path: Path) -> None:
    example = PAGE[PAGE.index("### An example") : PAGE.index("## Invariants")]
    file = tmp_path / "example.ttl"
    file.write_text(re.findall(r"```turtle\n(.*?)```", example, re.DOTALL)[0], encoding="utf-8")
    ontology, store = load_ontology([file]), Store()
    for exclusion in ontology.exclusions():
        store.connection.execute("INSERT INTO graph.ontology_exclusions VALUES ('main', ?, ?, ?)", [*exclusion])
    for rule in ontology.compositions():
        store.connection.execute("INSERT INTO graph.ontology_compositions VALUES ('main', ?, ?, ?)", [*rule])
    said, believed = tables_of(example)
    urn = "urn:example:"
    for subject, name, target, year in said:
        store.commit(edge(urn + subject, urn + name, urn + target, f"{year}-01-01T00:00:00Z", None))
    query = """
        SELECT subject, predicate, object, CAST(year(valid_from) AS VARCHAR),
               CASE WHEN valid_to < 'infinity' THEN CAST(year(valid_to) AS VARCHAR) ELSE '' END
        FROM graph.edges_open
        WHERE origin = 'inferred' OR predicate IN ('urn:example:uses', 'urn:example:migratedOff') ORDER BY ALL"""
    assert [[part.removeprefix(urn) for part in row] for row in store.rows(query)] == believed
