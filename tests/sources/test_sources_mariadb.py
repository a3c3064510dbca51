"""A real MariaDB server on loopback: its types, keys within and across databases, dates that are none."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from direct_mapping import mapped, parsed
from servers import run
from staged import Clock, Make, edges, nodes, quarantine

from stratagraph.errors import SourceError
from stratagraph.project import Project
from stratagraph.sources.keys.update import update_foreign_keys
from stratagraph.sources.load import load_source
from stratagraph.sources.rows import stage_rows

pytestmark = pytest.mark.databases

TYPES = """CREATE TABLE types.v (id INT PRIMARY KEY, b TINYINT(1), ti TINYINT, ub BIGINT UNSIGNED, big BIGINT, n DECIMAL(10,2),
    n65 DECIMAL(65,30), f FLOAT, d DOUBLE, dt DATETIME(6), ts TIMESTAMP(3) NULL, da DATE, t TIME(3), y YEAR, e ENUM('a','b'),
    s SET('x','y'), j JSON, b1 BIT(1), b8 BIT(8), b64 BIT(64), bl BLOB, bi BINARY(4), c CHAR(5), vc VARCHAR(20), geo POINT,
    `weird %s name` INT, u UUID, z INT(5) ZEROFILL)"""
ROW = """INSERT INTO types.v VALUES (1, 1, -5, 18446744073709551615, -9223372036854775808, 12.50,
    12345678901234567890123456789012345.123456789012345678901234567890, 70.22, 0.1, '2024-02-29 10:00:00.123456',
    '2024-02-29 10:00:00.5', '2024-02-29', '10:00:00.5', 2024, 'b', 'x,y', '{"a": [1, 2.50]}', b'1', b'101', 0xFFFFFFFFFFFFFFFF,
    0x00FF, 0x01, 'ab', '🦉 ünï', ST_GeomFromText('POINT(1 2)'), 7, '5f0c6c5e-0000-4000-8000-000000000001', 42)"""


@pytest.fixture(scope="module")
def types(mariadb: sa.URL) -> sa.URL:
    """A database with a column of every type; the second row holds what only a careless server lets in."""
    run(mariadb, "CREATE DATABASE types CHARACTER SET utf8mb4", TYPES, ROW)
    run(
        mariadb,
        "SET sql_mode = ''",
        """INSERT INTO types.v (id, b, dt, ts, da, e, y, t) VALUES
        (2, 5, '0000-00-00 00:00:00', '0000-00-00', '0000-00-00', 'zzz', 0, '838:59:59'),
        (3, NULL, '2024-00-00', NULL, '2024-02-30', NULL, NULL, NULL)""",
    )
    return mariadb.set(database="types")


def text_of(url: sa.URL) -> str:
    return url.render_as_string(hide_password=False)


def staged(project: Project) -> None:
    load_source(project, "s")
    stage_rows(project)


def test_every_type_is_read(make_project: Make, types: sa.URL) -> None:
    project = make_project(s={"type": "sql", "url": text_of(types), "valid_time": "always"})
    staged(project)
    found = {ref: {k.split("#")[1]: v for k, v in row["value"]["properties"].items()} for ref, row in nodes(project).items()}
    assert found["s/v/id=1"].pop("geo")["bytes"] == 25
    assert found["s/v/id=1"] == {
        "id": 1, "b": 1, "ti": -5, "ub": 18446744073709551615, "big": -9223372036854775808, "n": 12.5,
        "n65": "12345678901234567890123456789012345.12345678901234567890123456789", "f": 70.22, "d": 0.1,
        "dt": "2024-02-29T10:00:00.123456", "ts": "2024-02-29T10:00:00.5", "da": "2024-02-29", "t": "10:00:00.500", "y": 2024,
        "e": "b", "s": "x,y", "j": '{"a": [1, 2.50]}', "b1": 1, "b8": 5, "b64": 18446744073709551615,
        "bl": {"bytes": 2, "sha256": "06eb7d6a69ee19e5fbdf749018d3d2abfa04bcbd1365db312eb86dc7169389b8"},
        "bi": {"bytes": 4, "sha256": "67abdd721024f0ff4e0b3f4c2fc13bc5bad42d0b7851d456d88d203d15aaa450"}, "c": "ab",
        "vc": "🦉 ünï", "weird%20%25s%20name": 7, "u": "5f0c6c5e-0000-4000-8000-000000000001", "z": 42,
    }  # fmt: skip
    assert found["s/v/id=2"] == {
        "id": 2, "b": 5, "dt": "0000-00-00 00:00:00.000000", "ts": "0000-00-00 00:00:00.000", "da": "0000-00-00", "e": "",
        "y": 0, "t": "838:59:59.000",
    }  # fmt: skip
    assert found["s/v/id=3"] == {"id": 3, "dt": "2024-00-00 00:00:00.000000", "da": "0000-00-00"}
    assert quarantine(project) == []


def test_every_type_has_its_datatype(types: sa.URL) -> None:
    found = {
        (str(s)[-1], str(p).rpartition("#")[2]): (str(o), str(o.datatype or "").rpartition("#")[2])  # type: ignore[attr-defined]
        for s, p, o in parsed(mapped(text_of(types)), "nt")
        if not str(p).endswith("type")
    }
    first = {column: value for (row, column), value in found.items() if row == "1"}
    assert first == {
        "id": ("1", "integer"), "b": ("true", "boolean"), "ti": ("-5", "integer"), "ub": ("18446744073709551615", "integer"),
        "big": ("-9223372036854775808", "integer"), "n": ("12.5", "decimal"),
        "n65": ("12345678901234567890123456789012345.12345678901234567890123456789", "decimal"),
        "f": ("7.022E1", "double"), "d": ("1.0E-1", "double"), "dt": ("2024-02-29T10:00:00.123456", "dateTime"),
        "ts": ("2024-02-29T10:00:00.5", "dateTime"), "da": ("2024-02-29", "date"), "t": ("10:00:00.5", "time"),
        "y": ("2024", "gYear"), "e": ("b", ""), "s": ("x,y", ""),
        "j": ('{"a": [1, 2.50]}', ""), "b1": ("true", "boolean"), "b8": ("5", "integer"),
        "b64": ("18446744073709551615", "integer"), "bl": ("00FF", "hexBinary"), "bi": ("01000000", "hexBinary"),
        "c": ("ab   ", ""), "vc": ("🦉 ünï", ""), "geo": ("000000000101000000000000000000F03F0000000000000040", ""),
        "weird%20%25s%20name": ("7", "integer"), "u": ("5f0c6c5e-0000-4000-8000-000000000001", ""), "z": ("42", "integer"),
    }  # fmt: skip
    assert found["2", "b"] == ("5", "integer")  # no boolean
    assert (
        found["2", "da"] == ("0000-00-00", "")
        and found["2", "y"] == ("0", "integer")
        and found["2", "t"] == ("838:59:59.000", "")
    )


def test_keys_within_and_across_databases(make_project: Make, mariadb: sa.URL) -> None:
    run(
        mariadb, "CREATE DATABASE shop", "CREATE DATABASE ref",
        "CREATE TABLE ref.country (id INT PRIMARY KEY, code CHAR(2) UNIQUE)",
        "INSERT INTO ref.country VALUES (1, 'DE'), (2, 'FR')",
        "CREATE TABLE shop.account (bank VARCHAR(9), no INT, country INT, PRIMARY KEY (no, bank), "
        "CONSTRAINT lives FOREIGN KEY (country) REFERENCES ref.country (id))",
        "INSERT INTO shop.account VALUES ('b', 1, 1), ('b', 2, NULL), ('c', 1, 2)",
        "CREATE TABLE shop.transfer (id INT PRIMARY KEY, fb VARCHAR(9), fn INT, tb VARCHAR(9), tn INT, "
        "undoes INT, code CHAR(2), "
        "FOREIGN KEY (fn, fb) REFERENCES account (no, bank), FOREIGN KEY (tn, tb) REFERENCES account (no, bank), "
        "FOREIGN KEY (undoes) REFERENCES transfer (id), FOREIGN KEY (code) REFERENCES ref.country (code))",
        "INSERT INTO shop.transfer VALUES (1, 'b', 1, 'c', 1, NULL, 'DE'), (2, 'b', 2, 'b', NULL, 1, NULL)",
    )  # fmt: skip
    source = {"type": "sql", "url": text_of(mariadb.set(database="shop")), "valid_time": "always"}
    project = make_project(s=source)
    staged(project)
    within = [
        ("s/transfer/id=1", "s/transfer#ref-fn;fb", "s/account/no=1;bank=b"),
        ("s/transfer/id=1", "s/transfer#ref-tn;tb", "s/account/no=1;bank=c"),
        ("s/transfer/id=2", "s/transfer#ref-fn;fb", "s/account/no=2;bank=b"),
        ("s/transfer/id=2", "s/transfer#ref-undoes", "s/transfer/id=1"),
    ]
    across = [
        ("s/account/no=1;bank=b", "s/account#ref-country", "s/ref.country/id=1"),
        ("s/account/no=1;bank=c", "s/account#ref-country", "s/ref.country/id=2"),
    ]
    assert edges(project) == sorted(within + across)
    # By a unique column of a table that is not loaded, nothing says which row it is. That is recorded.
    assert [(reason, location) for reason, location, _ in quarantine(project)] == [
        ("foreign_key_target_missing", 's/transfer {"id":1}')
    ]
    assert update_foreign_keys(project).declared == 5
    # With that table as well, it is found.
    project = make_project(s=source | {"tables": ["account", "transfer", "ref.country"]})
    staged(project)
    assert edges(project) == sorted([*within, *across, ("s/transfer/id=1", "s/transfer#ref-code", "s/ref.country/id=1")])
    assert quarantine(project) == []


def test_only_changes_count(make_project: Make, mariadb: sa.URL, clock: Clock) -> None:
    run(
        mariadb,
        "CREATE DATABASE a",
        "CREATE TABLE a.t (id INT PRIMARY KEY, v TEXT)",
        "INSERT INTO a.t VALUES (1, 'x'), (2, 'y')",
    )
    url = mariadb.set(drivername="mysql", database="a")  # without a driver: the one that stratagraph[mysql] brings
    project = make_project(s={"type": "sql", "url": text_of(url)})
    assert load_source(project, "s").changed
    clock.forward()
    assert not load_source(project, "s").changed
    run(mariadb, "UPDATE a.t SET v = 'z' WHERE id = 2")
    clock.forward()
    assert load_source(project, "s").changed


def test_an_increment_is_asked_of_the_server(make_project: Make, mariadb: sa.URL, clock: Clock) -> None:
    run(
        mariadb, "CREATE DATABASE inc", "CREATE TABLE inc.t (id INT PRIMARY KEY, at DATETIME(6))",
        "INSERT INTO inc.t VALUES (1, '2024-01-01 10:00:00.5'), (2, '2024-01-02')",
    )  # fmt: skip
    project = make_project(
        s={"type": "sql", "url": text_of(mariadb.set(database="inc")), "load": {"t": {"mode": "incremental", "cursor": "at"}}}
    )
    load_source(project, "s")
    run(mariadb, "DELETE FROM inc.t WHERE id = 1", "INSERT INTO inc.t VALUES (3, '2024-01-01'), (4, '2024-01-03'), (5, NULL)")
    clock.forward()
    assert load_source(project, "s").rows == 4  # 1, 2, 4, 5: what is gone is not looked for, 3 is late


def test_what_the_server_refuses_is_one_error_without_the_password(make_project: Make, mariadb: sa.URL) -> None:
    project = make_project(s={"type": "sql", "url": text_of(mariadb.set(password="wr0ng pw", database="mysql"))})
    with pytest.raises(SourceError, match="cannot be read") as caught:
        load_source(project, "s")
    assert "wr0ng" not in str(caught.value)
