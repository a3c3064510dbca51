"""The optional consistency check by a reasoner; it needs Java."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stratagraph.errors import OntologyError
from stratagraph.ontology import reasoner
from stratagraph.ontology.reasoner import check_sound, reason

needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="HermiT needs Java, and there is none")

HEAD = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.org> a owl:Ontology ; owl:imports <http://192.0.2.1/never-fetched> .
:Plant a owl:Class . :Animal a owl:Class ; owl:disjointWith :Plant . :Tree a owl:Class ; rdfs:subClassOf :Plant .
"""
ONTOLOGIES = {
    "sound": "",
    "unsatisfiable": ":Walking a owl:Class ; rdfs:subClassOf :Tree , :Animal .",
    "inconsistent": ":ent a :Tree , :Animal , owl:NamedIndividual .",
}


def file_of(folder: Path, name: str) -> Path:
    path = folder / f"{name}.ttl"
    path.write_text(HEAD + ONTOLOGIES[name], encoding="utf-8")
    return path


@needs_java
def test_what_the_reasoner_finds(tmp_path: Path) -> None:
    found = {name: reason([file_of(tmp_path, name)]) for name in ONTOLOGIES}
    assert all(result.ran for result in found.values())
    assert [name for name, result in found.items() if not result.sound] == ["unsatisfiable", "inconsistent"]
    assert found["unsatisfiable"].unsatisfiable == ("http://example.org/Walking",)
    assert not found["inconsistent"].consistent
    assert "no contradiction" in check_sound([tmp_path / "sound.ttl"])
    with pytest.raises(OntologyError, match=r"1 classes can have no member: http://example.org/Walking"):
        check_sound([tmp_path / "unsatisfiable.ttl"])


@needs_java
def test_it_is_stopped_in_time(tmp_path: Path) -> None:
    found = reason([file_of(tmp_path, "sound")], timeout=0.01)
    assert not found.ran and "stopped after 0.01 seconds" in found.note


def test_without_java_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasoner.shutil, "which", lambda name: None)
    found = reason([file_of(tmp_path, "unsatisfiable")])
    assert not found.ran and found.sound and "no `java`" in found.note
