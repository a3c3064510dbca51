"""Reads chat logs: those of one document per person and day; all others are `chat_logs.py`'s."""

from __future__ import annotations

from datetime import tzinfo

from stratagraph.config.documents import ChatFormat
from stratagraph.documents.chat_logs import LogSettings, read_messages
from stratagraph.documents.checks import Records, checked, of_type, parse_json, printable, refuse, required
from stratagraph.documents.language import detect_language
from stratagraph.documents.records import Document, RefusedDocumentError, Turn
from stratagraph.documents.times import parse_reference_time


def read_chats(data: bytes, path: str, form: ChatFormat, assistant: str, settings: LogSettings) -> Records:
    """A chat log of either kind. `auto`: by what is in it."""
    daily = _is_daily(data, path) if form == "auto" else form == "daily"
    yield from read_days(data, path, assistant, settings.zone) if daily else read_messages(data, path, settings)


def read_days(data: bytes, path: str, assistant: str, zone: tzinfo) -> Records:
    """A JSON file `{person: {"history": {day: [{"query", "response"}]}}}`: one document per person and day."""
    try:
        people = of_type(parse_json(data), dict, "the file")
    except RefusedDocumentError as error:
        yield refuse(path, (), error)
        return
    for person, record in people.items():
        try:
            history = required(record, "history", dict)
        except RefusedDocumentError as error:
            yield refuse(path, (printable(person),), error, record)
            continue
        for day, turns in history.items():
            yield from _chat(path, person, day, turns, assistant, zone)


def _chat(path: str, person: str, day: str, turns: object, assistant: str, zone: tzinfo) -> Records:
    """The document of one day; a turn that cannot be read is refused alone."""
    parts = (printable(person).strip(), printable(day))
    try:
        speaker = checked(person).strip()
        reference_time = parse_reference_time(day, zone)
        entries = of_type(turns, list, "the day")
    except RefusedDocumentError as error:
        yield refuse(path, parts, error, turns)
        return
    text = ""
    spans: list[Turn] = []
    for position, entry in enumerate(entries):
        try:
            said = _turn(entry)
        except RefusedDocumentError as error:
            yield refuse(path, (*parts, str(position)), error, entry)
            continue
        for name, words in ((speaker, said[0]), (assistant, said[1])):
            if words:
                start = len(text) + len(name) + 2
                text += f"{name}: {words}\n"
                spans.append(Turn(len(spans), name, start, start + len(words)))
    if not spans:
        yield refuse(path, parts, RefusedDocumentError("empty", "the day has no turn with words"), turns)
        return
    spoken = "\n".join(text[span.char_start : span.char_end] for span in spans)
    language = detect_language(spoken)
    yield Document(path, parts, f"{speaker}, {day.strip()}", "chat", "text/plain", language, reference_time, text, tuple(spans))


def _turn(entry: object) -> tuple[str, str]:
    """Query and response; either may be absent or blank."""
    record = of_type(entry, dict, "the turn")
    said = [record.get(key) or "" for key in ("query", "response")]
    if not all(isinstance(words, str) for words in said):
        raise RefusedDocumentError("invalid_shape", "query and response must be text")
    query, response = (checked(words).strip() if words.strip() else "" for words in said)
    return query, response


def _is_daily(data: bytes, path: str) -> bool:
    """Whether somebody in it has a history by days."""
    if path.lower().endswith((".jsonl", ".ndjson")):
        return False
    try:
        people = parse_json(data)
    except RefusedDocumentError:
        return False
    histories = (
        [record.get("history") for record in people.values() if isinstance(record, dict)] if isinstance(people, dict) else []
    )
    return any(isinstance(history, dict) for history in histories)
