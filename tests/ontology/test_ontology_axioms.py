"""What OWL says is read: restrictions, keys, chains, data ranges, disjointness and hierarchies of any shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stratagraph.errors import OntologyError
from stratagraph.ontology import axioms
from stratagraph.ontology.load import load_ontology
from stratagraph.ontology.model import Ontology, Restriction

HEAD = """@prefix : <e:> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix dcterms: <http://purl.org/dc/terms/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix schema: <https://schema.org/> .
@prefix obo: <http://purl.obolibrary.org/obo/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
:A a owl:Class . :B a owl:Class . :C a owl:Class . :D a owl:Class .
:p a owl:ObjectProperty . :q a owl:ObjectProperty . :r a owl:ObjectProperty . :d a owl:DatatypeProperty .
"""
XSD = "http://www.w3.org/2001/XMLSchema#"


def load(folder: Path, text: str) -> Ontology:
    file = folder / "o.ttl"
    file.write_text(HEAD + text, encoding="utf-8")
    return load_ontology([file])


def short(value: Any) -> Any:
    """The same value with IRIs as they are written above."""
    if isinstance(value, str):
        return value.replace("e:", "", 1).replace(XSD, "xsd:")
    return type(value)(map(short, value))


ALL, SOME, MIN, MAX = "all", "some", "min", "max"


@pytest.mark.parametrize(
    ("axiom", "expected"),
    [
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom :B ]", [("p", ALL, None, ("B",))]),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :B ]", [("p", SOME, None, ("B",))]),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom owl:Thing ]", [("p", SOME, None, ())]),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom owl:Thing ]", []),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:minCardinality 2 ]", [("p", MIN, 2, ())]),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality 0 ]", [("p", MAX, 0, ())]),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:cardinality 1 ]", [("p", MAX, 1, ()), ("p", MIN, 1, ())]),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:qualifiedCardinality 1 ; owl:onClass :B ]",
         [("p", MAX, 1, ("B",)), ("p", MIN, 1, ("B",))]),
        (":A rdfs:subClassOf [ owl:onProperty :d ; owl:minQualifiedCardinality 1 ;"
         " owl:onDataRange xsd:int ]",
         [("d", MIN, 1, ("xsd:int",))]),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom [ owl:unionOf (:C :B) ] ]",
         [("p", ALL, None, ("B", "C"))]),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom [ owl:intersectionOf (:C :B) ] ]",
         [("p", ALL, None, ("B",)), ("p", ALL, None, ("C",))]),
        # "at most one B that has a q" is not "at most one B"; "at least one" is at least one
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:qualifiedCardinality 1 ;"
         " owl:onClass [ owl:intersectionOf (:B [ owl:onProperty :q ; owl:someValuesFrom :C ]) ] ]", [("p", MIN, 1, ("B",))]),
        (":A owl:equivalentClass [ owl:intersectionOf (:B [ owl:onProperty :p ; owl:someValuesFrom :C ]) ]",
         [("p", SOME, None, ("C",))]),
        ("[ owl:onProperty :p ; owl:someValuesFrom :C ] owl:equivalentClass :A", [("p", SOME, None, ("C",))]),
        (":A owl:intersectionOf (:B [ owl:onProperty :p ; owl:someValuesFrom :C ])", [("p", SOME, None, ("C",))]),
        ("[ owl:unionOf (:A :B) ] rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :C ]", [("p", SOME, None, ("C",))]),
        (":q owl:inverseOf :p . :A rdfs:subClassOf [ owl:onProperty [ owl:inverseOf :p ] ; owl:someValuesFrom :C ]",
         [("q", SOME, None, ("C",))]),
        (":A rdfs:subClassOf [ owl:onProperty [ owl:inverseOf :p ] ; owl:someValuesFrom :C ]", []),
        (":A rdfs:subClassOf [ owl:unionOf (:B [ owl:onProperty :p ; owl:someValuesFrom :C ]) ]", []),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality 'many' ]", []),
    ],
)  # fmt: skip
def test_restrictions(tmp_path: Path, axiom: str, expected: list[tuple[Any, ...]]) -> None:
    found = load(tmp_path, axiom + " .").classes["e:A"].restrictions
    assert [(short(r.property), r.kind, r.cardinality, short(r.filler)) for r in found] == expected


def test_restrictions_of_classes_above_hold_as_well(tmp_path: Path) -> None:
    ontology = load(tmp_path, ":B rdfs:subClassOf :A . :A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality 1 ] .")
    assert ontology.restrictions_of("e:B") == [Restriction("e:p", "max", 1)]


@pytest.mark.parametrize(
    ("axioms", "above"),
    [
        (":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :C rdfs:subClassOf :A .", {"A": "ABC", "B": "ABC", "C": "ABC"}),
        (":A owl:equivalentClass :B . :B rdfs:subClassOf :C .", {"A": "ABC", "B": "ABC", "C": "C"}),
        (":A owl:equivalentClass [ owl:intersectionOf (:B :C) ] .", {"A": "ABC", "B": "B"}),
        (":A owl:equivalentClass [ owl:unionOf (:B :C) ] .", {"A": "A", "B": "AB", "C": "AC"}),
        (":A owl:unionOf (:B :C) .", {"A": "A", "B": "AB", "C": "AC"}),
        (":A owl:disjointUnionOf (:B :C) .", {"B": "AB", "C": "AC"}),
        (":A owl:intersectionOf (:A :B) .", {"A": "AB"}),
        ("[ owl:unionOf (:A [ owl:unionOf (:B) ]) ] rdfs:subClassOf :C .", {"A": "AC", "B": "BC"}),
        (":A rdfs:subClassOf owl:Thing .", {"A": "A"}),
    ],
)
def test_hierarchies_of_classes(tmp_path: Path, axioms: str, above: dict[str, str]) -> None:
    classes = load(tmp_path, axioms).classes
    assert {iri: "".join(sorted(short(classes["e:" + iri].ancestors))) for iri in above} == above


def test_a_hierarchy_may_be_deep_but_not_endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = " ".join(f":x{n} a owl:Class ; rdfs:subClassOf :x{n + 1} ." for n in range(1200))
    assert len(load(tmp_path, chain).classes["e:x0"].ancestors) == 1201
    monkeypatch.setattr(axioms, "MAX_PAIRS", 1000)
    with pytest.raises(OntologyError, match="more than 1,000 pairs"):
        load(tmp_path, chain)


def test_equivalent_properties_share_what_is_said_of_them(tmp_path: Path) -> None:
    ontology = load(
        tmp_path,
        ":p owl:equivalentProperty :q . :r rdfs:subPropertyOf :p . :q a owl:FunctionalProperty , owl:SymmetricProperty .",
    )
    p, r = ontology.properties["e:p"], ontology.properties["e:r"]
    assert (short(p.ancestors), p.functional, p.symmetric) == ({"p", "q"}, True, True)
    assert (short(r.ancestors), r.functional, r.symmetric) == ({"p", "q", "r"}, True, False)


def test_characteristics_and_several_inverses(tmp_path: Path) -> None:
    ontology = load(
        tmp_path,
        ":p a owl:AsymmetricProperty . :q rdfs:subPropertyOf :p ; owl:inverseOf :r . :r owl:inverseOf :r ."
        ":s a owl:ObjectProperty, owl:IrreflexiveProperty ; owl:inverseOf :q .",
    )
    p = {short(iri): prop for iri, prop in ontology.properties.items()}
    assert [(n, p[n].asymmetric, p[n].irreflexive, p[n].symmetric) for n in "pqrs"] == [
        ("p", True, True, False), ("q", True, True, False), ("r", False, False, True), ("s", False, True, False)
    ]  # fmt: skip
    assert short(p["q"].inverses) == {"r", "s"}
    assert short(p["r"].inverses) == {"q"}


def test_keys_and_chains(tmp_path: Path) -> None:
    ontology = load(
        tmp_path,
        ":A owl:hasKey (:d :p) , (:q) . :s a owl:ObjectProperty ; owl:inverseOf :r ."
        ":p owl:propertyChainAxiom (:q :r) , (:q :q [ owl:inverseOf :r ]) .",
    )
    assert short(ontology.classes["e:A"].keys) == (("d", "p"), ("q",))
    assert short(ontology.properties["e:p"].chains) == (("q", "q", "s"), ("q", "r"))


@pytest.mark.parametrize(
    ("ranges", "datatypes", "one_of"),
    [
        ("xsd:int", {"xsd:int"}, ()),
        ("rdfs:Literal", set(), ()),
        ("[ a rdfs:Datatype ; owl:oneOf ('b' 'a') ]", {"xsd:string"}, ("a", "b")),
        ("[ a rdfs:Datatype ; owl:oneOf (1 2) ]", {"xsd:integer"}, ("1", "2")),
        (
            "[ a rdfs:Datatype ; owl:onDatatype xsd:decimal ; owl:withRestrictions ([ xsd:minInclusive 0 ]) ]",
            {"xsd:decimal"},
            (),
        ),
        ("[ a rdfs:Datatype ; owl:unionOf (xsd:date xsd:dateTime) ]", {"xsd:date", "xsd:dateTime"}, ()),
        ("[ a rdfs:Datatype ; owl:unionOf (xsd:date rdfs:Literal) ]", set(), ()),
        (":T . :T a rdfs:Datatype ; owl:equivalentClass [ owl:onDatatype xsd:int ]", {"xsd:int"}, ()),
        (":T . :T a rdfs:Datatype ; owl:equivalentClass :T", set(), ()),
        ("xsd:string , [ a rdfs:Datatype ; owl:oneOf ('a') ]", {"xsd:string"}, ("a",)),
    ],
)
def test_data_ranges(tmp_path: Path, ranges: str, datatypes: set[str], one_of: tuple[str, ...]) -> None:
    prop = load(tmp_path, f":d rdfs:range {ranges} .").properties["e:d"]
    assert (short(prop.datatypes), prop.one_of) == (datatypes, one_of)


@pytest.mark.parametrize(
    ("axioms", "pairs"),
    [
        (":B owl:disjointWith :A .", ["AB"]),
        ("[ a owl:AllDisjointClasses ; owl:members (:C :A :B) ] .", ["AB", "AC", "BC"]),
        (":D owl:disjointUnionOf (:A :B) .", ["AB"]),
        (":A rdfs:subClassOf [ owl:complementOf :B ] .", ["AB"]),
        (":A owl:equivalentClass [ owl:intersectionOf (:C [ owl:complementOf [ owl:unionOf (:B :D) ] ]) ] .", ["AB", "AD"]),
        (":A owl:complementOf :B .", ["AB"]),
        (":A owl:disjointWith [ owl:unionOf (:B :C) ] .", ["AB", "AC"]),
        ("[ a owl:AllDisjointClasses ; owl:members (:A [ owl:unionOf (:B :C) ]) ] .", ["AB", "AC"]),
        (":p owl:propertyDisjointWith :q .", ["pq"]),
        ("[ a owl:AllDisjointProperties ; owl:members (:p :q :r) ] .", ["pq", "pr", "qr"]),
    ],
)
def test_disjointness(tmp_path: Path, axioms: str, pairs: list[str]) -> None:
    ontology = load(tmp_path, axioms)
    found = ontology.disjoint_classes | ontology.disjoint_properties
    assert sorted("".join(short(pair)) for pair in found) == pairs


@pytest.mark.parametrize(
    ("axioms", "single"),
    [
        ("owl:maxQualifiedCardinality 1 ; owl:onClass :B ] . :p rdfs:range :B .", True),
        ("owl:maxQualifiedCardinality 1 ; owl:onClass :B ] . :p rdfs:range :C . :C rdfs:subClassOf :B .", True),
        ("owl:maxQualifiedCardinality 1 ; owl:onClass :B ] . :p rdfs:range :C .", False),
        ("owl:maxQualifiedCardinality 1 ; owl:onClass :B ] .", False),
    ],
)
def test_at_most_one_of_all_that_a_property_may_have_is_single_valued(tmp_path: Path, axioms: str, single: bool) -> None:
    text = ":p rdfs:domain :A . :A rdfs:subClassOf [ owl:onProperty :p ; " + axioms
    assert load(tmp_path, text).properties["e:p"].single_valued is single


def test_names_and_words_about_terms(tmp_path: Path) -> None:
    ontology = load(
        tmp_path,
        ":A rdfs:label 'a'@en , 'ä'@de ; skos:prefLabel 'the a'@en ; rdfs:comment 'x' ; skos:definition 'y'@en ;"
        " obo:IAO_0000115 'z' . :B a owl:DeprecatedClass ; dcterms:isReplacedBy :A ."
        ":C owl:deprecated true ; obo:IAO_0100001 :A, 'x' ."
        ":p a owl:DeprecatedProperty . schema:old a rdf:Property ; schema:supersededBy :p .",
    )
    a = ontology.classes["e:A"]
    assert a.label == "the a"
    assert a.labels == (("de", "ä"), ("en", "a"), ("en", "the a"))
    assert a.comments == (("", "x"), ("", "z"), ("en", "y"))
    assert [(c.deprecated, c.replaced_by) for c in (a, ontology.classes["e:B"], ontology.classes["e:C"])] == [
        (False, ()), (True, ("e:A",)), (True, ("e:A",))
    ]  # fmt: skip
    assert ontology.properties["e:p"].deprecated
    old = ontology.properties["https://schema.org/old"]
    assert (old.deprecated, old.replaced_by) == (True, ("e:p",))


def test_facts_about_individuals_change_nothing(tmp_path: Path) -> None:
    facts = ":i a :A ; :p :j ; rdfs:label 'i' . :j a owl:NamedIndividual , :B ; owl:sameAs :i ."
    assert load(tmp_path, facts).content_hash == load(tmp_path, "").content_hash
