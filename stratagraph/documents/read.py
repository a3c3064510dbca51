"""Readers: the bytes of one file become documents and refusals. Pure functions of bytes and config.

What is read: Markdown with front matter, HTML, plain text, JSON files of episodes and of chats. Text is UTF-8, with or
without a byte order mark; CRLF and CR become LF, and every offset refers to the text after that. Finding files, and
writing what was read, is elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from pathlib import PurePosixPath
from typing import Any

import yaml

from stratagraph.documents.html import read_page
from stratagraph.documents.language import detect_language
from stratagraph.documents.records import Document, Refusal, RefusedDocumentError, Turn
from stratagraph.documents.times import parse_reference_time

MAX_BYTES = 20_000_000
MEDIA_TYPES = {
    ".htm": "text/html", ".html": "text/html", ".xhtml": "text/html", ".md": "text/markdown", ".markdown": "text/markdown",
    ".txt": "text/plain", ".text": "text/plain",
}  # fmt: skip

# A document's date and title stand between these lines, at the very start.
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LOOKS_LIKE_FIELDS = re.compile(r"\s*[A-Za-z_][\w -]*:(\s|$)")
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)
_FRONT_MATTER_CHARACTERS = 50_000
_PAYLOAD_CHARACTERS = 2000

Records = Iterator[Document | Refusal]


def read_file(data: bytes, path: str, fallback: datetime) -> Records:
    """A Markdown, HTML or text file: one document.

    Args:
        data: the file.
        path: its path as it is stored.
        fallback: the reference time of a file that gives none itself.
    """
    try:
        yield _file_document(data, path, fallback)
    except RefusedDocumentError as error:
        yield refuse(path, (), error)


def read_episodes(data: bytes, path: str) -> Records:
    """A JSON file `{"episodes": [{"id", "ref_time", "text"}]}`: one document per episode."""
    try:
        episodes = _field(_json(data), "episodes", list)
    except RefusedDocumentError as error:
        yield refuse(path, (), error)
        return
    for position, episode in enumerate(episodes):
        yield from _guarded(path, f"episodes[{position}]", episode, lambda item: _episode(item, path))


def read_chats(data: bytes, path: str, assistant: str, zone: tzinfo) -> Records:
    """A JSON file `{person: {"history": {day: [{"query", "response"}]}}}`: one document per person and day."""
    try:
        people = _of_type(_json(data), dict, "the file")
    except RefusedDocumentError as error:
        yield refuse(path, (), error)
        return
    for person, record in people.items():
        try:
            history = _field(record, "history", dict)
        except RefusedDocumentError as error:
            yield refuse(path, (printable(person),), error, record)
            continue
        for day, turns in history.items():
            yield from _chat(path, person, day, turns, assistant, zone)


def refuse(path: str, parts: tuple[str, ...], error: RefusedDocumentError, payload: object = None) -> Refusal:
    """What goes to quarantine for it; the payload is ASCII JSON, so that whatever was wrong with it can be stored."""
    return Refusal(path, parts, error.reason, error.what, json.dumps(payload, sort_keys=True)[:_PAYLOAD_CHARACTERS])


def printable(text: str) -> str:
    """The text with what cannot be stored (lone surrogates, NUL) written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")


def _file_document(data: bytes, path: str, fallback: datetime) -> Document:
    name = PurePosixPath(path)
    media_type = MEDIA_TYPES.get(name.suffix.lower())
    if media_type is None:
        readable = ", ".join(sorted(MEDIA_TYPES))
        raise RefusedDocumentError("unsupported_format", f"{name.suffix or 'no suffix'}; readable: {readable}")
    text, title, date = _decode(data), None, None
    if media_type == "text/html":
        page = read_page(text)
        text, title, date = page.text, page.title, page.date
    elif media_type == "text/markdown":
        text, fields = _front_matter(text)
        date, title = fields.get("date"), fields.get("title") or _heading(text)
    text = _checked(text)
    return Document(
        path=path,
        parts=(),
        title=_checked(title) if title else name.stem,
        kind="file",
        media_type=media_type,
        language=detect_language(text),
        reference_time=parse_reference_time(date) if date else fallback,
        text=text,
    )


def _front_matter(text: str) -> tuple[str, dict[str, str]]:
    """The body, and the fields before it. A thematic break at the start of a text is not front matter."""
    match = _FRONT_MATTER.match(text)
    if not match or not (_LOOKS_LIKE_FIELDS.match(match[1]) or not match[1].strip()):
        return text, {}
    if len(match[1]) > _FRONT_MATTER_CHARACTERS:
        raise RefusedDocumentError("invalid_front_matter", f"longer than {_FRONT_MATTER_CHARACTERS} characters")
    try:
        # BaseLoader builds strings, lists and mappings only: no tags, and 2024-02-30 stays readable enough to be refused.
        fields = yaml.load(match[1], Loader=yaml.BaseLoader) or {}
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RefusedDocumentError("invalid_front_matter", " ".join(str(error).split())[:200]) from error
    if not isinstance(fields, dict):
        raise RefusedDocumentError("invalid_front_matter", "the front matter is not a mapping of fields")
    return text[match.end() :], {key: fields[key].strip() for key in ("date", "title") if isinstance(fields.get(key), str)}


def _heading(text: str) -> str | None:
    fence = _FENCE.search(text)  # a `#` in code is no heading
    match = _HEADING.search(text, 0, fence.start() if fence else len(text))
    if not match:
        return None
    title = match[1].rstrip()
    bare = title.rstrip("#")
    return bare.rstrip() if bare.endswith((" ", "\t")) else title  # "# Title #" closes, "# C#" does not


def _episode(item: object, path: str) -> Document:
    identifier = _of_type(item, dict, "the episode").get("id")
    name = str(identifier) if isinstance(identifier, int) else _field(item, "id", str)
    text = _checked(_field(item, "text", str))
    title = item.get("title") if isinstance(item, dict) else None
    return Document(
        path=path,
        parts=(_checked(name).strip(),),
        title=_checked(title) if isinstance(title, str) and title.strip() else name,
        kind="episode",
        media_type="text/plain",
        language=detect_language(text),
        reference_time=parse_reference_time(_field(item, "ref_time", str)),
        text=text,
    )


def _chat(path: str, person: str, day: str, turns: object, assistant: str, zone: tzinfo) -> Records:
    """The document of one day; a turn that cannot be read is refused alone."""
    parts = (printable(person).strip(), printable(day))
    try:
        speaker = _checked(person).strip()
        reference_time = parse_reference_time(day, zone)
        entries = _of_type(turns, list, "the day")
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
    record = _of_type(entry, dict, "the turn")
    said = [record.get(key) or "" for key in ("query", "response")]
    if not all(isinstance(words, str) for words in said):
        raise RefusedDocumentError("invalid_shape", "query and response must be text")
    query, response = (_checked(words).strip() if words.strip() else "" for words in said)
    return query, response


def _guarded(path: str, place: str, item: object, reader: Callable[[object], Document]) -> Records:
    try:
        yield reader(item)
    except RefusedDocumentError as error:
        yield refuse(path, (place,), error, item)


def _decode(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise RefusedDocumentError("too_large", f"{len(data)} bytes; the limit is {MAX_BYTES}")
    try:
        return _checked(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        place = f"byte 0x{data[error.start]:02x} at offset {error.start}"
        raise RefusedDocumentError("undecodable", f"not UTF-8: {place}") from error


def _checked(text: str) -> str:
    """The text with LF line ends, if it can be stored and says something."""
    if "\x00" in text:
        raise RefusedDocumentError("nul_byte", f"a NUL at character {text.index(chr(0))}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:  # a lone surrogate, which JSON can carry
        raise RefusedDocumentError("undecodable", f"half a surrogate pair at character {error.start}") from error
    if not text.strip():
        raise RefusedDocumentError("empty", "no text" if not text else "nothing but white space")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _json(data: bytes) -> object:
    try:
        return json.loads(_decode(data))
    except (ValueError, RecursionError) as error:
        raise RefusedDocumentError("invalid_json", str(error)[:200]) from error


def _field(record: object, key: str, kind: type) -> Any:
    """A required field of a record, of the required type."""
    mapping = _of_type(record, dict, "the record")
    if key not in mapping:
        raise RefusedDocumentError("invalid_shape", f"the field {key!r} is missing")
    return _of_type(mapping[key], kind, f"the field {key!r}")


def _of_type(value: object, kind: type, what: str) -> Any:
    if not isinstance(value, kind):
        raise RefusedDocumentError("invalid_shape", f"{what} is {type(value).__name__}, expected {kind.__name__}")
    return value
