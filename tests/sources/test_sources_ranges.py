"""Values of mapped columns are held against the ranges of their properties; what is none is refused, and its row is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from logged import Log, Said
from staged import VOCABULARY

from stratagraph.errors import ConfigError
from stratagraph.sources.mapping.ranges import fingerprint_of

XSD = "http://www.w3.org/2001/XMLSchema#"
HEAD = (
    f"@prefix v: <{VOCABULARY}> . @prefix xsd: <{XSD}> . @prefix owl: <http://www.w3.org/2002/07/owl#> ."
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . v:Thing a owl:Class ."
)
VALUES = [
    ("date", ["1990-03-17", "1990-03-17T00:00:00", "1990-03-17 00:00:00.000"],
     ["unknown", "17/03/1990", "1990-02-30", "1990-03-17T10:30:00", "", 7]),
    ("dateTime", ["1990-03-17", "1990-03-17T10:30:00Z", "1990-03-17 10:30"], ["1990-02-30T10:00:00", "10:30", "soon"]),
    ("integer", [7, "7", "-7", 10**18, "9" * 60], ["7 km", 7.5, True, "1,000"]),
    ("byte", [-128, "127"], [128, -129]),
    ("nonNegativeInteger", [0, "9" * 60], [-1, "-" + "9" * 60]),
    ("negativeInteger", [-1, "-" + "9" * 60], [0, "9" * 60]),
    ("decimal", [1.5, 7, "1.50", 1e20], ["€5", "1,5"]),
    ("boolean", [True, "false", 1, "TRUE"], ["yes", 2]),
    ("time", ["10:30", "10:30:00.5", "10:30:00Z"], ["25:00", "noon"]),
    ("gYear", [1990, "1990"], ["90", "1990-03"]),
    ("anyURI", ["https://e.org/a?b#c", "mailto:a@b"], ["a b", "<x>"]),
    ("string", ["anything", 7, True], []),
]  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def said(log: Log, axioms: str, mapping: Mapping[str, Any] = {"properties": {"x": "v:p"}}) -> Said:
    """What the rows of the table say; the log's project is written anew, and with it its ontology."""
    touch = Path.touch

    def write(path: Path) -> None:
        touch(path)
        path.write_text(HEAD + axioms)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "touch", write)
        return log.said({"t": mapping})


@pytest.mark.parametrize(("datatype", "good", "bad"), VALUES, ids=[row[0] for row in VALUES])
def test_values_of_datatypes(log: Log, datatype: str, good: list, bad: list) -> None:
    log.table("t", ["id", "x"], ["id"])
    for number, value in enumerate([*good, *bad, None]):
        log.row("t", {"id": number, "x": value})
    found = said(log, f"v:p a owl:DatatypeProperty ; rdfs:range xsd:{datatype} .")
    kept = [found.nodes[f"t/id={number}"]["properties"] for number in range(len(good) + len(bad) + 1)]
    assert [properties["t#id"] for properties in kept] == list(range(len(kept)))  # the rest of every row stands
    assert [properties.get("v:p") for properties in kept] == [*good, *[None] * (len(bad) + 1)]
    assert [problem[0] for problem in found.problems] == ["datatype"] * len(bad)
    for _, detail, place in found.problems:
        assert detail.startswith(f"x: {VOCABULARY}p rdfs:range {XSD}{datatype}, not ")
        assert place == "s/t"


def test_listed_values_unions_and_ranges_from_above(log: Log) -> None:
    log.table("t", ["id", "x"], ["id"])
    for number, value in enumerate(["small", "Small", "2020-01-01", "5", 5]):
        log.row("t", {"id": number, "x": value})

    def kept(axioms: str) -> list:
        found = said(log, axioms)
        return [found.nodes[f"t/id={number}"]["properties"].get("v:p") for number in range(5)]

    data = "a owl:DatatypeProperty ;"
    assert kept(f'v:p {data} rdfs:range [ a rdfs:Datatype ; owl:oneOf ( "small" "large" ) ] .')[:2] == ["small", None]
    above = f"v:q {data} rdfs:range xsd:integer . v:p {data} rdfs:subPropertyOf v:q ."
    assert kept(above) == [None, None, None, "5", 5]
    assert kept(f"v:p {data} rdfs:label 'p' .") == ["small", "Small", "2020-01-01", "5", 5]


def test_a_broken_ontology_checks_nothing_and_mending_it_states_the_source_anew(log: Log) -> None:
    log.table("t", ["id", "x"], ["id"])
    log.row("t", {"id": 1, "x": "unknown"})
    assert said(log, "v:p a owl:DatatypeProperty ; rdfs:range").problems == []
    project = log.project({"t": {"properties": {"x": "v:p"}}})
    source = project.config.sources["s"]
    broken = fingerprint_of(project, source)
    (log.folder / "none.ttl").write_text(HEAD)
    assert fingerprint_of(project, source) != broken
    unmapped = log.project({"t": {"ignore": ["x"]}})
    assert fingerprint_of(unmapped, unmapped.config.sources["s"]) == ()


PEOPLE = (
    "v:Person a owl:Class . v:Org a owl:Class . v:name a owl:DatatypeProperty ; rdfs:domain v:Person ."
    "v:knows a owl:ObjectProperty ; rdfs:range v:Person . v:old a owl:DatatypeProperty ; owl:deprecated true ."
)


@pytest.mark.parametrize(
    ("class_", "mapping", "fault"),
    [
        ({"class": "v:Person"}, {"properties": {"x": "v:name"}}, None),
        ({"class": "v:Org"}, {"properties": {"x": "v:name"}}, "properties.x: {v}name rdfs:domain {v}Person, not {v}Org"),
        ({"class": "v:Org"}, {"references": {"x": "v:knows"}}, "references.x: {v}knows rdfs:range {v}Person, not {v}Org"),
        ({"class": "v:Person"}, {"references": {"x": "v:knows"}}, None),
        ({"class": "v:Org"}, {"properties": {"x": "v:old"}}, None),
        ({}, {"properties": {"x": "v:name"}}, None),  # its class is the table's own, of which nothing is known
        ({"classes": {"column": "x", "values": {"O": "v:Org"}}}, {"properties": {"x": "v:name"}}, None),  # the row decides
    ],
)
def test_a_mapping_that_no_row_can_keep_is_refused_with_its_place_and_the_axiom(
    log: Log, class_: dict, mapping: dict, fault: str | None
) -> None:
    log.table("t", ["id", "x"], ["id"])
    log.key("t", ["x"], "t", ["id"])
    log.row("t", {"id": 1, "x": 1})
    if fault is None:
        assert said(log, PEOPLE, class_ | mapping).nodes
    else:
        with pytest.raises(ConfigError, match=re.escape(f"sources.s.mapping.t.{fault.replace('{v}', VOCABULARY)}")):
            said(log, PEOPLE, class_ | mapping)
