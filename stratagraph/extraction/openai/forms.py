"""The forms a request may have, from the strictest to the plainest, and which one is next when an endpoint refuses one.

Endpoints differ in what they understand: answers by a schema, JSON, tool calls, the name of the length limit, temperature.
Nothing here talks to one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from stratagraph.extraction.openai.endpoint import EndpointError

Mode = Literal["schema", "json", "tool", "text"]
Message = dict[str, str]

PROMPTS = Path(__file__).parent / "prompts"
BY_SCHEMA = (PROMPTS / "by_schema.md").read_text(encoding="utf-8")
AGAIN = (PROMPTS / "again.md").read_text(encoding="utf-8")

SHOWN = {"schema": "by JSON schema", "json": "in JSON mode", "tool": "by tool call", "text": "in plain text with JSON in it"}
_NEXT: dict[Mode, Mode] = {"schema": "json", "json": "tool", "tool": "text"}
_ABOUT = {
    "schema": re.compile(r"response.?format|schema|structured|grammar|guided", re.IGNORECASE),
    "json": re.compile(r"response.?format|json", re.IGNORECASE),
    "tool": re.compile(r"tool|function", re.IGNORECASE),
}
_LENGTH = re.compile(r"\bmax_(?:completion_)?tokens\b", re.IGNORECASE)
_OPTION = re.compile(r"\b(temperature|seed)\b", re.IGNORECASE)
_REFUSALS = (400, 404, 422, 500, 501)
_TOOL = "extraction"


@dataclass(frozen=True)
class Form:
    """How an endpoint is asked.

    Args:
        mode: how it is told what an answer looks like.
        length: the name of the limit of an answer's length; None leaves it out.
        without: options that are left out.
    """

    mode: Mode = "schema"
    length: str | None = "max_completion_tokens"
    without: frozenset[str] = frozenset()

    def __str__(self) -> str:
        left_out = sorted(self.without | (set() if self.length else {"a limit of the answer's length"}))
        return SHOWN[self.mode] + (f", without {', '.join(left_out)}" if left_out else "")


def request_of(
    form: Form, model: str, question: Sequence[Message], schema: dict[str, Any], most_tokens: int, seed: int | None,
    complaint: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The body of a request.

    Args:
        question: the messages that ask about a chunk.
        schema: JSON schema of an answer.
        complaint: what was wrong with the answer to the same question.
    """
    asked = list(question)
    if form.mode != "schema":
        described = BY_SCHEMA.replace("{schema}", json.dumps(schema, ensure_ascii=False))
        asked[0] = {**asked[0], "content": f"{asked[0]['content'].rstrip()}\n\n{described.strip()}"}
    if complaint:
        asked.append({"role": "user", "content": AGAIN.replace("{problem}", complaint).strip()})
    options = {"temperature": 0, "seed": seed}
    request: dict[str, Any] = {"model": model, "messages": asked}
    request |= {name: value for name, value in options.items() if value is not None and name not in form.without}
    if form.length:
        request[form.length] = most_tokens
    if form.mode == "schema":
        request["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": _TOOL, "strict": True, "schema": schema},
        }
    elif form.mode == "json":
        request["response_format"] = {"type": "json_object"}
    elif form.mode == "tool":
        request["tools"] = [{"type": "function", "function": {"name": _TOOL, "parameters": schema}}]
        request["tool_choice"] = {"type": "function", "function": {"name": _TOOL}}
    return request


def after_refusal(form: Form, error: EndpointError, *, guess: bool, again: bool) -> Form | None:
    """The next form to try after an endpoint refused a request, or None if the refusal is not about the form.

    Args:
        guess: whether the form may be to blame where the endpoint does not say so: not if it brought an answer before.
        again: whether the same request was refused once before.
    """
    if error.status not in _REFUSALS:
        return None
    if form.length and _LENGTH.search(error.subject):
        return replace(form, length="max_tokens" if form.length != "max_tokens" else None)
    if (option := _OPTION.search(error.subject)) and option[1].lower() not in form.without:
        return replace(form, without=form.without | {option[1].lower()})
    if about_length(error) or about_content(error):
        return None
    if form.mode in _ABOUT and _ABOUT[form.mode].search(error.subject):
        return plainer(form)
    # A server that breaks over a form without saying so is not told from one that breaks: it is asked twice.
    unexplained = error.status in (400, 422, 501) or (error.status == 500 and again)
    return plainer(form) if guess and unexplained else None


def plainer(form: Form) -> Form | None:
    """The form with the next plainer mode."""
    return replace(form, mode=_NEXT[form.mode]) if form.mode in _NEXT else None


def about_length(error: EndpointError) -> bool:
    """Whether a request was refused because it is too long."""
    texts = f"{error.code} {error.subject} {error.detail}"
    said = re.search(r"context.{0,10}(?:length|window|size|long)|too (?:long|large)", texts, re.IGNORECASE)
    return error.status == 413 or (error.status is not None and error.speaks_json and said is not None)


def about_content(error: EndpointError) -> bool:
    """Whether a request was refused for what its text says."""
    return bool(re.search(r"content.?(?:filter|policy|management)|safety|moderation", f"{error.code} {error.detail}", re.I))
