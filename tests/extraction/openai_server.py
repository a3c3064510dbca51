"""A real OpenAI-compatible endpoint on loopback whose answers a test scripts."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the endpoint does with one request."""

    content: str | None = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    finish_reason: str = "stop"
    refusal: str | None = None
    delay: float = 0.0
    usage: tuple[int, int] | None = (100, 20)
    raw: str | None = None


Script = Callable[[str, int], Reply]


@dataclass
class Endpoint:
    """The endpoint and what it was asked."""

    url: str
    script: Script
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)

    def answer(self, request: dict[str, Any]) -> Reply:
        text = text_of(request)
        self.requests.append(request)
        nth = sum(text_of(earlier) == text for earlier in self.requests)
        return self.script(text, nth)


def text_of(request: dict[str, Any]) -> str:
    """The chunk's text: what stands between the markers."""
    user = request["messages"][-1]["content"]
    marker = next(line.removeprefix("Marker: ") for line in user.splitlines() if line.startswith("Marker: "))
    return user.split(f"\n{marker}\n", 1)[1].rsplit(f"\n{marker}", 1)[0]


@contextmanager
def serve(script: Script) -> Iterator[Endpoint]:
    """Run an endpoint on a free port of loopback."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            endpoint.keys.add(self.headers.get("Authorization", ""))
            if self.path != "/v1/chat/completions":
                self._send(404, {}, json.dumps({"error": {"message": f"no {self.path}"}}))
                return
            reply = endpoint.answer(json.loads(body))
            if reply.delay:
                time.sleep(reply.delay)
            if reply.raw is not None:
                payload = reply.raw
            elif reply.status != 200:
                payload = json.dumps({"error": {"message": reply.content or "no", "type": "server_error"}})
            else:
                payload = json.dumps(_completion(reply))
            self._send(reply.status, reply.headers, payload)

        def _send(self, status: int, headers: dict[str, str], payload: str) -> None:
            data = payload.encode()
            try:
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the client gave up waiting, as the test wants it to

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1", script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _completion(reply: Reply) -> dict[str, Any]:
    usage = reply.usage and {
        "prompt_tokens": reply.usage[0],
        "completion_tokens": reply.usage[1],
        "total_tokens": sum(reply.usage),
    }
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": reply.finish_reason,
                "message": {"role": "assistant", "content": reply.content, "refusal": reply.refusal},
            }
        ],
        "usage": usage,
    }
