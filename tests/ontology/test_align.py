"""A name from outside means a term only if it is exactly its name; what looks like it is a suggestion."""

from __future__ import annotations

import pytest
from small_ontologies import E, a_class, a_property, an_ontology

from stratagraph.ontology.align import Aligner

ONTOLOGY = an_ontology(
    a_class("GO_0008150", labels=(("en", "biological process"), ("es", "proceso biológico")), alt_labels=(("zh", "生物过程"),)),
    a_class("Person", labels=(("en", "person"),), alt_labels=(("en", "human being"),)),
    a_class("PostalAddress"), a_class("HTTPServer"), a_class("Type1_1"), a_class("Type11"), a_class("Contract"),
    a_class("Austria"), a_class("Niger"), a_class("invoice_1001"),
    a_class("Town", alt_labels=(("en", "place"),)), a_class("Village", alt_labels=(("en", "place"),)),
    a_class("Site", labels=(("en", "Locality"),)), a_class("Spot", alt_labels=(("en", "locality"),)),
    a_class("OldFirm", labels=(("en", "firm"),), deprecated=True), a_class("Firm", labels=(("en", "firm"),)),
    a_property("worksFor", labels=(("en", "works for"),), alt_labels=(("en", "is employed by"),)), a_property("employer"),
    a_property("age", kind="data", labels=(("en", "age"), ("de", "Straße"))),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind", "local"),
    [
        (E + "Person", "class", "Person"),
        ("Person", "class", "Person"),
        ("ex:Person", "class", "Person"),
        ("PERSON", "class", "Person"),
        ("Ｐｅｒｓｏｎ", "class", "Person"),
        ("Human  Being", "class", "Person"),
        ("biological_process", "class", "GO_0008150"),
        ("Proceso biolo\u0301gico", "class", "GO_0008150"),
        ("生物过程", "class", "GO_0008150"),
        ("GO:0008150", "class", "GO_0008150"),
        ("go_0008150", "class", "GO_0008150"),
        ("postal address", "class", "PostalAddress"),
        ("Postal-Address", "class", "PostalAddress"),
        ("http server", "class", "HTTPServer"),
        ("type 1 1", "class", "Type1_1"),
        ("type 11", "class", "Type11"),
        ("locality", "class", "Site"),  # what it is called outranks what another is called as well
        ("firm", "class", "Firm"),  # of two, the one that is in use
        ("worksFor", "object", "worksFor"),
        ("works_for", "object", "worksFor"),
        ("Is employed by", "object", "worksFor"),
        ("STRASSE", "data", "age"),
        ("worksFor", "data", None),
        ("worksFor", "class", None),
        ("http://other.org/Person", "class", None),
        ("", "class", None),
        ("???", "class", None),
    ],
)
def test_exact_after_normalisation(name, kind, local):
    assert Aligner.of(ONTOLOGY).align(name, kind).iri == (E + local if local else None)


@pytest.mark.parametrize(
    ("name", "kind", "suggested"),
    [
        ("Contact", "class", "Contract"),
        ("Australia", "class", "Austria"),
        ("Nigeria", "class", "Niger"),
        ("invoice_1002", "class", "invoice_1001"),
        ("employee", "object", "employer"),
        ("Persons", "class", "Person"),
        ("biological proces", "class", "GO_0008150"),
        ("zzzz", "class", None),
    ],
)
def test_a_near_miss_is_a_suggestion_and_no_term(name, kind, suggested):
    found = Aligner(ONTOLOGY).align(name, kind)
    assert (found.iri, found.suggestion) == (None, E + suggested if suggested else None)
    assert found.why == (f"did you mean {E}{suggested}?" if suggested else "")


def test_a_name_of_two_terms_means_neither_and_says_so():
    found = Aligner(ONTOLOGY).align("Place", "class")
    assert (found.iri, found.ambiguous) == (None, (E + "Town", E + "Village"))
    assert found.why == f"it may be any of {E}Town, {E}Village"


def test_prefixes_are_held_to_what_they_stand_for():
    aligner, prefixes = Aligner(ONTOLOGY), {"ex": E, "other": "http://other.org/"}
    assert aligner.align("ex:Person", "class", prefixes).iri == E + "Person"
    assert aligner.align("other:Person", "class", prefixes).iri is None
    assert aligner.align("other:Person", "class", prefixes).suggestion == E + "Person"
