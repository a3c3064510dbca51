"""What a reader hands on: documents with their turns, and refusals with their reason.

Only the shapes live here, and the IRI of a document. How bytes become documents is `read.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from stratagraph.errors import SourceError

# What a refused document or record is refused for. Documented for users in docs/documents.md; a test compares the two.
REASONS = (
    "damaged",
    "duplicate_document",
    "empty",
    "encrypted",
    "invalid_front_matter",
    "invalid_json",
    "invalid_reference_time",
    "invalid_shape",
    "mismatched_content",
    "no_text",
    "not_a_file",
    "nul_byte",
    "outside_root",
    "too_complex",
    "too_large",
    "undecodable",
    "unreadable",
    "unsupported_format",
    "xml_entities",
    "zip_bomb",
)
# Where the reference time of a document comes from, the first that has one.
REFERENCE_SOURCES = ("document", "file_name", "metadata", "message", "config", "modified")


class RefusedDocumentError(SourceError):
    """One document or record cannot be taken; it goes to quarantine and the rest goes on."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a chat: `text[char_start:char_end]` of its document is what the speaker said, without the name."""

    position: int
    speaker: str
    char_start: int
    char_end: int
    reference_time: datetime | None = None  # when it was said; None: as the document
    message_id: str | None = None  # as the log gives it


@dataclass(frozen=True, slots=True)
class Document:
    """One text.

    Args:
        path: file, relative to the config file, with forward slashes.
        parts: what tells the documents of one file apart (an episode's id; a person and a day); empty for a file.
        kind: file, episode or chat.
        media_type: of the file, whatever its name says.
        reference_time: when the text was written, UTC.
        text: what every offset refers to: line ends are LF, no byte order mark, no front matter; Markdown where the file
            has structure.
        reference_source: one of `REFERENCE_SOURCES`.
    """

    path: str
    parts: tuple[str, ...]
    title: str
    kind: str
    media_type: str
    language: str
    reference_time: datetime
    text: str
    turns: tuple[Turn, ...] = ()
    reference_source: str = "document"


@dataclass(frozen=True, slots=True)
class Reading:
    """Which fields of a file were taken for what, where that was found out and not declared."""

    path: str
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file or record that was not taken: where it stands, why not, and what it held (JSON)."""

    path: str
    parts: tuple[str, ...]
    reason: str
    detail: str
    payload: str

    @property
    def location(self) -> str:
        """The file, and the record in it."""
        return "/".join((self.path, *self.parts))


def document_id(base_iri: str, source: str, path: str, parts: tuple[str, ...] = ()) -> str:
    """IRI of a document: base, `document/`, source, path and parts, percent-encoded.

    >>> document_id("urn:x:", "chats", "a b/c.json", ("张", "2023-04-27"))
    'urn:x:document/chats/a%20b/c.json/%E5%BC%A0/2023-04-27'
    """
    tail = "/".join(quote(part, safe="") for part in parts)
    return f"{base_iri}document/{quote(source, safe='')}/{quote(path, safe='/')}" + (f"/{tail}" if tail else "")
