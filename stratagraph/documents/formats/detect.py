"""What a file is, by its bytes: a suffix is what somebody called it.

Only what has a signature is told apart; text formats have none, and are what their suffix says. Reading is elsewhere.
"""

from __future__ import annotations

import zipfile
from io import BytesIO

from stratagraph.documents.records import RefusedDocumentError

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
EPUB = "application/epub+zip"
PDF = "application/pdf"
EML = "message/rfc822"
HTML = "text/html"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"

SUFFIXES = {
    ".docx": DOCX, ".eml": EML, ".epub": EPUB, ".htm": HTML, ".html": HTML, ".markdown": MARKDOWN, ".md": MARKDOWN, ".pdf": PDF,
    ".pptx": PPTX, ".text": PLAIN, ".txt": PLAIN, ".xhtml": HTML, ".xlsx": XLSX,
}  # fmt: skip
# Formats with a signature; a file of them that does not have it is damaged, or something else.
SIGNED = frozenset((DOCX, EPUB, PDF, PPTX, XLSX))

_PDF_HEAD = 1024  # a PDF may have junk before its signature, as far as here
_PARTS = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


def media_type_of(data: bytes, suffix: str) -> str:
    """The media type that a file is read as.

    Args:
        data: the file.
        suffix: of its name, with the dot, in any case.
    """
    named = SUFFIXES.get(suffix.lower())
    if named is None:
        raise RefusedDocumentError("unsupported_format", f"{suffix or 'no suffix'}; readable: {', '.join(sorted(SUFFIXES))}")
    if not data:
        raise RefusedDocumentError("empty", "no text")
    found = _signed(data, named)
    if found is None and named in SIGNED:
        if not data.strip(b"\x00 \t\r\n"):
            raise RefusedDocumentError("damaged", "nothing but NUL bytes and white space")
        raise RefusedDocumentError(
            "mismatched_content", f"its name says {suffix.lower()}, its first bytes are none of that format"
        )
    return found or named


def _signed(data: bytes, named: str) -> str | None:
    """The format whose signature the file has."""
    if data.startswith(b"%PDF-") or (named == PDF and b"%PDF-" in data[:_PDF_HEAD]):
        return PDF
    if data.startswith(_OLE):
        if _ENCRYPTED_PACKAGE in data:
            raise RefusedDocumentError("encrypted", "an Office file with a password")
        raise RefusedDocumentError(
            "unsupported_format", "a file of Office before 2007 (.doc, .xls, .ppt, .msg); save it in a newer format"
        )
    return _archived(data) if data.startswith(_ZIP) else None


def _archived(data: bytes) -> str:
    """What a ZIP archive is, by its members' names."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, LookupError, OSError, NotImplementedError) as error:
        raise RefusedDocumentError("damaged", f"the ZIP archive cannot be opened: {error}"[:200]) from error
    if "META-INF/container.xml" in names:
        return EPUB
    if "[Content_Types].xml" in names:
        for folder, media_type in _PARTS:
            if any(name.startswith(folder) for name in names):
                return media_type
    raise RefusedDocumentError("mismatched_content", "a ZIP archive that is neither an Office file nor an EPUB")
