"""The doctor finds what is wrong with real files, databases, endpoints and locks; it shows no secret and changes nothing."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from stratagraph.cli.health.packages import check_packages
from stratagraph.cli.main import main

KEY = "sk-very-secret"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    assert CliRunner().invoke(main, ["init", str(tmp_path)]).exit_code == 0
    return tmp_path


@pytest.fixture
def endpoint() -> Iterator[tuple[str, dict[str, Any]]]:
    """An OpenAI-compatible server on loopback; the dict sets its status and collects what it saw."""
    state: dict[str, Any] = {"status": 200, "headers": [], "location": None}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state["headers"].append((self.path, self.headers.get("Authorization")))
            self.send_response(state["status"])
            if state["location"]:
                self.send_header("Location", state["location"])
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", state
    server.shutdown()


def doctor(project: Path) -> tuple[int, dict[str, dict[str, str]], str]:
    result = CliRunner().invoke(main, ["doctor", "--json", "--config", str(project / "stratagraph.yaml")])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, {check["name"]: check for check in json.loads(result.stdout)["checks"]}, result.output


def extend(project: Path, text: str, without: str = "sources:") -> None:
    file = project / "stratagraph.yaml"
    file.write_text(file.read_text().replace(f"\n{without}\n", "\n") + text)


def test_a_new_project_is_fine_and_nothing_is_written(project: Path) -> None:
    before = sorted(project.rglob("*"))
    code, checks, _ = doctor(project)
    assert code == 0
    assert {name: check["status"] for name, check in checks.items() if not name.startswith("packages")} == {
        "python": "ok", "config": "ok", "documents notes": "warn", "ontology": "ok", "disk": "ok", "landing file": "ok",
        "warehouse": "ok", "snapshot": "warn",
    }  # fmt: skip
    assert all(check["hint"] for check in checks.values() if check["status"] != "ok")
    assert sorted(project.rglob("*")) == before


def test_lines_for_people_say_what_to_do(project: Path) -> None:
    (project / "ontology.ttl").unlink()
    result = CliRunner().invoke(main, ["doctor", "--config", str(project / "stratagraph.yaml")])
    assert result.exit_code == 1
    assert f"fail ontology  no such file: {project / 'ontology.ttl'}\n      -> correct ontology.files" in result.stdout


def test_a_config_with_faults_is_a_fault_with_all_of_them(project: Path) -> None:
    extend(project, "\nextractoin: {}\nguard: {max_shrink: 7}\n")
    code, checks, _ = doctor(project)
    assert code == 1
    assert "did you mean extraction?" in checks["config"]["message"]
    assert "guard.max_shrink: 7 must be less than or equal to 1" in checks["config"]["message"]


def test_a_malformed_ontology_is_named_with_its_place(project: Path) -> None:
    (project / "ontology.ttl").write_text("@prefix a: <http://a#> .\na:B a ")
    code, checks, _ = doctor(project)
    assert code == 1
    assert "ontology.ttl" in checks["ontology"]["message"]


def test_databases_are_reached_or_not_and_a_missing_file_is_not_made(project: Path) -> None:
    with sqlite3.connect(project / "shop.db") as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
    (project / "broken.db").write_bytes(b"not a database at all, but long enough to be taken for one" * 20)
    extend(
        project,
        "\nsources:\n  good: {type: sql, url: 'sqlite:///shop.db'}\n  gone: {type: sql, url: 'sqlite:///gone.db'}\n"
        "  broken: {type: sql, url: 'sqlite:///broken.db'}\n  odd: {type: sql, url: 'nosuch://ann:geheim@h/db'}\n"
        "  none:\n    type: recorded\n    path: 'v/*.yaml'\n    recorded_at: '%Y'\n"
        "    mapping: {class: 'https://e/P', keys: [id], label: ['{id}']}\n",
    )
    code, checks, output = doctor(project)
    assert code == 1
    assert checks["source good"]["message"] == "sqlite:///shop.db: 1 tables"
    assert "no such file" in checks["source gone"]["message"]
    assert "file is not a database" in checks["source broken"]["message"]
    assert "nosuch://ann:***@h/db is no SQLAlchemy URL of a known database" in checks["source odd"]["message"]
    assert checks["source none"]["status"] == "fail"
    assert "geheim" not in output
    assert not (project / "gone.db").exists()


def use_openai(project: Path, url: str) -> None:
    file = project / "stratagraph.yaml"
    file.write_text(file.read_text().replace("  engine: embedded\n", f"  engine: openai\n  base_url: {url}\n", 1))


@pytest.mark.parametrize(
    ("status", "key", "expected", "text"),
    [
        (200, KEY, "ok", "answers and takes the key"),
        (200, None, "warn", "OPENAI_API_KEY is not set"),
        (401, KEY, "fail", "refuses the key"),
        (401, None, "fail", "wants a key"),
        (404, KEY, "warn", "answers HTTP 404"),
        (302, KEY, "warn", "answers HTTP 302"),
    ],
)
def test_the_endpoint_is_asked_and_the_key_never_shown(
    project: Path,
    endpoint: tuple[str, dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    key: str | None,
    expected: str,
    text: str,
) -> None:
    url, state = endpoint
    state.update(status=status, location=url + "/elsewhere" if status == 302 else None)
    if key:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    use_openai(project, url)
    _, checks, output = doctor(project)
    assert (checks["extraction endpoint"]["status"], text in checks["extraction endpoint"]["message"]) == (expected, True)
    assert state["headers"] == [("/v1/models", f"Bearer {key}" if key else None)]
    assert KEY not in output


def test_an_endpoint_that_is_not_there_fails(project: Path) -> None:
    use_openai(project, "http://127.0.0.1:9/v1")
    code, checks, _ = doctor(project)
    assert code == 1
    assert "http://127.0.0.1:9/v1 does not answer: Connection refused" in checks["extraction endpoint"]["message"]


def test_a_locked_warehouse_and_a_damaged_landing_file_are_told_apart(project: Path) -> None:
    (project / "data").mkdir()
    (project / "data" / "landing.duckdb").write_bytes(b"x" * 20_000)
    warehouse = project / "data" / "warehouse.duckdb"
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(warehouse)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        exit_code, checks, _ = doctor(project)
        holder.communicate("")
    assert exit_code == 1
    assert checks["warehouse"]["status"] == "warn"
    assert "lock" in checks["warehouse"]["message"]
    assert checks["landing file"]["status"] == "fail"
    with duckdb.connect(str(warehouse)):  # the doctor left it as it was
        pass


def test_packages_are_held_against_the_declared_ranges() -> None:
    checks = {check.name: check for check in check_packages()}
    assert checks["packages"].status == "ok"
    assert checks["packages [pipeline]"].status == "ok"
    assert "packages [dev]" not in checks


def test_a_version_outside_its_range_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    from stratagraph.cli.health import packages

    monkeypatch.setattr(
        packages, "_declared", lambda: {"": ["duckdb<1", "no-such-package>=1"], "x": ["click>=1"], "y": ["absent-too"]}
    )
    checks = {check.name: check for check in check_packages()}
    assert checks["packages"].status == "fail"
    assert f"duckdb {duckdb.__version__} is outside <1" in checks["packages"].message
    assert "no-such-package is missing" in checks["packages"].message
    assert checks["packages [x]"].status == "ok"
    assert checks["packages [y]"].message == "not installed: absent-too"


def test_files_and_what_they_make_are_counted(project: Path) -> None:
    (project / "data1").mkdir()
    for name in ("a.csv", "b.csv"):
        (project / "data1" / name).write_text("id,v\n1,x\n")
    extend(project, "sources:\n  f: {type: files, path: data1/*.csv}\n  g: {type: files, path: data2/*.csv}\n")
    code, checks, _ = doctor(project)
    assert code == 1
    assert checks["source f"] | {"hint": ""} == {
        "name": "source f", "status": "ok", "message": "2 files make 2 tables", "hint": "",
    }  # fmt: skip
    assert checks["source g"]["status"] == "fail" and "data2/*.csv" in checks["source g"]["message"]


def test_an_api_that_does_not_listen_is_found(project: Path, endpoint: tuple[str, dict[str, Any]]) -> None:
    url, state = endpoint
    extend(
        project,
        f"sources:\n  up: {{type: rest, client: {{base_url: '{url}'}}, resources: [x]}}\n"
        "  down: {type: rest, client: {base_url: 'http://127.0.0.1:9/'}, resources: [x]}\n",
    )
    code, checks, _ = doctor(project)
    assert code == 1
    assert checks["source up"]["status"] == "ok" and state["headers"] == [], "nothing is asked of it"
    assert checks["source down"]["status"] == "fail" and "does not answer" in checks["source down"]["message"]


def test_a_dlt_source_is_there_or_is_not(project: Path) -> None:
    (project / "feeds.py").write_text("import dlt\n\n\n@dlt.resource\ndef things():\n    yield {'id': 1}\n")
    extend(project, "sources:\n  a: {type: dlt, source: 'feeds:things'}\n  b: {type: dlt, source: 'feeds:thing'}\n")
    code, checks, _ = doctor(project)
    assert code == 1
    assert checks["source a"]["status"] == "ok"
    assert checks["source b"]["status"] == "fail" and "things" in checks["source b"]["hint"]
