"""Keeps secrets out of messages: which texts of a source's config must not be shown, and a message without them.

Only texts are looked at here. Whose message it is, and what it is about, is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, quote_plus

from stratagraph.config.environment import FromEnvironment

_SHORTEST = 4  # a shorter text keeps no secret, and would make words unreadable
_CREDENTIALS = frozenset({"auth", "headers", "cookies"})
_NAMES = frozenset({"type", "location", "name"})  # of a kind of authentication, not its secrets
_QUERY = re.compile(r"(https?://[^\s?'\"<>]+)\?[^\s'\"<>]*")


class Redaction:
    """What must not be shown of a config: credentials, headers, and whatever came from the environment."""

    def __init__(self, config: Any) -> None:
        texts = {text for text in _hidden(config, certain=False) if len(text) >= _SHORTEST}
        forms = {form for text in texts for form in (text, quote(text), quote(text, safe=""), quote_plus(text))}
        self._forms = sorted(forms, key=lambda form: (-len(form), form))

    def __call__(self, text: str) -> str:
        """A message without secrets, however they are encoded, and without the queries of addresses."""
        for form in self._forms:
            text = text.replace(form, "***")
        return _QUERY.sub(r"\1?***", text)


def _hidden(value: Any, *, certain: bool) -> Iterator[str]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _hidden(member, certain=(certain or key in _CREDENTIALS) and key not in _NAMES)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _hidden(item, certain=certain)
    elif isinstance(value, FromEnvironment):
        yield from (str(value), *value.parts)
    elif isinstance(value, str) and certain:
        yield from (value, *value.split())
