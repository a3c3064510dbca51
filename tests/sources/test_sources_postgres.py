"""A real PostgreSQL server on loopback: types, keys across schemas, changes seen by reading, and what it refuses."""

from __future__ import annotations

from io import BytesIO

import pytest
import sqlalchemy as sa
from direct_mapping import BASE, CASES, assert_same, expected, mapped, postgres_script
from servers import run
from staged import Clock, Make, edges, load_all, nodes, quarantine, statements

from stratagraph.errors import SourceError
from stratagraph.sources.direct_map import write_direct_map
from stratagraph.sources.keys import update_foreign_keys
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
    url = text_of(server)
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
