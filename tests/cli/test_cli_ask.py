"""The reading commands on a real snapshot and its warehouse."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Run, call, run

from stratagraph.cli.opened import at_point
from stratagraph.snapshot.reader import MAX_LIMIT

ANN = "https://example.org/graph/name/Person/ann%20smith"


def ask(built: Path, *arguments: str) -> Run:
    result = call(*arguments, "--path", built / "data")
    assert result.code == 0, result.err
    return result


def test_search_respects_valid_time(built: Path) -> None:
    early = ask(built, "search", "Ann Smith employer", "--kind", "fact", "--valid-at", "2020-01-01", "--json").json
    late = ask(built, "search", "Ann Smith employer", "--kind", "fact", "--valid-at", "2023-01-01", "--json").json
    assert any("Acme" in hit["text"] for hit in early)
    assert not any("Globex" in hit["text"] for hit in early)
    assert any("Globex" in hit["text"] for hit in late)


def test_recall_gives_validity_and_the_place_it_was_said(built: Path) -> None:
    found = ask(built, "recall", "Who does Ann Smith work for?", "--valid-at", "2020-01-01", "--json").json
    facts = [hit for hit in found["hits"] if hit["kind"] == "fact" and "Acme" in hit["text"] and "Ann" in hit["text"]]
    assert facts[0]["valid_from"].startswith("2019-03-01")
    assert facts[0]["valid_to"].startswith("2022-05-10")
    assert facts[0]["citations"][0]["quote"]
    human = ask(built, "recall", "Who does Ann Smith work for?", "--valid-at", "2020-01-01")
    assert "2019-03-01 → 2022-05-10" in human.out
    assert "valid at 2020-01-01" in human.err


def test_history_shows_all_versions_or_those_at_a_point(built: Path) -> None:
    everything = ask(built, "history", ANN, "--json").json
    past = ask(built, "history", ANN, "--valid-at", "2020-01-01", "--json").json
    assert 0 < len(past) < len(everything)
    assert ask(built, "history", ANN, "--known-at", "2001-01-01", "--json").json == []
    assert "no version at that point" in ask(built, "history", ANN, "--known-at", "2001-01-01").err
    assert "nothing is known under this id" in ask(built, "history", "urn:nobody").err
    assert "→" in ask(built, "history", ANN).out


def test_sql_takes_the_two_clocks_and_keeps_infinity(built: Path) -> None:
    query = (
        "SELECT subject, valid_to FROM graph.edges_as_of($valid_at, $known_at) WHERE predicate LIKE '%worksFor' ORDER BY ALL"
    )
    result = ask(built, "sql", query, "--valid-at", "2023-01-01", "--json").json
    assert result["columns"] == ["subject", "valid_to"]
    assert result["truncated"] is False
    assert {row[1] for row in result["rows"]} == {"infinity"}
    first = ask(built, "sql", "SELECT 1 AS a UNION ALL SELECT 2", "--limit", "1", "--json").json
    assert (len(first["rows"]), first["truncated"]) == (1, True)


def test_sql_on_the_warehouse_reads_what_snapshots_read(built: Path) -> None:
    query = "SELECT count(*) AS n, max(recorded_to) AS t FROM graph.nodes"
    snapshot = ask(built, "sql", query, "--json").json
    warehouse = call("sql", query, "--warehouse", "--json", "--config", built / "stratagraph.yaml")
    assert warehouse.code == 0, warehouse.err
    assert warehouse.json == snapshot


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELEC 1", "syntax error"),
        ("SELECT nothing FROM graph.nodes", "nothing"),
        ("DELETE FROM graph.nodes_open", "SELECT"),
        ("SELECT * FROM read_text('/etc/passwd')", "disabled"),
        ("SELECT 1; SELECT 2", "SELECT"),
    ],
)
def test_sql_that_cannot_be_run_is_one_message(built: Path, query: str, message: str) -> None:
    result = call("sql", query, "--path", built / "data")
    assert result.code == 1
    assert message in result.err
    assert "Traceback" not in result.err
    assert result.out == ""


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM graph.nodes_open",
        "COPY (SELECT 1) TO 'written.csv'",
        "ATTACH 'written.csv' AS other",
        "CREATE TEMP TABLE t AS SELECT 1",
        "SET threads = 1",
        "FROM read_text('stratagraph.yaml')",
        "SELECT 1; SELECT 2",
        "",
    ],
)
def test_the_warehouse_is_only_read_and_nothing_beside_it(
    built: Path, query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("sql", query, "--warehouse", "--config", built / "stratagraph.yaml")
    assert (result.code, result.out) == (1, "")
    assert "nothing can be written" in result.err
    assert list(tmp_path.iterdir()) == []


VALUES = "SELECT [TIMESTAMPTZ 'infinity'] AS t, 1.5::DECIMAL(9, 2), 'infinity'::TIMESTAMPTZ, 1 AS a, 2 AS a; -- a comment"


def test_both_places_give_values_in_the_same_form(built: Path) -> None:
    snapshot = ask(built, "sql", VALUES, "--json").json
    assert snapshot["rows"] == [["[infinity]", 1.5, "infinity", 1, 2]]
    assert call("sql", VALUES, "--warehouse", "--json", "--config", built / "stratagraph.yaml").json == snapshot


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("text", ["东京 → Ada", "caf\u00e9 \udcff"])
def test_any_text_is_printed_in_any_encoding(built: Path, encoding: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    options = ("--path", built / "data", "--limit", "2")
    answer = run("recall", text, *options, "--json")
    assert answer.code == 0, answer.err
    assert json.loads(answer.out)["query"] == text
    for command in ("search", "history"):
        shown = run(command, text, *options)
        assert shown.code == 0, shown.err


@pytest.mark.parametrize("command", ["search", "recall"])
def test_the_greatest_limit_is_what_the_reader_allows(built: Path, command: str) -> None:
    assert run(command, "Ada", "--path", built / "data", "--limit", str(MAX_LIMIT)).code == 0
    refused = run(command, "Ada", "--path", built / "data", "--limit", str(MAX_LIMIT + 1))
    assert refused.code == 2
    assert str(MAX_LIMIT) in refused.err


def test_status_counts_what_is_believed_at_a_point(built: Path) -> None:
    now = ask(built, "status", "--json").json
    before = ask(built, "status", "--known-at", "2001-01-01", "--json").json
    assert now["believed"]["entities"] >= 5
    assert (before["believed"]["entities"], before["believed"]["relations"], before["commits"]) == (0, 0, [])
    assert len(ask(built, "status", "--limit", "1", "--json").json["commits"]) == 1
    assert "believed: entities" in ask(built, "status").out


def test_identity_lists_every_ref_with_its_reason(built: Path) -> None:
    listed = ask(built, "identity", "list", "--json").json
    assert [(row["label"], row["method"]) for row in listed] == [("Peter Gibbons", "exact_name")]
    assert {"node_id", "label", "ref", "method", "score", "reason", "recorded_from"} == set(listed[0])
    one = ask(built, "identity", "list", listed[0]["ref"], "--json").json
    assert {row["node_id"] for row in one} == {listed[0]["node_id"]}
    assert ask(built, "identity", "list", "--known-at", "2001-01-01", "--json").json == []


def test_snapshots_are_listed_and_verified_and_damage_is_found(built: Path, tmp_path: Path) -> None:
    listed = ask(built, "snapshot", "list", "--json").json
    assert [entry["latest"] for entry in listed] == [True]
    verified = ask(built, "snapshot", "verify", listed[0]["id"], "--json").json
    assert verified["ok"] is True
    assert len(verified["files"]) > 5

    shutil.copytree(built / "data" / "snapshots", tmp_path / "snapshots")
    folder = tmp_path / "snapshots" / listed[0]["id"]
    nodes = folder / "tables" / "nodes.parquet"
    nodes.chmod(0o644)
    nodes.write_bytes(nodes.read_bytes()[:-1] + b"!")
    folder.chmod(0o755)
    (folder / "extra.txt").write_text("not ours")
    (folder / "tables" / "edges.parquet").unlink()
    damaged = call("snapshot", "verify", "--json", "--path", tmp_path)
    assert damaged.code == 1
    states = {entry["file"]: entry["state"] for entry in damaged.json["files"] if entry["state"] != "ok"}
    assert states == {"tables/nodes.parquet": "changed", "tables/edges.parquet": "missing"}
    human = call("snapshot", "verify", "--path", tmp_path)
    assert (human.code, "tables/nodes.parquet" in human.out, "publish again" in human.err) == (1, True, True)
    assert call("snapshot", "verify", "../snapshots", "--path", tmp_path).code == 1


@pytest.mark.parametrize("manifest", ["{", '{"format_version": "99.0"}'])
def test_a_snapshot_that_cannot_be_read_hides_no_other(built: Path, tmp_path: Path, manifest: str) -> None:
    shutil.copytree(built / "data" / "snapshots", tmp_path / "snapshots")
    (tmp_path / "snapshots" / "20990101T000000000000Z-0").mkdir()
    (tmp_path / "snapshots" / "20990101T000000000000Z-0" / "manifest.json").write_text(manifest)
    listed = call("snapshot", "list", "--json", "--path", tmp_path)
    assert [entry["latest"] for entry in listed.json] == [True]
    assert "20990101T000000000000Z-0" in listed.err


def test_the_doctor_finds_the_snapshot(built: Path) -> None:
    checks = {check["name"]: check for check in call("doctor", "--json", "--config", built / "stratagraph.yaml").json["checks"]}
    assert (checks["snapshot"]["status"], checks["warehouse"]["status"]) == ("ok", "ok")


@pytest.mark.parametrize(("option", "code"), [("--valid-at=2020-01-01T10:00", 1), ("--valid-at=soon", 1), ("--limit=0", 2)])
@pytest.mark.parametrize("command", ["search", "recall", "history", "sql", "status"])
def test_bad_options_are_refused(built: Path, command: str, option: str, code: int) -> None:
    arguments = {"sql": ["SELECT 1"], "status": []}.get(command, ["x"])
    result = call(command, *arguments, option, "--path", built / "data")
    assert result.code == code
    assert "Traceback" not in result.err


def test_text_from_the_graph_cannot_steer_the_terminal(built: Path) -> None:
    query = "SELECT chr(27) || '[31mred' || chr(8238) || '[bold]x[/bold]' AS t"
    human = ask(built, "sql", query)
    assert "\x1b" not in human.out and "\u202e" not in human.out
    assert "[bold]x[/bold]" in human.out
    assert ask(built, "sql", query, "--json").json["rows"] == [["\x1b[31mred\u202e[bold]x[/bold]"]]


def test_searching_loads_nothing_of_the_pipeline(built: Path) -> None:
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom stratagraph.cli.main import main\n"
        f"result = CliRunner().invoke(main, ['search', 'Ann', '--path', {str(built / 'data')!r}])\n"
        "assert result.exit_code == 0, result.output\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "duckdb" in loaded
    # pydantic comes with wordllama
    assert not set(loaded) & {
        "dlt",
        "dagster",
        "owlready2",
        "openai",
        "rdflib",
        "polars",
        "pyarrow",
        "sqlalchemy",
        "mcp",
        "yaml",
    }


def test_ends_without_a_datetime_lie_before_or_after_all() -> None:
    def row(start: str, end: str) -> dict[str, str]:
        return {"valid_from": start, "valid_to": end, "recorded_from": "2020-01-01T00:00:00Z", "recorded_to": "infinity"}

    ancient, eternal, far = (
        row("-infinity", "0044-03-15T00:00:00Z (BC)"),
        row("-infinity", "infinity"),
        row("2000-01-01T00:00:00Z", "12000-01-01T00:00:00Z"),
    )
    assert at_point([ancient, eternal, far], "2010-01-01", None) == [eternal, far]
    assert at_point([ancient, eternal, far], "any", "2019-12-31") == []
    assert at_point([ancient, eternal, far], None, "2020-01-01") == [ancient, eternal, far]
