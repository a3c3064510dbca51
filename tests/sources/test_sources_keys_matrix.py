"""Every kind of foreign key that users of other tools lost, one test each; what a whole database gives is in other files.

One database holds all of them, more tables than a pool has connections, and is loaded once. Keys across schemas and
databases need a server: see `test_sources_postgres.py` and `test_sources_mariadb.py`.
"""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
import sqlalchemy as sa
import yaml
from joins import sqlite_keys
from staged import BASE, Clock, Database, Make, edges, load_all, nodes, quarantine

from stratagraph.errors import SourceError
from stratagraph.project import Project
from stratagraph.sources.keys.update import update_foreign_keys
from stratagraph.sources.load import load_source
from stratagraph.sources.rows import stage_rows
from stratagraph.temporal.run import commit_staged


class Kind(NamedTuple):
    """A kind of key.

    Args:
        script: tables of its own and their rows.
        tables: those whose edges are looked at.
        edges: subject, columns of the key, object.
        missing: rows whose target has no IRI for want of a row.
    """

    script: str
    tables: tuple[str, ...]
    edges: list[tuple[str, str, str]]
    missing: tuple[str, ...] = ()


KINDS = {
    "two keys to one table": Kind(
        """CREATE TABLE address (id INTEGER PRIMARY KEY); INSERT INTO address VALUES (7), (8);
        CREATE TABLE invoice (id INTEGER PRIMARY KEY, ship INTEGER REFERENCES address (id),
            bill INTEGER REFERENCES address (id));
        INSERT INTO invoice VALUES (1, 7, 8), (2, 7, 7);""",
        ("invoice",),
        [("invoice/id=1", "ship", "address/id=7"), ("invoice/id=1", "bill", "address/id=8"),
         ("invoice/id=2", "ship", "address/id=7"), ("invoice/id=2", "bill", "address/id=7")],
    ),
    "composite": Kind(
        """CREATE TABLE seat (hall TEXT, no INTEGER, PRIMARY KEY (hall, no));
        INSERT INTO seat VALUES ('a', 1), ('a', 2), ('b', 1);
        CREATE TABLE ticket (id INTEGER PRIMARY KEY, no INTEGER, hall TEXT, FOREIGN KEY (hall, no) REFERENCES seat (hall, no));
        INSERT INTO ticket VALUES (1, 2, 'a'), (2, 1, 'b');""",
        ("ticket",),
        [("ticket/id=1", "hall;no", "seat/hall=a;no=2"), ("ticket/id=2", "hall;no", "seat/hall=b;no=1")],
    ),
    "two composite keys to one table": Kind(
        """CREATE TABLE account (bank TEXT, no INTEGER, PRIMARY KEY (no, bank)); INSERT INTO account VALUES ('b', 1), ('c', 1);
        CREATE TABLE transfer (id INTEGER PRIMARY KEY, fb TEXT, fn INTEGER, tb TEXT, tn INTEGER,
            FOREIGN KEY (fb, fn) REFERENCES account (bank, no), FOREIGN KEY (tb, tn) REFERENCES account (bank, no));
        INSERT INTO transfer VALUES (1, 'b', 1, 'c', 1);""",
        ("transfer",),
        [("transfer/id=1", "fb;fn", "account/no=1;bank=b"), ("transfer/id=1", "tb;tn", "account/no=1;bank=c")],
    ),
    "keys whose texts could be taken for one another": Kind(
        """CREATE TABLE pair (a TEXT, b TEXT, PRIMARY KEY (a, b));
        INSERT INTO pair VALUES ('a', 'bc'), ('ab', 'c'), ('x;b=y', 'z');
        CREATE TABLE of_pair (id INTEGER PRIMARY KEY, a TEXT, b TEXT, FOREIGN KEY (a, b) REFERENCES pair (a, b));
        INSERT INTO of_pair VALUES (1, 'a', 'bc'), (2, 'ab', 'c'), (3, 'x;b=y', 'z');""",
        ("of_pair",),
        [("of_pair/id=1", "a;b", "pair/a=a;b=bc"), ("of_pair/id=2", "a;b", "pair/a=ab;b=c"),
         ("of_pair/id=3", "a;b", "pair/a=x%3Bb%3Dy;b=z")],
    ),
    "to a unique column that is not primary": Kind(
        """CREATE TABLE member (id INTEGER PRIMARY KEY, email TEXT UNIQUE); INSERT INTO member VALUES (1, 'ada@x'), (2, NULL);
        CREATE TABLE letter (id INTEGER PRIMARY KEY, receiver TEXT REFERENCES member (email));
        INSERT INTO letter VALUES (1, 'ada@x'), (2, 'nobody@x'), (3, NULL);""",
        ("letter",),
        [("letter/id=1", "receiver", "member/id=1")],
        ('s/letter {"id":2}',),
    ),
    "to unique columns in another order, with NULLs": Kind(
        """CREATE TABLE slot (id INTEGER PRIMARY KEY, day TEXT, hour INTEGER, UNIQUE (hour, day));
        INSERT INTO slot VALUES (1, 'mon', 9), (2, 'mon', NULL), (3, NULL, NULL);
        CREATE TABLE lesson (id INTEGER PRIMARY KEY, hour INTEGER, day TEXT,
            FOREIGN KEY (day, hour) REFERENCES slot (day, hour));
        INSERT INTO lesson VALUES (1, 9, 'mon'), (2, NULL, 'mon'), (3, NULL, NULL);""",
        ("lesson",),
        [("lesson/id=1", "day;hour", "slot/id=1")],
    ),
    "self": Kind(
        """CREATE TABLE person (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES person (id));
        INSERT INTO person VALUES (1, NULL), (2, 1), (3, 3);""",
        ("person",),
        [("person/id=2", "boss", "person/id=1"), ("person/id=3", "boss", "person/id=3")],
    ),
    "cyclic": Kind(
        """CREATE TABLE store (id INTEGER PRIMARY KEY, manager INTEGER REFERENCES staff (id));
        CREATE TABLE staff (id INTEGER PRIMARY KEY, store INTEGER REFERENCES store (id));
        INSERT INTO store VALUES (1, 2); INSERT INTO staff VALUES (2, 1), (3, 1);""",
        ("store", "staff"),
        [("store/id=1", "manager", "staff/id=2"), ("staff/id=2", "store", "store/id=1"), ("staff/id=3", "store", "store/id=1")],
    ),
    "to a table whose primary key is implied": Kind(
        """CREATE TABLE plane (line TEXT, no INTEGER, PRIMARY KEY (no, line)); INSERT INTO plane VALUES ('x', 1);
        CREATE TABLE flight (id INTEGER PRIMARY KEY, no INTEGER, line TEXT, FOREIGN KEY (no, line) REFERENCES plane);
        INSERT INTO flight VALUES (1, 1, 'x');""",
        ("flight",),
        [("flight/id=1", "no;line", "plane/no=1;line=x")],
    ),
    "in names of any case, with blanks and marks": Kind(
        """CREATE TABLE "Order Details" ("Order-No" INTEGER PRIMARY KEY, "Größe (cm)" TEXT);
        INSERT INTO "Order Details" VALUES (1, 'x');
        CREATE TABLE OrderLine (LineID INTEGER PRIMARY KEY, OrderNo INTEGER REFERENCES "order details" ("ORDER-NO"));
        INSERT INTO OrderLine VALUES (1, 1);""",
        ("OrderLine",),
        [("OrderLine/LineID=1", "OrderNo", "Order%20Details/Order-No=1")],
    ),
    "to a table that is not loaded": Kind(
        """CREATE TABLE hidden (id INTEGER PRIMARY KEY, code TEXT UNIQUE); INSERT INTO hidden VALUES (5, 'c');
        CREATE TABLE seen (id INTEGER PRIMARY KEY, one INTEGER REFERENCES hidden (id), other TEXT REFERENCES hidden (code));
        INSERT INTO seen VALUES (1, 5, NULL), (2, NULL, 'c');""",
        ("seen",),
        [("seen/id=1", "one", "hidden/id=5")],
        ('s/seen {"id":2}',),  # which row that is, only the table could say
    ),
    "to a row that is missing": Kind(
        """CREATE TABLE parent (id INTEGER PRIMARY KEY); INSERT INTO parent VALUES (1);
        CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id));
        INSERT INTO child VALUES (1, 1), (2, 99);""",
        ("child",),
        [("child/id=1", "parent", "parent/id=1"), ("child/id=2", "parent", "parent/id=99")],  # said all the same
    ),
    "NULL is no miss": Kind(
        """CREATE TABLE box (a INTEGER, b INTEGER, PRIMARY KEY (a, b)); INSERT INTO box VALUES (1, 1);
        CREATE TABLE thing (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, FOREIGN KEY (a, b) REFERENCES box (a, b));
        INSERT INTO thing VALUES (1, NULL, NULL), (2, 1, NULL), (3, NULL, 9);""",
        ("thing",),
        [],
    ),
    "two keys of one column": Kind(
        """CREATE TABLE land (code TEXT PRIMARY KEY); CREATE TABLE flag (code TEXT PRIMARY KEY);
        INSERT INTO land VALUES ('no'), ('it'); INSERT INTO flag VALUES ('no');
        CREATE TABLE town (id INTEGER PRIMARY KEY, code TEXT REFERENCES land (code), FOREIGN KEY (code) REFERENCES flag (code));
        INSERT INTO town VALUES (1, 'no');""",
        ("town",),
        [("town/id=1", "code", "land/code=no"), ("town/id=1", "code", "flag/code=no")],
    ),
    "keys that share a column": Kind(
        """CREATE TABLE firm (id INTEGER PRIMARY KEY); INSERT INTO firm VALUES (1);
        CREATE TABLE unit (firm INTEGER REFERENCES firm (id), no INTEGER, PRIMARY KEY (firm, no));
        INSERT INTO unit VALUES (1, 1);
        CREATE TABLE desk (id INTEGER PRIMARY KEY, firm INTEGER REFERENCES firm (id), no INTEGER,
            FOREIGN KEY (firm, no) REFERENCES unit (firm, no));
        INSERT INTO desk VALUES (1, 1, 1), (2, 1, NULL);""",
        ("unit", "desk"),
        [("unit/firm=1;no=1", "firm", "firm/id=1"), ("desk/id=1", "firm", "firm/id=1"), ("desk/id=2", "firm", "firm/id=1"),
         ("desk/id=1", "firm;no", "unit/firm=1;no=1")],
    ),
    "a link table": Kind(
        """CREATE TABLE actor (id INTEGER PRIMARY KEY); CREATE TABLE film (id INTEGER PRIMARY KEY);
        INSERT INTO actor VALUES (1); INSERT INTO film VALUES (2), (3);
        CREATE TABLE cast_of (film INTEGER REFERENCES film (id), actor INTEGER REFERENCES actor (id),
            PRIMARY KEY (actor, film));
        INSERT INTO cast_of VALUES (2, 1), (3, 1);""",
        ("cast_of",),
        [("cast_of/actor=1;film=2", "film", "film/id=2"), ("cast_of/actor=1;film=2", "actor", "actor/id=1"),
         ("cast_of/actor=1;film=3", "film", "film/id=3"), ("cast_of/actor=1;film=3", "actor", "actor/id=1")],
    ),
    "tables and columns that are called like a loader's own": Kind(
        """CREATE TABLE staging_orders (id INTEGER PRIMARY KEY, my_dlt_flag TEXT);
        INSERT INTO staging_orders VALUES (1, 'kept');
        CREATE TABLE dlt_loads (id INTEGER PRIMARY KEY, my_dlt_id INTEGER REFERENCES staging_orders (id));
        INSERT INTO dlt_loads VALUES (1, 1);""",
        ("dlt_loads",),
        [("dlt_loads/id=1", "my_dlt_id", "staging_orders/id=1")],
    ),
    "numbers that are one in different columns": Kind(
        """CREATE TABLE price (amount NUMERIC PRIMARY KEY); INSERT INTO price VALUES (1), (2.5), (12345678901234567);
        CREATE TABLE offer (id INTEGER PRIMARY KEY, amount REAL REFERENCES price (amount), same TEXT REFERENCES price (amount),
            large INTEGER REFERENCES price (amount));
        INSERT INTO offer VALUES (1, 1.0, '1', 12345678901234567), (2, 2.5, '2.5', NULL);""",
        ("offer",),
        [("offer/id=1", "amount", "price/amount=1"), ("offer/id=2", "amount", "price/amount=2.5"),
         ("offer/id=1", "same", "price/amount=1"), ("offer/id=2", "same", "price/amount=2.5"),
         ("offer/id=1", "large", "price/amount=12345678901234567")],
    ),
}  # fmt: skip
MORE = """
CREATE TABLE keyless (word TEXT, n INTEGER); INSERT INTO keyless VALUES ('x', 1), ('x', 1), (NULL, 2);
CREATE VIEW everyone AS SELECT * FROM person;
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder = Path(tmp_path_factory.mktemp("matrix"))
    with closing(sqlite3.connect(folder / "shop.db")) as connection:
        connection.executescript("".join(kind.script for kind in KINDS.values()) + MORE)
        connection.commit()
    source = {"type": "sql", "url": "sqlite:///shop.db", "valid_time": "always", "exclude": ["hidden"]}
    config = {"version": 1, "base_iri": BASE, "ontology": {"files": ["none.ttl"]}, "sources": {"s": source}}
    (folder / "none.ttl").touch()
    (folder / "stratagraph.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    project = Project.load(folder / "stratagraph.yaml", Clock())
    load_all(project)
    update_foreign_keys(project)
    stage_rows(project)
    yield project


@pytest.mark.parametrize("kind", KINDS)
def test_a_key(loaded: Project, kind: str) -> None:
    _, tables, expected, missing = KINDS[kind]
    found = [edge for edge in edges(loaded) if edge[0].split("/")[1] in tables]
    assert found == sorted((f"s/{a}", f"s/{a.split('/')[0]}#ref-{columns}", f"s/{b}") for a, columns, b in expected)
    refused = [row for row in quarantine(loaded) if row[1].split("/")[1].split(" ")[0] in tables]
    assert [(reason, place) for reason, place, _ in refused] == [("foreign_key_target_missing", place) for place in missing]


def test_no_other_edges_and_nothing_else_refused(loaded: Project) -> None:
    assert len(edges(loaded)) == sum(len(kind.edges) for kind in KINDS.values())
    assert len(quarantine(loaded)) == sum(len(kind.missing) for kind in KINDS.values())


def test_every_row_is_a_node_also_without_a_key(loaded: Project) -> None:
    staged = nodes(loaded)
    assert len([ref for ref in staged if ref.startswith("s/keyless/~")]) == 3
    assert not [ref for ref in staged if "everyone" in ref or ref.startswith("s/hidden/")]
    assert staged["s/staging_orders/id=1"]["value"]["properties"][f"{BASE}s/staging_orders#my_dlt_flag"] == "kept"


def test_how_many_rows_a_key_holds_for_is_known(loaded: Project) -> None:
    with loaded.read() as connection:
        incomplete = connection.execute(
            "SELECT table_name, columns, coverage FROM graph.foreign_keys WHERE coverage < 1 ORDER BY ALL"
        ).fetchall()
        (total,) = connection.execute("SELECT count(*) FROM graph.foreign_keys WHERE origin = 'declared'").fetchone() or (0,)
    assert incomplete == [
        ("child", ["parent"], 0.5), ("letter", ["receiver"], 0.5), ("seen", ["one"], 0.0), ("seen", ["other"], 0.0),
    ]  # fmt: skip
    assert total == len(sqlite_keys(sa.create_engine(f"sqlite:///{loaded.root / 'shop.db'}")))


def test_a_view_is_no_table(make_project: Make, database: Database) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE VIEW v AS SELECT * FROM t")
    with pytest.raises(SourceError, match="no such table: v"):
        load_all(make_project(s={"type": "sql", "url": "sqlite:///shop.db", "tables": ["v"]}))


@pytest.mark.slow
def test_a_row_that_is_edited_is_the_same_node_in_a_new_version(make_project: Make, database: Database, clock: Clock) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    project = make_project(s={"type": "sql", "url": "sqlite:///shop.db"})
    for script in ("", "UPDATE t SET name = 'uno' WHERE id = 1"):
        database(script)
        load_all(project)
        stage_rows(project)
        commit_staged(project)
        clock.forward()
    with project.read() as connection:
        versions = connection.execute(
            """SELECT replace(node_id, $base, ''), label, isfinite(valid_to) FROM graph.nodes
            WHERE NOT isfinite(recorded_to) ORDER BY node_id, valid_from""",
            {"base": BASE},
        ).fetchall()
    assert versions == [("s/t/id=1", "one", True), ("s/t/id=1", "uno", False), ("s/t/id=2", "two", False)]


def _load(config: Path, source: str) -> None:
    load_source(Project.load(config), source)


@pytest.mark.slow
def test_two_sources_that_are_loaded_at_once_do_not_mix(make_project: Make, database: Database) -> None:
    """Each in a process of its own, with a table of the same name; they take turns, and each finds its own rows."""
    for name in ("a", "b"):
        rows = ", ".join(f"({number}, '{name}')" for number in range(500))
        database(f"CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES {rows}", f"{name}.db")
    project = make_project(
        **{name: {"type": "sql", "url": f"sqlite:///{name}.db", "valid_time": "always"} for name in ("a", "b")}
    )
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_load, args=(project.root / "stratagraph.yaml", name)) for name in ("a", "b")]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0]
    stage_rows(project)
    labels = {ref: row["value"]["label"] for ref, row in nodes(project).items()}
    assert labels == {f"{name}/t/id={number}": name for name in ("a", "b") for number in range(500)}
