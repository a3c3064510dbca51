"""One HTTP request to an OpenAI-compatible endpoint: what is sent, what comes back, what went wrong.

Nothing is tried again here (the client's own retries are off), nothing is waited for, and no answer is understood: that is
`engine.py`. The key is taken out of every text that comes back, before anybody sees it. The client is imported on first use.
"""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from stratagraph.errors import causes

if TYPE_CHECKING:
    from openai import OpenAI

_MOST_ERROR_BYTES = 64 * 1024
_BYTES_PER_TOKEN = 64  # far more than any token takes, escaped and with what stands around the answer
_LEAST_BODY_BYTES = 1024 * 1024

T = TypeVar("T")


@dataclass(frozen=True)
class Completion:
    """What a model answered, as the endpoint handed it over.

    Args:
        text: the answer, be it the content or the arguments of a tool call.
        finish: why it ended: 'stop', 'length', 'content_filter', 'tool_calls'.
        refusal: what the model said instead.
        prompt_tokens, completion_tokens: as the endpoint counted them, if it did.
    """

    text: str
    finish: str = "stop"
    refusal: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(eq=False)
class EndpointError(Exception):
    """An endpoint that did not do what it was asked.

    Args:
        detail: one line for people, without the key.
        status: the HTTP status; None if there was none (no connection, a timeout, a broken connection).
        subject: what the error is about, in the endpoint's words: the parameter it names, or else its message.
        code: the endpoint's own code, such as 'insufficient_quota'.
        headers: of the response, lower case.
        speaks_json: whether the body is an API's, and not a proxy's page.
    """

    detail: str
    status: int | None = None
    subject: str = ""
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    speaks_json: bool = True

    def __str__(self) -> str:
        return self.detail

    @property
    def is_busy(self) -> bool:
        """The endpoint works, and has no room for this now."""
        return self.status in (429, 503, 529)

    @property
    def is_fault(self) -> bool:
        """Something broke; the same request may go through later."""
        if self.status is None or self.status >= 500 or self.status in (408, 409, 425):
            return True
        return self.status in (200, 403) and not self.speaks_json  # a proxy's page: of an outage, or about this text


class Endpoint:
    """An OpenAI-compatible endpoint.

    Args:
        key: sent to the endpoint, never shown.
        base_url: None is the client's default.
        timeout_seconds: of one request, all in all.
        most_tokens: an answer may have; what is longer than any such answer is not read to its end.
    """

    def __init__(self, key: str, base_url: str | None, timeout_seconds: float, most_tokens: int) -> None:
        self._key, self._base_url, self._timeout = key, base_url, timeout_seconds
        self._most_bytes = max(_LEAST_BODY_BYTES, most_tokens * _BYTES_PER_TOKEN)

    def complete(self, request: Mapping[str, Any], seconds: float) -> tuple[Completion, dict[str, str]]:
        """A chat completion and the headers it came with.

        Args:
            seconds: the longest it may take.

        Raises:
            EndpointError: in every other case.
        """
        until = time.monotonic() + seconds

        def ask() -> tuple[bytes, bool, dict[str, str]]:
            create = self._client.chat.completions.with_streaming_response.create
            with create(**request, timeout=seconds) as response:
                body, whole = _read(response.iter_bytes(), self._most_bytes, until)
                return body, whole, _lower(response.headers)

        body, whole, headers = self.call(ask)
        if not whole:  # endless generation
            return Completion("", "length"), headers
        completion = read_completion(self.safe(body.decode("utf-8", "replace")), headers)
        refusal = completion.refusal and self.safe(completion.refusal)
        return replace(completion, text=self.safe(completion.text), refusal=refusal), headers

    def call(self, request: Callable[[], T]) -> T:
        """Run something that only talks to the endpoint; whatever goes wrong there becomes an EndpointError.

        The error is raised outside of the handler, so that no exception of the client, which holds the request with its
        headers, hangs on to it.
        """
        import openai

        try:
            return request()
        except (ValueError, TypeError, AttributeError):  # the client takes any body of a success for what it should be
            problem = EndpointError("the endpoint answers as no API does; check extraction.base_url", 200, speaks_json=False)
        except (openai.APIError, self._transport_error, EndpointError, TimeoutError) as error:
            own = next((cause for cause in causes(error) if isinstance(cause, EndpointError)), None)
            late = isinstance(error, openai.APITimeoutError | TimeoutError) or "Timeout" in type(error).__name__
            root = list(causes(error))[-1]
            detail = "no answer in time" if late else f"no connection: {str(root).strip() or type(root).__name__}"
            problem = own or EndpointError(self.safe(_line(detail)))
        raise problem

    def safe(self, text: str) -> str:
        """The text without the key, and without halves of surrogate pairs, which are no text."""
        text = text.encode("utf-8", "replace").decode("utf-8")
        return text.replace(self._key, "***") if len(self._key) > 4 else text

    @property
    def client(self) -> OpenAI:
        """For `batch.py`; to be used in `call`."""
        return self._client

    @cached_property
    def _client(self) -> OpenAI:
        import openai

        http = openai.DefaultHttpxClient(timeout=self._timeout, event_hooks={"response": [self._refuse_bad_status]})
        return openai.OpenAI(api_key=self._key, base_url=self._base_url, timeout=self._timeout, max_retries=0, http_client=http)

    @cached_property
    def _transport_error(self) -> type[Exception]:
        """The base of what a connection raises while a body is read; which library that is depends on the client's version."""
        import openai

        client = next(base for base in openai.DefaultHttpxClient.__mro__ if not base.__module__.startswith("openai"))
        error: type[Exception] = importlib.import_module(client.__module__.partition(".")[0]).TransportError
        return error

    def _refuse_bad_status(self, response: Any) -> None:
        """Called for every response: the client would read the body of an error however long it is."""
        if response.status_code < 400:
            return
        body, _ = _read(response.iter_bytes(), _MOST_ERROR_BYTES, time.monotonic() + self._timeout)
        raise error_of(response.status_code, self.safe(body.decode("utf-8", "replace")), _lower(response.headers))


def read_completion(body: str, headers: Mapping[str, str] | None = None) -> Completion:
    """The completion in the body of a response.

    Raises:
        EndpointError: the body is none, or says that something went wrong behind the endpoint.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        kind = "an event stream, which was not asked for" if body.lstrip().startswith("data:") else "no JSON"
        raise EndpointError(f"the endpoint answers with {kind}: {_line(body)[:80]!r}", 200, speaks_json=False) from None
    return completion_of(answer, headers)


def completion_of(answer: Any, headers: Mapping[str, str] | None = None) -> Completion:
    """The completion in the parsed body of a response.

    Raises:
        EndpointError: as above.
    """
    if isinstance(answer, dict) and answer.get("error"):
        raise error_of(200, json.dumps(answer), headers or {})
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        usage = answer.get("usage") or {}
        return Completion(
            text=_answer(message),
            finish=str(choice.get("finish_reason") or "stop"),
            refusal=str(message["refusal"]) if message.get("refusal") else None,
            prompt_tokens=_count(usage.get("prompt_tokens")),
            completion_tokens=_count(usage.get("completion_tokens")),
        )
    except (KeyError, IndexError, TypeError, AttributeError):
        shown = _line(json.dumps(answer, ensure_ascii=False))[:80]
        raise EndpointError(f"the endpoint answers with no chat completion: {shown!r}", 200, speaks_json=False) from None


def error_of(status: int, body: str, headers: Mapping[str, str]) -> EndpointError:
    """What a response that is no success says. Gateways report what happened behind them with status 200."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        text = _line(body)[:300]
        return EndpointError(f"HTTP {status}: {text}", status, body[:2000], headers=headers, speaks_json=False)
    error = content.get("error", content) if isinstance(content, dict) else content
    if isinstance(error, dict):
        message, code = _message(error), str(error.get("code") or error.get("type") or "")
        subject = str(error.get("param") or message)
    else:
        message, code, subject = str(error), "", str(error)
    if status < 400:
        status = int(code) if code.isdigit() and 400 <= int(code) < 600 else 502
    return EndpointError(f"HTTP {status}: {_line(message)[:300]}", status, subject[:2000], code, headers)


def _message(error: dict[str, Any]) -> str:
    """What an error says; of a list of problems (FastAPI), the places and messages, not the request it repeats."""
    details = error.get("detail")
    if isinstance(details, list):
        problems = [item for item in details if isinstance(item, dict)]
        return "; ".join(f"{json.dumps(problem.get('loc'))}: {problem.get('msg')}" for problem in problems)
    return str(error.get("message") or details or error)


def _answer(message: dict[str, Any]) -> str:
    for call in message.get("tool_calls") or ():
        arguments = call["function"]["arguments"]
        return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    content = message.get("content") or ""
    if isinstance(content, list):  # parts
        content = "".join(part.get("text") or "" for part in content)
    return str(content)


def _read(parts: Iterable[bytes], most: int, until: float) -> tuple[bytes, bool]:
    """A body up to its length limit, and whether that was all.

    Raises:
        TimeoutError: it trickles in for too long; the client's own timeout is for each part.
    """
    body = bytearray()
    for part in parts:
        body += part
        if len(body) > most:
            return bytes(body[:most]), False
        if time.monotonic() > until:
            raise TimeoutError
    return bytes(body), True


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _line(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
