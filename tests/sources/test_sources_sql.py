"""A database becomes statements: every kind of foreign key, types, valid times, changed rows, and what can go wrong."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from staged import VOCABULARY, Clock, Database, Make, edges, landing, load_all, nodes, quarantine, statements

from stratagraph.errors import ConfigError, SourceError
from stratagraph.sources.catalog import foreign_keys
from stratagraph.sources.keys.update import update_foreign_keys
from stratagraph.sources.load import load_source
from stratagraph.sources.mapping.structure import loaded_structure
from stratagraph.sources.mapping.tables import edge_query
from stratagraph.sources.rows import stage_rows
from stratagraph.sources.table_statements import prepare_tables
from stratagraph.sqlfiles import load_sql

KEYS = """
CREATE TABLE plain (a TEXT, b INTEGER);
INSERT INTO plain VALUES ('x', 1), ('x', 1), (NULL, 2);
CREATE TABLE customer (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT);
INSERT INTO customer VALUES (1, 'ada@x', 'Ada'), (2, 'bob@x', 'Bob');
CREATE TABLE address (id INTEGER PRIMARY KEY, city TEXT);
INSERT INTO address VALUES (7, 'Bonn'), (8, 'Lyon');
CREATE TABLE "Sales Order" ("Order No" TEXT PRIMARY KEY, CustomerId INTEGER REFERENCES CUSTOMER (ID),
    ship INTEGER, bill INTEGER, FOREIGN KEY (ship) REFERENCES address (id), FOREIGN KEY (bill) REFERENCES address (id));
INSERT INTO "Sales Order" VALUES ('A/1; x=2', 1, 7, 8), ('B', NULL, 7, 7), ('C', 99, NULL, 8);
CREATE TABLE account (bank TEXT, no INTEGER, PRIMARY KEY (no, bank));
INSERT INTO account VALUES ('b', 1), ('b', 2), ('c', 1);
CREATE TABLE transfer (id INTEGER PRIMARY KEY, fb TEXT, fn INTEGER, tb TEXT, tn INTEGER,
    FOREIGN KEY (fb, fn) REFERENCES account (bank, no), FOREIGN KEY (tb, tn) REFERENCES account (bank, no));
INSERT INTO transfer VALUES (1, 'b', 1, 'c', 1), (2, 'b', NULL, 'b', 2);
CREATE TABLE person (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES person);
INSERT INTO person VALUES (1, NULL), (2, 1), (3, 3);
CREATE TABLE subscription (id INTEGER PRIMARY KEY, email TEXT REFERENCES customer (email));
INSERT INTO subscription VALUES (1, 'bob@x'), (2, 'nobody@x'), (3, NULL);
CREATE TABLE secret (id INTEGER PRIMARY KEY);
INSERT INTO secret VALUES (5);
CREATE TABLE paper (id INTEGER PRIMARY KEY, secret INTEGER REFERENCES secret (id));
INSERT INTO paper VALUES (1, 5);
CREATE TABLE hen (id INTEGER PRIMARY KEY, egg INTEGER REFERENCES egg (id));
CREATE TABLE egg (id INTEGER PRIMARY KEY, hen INTEGER REFERENCES hen (id));
INSERT INTO hen VALUES (1, 1); INSERT INTO egg VALUES (1, 1);
CREATE TABLE staging_orders (id INTEGER PRIMARY KEY, my_dlt_flag TEXT);
INSERT INTO staging_orders VALUES (1, 'kept');
CREATE VIEW everyone AS SELECT * FROM customer;
"""

SHOP = {"type": "sql", "url": "sqlite:///shop.db", "valid_time": "always"}


def test_foreign_keys_of_every_kind(make_project: Make, database: Database) -> None:
    database(KEYS)
    project = make_project(s=SHOP | {"exclude": ["secret"]})
    load_all(project)
    keys = update_foreign_keys(project)
    stage_rows(project)

    order = "s/Sales%20Order/Order%20No="
    assert edges(project) == sorted(
        [
            (f"{order}A%2F1%3B%20x%3D2", "s/Sales%20Order#ref-CustomerId", "s/customer/id=1"),
            (f"{order}C", "s/Sales%20Order#ref-CustomerId", "s/customer/id=99"),  # no such row: said all the same
            (f"{order}A%2F1%3B%20x%3D2", "s/Sales%20Order#ref-ship", "s/address/id=7"),
            (f"{order}A%2F1%3B%20x%3D2", "s/Sales%20Order#ref-bill", "s/address/id=8"),
            (f"{order}B", "s/Sales%20Order#ref-ship", "s/address/id=7"),
            (f"{order}B", "s/Sales%20Order#ref-bill", "s/address/id=7"),
            (f"{order}C", "s/Sales%20Order#ref-bill", "s/address/id=8"),
            ("s/transfer/id=1", "s/transfer#ref-fb;fn", "s/account/no=1;bank=b"),  # in the order of the primary key
            ("s/transfer/id=1", "s/transfer#ref-tb;tn", "s/account/no=1;bank=c"),
            ("s/transfer/id=2", "s/transfer#ref-tb;tn", "s/account/no=2;bank=b"),
            ("s/person/id=2", "s/person#ref-boss", "s/person/id=1"),  # the primary key is implied
            ("s/person/id=3", "s/person#ref-boss", "s/person/id=3"),
            ("s/subscription/id=1", "s/subscription#ref-email", "s/customer/id=2"),  # found by a unique column
            ("s/paper/id=1", "s/paper#ref-secret", "s/secret/id=5"),  # a table that is not loaded
            ("s/hen/id=1", "s/hen#ref-egg", "s/egg/id=1"),
            ("s/egg/id=1", "s/egg#ref-hen", "s/hen/id=1"),
        ]
    )
    assert [(reason, location) for reason, location, _ in quarantine(project)] == [
        ("foreign_key_target_missing", 's/subscription {"id":2}')
    ]
    assert (keys.declared, keys.nested, keys.incomplete) == (10, 0, 3)
    with project.read() as connection:
        coverage = connection.execute(
            "SELECT table_name, columns, referenced_columns, coverage FROM graph.foreign_keys WHERE coverage < 1 ORDER BY ALL"
        ).fetchall()
    assert coverage == [
        ("Sales Order", ["CustomerId"], ["id"], 0.5),
        ("paper", ["secret"], ["id"], 0.0),
        ("subscription", ["email"], ["email"], 0.5),
    ]

    staged = nodes(project)
    assert not [ref for ref in staged if "everyone" in ref or "secret/" in ref]
    keyless = sorted(ref for ref in staged if ref.startswith("s/plain/~"))
    assert len(keyless) == 3 and sum(ref.endswith(".2") for ref in keyless) == 1  # two rows with one content
    assert staged["s/staging_orders/id=1"]["value"]["properties"] == {
        "https://g.test/s/staging_orders#id": 1,
        "https://g.test/s/staging_orders#my_dlt_flag": "kept",
    }
    assert staged["s/account/no=1;bank=b"]["source_key"] == '{"no":1,"bank":"b"}'
    assert staged["s/customer/id=1"]["value"]["label"] == "Ada"
    assert staged["s/transfer/id=1"]["value"]["label"] == "transfer 1"
    assert {(row["mode"], row["valid_from"], row["valid_to"]) for row in staged.values()} == {
        ("period", "-infinity", "infinity")
    }


def test_a_second_run_does_nothing(make_project: Make, database: Database, clock: Clock) -> None:
    file = database(KEYS)
    project = make_project(s=SHOP)
    assert load_source(project, "s").changed
    assert update_foreign_keys(project).changed
    assert stage_rows(project).changed
    before = {path: path.read_bytes() for path in project.data_dir.rglob("*") if path.is_file()}
    clock.forward()
    file.touch()
    assert not load_source(project, "s").changed
    assert not update_foreign_keys(project).changed
    assert not stage_rows(project).changed
    assert {path: path.read_bytes() for path in project.data_dir.rglob("*") if path.is_file()} == before
    assert not (project.root / "data" / "dlt" / "s").exists()


def test_mapping_names_and_templates(make_project: Make, database: Database) -> None:
    database(KEYS)
    mapping = {
        "customer": {"class": "v:Client", "label": "{name}  <{email}>", "properties": {"name": "v:name", "email": "v:mail"}},
        "Sales Order": {"label": "Order {Order No}", "references": {"CustomerId": "v:placedBy", "ship": "v:shipTo"}},
        "transfer": {"references": {"fb, fn": "v:from"}},
    }
    project = make_project(s=SHOP | {"mapping": mapping, "tables": ["customer", "Sales Order", "transfer"]})
    load_all(project)
    stage_rows(project)
    staged = nodes(project)
    assert staged["s/customer/id=1"]["predicate"] == f"{VOCABULARY}Client"
    assert staged["s/customer/id=1"]["value"] == {
        "label": "Ada <ada@x>",
        "properties": {"https://g.test/s/customer#id": 1, f"{VOCABULARY}mail": "ada@x", f"{VOCABULARY}name": "Ada"},
    }
    facts = [row["value"]["fact"] for row in statements(project, f"predicate = '{VOCABULARY}placedBy'")]
    assert facts == ["Order A/1; x=2 placed by Ada <ada@x>", "Order C placed by customer 99"]
    assert ("s/transfer/id=1", f"{VOCABULARY}from", "s/account/no=1;bank=b") in edges(project)


@pytest.mark.parametrize(
    ("mapping", "what"),
    [
        ({"client": {"class": "v:Client"}}, "the table 'client' is not loaded"),
        ({"customer": {"properties": {"nome": "v:name"}}}, "there is no column 'nome'"),
        ({"customer": {"label": "{nome}"}}, "there is no column 'nome'"),
        ({"customer": {"references": {"email": "v:mail"}}}, "the table has no foreign key 'email'"),
        ({"customer": {"properties": {"name": "v:name", "email": "v:name"}}}, "mapped to one property"),
        ({"customer": {"valid_time": "columns", "valid_from": "since"}}, "there is no column 'since'"),
    ],
)
def test_a_mapping_of_nothing_is_refused(make_project: Make, database: Database, mapping: dict[str, Any], what: str) -> None:
    database("CREATE TABLE customer (id INTEGER PRIMARY KEY, email TEXT, name TEXT)")
    project = make_project(s=SHOP | {"mapping": mapping})
    load_all(project)
    with pytest.raises(ConfigError, match=what):
        stage_rows(project)


def test_values_keep_what_they_are(make_project: Make, database: Database) -> None:
    database(
        """CREATE TABLE thing (id TEXT PRIMARY KEY, n NUMERIC, r REAL, i INTEGER, b BLOB, d DATE, t DATETIME, f BOOLEAN, x,
            j JSON);
        INSERT INTO thing VALUES
        ('1', 12.50, 0.1, 9007199254740993, x'00ff', '2024-02-30', '1996-07-04 00:00:00', 1, 'any', '{"a":1}'),
        ('2', 14, 3, 'not a number', 'text', 'July 4', 12, 0, 7, 'broken {'),
        ('3', 'ten', -1e300, NULL, NULL, NULL, NULL, NULL, NULL, 'nul' || char(0) || 'l "quoted" \\ 成');"""
    )
    project = make_project(s=SHOP)
    load_all(project)
    stage_rows(project)
    staged = {
        row["value"]["label"]: {k.split("#")[1]: v for k, v in row["value"]["properties"].items()}
        for row in nodes(project).values()
    }
    sha = "06eb7d6a69ee19e5fbdf749018d3d2abfa04bcbd1365db312eb86dc7169389b8"
    assert staged["thing 1"] == {
        "id": "1", "n": 12.5, "r": 0.1, "i": 9007199254740993, "b": {"bytes": 2, "sha256": sha}, "d": "2024-02-30",
        "t": "1996-07-04 00:00:00", "f": True, "x": "any", "j": '{"a":1}',
    }  # fmt: skip
    assert staged["thing 2"] == {
        "id": "2", "n": 14, "r": 3, "i": "not a number", "b": "text", "d": "July 4", "t": "12", "f": False, "x": 7,
        "j": "broken {",
    }  # fmt: skip
    assert staged["thing 3"] == {"id": "3", "n": "ten", "r": -1e300, "j": 'nul\x00l "quoted" \\ 成'}


def test_names_of_any_script(make_project: Make, database: Database) -> None:
    database(
        """CREATE TABLE "名前" ("成分" TEXT PRIMARY KEY, "部署" TEXT, "na!e" TEXT, "na%e" TEXT, "a""b" TEXT, "c/d~" TEXT,
            "$p" TEXT);
        INSERT INTO "名前" VALUES ('水 é', 'x', '1', '2', '3', '4', '5');
        CREATE TABLE "植物" (id INTEGER PRIMARY KEY, "名" TEXT REFERENCES "名前");
        INSERT INTO "植物" VALUES (1, '水 é');"""
    )
    project = make_project(s=SHOP)
    load_all(project)
    stage_rows(project)
    assert edges(project) == [("s/植物/id=1", "s/植物#ref-名", "s/名前/成分=水%20é")]
    properties = nodes(project)["s/名前/成分=水%20é"]["value"]["properties"]
    assert {k.split("#")[1]: v for k, v in properties.items()} == {
        "成分": "水 é", "部署": "x", "na%21e": "1", "na%25e": "2", "a%22b": "3", "c%2Fd~": "4", "%24p": "5",
    }  # fmt: skip
    assert list(properties) == sorted(properties)


def test_a_null_in_a_primary_key_is_refused_and_the_rest_goes_on(make_project: Make, database: Database) -> None:
    database(
        """CREATE TABLE stock (shop TEXT, item TEXT, n INTEGER, PRIMARY KEY (shop, item));
        INSERT INTO stock VALUES ('a', 'b', 1), ('a', NULL, 2), ('a', NULL, 2), (NULL, NULL, 3);"""
    )
    project = make_project(s=SHOP)
    load_all(project)
    assert stage_rows(project).quarantined == 2  # the two that are alike are one
    assert list(nodes(project)) == ["s/stock/shop=a;item=b"]
    assert {reason for reason, _, _ in quarantine(project)} == {"null_key"}
    database("DELETE FROM stock WHERE item IS NULL; INSERT INTO stock VALUES ('c', 'd', 2), ('e', 'f', 3)")
    load_all(project)
    stage_rows(project)
    assert quarantine(project) == []


def test_valid_time_from_columns(make_project: Make, database: Database) -> None:
    database(
        """CREATE TABLE job (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES job, since TEXT, until TEXT);
        INSERT INTO job VALUES (1, NULL, '2020-06-01', '2021-01-01 12:00'), (2, 1, '2020-01-01T10:30+05:30', NULL),
        (3, 1, NULL, NULL),
        (4, 1, '2024-02-30', NULL), (5, 1, '1950', NULL), (6, 1, '2020-01-01', 'soon');"""
    )
    columns = {"valid_time": "columns", "valid_from": "since", "valid_to": "until", "zone": "Europe/Berlin"}
    project = make_project(s=SHOP | {"mapping": {"job": columns}})
    load_all(project)
    stage_rows(project)
    times = {ref: (row["mode"], row["valid_from"], row["valid_to"]) for ref, row in nodes(project).items()}
    assert times == {
        "s/job/id=1": ("period", "2020-05-31 22:00:00+00", "2021-01-01 11:00:00+00"),
        "s/job/id=2": ("period", "2020-01-01 05:00:00+00", "infinity"),
        "s/job/id=3": ("period", "-infinity", "infinity"),
    }
    assert [(row["subject"], row["valid_from"]) for row in statements(project, "kind = 'edge'")] == [
        ("s/job/id=2", "2020-01-01 05:00:00+00"),
        ("s/job/id=3", "-infinity"),
    ]
    assert [(reason, location) for reason, location, _ in quarantine(project)] == [
        ("unparsable_time", f's/job {{"id":{number}}}') for number in (4, 5, 6)
    ]


def test_an_event_where_no_end_is_declared(make_project: Make, database: Database) -> None:
    database("CREATE TABLE job (id INTEGER PRIMARY KEY, since TEXT); INSERT INTO job VALUES (1, '2020-06-01')")
    project = make_project(s=SHOP | {"mapping": {"job": {"valid_time": "columns", "valid_from": "since"}}})
    load_all(project)
    stage_rows(project)
    assert [(row["mode"], row["valid_from"], row["valid_to"]) for row in statements(project)] == [
        ("event", "2020-06-01 00:00:00+00", None)
    ]


def test_valid_time_from_loads(make_project: Make, database: Database, clock: Clock) -> None:
    database(
        """CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, team INTEGER REFERENCES team);
        INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
        INSERT INTO player VALUES (1, 'Ann', 1), (2, 'Ben', 1), (3, 'Cem', NULL);"""
    )
    project = make_project(s={"type": "sql", "url": "sqlite:///shop.db"})  # load is the default of a database
    load_all(project)
    clock.forward()
    database(
        "UPDATE player SET team = 2 WHERE id = 1; UPDATE player SET name = 'Cem B' WHERE id = 3;DELETE FROM player WHERE id = 2"
    )
    load_all(project)
    clock.forward()
    database("INSERT INTO player VALUES (2, 'Ben', 1); UPDATE player SET name = 'Anna' WHERE id = 1;")
    load_all(project)
    stage_rows(project)

    first, second, third = (f"2026-01-01 0{hour}:00:00+00" for hour in range(3))
    said = [
        (row["subject"][-1], row["value"]["label"], row["polarity"], row["valid_from"])
        for row in statements(project, "kind = 'node' AND scope = 'player'")
    ]
    assert said == [
        ("1", "Ann", "assert", first), ("1", "Ann", "assert", second), ("1", "Anna", "assert", third),
        ("2", "Ben", "assert", first), ("2", "Ben", "retract", second), ("2", "Ben", "assert", third),
        ("3", "Cem", "assert", first), ("3", "Cem B", "assert", second),
    ]  # fmt: skip
    moved = [
        (row["subject"][-1], row["object"][-1], row["polarity"], row["valid_from"])
        for row in statements(project, "kind = 'edge'")
    ]
    assert moved == [
        ("1", "1", "assert", first), ("1", "1", "retract", second), ("1", "2", "assert", second),
        ("2", "1", "assert", first), ("2", "1", "retract", second), ("2", "1", "assert", third),
    ]  # fmt: skip
    assert {(row["mode"], row["valid_to"]) for row in statements(project)} == {("event", None)}


def test_a_load_that_brings_nothing_new_moves_no_time(make_project: Make, database: Database, clock: Clock) -> None:
    database("CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1)")
    project = make_project(s={"type": "sql", "url": "sqlite:///shop.db"})
    load_all(project)
    stage_rows(project)
    before = statements(project)
    clock.forward()
    database("CREATE TABLE b (id INTEGER); DROP TABLE b; VACUUM; PRAGMA user_version = 7;")  # another file, the same rows
    assert not load_source(project, "s").changed
    assert not stage_rows(project).changed
    assert statements(project) == before


def test_two_sources_with_equal_tables_do_not_mix(make_project: Make, database: Database) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'one')", "a.db")
    database("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'uno')", "b.db")
    project = make_project(
        left=SHOP | {"url": "sqlite:///a.db"},
        documents=SHOP | {"url": "sqlite:///b.db"},
        Left_=SHOP | {"url": "sqlite:///b.db"},
    )
    load_all(project)
    stage_rows(project)
    assert {ref: row["value"]["label"] for ref, row in nodes(project).items()} == {
        "left/t/id=1": "one", "documents/t/id=1": "uno", "Left_/t/id=1": "uno",
    }  # fmt: skip


def test_a_changed_structure_is_taken_over(make_project: Make, database: Database) -> None:
    database(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, gone TEXT); CREATE TABLE u (id INTEGER);"
        "INSERT INTO t VALUES (1, 5, 'x')"
    )
    project = make_project(s=SHOP)
    load_all(project)
    stage_rows(project)
    database(
        "DROP TABLE t; DROP TABLE u; CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, new TEXT);"
        "INSERT INTO t VALUES (1, 'five', 'y')"
    )
    load_all(project)
    stage_rows(project)
    (row,) = statements(project)  # the batch that was not committed has made room for this one
    assert row["value"]["properties"] == {
        "https://g.test/s/t#id": 1,
        "https://g.test/s/t#new": "y",
        "https://g.test/s/t#v": "five",
    }
    with landing(project) as connection:
        assert connection.execute("SELECT v, new FROM s.t").fetchall() == [("five", "y")]


@pytest.mark.parametrize("url", ["sqlite:///missing.db", "sqlite://", "sqlite:///:memory:", "nonsense"])
def test_a_missing_database_is_one_clear_error(make_project: Make, url: str) -> None:
    project = make_project(s=SHOP | {"url": url})
    with pytest.raises(SourceError, match=r"sources\.s"):
        load_source(project, "s")
    assert not (project.root / "missing.db").exists()
    assert not project.landing.exists()


def test_a_failed_load_leaves_the_last_one(make_project: Make, database: Database) -> None:
    file = database("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
    project = make_project(s=SHOP)
    load_all(project)
    file.write_bytes(b"this is not a database, but long enough to look like one" * 100)
    with pytest.raises(SourceError, match="not a database"):
        load_source(project, "s")
    assert stage_rows(project).statements == 1
    with pytest.raises(SourceError, match="no such table: nowhere"):
        database_with = make_project(s=SHOP | {"tables": ["nowhere"], "url": "sqlite:///other.db"})
        database("CREATE TABLE t (id INTEGER PRIMARY KEY)", "other.db")
        load_source(database_with, "s")


def test_no_password_in_a_message(make_project: Make) -> None:
    project = make_project(
        s={"type": "sql", "url": "postgresql+psycopg2://me:s%40cret-word@127.0.0.1:1/none?connect_timeout=1"}
    )
    with pytest.raises(SourceError) as caught:
        load_source(project, "s")
    assert "s@cret-word" not in str(caught.value) and "s%40cret-word" not in str(caught.value)
    assert not project.landing.exists()


def test_staging_before_loading_is_an_error(make_project: Make, database: Database) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    project = make_project(s=SHOP, later=SHOP)
    load_source(project, "s")
    with pytest.raises(SourceError, match=r"sources\.later"):
        stage_rows(project)


def test_a_file_in_wal_mode_is_read_with_its_log(make_project: Make, tmp_path: Path) -> None:
    project = make_project(s=SHOP)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()
        assert load_source(project, "s").rows == 1
        connection.execute("INSERT INTO t VALUES (2)")
        connection.commit()
        assert load_source(project, "s").rows == 2


def test_load_times_are_kept_in_utc(make_project: Make, database: Database) -> None:
    database("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
    project = make_project(s=SHOP)
    load_all(project)
    with landing(project) as connection:
        assert connection.execute("SELECT loaded_at FROM stratagraph.rows").fetchall() == [(datetime(2026, 1, 1, tzinfo=UTC),)]


def test_foreign_keys_are_joined_by_hash(make_project: Make, database: Database) -> None:
    """A condition on one side of an outer join turned 1 second into 100."""
    database("CREATE TABLE a (id INTEGER PRIMARY KEY, up INTEGER REFERENCES a); INSERT INTO a VALUES (1, 1)")
    project = make_project(s=SHOP)
    load_all(project)
    config = project.config.sources["s"]
    with landing(project) as connection:
        connection.execute(load_sql("sources", "create_macros"))
        connection.execute(load_sql("sources", "create_problems"))
        prepare_tables(project, connection, "s", config)
        (key,) = foreign_keys(connection, "s")
        query = edge_query(loaded_structure(project, connection, "s", config), key, 0)
        sql = "EXPLAIN " + load_sql("sources", "insert_edges", **query.identifiers)
        ((_, plan),) = connection.execute(sql, query.parameters).fetchall()
    assert "HASH_JOIN" in plan and "NESTED_LOOP" not in plan and "BLOCKWISE" not in plan
