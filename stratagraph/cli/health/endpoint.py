"""Whether servers that the config names answer: the extraction endpoint, and takes the key; the host of an API.

The key itself is never shown and never follows a redirect.
"""

from __future__ import annotations

import http.client
import os
import socket
import ssl
from urllib.parse import urlsplit

from stratagraph.cli.health.check import Check
from stratagraph.config.urls import redact_url

_NAME = "extraction endpoint"
_OFFICIAL = "https://api.openai.com/v1"
_SECONDS = 5.0


def check_endpoint(base_url: str | None) -> Check:
    """Ask the endpoint for its models; every OpenAI-compatible server has that list."""
    url = base_url or os.environ.get("OPENAI_BASE_URL") or _OFFICIAL
    key = os.environ.get("OPENAI_API_KEY")
    shown = redact_url(url)
    if not key and url.rstrip("/") == _OFFICIAL:
        return Check(
            _NAME, "fail", f"{shown}: OPENAI_API_KEY is not set", "set it in the environment, or use `engine: embedded`"
        )
    try:
        status = _get(url.rstrip("/") + "/models", key)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return Check(_NAME, "fail", f"{shown} does not answer: {reason}", "check extraction.base_url and the network")
    if status in (401, 403):
        state = "refuses the key" if key else "wants a key, and OPENAI_API_KEY is not set"
        return Check(_NAME, "fail", f"{shown} {state} (HTTP {status})", "set OPENAI_API_KEY to a valid key")
    if status != 200:
        return Check(
            _NAME, "warn", f"{shown} answers HTTP {status} to /models", "check that extraction.base_url ends as it must (/v1)"
        )
    if not key:
        return Check(
            _NAME, "warn", f"{shown} answers; OPENAI_API_KEY is not set", "set it to anything if the server needs none"
        )
    return Check(_NAME, "ok", f"{shown} answers and takes the key")


def check_host(name: str, url: str, key: str) -> Check:
    """Whether anything listens where an API is said to be. What it answers is known to its source alone: nothing is asked."""
    parts, shown = urlsplit(url), redact_url(url)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((parts.hostname or "", port), timeout=_SECONDS):
            return Check(name, "ok", f"{shown} listens")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return Check(name, "fail", f"{shown} does not answer: {reason}", f"check {key} and the network")


def _get(url: str, key: str | None) -> int:
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError("the URL names no host")
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            parts.hostname, parts.port, timeout=_SECONDS, context=context
        )
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=_SECONDS)
    try:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request("GET", target, headers={"Authorization": f"Bearer {key}"} if key else {})
        return connection.getresponse().status
    finally:
        connection.close()
