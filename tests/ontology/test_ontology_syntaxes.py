"""One ontology says the same in every syntax: the same values, the same counts. Hostile files of any syntax are refused."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest
import rdflib

from stratagraph.errors import OntologyError
from stratagraph.ontology import read
from stratagraph.ontology.load import load_ontology
from stratagraph.ontology.report import check_files

REPOSITORY = Path(__file__).parents[2]
SHARED = REPOSITORY.parent / "shared/data"
ONTOLOGIES = SHARED / "ontologies"
BENCHMARK = SHARED / "text2kgbench/wikidata_tekgen/ontologies/owl"
FIXTURES = Path(__file__).parent / "syntaxes"
OWL, RDF = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
SUB_CLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
TURTLE = f"@prefix : <e:> . @prefix owl: <{OWL}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
RDF_XML = f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:owl="{OWL}" xmlns:e="e:">\n'
OWL_XML = f'<Ontology xmlns="{OWL}" ontologyIRI="e:o">\n<SubClassOf><Class IRI="e:A"/>\n'
END = "</SubClassOf></Ontology>"
SYNTAXES = ["turtle", "n3", "nt", "xml", "json-ld", "trig"]  # rdflib's pretty-xml loses lists of literals


def written(source: Path, syntax: str, target: Path) -> Path:
    """The same ontology in another syntax."""
    dataset = rdflib.Dataset(default_union=True)
    graph = dataset.default_graph if syntax == "trig" else rdflib.Graph()
    graph.parse(source)
    (dataset if syntax == "trig" else graph).serialize(target, format=syntax, encoding="utf-8")
    return target


@pytest.mark.parametrize("syntax", SYNTAXES)
@pytest.mark.parametrize(
    "source", [REPOSITORY / "ontologies/demo.ttl", FIXTURES / "everything.ttl"], ids=lambda file: file.stem
)
def test_every_syntax_says_the_same(tmp_path: Path, source: Path, syntax: str) -> None:
    assert said(written(source, syntax, tmp_path / "o.bin")) == said(source)


@cache
def said(source: Path) -> tuple[object, ...]:
    """All that loading and checking a file says, but for its place."""
    report = check_files([source])
    assert report.total.counts["classes"] > 5
    return load_ontology([source]).content_hash, report.total, report.without_effect, report.unlabelled, report.punned


def test_owl_xml_says_the_same() -> None:
    turtle, xml = FIXTURES / "everything.ttl", FIXTURES / "everything.owx"
    assert load_ontology([xml]).content_hash == load_ontology([turtle]).content_hash
    one, other = check_files([xml]), check_files([turtle])
    assert one.total == other.total
    counts = one.total.counts
    assert sorted(counts) == sorted(name for name, count in counts.items() if count), "the files leave something out"
    assert one.missing_imports == other.missing_imports == ("https://example.org/absent",)
    assert one.without_effect == other.without_effect == (
        ("https://example.org/everything#Age", "the facets of a datatype"),
        ("https://example.org/everything#Employer", "what is enough to be in it: an anonymous class below or equivalent to it"),
    )  # fmt: skip


@pytest.mark.skipif(not ONTOLOGIES.exists(), reason="../shared/data/ontologies is absent")
@pytest.mark.parametrize(
    ("one", "other"), [("org.rdf", "org.ttl"), ("prov/prov-o.owl", "prov/prov-o.ttl"), ("bfo/bfo-core.owl", "bfo/bfo-core.ttl")]
)
def test_public_ontologies_say_the_same_in_two_syntaxes(one: str, other: str) -> None:
    assert said(ONTOLOGIES / one) == said(ONTOLOGIES / other)


@pytest.mark.skipif(not BENCHMARK.exists(), reason="../shared/data/text2kgbench is absent")
def test_the_ontologies_of_the_benchmark_load() -> None:
    files = sorted(BENCHMARK.glob("*.ttl"))
    assert len(files) == 10
    for file in files:
        ontology = load_ontology([file])
        assert ontology.classes and ontology.properties
        assert not check_files([file]).without_effect


@pytest.mark.skipif(not ONTOLOGIES.exists(), reason="../shared/data/ontologies is absent")
def test_what_schema_org_includes_in_domains_and_ranges_are_unions() -> None:
    ontology = load_ontology([ONTOLOGIES / "schemaorg-30.0-current-https.ttl"])
    s = "https://schema.org/"
    assert ontology.properties[s + "author"].range == (frozenset({s + "Organization", s + "Person"}),)
    assert ontology.properties[s + "birthDate"].datatypes == {"http://www.w3.org/2001/XMLSchema#date"}
    assert ontology.satisfies(s + "Corporation", ontology.properties[s + "founder"].domain)
    assert ontology.properties[s + "actors"].deprecated
    assert ontology.properties[s + "actors"].replaced_by == (s + "actor",)


def test_blank_nodes_of_two_files_are_two(tmp_path: Path) -> None:
    """The JSON-LD parser keeps the names that a file gives them."""
    for name in "AB":
        above = f'{{"@id": "_:b0", "{OWL}complementOf": {{"@id": "e:not{name}"}}}}'
        text = f'{{"@id": "e:{name}", "@type": "{OWL}Class", "{SUB_CLASS}": {above}}}'
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    ontology = load_ontology([tmp_path / "A.json", tmp_path / "B.json"])
    assert ontology.disjoint_classes == {("e:A", "e:notA"), ("e:B", "e:notB")}


def nested(levels: int, opened: str, closed: str, inside: str = "") -> str:
    return opened * levels + inside + closed * levels


def shared_parts(levels: int) -> str:
    """Each intersection has the next one twice."""
    return "".join(
        f"_:b{n} <{OWL}intersectionOf> _:l{n} .\n_:l{n} <{RDF}first> _:b{n + 1} .\n_:l{n} <{RDF}rest> _:m{n} .\n"
        f"_:m{n} <{RDF}first> _:b{n + 1} .\n_:m{n} <{RDF}rest> <{RDF}nil> .\n"
        for n in range(levels)
    )


NOT, END_NOT = "<ObjectComplementOf>\n", "</ObjectComplementOf>"
HOSTILE = {
    "rdf-xml": (RDF_XML + nested(10_000, "<e:a>\n", "</e:a>"), r"o:1001: elements are nested more than 1000 levels"),
    "owl-xml": (OWL_XML + nested(10_000, NOT, END_NOT), r"o:1001: elements are nested more than 1000 levels"),
    "owl-xml-expression": (OWL_XML + nested(150, NOT, END_NOT, '<Class IRI="e:B"/>') + END, "o: an expression is nested"),
    "turtle": (
        TURTLE + ":A owl:equivalentClass " + nested(100_000, "[ owl:complementOf\n", "]"),
        "o:102: an expression is nested",
    ),
    "turtle-list": (TURTLE + ":A owl:unionOf " + nested(150, "(\n", ")") + " .", "o:102: an expression is nested"),
    "json-list": ('{"e:a":\n' + nested(100_000, "[\n", "]") + "}", "o:101: an expression is nested"),
    "json-object": (nested(100_000, '{"@id": "e:a", "e:a":\n', "}", "1"), "o:101: an expression is nested"),
    "triples": ("".join(f"_:b{n} <{OWL}complementOf> _:b{n + 1} .\n" for n in range(200)), "o: an expression is nested"),
    "loop": (
        f"_:a <{OWL}complementOf> _:b .\n_:b <{OWL}complementOf> _:a .\n",
        "o: an anonymous class or list contains itself",
    ),
    "endless-list": (f"<e:A> <{OWL}unionOf> <e:l> .\n<e:l> <{RDF}rest> <e:l> .\n", "o: e:l: a list has no end"),
    "shared-parts": (shared_parts(30), "o: an expression has more than 1,000,000 parts"),
    "disjoint": (
        TURTLE + "[] a owl:AllDisjointClasses ; owl:members (" + " ".join(f":x{n}" for n in range(3200)) + ") .",
        "o: more than 5,000,000 pairs are disjoint",
    ),
    "entity": (f'<!DOCTYPE r [ <!ENTITY a "{"x" * 999}"> ]>\n{RDF_XML}<e:a>{"&a;" * 500_000}</e:a></rdf:RDF>', r"o:\d+: "),
    "iri": (TURTLE + '<e:a"b> a owl:Class .', """o: not an IRI: 'e:a"b'"""),
    "surrogate": (TURTLE + r':a a owl:Class ; rdfs:label "x\uD800" .', "o: a text holds half a character"),
    "cut-off": (TURTLE + ":a a owl:Class", "o:2: not valid Turtle.*: "),
    "owl-xml-name": (OWL_XML + "<Class/>" + END, "o:3: not valid OWL/XML: <Class> names nothing"),
    "owl-xml-element": (OWL_XML + "<Nonsense/>" + END, "o:3: not valid OWL/XML: <Nonsense> is no expression"),
    "owl-xml-prefix": (OWL_XML + '<Class abbreviatedIRI="x:B"/>' + END, "o:3: .*prefix 'x' is not declared"),
    "owl-xml-part": (OWL_XML + END, "o:2: not valid OWL/XML: <SubClassOf> is not complete"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_with_their_place(tmp_path: Path, name: str) -> None:
    text, message = HOSTILE[name]
    file = tmp_path / "o"
    file.write_text(text, encoding="utf-8")
    started = time.process_time()
    with pytest.raises(OntologyError, match=message):
        load_ontology([file])
    assert time.process_time() - started < 5


@pytest.mark.parametrize("error", [SystemExit(1), MemoryError(), RecursionError()], ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    "text", [TURTLE + ":a a :b .", RDF_XML + "</rdf:RDF>", '{"@id": "e:a", "e:b": 1}'], ids=["ttl", "xml", "json"]
)
def test_a_parser_that_gives_up_takes_nobody_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, text: str
) -> None:
    def fail(*arguments: object, **keywords: object) -> None:
        raise error

    (tmp_path / "o").write_text(text, encoding="utf-8")
    monkeypatch.setattr(rdflib.Graph, "parse", fail)
    monkeypatch.setattr(rdflib.Dataset, "parse", fail)
    with pytest.raises(OntologyError, match=r"o: "):
        read.read_file(tmp_path / "o")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_file_of_100_mb_is_read_and_a_larger_one_refused(tmp_path: Path) -> None:
    """Measured: 26 s of processor time and 2.3 GB for 902,000 facts; 142 s and 3.8 GB for 275,000 classes."""
    file = tmp_path / "o.nt"
    with file.open("w", encoding="ascii") as stream:
        stream.write(f"<e:A> <{RDF}type> <{OWL}Class> .\n")
        for number in range(1_030_000):
            stream.write(
                f"<http://e.org/data/item{number:07}> <http://e.org/onto#worksFor> <http://e.org/data/item{number:07}x> .\n"
            )
    assert 0.95 < file.stat().st_size / read.MAX_BYTES < 1
    program = (
        "import resource\nfrom stratagraph.ontology.load import load_ontology\n"
        f"print(list(load_ontology([{str(file)!r}]).classes))\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\nprint(used.ru_maxrss, used.ru_utime)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=850)
    classes, used = done.stdout.splitlines()
    assert classes == "['e:A']"
    kilobytes, seconds = map(float, used.split())
    assert kilobytes < 4_000_000 and seconds < 120
    with file.open("ab") as stream:
        stream.truncate(read.MAX_BYTES + 1)
    with pytest.raises(OntologyError, match="100,000,001 bytes, more than 100,000,000"):
        load_ontology([file])
