"""The Direct Mapping: the W3C's own cases, the situations that they stand for, datatypes, and the command that prints it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import rdflib
from click.testing import CliRunner
from direct_mapping import BASE, CASES, assert_same, expected, mapped, parsed, script, sqlite_url
from staged import Clock, Database, Make, load_all

from stratagraph.cli.main import main
from stratagraph.errors import ConfigError, SourceError
from stratagraph.sources.direct_map import write_direct_map
from stratagraph.sources.properties import update_properties

# One of each kind in every run, all with the real databases.
ALWAYS = {"D005", "D011", "D016", "D017"}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[] if case[:4] in ALWAYS else pytest.mark.databases) for case in CASES]
)
def test_a_case_of_the_w3c(tmp_path: Path, case: str) -> None:
    assert_same(mapped(sqlite_url(tmp_path, script(case))), expected(case))


def graph(turtle: str) -> rdflib.Graph:
    prefixes = "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @base <http://example.com/base/> .\n"
    return parsed(prefixes + turtle, "turtle")


def test_foreign_keys_find_rows_by_any_key(tmp_path: Path) -> None:
    """By a unique column or several, with and without a primary key there; a part that is NULL refers to nothing."""
    url = sqlite_url(
        tmp_path,
        """CREATE TABLE dept (code TEXT UNIQUE, city TEXT, floor INTEGER, UNIQUE (city, floor));
        INSERT INTO dept VALUES ('X', 'Oslo', 1), ('Y', 'Oslo', NULL), (NULL, 'Rome', 2), ('Z', NULL, NULL);
        CREATE TABLE emp (no INTEGER PRIMARY KEY, badge TEXT UNIQUE, dept TEXT REFERENCES dept (code), city TEXT,
            floor INTEGER, boss TEXT REFERENCES emp (badge), FOREIGN KEY (floor, city) REFERENCES dept (floor, city));
        INSERT INTO emp VALUES (1, 'b1', 'X', 'Oslo', 1, NULL), (2, 'b2', 'Z', 'Rome', 2, 'b1'),
            (3, NULL, NULL, 'Oslo', NULL, 'b2'),
            (4, 'b4', 'Y', NULL, NULL, 'b4');
        CREATE TABLE note (about TEXT REFERENCES emp (badge), text TEXT);
        INSERT INTO note VALUES ('b1', 'same'), ('b1', 'same'), (NULL, 'same');""",
    )
    assert_same(
        mapped(url),
        graph("""
        _:x a <dept> ; <dept#code> "X" ; <dept#city> "Oslo" ; <dept#floor> 1 .
        _:y a <dept> ; <dept#code> "Y" ; <dept#city> "Oslo" .
        _:rome a <dept> ; <dept#city> "Rome" ; <dept#floor> 2 .
        _:z a <dept> ; <dept#code> "Z" .
        <emp/no=1> a <emp> ; <emp#no> 1 ; <emp#badge> "b1" ; <emp#dept> "X" ; <emp#city> "Oslo" ; <emp#floor> 1 ;
            <emp#ref-dept> _:x ; <emp#ref-floor;city> _:x .
        <emp/no=2> a <emp> ; <emp#no> 2 ; <emp#badge> "b2" ; <emp#dept> "Z" ; <emp#city> "Rome" ; <emp#floor> 2 ;
            <emp#boss> "b1" ; <emp#ref-dept> _:z ; <emp#ref-floor;city> _:rome ; <emp#ref-boss> <emp/no=1> .
        <emp/no=3> a <emp> ; <emp#no> 3 ; <emp#city> "Oslo" ; <emp#boss> "b2" ; <emp#ref-boss> <emp/no=2> .
        <emp/no=4> a <emp> ; <emp#no> 4 ; <emp#badge> "b4" ; <emp#dept> "Y" ; <emp#boss> "b4" ;
            <emp#ref-dept> _:y ; <emp#ref-boss> <emp/no=4> .
        _:n1 a <note> ; <note#about> "b1" ; <note#text> "same" ; <note#ref-about> <emp/no=1> .
        _:n2 a <note> ; <note#about> "b1" ; <note#text> "same" ; <note#ref-about> <emp/no=1> .
        _:n3 a <note> ; <note#text> "same" ."""),
    )


def test_foreign_keys_that_share_columns_and_tables_that_share_names(tmp_path: Path) -> None:
    """Also a key in another order than the columns, two keys of one column, empty tables, equal rows of two tables."""
    url = sqlite_url(
        tmp_path,
        """CREATE TABLE country (code TEXT PRIMARY KEY); INSERT INTO country VALUES ('no'), ('it');
        CREATE TABLE region (name TEXT, country TEXT REFERENCES country, PRIMARY KEY (country, name));
        INSERT INTO region VALUES ('north', 'no'), ('north', 'it');
        CREATE TABLE club (code TEXT PRIMARY KEY); INSERT INTO club VALUES ('no');
        CREATE TABLE town (id INTEGER PRIMARY KEY, country TEXT, region TEXT, FOREIGN KEY (country) REFERENCES country,
            FOREIGN KEY (country) REFERENCES club, FOREIGN KEY (region, country) REFERENCES region (name, country));
        INSERT INTO town VALUES (1, 'no', 'north'), (2, 'it', NULL);
        CREATE TABLE twin (code TEXT); INSERT INTO twin VALUES ('no');
        CREATE TABLE "twin too" (code TEXT); INSERT INTO "twin too" VALUES ('no');
        CREATE TABLE void (id INTEGER PRIMARY KEY, country TEXT REFERENCES country);
        CREATE TABLE lost (id INTEGER PRIMARY KEY, country TEXT REFERENCES country, void INTEGER REFERENCES void);
        INSERT INTO lost VALUES (1, 'se', 7);""",
    )
    assert_same(
        mapped(url),
        graph("""
        <country/code=no> a <country> ; <country#code> "no" . <country/code=it> a <country> ; <country#code> "it" .
        <region/country=no;name=north> a <region> ; <region#name> "north" ; <region#country> "no" ;
            <region#ref-country> <country/code=no> .
        <region/country=it;name=north> a <region> ; <region#name> "north" ; <region#country> "it" ;
            <region#ref-country> <country/code=it> .
        <club/code=no> a <club> ; <club#code> "no" .
        <town/id=1> a <town> ; <town#id> 1 ; <town#country> "no" ; <town#region> "north" ;
            <town#ref-country> <country/code=no> , <club/code=no> ; <town#ref-region;country> <region/country=no;name=north> .
        <town/id=2> a <town> ; <town#id> 2 ; <town#country> "it" ; <town#ref-country> <country/code=it> .
        _:a a <twin> ; <twin#code> "no" . _:b a <twin%20too> ; <twin%20too#code> "no" .
        <lost/id=1> a <lost> ; <lost#id> 1 ; <lost#country> "se" ; <lost#void> 7 ."""),  # no such rows: none is referred to
    )


def test_names_and_keys_of_any_characters(tmp_path: Path) -> None:
    texts = [
        "path/to me",
        "../up",
        "100%",
        "a=b;c",
        "q?x#y&z",
        "",
        " ",
        "ü ñ 名 🦉",
        'it\'s "x"',
        "<tag>",
        "+1,2",
        "~-._",
        "\\",
        "a\nb",
    ]
    values = ", ".join("('" + text.replace("'", "''") + "')" for text in texts)
    url = sqlite_url(
        tmp_path,
        f"""CREATE TABLE "My %Table/" ("The Kéy#" TEXT PRIMARY KEY);
        INSERT INTO "My %Table/" VALUES {values};
        CREATE TABLE "成 分" (x TEXT, "re f" TEXT REFERENCES "My %Table/");
        INSERT INTO "成 分" VALUES ('1', 'path/to me'), ('2', 'ü ñ 名 🦉');""",
    )
    table, column = "My%20%25Table%2F", "The%20Kéy%23"
    names = {
        "path/to me": "path%2Fto%20me", "../up": "..%2Fup", "100%": "100%25", "a=b;c": "a%3Db%3Bc", "q?x#y&z": "q%3Fx%23y%26z",
        "": "", " ": "%20", "ü ñ 名 🦉": "ü%20ñ%20名%20🦉", "it's \"x\"": "it%27s%20%22x%22", "<tag>": "%3Ctag%3E",
        "+1,2": "%2B1%2C2", "~-._": "~-._", "\\": "%5C", "a\nb": "a%0Ab",
    }  # fmt: skip
    wanted = rdflib.Graph()
    kind = rdflib.URIRef(f"{BASE}{table}")
    rows = {text: rdflib.URIRef(f"{BASE}{table}/{column}={name}") for text, name in names.items()}
    for text, row in rows.items():
        wanted.add((row, rdflib.RDF.type, kind))
        wanted.add((row, rdflib.URIRef(f"{BASE}{table}#{column}"), rdflib.Literal(text)))
    for number, text in (("1", "path/to me"), ("2", "ü ñ 名 🦉")):
        row = rdflib.BNode()
        wanted.add((row, rdflib.RDF.type, rdflib.URIRef(f"{BASE}成%20分")))
        wanted.add((row, rdflib.URIRef(f"{BASE}成%20分#x"), rdflib.Literal(number)))
        wanted.add((row, rdflib.URIRef(f"{BASE}成%20分#re%20f"), rdflib.Literal(text)))
        wanted.add((row, rdflib.URIRef(f"{BASE}成%20分#ref-re%20f"), rows[text]))
    assert_same(mapped(url), wanted)


def test_a_value_has_its_columns_datatype_if_it_is_one_of_its_values(tmp_path: Path) -> None:
    """SQLite keeps any value in any column: what is no value of the declared type is what it is, and never a false literal."""
    url = sqlite_url(
        tmp_path,
        """CREATE TABLE v (id INTEGER PRIMARY KEY, i INT, n NUMERIC(20, 4), r DOUBLE PRECISION, b BOOLEAN, bit BIT, d DATE,
            t TIME, m TIMESTAMP, h BLOB, c CHAR(3), vc VARCHAR(3), free);
        INSERT INTO v VALUES
        (1, 7, 12.50, 0.001, 1, 0, '2024-02-29', '23:59:59.50', '2024-02-29 10:00:00.250', x'00ff', 'a', 'a', 5),
        (2, -7, 3, -1e300, 0, 1, '2024-02-30', '24:61', '2024-02-29T10:00:00+02:00', 'text', 'abcd', '5', 2.5),
        (3, 'seven', 'ten', 'inf', 'yes', 2, '2024', 'noon', '2024-02-29', 3, '', '', 'x'),
        (4, 3.5, 1e30, 7, 'true', NULL, '2024-02-29 00:00:00', '10:00', 'July 4', NULL, NULL, NULL, x'AB');""",
    )
    text = mapped(url)
    found = {
        (str(s).rpartition("=")[2], str(p).rpartition("#")[2]): (str(o), str(o.datatype or "").rpartition("#")[2])
        for s, p, o in parsed(text, "nt")
        if isinstance(o, rdflib.Literal)
    }
    rows = {
        number: {column: value for (row, column), value in found.items() if row == number and column != "id"}
        for number in "1234"
    }
    assert rows["1"] == {
        "i": ("7", "integer"), "n": ("12.5", "decimal"), "r": ("1.0E-3", "double"), "b": ("true", "boolean"),
        "bit": ("false", "boolean"), "d": ("2024-02-29", "date"), "t": ("23:59:59.5", "time"),
        "m": ("2024-02-29T10:00:00.25", "dateTime"), "h": ("00FF", "hexBinary"), "c": ("a  ", ""), "vc": ("a", ""),
        "free": ("5", "integer"),
    }  # fmt: skip
    assert rows["2"] == {
        "i": ("-7", "integer"), "n": ("3", "decimal"), "r": ("-1.0E300", "double"), "b": ("false", "boolean"),
        "bit": ("true", "boolean"), "d": ("2024-02-30", ""), "t": ("24:61", ""), "m": ("2024-02-29T08:00:00Z", "dateTime"),
        "h": ("text", ""), "c": ("abcd", ""), "vc": ("5", ""), "free": ("2.5E0", "double"),
    }  # fmt: skip
    assert rows["3"] == {
        "i": ("seven", ""), "n": ("ten", ""), "r": ("INF", "double"), "b": ("yes", ""), "bit": ("2", "integer"),
        "d": ("2024", ""),
        "t": ("noon", ""), "m": ("2024-02-29T00:00:00", "dateTime"), "h": ("3", "integer"), "c": ("   ", ""), "vc": ("", ""),
        "free": ("x", ""),
    }  # fmt: skip
    assert rows["4"] == {
        "i": ("3.5E0", "double"), "n": ("1.0E30", "double"), "r": ("7.0E0", "double"), "b": ("true", "boolean"),
        "d": ("2024-02-29", "date"), "t": ("10:00:00", "time"), "m": ("July 4", ""), "free": ("AB", ""),
    }  # fmt: skip


def test_a_key_is_spelled_as_its_value_is(tmp_path: Path) -> None:
    """The IRI of a row holds canonical forms, and so does every reference to it."""
    url = sqlite_url(
        tmp_path,
        """CREATE TABLE p (r REAL, c CHAR(3), m TIMESTAMP, ok BOOLEAN, PRIMARY KEY (r, c, m, ok));
        INSERT INTO p VALUES (80.25, 'a', '2024-01-01 10:00:00', 1);
        CREATE TABLE q (id INTEGER PRIMARY KEY, r REAL, c CHAR(3), m TIMESTAMP, ok BOOLEAN,
            FOREIGN KEY (c, r, m, ok) REFERENCES p (c, r, m, ok));
        INSERT INTO q VALUES (1, 80.25, 'a', '2024-01-01 10:00:00', 1);""",
    )
    lines = mapped(url).splitlines()
    row = f"<{BASE}p/r=8.025E1;c=a%20%20;m=2024-01-01T10%3A00%3A00;ok=true>"
    assert f"{row} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{BASE}p> ." in lines
    assert f"<{BASE}q/id=1> <{BASE}q#ref-c;r;m;ok> {row} ." in lines


def test_literals_are_escaped(tmp_path: Path) -> None:
    characters = "".join(chr(number) for number in [*range(1, 128), 0x85, 0xA0, 0x2028, 0xFEFF, 0x1F989])
    with closing(sqlite3.connect(tmp_path / "mapped.db")) as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT)")
        connection.execute("INSERT INTO t VALUES (1, ?), (2, 'nul' || char(0))", [characters])
        connection.commit()
    text = mapped(f"sqlite:///{tmp_path / 'mapped.db'}")
    assert {str(o) for _, p, o in parsed(text, "nt") if str(p).endswith("#s")} == {characters, "nul\x00"}


def test_the_command_prints_the_same_every_time(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path, script("D012-2tables2duplicates0nulls"))
    run = [sys.executable, "-m", "stratagraph", "direct-map", "--url", "sqlite:///mapped.db", "--base", BASE]
    ended = subprocess.run(run, cwd=tmp_path, capture_output=True, check=True, env=os.environ | {"PYTHONHASHSEED": "7"})
    assert ended.stdout == mapped(url).encode() and ended.stderr == b""
    assert ended.stdout.splitlines() == sorted(ended.stdout.splitlines())


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path, script("D009-2tables1primarykey1foreignkey"))
    command = ["direct-map", "--base", BASE, "--out", str(tmp_path / "graph.nt"), "--url"]
    failed = CliRunner().invoke(main, [*command, f"{url}.not"])
    assert failed.exit_code == 1 and failed.output.startswith(
        f"Error: {tmp_path / 'mapped.db.not'}: there is no such SQLite file"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mapped.db"]
    assert CliRunner().invoke(main, [*command, url]).exit_code == 0
    assert_same((tmp_path / "graph.nt").read_text(encoding="utf-8"), expected("D009-2tables1primarykey1foreignkey"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.nt", "mapped.db"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "Error: the url is not a SQLAlchemy URL"),
        ("sqlite://", "Error: a SQLite source needs the path of a file"),
        (
            "postgresql://me:s3cret@127.0.0.1:1/x",
            "Error: postgresql+psycopg2://me:***@127.0.0.1:1/x: the database",
        ),
    ],
)
def test_a_database_that_cannot_be_read_is_one_message(url: str, message: str) -> None:
    result = CliRunner().invoke(main, ["direct-map", "--base", BASE, "--url", url])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(message) and "s3cret" not in result.stderr


def test_only_some_tables(tmp_path: Path) -> None:
    """What a row refers to is said also where the other table is left out."""
    url = sqlite_url(tmp_path, script("D009-2tables1primarykey1foreignkey"))
    lines = mapped(url, tables=("Student",)).splitlines()
    assert [line for line in lines if line.startswith(f"<{BASE}Sport")] == []
    assert f"<{BASE}Student/ID=10> <{BASE}Student#ref-Sport> <{BASE}Sport/ID=100> ." in lines
    with pytest.raises(SourceError, match="no such table: Teacher"):
        mapped(url, tables=("Teacher",))


def test_a_row_that_nothing_names_is_an_error(tmp_path: Path) -> None:
    """SQLite lets a NULL into a primary key. What can be said is said."""
    url = sqlite_url(
        tmp_path, "CREATE TABLE t (a TEXT, b TEXT, PRIMARY KEY (a, b)); INSERT INTO t VALUES ('x', NULL), ('x', 'y')"
    )
    result = CliRunner().invoke(main, ["direct-map", "--url", url, "--base", BASE])
    assert result.exit_code == 1
    assert "1 rows that nothing names" in result.stderr
    assert_same(result.stdout, graph('<t/a=x;b=y> a <t> ; <t#a> "x" ; <t#b> "y" .'))


def test_a_base_that_no_name_can_follow_is_refused(tmp_path: Path) -> None:
    for base in ("http://example.com/base", "base/", "http://example.com/a b/"):
        with pytest.raises(ConfigError, match="the base"), (tmp_path / "out").open("wb") as out:
            write_direct_map(out, "sqlite:///x.db", base)


def test_what_columns_became_is_in_the_warehouse(make_project: Make, database: Database, clock: Clock) -> None:
    database(
        """CREATE TABLE t (id INTEGER PRIMARY KEY, name VARCHAR(20), price DECIMAL(6, 2), born DATE, anything);
        INSERT INTO t VALUES (1, 'x', 1.5, '2000-01-01', NULL)"""
    )
    source = {"type": "sql", "url": "sqlite:///shop.db"}
    project = make_project(s=source | {"mapping": {"t": {"properties": {"name": "v:name"}}}})
    load_all(project)
    assert update_properties(project).metadata() == {"changed": True, "properties": 5, "typed": 4}
    with project.read() as connection:
        rows = connection.execute(
            "SELECT source, table_name, column_name, property, split_part(datatype, '#', 2) FROM graph.properties ORDER BY ALL"
        ).fetchall()
    assert rows == [
        ("s", "t", "anything", "https://g.test/s/t#anything", None),
        ("s", "t", "born", "https://g.test/s/t#born", "date"),
        ("s", "t", "id", "https://g.test/s/t#id", "integer"),
        ("s", "t", "name", "https://v.test/name", "string"),
        ("s", "t", "price", "https://g.test/s/t#price", "decimal"),
    ]
    clock.forward()
    assert update_properties(project).metadata() == {"changed": False, "properties": 5, "typed": 4}
    project = make_project(s=source)
    assert update_properties(project).changed  # the mapping is part of it


def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "direct-mapping.md").read_text(encoding="utf-8")
    table = page.partition("`CREATE TABLE ")[2].partition("`")[0]
    url = sqlite_url(
        tmp_path,
        f"CREATE TABLE {table}; INSERT INTO customer VALUES (1, NULL, NULL, NULL), (2, '2024-02-29', 80.25, 1)",
    )
    shown = page.partition("```text\n")[2].partition("```")[0]
    assert [line for line in mapped(url).splitlines() if "id=2> " in line.partition("<http")[2][:50]] == shown.splitlines()
