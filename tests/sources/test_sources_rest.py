"""REST APIs as sources, read from a real server: pages, retries, keys, what is refused, and what is never shown."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_api import Answer, Api, Request, serve
from landed import Landed, land
from staged import BASE, VOCABULARY, Clock, Make, edges, landing, nodes

from stratagraph.errors import ConfigError, SourceError
from stratagraph.sources.load import load_source
from stratagraph.sources.read.reader import Since
from stratagraph.sources.read.rest import RestReader
from stratagraph.sources.rows import stage_rows

KEY = "correct-horse-battery-staple"


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """The server; dlt waits as little as it can between its attempts."""
    monkeypatch.setenv("RUNTIME__REQUEST_BACKOFF_FACTOR", "0.01")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    with serve() as running:
        yield running


def source(api: Api, *resources: Any, client: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "rest", "client": {"base_url": f"{api.url}/v1/", **(client or {})}, "resources": list(resources), **more}


def read(make_project: Make, declared: dict[str, Any], since: Since | None = None) -> Landed:
    project = make_project(api=declared)
    return land(project, "api", RestReader(project, "api", project.config.sources["api"]), since)


def test_pages_by_link_header(api: Api, make_project: Make) -> None:
    def page(request: Request) -> Answer:
        number = int(request.query.get("page", "1"))
        link = {"Link": f'<{api.url}/v1/users?page={number + 1}>; rel="next"'} if number < 3 else {}
        return Answer([{"id": number * 10 + n} for n in range(2)], headers=link)

    api.paths["/v1/users"] = page
    landed = read(make_project, source(api, "users", client={"paginator": "header_link"}))
    assert landed.rows("users") == [{"id": str(number)} for number in (10, 11, 20, 21, 30, 31)]
    assert len(api.called("/v1/users")) == 3


def test_pages_by_offset(api: Api, make_project: Make) -> None:
    def page(request: Request) -> Answer:
        start, size = int(request.query["offset"]), int(request.query["limit"])
        return Answer({"items": [{"id": n} for n in range(start, min(start + size, 5))], "total": 5})

    api.paths["/v1/users"] = page
    resource = {
        "name": "users",
        "endpoint": {
            "path": "users",
            "data_selector": "items",
            "paginator": {"type": "offset", "limit": 2, "total_path": "total"},
        },
    }
    assert read(make_project, source(api, resource)).rows("users") == [{"id": str(n)} for n in range(5)]


def test_pages_by_cursor(api: Api, make_project: Make) -> None:
    following = {None: "b", "b": "c", "c": None}

    def page(request: Request) -> Answer:
        cursor = request.query.get("cursor")
        return Answer({"data": [{"at": cursor}], "next": following[cursor]})

    api.paths["/v1/events"] = page
    paginator = {"type": "cursor", "cursor_path": "next", "cursor_param": "cursor"}
    resource = {"name": "events", "endpoint": {"path": "events", "data_selector": "data", "paginator": paginator}}
    landed = read(make_project, source(api, resource))
    assert landed.rows("events") == [{"at": None}, {"at": '"b"'}, {"at": '"c"'}]


def test_busy_and_broken_servers_are_asked_again(api: Api, make_project: Make) -> None:
    rows = Answer([{"id": 1}])
    api.answers("/v1/busy", Answer("slow down", 429, {"Retry-After": "0"}), rows)
    api.answers("/v1/broken", Answer("oops", 500), Answer("oops", 503), rows)
    landed = read(make_project, source(api, "busy", "broken"))
    assert landed.rows("busy") == landed.rows("broken") == [{"id": "1"}]
    assert (len(api.called("/v1/busy")), len(api.called("/v1/broken"))) == (2, 3)


def test_a_server_that_stays_broken_is_an_error_and_nothing_is_written(api: Api, make_project: Make) -> None:
    api.answers("/v1/users", Answer("oops", 500))
    project = make_project(api=source(api, "users"))
    with pytest.raises(SourceError, match=r"500 Server Error.*/v1/users"):
        land(project, "api", RestReader(project, "api", project.config.sources["api"]))
    assert not project.landing.exists()


def test_credentials_are_sent_and_never_shown(
    api: Api, make_project: Make, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SHOP_KEY", KEY)
    api.paths["/v1/users"] = lambda request: (
        Answer([{"id": 1}]) if request.headers.get("Authorization") == f"Bearer {KEY}" else Answer("who are you?", 401)
    )
    api.paths["/v1/more"] = lambda request: Answer("not you", 403) if "k" in request.query else Answer([{"id": 2}])
    declared = source(api, "users", client={"auth": {"type": "bearer", "token": "${SHOP_KEY}"}})
    landed = read(make_project, declared)
    assert landed.rows("users") == [{"id": "1"}]
    assert KEY not in landed.everything()

    for key, resource in (
        ("wrong-" + KEY, "users"),
        (KEY, {"name": "more", "endpoint": {"path": "more", "params": {"k": "${SHOP_KEY}"}}}),
    ):
        monkeypatch.setenv("SHOP_KEY", key)
        with pytest.raises(SourceError, match=r"40[13]") as caught:
            read(make_project, declared | {"resources": [resource]})
        assert key not in "".join(traceback.format_exception(caught.value))
    assert KEY not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("body", "message", "place"),
    [
        ('[{"id": 1}', "JSON", "GET {url}/v1/users"),
        ("", "JSON", "GET {url}/v1/users"),
        ("[1, 2]", "a row is no record but int", "{url}/v1/: users"),
        ('{"error": "x"', "JSON", "GET {url}/v1/users"),
    ],
)
def test_an_answer_that_cannot_be_read_is_an_error_with_its_address(
    api: Api, make_project: Make, body: str, message: str, place: str
) -> None:
    api.answers("/v1/users", Answer(body))
    with pytest.raises(SourceError, match=message) as caught:
        read(make_project, source(api, "users"))
    assert place.format(url=api.url) in str(caught.value)


def test_the_query_of_an_address_is_not_shown(api: Api, make_project: Make) -> None:
    """A key may stand there under any name, and be written into the config itself."""
    resource = {"name": "none", "endpoint": {"path": "none", "params": {"sig": "a-literal-key"}}}
    with pytest.raises(SourceError, match=r"404 Client Error.*/v1/none\?\*\*\*") as caught:
        read(make_project, source(api, resource))
    assert "a-literal-key" not in str(caught.value)


def test_an_empty_list_is_no_rows(api: Api, make_project: Make) -> None:
    api.answers("/v1/users", Answer([]))
    api.answers("/v1/things", Answer([{"id": 1}]))
    landed = read(make_project, source(api, "users", "things"))
    assert landed.tables() == ["things"]
    assert {column.table_name for column in landed.columns} == {"things"}


def test_nested_objects_become_columns_and_lists_become_tables(api: Api, make_project: Make) -> None:
    user = {"Full Name": "Ann", "address": {"geo": {"lat": 1.50}}, "tags": ["a", "b"], "jobs": [{"at": "X", "dates": [2001]}]}
    api.answers("/v1/users", Answer([user, {"Full Name": None, "address": {}, "tags": []}]))
    landed = read(make_project, source(api, "users"))
    assert [(column.table_name, column.name) for column in landed.columns] == [
        ("users", "Full Name"),
        ("users", "address.geo.lat"),
        ("users.jobs", "at"),
        ("users.jobs.dates", "value"),
        ("users.tags", "value"),
    ]
    assert all(column.encoded for column in landed.columns)
    assert landed.rows("users__tags") == [{"value": '"a"'}, {"value": '"b"'}]
    assert landed.rows("users__jobs__dates") == [{"value": "2001"}]


def test_a_field_with_a_name_of_dlts_own_is_refused(api: Api, make_project: Make) -> None:
    api.answers("/v1/users", Answer([{"id": 1, "my_dlt_flag": True}]))
    assert read(make_project, source(api, "users")).rows("users") == [{"id": "1", "my_dlt_flag": "true"}]
    api.answers("/v1/users", Answer([{"id": 1, "_dlt_id": "x"}]))
    with pytest.raises(SourceError, match="_dlt_id has a name of dlt's own"):
        read(make_project, source(api, "users"))


def test_keys_of_the_config_are_keys_of_the_tables(api: Api, make_project: Make) -> None:
    api.answers("/v1/users", Answer([{"userId": 1}]))
    api.answers("/v1/posts", Answer([{"id": 5, "author_id": 1}]))
    users = {"name": "users", "primary_key": "userId"}
    reference = {"columns": ["author_id"], "referenced_table": "users", "referenced_columns": ["user_id"]}
    posts = {"name": "posts", "primary_key": ["id"], "references": [reference], "write_disposition": "merge"}
    landed = read(make_project, source(api, users, posts, resource_defaults={"write_disposition": "append"}))
    assert [(key.table, key.kind, key.columns) for key in landed.identifiers] == [
        ("posts", "primary", ("id",)),
        ("users", "primary", ("userId",)),
    ]
    assert [(key.table, key.columns, key.referenced_table, key.referenced_columns) for key in landed.foreign_keys] == [
        ("posts", ("author_id",), "users", ("userId",))
    ]


def test_a_resource_that_depends_on_another_asks_it_once(api: Api, make_project: Make) -> None:
    api.answers("/v1/users", Answer([{"id": 1}, {"id": 2}]))
    for user in (1, 2):
        api.answers(f"/v1/users/{user}/posts", Answer([{"title": f"of {user}"}]))
    posts = {"name": "posts", "endpoint": {"path": "users/{resources.users.id}/posts"}, "include_from_parent": ["id"]}
    landed = read(make_project, source(api, "users", posts))
    assert landed.rows("posts") == [{"title": '"of 1"', "_users_id": "1"}, {"title": '"of 2"', "_users_id": "2"}]
    assert len(api.called("/v1/users")) == 1


def test_pagination_that_never_ends_is_bounded(api: Api, make_project: Make) -> None:
    def page(request: Request) -> Answer:
        number = int(request.query.get("page", "1"))
        return Answer([{"id": number}], headers={"Link": f'<{api.url}/v1/users?page={number + 1}>; rel="next"'})

    api.paths["/v1/users"] = page
    declared = source(api, "users", client={"paginator": "header_link"}, max_requests=20)
    with pytest.raises(SourceError, match=r"more than 20 requests in one load.*/v1/users"):
        read(make_project, declared)
    assert len(api.asked) == 20


@pytest.mark.parametrize("way", ["link", "redirect"])
def test_credentials_do_not_follow_an_api_to_another_host(api: Api, make_project: Make, way: str) -> None:
    with serve() as other:
        other.answers("/v1/users", Answer([{"id": 2}]))
        elsewhere = f"{other.url}/v1/users"
        if way == "link":
            api.answers("/v1/users", Answer([{"id": 1}], headers={"Link": f'<{elsewhere}>; rel="next"'}))
        else:
            api.answers("/v1/users", Answer("", 302, {"Location": elsewhere}))
        declared = source(api, "users", client={"paginator": "header_link", "auth": {"type": "bearer", "token": KEY}})
        with pytest.raises(SourceError, match="leads to another host"):
            read(make_project, declared)
        assert other.asked == []

        named = declared | {"resources": [{"name": "users", "endpoint": {"path": elsewhere}}]}
        assert read(make_project, named).rows("users") == [{"id": "2"}]


def test_the_second_load_asks_only_for_what_is_new(api: Api, make_project: Make) -> None:
    api.paths["/v1/users"] = lambda request: Answer(
        [{"id": n, "at": f"2026-01-0{n}"} for n in range(1, 5) if f"2026-01-0{n}" >= request.query["since"]]
    )
    incremental = {"cursor_path": "at", "initial_value": "2026-01-02"}
    users = {"name": "users", "endpoint": {"params": {"since": "{incremental.start_value}"}, "incremental": incremental}}
    assert [row["id"] for row in read(make_project, source(api, users)).rows("users")] == ["2", "3", "4"]
    later = read(make_project, source(api, users), Since({"users": ("at", "2026-01-04")}))
    assert [row["id"] for row in later.rows("users")] == ["4"]
    assert [request.query["since"] for request in api.asked] == ["2026-01-02", "2026-01-04"]

    with pytest.raises(SourceError, match="the cursor of users is 'changed', but its dlt incremental follows 'at'"):
        read(make_project, source(api, users), Since({"users": ("changed", "2026-01-04")}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"client": {"base_url": "ftp://example.org/"}}, "http:// or https://"),
        ({"client": {}}, "http:// or https://"),
        ({"client": {"base_url": "https://ann:pw@example.org/"}}, r"client\.auth"),
        ({"client": {"base_url": "https:///v1"}}, "no address"),
        ({"client": {"base_url": "https://example.org:99999/"}}, "no address"),
        ({"client": {"base_url": "https://example.org/", "session": "x"}}, "session"),
        ({"resources": []}, "resources"),
        ({"max_requests": 0}, "max_requests"),
    ],
)
def test_a_config_that_cannot_work_is_refused_at_load(make_project: Make, change: dict[str, Any], message: str) -> None:
    declared = {"type": "rest", "client": {"base_url": "https://example.org/"}, "resources": ["a"]} | change
    with pytest.raises(ConfigError, match=message):
        make_project(api=declared)


def test_what_dlt_cannot_use_is_refused_with_its_reason(api: Api, make_project: Make, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"paginatr"):
        read(make_project, source(api, {"name": "users", "endpoint": {"paginatr": "x"}}))
    with pytest.raises(SourceError, match="rest_api can't use the config"):
        read(make_project, source(api, {"name": "posts", "endpoint": {"path": "{resources.users.id}"}}))
    assert not (tmp_path / "data" / "landing.duckdb").exists()


def test_rows_of_an_api_become_nodes_and_edges(api: Api, make_project: Make, clock: Clock) -> None:
    """From requests to statements: keys, references, nested objects and lists, and a row that is gone on the second load."""
    api.answers("/v1/users", Answer([{"id": 1, "name": "Ann", "home": {"city": "Oslo"}}, {"id": 2, "name": "Bo"}]))
    posts = [{"id": 7, "author": 1, "tags": ["x", "y"], "notes": [{"n": 1}]}, {"id": 8, "author": 2}, {"id": 9, "author": None}]
    api.answers("/v1/posts", Answer(posts), Answer(posts[:2]))
    reference = {"columns": ["author"], "referenced_table": "users", "referenced_columns": ["id"]}
    resources = [
        {"name": "users", "primary_key": "id"},
        {"name": "posts", "primary_key": "id", "references": [reference]},
    ]
    project = make_project(
        api=source(
            api, *resources, mapping={"posts": {"class": "v:Post", "label": "post {id}", "references": {"author": "v:by"}}}
        )
    )
    assert load_source(project, "api").changed
    stage_rows(project)
    assert edges(project, f"predicate = '{VOCABULARY}by'") == [
        ("api/posts/id=7", f"{VOCABULARY}by", "api/users/id=1"),
        ("api/posts/id=8", f"{VOCABULARY}by", "api/users/id=2"),
    ]
    assert nodes(project)["api/users/id=1"]["value"] == {
        "label": "Ann",
        "properties": {f"{BASE}api/users#id": 1, f"{BASE}api/users#name": "Ann", f"{BASE}api/users#home.city": "Oslo"},
    }
    nested = {(edge[0], edge[2]) for edge in edges(project) if edge[1] != f"{VOCABULARY}by"}
    assert nested == {(f"api/posts/id=7/{item}", "api/posts/id=7") for item in ("notes/0", "tags/0", "tags/1")}

    clock.forward()
    again = load_source(project, "api")
    assert (again.changed, again.rows) == (True, 7)
    clock.forward()
    assert not load_source(project, "api").changed


def test_an_api_loaded_by_its_cursor_keeps_what_it_does_not_repeat(api: Api, make_project: Make, clock: Clock) -> None:
    rows: list[dict[str, Any]] = [{"id": 1, "seq": 9}, {"id": 2, "seq": 10}]
    api.paths["/v1/events"] = lambda request: Answer([row for row in rows if row["seq"] >= int(request.query["from"])])
    endpoint = {"params": {"from": "{incremental.start_value}"}, "incremental": {"cursor_path": "seq", "initial_value": 0}}
    declared = source(
        api,
        {"name": "events", "primary_key": "id", "endpoint": endpoint},
        load={"events": {"mode": "incremental", "cursor": "seq"}},
    )
    project = make_project(api=declared)
    for new, total in (([], 2), ([{"id": 3, "seq": 10}, {"id": 4, "seq": 11}], 4), ([{"id": 1, "seq": 12}], 4)):
        rows += new
        clock.forward()
        assert load_source(project, "api").rows == total
    assert [request.query["from"] for request in api.asked] == ["0", "10", "11"]
    with landing(project) as connection:
        log = connection.execute("SELECT key, content FROM stratagraph.rows ORDER BY loaded_at, key").fetchall()
    assert [key for key, _ in log] == ["[1]", "[2]", "[3]", "[4]", "[1]"]
