"""Reads files that are one document each: their bytes become a document or a refusal. Pure functions of bytes and config.

What is read: Markdown with front matter, HTML, plain text. Text is UTF-8, with or without a byte order mark; CRLF and CR
become LF, and every offset refers to the text after that. Files of episodes and chats, finding files, and writing what was
read, is elsewhere.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import PurePosixPath

import yaml

from stratagraph.documents.checks import Records, checked, decode, refuse
from stratagraph.documents.html import read_page
from stratagraph.documents.language import detect_language
from stratagraph.documents.records import Document, RefusedDocumentError
from stratagraph.documents.times import parse_reference_time

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


def _file_document(data: bytes, path: str, fallback: datetime) -> Document:
    name = PurePosixPath(path)
    media_type = MEDIA_TYPES.get(name.suffix.lower())
    if media_type is None:
        readable = ", ".join(sorted(MEDIA_TYPES))
        raise RefusedDocumentError("unsupported_format", f"{name.suffix or 'no suffix'}; readable: {readable}")
    text, title, date = decode(data), None, None
    if media_type == "text/html":
        page = read_page(text)
        text, title, date = page.text, page.title, page.date
    elif media_type == "text/markdown":
        text, fields = _front_matter(text)
        date, title = fields.get("date"), fields.get("title") or _heading(text)
    text = checked(text)
    return Document(
        path=path,
        parts=(),
        title=checked(title) if title else name.stem,
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
