"""Which field of a message is its text, its speaker, its time, its session and its id: as declared, else by the usual names.

Two fields that could both be meant and say different things are refused: a guess would be wrong for half of the logs. Where
the messages stand in a file is `message_lists.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from stratagraph.config.documents import MessageFields
from stratagraph.documents.message_times import TIME_OF_DAY, is_absolute, parse_message_time
from stratagraph.documents.records import RefusedDocumentError

TEXT = ("text", "content", "message", "body", "msg", "utterance", "value")
ROLE = "role"  # says what a speaker is, where another field says who
SPEAKER = ("speaker", "author", "sender", "from", "user", "username", "name", "sender_name", "from_name", "participant", ROLE)
TIME = (
    "timestamp", "time", "date", "datetime", "date_time", "created_at", "createdAt", "create_time", "created", "sent_at", "ts",
    "timestamp_ms", "date_unixtime",
)  # fmt: skip
# From the widest to the narrowest: a log may have several of them.
SESSION = (
    "channel", "channel_id", "room", "room_id", "chat_id", "conversation_id", "dialogue_id", "session_id", "session",
    "thread_id", "thread", "thread_ts",
)  # fmt: skip
IDENTIFIER = ("id", "message_id", "msg_id", "uuid", "dia_id", "client_msg_id")
_NAMES_OF_PERSONS = ("name", "display_name", "username", "role", "id")
_LOOKED_AT = 500  # messages that are compared where two fields could be meant
_SPEAKER_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Fields:
    """The chosen fields. Of several speakers the first that a message has counts; several times are one text."""

    text: str
    speaker: tuple[str, ...]
    time: tuple[str, ...] = ()
    session: tuple[str, ...] = ()
    identifier: str | None = None

    def described(self) -> dict[str, str]:
        found = {
            "text": self.text, "speaker": ", ".join(self.speaker), "time": " + ".join(self.time),
            "session": ", ".join(self.session), "id": self.identifier or "",
        }  # fmt: skip
        return {key: value or "none" for key, value in found.items()}


def value_at(message: dict[str, Any], path: str) -> Any:
    """A field of a message; a dotted path leads into fields of fields."""
    if path in message:
        return message[path]
    found: Any = message
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def looks_like_message(item: object, declared: MessageFields) -> bool:
    """Whether it has a text and a speaker."""
    return (
        isinstance(item, dict)
        and any(value_at(item, name) is not None for name in _names(declared.text, TEXT))
        and any(_person(value_at(item, name)) for name in _names(declared.speaker, SPEAKER))
    )


def choose_fields(messages: list[dict[str, Any]], declared: MessageFields, zone: tzinfo) -> Fields:
    """The fields of all messages of a file.

    Raises:
        RefusedDocumentError: two fields could be meant, or none.
    """
    sample = messages[:_LOOKED_AT]
    texts = [declared.text] if declared.text else _present(messages, TEXT, lambda value: isinstance(value, (str, list, dict)))
    if not declared.text:
        _refuse_if_different("text", _conflict(sample, texts, lambda value: spoken(value)[0].strip() or None))
    speakers = [declared.speaker] if declared.speaker else _present(messages, SPEAKER, lambda value: bool(_person(value)))
    if not declared.speaker:
        _refuse_if_different("speaker", _conflict(sample, [name for name in speakers if name != ROLE], _person))
    if not texts or not speakers:
        names = sorted({key for message in sample for key in message})
        lacks = "text" if not texts else "speaker"
        raise RefusedDocumentError(
            "invalid_shape", f"no field is known as the {lacks} of a message; there are {', '.join(names)[:150]}"
        )
    sessions = (declared.session,) if declared.session else tuple(_present(messages, SESSION, _is_scalar))
    identifiers = [declared.id] if declared.id else _present(messages, IDENTIFIER, _is_scalar)
    return Fields(
        texts[0],
        tuple(speakers),
        _choose_time(messages, sample, declared, zone),
        sessions,
        identifiers[0] if identifiers else None,
    )


def speaker_of(message: dict[str, Any], fields: Fields) -> str:
    """Who speaks."""
    name = next((person for person in (_person(value_at(message, field)) for field in fields.speaker) if person), None)
    if name is None:
        raise RefusedDocumentError("invalid_shape", f"it does not say who speaks ({', '.join(fields.speaker)})")
    return name


def session_of(message: dict[str, Any], fields: Fields) -> tuple[str, ...]:
    """The ids of what the message belongs to, from the widest on."""
    values = (value_at(message, field) for field in fields.session)
    return tuple(str(value).strip() for value in values if _is_scalar(value) and str(value).strip())


def time_of(message: dict[str, Any], fields: Fields) -> object:
    """What the message says of its time, None if nothing."""
    values = [value for value in (value_at(message, field) for field in fields.time) if value not in (None, "")]
    return values[0] if len(values) == 1 else " ".join(map(str, values)) if values else None


def spoken(value: object) -> tuple[str, list[str]]:
    """The words of a message's content, and what kinds of things are in it that are no words.

    >>> spoken([{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {}}])
    ('Look:\\n[image_url]', ['image_url'])
    """
    if value is None or isinstance(value, str):
        return value or "", []
    if isinstance(value, dict):
        return _part(value)
    if not isinstance(value, list):
        raise RefusedDocumentError("invalid_shape", f"the text is {type(value).__name__}")
    parts = [_part(part) if isinstance(part, dict) else spoken(part) for part in value if not isinstance(part, list)]
    # A line with links in it is told in pieces, some of them plain; parts of a content are each of their own.
    mixed = any(isinstance(part, str) for part in value) and any(isinstance(part, dict) for part in value)
    return ("" if mixed else "\n").join(text for text, _ in parts if text), [kind for _, kinds in parts for kind in kinds]


def _part(part: dict[str, Any]) -> tuple[str, list[str]]:
    if isinstance(part.get("parts"), list):
        return spoken(part["parts"])
    for name in ("text", "content", "value"):
        inner = part.get(name)
        if isinstance(inner, str):
            return inner, []
        if isinstance(inner, dict) and isinstance(inner.get("value"), str):
            return str(inner["value"]), []
    kind = str(part.get("type") or part.get("content_type") or "unknown").strip()[:40]
    return f"[{kind}]", [kind]


def _choose_time(
    messages: list[dict[str, Any]], sample: list[dict[str, Any]], declared: MessageFields, zone: tzinfo
) -> tuple[str, ...]:
    if declared.time:
        return (declared.time,) if isinstance(declared.time, str) else tuple(declared.time)
    found = _present(messages, TIME, lambda value: isinstance(value, (str, int, float)) and not isinstance(value, bool))
    if {"date", "time"} <= set(found) and all(
        TIME_OF_DAY.fullmatch(str(message["time"])) for message in sample if message.get("time") not in (None, "")
    ):
        return ("date", "time")
    if len(found) > 1:
        absolute = [name for name in found if all(is_absolute(value) for value in _values(sample, name))]
        found = absolute or found
        _refuse_if_different(
            "time", _conflict(sample, found, lambda value: parse_message_time(value, zone, declared.time_format))
        )
    return tuple(found[:1])


def _refuse_if_different(role: str, conflict: tuple[str, str] | None) -> None:
    if conflict:
        first, second = conflict
        raise RefusedDocumentError(
            "invalid_shape",
            f"{first!r} and {second!r} could both be its {role} and differ; name one in messages.{role} of the config",
        )


def _conflict(sample: list[dict[str, Any]], names: list[str], read: Any) -> tuple[str, str] | None:
    """The first two of the fields that say different things in one message."""
    for message in sample if len(names) > 1 else ():
        said: dict[str, Any] = {}
        for name in names:
            try:
                value = read(message.get(name))
            except RefusedDocumentError:
                continue
            if value is not None:
                said[name] = value
        others = list(said.items())
        for name, value in others[1:]:
            if value != others[0][1]:
                return others[0][0], name
    return None


def _present(messages: list[dict[str, Any]], names: Iterable[str], usable: Any) -> list[str]:
    return [name for name in names if any(usable(message.get(name)) for message in messages)]


def _values(messages: list[dict[str, Any]], name: str) -> Iterator[Any]:
    return (message[name] for message in messages if message.get(name) not in (None, ""))


def _names(declared: str | None, usual: tuple[str, ...]) -> tuple[str, ...]:
    return (declared,) if declared else usual


def _person(value: object) -> str | None:
    """The name of a speaker: a text, a number, or what a record of a person calls it."""
    if isinstance(value, dict):
        return next((name for name in (_person(value.get(key)) for key in _NAMES_OF_PERSONS) if name), None)
    if not _is_scalar(value):
        return None
    return " ".join(str(value).split())[:_SPEAKER_CHARACTERS] or None


def _is_scalar(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)
