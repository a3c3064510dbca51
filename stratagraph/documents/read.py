"""Reads files that are one document each: their bytes become a document or a refusal. Pure functions of bytes and config.

Markdown with front matter and plain text are read here, other formats by `html.py` and `formats/`, in a process of their own.
Text and HTML are UTF-8, with or without a byte order mark. CRLF and CR become LF, and every offset refers to the text after
that. A message brings its attachments, which are documents too. Files of episodes and chats, finding files, and writing what
was read, is elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from pathlib import PurePosixPath

import yaml

from stratagraph.documents.checks import MAX_BYTES, Records, checked, decode, printable, refuse
from stratagraph.documents.formats.content import Attachment, Content
from stratagraph.documents.formats.detect import HTML, MARKDOWN, PLAIN, SUFFIXES, media_type_of
from stratagraph.documents.formats.process import read_apart
from stratagraph.documents.language import detect_language
from stratagraph.documents.records import Document, RefusedDocumentError
from stratagraph.documents.times import Dating

# A document's date and title stand between these lines, at the very start.
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LOOKS_LIKE_FIELDS = re.compile(r"\s*[A-Za-z_][\w -]*:(\s|$)")
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)
_FRONT_MATTER_CHARACTERS = 50_000
_ATTACHMENT_DEPTH = 2
_PARTS_PER_LEVEL = 2  # an attachment's number and name


def read_file(
    data: bytes, path: str, modified: datetime, pattern: str | None = None, configured: datetime | None = None
) -> Records:
    """A file of any readable format: one document, and one for each attachment.

    Args:
        data: the file.
        path: its path as it is stored.
        modified: when the file was modified; the reference time of a file of which nothing else says it.
        pattern: strptime pattern of the date in its name.
        configured: the reference time that the config gives to files without one of their own.
    """
    yield from _documents(data, path, (), PurePosixPath(path).name, Dating((modified, "modified"), pattern, configured))


def _documents(data: bytes, path: str, parts: tuple[str, ...], name: str, dating: Dating) -> Records:
    """The document of a file, then those of its attachments."""
    try:
        document, attachments = _document(data, path, parts, name, dating)
    except RefusedDocumentError as error:
        yield refuse(path, parts, error)
        return
    yield document
    for attachment in attachments:
        place = (*parts, str(attachment.position), printable(attachment.name))
        if PurePosixPath(attachment.name).suffix.lower() not in SUFFIXES:
            continue  # the message names it; a picture or a signature is no document that failed
        if len(parts) >= _PARTS_PER_LEVEL * _ATTACHMENT_DEPTH:
            detail = f"attached to attachments, more than {_ATTACHMENT_DEPTH} deep"
            yield refuse(path, place, RefusedDocumentError("too_complex", detail))
            continue
        within = replace(dating, last=(document.reference_time, "message"), configured=None)
        yield from _documents(attachment.data, path, place, attachment.name, within)


def _document(
    data: bytes, path: str, parts: tuple[str, ...], name: str, dating: Dating
) -> tuple[Document, tuple[Attachment, ...]]:
    if len(data) > MAX_BYTES:
        raise RefusedDocumentError("too_large", f"{len(data)} bytes; the limit is {MAX_BYTES}")
    media_type = media_type_of(data, PurePosixPath(name).suffix)
    if media_type in (MARKDOWN, PLAIN):
        content = _text_content(decode(data), media_type)
    elif media_type == HTML:
        content = read_apart(decode(data).encode("utf-8"), media_type)
    else:
        content = read_apart(data, media_type)
        if not content.text.strip():
            raise RefusedDocumentError("no_text", "it holds no text; pictures are not read")
    text = checked(content.text)
    reference_time, source = dating.of(content.date, content.noted, name)
    document = Document(
        path=path,
        parts=parts,
        title=checked(content.title) if content.title else printable(PurePosixPath(name).stem),
        kind="file",
        media_type=media_type,
        language=detect_language(text),
        reference_time=reference_time,
        text=text,
        reference_source=source,
    )
    return document, content.attachments


def _text_content(text: str, media_type: str) -> Content:
    if media_type == PLAIN:
        return Content(text)
    text, fields = _front_matter(text)
    return Content(text, fields.get("title") or _heading(text), fields.get("date"))


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
