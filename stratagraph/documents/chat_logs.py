"""Reads chat logs of messages, each with a speaker, a text and perhaps a time: one document per session, one turn per message.

A message that cannot be read is refused alone. Where messages stand is `message_lists.py`, which of their fields is what
`message_fields.py`; logs of one document per person and day are `chats.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from itertools import pairwise
from typing import Any

from stratagraph.config.documents import MessageFields
from stratagraph.documents.checks import Records, checked, of_type, printable, refuse
from stratagraph.documents.language import detect_language
from stratagraph.documents.message_fields import Fields, choose_fields, session_of, speaker_of, spoken, time_of, value_at
from stratagraph.documents.message_lists import MessageList, read_log
from stratagraph.documents.message_times import parse_message_time
from stratagraph.documents.records import Document, Reading, Refusal, RefusedDocumentError, Turn

_SPEAKERS_IN_TITLE = 3


@dataclass(frozen=True, slots=True)
class LogSettings:
    """How messages are read.

    Args:
        fields: what the config says of the fields of a message.
        zone: of times without an offset.
        names: what speakers are called, by what the log calls them.
        reference_time: of sessions that say nothing of their time.
    """

    fields: MessageFields
    zone: tzinfo
    names: dict[str, str] = field(default_factory=dict)
    reference_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Message:
    position: int
    speaker: str
    text: str
    time: datetime | None
    identifier: str | None


@dataclass(slots=True)
class _Session:
    source: MessageList
    messages: list[_Message] = field(default_factory=list)
    identifiers: set[str] = field(default_factory=set)


def read_messages(data: bytes, path: str, settings: LogSettings) -> Records:
    """The sessions of a JSON or JSONL file of messages."""
    try:
        log = read_log(data, path, settings.fields)
        if not log.lists:
            yield from log.refusals
            return
        messages = [item for found in log.lists for item in found.items if isinstance(item, dict)]
        fields = choose_fields(messages, settings.fields, settings.zone)
    except RefusedDocumentError as error:
        yield refuse(path, (), error)
        return
    yield Reading(path, fields.described())
    yield from log.refusals
    sessions: dict[tuple[str, ...], _Session] = {}
    for found in log.lists:
        yield from _sort_in(found, path, fields, settings, sessions)
    for parts, session in sessions.items():
        yield _document(path, parts, session, settings)


def _sort_in(
    found: MessageList, path: str, fields: Fields, settings: LogSettings, sessions: dict[tuple[str, ...], _Session]
) -> Iterator[Refusal]:
    """Put each message into its session; one that cannot be read is refused."""
    day: tuple[str, ...] = ()
    for position, item in enumerate(found.items):
        try:
            message = _message(item, position, fields, settings)
            parts = tuple(printable(part) for part in (*found.parts, *session_of(item, fields)))
            if not parts and message.time:
                day = (message.time.astimezone(settings.zone).date().isoformat(),)
            session = sessions.setdefault(parts or day, _Session(found))
            if message.identifier in session.identifiers:
                raise RefusedDocumentError(
                    "duplicate_document", f"a message with the id {message.identifier!r} stands before it"
                )
        except RefusedDocumentError as error:
            yield refuse(path, (*map(printable, found.parts), str(position)), error, item)
            continue
        session.messages.append(message)
        if message.identifier is not None:
            session.identifiers.add(message.identifier)


def _message(item: object, position: int, fields: Fields, settings: LogSettings) -> _Message:
    record: dict[str, Any] = of_type(item, dict, "the message")
    text, others = spoken(value_at(record, fields.text))
    if not text.strip() or (others and text == "\n".join(f"[{kind}]" for kind in others)):
        raise RefusedDocumentError("empty", f"no words in it{', only ' + ', '.join(others) if others else ''}")
    said = time_of(record, fields)
    identifier = value_at(record, fields.identifier) if fields.identifier else None
    speaker = speaker_of(record, fields)
    return _Message(
        position,
        checked(settings.names.get(speaker, speaker)),
        checked(text).strip(),
        None if said is None else parse_message_time(said, settings.zone, settings.fields.time_format),
        printable(str(identifier)) if isinstance(identifier, (str, int)) and str(identifier) else None,
    )


def _document(path: str, parts: tuple[str, ...], session: _Session, settings: LogSettings) -> Document | Refusal:
    messages = _in_order(session.messages)
    try:
        reference_time, origin = _reference_time(session, settings)
        if not messages:
            raise RefusedDocumentError("empty", "the session has no message with words")
    except RefusedDocumentError as error:
        return refuse(path, parts, error, session.source.items[:5])
    lines: list[str] = []
    turns: list[Turn] = []
    length, time = 0, None
    for message in messages:
        time = message.time or time  # who says nothing of the time speaks after the one before
        start = length + len(message.speaker) + 2
        lines.append(f"{message.speaker}: {message.text}\n")
        turns.append(Turn(len(turns), message.speaker, start, start + len(message.text), time, message.identifier))
        length += len(lines[-1])
    language = detect_language("\n".join(message.text for message in messages))
    title = _title(session.source, messages, reference_time.astimezone(settings.zone))
    return Document(path, parts, title, "chat", "text/plain", language, reference_time, "".join(lines), tuple(turns), origin)


def _in_order(messages: list[_Message]) -> list[_Message]:
    """By time if all have one, else as they stand. Some logs have the newest first, also among messages of the same second."""
    times = [message.time for message in messages if message.time]
    if len(times) < len(messages) or not times:
        return messages
    newest_first = times[0] > times[-1] and all(first >= second for first, second in pairwise(times))
    return sorted(reversed(messages) if newest_first else messages, key=lambda message: message.time or times[0])


def _reference_time(session: _Session, settings: LogSettings) -> tuple[datetime, str]:
    """When a session began: the earliest of its messages, else what stands around it, else what the config says."""
    earliest = min((message.time for message in session.messages if message.time), default=None)
    if earliest:
        return earliest, "document"
    if session.source.times:
        return parse_message_time(session.source.times[0], settings.zone, settings.fields.time_format), "document"
    if settings.reference_time:
        return settings.reference_time.astimezone(UTC), "config"
    raise RefusedDocumentError(
        "invalid_reference_time", "nothing says when it was; set reference_time of the source in the config"
    )


def _title(source: MessageList, messages: list[_Message], began: datetime) -> str:
    if source.title:
        return printable(source.title)
    speakers = list(dict.fromkeys(message.speaker for message in messages))
    named = " and ".join(speakers[:_SPEAKERS_IN_TITLE]) + (" and others" if len(speakers) > _SPEAKERS_IN_TITLE else "")
    return f"{named}, {began.date().isoformat()}"
