"""Checks that every reader of documents shares: bytes are UTF-8, a text can be stored and says something, JSON parses, a field
is of its type. What fails is refused with its reason.

Reading a format is the readers' (`read.py`, `episodes.py`, `chats.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from stratagraph.documents.records import Document, Reading, Refusal, RefusedDocumentError

MAX_BYTES = 20_000_000
_PAYLOAD_CHARACTERS = 2000

Records = Iterator[Document | Refusal | Reading]


def refuse(path: str, parts: tuple[str, ...], error: RefusedDocumentError, payload: object = None) -> Refusal:
    """What goes to quarantine for it; the payload is ASCII JSON, so that whatever was wrong with it can be stored."""
    return Refusal(path, parts, error.reason, error.what, json.dumps(payload, sort_keys=True)[:_PAYLOAD_CHARACTERS])


def printable(text: str) -> str:
    """The text with what cannot be stored (lone surrogates, NUL) written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")


def decode(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise RefusedDocumentError("too_large", f"{len(data)} bytes; the limit is {MAX_BYTES}")
    try:
        return checked(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        place = f"byte 0x{data[error.start]:02x} at offset {error.start}"
        raise RefusedDocumentError("undecodable", f"not UTF-8: {place}") from error


def checked(text: str) -> str:
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


def parse_json(data: bytes) -> object:
    try:
        return json.loads(decode(data))
    except (ValueError, RecursionError) as error:
        raise RefusedDocumentError("invalid_json", str(error)[:200]) from error


def required(record: object, key: str, kind: type) -> Any:
    """A required field of a record, of the required type."""
    mapping = of_type(record, dict, "the record")
    if key not in mapping:
        raise RefusedDocumentError("invalid_shape", f"the field {key!r} is missing")
    return of_type(mapping[key], kind, f"the field {key!r}")


def of_type(value: object, kind: type, what: str) -> Any:
    if not isinstance(value, kind):
        raise RefusedDocumentError("invalid_shape", f"{what} is {type(value).__name__}, expected {kind.__name__}")
    return value
