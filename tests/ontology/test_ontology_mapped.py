"""Names in mappings that the ontology does not have are a loud error at the start; an ontology that says little, a warning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from stratagraph.errors import ConfigError
from stratagraph.ontology.load import load_ontology, ontology_files, update_ontology
from stratagraph.ontology.mapped import check_mapping, mapped_terms
from stratagraph.project import Project

REPOSITORY = Path(__file__).parents[2]
ONTOLOGY = """
@prefix ex: <https://e.org/o#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
ex:Employer a owl:Class . ex:Person a owl:Class . ex:name a owl:DatatypeProperty . ex:worksFor a owl:ObjectProperty .
"""
GOOD: dict[str, Any] = {
    "class": "ex:Person",
    "properties": {"name": "ex:name", "note": "rdfs:comment", "alias": "http://www.w3.org/2004/02/skos/core#altLabel"},
    "references": {"employer": "ex:worksFor"},
    "values": {"http://www.w3.org/2000/01/rdf-schema#label": "{name}"},
}


def project(folder: Path, mapping: dict[str, Any], ontology: str = ONTOLOGY, recorded: dict[str, Any] | None = None) -> Project:
    sources: dict[str, Any] = {"shop": {"type": "sql", "url": "sqlite:///shop.db", "mapping": {"people": mapping}}}
    if recorded is not None:
        sources["club"] = {"type": "recorded", "path": "*.json", "recorded_at": "%Y", "mapping": recorded}
    prefixes = {"ex": "https://e.org/o#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
    config = {"version": 1, "prefixes": prefixes, "ontology": {"files": ["o.ttl"]}, "sources": sources}
    (folder / "o.ttl").write_text(ontology, encoding="utf-8")
    (folder / "stratagraph.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return Project.load(folder / "stratagraph.yaml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"class": "ex:Employee"}, r"people\.class: 'ex:Employee' is no class of the ontology; did you mean ex:Employer\?"),
        ({"class": "ex:name"}, r"people\.class: 'ex:name' is no class"),
        ({"class": "https://other.org/Thing"}, r"people\.class: 'https://other\.org/Thing' is no class of the ontology"),
        ({"properties": {"name": "ex:nmae"}}, r"people\.properties\.name: 'ex:nmae' is no property .* did you mean ex:name\?"),
        ({"references": {"employer": "ex:employs"}}, r"people\.references\.employer: 'ex:employs' is no object property"),
        ({"references": {"employer": "ex:name"}}, r"people\.references\.employer: 'ex:name' is a data property"),
        ({"values": {"ex:nmae": "{a}"}}, r"people\.values\.ex:nmae: 'ex:nmae' is no data property .* did you mean ex:name\?"),
        ({"values": {"ex:worksFor": "{a}"}}, r"people\.values\.ex:worksFor: 'ex:worksFor' is an object property"),
        ({"classes": {"column": "k", "values": {"x": "ex:Persn"}}}, r"people\.classes\.values\.x: 'ex:Persn' .* ex:Person\?"),
        (
            {"classes": {"column": "k", "values": {"x": "ex:Person"}, "otherwise": "ex:name"}},
            r"people\.classes\.otherwise: 'ex:name' is no class",
        ),
    ],
)
def test_a_name_that_the_ontology_does_not_have_is_refused_at_the_start(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    assert update_ontology(project(tmp_path, GOOD)).changed
    wrong = project(tmp_path, GOOD | change)
    for _ in range(2):
        with pytest.raises(ConfigError, match=message):  # though the ontology's files are as they were
            update_ontology(wrong)
    assert not update_ontology(project(tmp_path, GOOD)).changed


def test_all_names_are_told_at_once_those_of_records_too(tmp_path: Path) -> None:
    edge = {"each": "terms", "predicate": "ex:a", "object_class": "ex:B", "object_ref": "x/{y}", "valid_from": "f"}
    edge |= {"valid_to": "t", "properties": {"p": "ex:c"}}  # type: ignore[dict-item]
    record = {"class": "ex:D", "keys": ["id"], "label": ["{name}"], "properties": {"n": "ex:e"}, "edges": [edge]}
    wrong = project(tmp_path, GOOD | {"class": "ex:F"}, recorded=record)
    with pytest.raises(ConfigError) as caught:
        update_ontology(wrong)
    assert [line.partition(": ")[0].strip() for line in str(caught.value).splitlines()[1:-1]] == [
        "sources.club.mapping.class",
        "sources.club.mapping.edges[0].object_class",
        "sources.club.mapping.edges[0].predicate",
        "sources.club.mapping.edges[0].properties.p",
        "sources.club.mapping.properties.n",
        "sources.shop.mapping.people.class",
    ]
    assert not wrong.warehouse.exists()


def test_the_mappings_of_the_demo_name_what_its_ontology_has() -> None:
    demo = Project.load(REPOSITORY / "examples/demo/stratagraph.yaml")
    assert len(mapped_terms(demo)) > 20
    check_mapping(demo, load_ontology(ontology_files(demo)))


def test_what_is_missing_or_says_nothing_is_a_warning_that_stays(tmp_path: Path) -> None:
    quiet = project(tmp_path, GOOD)
    assert update_ontology(quiet).metadata().get("warning") is None
    text = (
        ONTOLOGY.replace("owl:ObjectProperty", "owl:DatatypeProperty") + "<> a owl:Ontology ; owl:imports <https://far.org/x> ."
    )
    loud = project(tmp_path, {"class": "ex:Person"}, text)
    for _ in range(2):
        warning = str(update_ontology(loud).metadata()["warning"])
        assert "https://far.org/x" in warning
        assert "no object property" in warning


def test_the_property_of_rows_that_are_edges_is_an_object_property(tmp_path: Path) -> None:
    edge = {"subject": "a", "predicate": "ex:name", "object": "b"}
    with pytest.raises(ConfigError, match=r"people\.edge\.predicate: 'ex:name' is a data property"):
        update_ontology(project(tmp_path, {"edge": edge}))
    assert update_ontology(project(tmp_path, {"edge": edge | {"predicate": "ex:worksFor"}})).changed


def test_a_term_with_an_opaque_iri_is_suggested_by_what_it_is_called(tmp_path: Path) -> None:
    labelled = ONTOLOGY + "ex:GO_1 a owl:Class ; <http://www.w3.org/2004/02/skos/core#altLabel> 'biological process' ."
    with pytest.raises(ConfigError, match=r"people\.class: 'ex:BiologicalProcess' is no class .* did you mean ex:GO_1\?"):
        update_ontology(project(tmp_path, {"class": "ex:BiologicalProcess"}, labelled))


def test_a_deprecated_name_is_a_warning_with_what_to_use_instead(tmp_path: Path) -> None:
    text = ONTOLOGY + (
        "@prefix dcterms: <http://purl.org/dc/terms/> . ex:Person owl:deprecated true ; dcterms:isReplacedBy ex:Employer ."
        " ex:worksFor owl:deprecated true ."
    )
    warned = project(tmp_path, GOOD, text)
    for _ in range(2):
        assert update_ontology(warned).warning == (
            "sources.shop.mapping.people.class: 'ex:Person' is deprecated; use ex:Employer; "
            "sources.shop.mapping.people.references.employer: 'ex:worksFor' is deprecated"
        )
    assert update_ontology(project(tmp_path, GOOD)).warning == ""
