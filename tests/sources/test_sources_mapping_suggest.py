"""`mapping suggest`: exact labels only, in any language; what is unsure or looks alike stays in comments; the YAML loads."""

from __future__ import annotations

import json
import runpy
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from stratagraph.errors import SourceError
from stratagraph.ontology.load import load_ontology
from stratagraph.ontology.mapped import term_faults
from stratagraph.ontology.model import Ontology
from stratagraph.project import Project
from stratagraph.sources.load import load_source
from stratagraph.sources.mapping.checks import mapping_faults
from stratagraph.sources.mapping.structure import known_structure, table_sources
from stratagraph.sources.mapping.suggest import normalised, suggest

CHECKOUT = Path(__file__).parents[2]
SHARED = CHECKOUT.parent / "shared/data"
DEMO = [CHECKOUT / "ontologies/core.ttl", CHECKOUT / "ontologies/demo.ttl"]
PREFIXES = {"ex": "https://e.org/o#", "foaf": "http://xmlns.com/foaf/0.1/", "schema": "https://schema.org/"}

VOCABULARY = """
@prefix ex: <https://e.org/o#> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
ex:Person a owl:Class ; rdfs:label "Person"@en , "人物"@zh .
ex:Company a owl:Class ; rdfs:label "company" ; skos:altLabel "Firma"@de .
ex:Order a owl:Class . <https://other.org/Person> a owl:Class .
ex:Employer a owl:Class ; rdfs:label "employer" .
ex:GO_0008150 a owl:Class ; rdfs:label "biological process"@en .
ex:Category a owl:Class ; rdfs:label "category" . ex:Address a owl:Class ; rdfs:label "address" .
ex:name a owl:DatatypeProperty ; rdfs:label "name" . foaf:name a owl:DatatypeProperty ; rdfs:label "name" .
ex:givenName a owl:DatatypeProperty ; rdfs:domain ex:Person ; rdfs:label "given name"@en , "名"@zh .
ex:total a owl:DatatypeProperty ; rdfs:domain ex:Order ; rdfs:label "total" .
ex:old a owl:DatatypeProperty ; rdfs:label "old" ; owl:deprecated true .
ex:worksFor a owl:ObjectProperty ; rdfs:domain ex:Person ; rdfs:range ex:Company ; rdfs:label "employed by" .
ex:customer a owl:ObjectProperty ; rdfs:label "customer" .
ex:knows a owl:ObjectProperty ; rdfs:domain ex:Person ; rdfs:range ex:Person ; rdfs:label "knows" .
"""


class Making:
    """Projects with one SQLite database each, and what is suggested for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def project(self, mapping: dict[str, Any] | None = None, files: list[Path] | None = None, **source: Any) -> Project:
        config = {
            "version": 1,
            "prefixes": PREFIXES,
            "ontology": {"files": [str(file) for file in files or [self.folder / "o.ttl"]]},
            "sources": {"s": {"type": "sql", "url": "sqlite:///s.db", "mapping": mapping or {}} | source},
        }
        (self.folder / "o.ttl").write_text(VOCABULARY, encoding="utf-8")
        (self.folder / "stratagraph.yaml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
        return Project.load(self.folder / "stratagraph.yaml")

    def suggested(self, script: str) -> tuple[dict[str, Any], str]:
        """(the mapping, the whole text) for a database that a script makes."""
        with closing(sqlite3.connect(self.folder / "s.db")) as connection:
            connection.executescript(script)
        project = self.project()
        text = suggest_for(project, load_ontology([self.folder / "o.ttl"]))
        return yaml.safe_load(text)["sources"]["s"]["mapping"], text


def suggest_for(project: Project, ontology: Ontology) -> str:
    return suggest([known_structure(project, name, config) for name, config in table_sources(project).items()], ontology)


@pytest.fixture
def making(tmp_path: Path) -> Making:
    return Making(tmp_path)


@pytest.mark.parametrize(
    ("one", "other"),
    [("givenName", "Given_Name"), ("ＧｉｖｅｎＮａｍｅ", "given name"), ("HTTPServer", "http server"), ("straße", "STRASSE"),
     ("e-mail", "E Mail"), ("Café", "Cafe\u0301"), ("名_前", "名 前")],
)  # fmt: skip
def test_names_are_compared_without_case_punctuation_and_camel_case(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(("one", "other"), [("employer", "employee"), ("Austria", "Australia"), ("a1", "a2"), ("C++1", "C1x")])
def test_names_that_differ_stay_different(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


def test_what_is_called_exactly_so_is_proposed(making: Making) -> None:
    found, text = making.suggested("""
        CREATE TABLE Companies (id INTEGER PRIMARY KEY);
        CREATE TABLE 人物 (id INTEGER PRIMARY KEY, "Given_Name" TEXT, employed_by_id INTEGER REFERENCES Companies (id));
        CREATE TABLE person (id INTEGER PRIMARY KEY, 名 TEXT, old TEXT);
        CREATE TABLE biologicalProcesses (id INTEGER PRIMARY KEY);
        CREATE TABLE addresses (id INTEGER PRIMARY KEY, total REAL);
        CREATE TABLE "firma" (id INTEGER PRIMARY KEY);
    """)
    assert found == {
        "Companies": {"class": "ex:Company"},
        "人物": {
            "class": "ex:Person",
            "properties": {"Given_Name": "ex:givenName"},
            "references": {"employed_by_id": "ex:worksFor"},
        },
        "person": {"class": "ex:Person", "properties": {"名": "ex:givenName"}},
        "biologicalProcesses": {"class": "ex:GO_0008150"},
        "addresses": {"class": "ex:Address"},
        "firma": {"class": "ex:Company"},
    }
    assert "keep their direct-mapping IRI (person#column): old, id" in text  # what is deprecated is not proposed
    assert "not used: total is called as ex:total, whose domain or range is not for ex:Address" in text


def test_what_could_mean_two_things_or_only_looks_alike_is_a_comment(making: Making) -> None:
    found, text = making.suggested("""
        CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, given_nam TEXT);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, total TEXT, Total_ TEXT, customer INTEGER REFERENCES employee (id),
                             customer_id INTEGER REFERENCES employee (id));
        CREATE TABLE Companys (id INTEGER PRIMARY KEY, GivenName TEXT);
    """)
    assert found == {
        "orders": {"class": "ex:Order", "properties": {"total": "ex:total"}, "references": {"customer": "ex:customer"}},
        "Companys": {"class": "ex:Company"},
    }
    for line in (
        'near: class ex:Employer ("employer"), not used',
        'unsure: 2 properties are called "name": foaf:name, ex:name',
        'near: given_nam: ex:givenName ("given name"), not used',
        "unsure: Total_ and total are both called ex:total",
        "unsure: customer_id and customer are both called ex:customer",
        "not used: GivenName is called as ex:givenName, whose domain or range is not for ex:Company",
    ):
        assert f"# {line}" in text


def test_links_and_times_are_comments(making: Making) -> None:
    found, text = making.suggested("""
        CREATE TABLE person (id INTEGER PRIMARY KEY);
        CREATE TABLE pair (a INTEGER REFERENCES person (id), b INTEGER REFERENCES person (id));
        CREATE TABLE friend (a INTEGER REFERENCES person (id), b INTEGER REFERENCES person (id), Start_Date TEXT, endDate TEXT,
                             LastUpdate TEXT, PRIMARY KEY (a, b));
        CREATE TABLE trip (id INTEGER PRIMARY KEY, a INTEGER REFERENCES person (id), b INTEGER REFERENCES person (id));
    """)
    assert found == {"person": {"class": "ex:Person"}}
    edge = "# edge: {subject: a, predicate: ex:knows, object: b}  # unsure: ex:knows may hold between them"
    assert text.count(edge) == 2 and text.count("a pure link table") == 1 and text.count("a link table with columns") == 1
    for line in ("valid_from: Start_Date", "valid_to: endDate", "updated_at: LastUpdate  # with valid_time: load"):
        assert f"# {line}" in text


def test_names_that_yaml_would_misread_come_back_as_they_are(making: Making) -> None:
    columns = ["no", "on", "1", "a: b", "#x", "q'\"u", "é", "\x85", "😀", "- y", "null", "{}"]
    script = ", ".join('"' + column.replace('"', '""') + '" TEXT' for column in columns)
    with closing(sqlite3.connect(making.folder / "s.db")) as connection:
        connection.execute(f'CREATE TABLE "per\'son: {{x}}" (id INTEGER PRIMARY KEY, {script})')
    properties = "\n".join(
        f"ex:p{place} a owl:DatatypeProperty ; rdfs:label {json.dumps(column, ensure_ascii=False)} ."
        for place, column in enumerate(columns)
    )
    project = making.project()
    (making.folder / "o.ttl").write_text(VOCABULARY + properties, encoding="utf-8")
    text = suggest_for(project, load_ontology([making.folder / "o.ttl"]))
    (mapped,) = yaml.safe_load(text)["sources"]["s"]["mapping"].values()
    assert set(mapped["properties"]) == {column for column in columns if normalised(column)}


def test_only_a_database_tells_its_columns_before_it_is_loaded(making: Making) -> None:
    with pytest.raises(SourceError, match="there is no such SQLite file"):
        suggest_for(making.project(), load_ontology([making.folder / "o.ttl"]))
    config = yaml.safe_load((making.folder / "stratagraph.yaml").read_text(encoding="utf-8"))
    config["sources"] = {"s": {"type": "files", "path": "*.csv"}}
    (making.folder / "stratagraph.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    project = Project.load(making.folder / "stratagraph.yaml")
    with pytest.raises(SourceError, match="the source was not loaded yet"):
        known_structure(project, "s", table_sources(project)["s"])
    with pytest.raises(SourceError, match="the sources of tables are: s"):
        table_sources(project, "shop")


# What is printed loads: pasted into the config, the ontology and the tables have all that it names.


def databases(folder: Path) -> dict[str, Path]:
    """Northwind, and Chinook and Sakila where they are."""
    found = {"northwind": runpy.run_path(str(CHECKOUT / "examples/demo/prepare.py"))["build"](folder)}
    if (SHARED / "chinook").exists():
        found["chinook"] = SHARED / "chinook/Chinook_Sqlite.sqlite"
        with closing(sqlite3.connect(folder / "sakila.db")) as connection:
            connection.executescript((SHARED / "sakila/sqlite-sakila-schema.sql").read_text(encoding="utf-8"))
        found["sakila"] = folder / "sakila.db"
    return found


def pasted(folder: Path, files: list[Path], sources: dict[str, Any], load: bool = False) -> dict[str, Any]:
    """What is suggested for the sources, after it was pasted into their config and found to be right."""
    config = {"version": 1, "prefixes": PREFIXES | {"d": "https://example.org/stratagraph/demo#"}, "sources": sources}
    config |= {"ontology": {"files": [str(file) for file in files]}}
    (folder / "stratagraph.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    project, ontology = Project.load(folder / "stratagraph.yaml"), load_ontology(files)
    if load:
        for name in sources:
            load_source(project, name)
    suggestion = yaml.safe_load(suggest_for(project, ontology))["sources"]
    config["sources"] = {name: source | suggestion[name] for name, source in sources.items()}
    (folder / "stratagraph.yaml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    project = Project.load(folder / "stratagraph.yaml")
    structures = [known_structure(project, name, found) for name, found in table_sources(project).items()]
    assert term_faults(project, ontology) == []
    assert [fault for structure in structures for fault in mapping_faults(structure)] == []
    return {name: found["mapping"] for name, found in suggestion.items()}


def test_what_is_suggested_for_real_databases_with_the_demo_ontology_loads(tmp_path: Path) -> None:
    sources = {name: {"type": "sql", "url": f"sqlite:///{file}"} for name, file in databases(tmp_path).items()}
    found = pasted(tmp_path, DEMO, sources)
    assert found["northwind"]["Orders"] == {"class": "d:Order", "properties": {"OrderDate": "d:orderDate"}}
    assert found["northwind"]["Products"] == {"class": "d:Product", "properties": {"UnitPrice": "d:unitPrice"}}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["schemaorg-30.0-current-https.ttl", "foaf"])
def test_what_is_suggested_with_public_ontologies_loads(tmp_path: Path, name: str) -> None:
    place = SHARED / "ontologies" / name
    if not place.exists():
        pytest.skip("../shared/data/ontologies is absent")
    files = [place] if place.is_file() else [place / "foaf-0.99.n3"]
    sources: dict[str, Any] = {name: {"type": "sql", "url": f"sqlite:///{file}"} for name, file in databases(tmp_path).items()}
    with zipfile.ZipFile(SHARED / "gtfs_sample/sample-feed.zip") as archive:
        archive.extractall(tmp_path / "gtfs")
    sources["gtfs"] = {"type": "files", "path": "gtfs/*.txt", "format": "csv", "short_rows": "fill"}
    found = pasted(tmp_path, files, sources, load=True)
    if place.is_file():
        assert found["northwind"]["Orders"] == {"class": "schema:Order", "properties": {"OrderDate": "schema:orderDate"}}
