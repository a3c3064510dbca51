"""Where the messages of a chat log stand: the lists of them in a JSON file, each a session or several.

A list is found by what is in it, or by a declared path: keys joined with dots, `[]` for each of a list, `*` in a key for any
characters. What stands around a list (its key, the ids, times and titles of what holds it) says which session it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from stratagraph.config.documents import MessageFields
from stratagraph.documents.checks import decode, parse_json, refuse
from stratagraph.documents.message_fields import IDENTIFIER, SESSION, TIME, looks_like_message
from stratagraph.documents.records import Refusal, RefusedDocumentError

# Keys that say only that messages follow; any other key is a part of what the session is called.
_PLAIN_KEYS = frozenset((
    "messages", "conversation", "conversations", "chat", "chats", "history", "turns", "dialogue", "dialogues", "dialog", "data",
    "items", "log", "logs", "chat_messages", "results", "records", "sessions", "mapping", "list",
))  # fmt: skip
_IDENTIFIERS = (*reversed(SESSION), *IDENTIFIER, "sample_id")
_STARTS = ("start_time", "started_at", "start", *TIME)
_TIME_SUFFIXES = ("_date_time", "_datetime", "_timestamp", "_time", "_date")
_TITLES = ("title", "subject", "topic", "name")
_DEPTH = 12


@dataclass(frozen=True, slots=True)
class MessageList:
    """Messages that stand together.

    Args:
        parts: what tells the list from others of the file.
        times: what is said of when it began, the nearest first.
        title: what it is called.
    """

    parts: tuple[str, ...]
    items: list[Any]
    times: tuple[Any, ...] = ()
    title: str | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands: parts of its name, and the mappings it is in, the nearest first."""

    parts: tuple[str, ...] = ()
    holders: tuple[dict[str, Any], ...] = ()
    key: str | None = None

    def of_item(self, value: object, position: int) -> _Place:
        return _Place((*self.parts, _label(value, position)), self.holders)

    def of_key(self, holder: dict[str, Any], key: str, named: bool) -> _Place:
        return _Place((*self.parts, key) if named else self.parts, (holder, *self.holders), key)


@dataclass(slots=True)
class Log:
    """What a file of messages holds, and lines of it that are not JSON."""

    lists: list[MessageList] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


def read_log(data: bytes, path: str, declared: MessageFields) -> Log:
    """The lists of messages of a JSON or JSONL file.

    Raises:
        RefusedDocumentError: the file cannot be read, or no messages are found in it.
    """
    log = Log()
    root = _root(data, path, log)
    if root in ({}, []):
        return log  # nothing was said yet
    if declared.list:
        places = list(_follow(root, _steps(declared.list), _Place()))
        log.lists = _gathered(places)
    else:
        log.lists = [_message_list(place, items) for place, items in _search(root, _Place(), declared, 0)]
    if not log.lists:
        where = (
            f"nothing stands at {declared.list!r}"
            if declared.list
            else "no list of messages with a text and a speaker is in it"
        )
        raise RefusedDocumentError("invalid_shape", f"{where}; name it in messages.list of the config")
    names = [found.parts for found in log.lists]
    if len(set(names)) < len(names):
        twice = next(parts for parts in names if names.count(parts) > 1)
        raise RefusedDocumentError(
            "invalid_shape",
            f"two lists of messages are called {'/'.join(twice) or 'nothing'}; name one in messages.list of the config",
        )
    return log


def _root(data: bytes, path: str, log: Log) -> Any:
    if path.lower().endswith((".jsonl", ".ndjson")):
        return _lines(decode(data), path, log)
    try:
        return parse_json(data)
    except RefusedDocumentError as error:
        if "Extra data" not in error.what or not _is_record(decode(data).lstrip().partition("\n")[0]):
            raise
        return _lines(decode(data), path, log)


def _lines(text: str, path: str, log: Log) -> list[Any]:
    records: list[Any] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                records.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                why = RefusedDocumentError("invalid_json", str(error)[:200])
                log.refusals.append(refuse(path, (f"line {number}",), why, line))
    return records


def _is_record(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _search(node: Any, place: _Place, declared: MessageFields, depth: int) -> Iterator[tuple[_Place, list[Any]]]:
    """Lists in which a message stands: whatever else is in them is refused, not passed over."""
    if depth > _DEPTH:
        return
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _search(value, place.of_key(node, key, key.lower() not in _PLAIN_KEYS), declared, depth + 1)
    elif isinstance(node, list):
        if any(looks_like_message(item, declared) for item in node):
            yield place, node
            return
        for position, value in enumerate(node):
            if isinstance(value, (dict, list)):
                yield from _search(value, place.of_item(value, position), declared, depth + 1)


def _steps(path: str) -> list[str]:
    return [step for step in path.replace("[]", ".[].").split(".") if step]


def _follow(node: Any, steps: list[str], place: _Place) -> Iterator[tuple[_Place, Any]]:
    """What a declared path leads to."""
    if not steps:
        yield place, node
    elif steps[0] == "[]" and isinstance(node, list):
        for position, value in enumerate(node):
            yield from _follow(value, steps[1:], place.of_item(value, position))
    elif isinstance(node, dict):
        for key, value in node.items():
            if fnmatchcase(key, steps[0]):
                yield from _follow(value, steps[1:], place.of_key(node, key, "*" in steps[0]))


def _gathered(places: list[tuple[_Place, Any]]) -> list[MessageList]:
    """Lists as they stand; single messages (`mapping.*.message`) with those that stand under the same name."""
    lists: list[MessageList] = []
    single: dict[tuple[str, ...], MessageList] = {}
    for place, node in places:
        if isinstance(node, list):
            lists.append(_message_list(place, node))
        elif isinstance(node, dict):
            parts = place.parts[:-1]
            if parts not in single:
                single[parts] = _message_list(_Place(parts, place.holders, None), [])
                lists.append(single[parts])
            single[parts].items.append(node)
    return lists


def _message_list(place: _Place, items: list[Any]) -> MessageList:
    beside = place.holders[0] if place.holders and place.key else {}
    times = [beside.get(f"{place.key}{suffix}") for suffix in _TIME_SUFFIXES]
    times += [holder.get(name) for holder in place.holders for name in _STARTS]
    titles = (holder.get(name) for holder in place.holders for name in _TITLES)
    title = next((text.strip() for text in titles if isinstance(text, str) and text.strip()), None)
    given = (value for value in times if isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != "")
    return MessageList(place.parts, items, tuple(given), title)


def _label(value: object, position: int) -> str:
    """The id of one of several, else its number."""
    if isinstance(value, dict):
        for name in _IDENTIFIERS:
            found = value.get(name)
            if isinstance(found, (str, int)) and not isinstance(found, bool) and str(found).strip():
                return str(found).strip()
    return str(position + 1)
