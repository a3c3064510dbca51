"""A real HTTP API on the loopback interface, for tests of REST sources: each path is a function of the request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Request:
    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass(frozen=True)
class Answer:
    """What a path answers; a body that is no text is sent as JSON."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


Path = Callable[[Request], Answer]


class Api:
    """A running server; `asked` lists all requests that came."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.paths: dict[str, Path] = {}
        self.asked: list[Request] = []

    def answers(self, path: str, *answers: Answer) -> None:
        """Give these answers one after another, the last one for ever."""
        left = list(answers)
        self.paths[path] = lambda request: left.pop(0) if len(left) > 1 else left[0]

    def called(self, path: str) -> list[Request]:
        return [request for request in self.asked if request.path == path]


@contextmanager
def serve() -> Iterator[Api]:
    """A server for the body."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            request = Request(parts.path, dict(parse_qsl(parts.query)), dict(self.headers.items()))
            api.asked.append(request)
            path = api.paths.get(parts.path)
            answer = path(request) if path else Answer({"error": "no such path"}, 404)
            body = (answer.body if isinstance(answer.body, str) else json.dumps(answer.body)).encode()
            self.send_response(answer.status)
            for name, value in (
                {"Content-Type": "application/json", "Content-Length": str(len(body))} | answer.headers
            ).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    api = Api(server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
