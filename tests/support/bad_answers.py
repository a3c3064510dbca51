"""The ways in which endpoints and models answer badly, each made from a good answer; for `openai_server`.

`ONCE` is put right by asking again, `ITEMS` costs only the items it spoils: what else the answer says has to survive.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from openai_server import Reply

Spoil = Callable[[str], Reply]
_SCHEMA = {"type": "object", "properties": {"entities": {"type": "array"}}, "required": ["entities"]}


def _with(answer: str, key: str, item: object) -> Reply:
    content = json.loads(answer)
    content[key].insert(0, item)
    return Reply(json.dumps(content))


ONCE: dict[str, Spoil] = {
    "truncated": lambda good: Reply(good[: len(good) // 2], finish_reason="length", usage=(100, 4096)),
    "schema-echo": lambda good: Reply(json.dumps(_SCHEMA)),
    "bare-list": lambda good: Reply(json.dumps(json.loads(good)["relations"] or [[]])),
    "wrapped": lambda good: Reply(json.dumps({"extraction": json.loads(good)})),
    "empty": lambda good: Reply(""),
    "null": lambda good: Reply(None),
    "wrong-keys": lambda good: Reply('{"nodes": [], "edges": []}'),
    "list-twice": lambda good: Reply(good.rstrip()[:-1] + ', "entities": [1]}'),
    "prose": lambda good: Reply("Sure! Here are the facts."),
    "deep": lambda good: Reply('{"entities": ' + "[" * 100_000),
    "endless-body": lambda good: Reply("", endless=8_000_000),
    "429": lambda good: Reply("slow down", status=429, headers={"Retry-After": "0"}),
    "500": lambda good: Reply("boom", status=500),
    "502-html": lambda good: Reply(status=502, raw="<html>bad gateway</html>"),
    "529": lambda good: Reply("overloaded", status=529, headers={"Retry-After": "0"}),
    "200-html": lambda good: Reply(raw="<html>log in</html>"),
    "200-error": lambda good: Reply(raw=json.dumps({"error": {"message": "provider is down", "code": 502}})),
    "no-choices": lambda good: Reply(raw='{"choices": null}'),
    "event-stream": lambda good: Reply(raw='data: {"choices": [{"delta": {"content": "x"}}]}\n\ndata: [DONE]\n\n'),
    "hang": lambda good: Reply("", delay=1.0),
    "trickle": lambda good: Reply("", trickle=0.1),
    "reset": lambda good: Reply(broken="all"),
    "reset-half-way": lambda good: Reply(good, broken="half"),
}

ITEMS: dict[str, Spoil] = {
    "as-it-should-be": lambda good: Reply(good),
    "code-fence": lambda good: Reply(f"```json\n{good}\n```"),
    "words-around-it": lambda good: Reply(f"Here is the object {{as asked}}:\n{good}\nI hope that helps."),
    "thinking-aloud": lambda good: Reply(f'<think>{{"entities": [], "relations": []}}?</think>{good}'),
    "tool-call": lambda good: Reply(arguments=good),
    "no-object": lambda good: _with(good, "entities", "Zeus"),
    "no-name": lambda good: _with(good, "entities", {"class": "Person"}),
    "no-class": lambda good: _with(good, "entities", {"name": "Zeus", "class": None}),
    "unknown-class": lambda good: _with(good, "entities", {"name": "Zeus", "class": "Wizard", "attributes": []}),
    "id-out-of-range": lambda good: _with(good, "relations", {"subject": 99, "predicate": "p", "object": 100, "quote": "x"}),
    "not-a-number": lambda good: _with(good, "relations", {"subject": float("nan"), "predicate": "p"}),
    "half-a-surrogate": lambda good: _with(good, "entities", {"name": "\ud800", "class": "Person"}),
    "invented": lambda good: _with(
        good, "relations", {"subject": "Zeus", "predicate": "p", "object": "Hera", "quote": "as everybody knows"}
    ),
}
