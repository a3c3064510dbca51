"""Imports come from a local catalogue, by what the files say of themselves; what is missing is listed, nothing is fetched."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
import yaml

from stratagraph.errors import OntologyError
from stratagraph.ontology import catalog, read
from stratagraph.ontology.catalog import HeaderMemory, find_imports
from stratagraph.ontology.load import files_fingerprint, load_ontology, load_project, ontology_files, update_ontology
from stratagraph.ontology.report import check_files
from stratagraph.project import Project

CYCLE = Path(__file__).parents[3] / "shared/data/ontologies/owlapi/importscyclic"
OWL = "http://www.w3.org/2002/07/owl#"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **keywords: object) -> None:
        raise AssertionError(f"something tried to reach the network: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def ontology(name: str, *imports: str, version: str = "") -> str:
    """An ontology http://e.org/<name> with one class e:<name>."""
    said = "".join(f"; owl:imports <{iri if ':' in iri else 'http://e.org/' + iri}> " for iri in imports)
    said += f"; owl:versionIRI <{version}>" if version else ""
    return f"@prefix owl: <{OWL}> . <http://e.org/{name}> a owl:Ontology {said} . <e:{name}> a owl:Class ."


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return folder


def project(folder: Path, text: str, places: list[str]) -> Project:
    write(folder, o__ttl=text)
    config = {"version": 1, "ontology": {"files": ["o.ttl"], "catalog": places}}
    (folder / "stratagraph.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return Project.load(folder / "stratagraph.yaml")


def test_imports_are_found_by_their_iri_transitively_and_in_cycles(tmp_path: Path) -> None:
    write(tmp_path / "lib/deep", whatever__ttl=ontology("b", "c"), x__owl=ontology("c", "a", "gone"))
    write(tmp_path / "lib", unused__ttl=ontology("unused"), README__md="no ontology", broken__ttl="nothing at all")
    write(tmp_path, a__ttl=ontology("a", "b"))
    loaded = load_ontology([tmp_path / "a.ttl"], [tmp_path / "lib"])
    assert set(loaded.classes) == {"e:a", "e:b", "e:c"}
    assert loaded.missing_imports == ("http://e.org/gone",)
    assert load_ontology([tmp_path / "a.ttl"]).missing_imports == ("http://e.org/b",)
    report = check_files([tmp_path / "a.ttl"], [tmp_path / "lib"])
    assert {iri: Path(file).name for iri, file in report.imports.items()} == {
        "http://e.org/a": "a.ttl", "http://e.org/b": "whatever.ttl", "http://e.org/c": "x.owl"
    }  # fmt: skip
    assert [Path(file).name for file in report.unreadable] == ["broken.ttl"]
    assert report.usable


@pytest.mark.parametrize("iri", ["http://e.org/b", "http://e.org/b#", "http://e.org/b/", "http://e.org/b/2.0", "<b.ttl>"])
def test_an_import_names_an_ontology_a_version_or_a_file(tmp_path: Path, iri: str) -> None:
    write(tmp_path / "lib", b__ttl=ontology("b", version="http://e.org/b/2.0"))
    text = ontology("a", "x:y").replace("<x:y>", iri if iri.startswith("<") else f"<{iri}>")
    write(tmp_path, a__ttl=text)
    assert set(load_ontology([tmp_path / "a.ttl"], [tmp_path / "lib/b.ttl"]).classes) == {"e:a", "e:b"}


@pytest.mark.skipif(not CYCLE.exists(), reason="../shared/data/ontologies is absent")
def test_a_public_cycle_of_imports_is_resolved_from_one_of_its_files() -> None:
    loaded = load_ontology([CYCLE / "A.owl"], [CYCLE])
    alone = load_ontology([CYCLE / "A.owl"])
    assert len(alone.classes) == 1 < len(loaded.classes)
    assert len(alone.missing_imports) == 1
    assert not set(alone.missing_imports) & set(loaded.missing_imports)


XML = """<?xml version="1.0"?>
<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
  <uri name="http://elsewhere.org/b" uri="sub/b%20b.ttl"/>
  <group xml:base="sub/"><uri name="http://elsewhere.org/c" uri="c.ttl"/></group>
  <uri name="http://elsewhere.org/outside" uri="../outside.ttl"/>
  <uri name="http://elsewhere.org/net" uri="http://elsewhere.org/net.ttl"/>
</catalog>"""


def test_an_oasis_catalogue_says_where_iris_are_but_leads_nowhere_else(tmp_path: Path) -> None:
    lib = write(tmp_path / "lib", **{"catalog-v001__xml": XML})
    write(lib / "sub", c__ttl=ontology("other-name"))
    (lib / "sub/b b.ttl").write_text(ontology("b"), encoding="utf-8")
    names = [f"http://elsewhere.org/{name}" for name in ("b", "c", "outside", "net")]
    write(tmp_path, a__ttl=ontology("a", *names), outside__ttl=ontology("outside"))
    loaded = load_ontology([tmp_path / "a.ttl"], [lib])
    assert set(loaded.classes) == {"e:a", "e:b", "e:other-name"}
    assert loaded.missing_imports == tuple(sorted(names[2:]))


def test_a_hostile_catalogue_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a__ttl=ontology("a", "b"))
    bomb = '<!DOCTYPE c [ <!ENTITY a "x"> <!ENTITY b "&a;&a;"> ]><catalog>&b;</catalog>'
    lib = write(tmp_path / "lib", **{"catalog-v001__xml": bomb})
    with pytest.raises(OntologyError, match=r"catalog-v001\.xml:1: the XML entity 'b'"):
        load_ontology([tmp_path / "a.ttl"], [lib])
    with pytest.raises(OntologyError, match="nowhere: no such file or folder"):
        load_ontology([tmp_path / "a.ttl"], [tmp_path / "nowhere"])
    monkeypatch.setattr(catalog, "MAX_FILES", 1)
    write(lib, b__ttl=ontology("b"))
    with pytest.raises(OntologyError, match="more than 1 files"):
        load_ontology([tmp_path / "a.ttl"], [lib])


def test_the_catalogue_is_only_opened_for_what_the_files_do_not_have(tmp_path: Path) -> None:
    write(tmp_path, a__ttl=ontology("a", "b", "urn:stratagraph:core"), b__ttl=ontology("b"))
    found = find_imports([tmp_path / "a.ttl", tmp_path / "b.ttl"], [tmp_path / "nowhere"])
    assert (found.imported, found.missing) == ((), ())
    assert [iri for iri, _ in found.resolved] == ["http://e.org/b", "urn:stratagraph:core"]


@pytest.mark.parametrize("iri", ["urn:stratagraph:core", "urn:stratagraph:core#"])
def test_the_vocabulary_that_ships_is_read_however_it_is_imported(tmp_path: Path, iri: str) -> None:
    write(tmp_path, a__ttl=ontology("a", "b"))
    write(tmp_path / "lib", b__ttl=ontology("b", iri))
    loaded = load_ontology([tmp_path / "a.ttl"], [tmp_path / "lib"])
    assert {"e:a", "e:b", "urn:stratagraph:core#Agent"} <= set(loaded.classes)
    assert loaded.missing_imports == ()


def test_only_what_is_imported_counts_in_a_project(tmp_path: Path) -> None:
    lib = write(tmp_path / "lib", b__ttl=ontology("b"), unused__ttl=ontology("unused"))
    mine = project(tmp_path, ontology("a", "b", "late"), ["lib"])
    assert [file.name for file in ontology_files(mine)] == ["o.ttl", "b.ttl"]
    assert set(load_project(mine).classes) == {"e:a", "e:b"}
    first = files_fingerprint(mine)
    result = update_ontology(mine)
    assert (result.changed, result.classes, result.missing_imports) == (True, 2, 1)
    assert "http://e.org/late" in result.warning

    write(lib, unused__ttl=ontology("unused") + "# changed")
    assert files_fingerprint(mine) == first
    assert not update_ontology(mine).changed

    write(lib, b__ttl=ontology("b") + " <e:more> a owl:Class .")
    assert files_fingerprint(mine) != first
    assert update_ontology(mine).classes == 3

    write(lib, late__ttl=ontology("late"))  # a missing import turns up
    assert (update_ontology(mine).classes, update_ontology(mine).missing_imports) == (4, 0)


def test_a_catalogue_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "lib", b__ttl=ontology("b"), c__ttl=ontology("c"))
    mine = project(tmp_path, ontology("a", "b"), ["lib"])
    before = ontology_files(mine)

    def fail(path: Path) -> None:
        raise AssertionError(f"{path} was parsed again")

    monkeypatch.setattr(read, "read_file", fail)
    assert ontology_files(mine) == before
    kept = tmp_path / "data/ontology_headers.json"
    kept.write_text("not ours", encoding="utf-8")
    assert HeaderMemory(kept).known == {}
