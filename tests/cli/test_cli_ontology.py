"""`stratagraph ontology`: check fails only on what cannot be used, show knows a term by any of its names."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import PROJECT, call

CONFIG = PROJECT / "stratagraph.yaml"
PREFIXES = """@prefix : <e:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
MY = "https://example.org/my#"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    file = tmp_path / "broken.ttl"
    file.write_text("@prefix : <e:> .\n\n:a :b ;;", encoding="utf-8")
    return file


def test_the_project_s_own_files_are_checked() -> None:
    result = call("ontology", "check", "--config", CONFIG)
    assert (result.code, result.err) == (0, "")
    assert "ontology.ttl" in result.out and "import urn:stratagraph:core" in result.out
    report = call("ontology", "check", "--json", "--config", CONFIG).json
    assert report["usable"] and report["missing_imports"] == []
    assert report["total"]["counts"]["classes"] == sum(file["counts"]["classes"] for file in report["files"])
    assert report["total"]["labels"].keys() >= {"en"}


def test_a_file_that_cannot_be_used_fails_and_the_others_are_counted(broken: Path) -> None:
    good = PROJECT / "ontology.ttl"
    result = call("ontology", "check", good, broken, "--json")
    assert result.code == 1
    assert [Path(file["file"]).name for file in result.json["files"]] == ["ontology.ttl", "core.ttl", "broken.ttl"]
    assert result.json["files"][-1]["problem"].startswith(f"{broken}:3: not valid Turtle")
    assert result.json["total"]["counts"]["classes"] > 0
    assert call("ontology", "check", broken).err.splitlines()[-1] == "error: no file can be used"


def test_what_can_be_used_passes_with_remarks(tmp_path: Path) -> None:
    file = tmp_path / "o.ttl"
    file.write_text(
        PREFIXES
        + "<e:o> a owl:Ontology ; owl:imports <https://far.org/x> . :A a owl:Class , owl:ObjectProperty ; rdfs:subClassOf :B ,"
        " [ owl:onProperty :A ; owl:hasValue :i ] ; owl:deprecated true ; rdfs:subPropertyOf :q .",
        encoding="utf-8",
    )
    result = call("ontology", "check", file)
    assert result.code == 0
    assert [line for line in result.out.splitlines() if not line.startswith(("│", "┃", "┏", "└", "┡"))] == [
        "import https://far.org/x: missing; name a file or folder that has it with --catalog or ontology.catalog",
        "used as classes or properties, but declared by no file (2):", "  e:B", "  e:q",
        "deprecated (1):", "  e:A",
        "without a label (2):", "  e:A", "  e:B",
        "without domain and range (1):", "  e:A",
        "one name for several things (1):", "  e:A: class, object property",
        "axioms without effect (1):", "  e:A: above it: hasValue of e:A",
    ]  # fmt: skip


@pytest.mark.parametrize("name", [MY + "worksFor", "my:worksFor", "works for", "Works-For", "is employed by"])
def test_a_term_is_known_by_any_of_its_names(name: str) -> None:
    found = call("ontology", "show", name, "--json", "--config", CONFIG).json
    assert [one["iri"] for one in found] == [MY + "worksFor"]
    facts = {(fact["what"], fact["value"]) for fact in found[0]["facts"]}
    assert ("domain", MY + "Person") in facts


def test_inherited_axioms_name_the_term_they_come_from(tmp_path: Path) -> None:
    file = tmp_path / "o.ttl"
    file.write_text(
        PREFIXES + ":A a owl:Class ; owl:hasKey (:q) ; owl:disjointWith :C ."
        ":A rdfs:subClassOf [ owl:onProperty :q ; owl:minCardinality 1 ] ."
        ":B rdfs:subClassOf :A . :q a owl:ObjectProperty , owl:FunctionalProperty ; rdfs:domain :A . "
        ":p a owl:ObjectProperty ; rdfs:subPropertyOf :q ; rdfs:range :C .",
        encoding="utf-8",
    )

    def facts(term: str) -> set[tuple[str, str, str]]:
        found = call("ontology", "show", term, "--file", file, "--json").json
        return {(fact["what"], fact["value"], fact["source"]) for one in found for fact in one["facts"]}

    assert facts("e:B") == {
        ("sub-class of", "e:A", ""), ("key", "e:q", "e:A"), ("disjoint with", "e:C", "e:A"), ("subject of", "e:q", "e:A"),
        ("restriction", "at least 1 values of e:q", "e:A"),
    }  # fmt: skip
    assert facts("e:p") == {
        ("sub-property of", "e:q", ""), ("range", "e:C", ""), ("domain", "e:A", "e:q"), ("characteristic", "functional", "e:q"),
        ("values at a time", "one", ""),
    }  # fmt: skip


def test_a_near_miss_is_only_suggested() -> None:
    result = call("ontology", "show", "worksfro", "--config", CONFIG)
    assert (result.code, result.out) == (1, "")
    assert f"did you mean {MY}worksFor?" in result.err
