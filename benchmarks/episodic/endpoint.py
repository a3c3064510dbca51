"""A model at zero latency: an OpenAI-compatible endpoint on loopback that answers notes of the corpus with what they say.

`python endpoint.py` prints its port and serves until its input ends. `GET /counts` says what it was asked.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = r"[A-Z]\w+ [A-Z]\w+"
PATTERNS = {
    "moved": re.compile(rf"(?P<a>{NAME}) moved from (?P<old>{NAME}) to (?P<b>{NAME}) in (?P<t>\w+ \d{{4}})\."),
    "works": re.compile(rf"(?P<a>{NAME}) works at (?P<b>{NAME}) since (?P<t>\w+ \d{{4}})\."),
    "met": re.compile(rf"(?P<a>{NAME}) met (?P<b>{NAME}) in \w+\."),
    "based": re.compile(rf"(?P<a>{NAME}) is based in (?P<b>\w+)\."),
}
KINDS = {
    "moved": ("worksFor", "Person", "Organization"), "works": ("worksFor", "Person", "Organization"),
    "met": ("met", "Person", "Person"), "based": ("basedIn", "Organization", "Place"),
}  # fmt: skip
COUNTS = {"requests": 0, "message_characters": 0, "schema_characters": 0}
_LOCK = threading.Lock()


def answer(text: str) -> dict[str, Any]:
    """What a faithful model answers to a message that holds a note."""
    classes: dict[str, str] = {}
    relations = []
    for kind, pattern in PATTERNS.items():
        for match in pattern.finditer(text):
            predicate, subject, object_ = KINDS[kind]
            classes |= {match["a"]: subject, match["b"]: object_}
            relations.append({
                "subject": match["a"], "predicate": predicate, "object": match["b"], "quote": match[0], "ended": False,
                "valid_from": match.groupdict().get("t"), "valid_from_resolved": None, "valid_to": None,
                "valid_to_resolved": None,
            })  # fmt: skip
    entities = [{"name": name, "class": kind, "attributes": []} for name, kind in classes.items()]
    return {"entities": entities, "relations": relations}


def completion(request: dict[str, Any]) -> dict[str, Any]:
    """A chat completion, counted."""
    characters = sum(len(message["content"]) for message in request["messages"])
    content = json.dumps(answer(request["messages"][-1]["content"]))
    with _LOCK:
        COUNTS["requests"] += 1
        COUNTS["message_characters"] += characters
        COUNTS["schema_characters"] += len(json.dumps(request.get("response_format", {})))
    usage = {"prompt_tokens": characters // 4, "completion_tokens": len(content) // 4}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content, "refusal": None}}
    return {
        "id": "x", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice],
        "usage": usage | {"total_tokens": sum(usage.values())},
    }  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    """Chat completions, and what was asked."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Answer."""
        self._send(completion(json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

    def do_GET(self) -> None:
        """Say what was asked."""
        self._send(COUNTS)

    def _send(self, payload: dict[str, Any]) -> None:
        data = json.dumps(payload).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
