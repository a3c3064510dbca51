"""dlt sources by import path: where they are found, what they may yield, what of their hints counts, how cursors go on."""

from __future__ import annotations

import hashlib
import json
import sys
import textwrap
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from landed import Landed, land
from staged import Clock, Database, Make, landing

from stratagraph.errors import ConfigError, SourceError
from stratagraph.sources.load import load_source
from stratagraph.sources.read.dlt_source import DltReader
from stratagraph.sources.read.reader import Since

Write = Callable[..., None]
HEAD = "from datetime import date, datetime, timezone\nimport dlt\n"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a module into the project's folder."""

    def run(code: str, name: str = "feeds.py") -> None:
        (tmp_path / name).write_text(HEAD + textwrap.dedent(code), encoding="utf-8")

    return run


def read(make_project: Make, source: str = "feeds:feed", since: Since | None = None, **more: Any) -> Landed:
    project = make_project(feed={"type": "dlt", "source": source, **more})
    return land(project, "feed", DltReader(project, "feed", project.config.sources["feed"]), since)


def test_a_source_of_the_projects_folder(make_project: Make, write: Write) -> None:
    write("""
        from helper import rows
        @dlt.source
        def feed(count, of="users"):
            @dlt.resource(name=of, primary_key="id", write_disposition="append")
            def users():
                from helper import late
                yield rows(count) + late()
            return users
    """)
    write("def rows(n): return [{'id': i} for i in range(n)]\ndef late(): return [{'id': 'last'}]", "helper.py")
    paths, modules = list(sys.path), set(sys.modules)
    landed = read(make_project, arguments={"count": 2})
    assert landed.rows("users") == [{"id": '"last"'}, {"id": "0"}, {"id": "1"}]
    assert [(key.table, key.kind, key.columns) for key in landed.identifiers] == [("users", "primary", ("id",))]
    assert sys.path == paths
    assert not {"feeds", "helper"} & set(sys.modules)
    assert modules <= set(sys.modules)


def test_two_projects_may_have_modules_of_one_name(make_project: Make, write: Write) -> None:
    for value in ("one", "two"):
        write("from helper import value\n@dlt.resource\ndef feed(): yield {'value': value}")
        write(f"value = {value!r}", "helper.py")
        assert read(make_project).rows("feed") == [{"value": f'"{value}"'}]


def test_a_module_of_the_folder_stands_before_one_that_was_imported(make_project: Make, write: Write) -> None:
    import staged as imported  # the tests' own module of that name

    write("@dlt.resource\ndef feed(): yield {'id': 1}", "staged.py")
    assert read(make_project, "staged:feed").rows("feed") == [{"id": "1"}]
    assert sys.modules["staged"] is imported

    write("@dlt.resource\ndef feed(): yield {'id': 1}", "json.py")
    with pytest.raises(SourceError, match="called json"):
        read(make_project, "json:feed")


def test_an_installed_source(make_project: Make, database: Database) -> None:
    shop = database("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users VALUES (1, 'Ann')")
    landed = read(
        make_project, "dlt.sources.sql_database:sql_table", arguments={"credentials": f"sqlite:///{shop}", "table": "users"}
    )
    assert landed.rows("users") == [{"id": "1", "name": '"Ann"'}]
    assert [(key.kind, key.columns) for key in landed.identifiers] == [("primary", ("id",))]
    with pytest.raises(SourceError, match="which is no dlt source"):
        read(make_project, "dlt.common.utils:uniq_id")


@pytest.mark.parametrize(
    ("source", "more", "message", "hint"),
    [
        ("feedz:feed", {}, "no module feedz", "beside stratagraph.yaml"),
        ("feeds:fede", {}, "no source or resource 'fede'", "broken, feed"),
        ("feeds:feed", {}, "can't be called.*count", "arguments"),
        ("feeds:feed", {"arguments": {"count": 1, "size": 2}}, "can't be called.*size", "arguments"),
        ("feeds:feed", {"arguments": {"count": 1}, "resources": ["user"]}, "no resource 'user'", "did you mean users"),
        ("feeds:feed", {"arguments": {"count": 1}, "resources": []}, "no resource is selected", "users"),
        ("feeds:plain", {}, "returns int, which is no dlt source", "a dlt source"),
        ("feeds:number", {}, "no source or resource 'number'", "broken"),
        ("feeds:broken", {}, "ZeroDivisionError", None),
        ("crash:feed", {}, "can't be imported: ZeroDivisionError", None),
        ("syntax:feed", {}, "can't be imported: SyntaxError", None),
    ],
)
def test_what_cannot_be_called_is_named(
    make_project: Make, write: Write, source: str, more: dict[str, Any], message: str, hint: str | None
) -> None:
    write("""
        number = 5
        def plain(): return 5
        @dlt.resource
        def broken(): yield {"id": 1 / 0}
        @dlt.source
        def feed(count):
            @dlt.resource
            def users(): yield {"id": count}
            return users
    """)
    write("1 / 0", "crash.py")
    write("def", "syntax.py")
    with pytest.raises(SourceError, match=message) as caught:
        read(make_project, source, **more)
    assert str(caught.value).startswith(f"sources.feed: {source}")
    assert (hint is None and not caught.value.hint) or hint in str(caught.value.hint)


@pytest.mark.parametrize("source", ["feeds.feed", "feeds:feed()", "../feeds:feed", "feeds:a.b", ":feed", "feeds:"])
def test_an_import_path_is_checked_at_load(make_project: Make, source: str) -> None:
    with pytest.raises(ConfigError, match="source"):
        make_project(feed={"type": "dlt", "source": source})


def test_only_the_wanted_resources_are_read(make_project: Make, write: Write) -> None:
    write("""
        @dlt.source
        def feed():
            @dlt.resource
            def users(): yield [{"id": 1}, {"id": 2}]
            @dlt.transformer(data_from=users)
            def posts(users):
                for user in users: yield {"of": user["id"]}
            @dlt.resource(selected=False)
            def extra(): yield {"id": 1 / 0}
            return users, posts, extra
    """)
    assert read(make_project).tables() == ["posts", "users"]
    landed = read(make_project, resources=["posts"])
    assert landed.rows("posts") == [{"of": "1"}, {"of": "2"}]
    assert landed.tables() == ["posts"]


def test_values_stay_what_they_were(make_project: Make, write: Write) -> None:
    write("""
        from decimal import Decimal
        @dlt.resource(columns={"code": {"data_type": "bigint"}, "price": {"data_type": "double"}}, schema_contract="freeze")
        def feed():
            yield {"code": "00123", "price": Decimal("1.10"), "big": 2**70, "at": datetime(2020, 1, 2, tzinfo=timezone.utc),
                   "day": date(2020, 1, 2), "raw": b"x", "on": True, "no": None, "nan": float("nan")}
            yield {"code": 7, "later": "a"}
    """)
    text, number = read(make_project).rows("feed")
    assert (text["code"], number["code"], number["later"]) == ('"00123"', "7", '"a"')
    assert (text["price"], text["big"]) == ("1.10", str(2**70))
    assert (text["at"], text["day"]) == ('"2020-01-02T00:00:00+00:00"', '"2020-01-02"')
    assert (text["on"], text["nan"]) == ("true", json.dumps(str(float("nan"))))
    assert json.loads(text["raw"]) == {"bytes": 1, "sha256": hashlib.sha256(b"x").hexdigest()}


def test_tables_may_depend_on_the_rows(make_project: Make, write: Write) -> None:
    write("""
        @dlt.resource(table_name=lambda e: e["kind"], primary_key=lambda e: "id" if e["kind"] == "user" else "no")
        def events(): yield [{"kind": "user", "id": 1}, {"kind": "order", "no": 5}, {"kind": "user", "id": 2}]
        @dlt.resource(primary_key="n")
        def marked():
            yield dlt.mark.with_table_name({"n": 1}, "Named One")
            hints = dlt.mark.make_hints(table_name="named_two", primary_key="m")
            yield dlt.mark.with_hints({"m": 1}, hints, create_table_variant=True)
        def feed(): return [events, marked]
    """)
    landed = read(make_project)
    assert landed.tables() == ["named_one", "named_two", "order", "user"]
    assert landed.rows("user") == [{"kind": '"user"', "id": "1"}, {"kind": '"user"', "id": "2"}]
    assert {key.table: key.columns for key in landed.identifiers} == {
        "Named One": ("n",),
        "named_two": ("m",),
        "order": ("no",),
        "user": ("id",),
    }


def test_keys_and_references_find_the_fields_that_dlt_would_have_made_of_their_names(make_project: Make, write: Write) -> None:
    write("""
        @dlt.resource(name="Order Lines", primary_key=("order_no", "line__no"), references=[
            {"columns": ["order_no"], "referenced_table": "orders", "referenced_columns": ["order_no"]},
            {"columns": ["paid_by"], "referenced_table": "people", "referenced_columns": ["id"]}])
        def lines(): yield {"OrderNo": 1, "line": {"no": 1}, "PaidBy": 5}
        @dlt.resource(name="Orders", columns={"OrderNo": {"unique": True}})
        def orders(): yield {"OrderNo": 1}
        def feed(): return [lines, orders]
    """)
    landed = read(make_project)
    assert [(key.table, key.kind, key.columns) for key in landed.identifiers] == [
        ("Order Lines", "primary", ("OrderNo", "line.no")),
        ("Orders", "unique", ("OrderNo",)),
    ]
    assert [(key.table, key.columns, key.referenced_table, key.referenced_columns) for key in landed.foreign_keys] == [
        ("Order Lines", ("OrderNo",), "Orders", ("OrderNo",)),
        ("Order Lines", ("PaidBy",), "people", ("id",)),
    ]


@pytest.mark.parametrize(
    "disposition",
    [
        "'merge'",
        "{'disposition': 'merge', 'strategy': 'scd2'}",
        *(pytest.param(f"'{name}'", marks=pytest.mark.slow) for name in ("append", "skip", "replace")),
    ],
)
def test_dispositions_of_a_resource_do_not_count(make_project: Make, write: Write, disposition: str) -> None:
    write(f"""
        @dlt.resource(primary_key="id", merge_key="id", write_disposition={disposition})
        def feed(): yield [{{"id": 1}}, {{"id": 1}}, {{"id": None}}, {{"id": 2}}]
    """)
    assert read(make_project).rows("feed") == [{"id": None}, {"id": "1"}, {"id": "1"}, {"id": "2"}]


def test_frames_keep_their_types(make_project: Make, write: Write) -> None:
    write("""
        import polars, pyarrow as pa
        at = [datetime(1969, 12, 31, 23, 59, 59, 5), None]
        @dlt.resource
        def feed():
            yield pa.table({
                "Big Id": pa.array([2**64 - 1, 1], pa.uint64()), "count": pa.array([2**32 - 1, 0], pa.uint32()),
                "rate": pa.array([1.1, None], pa.float32()), "naive": pa.array(at, pa.timestamp("us")),
                "zoned": pa.array(at, pa.timestamp("us", "Europe/Berlin")), "code": pa.array(["x", "y"]).dictionary_encode(),
                "never": pa.nulls(2), "text": pa.array(["a", "b"], pa.string_view())})
            yield pa.record_batch({"Big Id": pa.array([7], pa.uint64()), "new": pa.array([True])})
        @dlt.resource
        def nested(): yield polars.DataFrame({"id": [1, 2], "tags": [["a"], ["b", "c"]]})
        @dlt.resource
        def durations():
            from datetime import timedelta
            yield pa.table({"took": [timedelta(days=1)], "by": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64()))})
        @dlt.resource
        def moments(): yield pa.table({"at": pa.array([-1], pa.timestamp("ns"))})
        def both(): return [feed, nested, durations, moments]
    """)
    landed = read(make_project, "feeds:both")
    types = [(column.name, column.type, column.encoded) for column in landed.columns if column.table_name == "feed"]
    assert types == [
        ("Big Id", "UBIGINT", False),
        ("count", "BIGINT", False),
        ("rate", "DOUBLE", False),
        ("naive", "TIMESTAMP", False),
        ("zoned", "TIMESTAMP WITH TIME ZONE", False),
        ("code", "VARCHAR", False),
        ("never", "", False),
        ("text", "VARCHAR", False),
        ("new", "BOOLEAN", False),
    ]
    rows = landed.rows("feed")
    assert [row["big_id"] for row in rows] == [1, 2**64 - 1, 7]
    assert {row["count"] for row in rows} == {0, 2**32 - 1, None}
    assert {row["rate"] for row in rows} == {1.1, None}
    assert rows[1]["naive"] == datetime(1969, 12, 31, 23, 59, 59, 5)  # noqa: DTZ001 - it has no zone
    assert rows[1]["zoned"].astimezone(UTC) == datetime(1969, 12, 31, 23, 59, 59, 5, UTC)
    assert landed.rows("moments") == [{"at": datetime(1969, 12, 31, 23, 59, 59, 999999)}]  # noqa: DTZ001 - floored
    assert landed.rows("nested__tags") == [{"value": '"a"'}, {"value": '"b"'}, {"value": '"c"'}]
    assert landed.rows("durations") == [{"took": '"1 day, 0:00:00"', "by__k": "1"}]


def test_a_table_is_records_or_frames(make_project: Make, write: Write) -> None:
    write("""
        import pyarrow as pa
        @dlt.resource
        def feed():
            yield {"id": 1}
            yield pa.table({"id": [2]})
        @dlt.resource
        def turned():
            yield pa.table({"id": [2]})
            yield {"id": 1}
    """)
    assert read(make_project).rows("feed") == [{"id": "1"}, {"id": "2"}]
    with pytest.raises(SourceError, match="turned: rows came as records after they came as flat frames"):
        read(make_project, "feeds:turned")


@pytest.mark.parametrize(
    ("row", "fields"),
    [
        ("Row(1)", {"id": "1", "where.x": "2"}),
        ("Model(identifier=1)", {"id": "1"}),
        ("types.MappingProxyType({'id': 1})", {"id": "1"}),
    ],
)
def test_records_of_other_kinds(make_project: Make, write: Write, row: str, fields: dict[str, str]) -> None:
    write(f"""
        import dataclasses, types, pydantic
        @dataclasses.dataclass
        class Row:
            id: int
            where: dict = dataclasses.field(default_factory=lambda: {{"x": 2}})
        class Model(pydantic.BaseModel):
            identifier: int = pydantic.Field(serialization_alias="id")
        @dlt.resource
        def feed(): yield {row}
    """)
    landed = read(make_project)
    assert {column.name for column in landed.columns} == set(fields)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("yield {'_dlt_id': 1}", "_dlt_id has a name of dlt's own"),
        ("yield {'a': [{'_DLT_parent': 1}]}", "_DLT_parent has a name of dlt's own"),
        ("import pyarrow; yield pyarrow.table({'_dlt_load_id': [1]})", "_dlt_load_id has a name of dlt's own"),
        ("yield ['x']", "a row is no record but str"),
        ("yield dlt.mark.with_file_import('x.csv', 'csv')", "imports files"),
        ("raise OSError('gone')", "OSError: gone"),
    ],
)
def test_what_cannot_be_landed_is_refused(make_project: Make, write: Write, tmp_path: Path, code: str, message: str) -> None:
    write(f"@dlt.resource\ndef feed():\n    yield {{'id': 1}}\n    {code}")
    with pytest.raises(SourceError, match=message):
        read(make_project)
    assert not (tmp_path / "data" / "landing.duckdb").exists()


def test_arguments_from_the_environment_are_never_shown(
    make_project: Make, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEED_KEY", "correct-horse")
    write("""
        @dlt.resource
        def feed(url, key):
            assert type(key) is str or isinstance(key, str)
            if url == "fail": raise OSError(f"can't reach http://x/?a={key} with {key}")
            yield {"id": 1}
    """)
    landed = read(make_project, arguments={"url": "works", "key": "${FEED_KEY}"})
    assert "correct-horse" not in landed.everything()
    with pytest.raises(SourceError, match="reach") as caught:
        read(make_project, arguments={"url": "fail", "key": "a ${FEED_KEY} b"})
    assert "correct-horse" not in "".join(traceback.format_exception(caught.value))


# The incremental of a resource, the cursor of its row of a day, and the greatest value as the landing file knows it.
CURSORS = {
    "text": ("dlt.sources.incremental('at', initial_value='2026-01-01')", "f'2026-01-0{day}'", "2026-01-03"),
    "number": ("dlt.sources.incremental('at', initial_value=0)", "day", "3"),
    "instant": (
        "dlt.sources.incremental('at', initial_value=datetime(2026, 1, 1, tzinfo=timezone.utc))",
        "datetime(2026, 1, day, tzinfo=timezone.utc)",
        "2026-01-03T00:00:00Z",
    ),
    "day": ("dlt.sources.incremental('at', initial_value=date(2026, 1, 1))", "date(2026, 1, day)", "2026-01-03"),
    "typed": (
        "dlt.sources.incremental[datetime]('at')",
        "datetime(2026, 1, day, tzinfo=timezone.utc)",
        "2026-01-03T00:00:00+00:00",
    ),
    "naive": ("dlt.sources.incremental[datetime]('at')", "datetime(2026, 1, day)", "2026-01-03T00:00:00"),
}


OFTEN = {("instant", "in the signature"), ("text", "as a hint"), ("naive", "in the signature")}


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        pytest.param(kind, given, marks=[] if (kind, given) in OFTEN else pytest.mark.slow)
        for kind in CURSORS
        for given in ("in the signature", "as a hint")
    ],
)
def test_an_incremental_resource_goes_on_and_loses_nothing(make_project: Make, write: Write, kind: str, given: str) -> None:
    incremental, at, greatest = CURSORS[kind]
    in_signature = given == "in the signature"
    write(f"""
        @dlt.resource(primary_key="id")
        def users({f"at={incremental}" if in_signature else ""}):
            yield [{{"id": day, "at": {at}}} for day in range(1, 6)]
        def feed(): return {"users" if in_signature else f"users.apply_hints(incremental={incremental})"}
    """)
    assert [row["id"] for row in read(make_project).rows("users")] == ["1", "2", "3", "4", "5"]
    later = read(make_project, since=Since({"users": ("at", greatest)}))
    assert [row["id"] for row in later.rows("users")] == ["3", "4", "5"]  # 3 again: others may have come at its time


def test_a_resource_without_a_cursor_is_read_whole(make_project: Make, write: Write) -> None:
    write("@dlt.resource\ndef feed(): yield [{'id': n} for n in range(3)]")
    assert len(read(make_project, since=Since({"feed": ("id", 2)})).rows("feed")) == 3


def test_a_cursor_of_another_type_than_its_rows_is_an_error(make_project: Make, write: Write) -> None:
    write("@dlt.resource\ndef feed(at=dlt.sources.incremental('at')): yield {'at': datetime(2026, 1, 1, tzinfo=timezone.utc)}")
    assert read(make_project).rows("feed") == [{"at": '"2026-01-01T00:00:00+00:00"'}]
    with pytest.raises(SourceError, match="values of the cursor at are datetime"):
        read(make_project, since=Since({"feed": ("at", "2026-01-01T00:00:00+00:00")}))


def test_a_source_loaded_by_its_cursor_keeps_what_it_does_not_repeat(
    make_project: Make, write: Write, clock: Clock, tmp_path: Path
) -> None:
    """The project's pipelines start empty every time: the cursor comes back from the landing file, in its own type."""
    write("""
        import json, pathlib
        asked = pathlib.Path(__file__).with_name("asked.txt")
        @dlt.resource(primary_key="id", write_disposition="append")
        def events(at=dlt.sources.incremental("at", initial_value=datetime(2026, 1, 1, tzinfo=timezone.utc))):
            with asked.open("a") as file: file.write(f"{at.start_value:%d} ")
            for number, day in json.loads(asked.with_name("rows.json").read_text()):
                if day >= at.start_value.day: yield {"id": number, "at": datetime(2026, 1, day, tzinfo=timezone.utc)}
    """)
    load = {"events": {"mode": "incremental", "cursor": "at", "lag": "2d"}}
    project = make_project(feed={"type": "dlt", "source": "feeds:events", "load": load})
    rows: list[tuple[int, int]] = []
    for new, total in (([(1, 4), (2, 5)], 2), ([(3, 3), (4, 2), (5, 9)], 4), ([(1, 10)], 4)):
        rows += new
        (tmp_path / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
        clock.forward()
        assert load_source(project, "feed").rows == total
    assert (tmp_path / "asked.txt").read_text(encoding="utf-8").split() == ["01", "03", "07"]
    with landing(project) as connection:
        log = connection.execute("SELECT key FROM stratagraph.rows ORDER BY loaded_at, key").fetchall()
    assert [key for (key,) in log] == ["[1]", "[2]", "[3]", "[5]", "[1]"]  # 4 came later than the lag allows for
