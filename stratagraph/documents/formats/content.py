"""What a reader of a format hands on, and the limits that all of them keep.

Only shapes and checks that every format shares live here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stratagraph.documents.records import RefusedDocumentError

MAX_CHARACTERS = 20_000_000  # of one text; as many as a plain file may have bytes

_JUNK_TITLE = re.compile(
    r"(microsoft (word|powerpoint|excel)\b.*|powerpoint[- ]pr[äe]sentation|word document|document\s?\d*|untitled.*|unknown|"
    r"(slide|title|presentation)\s?\d*|.*\.(docx?|pptx?|xlsx?|pdf|rtf|odt|indd|tex|dvi|qxd))",
    re.IGNORECASE,
)
# Control characters other than tab, line feed and form feed: they say nothing, and many places cannot store or show them.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside another: its name as the sender wrote it, and its bytes."""

    position: int
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Content:
    """What one file of a format holds.

    Args:
        text: Markdown where the format has structure. May be empty.
        title: as the document gives it; None if it gives none.
        date: what the document says of itself to its readers, unparsed.
        noted: what its properties say, ISO 8601, unparsed; programs write them, so an unusable one is passed over.
        attachments: files inside it that are documents of their own.
    """

    text: str
    title: str | None = None
    date: str | None = None
    noted: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()


def clean(text: str) -> str:
    """The text without what cannot be stored: control characters and halves of surrogate pairs; line ends are LF.

    >>> clean("a\\x00b\\r\\nc\\ud800")
    'ab\\nc'
    """
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0b", "\n"))


def usable_title(title: str | None) -> str | None:
    """A title that a person may have given; what programs fill in by themselves is none.

    >>> usable_title("Microsoft Word - draft3.doc"), usable_title(" Annual  Report ")
    (None, 'Annual Report')
    """
    text = " ".join(clean(title or "").split())[:500]
    return None if not text or _JUNK_TITLE.fullmatch(text) else text


class Budget:
    """Counts something that one document may not have without end, and refuses the document when it is spent."""

    def __init__(self, limit: int, what: str, reason: str = "too_complex") -> None:
        self._left = self._limit = limit
        self._what = what
        self._reason = reason

    def spend(self, count: int = 1) -> None:
        self._left -= count
        if self._left < 0:
            raise RefusedDocumentError(self._reason, f"more than {self._limit:,} {self._what}")


def characters() -> Budget:
    """The budget of a text's characters."""
    return Budget(MAX_CHARACTERS, "characters of text", "too_large")
