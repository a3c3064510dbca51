"""Reading ontology files: syntax by content, nothing from a network, a clear message for what cannot be used."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from stratagraph.errors import OntologyError
from stratagraph.ontology import read
from stratagraph.ontology.load import load_ontology

REPOSITORY = Path(__file__).parents[2]
SHARED = REPOSITORY.parent / "shared/data/ontologies"
DEMO = [REPOSITORY / "ontologies/core.ttl", REPOSITORY / "ontologies/demo.ttl"]

OWL_XML = """<?xml version="1.0"?>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://e.org/o" xml:base="http://e.org/o">
  <Prefix name="" IRI="http://e.org/o#"/>
  <Import>http://e.org/absent</Import>
  <Declaration><Class IRI="#Person"/></Declaration>
  <Declaration><Class IRI="#Company"/></Declaration>
  <Declaration><ObjectProperty IRI="#worksFor"/></Declaration>
  <FunctionalObjectProperty><ObjectProperty IRI="#worksFor"/></FunctionalObjectProperty>
  <ObjectPropertyDomain><ObjectProperty IRI="#worksFor"/><Class IRI="#Person"/></ObjectPropertyDomain>
</Ontology>
"""


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*arguments, **keywords):
        raise AssertionError(f"something tried to reach the network: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def write(folder: Path, text: str | bytes, name: str = "o.ttl") -> Path:
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def test_owl_xml_is_read_and_its_missing_import_is_listed(tmp_path):
    ontology = load_ontology([write(tmp_path, OWL_XML, "o.txt")])
    assert set(ontology.classes) == {"http://e.org/o#Person", "http://e.org/o#Company"}
    assert ontology.properties["http://e.org/o#worksFor"].functional
    assert ontology.missing_imports == ("http://e.org/absent",)


def test_the_hash_ignores_order_and_sees_content(tmp_path):
    head = "@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
    first = load_ontology([write(tmp_path, head + ":A a owl:Class . :B a owl:Class .", "1.ttl")])
    second = load_ontology([write(tmp_path, head + ":B a owl:Class .\n\n:A a owl:Class .", "2.ttl")])
    third = load_ontology([write(tmp_path, head + ":A a owl:Class . :C a owl:Class .", "3.ttl")])
    assert first.content_hash == second.content_hash != third.content_hash


def test_imports_among_the_given_files_are_resolved():
    both, alone = load_ontology(DEMO), load_ontology(DEMO[1:])
    assert both.missing_imports == alone.missing_imports == ()
    assert both.content_hash == alone.content_hash  # the vocabulary that ships is read whether it is named or only imported


def test_entities_that_abbreviate_iris_are_read(tmp_path):
    text = """<?xml version="1.0"?><!DOCTYPE rdf:RDF [ <!ENTITY owl "http://www.w3.org/2002/07/owl#"> ]>
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="http://e.org/A">
    <rdf:type rdf:resource="&owl;Class"/></rdf:Description></rdf:RDF>"""
    assert list(load_ontology([write(tmp_path, text)]).classes) == ["http://e.org/A"]


XML = '<?xml version="1.0"?>\n<!DOCTYPE r [\n{dtd}\n]>\n<r>&b;</r>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("@prefix : <http://e.org/> .\n:a a :b .\n:c d .\n", r"o\.ttl:3: not valid Turtle", id="turtle"),
        pytest.param("<http://e.org/a> <http://e.org/b> .\n", r"o\.ttl:1: not valid Turtle", id="ntriples"),
        pytest.param("<rdf:RDF>\n<a>\n</rdf:RDF>", r"o\.ttl:\d: not well-formed XML", id="xml"),
        pytest.param("<html><body>Not found</body></html>", "neither RDF/XML nor OWL/XML", id="html"),
        pytest.param('{"@id": "http://e.org/a",\n "x": }', r"o\.ttl:2: not valid JSON-LD", id="json"),
        pytest.param('{"a": 1}', "no JSON-LD", id="plain-json"),
        pytest.param(
            '{"@context": "http://schema.org/", "@type": "Person"}', r"context 'http://schema\.org/'", id="remote-context"
        ),
        pytest.param('[{"@graph": [{"@context": [{}, {"@import": "c.json"}]}]}]', r"context 'c\.json'", id="nested-context"),
        pytest.param(XML.format(dtd='<!ENTITY a "x"><!ENTITY b "&a;&a;">'), r"o\.ttl:3: the XML entity 'b' expands", id="bomb"),
        pytest.param(XML.format(dtd='<!ENTITY b SYSTEM "file:///etc/passwd">'), "'b' points outside", id="external"),
        pytest.param(XML.format(dtd='<!ENTITY % b SYSTEM "http://e.org/x.dtd">'), "'b' points outside", id="parameter"),
        pytest.param("Prefix(:=<http://e.org/>)\nOntology(<http://e.org/>)", "functional syntax is not read", id="functional"),
        pytest.param("Prefix: : <http://e.org/>\nClass: A", "Manchester syntax is not read", id="manchester"),
        pytest.param("format-version: 1.2\n", "OBO is not read", id="obo"),
        pytest.param("", "is empty", id="empty"),
        pytest.param("# only a comment\n\n", "is empty", id="comment"),
        pytest.param(b"@prefix : <http://e.org/> .\n:a a :\xff .", r"o\.ttl:2: not UTF-8", id="latin-1"),
        pytest.param("@prefix : <http://e.org/> .\n:a :b :c .\n", "declares no class and no property", id="no-ontology"),
    ],
)
def test_what_cannot_be_used_says_why_and_where(tmp_path, text, message):
    with pytest.raises(OntologyError, match=message) as failure:
        load_ontology([write(tmp_path, text)])
    assert str(tmp_path / "o.ttl") in str(failure.value)


def test_missing_and_oversized_files_are_refused(tmp_path, monkeypatch):
    with pytest.raises(OntologyError, match="cannot be read"):
        load_ontology([tmp_path / "absent.ttl"])
    with pytest.raises(OntologyError, match="no ontology file"):
        load_ontology([])
    monkeypatch.setattr(read, "MAX_BYTES", 10)
    with pytest.raises(OntologyError, match="more than 10"):
        load_ontology([write(tmp_path, "@prefix : <http://e.org/> .")])


def test_a_file_cannot_make_owlready2_run_a_module(tmp_path):
    marker = tmp_path / "ran"
    (tmp_path / "evil_module.py").write_text(f"open({str(marker)!r}, 'w').close()")
    annotation = "http://www.lesfleursdunormal.fr/static/_downloads/owlready_ontology.owl#python_module"
    turtle = f"""@prefix owl: <http://www.w3.org/2002/07/owl#> .
    <urn:stratagraph:loaded> a owl:Ontology ; <{annotation}> "evil_module" . <http://e.org/A> a owl:Class ."""
    xml = OWL_XML.replace(
        "</Ontology>",
        f'<Annotation><AnnotationProperty IRI="{annotation}"/><Literal>evil_module</Literal></Annotation></Ontology>',
    )
    sys.path.insert(0, str(tmp_path))
    try:
        load_ontology([write(tmp_path, turtle)])
        load_ontology([write(tmp_path, xml, "o.owx")])
    finally:
        sys.path.remove(str(tmp_path))
    assert not marker.exists()


SUFFIXES = (".owl", ".rdf", ".ttl", ".n3", ".owx", ".ofn", ".omn", ".obo")
PUBLIC = sorted(file for file in SHARED.rglob("*") if file.suffix in SUFFIXES) if SHARED.exists() else []
REFUSED = {"bfo-core.ofn", "wine-example.ofn", "wine-example.owl", "ucdavis-wine-ontology.owl"}


@pytest.mark.skipif(not PUBLIC, reason="../shared/data/ontologies is absent")
@pytest.mark.parametrize("file", PUBLIC, ids=lambda file: file.relative_to(SHARED).as_posix())
def test_public_ontologies_load_or_are_refused_with_a_reason(file, capfd):
    if file.name in REFUSED:
        with pytest.raises(OntologyError, match=file.name):
            load_ontology([file])
        return
    ontology = load_ontology([file])
    assert ontology.classes or ontology.properties
    assert "WARNING" not in capfd.readouterr().err


@pytest.mark.skipif(not PUBLIC, reason="../shared/data/ontologies is absent")
def test_an_import_cycle_among_the_given_files_is_no_problem():
    files = sorted((SHARED / "owlapi/importscyclic").glob("?.owl"))
    ontology = load_ontology(files)
    assert len(ontology.classes) == 4
    assert (
        not [iri for iri in ontology.missing_imports if iri.rpartition("/")[2] in {file.name for file in files}]
        or ontology.missing_imports
    )


@pytest.mark.parametrize("subject", ["http://e.org/A", "urn:A", "urn:x:A", "mailto:a", "tag:a,2020:b"])
def test_triples_that_open_with_an_iri_are_no_xml(tmp_path, subject):
    file = tmp_path / "o.owl"
    triple = f"<{subject}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#Class> ."
    file.write_text(triple, encoding="utf-8")
    assert list(load_ontology([file]).classes) == [subject]


def test_the_vocabulary_that_ships_is_never_a_missing_import(tmp_path):
    file = tmp_path / "o.ttl"
    text = "<http://e.org/o> a owl:Ontology ; owl:imports <urn:stratagraph:core> , <http://e.org/other> .\n"
    prefixes = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
    file.write_text(prefixes + text + "<http://e.org/A> a owl:Class .\n", encoding="utf-8")
    loaded = load_ontology([file])
    assert loaded.missing_imports == ("http://e.org/other",)
    assert {"http://e.org/A", "urn:stratagraph:core#Document"} <= set(loaded.classes)
