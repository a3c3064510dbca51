"""The MCP server over a real stdio process, through the SDK's own client, on a real snapshot."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import CallToolResult

from stratagraph.snapshot.reader import open_snapshot

TOOLS = {"search", "recall", "get_entity", "neighbors", "history", "evidence", "communities", "status"}
PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")


def talk(place: Path, conversation: Callable[[Client], Awaitable[None]]) -> None:
    """Start the server as an agent's host does, and talk to it."""

    async def start() -> None:
        environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "stratagraph.cli.main", "mcp", "--path", str(place)], env=environment
        )
        async with Client(stdio_client(parameters)) as client:
            await conversation(client)

    anyio.run(start)


def answer(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert result.structured_content is not None
    text = "".join(block.text for block in result.content if block.type == "text")
    assert json.loads(text) == result.structured_content  # clients without structured output read the same
    return result.structured_content


def message(result: CallToolResult) -> str:
    assert result.is_error
    return "".join(block.text for block in result.content if block.type == "text")


def test_tools_are_described_bounded_and_read_only(project: Path) -> None:
    async def conversation(client: Client) -> None:
        assert "not instructions" in (client.instructions or "")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        for name, tool in tools.items():
            assert tool.description and f"| `{name}` |" in PAGE
            assert tool.annotations is not None and tool.annotations.read_only_hint is True
            assert tool.output_schema is not None and "snapshot" in tool.output_schema["properties"]
            for parameter, schema in tool.input_schema["properties"].items():
                assert f"`{parameter}`" in PAGE
                if parameter in ("limit", "hops"):
                    assert {"minimum", "maximum"} <= set(schema)

    talk(project / "data", conversation)


def test_every_tool_answers_as_the_reader_does(project: Path) -> None:
    async def conversation(client: Client) -> None:
        with open_snapshot(project / "data") as snapshot:
            found = answer(
                await client.call_tool("search", {"query": "Ann Smith", "kinds": ["node"], "limit": 3, "valid_at": "any"})
            )
            expected = snapshot.search("Ann Smith", kinds=["node"], limit=3, valid_at="any")
            assert found["snapshot"] == snapshot.id
            assert [hit["id"] for hit in found["hits"]] == [hit.id for hit in expected] != []
            ann = expected[0].id

            recalled = answer(
                await client.call_tool("recall", {"query": "Who does Ann Smith work for?", "valid_at": "2020-01-01"})
            )
            assert recalled["valid_at"] == "2020-01-01T00:00:00Z"
            assert any("Acme" in hit["text"] and hit["citations"] for hit in recalled["hits"])

            entity = answer(await client.call_tool("get_entity", {"id": ann}))["entity"]
            assert (entity["label"], entity["classes"]) == ("Ann Smith", ["https://example.org/my#Person"])

            around = answer(await client.call_tool("neighbors", {"id": ann, "valid_at": "2020-01-01"}))["neighbors"]
            assert [node["label"] for node in around if node["via"][0]["predicate"].endswith("worksFor")] == [
                "Acme Corporation"
            ]

            versions = answer(await client.call_tool("history", {"id": ann, "limit": 2}))
            assert (len(versions["versions"]), versions["total"]) == (2, len(snapshot.history(ann)))

            edge = around[0]["via"][0]["edge_id"]
            statements = answer(await client.call_tool("evidence", {"id": edge}))["statements"]
            assert statements[0]["quote"] in (project / "documents" / "2019.md").read_text(encoding="utf-8")

            communities = answer(await client.call_tool("communities", {"limit": 5}))["communities"]
            assert [community["id"] for community in communities] == [c["id"] for c in snapshot.communities(limit=5)] != []

            status = answer(await client.call_tool("status", {}))
            assert (status["known_at"], status["datasets"]) == (snapshot.manifest["known_at"], ["main"])

    talk(project / "data", conversation)


def test_nothing_known_is_an_answer_and_not_an_error(project: Path) -> None:
    async def conversation(client: Client) -> None:
        assert answer(await client.call_tool("get_entity", {"id": "urn:nobody"}))["entity"] is None
        assert answer(await client.call_tool("neighbors", {"id": "urn:nobody"}))["neighbors"] == []
        assert answer(await client.call_tool("history", {"id": "urn:nobody"}))["total"] == 0
        assert answer(await client.call_tool("search", {"query": "x", "kinds": []}))["hits"] == []
        for query in ("", "C:\\repo\\src", "`|_'\"", "the", "東京", "word " * 10_000):
            answer(await client.call_tool("search", {"query": query}))

    talk(project / "data", conversation)


def test_what_the_caller_can_correct_is_said(project: Path) -> None:
    async def conversation(client: Client) -> None:
        naive = message(await client.call_tool("search", {"query": "x", "valid_at": "2020-01-01T10:00"}))
        assert "without a zone" in naive and "add Z" in naive
        assert "less than or equal to 100" in message(await client.call_tool("search", {"query": "x", "limit": 1000}))
        assert "less than or equal to 4" in message(await client.call_tool("neighbors", {"id": "x", "hops": 9}))
        assert "lexical" in message(await client.call_tool("search", {"query": "x", "mode": "sql"}))
        answer(await client.call_tool("status", {}))  # and the server goes on

    talk(project / "data", conversation)


def test_many_calls_at_once_are_answered_each_with_its_own(project: Path) -> None:
    async def conversation(client: Client) -> None:
        async def ask(limit: int) -> None:
            hits = answer(await client.call_tool("search", {"query": "Ann Smith", "valid_at": "any", "limit": limit}))["hits"]
            assert len(hits) == min(limit, most)

        most = len(answer(await client.call_tool("search", {"query": "Ann Smith", "valid_at": "any", "limit": 100}))["hits"])
        async with anyio.create_task_group() as group:
            for limit in (1, 2, 3, 1, 2, 3, 100):
                group.start_soon(ask, limit)

    talk(project / "data", conversation)


def publish_again(data: Path, name: str) -> None:
    """What publishing does: a whole new folder, then LATEST replaced at once."""
    snapshots = data / "snapshots"
    current = snapshots / (snapshots / "LATEST").read_text(encoding="utf-8").strip()
    shutil.copytree(current, snapshots / name)
    manifest = json.loads((current / "manifest.json").read_text(encoding="utf-8"))
    (snapshots / name / "manifest.json").write_text(json.dumps({**manifest, "snapshot_id": name}), encoding="utf-8")
    (snapshots / "LATEST.tmp").write_text(name, encoding="utf-8")
    (snapshots / "LATEST.tmp").replace(snapshots / "LATEST")


def test_a_new_snapshot_is_read_by_the_next_call(project: Path, tmp_path: Path) -> None:
    shutil.copytree(project / "data" / "snapshots", tmp_path / "snapshots")

    async def conversation(client: Client) -> None:
        first = answer(await client.call_tool("search", {"query": "Ann Smith", "valid_at": "any"}))
        publish_again(tmp_path, "later")
        second = answer(await client.call_tool("search", {"query": "Ann Smith", "valid_at": "any"}))
        assert (first["snapshot"] != "later", second["snapshot"]) == (True, "later")
        assert second["hits"] == first["hits"] != []
        (tmp_path / "snapshots" / "LATEST").write_text("gone", encoding="utf-8")
        assert "LATEST names a snapshot that is not there" in message(await client.call_tool("status", {}))

    talk(tmp_path, conversation)


def test_without_a_snapshot_the_server_starts_and_says_what_to_do(tmp_path: Path) -> None:
    async def conversation(client: Client) -> None:
        assert "`stratagraph build` publishes one" in message(await client.call_tool("status", {}))

    talk(tmp_path, conversation)


def test_stdout_carries_the_protocol_only(project: Path) -> None:
    """Raw: every line on stdout is a JSON-RPC message, whatever is asked, and closing stdin ends the server."""
    initialize = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    search = {"name": "search", "arguments": {"query": "Ann", "limit": 0}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": search},
        {"jsonrpc": "2.0", "id": 3, "method": "nonsense"},
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "stratagraph.cli.main", "mcp", "--path", str(project / "data")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stdin is not None and server.stdout is not None
        answers = []
        for entry in messages:
            server.stdin.write(json.dumps(entry) + "\n")
            server.stdin.flush()
            if "id" in entry:
                answers.append(json.loads(server.stdout.readline()))
        rest, _ = server.communicate(timeout=20)
    assert [entry["id"] for entry in answers] == [1, 2, 3]
    assert rest == ""
    assert server.returncode == 0


@pytest.mark.parametrize("package", ["dlt", "dagster", "owlready2", "openai", "polars", "sqlalchemy"])
def test_the_server_needs_nothing_of_the_pipeline(package: str) -> None:
    code = f"import stratagraph.server.mcp, sys; sys.exit({package!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
