"""What text says of one thing: attributes by the nouns and verbs of data properties, relations by nouns, classes by nouns."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from stratagraph.extraction.embedded.engine import EmbeddedExtractor
from stratagraph.extraction.protocol import ChunkInput, KnownName
from stratagraph.extraction.resolve import resolve
from stratagraph.ontology.load import load_ontology

REFERENCE = datetime(2020, 6, 15, tzinfo=UTC)
ONTOLOGY = """
@prefix : <https://example.org/a#> .
@prefix core: <urn:stratagraph:core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<https://example.org/a> a owl:Ontology ; owl:imports <urn:stratagraph:core> .
:Person a owl:Class ; rdfs:subClassOf core:Agent ; rdfs:label "person"@en ; skos:altLabel "人"@zh .
:Company a owl:Class ; rdfs:label "company"@en .
:Film a owl:Class ; rdfs:label "film"@en ; core:quotedNames true .
:FootballTeam a owl:Class ; rdfs:label "football team"@en .
:birthday a owl:DatatypeProperty ; rdfs:domain :Person ; rdfs:range xsd:date ;
    rdfs:label "birthday"@en , "生日"@zh ; skos:altLabel "was born on"@en .
:age a owl:DatatypeProperty ; rdfs:domain :Person ; rdfs:range xsd:integer ; rdfs:label "age"@en ; skos:altLabel "years old" .
:email a owl:DatatypeProperty ; rdfs:domain :Person ; rdfs:range xsd:string ; rdfs:label "email" , "e-mail address" .
:phone a owl:DatatypeProperty ; rdfs:domain :Person ; rdfs:range xsd:string ; rdfs:label "phone number"@en , "电话"@zh .
:title a owl:DatatypeProperty ; rdfs:domain :Person ; rdfs:range xsd:string ; rdfs:label "job title"@en , "职务"@zh .
:motto a owl:DatatypeProperty ; rdfs:domain :Company ; rdfs:range xsd:string ; rdfs:label "motto"@en .
:website a owl:DatatypeProperty ; rdfs:domain :Company ; rdfs:range xsd:anyURI ; rdfs:label "website"@en .
:price a owl:DatatypeProperty ; rdfs:domain :Company ; rdfs:range xsd:decimal ; rdfs:label "share price"@en .
:employees a owl:DatatypeProperty ; rdfs:domain :Company ; rdfs:range xsd:integer ; rdfs:label "number of employees"@en .
:founded a owl:DatatypeProperty ; rdfs:domain :Company ; rdfs:range xsd:gYear ; rdfs:label "was founded in"@en .
:ceoOf a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :Company ; rdfs:label "CEO of"@en .
:director a owl:ObjectProperty ; rdfs:domain :Film ; rdfs:range :Person ; rdfs:label "director"@en .
:friend a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :Person ; rdfs:label "friend"@en .
:worksFor a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :Company ; rdfs:label "works for"@en .
"""


@pytest.fixture(scope="module")
def ontology(tmp_path_factory):
    file = tmp_path_factory.mktemp("ontology") / "a.ttl"
    file.write_text(ONTOLOGY, encoding="utf-8")
    return load_ontology([file])


def extracted(ontology, text, speaker=None):
    known = (KnownName("王峰", "https://example.org/a#Person"),)
    chunk = ChunkInput(text, REFERENCE, "en", speaker, known)
    return chunk, EmbeddedExtractor().extract(chunk, ontology)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ann Smith was born on 3 May 1970.", "Ann Smith birthday 3 May 1970"),
        ("Ann Smith was born on 3 May 1970 and works for Acme.", "Ann Smith birthday 3 May 1970"),
        ("Ann Smith's birthday is 3 May 1970.", "Ann Smith birthday 3 May 1970"),
        ("Ann Smith’s birthday: 1970-05-03", "Ann Smith birthday 1970-05-03"),
        ("The birthday of Ann Smith is May 3, 1970.", "Ann Smith birthday May 3, 1970"),
        ("Ann Smith's email is ann.smith@acme.example.", "Ann Smith email ann.smith@acme.example"),
        ("The e-mail address of Ann Smith is a@b.example, as we know.", "Ann Smith email a@b.example"),
        ("Ann Smith's phone number is +47 22 33 44 55.", "Ann Smith phone +47 22 33 44 55"),
        ("Ann Smith's job title is senior engineer.", "Ann Smith title senior engineer"),
        ("Ann Smith is 45 years old.", "Ann Smith age 45"),
        ("Ann Smith's age is 45.", "Ann Smith age 45"),
        ("Acme's motto is “Better widgets”.", "Acme motto Better widgets"),
        ("Acme's website is https://acme.example/a?b=c.", "Acme website https://acme.example/a?b=c"),
        ("Acme's share price is $12.50 today.", "Acme price 12.50"),
        ("Acme has 500 employees.", "Acme employees 500"),
        ("Acme was founded in 1999.", "Acme founded 1999"),
        ("王峰的生日是1970年5月3日。", "王峰 birthday 1970年5月3日"),
        ("王峰的职务是工程师。", "王峰 title 工程师"),
        ("My birthday is 3 May 1970.", "Emily birthday 3 May 1970"),
        ("我的电话是 13800138000。", "Emily phone 13800138000"),
    ],
)
def test_attributes(ontology, text, said):
    chunk, found = extracted(ontology, text, "Emily")
    told = [f"{e.name} {p.rpartition('#')[2]} {value}" for e in found.entities for p, value in e.attributes]
    assert told == [said]
    assert [r for r in resolve(chunk, found, ontology).rejected if r.reason != "unknown_entity"] == []


@pytest.mark.parametrize(
    "text",
    [
        "Ann Smith's birthday is in May.", "Ann Smith's birthday is not 3 May 1970.", "Ann Smith was not born on 3 May 1970.",
        "If Ann Smith's age is 45, fine.", "Is Ann Smith's age 45?", "Ann Smith's email is secret.",
        "Ann Smith was born on a farm.",
        "Ann Smith's age is 45 months.", "Acme's share price is 12.5%.", "Ann Smith's job title is what it is.",
        "Bob said that Ann Smith's age is 45.", "Ann Smith is 45.", "A birthday is 3 May 1970.",
        "Acme's birthday is 3 May 1970 and Acme is a company.",
        "The birthday of the friend of Ann Smith is 3 May 1970.", "Ann Smith was born on 2021-02-30.",
        "王峰的生日不是1970年5月3日。",
    ],
)  # fmt: skip
def test_what_is_no_attribute(ontology, text):
    _, found = extracted(ontology, text)
    assert [entity for entity in found.entities if entity.attributes] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ann Smith is the CEO of Acme.", ["Ann Smith ceoOf Acme"]),
        ("The CEO of Acme is Ann Smith.", ["Ann Smith ceoOf Acme"]),
        ("Acme's CEO is Ann Smith.", ["Ann Smith ceoOf Acme"]), ("Ann Smith, CEO of Acme, slept.", ["Ann Smith ceoOf Acme"]),
        ("Ann Smith, who is the CEO of Acme, slept.", ["Ann Smith ceoOf Acme"]),
        ("The director of “Alien” is Ridley Scott.", ["Alien director Ridley Scott"]),
        ("Ridley Scott is the director of “Alien”.", ["Alien director Ridley Scott"]),
        ("Ann Smith has a friend Mike Lee.", ["Ann Smith friend Mike Lee"]),
        ("Ann Smith works for Acme. She has a friend named Mike Lee.", ["Ann Smith friend Mike Lee",
        "Ann Smith worksFor Acme"]),
        ("I met Tom. He has a friend Mike.", ["Tom friend Mike"]),
        ("I have a friend Mike.", ["Emily friend Mike"]), ("My friend Mike slept.", ["Emily friend Mike"]),
        ("Ann Smith is not the CEO of Acme.", []), ("Ann Smith was the CEO of Acme.", []),
        ("The former CEO of Acme is Ann Smith.", []),
        ("Ann Smith wants to be the CEO of Acme.", []), ("If the CEO of Acme is Ann Smith, good.", []),
        ("Is Ann Smith the CEO of Acme?", []),
        ("A friend of Ann Smith met Mike Lee.", []), ("Ann Smith's friend left. Mike Lee slept.", []),
        ("Acme is the CEO of Acme.", []),
        ("Carol or Ann Smith is the CEO of Acme.", []),
    ],
)  # fmt: skip
def test_relations_by_nouns(ontology, text, said):
    _, found = extracted(ontology, text, "Emily")
    assert sorted(f"{r.subject} {r.predicate.rpartition('#')[2]} {r.object}" for r in found.relations) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Acme is a company.", ["Acme Company"]), ("Acme, a Norwegian food company, grew.", ["Acme Company"]),
        ("Rosenborg is a football team in Trondheim.", ["Rosenborg FootballTeam"]),
        ("Acme is a company that grew.", ["Acme Company"]),
        ("Acme is not a company.", []), ("Is Acme a company?", []), ("If Acme is a company, fine.", []),
        ("Bob says Acme is a company.", []),
        ("Acme is a company town.", []), ("The company Acme grew.", []), ("Acme has a company.", []),
        ("Acme is a company. Acme works for Globex.", ["Acme Company"]),
        ("Ann Smith works for the company Globex.", ["Ann Smith Person", "Globex Company"]),
    ],
)  # fmt: skip
def test_classes_by_nouns(ontology, text, said):
    _, found = extracted(ontology, text)
    assert sorted(f"{e.name} {e.class_iri.rpartition('#')[2]}" for e in found.entities) == said


def test_the_example_of_the_docs_runs(monkeypatch):
    root = Path(__file__).parents[2]
    monkeypatch.chdir(root)
    page = (root / "docs/embedded-engine.md").read_text(encoding="utf-8")
    exec(page.split("```python\n")[1].split("```")[0], {})
