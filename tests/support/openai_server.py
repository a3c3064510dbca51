"""A real OpenAI-compatible endpoint on loopback whose answers are scripted.

    with start(respond) as endpoint:      # respond: Request -> Reply
        ...                               # endpoint.url is the base URL, endpoint.requests what it was asked

`Request` is one call of chat completions, `Reply` says what comes back: content, tool calls, status, headers, delays, a
broken connection, any bytes. `serve(script)` is the same for scripts that look at the chunk's text and at how often it came.
What is no question about a chunk (the engine asks a harmless one when it doubts the endpoint) is answered with 'yes', unless
`down`.

Files and batches (`/files`, `/batches`) work as the official ones do: a batch waits until `run_batches()` answers its requests
by the same script. `Endpoint.fault` breaks any request before or after it took effect.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Request:
    """One call of chat completions.

    Args:
        body: as it was sent.
        text: the chunk's text, None if none is asked about.
        nth: how often this text came, from 1.
    """

    body: dict[str, Any]
    text: str | None
    nth: int

    @property
    def mode(self) -> str:
        """'json_schema', 'json_object', 'tool' or 'text'."""
        if "tools" in self.body:
            return "tool"
        return str(self.body.get("response_format", {}).get("type", "text"))


@dataclass
class Reply:
    """What the endpoint does with one request.

    Args:
        content: of the message; with another status than 200, the message of the error.
        arguments: the answer comes as a tool call with these arguments.
        error: members of the error, such as code and param.
        usage: (prompt tokens, completion tokens) or None.
        raw: the body, instead of all that.
        delay: seconds before it answers; trickle: seconds before each further byte of the body.
        broken: the connection is closed before ('all') or in the middle of ('half') the body.
        endless: the body goes on for so many bytes.
    """

    content: Any = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    finish_reason: str = "stop"
    refusal: str | None = None
    delay: float = 0.0
    usage: tuple[int, int] | None = (100, 20)
    raw: str | None = None
    arguments: Any = None
    error: dict[str, Any] = field(default_factory=dict)
    trickle: float = 0.0
    broken: str | None = None
    endless: int = 0

    def body(self) -> str:
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return json.dumps({"error": {"message": self.content or "no", "type": "server_error", **self.error}})
        return json.dumps(completion(self))


Respond = Callable[[Request], Reply]
Script = Callable[[str, int], Reply]


@dataclass
class Batch:
    """A batch as the endpoint keeps it."""

    id: str
    input_file_id: str
    metadata: dict[str, str]
    status: str = "in_progress"
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: list[dict[str, Any]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: {"total": 0, "completed": 0, "failed": 0})

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id, "object": "batch", "endpoint": "/v1/chat/completions", "completion_window": "24h", "created_at": 0,
            "input_file_id": self.input_file_id, "metadata": self.metadata, "status": self.status,
            "output_file_id": self.output_file_id, "error_file_id": self.error_file_id, "request_counts": self.counts,
            "errors": {"object": "list", "data": self.errors} if self.errors else None,
        }  # fmt: skip


@dataclass
class Endpoint:
    """The endpoint and what it was asked.

    Args:
        requests: bodies of the calls about chunks; probes: of the others.
        paid: custom ids of the requests of batches that were answered, with repetitions.
        fault: (method, path) -> None, 'before' or 'after': breaks the connection before or after the request took effect.
        page: (method, path) -> what is answered instead, after the request took effect, or None.
        after: called when a request took effect and its connection is about to be broken.
    """

    url: str
    respond: Respond
    requests: list[dict[str, Any]] = field(default_factory=list)
    probes: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)
    batches: dict[str, Batch] = field(default_factory=dict)
    paid: list[str] = field(default_factory=list)
    fault: Callable[[str, str], str | None] = lambda method, path: None
    page: Callable[[str, str], str | None] = lambda method, path: None
    after: Callable[[], None] = lambda: None
    down: bool = False
    _ids: Iterator[int] = field(default_factory=itertools.count)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def script(self) -> Script:
        raise AttributeError("a script can only be set")

    @script.setter
    def script(self, script: Script) -> None:
        self.respond = by_text(script)

    def answer(self, body: dict[str, Any]) -> Reply:
        text = text_of(body)
        with self._lock:
            (self.probes if text is None else self.requests).append(body)
            nth = sum(text_of(earlier) == text for earlier in self.requests)
        if text is None:
            return Reply("down", status=500) if self.down else Reply("yes", usage=(10, 1))
        return self.respond(Request(body, text, nth))

    def run_batches(self, most: int | None = None, status: str = "completed") -> None:
        """Answer the requests of all batches under way.

        Args:
            most: of each batch, only so many; the others expire.
            status: how the batches end.
        """
        for batch in self.batches.values():
            if batch.status != "in_progress":
                continue
            lines = [json.loads(line) for line in self.files[batch.input_file_id].splitlines()]
            output, errors = [], []
            for number, line in enumerate(lines):
                if most is not None and number >= most:
                    error = {
                        "code": "batch_expired",
                        "message": "not executed before the completion window expired",
                    }
                    errors.append({"id": f"r{number}", "custom_id": line["custom_id"], "response": None, "error": error})
                    continue
                reply = self.answer(line["body"])
                response = {"status_code": reply.status, "request_id": "x", "body": json.loads(reply.body())}
                entry = {"id": f"r{number}", "custom_id": line["custom_id"], "response": response, "error": None}
                (output if reply.status == 200 else errors).append(entry)
                self.paid.append(line["custom_id"])
            batch.output_file_id = self._keep(output)
            batch.error_file_id = self._keep(errors)
            batch.counts = {"total": len(lines), "completed": len(output), "failed": len(errors)}
            batch.status = status

    def _keep(self, entries: list[dict[str, Any]]) -> str | None:
        if not entries:
            return None
        return self.store("\n".join(json.dumps(entry) for entry in reversed(entries)) + "\n")  # in no particular order

    def store(self, content: str) -> str:
        file = f"file-{next(self._ids)}"
        self.files[file] = content
        return file


def text_of(body: dict[str, Any]) -> str | None:
    """The chunk's text: what stands between the markers."""
    for message in reversed(body["messages"]):
        marker = re.search(r"^Marker: (\S+)$", message["content"], re.MULTILINE)
        if message["role"] == "user" and marker:
            name = marker[1]
            return str(message["content"].split(f"\n{name}\n", 1)[1].rsplit(f"\n{name}", 1)[0])
    return None


def by_text(script: Script) -> Respond:
    return lambda request: script(request.text or "", request.nth)


@contextmanager
def serve(script: Script) -> Iterator[Endpoint]:
    """Run an endpoint whose script is asked with the chunk's text and how often it came."""
    with start(by_text(script)) as endpoint:
        yield endpoint


@contextmanager
def start(respond: Respond) -> Iterator[Endpoint]:
    """Run an endpoint on a free port of loopback."""

    class Handler(_Handler):
        pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Handler.endpoint = endpoint = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1", respond)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def completion(reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.content, "refusal": reply.refusal}
    if reply.arguments is not None:
        call = {"id": "call", "type": "function", "function": {"name": "extraction", "arguments": reply.arguments}}
        message |= {"content": None, "tool_calls": [call]}
    usage = reply.usage and {
        "prompt_tokens": reply.usage[0], "completion_tokens": reply.usage[1], "total_tokens": sum(reply.usage),
    }  # fmt: skip
    choice = {"index": 0, "finish_reason": reply.finish_reason, "message": message}
    return {
        "id": "x", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice], "usage": usage,
    }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are two writes
    endpoint: Endpoint

    def do_POST(self) -> None:
        self._handle()

    def do_GET(self) -> None:
        self._handle()

    def do_DELETE(self) -> None:
        self._handle()

    def _handle(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        self.endpoint.keys.add(self.headers.get("Authorization", ""))
        fault = self.endpoint.fault(self.command, path)
        if fault == "before":
            self._break()
            return
        reply = self._reply(path, query, body)
        if fault == "after":
            self.endpoint.after()
            self._break()
            return
        page = self.endpoint.page(self.command, path)
        self._send(reply if page is None else Reply(raw=page))

    def _reply(self, path: str, query: dict[str, list[str]], body: bytes) -> Reply:
        endpoint = self.endpoint
        match [self.command, *path.removeprefix("/v1/").split("/")]:
            case ["POST", "chat", "completions"]:
                return endpoint.answer(json.loads(body))
            case ["POST", "files"]:
                content = _uploaded(self.headers["Content-Type"], body)
                file = endpoint.store(content)
                return _json({"id": file, "object": "file", "bytes": len(content), "created_at": 0, "filename": "x",
                              "purpose": "batch", "status": "processed"})  # fmt: skip
            case ["GET", "files", file, "content"] if file in endpoint.files:
                return Reply(raw=endpoint.files[file])
            case ["DELETE", "files", file] if file in endpoint.files:
                del endpoint.files[file]
                return _json({"id": file, "object": "file", "deleted": True})
            case ["POST", "batches"]:
                wanted = json.loads(body)
                batch = Batch(f"batch-{next(endpoint._ids)}", wanted["input_file_id"], wanted.get("metadata") or {})
                batch.counts["total"] = len(endpoint.files[batch.input_file_id].splitlines())
                endpoint.batches[batch.id] = batch
                return _json(batch.as_dict())
            case ["GET", "batches"]:
                newest = list(reversed(endpoint.batches.values()))
                after = query.get("after", [""])[0]
                first = next((place + 1 for place, batch in enumerate(newest) if batch.id == after), 0)
                page = newest[first : first + 2]  # small pages, so that paging happens
                return _json({"object": "list", "data": [batch.as_dict() for batch in page],
                              "has_more": first + 2 < len(newest)})  # fmt: skip
            case ["GET", "batches", batch_id] if batch_id in endpoint.batches:
                return _json(endpoint.batches[batch_id].as_dict())
        return Reply(f"no {path}", status=404)

    def _send(self, reply: Reply) -> None:
        time.sleep(reply.delay)
        data = reply.body().encode()
        length = reply.endless or len(data)
        try:
            if reply.broken == "all":
                self._break()
                return
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            if reply.broken == "half":
                self.wfile.write(data[: len(data) // 2])
                self._break()
            elif reply.trickle:
                for place in range(len(data)):
                    self.wfile.write(data[place : place + 1])
                    time.sleep(reply.trickle)
            elif reply.endless:
                for _ in range(0, length, 65536):
                    self.wfile.write(b" " * 65536)
            else:
                self.wfile.write(data)
        except OSError:
            self.close_connection = True  # the client gave up, as the test wants it to

    def _break(self) -> None:
        self.close_connection = True
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:
        pass


def _json(content: dict[str, Any]) -> Reply:
    return Reply(raw=json.dumps(content))


def _uploaded(content_type: str, body: bytes) -> str:
    """The file in a multipart form."""
    boundary = content_type.partition("boundary=")[2].encode()
    part = next(part for part in body.split(b"--" + boundary) if b"filename=" in part)
    return part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n").decode()
