"""E-mails: the header lines that say who wrote to whom, then the words; attachments are handed on as files.

Mail in the wild breaks every rule, so each header is read on its own, and one that cannot be parsed is taken as it stands. Of
a text that comes as plain text and as HTML, the plain one is read.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from datetime import datetime
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.policy import default
from email.utils import parsedate_to_datetime

from stratagraph.documents.formats.content import Attachment, Budget, Content, characters, clean, usable_title
from stratagraph.documents.html import read_page
from stratagraph.documents.records import RefusedDocumentError

_MAX_PARTS = 200
_MAX_ATTACHMENTS = 200
_MAX_DEPTH = 50  # of parts within parts; the parser itself recurses
_MAX_HEADER = 20_000
_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_HEADER_ERRORS = (
    ArithmeticError, AssertionError, AttributeError, HeaderParseError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip
_CONTENT_HEADER = re.compile(rb"^content-[a-z-]{1,30}:[^\n]*(?:\n[ \t][^\n]*)*", re.IGNORECASE | re.MULTILINE)
_HEADER_NAME = re.compile(rb"\A(?:From |[\x21-\x39\x3b-\x7e]+:)")
_BOUNDARY = re.compile(rb"boundary\s*=", re.IGNORECASE)


def read_eml(data: bytes) -> Content:
    """Read a message as it was sent."""
    data = data.lstrip(b"\r\n")
    if not _HEADER_NAME.match(data):
        raise RefusedDocumentError("mismatched_content", "an e-mail begins with header lines")
    if len(_BOUNDARY.findall(data)) > _MAX_PARTS:
        raise RefusedDocumentError("too_complex", f"more than {_MAX_PARTS} parts within parts")
    if any(len(match[0]) > _MAX_HEADER for match in _CONTENT_HEADER.finditer(data)):
        raise RefusedDocumentError("too_complex", f"a header of more than {_MAX_HEADER:,} characters says what a part is")
    try:
        message = message_from_bytes(data, policy=default)
    except RecursionError as error:
        raise RefusedDocumentError("too_complex", "messages within messages, too deep to follow") from error
    except (*_HEADER_ERRORS, MemoryError) as error:
        raise RefusedDocumentError("damaged", f"the message cannot be parsed: {error}"[:200]) from error
    headers = [f"{name}: {value}" for name in _SHOWN if (value := _header(message, name))]
    plain, html, attachments = _parts(message)
    body = "\n\n".join(plain) if any(text.strip() for text in plain) else "\n\n".join(read_page(page).text for page in html)
    names = "".join(f"\n\nAttachment: {attachment.name}" for attachment in attachments)
    text = "\n".join(headers) + "\n\n" + body.strip() + names
    budget = characters()
    budget.spend(len(text))
    return Content(clean(text).strip(), usable_title(_header(message, "Subject")), _date(message), (), tuple(attachments))


def _parts(message: Message) -> tuple[list[str], list[str], list[Attachment]]:
    """Plain texts, HTML texts and attachments, in order."""
    plain: list[str] = []
    html: list[str] = []
    attachments: list[Attachment] = []
    for part in _leaves(message):
        kind = part.get_content_type()
        kind = "text/plain" if kind.startswith("multipart/") else kind  # parts were meant, and there are none
        name = _file_name(part)
        if kind in ("text/plain", "text/html") and name is None and part.get_content_disposition() != "attachment":
            (plain if kind == "text/plain" else html).append(_words(part))
        elif kind == "message/rfc822" or name is not None or part.get_content_disposition() == "attachment":
            position = len(attachments) + 1
            if position > _MAX_ATTACHMENTS:
                raise RefusedDocumentError("too_complex", f"more than {_MAX_ATTACHMENTS} attachments")
            attachments.append(Attachment(position, name or _default_name(part), _payload(part)))
    return plain, html, attachments


def _leaves(message: Message) -> Iterator[Message]:
    """Parts that hold content; an attached message is one, whatever is in it."""
    budget = Budget(_MAX_PARTS, "parts")
    stack: list[tuple[Message, int]] = [(message, 0)]
    while stack:
        part, depth = stack.pop()
        budget.spend()
        if depth > _MAX_DEPTH:
            raise RefusedDocumentError("too_complex", f"parts within parts, more than {_MAX_DEPTH} deep")
        payload = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(payload, list):
            stack.extend((child, depth + 1) for child in reversed(payload) if isinstance(child, Message))
        else:
            yield part


def _payload(part: Message) -> bytes:
    payload = part.get_payload()
    if isinstance(payload, list):  # an attached message, which the parser has taken apart already
        return b"".join(child.as_bytes() for child in payload if isinstance(child, Message))
    try:
        decoded = part.get_payload(decode=True)
    except (*_HEADER_ERRORS, binascii.Error):
        return b""
    return decoded if isinstance(decoded, bytes) else b""


def _words(part: Message) -> str:
    """The text of a part; a character set that is unknown or wrong costs characters, not the message."""
    data = _payload(part)
    try:
        charset = part.get_content_charset() or "utf-8"
        return data.decode(charset)
    except (LookupError, ValueError):
        pass
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _header(message: Message, name: str) -> str:
    """A header as a person reads it, on one line; of one that is very long, as much as can be parsed in good time."""
    raw = next(iter(_all(message, name)), "")
    try:
        value = str(message.get(name, "")) if len(raw) <= _MAX_HEADER else _decoded(raw[:_MAX_HEADER])
    except _HEADER_ERRORS:
        value = _decoded(raw[:_MAX_HEADER])
    return clean(" ".join(value.split()))


def _decoded(raw: str) -> str:
    try:
        pieces = decode_header(raw)
        return "".join(piece if isinstance(piece, str) else piece.decode(charset or "latin-1") for piece, charset in pieces)
    except _HEADER_ERRORS:
        return raw


def _file_name(part: Message) -> str | None:
    try:
        name = part.get_filename()
    except _HEADER_ERRORS:
        name = None
    # Senders' folders are nobody's business, and no part of a name here.
    return clean(re.split(r"[/\\]", name)[-1]).strip()[:200] or None if name else None


def _default_name(part: Message) -> str:
    return "message.eml" if part.get_content_type() == "message/rfc822" else "unnamed"


def _date(message: Message) -> str | None:
    """When it was sent, ISO 8601, else when it was first received. A date that is none is handed on, to be refused."""
    stated = _header(message, "Date")
    received = [value.rpartition(";")[2] for value in _all(message, "Received")]
    for value in (stated, *reversed(received)):
        if (moment := _moment(value)) is not None:
            return moment.isoformat()
    return stated or None


def _all(message: Message, name: str) -> list[str]:
    return [str(value) for key, value in message.raw_items() if key.lower() == name.lower()]


def _moment(value: str) -> datetime | None:
    try:
        return parsedate_to_datetime(value.strip())
    except _HEADER_ERRORS:
        return None
