"""What follows from axioms: closure, single-valuedness, implications, violations, and the tables of the warehouse."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stratagraph.errors import OntologyError
from stratagraph.ontology.load import load_ontology, update_ontology
from stratagraph.ontology.validate import check_attribute, check_classes, check_relation
from stratagraph.project import Project

REPOSITORY = Path(__file__).parents[2]
DEMO = [REPOSITORY / "ontologies/core.ttl", REPOSITORY / "ontologies/demo.ttl"]
EX = "https://example.org/stratagraph/demo#"
HEAD = """@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix schema: <https://schema.org/> .
"""


@pytest.fixture
def load(tmp_path):
    def parse(text: str):
        file = tmp_path / "o.ttl"
        file.write_text(HEAD + text)
        return load_ontology([file])

    return parse


@pytest.fixture(scope="module")
def demo():
    return load_ontology(DEMO)


def test_the_demo_ontology_says_what_the_demo_needs(demo):
    works = demo.properties[EX + "worksFor"]
    assert works.single_valued
    assert demo.properties[EX + "basedIn"].single_valued
    assert not demo.properties[EX + "holdsOffice"].single_valued
    assert demo.properties[EX + "met"].symmetric
    assert ("zh", "任职于") in works.labels
    assert works.label == "works for"
    assert ("en", "moved from … to") in works.alt_labels
    assert demo.speaker_class == EX + "Person"
    assert (EX + "dislikes", EX + "likes") in demo.disjoint_properties
    assert demo.properties[EX + "birthday"].datatypes == {"http://www.w3.org/2001/XMLSchema#date"}
    assert demo.canonical(EX + "employs") == (EX + "worksFor", True)
    assert demo.canonical(EX + "worksFor") == (EX + "worksFor", False)


def test_implications_are_closed_over_inverse_symmetric_and_sub_property(load):
    ontology = load(
        ":p a owl:ObjectProperty ; rdfs:subPropertyOf :q . :q a owl:ObjectProperty ; rdfs:subPropertyOf :r ."
        ":r a owl:ObjectProperty , owl:SymmetricProperty . :i a owl:ObjectProperty ; owl:inverseOf :q ."
    )
    short = {(p[13:], i[13:], s) for p, i, s in ontology.implications()}
    assert short == {
        ("p", "q", False), ("p", "r", False), ("p", "r", True), ("p", "i", True), ("q", "r", False), ("q", "r", True),
        ("q", "i", True), ("r", "r", True), ("i", "q", True), ("i", "r", True), ("i", "r", False),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("axioms", "single"),
    [
        (":p a owl:FunctionalProperty .", True),
        (":q a owl:ObjectProperty , owl:FunctionalProperty . :p rdfs:subPropertyOf :q .", True),
        (":q a owl:ObjectProperty , owl:InverseFunctionalProperty ; owl:inverseOf :p .", True),
        (":A rdfs:subClassOf {at_most} 1 ] . :p rdfs:domain :A .", True),
        (":A rdfs:subClassOf {exactly} 1 ] . :B rdfs:subClassOf :A . :p rdfs:domain :B .", True),
        (":A rdfs:subClassOf {at_most} 2 ] . :p rdfs:domain :A .", False),
        (":A rdfs:subClassOf {at_most} 1 ] .", False),
        (":B rdfs:subClassOf :A, {at_most} 1 ] . :p rdfs:domain :A .", False),
        (":p a owl:InverseFunctionalProperty .", False),
    ],
)  # fmt: skip
def test_single_valued(load, axioms, single):
    restriction = "[ a owl:Restriction ; owl:onProperty :p ;"
    axioms = axioms.format(at_most=f"{restriction} owl:maxCardinality", exactly=f"{restriction} owl:cardinality")
    ontology = load(f":A a owl:Class . :B a owl:Class . :p a owl:ObjectProperty . {axioms}")
    assert ontology.properties["http://e.org/p"].single_valued is single


def test_rdfs_and_schema_org_vocabularies_are_ontologies_too(load):
    ontology = load(":A a rdfs:Class . :B a rdfs:Class ; rdfs:subClassOf :A . :C a rdfs:Class . schema:DataType a rdfs:Class ."
                    "schema:Text a schema:DataType , rdfs:Class ."
                    ":p a rdf:Property ; schema:domainIncludes :A , :C ; schema:rangeIncludes :B , schema:Text ."
                    ":d a rdf:Property ; rdfs:domain :A ; schema:rangeIncludes schema:Text .")  # fmt: skip
    assert ontology.classes["http://e.org/B"].ancestors == {"http://e.org/A", "http://e.org/B"}
    p = ontology.properties["http://e.org/p"]
    assert p.domain == (frozenset({"http://e.org/A", "http://e.org/C"}),)
    assert p.range == (frozenset({"http://e.org/B"}),)
    assert ontology.properties["http://e.org/d"].kind == "data"


def test_an_opaque_iri_is_known_by_its_labels_and_same_local_names_stay_two(load):
    ontology = load(':GO_0008150 a owl:Class ; rdfs:label "biological process"@en ; skos:altLabel "生物过程"@zh .'
                    "<http://a.org/x> a owl:Class . <http://b.org/x> a owl:Class ; owl:deprecated true .")  # fmt: skip
    assert ontology.classes["http://e.org/GO_0008150"].label == "biological process"
    assert ontology.classes["http://e.org/GO_0008150"].alt_labels == (("zh", "生物过程"),)
    assert not ontology.classes["http://a.org/x"].deprecated
    assert ontology.classes["http://b.org/x"].deprecated


@pytest.mark.parametrize(
    ("subject", "predicate", "object_", "code"),
    [
        ("Person", "worksFor", "Organization", None),
        ("Organization", "worksFor", "Organization", "domain"),
        ("Person", "worksFor", "Place", "range"),
        ("Person", "likes", "Work", None),
        ("Person", "likes", "Office", "range"),
        ("Person", "founded", "Organization", "unknown_property"),
        ("Wizard", "worksFor", "Organization", "unknown_class"),
        ("Person", "birthday", "Organization", "not_an_object_property"),
    ],
)
def test_relations_are_checked(demo, subject, predicate, object_, code):
    violation = check_relation(demo, EX + subject, EX + predicate, EX + object_)
    assert (violation.code if violation else None) == code


def test_what_holds_of_a_super_property_and_of_ancestors_is_checked(load):
    ontology = load(":A a owl:Class . :B a owl:Class ; rdfs:subClassOf :A . :C a owl:Class ; owl:disjointWith :A ."
                    ":q a owl:ObjectProperty ; rdfs:domain :A . :p a owl:ObjectProperty ; rdfs:subPropertyOf :q .")  # fmt: skip
    e = "http://e.org/"
    assert check_relation(ontology, e + "B", e + "p", e + "C") is None
    violation = check_relation(ontology, e + "C", e + "p", e + "C")
    assert violation is not None
    assert violation.axiom == f"{e}q rdfs:domain {e}A, not {e}C"
    assert check_classes(ontology, [e + "A", e + "B"]) is None
    disjoint = check_classes(ontology, [e + "B", e + "C"])
    assert disjoint is not None
    assert disjoint.code == "disjoint_classes"


def test_attributes_are_checked(demo):
    assert check_attribute(demo, EX + "Person", EX + "birthday") is None
    assert check_attribute(demo, EX + "Place", EX + "birthday").code == "domain"
    assert check_attribute(demo, EX + "Person", EX + "worksFor").code == "not_a_data_property"
    assert check_attribute(demo, EX + "Person", EX + "shoeSize").code == "unknown_property"


def project(folder: Path, text: str) -> Project:
    (folder / "o.ttl").write_text(HEAD + text)
    (folder / "stratagraph.yaml").write_text("version: 1\nontology: {files: [o.ttl]}\n")
    return Project.load(folder / "stratagraph.yaml", lambda: datetime(2026, 1, 1, tzinfo=UTC))


def tables(project: Project) -> dict[str, list[tuple]]:
    names = ("ontology_properties", "ontology_implications", "ontology_classes", "watermarks")
    with project.read() as connection:
        return {name: connection.execute(f"SELECT * FROM graph.{name} ORDER BY ALL").fetchall() for name in names}


def test_the_tables_follow_the_ontology_and_a_replay_writes_nothing(tmp_path):
    text = (
        ":A a owl:Class ; rdfs:label 'a thing' . :B a owl:Class ; rdfs:subClassOf :A . :i a owl:ObjectProperty ."
        ":p a owl:ObjectProperty, owl:FunctionalProperty ; owl:inverseOf :i ."
    )
    first = update_ontology(project(tmp_path, text))
    assert (first.changed, first.classes, first.properties, first.implications, first.single_valued) == (True, 2, 2, 2, 1)
    written = tables(project(tmp_path, text))
    assert written["ontology_classes"] == [
        ("main", "http://e.org/A", "http://e.org/A", "a thing"), ("main", "http://e.org/B", "http://e.org/A", "B"),
        ("main", "http://e.org/B", "http://e.org/B", "B"),
    ]  # fmt: skip
    assert written["ontology_properties"] == [("main", "http://e.org/i", "i", False), ("main", "http://e.org/p", "p", True)]
    again = update_ontology(project(tmp_path, text))
    assert again == replace(first, changed=False)
    assert tables(project(tmp_path, text)) == written
    assert not update_ontology(project(tmp_path, "# another comment\n" + text)).changed
    assert {**tables(project(tmp_path, text)), "watermarks": []} == {**written, "watermarks": []}
    changed = update_ontology(project(tmp_path, text.replace(", owl:FunctionalProperty", "")))
    assert changed.changed
    assert changed.metadata()["single_valued"] == 0
    assert ("main", "http://e.org/p", "p", False) in tables(project(tmp_path, text))["ontology_properties"]


def test_a_broken_file_leaves_the_tables_as_they_are(tmp_path):
    update_ontology(project(tmp_path, ":A a owl:Class ."))
    before = tables(project(tmp_path, ":A a owl:Class ."))
    broken = project(tmp_path, ":A a owl:Class")
    with pytest.raises(OntologyError, match=r"o\.ttl"):
        update_ontology(broken)
    assert tables(broken) == before
