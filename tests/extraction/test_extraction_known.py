"""Names that the sources give their things: which chunks name them, what the engine makes of them, and what that costs."""

from __future__ import annotations

import json
import time
import unicodedata
from datetime import UTC, datetime

import duckdb
import pytest

from stratagraph.extraction.embedded.engine import EmbeddedExtractor
from stratagraph.extraction.known import create_known, names_state
from stratagraph.extraction.protocol import ChunkInput, KnownName
from stratagraph.extraction.resolve import resolve
from stratagraph.extraction.run import extract
from stratagraph.project import Project
from stratagraph.staging import STATEMENT_COLUMNS, Batch, clear_batches, write_batch
from stratagraph.temporal.run import commit_staged

EX = "https://example.org/stratagraph/demo#"
REFERENCE = datetime(2020, 6, 15, tzinfo=UTC)
NEVER = datetime(9999, 1, 1, tzinfo=UTC)


def rows(names, source="crm"):
    """Statements of rows: a node for each (name, class)."""
    found = []
    for index, (name, kind) in enumerate(names):
        class_iri = kind if ":" in kind else EX + kind
        given = {
            "dataset": "main", "kind": "node", "subject": f"row/{index}", "predicate": class_iri, "facet": f"{source}/t",
            "value": json.dumps({"label": name, "properties": {}}), "mode": "period", "polarity": "assert", "sequence": 0,
            "valid_from": REFERENCE, "valid_to": NEVER, "source": source, "scope": "t", "extractor": "rows",
            "confidence": 1.0,
        }  # fmt: skip
        found.append({column: given.get(column) for column in STATEMENT_COLUMNS})
    return found


def stage(bench, names, order=0, batch_id="b1", source="crm"):
    statements = rows(names, source)
    with duckdb.connect() as connection:
        columns = ", ".join(f"CAST(${name} AS {kind}) AS {name}" for name, kind in STATEMENT_COLUMNS.items())
        connection.execute(f"CREATE TABLE s AS SELECT {columns} LIMIT 0", dict.fromkeys(STATEMENT_COLUMNS))
        if statements:
            marks = ", ".join(f"${name}" for name in STATEMENT_COLUMNS)
            connection.executemany(f"INSERT INTO s VALUES ({marks})", statements)
        write_batch(bench.project, "rows", Batch(batch_id, source, order, complete=True), connection.table("s"))


def known_of(bench, ontology):
    """(chunk text, name, class) of what is found."""
    with bench.project.write() as connection:
        create_known(connection, bench.project, ontology)
        found = connection.execute(
            "SELECT c.text, k.name, k.class_iri FROM extraction_known AS k JOIN graph.chunks AS c ON c.chunk_id = k.chunk_id "
            "WHERE c.recorded_to = 'infinity' ORDER BY ALL"
        ).fetchall()
    return [(text, name, class_iri.removeprefix(EX)) for text, name, class_iri in found]


SPELLED = [
    ("Alfreds Futterkiste", "We wrote to Alfreds Futterkiste."), ("Alfreds Futterkiste", "ALFREDS  FUTTERKISTE"),
    ("Alfreds Futterkiste", "from alfreds futterkiste?"), ("Acme", "Acme's office"), ("Acme", "Acme’s office"),
    ("O'Brien & Sons", "O’Brien & Sons"), ("McDonald's", "at McDonald’s"), ("Café Rouge", "the Cafe\u0301 Rouge"),
    ("Cafe\u0301 Noir", "the Café Noir"), ("Ｇｌｏｂｅｘ", "(Globex)"), ("Acme", "Ａｃｍｅ said"), ("C++ Foundation",
    "the C++ Foundation."),
    ("iphone 12", "my iPhone 12, blue"), ("Order 10248", "see order 10248."), ("3M", "3M said"), ("Node.js", "node.js"),
    ("王峰", "昨天王峰来了"), ("東京 Acme", "東京Acmeで"), ("北京大学", "他在北京大学读书"), ("Ångström-Straße",
    "ångström straße"),
    ("a b c d e f g h i j k l", "A B C D E F G H I J K L"),
]  # fmt: skip
OTHERS = [
    ("Acme", "Acmecorp and MyAcme"), ("C++ Foundation", "the C# Foundation"), ("SR-2023-052", "SR-2023-053"),
    ("Austria", "Australia"),
    ("IT", "read it"),
    ("Niger", "Nigeria"), ("2020", "in 2020"), ("12 34", "12 34"), ("X", "X"), ("王", "王峰"), ("", "text"), (" . ", " . "),
    ("東京", "京東"), ("a b c d e f g h i j k l m", "a b c d e f g h i j k l m"),
]  # fmt: skip


@pytest.mark.parametrize(("pairs", "found"), [(SPELLED, True), (OTHERS, False)], ids=["spelled", "others"])
def test_a_name_is_found_however_it_is_spelled_and_no_other_is(bench, demo_ontology, pairs, found):
    bench.put("d", [text for _, text in pairs])
    stage(bench, [(name, "Organization") for name in dict.fromkeys(name for name, _ in pairs)])
    known = known_of(bench, demo_ontology)
    assert [(text, name) for name, text in pairs if ((text, name, "Organization") in known) != found] == []


@pytest.mark.parametrize(("name", "text"), SPELLED)
def test_the_engine_finds_it_as_well_and_it_is_grounded(demo_ontology, name, text):
    chunk = ChunkInput(text, REFERENCE, known=(KnownName(name, EX + "Organization"),))
    found = EmbeddedExtractor().extract(chunk, demo_ontology)
    assert [(entity.name, entity.class_iri) for entity in found.entities] == [(name, EX + "Organization")]
    assert [place.name for place in resolve(chunk, found, demo_ontology).entities] == [name]


def test_names_are_of_the_sources_as_they_are_now(bench, demo_ontology):
    """Staged rows replace what their source said before; a class that the ontology lacks names nothing."""
    bench.put("d", ["Acme, Globex, Initech and Regiona"])
    stage(bench, [("Acme", "Organization"), ("Globex", "Organization"), ("Regiona", "urn:other#Region")])
    assert [name for _, name, _ in known_of(bench, demo_ontology)] == ["Acme", "Globex"]
    stage(bench, [("Initech", "Organization")], order=1, batch_id="b2")
    assert [name for _, name, _ in known_of(bench, demo_ontology)] == ["Initech"]
    stage(bench, [("Globex", "Organization")], batch_id="b3", source="erp")
    assert [name for _, name, _ in known_of(bench, demo_ontology)] == ["Globex", "Initech"]


def test_a_chunk_gets_both_classes_of_a_name_and_no_more_names_than_it_can_hold(bench, demo_ontology):
    bench.put("d", ["Mercury", " ".join(f"Name{n} Surname{n}" for n in range(250))])
    stage(bench, [("Mercury", "Person"), ("Mercury", "Organization"), *((f"Name{n} Surname{n}", "Person") for n in range(250))])
    found = known_of(bench, demo_ontology)
    assert [kind for text, _, kind in found if text == "Mercury"] == ["Organization", "Person"]
    assert len(found) == 202


def test_the_embedded_engine_reads_anew_when_a_name_becomes_known_and_another_does_not(make_bench, demo_ontology):
    bench = make_bench()
    bench.put("d", ["We wrote to acme widgets yesterday.", "Brass here."])
    stage(bench, [("Acme Widgets", "Organization")])

    class Paid(EmbeddedExtractor):
        known_in_key = False

    first = extract(bench.project, engine=Paid())
    assert (first.calls, first.mentions) == (2, 1)
    stage(bench, [("Acme Widgets", "Organization"), ("Brass", "Organization")], order=1, batch_id="b2")
    bench.put("e", ["A new one."])  # the stage runs, and asks about the new chunk alone
    assert extract(bench.project, engine=Paid()).calls == 1
    assert extract(bench.project).calls == 3  # the key of an engine that costs nothing holds the names
    stage(bench, [("Brass", "Organization")], order=2, batch_id="b3")
    bench.put("f", ["Another."])
    again = extract(bench.project)
    assert (again.calls, again.mentions) == (2, 1)  # the new chunk, and the one whose name is known no longer


KNOWN = {
    "Chai": ("Product",), "pandas": ("Product",), "Order 10248": ("Order",), "Ann Smith": ("Person",),
    "Acme": ("Organization",), "Mercury": ("Person", "Organization"), "Order": ("Product",),
    "Now": ("Work",), "The Works": ("Organization",), "王峰": ("Person",),
    "New York": ("Place",), "Acme Widgets": ("Organization",), "Widgets": ("Product",),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("We sell Chai.", ["Chai Product"]), ("A cup of chai.", []), ("We use pandas and Pandas.", ["pandas Product"]),
        ("See order 10248.", ["Order 10248 Order"]), ("CEO Ann Smith left.", ["Ann Smith Person"]), ("An order came.", []),
        ("Company Acme grew.", ["Acme Organization"]), ("Acme Steel grew.", []), ("The New York Times wrote.", []),
        ("Now we go. The works stopped.", []), ('They read "Now".', ["Now Work"]), ("Mercury shines.", []),
        ("昨天王峰来了。", ["王峰 Person"]), ("Acme widgets sell.", ["Acme Widgets Organization"]),
        ("Acme Widgets and Widgets.", ["Acme Widgets Organization", "Widgets Product"]),
    ],
)  # fmt: skip
def test_what_a_known_name_stands_for(demo_ontology, text, entities):
    known = tuple(KnownName(name, EX + kind) for name, kinds in KNOWN.items() for kind in kinds)
    found = EmbeddedExtractor().extract(ChunkInput(text, REFERENCE, known=known), demo_ontology)
    assert sorted(f"{e.name} {e.class_iri.removeprefix(EX)}" for e in found.entities) == entities


def test_a_name_of_two_things_is_what_the_relation_makes_of_it(demo_ontology):
    known = (
        KnownName("Mercury", EX + "Person"),
        KnownName("Mercury", EX + "Organization"),
        KnownName("acme", EX + "Organization"),
    )
    found = EmbeddedExtractor().extract(
        ChunkInput("Bob Stone joined Mercury. Ann likes Mercury.", REFERENCE, known=known), demo_ontology
    )
    assert [(r.subject, r.predicate.removeprefix(EX), r.object) for r in found.relations] == [
        ("Bob Stone", "worksFor", "Mercury")
    ]
    assert {(e.name, e.class_iri.removeprefix(EX)) for e in found.entities} == {
        ("Bob Stone", "Person"),
        ("Mercury", "Organization"),
    }
    found = EmbeddedExtractor().extract(ChunkInput("Bob Stone joined acme in 2019.", REFERENCE, known=known), demo_ontology)
    assert [r.object for r in found.relations] == ["acme"]


def test_sql_and_engine_split_names_alike(bench):
    from stratagraph.extraction.embedded.names import name_units
    from stratagraph.sqlfiles import load_sql

    texts = [
        "O'Brien’s C++ & C# (AT&T) 東京Acme ｆｏｏ－１２　bar",
        "Node.js, iphone_12; a-b 'x' l’été",
        "王峰的《何以》 naïve cafe\u0301",
        "",
    ]
    with bench.project.write() as connection:
        connection.execute(load_sql("extraction", "create_name_macros"))
        for text in texts:
            units = connection.execute("SELECT name_units($text)", {"text": text}).fetchall()[0][0]
            assert [unicodedata.normalize("NFC", word) for _, _, word in name_units(text)] == units


def test_many_names_cost_what_they_are_worth(demo_ontology):
    """Ten times the names and the text: about ten times the work, not a hundred times."""
    engine = EmbeddedExtractor()

    def seconds(count):
        known = tuple(KnownName(f"Thing{n} Part{n % 7}", EX + "Product") for n in range(count))
        text = " ".join(f"We saw Thing{n} Part{n % 7} again." for n in range(count // 10))
        chunk = ChunkInput(text, REFERENCE, known=known)
        started = time.process_time()
        found = engine.extract(chunk, demo_ontology)
        assert len(found.entities) == count // 10
        return time.process_time() - started

    seconds(100)
    small, large = min(seconds(1000) for _ in range(3)), seconds(10_000)
    assert large < 40 * small


def test_what_is_known_is_the_same_before_and_after_the_rows_are_committed(bench):
    file = bench.project.root / "stratagraph.yaml"
    file.write_text(file.read_text() + "sources:\n  crm: {type: sql, url: 'sqlite:///crm.db'}\n")
    bench.project = Project.load(file, bench.project.clock)
    bench.put("d", ["We wrote to acme widgets."])

    def state():
        with bench.project.write() as connection:
            return names_state(connection, bench.project)

    nothing = state()
    stage(bench, [("Acme Widgets", "Organization")])
    staged = state()
    first = extract(bench.project)
    assert (staged != nothing, first.mentions) == (True, 1)
    commit_staged(bench.project)
    clear_batches(bench.project, "rows")
    assert (state(), extract(bench.project).changed) == (staged, False)
    bench.put("e", ["Nothing new."])
    assert extract(bench.project).calls == 1  # the committed names are those that were staged
