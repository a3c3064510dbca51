"""What an ontology forbids is refused with the axiom; what it does not forbid passes."""

from __future__ import annotations

import pytest
from small_ontologies import E, a_class, a_property, an_ontology

from stratagraph.ontology.model import Restriction
from stratagraph.ontology.validate import (
    Claim,
    check_attribute,
    check_cardinality,
    check_claim,
    check_class,
    check_classes,
    check_relation,
    check_together,
    check_value,
    check_value_count,
)
from stratagraph.ontology.xsd import XSD, canonical

ONTOLOGY = an_ontology(
    a_class("Thing"), a_class("Person", "Thing"), a_class("Parent", "Person", restrictions=(
        Restriction(E + "hasChild", "all", None, (E + "Person",)), Restriction(E + "hasParent", "max", 2),
        Restriction(E + "knows", "max", 2, (E + "Org",)), Restriction(E + "owns", "max", 0),
        Restriction(E + "nick", "max", 2), Restriction(E + "age", "all", None, (XSD + "byte",)),
    )),
    a_class("Org", "Thing"), a_class("Robot", "Thing"), a_class("Human", "Person"), a_class("Nothing", "Person", "Org"),
    a_class("Old", "Thing", deprecated=True, replaced_by=(E + "Person",)),
    a_property("related", domain="Person|Robot"), a_property("worksFor", "related", domain="Person", range="Org"),
    a_property("employs", inverses=frozenset([E + "worksFor"])), a_property("hasWorker", inverses=frozenset([E + "staffs"])),
    a_property("staffs", domain="Person", inverses=frozenset([E + "hasWorker"])),
    a_property("hasChild"), a_property("hasParent", asymmetric=True, irreflexive=True), a_property("hasMother", "hasParent"),
    a_property("knows", symmetric=True), a_property("likes"), a_property("loves", "likes"), a_property("dislikes"),
    a_property("hates", "dislikes"), a_property("owns"), a_property("gone", deprecated=True),
    a_property("nick", kind="data", domain="Person", datatypes=frozenset([XSD + "string"])),
    a_property("petName", "nick", kind="data"), a_property("age", kind="data", datatypes=frozenset([XSD + "integer"])),
    a_property("when", kind="data", datatypes=frozenset([XSD + "date", XSD + "string"])),
    a_property("size", kind="data", one_of=("small", "Extra Large")), a_property("any", kind="data"),
    disjoint_classes=[("Person", "Org"), ("Robot", "Person")], disjoint_properties=[("likes", "dislikes")],
)  # fmt: skip


def claim(subject: str, predicate: str, object_: str, classes: str = "Person Person") -> Claim:
    subject_class, object_class = classes.split()
    return Claim(subject, E + subject_class, E + predicate, object_, E + object_class)


@pytest.mark.parametrize(
    ("classes", "predicate", "code", "axiom"),
    [
        ("Person Org", "worksFor", None, ""),
        ("Human Org", "worksFor", None, ""),
        ("Robot Org", "related", None, ""),
        ("Org Org", "related", "domain", "related rdfs:domain {E}Person or {E}Robot, not {E}Org"),
        ("Robot Org", "worksFor", "domain", "worksFor rdfs:domain {E}Person, not {E}Robot"),
        ("Person Robot", "hasWorker", "domain", "staffs rdfs:domain {E}Person, not {E}Robot"),
        ("Robot Person", "hasWorker", None, ""),
        ("Parent Robot", "hasChild", "range", "Parent rdfs:subClassOf {E}hasChild owl:allValuesFrom {E}Person, not {E}Robot"),
        ("Person Robot", "hasChild", None, ""),
        ("Parent Org", "owns", "cardinality", "Parent rdfs:subClassOf {E}owns owl:maxCardinality 0"),
        ("Old Org", "likes", "deprecated", "Old owl:deprecated true; use {E}Person"),
        ("Person Org", "gone", "deprecated", "gone owl:deprecated true"),
        ("Person Nothing", "likes", "disjoint_classes", "Org owl:disjointWith {E}Person"),
        ("Person Wizard", "likes", "unknown_class", "Wizard is not a class of the ontology"),
        ("Person Org", "frobs", "unknown_property", "frobs is not a property of the ontology"),
        ("Person Org", "age", "not_an_object_property", "age rdf:type owl:DatatypeProperty"),
    ],
)
def test_a_relation_between_members_of_classes(classes, predicate, code, axiom):
    subject, object_ = classes.split()
    found = check_relation(ONTOLOGY, E + subject, E + predicate, E + object_)
    assert (found.code if found else None) == code
    assert (found.axiom if found else "") == (E + axiom.replace("{E}", E) if code else "")


@pytest.mark.parametrize(
    ("one", "other", "code"),
    [
        (("a", "likes", "b"), ("a", "dislikes", "b"), "disjoint_properties"),
        (("a", "loves", "b"), ("a", "hates", "b"), "disjoint_properties"),
        (("a", "likes", "b"), ("b", "dislikes", "a"), None),
        (("a", "likes", "b"), ("a", "dislikes", "c"), None),
        (("a", "likes", "b"), ("a", "loves", "b"), None),
        (("a", "hasParent", "b"), ("b", "hasMother", "a"), "asymmetric"),
        (("a", "hasParent", "b"), ("b", "hasMother", "c"), None),
        (("a", "hasMother", "a"), None, "irreflexive"),
        (("a", "knows", "a"), None, None),
        (("a", "likes", "a"), None, None),
    ],
)
def test_relations_that_cannot_both_be(one, other, code):
    found = check_claim(ONTOLOGY, claim(*one)) if other is None else check_together(ONTOLOGY, claim(*one), claim(*other))
    assert (found.code if found else None) == code
    if other is not None:
        again = check_together(ONTOLOGY, claim(*other), claim(*one))
        assert (again.code if again else None) == code


def test_no_more_values_than_allowed():
    parents = [claim("a", "hasParent", "b", "Parent Person"), claim("a", "hasMother", "c", "Parent Person")]
    third = claim("a", "hasMother", "d", "Parent Person")
    found = check_cardinality(ONTOLOGY, third, [parents])
    assert found is not None
    assert (found.code, found.axiom) == ("cardinality", f"{E}Parent rdfs:subClassOf {E}hasParent owl:maxCardinality 2")
    assert check_cardinality(ONTOLOGY, third, [parents[:1], parents[1:]]) is None  # not at one moment
    assert check_cardinality(ONTOLOGY, claim("a", "hasParent", "c", "Parent Person"), [parents]) is None  # said already
    assert check_cardinality(ONTOLOGY, claim("z", "hasParent", "d", "Parent Person"), [parents]) is None
    known = [claim("x", "knows", "a", "Org Parent"), claim("a", "knows", "y", "Parent Org")]  # symmetric: both count
    assert check_cardinality(ONTOLOGY, claim("a", "knows", "z", "Parent Org"), [known]) is not None
    assert check_cardinality(ONTOLOGY, claim("z", "knows", "a", "Org Parent"), [known]) is not None
    assert check_cardinality(ONTOLOGY, claim("a", "knows", "z", "Parent Person"), [known]) is None  # only Orgs are counted


def test_classes_of_one_thing():
    assert check_class(ONTOLOGY, E + "Human") is None
    assert check_class(ONTOLOGY, E + "Nothing").code == "disjoint_classes"  # nothing can be in it
    assert check_classes(ONTOLOGY, [E + "Human", E + "Person", E + "Human"]) is None
    assert check_classes(ONTOLOGY, [E + "Human", E + "Robot"]).axiom == f"{E}Person owl:disjointWith {E}Robot"


@pytest.mark.parametrize(
    ("class_", "predicate", "code"),
    [
        ("Human", "nick", None),
        ("Org", "nick", "domain"),
        ("Org", "petName", "domain"),
        ("Person", "likes", "not_a_data_property"),
        ("Person", "shoe", "unknown_property"),
    ],
)
def test_an_attribute_of_a_class(class_, predicate, code):
    found = check_attribute(ONTOLOGY, E + class_, E + predicate)
    assert (found.code if found else None) == code


@pytest.mark.parametrize(
    ("class_", "predicate", "written", "value", "code"),
    [
        ("Person", "age", "1,200", "1200", None),
        ("Person", "age", "17 km", "17 km", "datatype"),
        ("Parent", "age", "+17", "17", None),
        ("Parent", "age", "1200", "1200", "datatype"),  # more than a byte holds
        ("Person", "when", "2020-03-17", "2020-03-17", None),
        ("Person", "when", "in spring", "in spring", None),  # a string, then
        ("Person", "size", "small", "small", None),
        ("Person", "size", "extra-large", "Extra Large", None),
        ("Person", "size", "smal", "smal", "datatype"),
        ("Person", "any", " as it is ", " as it is ", None),
    ],
)
def test_a_value(class_, predicate, written, value, code):
    found, violation = check_value(ONTOLOGY, E + class_, E + predicate, written)
    assert (found, violation.code if violation else None) == (value, code)


def test_no_more_attributes_than_allowed():
    held = [(E + "nick", "Al"), (E + "petName", "Ally")]
    assert check_value_count(ONTOLOGY, E + "Parent", E + "nick", "Alice", held).code == "cardinality"
    assert check_value_count(ONTOLOGY, E + "Parent", E + "nick", "Al", held) is None
    assert check_value_count(ONTOLOGY, E + "Person", E + "nick", "Alice", held) is None


@pytest.mark.parametrize(
    ("datatype", "texts"),
    [
        ("integer", {"+1,200": "1200", "-007": "-7", "１２": "12", "17 km": None, "1,20": None, "1.0": None, "": None,
                     "٣": None, "9" * 2001: None}),
        ("byte", {"-128": "-128", "128": None}),
        ("nonNegativeInteger", {"0": "0", "-1": None}),
        ("unsignedLong", {"18446744073709551615": "18446744073709551615", "18446744073709551616": None}),
        ("decimal", {"1.50": "1.5", "-0.0": "0", ".5": "0.5", "5.": "5", "1,234.5": "1234.5", "1e3": None, "€5": None}),
        ("double", {"1e3": "1000", "1.0": "1", "1e300": "1E300", "1E400": None, "-INF": "-INF", "one": None}),
        ("boolean", {"TRUE": "true", "0": "false", "yes": None}),
        ("date", {"2024-02-29": "2024-02-29", "2024-02-30": None, "2023-02-29": None, "-0044-03-15": "-0044-03-15",
                  "0000-01-01": None, "2024-02-29+00:00": "2024-02-29Z", "17 March 2020": None}),
        ("dateTime", {"2024-02-29T10:30:00.500+00:00": "2024-02-29T10:30:00.5Z", "2024-02-29 10:30": "2024-02-29T10:30:00",
                      "2024-02-29T24:30:00": None, "2024-02-29": None}),
        ("time", {"10:30": "10:30:00", "25:00": None}),
        ("gYear", {"2020": "2020", "20": None, "12020": "12020"}),
        ("gYearMonth", {"2020-12": "2020-12", "2020-13": None}),
        ("gMonthDay", {"--02-29": "--02-29", "--02-30": None}),
        ("duration", {"P1Y2M": "P1Y2M", "PT5S": "PT5S", "P": None, "PT": None}),
        ("anyURI", {"http://e.org/a?b#c": "http://e.org/a?b#c", "a b": None, "<x>": None}),
        ("language", {"en-GB": "en-GB", "english language": None}),
        ("hexBinary", {"0aFF": "0aFF", "abc": None}),
        ("string", {" any\nthing ": " any\nthing "}),
    ],
)  # fmt: skip
def test_values_of_datatypes_have_one_form(datatype, texts):
    assert {text: canonical(XSD + datatype, text) for text in texts} == texts
    for value in filter(None, texts.values()):
        assert canonical(XSD + datatype, value) == value


def test_a_datatype_that_nobody_knows_has_every_text():
    assert canonical("http://e.org/colour", "blue ") == "blue "


def test_several_domains_that_no_class_is_in_are_alternatives_unless_disjoint():
    """The intersection that OWL means where a class is in it; else what is not known to be outside."""
    ontology = an_ontology(
        a_class("Vehicle"), a_class("Equipment"), a_class("Person"), a_class("Amphibian", "Vehicle", "Boat"), a_class("Boat"),
        a_property("designedBy", domain=["Vehicle", "Equipment"]), a_property("floatsOn", domain=["Vehicle", "Boat"]),
        a_property("odd", domain=["Vehicle", "Person"]), disjoint_classes=[("Vehicle", "Person")],
    )  # fmt: skip

    def allowed(class_: str, predicate: str) -> bool:
        return check_relation(ontology, E + class_, E + predicate, E + "Person") is None

    assert allowed("Vehicle", "designedBy") and allowed("Equipment", "designedBy") and not allowed("Person", "designedBy")
    assert allowed("Amphibian", "floatsOn") and not allowed("Vehicle", "floatsOn")
    assert not allowed("Vehicle", "odd") and not allowed("Person", "odd")
