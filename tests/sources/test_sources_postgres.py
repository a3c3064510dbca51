"""A real PostgreSQL server on loopback: types, keys across schemas, changes seen by reading, and what it refuses."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from direct_mapping import CASES, assert_same, expected, mapped, postgres_script
from servers import run
from staged import Clock, Make, edges, load_all, nodes, quarantine, statements

from stratagraph.errors import SourceError
from stratagraph.sources.keys.update import update_foreign_keys
from stratagraph.sources.load import load_source
from stratagraph.sources.rows import stage_rows

pytestmark = pytest.mark.databases


@pytest.fixture
def server(postgres: sa.URL) -> sa.URL:
    return postgres


def text_of(url: sa.URL) -> str:
    return url.render_as_string(hide_password=False)


def test_a_server_is_read_with_its_types_and_keys(make_project: Make, server: sa.URL) -> None:
    run(
        server,
        """CREATE SCHEMA shop; CREATE SCHEMA ref;
        CREATE TABLE ref.country (code CHAR(2) PRIMARY KEY); INSERT INTO ref.country VALUES ('DE');
        CREATE TYPE shop.mood AS ENUM ('good', 'bad');
        CREATE TABLE shop."Client" (id UUID PRIMARY KEY, code TEXT UNIQUE, country CHAR(2) REFERENCES ref.country (code));
        INSERT INTO shop."Client" VALUES ('5f0c6c5e-0000-4000-8000-000000000001', 'A', 'DE'),
            ('5f0c6c5e-0000-4000-8000-000000000002', 'B', NULL);
        CREATE TABLE shop.bill (no BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payer UUID REFERENCES shop."Client" (id),
            receiver UUID REFERENCES shop."Client" (id), code TEXT REFERENCES shop."Client" (code), total NUMERIC(12, 2),
            rate NUMERIC, at TIMESTAMPTZ, seen TIMESTAMP, day DATE, ok BOOLEAN, x DOUBLE PRECISION, doc JSONB, tags TEXT[],
            feel shop.mood, raw BYTEA);
        INSERT INTO shop.bill (payer, receiver, code, total, rate, at, seen, day, ok, x, doc, tags, feel, raw) VALUES
            ('5f0c6c5e-0000-4000-8000-000000000001', '5f0c6c5e-0000-4000-8000-000000000002', 'B', 12.50, 0.1234567890125,
             '2024-05-01 12:00+02',
             '2024-05-01 12:00:00.25', '2024-05-01', true, 0.1, '{"b": [1, null]}', '{x,y}', 'good', '\\x00ff'),
            (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        CREATE VIEW shop.v AS SELECT * FROM shop.bill;""",
    )
    url = text_of(server)
    project = make_project(s={"type": "sql", "url": url, "schema": "shop", "valid_time": "always"})
    assert load_source(project, "s").changed
    keys = update_foreign_keys(project)
    stage_rows(project)
    client = "s/Client/id=5f0c6c5e-0000-4000-8000-00000000000"
    assert edges(project) == sorted(
        [
            (f"{client}1", "s/Client#ref-country", "s/ref.country/code=DE"),  # another schema: kept, though not loaded
            ("s/bill/no=1", "s/bill#ref-payer", f"{client}1"),
            ("s/bill/no=1", "s/bill#ref-receiver", f"{client}2"),
            ("s/bill/no=1", "s/bill#ref-code", f"{client}2"),
        ]
    )
    assert keys.declared == 4
    bill = {k.split("#")[1]: v for k, v in nodes(project)["s/bill/no=1"]["value"]["properties"].items()}
    assert bill == {
        "no": 1, "payer": "5f0c6c5e-0000-4000-8000-000000000001", "receiver": "5f0c6c5e-0000-4000-8000-000000000002",
        "code": "B", "total": 12.5, "rate": 0.1234567890125, "at": "2024-05-01T10:00:00Z", "seen": "2024-05-01T12:00:00.25",
        "day": "2024-05-01",
        "ok": True, "x": 0.1, "doc": {"b": [1, None]}, "tags": ["x", "y"], "feel": "good",
        "raw": {"bytes": 2, "sha256": "06eb7d6a69ee19e5fbdf749018d3d2abfa04bcbd1365db312eb86dc7169389b8"},
    }  # fmt: skip
    assert quarantine(project) == []


def test_a_server_is_always_read_and_only_changes_count(make_project: Make, server: sa.URL, clock: Clock) -> None:
    run(server, "CREATE SCHEMA a; CREATE TABLE a.t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO a.t VALUES (1, 'x'), (2, 'y')")
    url = text_of(server.set(drivername="postgresql"))  # without a driver: the one that stratagraph[postgres] brings
    project = make_project(s={"type": "sql", "url": url, "schema": "a"})
    assert load_source(project, "s").changed
    stage_rows(project)
    clock.forward()
    assert not load_source(project, "s").changed
    assert not stage_rows(project).changed
    clock.forward()
    run(server, "UPDATE a.t SET v = 'z' WHERE id = 2")
    assert load_source(project, "s").changed
    stage_rows(project)
    assert [(row["subject"], row["valid_from"]) for row in statements(project)] == [
        ("s/t/id=1", "2026-01-01 00:00:00+00"),
        ("s/t/id=2", "2026-01-01 00:00:00+00"),
        ("s/t/id=2", "2026-01-01 02:00:00+00"),
    ]


@pytest.mark.parametrize("wrong", [{"password": "wr0ng pw"}, {"database": "nothing"}])
def test_what_the_server_refuses_is_one_error_without_the_password(
    make_project: Make, server: sa.URL, wrong: dict[str, str]
) -> None:
    url = server.set(**wrong)  # type: ignore[arg-type]
    project = make_project(s={"type": "sql", "url": text_of(url)})
    with pytest.raises(SourceError, match="cannot be read") as caught:
        load_all(project)
    assert str(url.password) not in str(caught.value) and caught.value.__suppress_context__
    assert not project.landing.exists()


@pytest.mark.parametrize("case", CASES)
def test_a_case_of_the_w3c(server: sa.URL, case: str) -> None:
    """On a server that enforces types: padded texts, real dates, booleans, bytes."""
    schema = f"w3c_{case[:4]}"
    run(server, f'CREATE SCHEMA "{schema}"; SET search_path TO "{schema}"; {postgres_script(case)}')
    assert_same(mapped(text_of(server), schema=schema), expected(case))


TYPES = r"""CREATE SCHEMA types; SET search_path TO types; CREATE DOMAIN small AS INTEGER CHECK (VALUE > 0);
    CREATE TYPE mood AS ENUM ('good', 'bad');
    CREATE TABLE v (id INT PRIMARY KEY, money MONEY, iv INTERVAL, ip INET, x XML, words TSVECTOR, r INT4RANGE, bits BIT(4),
        b1 BIT(1), n NUMERIC(10, 2), big NUMERIC(50, 10), free NUMERIC, t TIME, ttz TIMETZ, d DATE, ts TIMESTAMP,
        tz TIMESTAMPTZ, dom small, c CHAR(4), arr NUMERIC[], days DATE[], pt POINT, f4 REAL, f8 DOUBLE PRECISION, j JSONB,
        feel mood, raw BYTEA);
    INSERT INTO v VALUES (1, 12.5, '1 day 2 hours', '10.0.0.1', '<a/>', 'a b', '[1,5)', B'0101', B'1', 'NaN',
        12345678901234567890123456789.0123456789, 1e40, '12:30:00.5', '12:30:00+02', '2024-02-29', '2024-02-29 10:00:00.25',
        '2024-02-29 10:00:00+02', 5, 'ab', '{1.5,12345678901234567890.5,NULL}', '{2024-01-01}', '(1,2)', 70.22, 'NaN',
        '{"a": [1]}', 'good', '\x00ff');
    INSERT INTO v (id, d, ts, tz, f8, f4) VALUES (2, 'infinity', '-infinity', 'infinity', '-Infinity', 'Infinity'),
        (3, '0044-03-15 BC', '0044-03-15 10:00:00 BC', '12000-01-01 00:00:00+00', 1e300, NULL);"""


def test_no_value_is_lost_and_none_fails_a_load(make_project: Make, server: sa.URL) -> None:
    """What Python has no like of: NaN, infinite times, years before 1 and after 9999, decimals of 50 digits, intervals."""
    run(server, TYPES)
    project = make_project(s={"type": "sql", "url": text_of(server), "schema": "types", "valid_time": "always"})
    load_all(project)
    stage_rows(project)
    found = {ref: {k.split("#")[1]: v for k, v in row["value"]["properties"].items()} for ref, row in nodes(project).items()}
    assert found["s/v/id=1"] | {"raw": None} == {
        "id": 1, "money": "$12.50", "iv": "1 day 02:00:00", "ip": "10.0.0.1", "x": "<a/>", "words": "'a' 'b'", "r": "[1,5)",
        "bits": "0101", "b1": "1", "n": "not a number", "big": "12345678901234567890123456789.0123456789", "free": 10**40,
        "t": "12:30:00.5", "ttz": "12:30:00+02", "d": "2024-02-29", "ts": "2024-02-29T10:00:00.25",
        "tz": "2024-02-29T08:00:00Z",
        "dom": 5, "c": "ab", "arr": [1.5, 12345678901234567890.5, None], "days": ["2024-01-01"], "pt": "(1,2)",
        "f4": 70.22, "f8": "not a number", "j": {"a": [1]}, "feel": "good", "raw": None,
    }  # fmt: skip
    assert found["s/v/id=2"] == {
        "id": 2, "d": "infinity", "ts": "-infinity", "tz": "infinity", "f8": "negative infinity", "f4": "positive infinity",
    }  # fmt: skip
    assert found["s/v/id=3"] == {
        "id": 3, "d": "0044-03-15 BC", "ts": "0044-03-15 10:00:00 BC", "tz": "12000-01-01 00:00:00+00", "f8": 1e300,
    }  # fmt: skip
    assert quarantine(project) == []
    lines = mapped(text_of(server), schema="types").splitlines()
    literals = {line.partition("v/")[2].partition(" .")[0] for line in lines}
    xsd = "http://www.w3.org/2001/XMLSchema"
    for number, column, literal in [
        (1, "c", '"ab  "'), (1, "b1", f'"true"^^<{xsd}#boolean>'), (1, "bits", '"0101"'), (1, "iv", '"1 day 02:00:00"'),
        (1, "big", f'"12345678901234567890123456789.0123456789"^^<{xsd}#decimal>'), (1, "n", '"not a number"'),
        (1, "ttz", f'"12:30:00+02:00"^^<{xsd}#time>'), (1, "f8", f'"NaN"^^<{xsd}#double>'), (1, "dom", f'"5"^^<{xsd}#integer>'),
        (1, "raw", f'"00FF"^^<{xsd}#hexBinary>'), (2, "f8", f'"-INF"^^<{xsd}#double>'), (2, "d", '"infinity"'),
    ]:  # fmt: skip
        assert f"id={number}> <http://example.com/base/v#{column}> {literal}" in literals


def test_an_infinite_end_is_one(make_project: Make, server: sa.URL) -> None:
    run(
        server,
        """CREATE SCHEMA ends; CREATE TABLE ends.job (id INT PRIMARY KEY, since TIMESTAMPTZ, until TIMESTAMPTZ);
        INSERT INTO ends.job VALUES (1, '-infinity', 'infinity'), (2, '2020-01-01+00', '2021-01-01+00')""",
    )
    mapping = {"job": {"valid_time": "columns", "valid_from": "since", "valid_to": "until"}}
    project = make_project(s={"type": "sql", "url": text_of(server), "schema": "ends", "mapping": mapping})
    load_all(project)
    stage_rows(project)
    assert [(row["mode"], row["valid_from"], row["valid_to"]) for row in statements(project)] == [
        ("period", "-infinity", "infinity"),
        ("period", "2020-01-01 00:00:00+00", "2021-01-01 00:00:00+00"),
    ]
    assert quarantine(project) == []


def test_padding_is_no_part_of_a_key(make_project: Make, server: sa.URL) -> None:
    """Texts of different fixed lengths are equal to the server whatever fills them up."""
    run(
        server,
        """CREATE SCHEMA pad; CREATE TABLE pad.a (code CHAR(8) PRIMARY KEY); CREATE TABLE pad.b (id INT PRIMARY KEY,
            narrow CHAR(4) REFERENCES pad.a, wide CHAR(12) REFERENCES pad.a);
        INSERT INTO pad.a VALUES ('ab'); INSERT INTO pad.b VALUES (1, 'ab', 'ab')""",
    )
    project = make_project(s={"type": "sql", "url": text_of(server), "schema": "pad", "valid_time": "always"})
    load_all(project)
    stage_rows(project)
    assert edges(project) == [("s/b/id=1", "s/b#ref-narrow", "s/a/code=ab"), ("s/b/id=1", "s/b#ref-wide", "s/a/code=ab")]
    assert quarantine(project) == []


def test_keys_to_other_schemas(make_project: Make, server: sa.URL) -> None:
    """Tables of other schemas go by their schema and name: referred to by primary key unloaded, loaded if they are named."""
    run(
        server,
        """CREATE SCHEMA one; CREATE SCHEMA two;
        CREATE TABLE two.place (no INT, town TEXT, id INT UNIQUE, PRIMARY KEY (town, no));
        INSERT INTO two.place VALUES (1, 'x', 7);
        CREATE TABLE one.place (no INT PRIMARY KEY, "Near To" INT REFERENCES two.place (id));
        INSERT INTO one.place VALUES (1, 7);
        CREATE TABLE one.event (id INT PRIMARY KEY, no INT, town TEXT, FOREIGN KEY (no, town) REFERENCES two.place (no, town));
        INSERT INTO one.event VALUES (1, 1, 'x');
        ALTER TABLE two.place ADD home INT REFERENCES one.place; UPDATE two.place SET home = 1;
        CREATE TABLE "public".elsewhere (id INT PRIMARY KEY); INSERT INTO "public".elsewhere VALUES (3);
        ALTER TABLE one.event ADD other INT REFERENCES "public".elsewhere; UPDATE one.event SET other = 3;""",
    )
    source = {"type": "sql", "url": text_of(server), "schema": "one", "valid_time": "always"}
    project = make_project(s=source)
    load_all(project)
    stage_rows(project)
    known = [
        ("s/event/id=1", "s/event#ref-no;town", "s/two.place/town=x;no=1"),
        ("s/event/id=1", "s/event#ref-other", "s/public.elsewhere/id=3"),
    ]
    assert edges(project) == known
    assert [reason for reason, _, _ in quarantine(project)] == ["foreign_key_target_missing"]
    project = make_project(s=source | {"tables": ["place", "event", "two.place", "public.elsewhere"]})
    load_all(project)
    stage_rows(project)
    assert edges(project) == sorted(
        [
            *known,
            ("s/place/no=1", "s/place#ref-Near%20To", "s/two.place/town=x;no=1"),
            ("s/two.place/town=x;no=1", "s/two.place#ref-home", "s/place/no=1"),
        ]
    )
    assert {"s/place/no=1", "s/two.place/town=x;no=1", "s/public.elsewhere/id=3"} <= nodes(project).keys()
    assert quarantine(project) == []


def test_an_increment_is_asked_of_the_server(make_project: Make, server: sa.URL, clock: Clock) -> None:
    run(
        server,
        """CREATE SCHEMA inc; CREATE TABLE inc.t (id INT PRIMARY KEY, at TIMESTAMPTZ, n NUMERIC);
        INSERT INTO inc.t VALUES (1, '2024-01-01 10:00:00.5+02', 9), (2, '2024-01-02', 10);
        CREATE TABLE inc.u AS SELECT * FROM inc.t; ALTER TABLE inc.u ADD PRIMARY KEY (id)""",
    )
    load = {"t": {"mode": "incremental", "cursor": "at", "lag": "1h"}, "u": {"mode": "incremental", "cursor": "n"}}
    project = make_project(s={"type": "sql", "url": text_of(server), "schema": "inc", "load": load})
    load_source(project, "s")
    run(
        server,
        """INSERT INTO inc.t VALUES (3, '2024-01-01 23:30:00+00', 1), (4, '2024-01-01 22:00:00+00', 1), (5, NULL, 1);
        INSERT INTO inc.u VALUES (3, NULL, 9.5), (4, NULL, 10), (5, NULL, 100)""",
    )
    clock.forward()
    load_source(project, "s")
    stage_rows(project)
    assert sorted(nodes(project)) == [
        "s/t/id=1", "s/t/id=2", "s/t/id=3", "s/t/id=5", "s/u/id=1", "s/u/id=2", "s/u/id=4", "s/u/id=5",
    ]  # fmt: skip


def test_a_partition_is_no_table_of_its_own(make_project: Make, server: sa.URL) -> None:
    """Its rows are rows of the whole table; it can be asked for."""
    run(
        server,
        """CREATE SCHEMA parts; CREATE TABLE parts.zone (id INT PRIMARY KEY); INSERT INTO parts.zone VALUES (1);
        CREATE TABLE parts.event (id INT, day DATE, zone INT REFERENCES parts.zone, PRIMARY KEY (id, day))
            PARTITION BY RANGE (day);
        CREATE TABLE parts.old PARTITION OF parts.event FOR VALUES FROM ('2000-01-01') TO ('2020-01-01');
        CREATE TABLE parts.new PARTITION OF parts.event FOR VALUES FROM ('2020-01-01') TO ('2040-01-01');
        INSERT INTO parts.event VALUES (1, '2010-01-01', 1), (2, '2030-01-01', 1);""",
    )
    source = {"type": "sql", "url": text_of(server), "schema": "parts", "valid_time": "always"}
    project = make_project(s=source)
    load_all(project)
    stage_rows(project)
    assert sorted(nodes(project)) == ["s/event/id=1;day=2010-01-01", "s/event/id=2;day=2030-01-01", "s/zone/id=1"]
    assert len(edges(project)) == 2
    project = make_project(old=source | {"tables": ["old"]})
    load_all(project)
    stage_rows(project)
    assert edges(project, "source = 'old'") == [("old/old/id=1;day=2010-01-01", "old/old#ref-zone", "old/zone/id=1")]
