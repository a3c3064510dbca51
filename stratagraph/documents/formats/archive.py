"""ZIP archives (Office files, EPUB) opened so that none can hurt: sizes, ratios and document types are checked before a
library sees the file.

The sizes an archive declares bound what is unpacked: `zipfile` never yields more than them, and a wrong checksum is an error.
"""

from __future__ import annotations

import lzma
import zipfile
import zlib
from io import BytesIO
from pyexpat import ExpatError, ParserCreate

from stratagraph.documents.records import RefusedDocumentError

MAX_MEMBERS = 10_000
MAX_UNPACKED = 200_000_000
MAX_PART = 60_000_000  # of a part that is held as a tree, which takes several times its size
# XML of many equal rows packs 1:100; what is much denser than that, and large, was made to be.
_MAX_RATIO = 250
_RATIO_FROM = 5_000_000
_HEAD = 65_536
_ENCRYPTED = 0x1
_UNPACKING_ERRORS = (
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
)


def open_archive(data: bytes, streamed: tuple[str, ...] = ()) -> zipfile.ZipFile:
    """The archive, if all of it may be unpacked.

    Args:
        data: the file.
        streamed: starts of the names of parts that are never held whole, which may be longer than `MAX_PART`.
    """
    try:
        archive = zipfile.ZipFile(BytesIO(data))
        members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, LookupError, OSError, NotImplementedError) as error:
        raise RefusedDocumentError("damaged", f"the ZIP archive cannot be opened: {error}"[:200]) from error
    _check_sizes(members, streamed)
    for member in members:
        _refuse_document_type(archive, member)
    return archive


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """A member's bytes; one that is not there, or is not what its checksum says, is damage."""
    try:
        return archive.read(name)
    except KeyError as error:
        raise RefusedDocumentError("damaged", f"the archive has no part {name[:100]!r}") from error
    except _UNPACKING_ERRORS as error:
        raise RefusedDocumentError("damaged", f"{name[:100]!r} cannot be unpacked: {error}"[:200]) from error


def _check_sizes(members: list[zipfile.ZipInfo], streamed: tuple[str, ...]) -> None:
    if len(members) > MAX_MEMBERS:
        raise RefusedDocumentError("zip_bomb", f"{len(members)} parts; the limit is {MAX_MEMBERS}")
    total = sum(member.file_size for member in members)
    if total > MAX_UNPACKED:
        raise RefusedDocumentError("zip_bomb", f"{total} bytes unpacked; the limit is {MAX_UNPACKED}")
    for member in members:
        if member.flag_bits & _ENCRYPTED:
            raise RefusedDocumentError("encrypted", f"the part {member.filename[:100]!r} is encrypted")
        if member.file_size > _RATIO_FROM and member.file_size > _MAX_RATIO * max(member.compress_size, 1):
            what = f"{member.filename[:100]!r} unpacks {member.compress_size} bytes to {member.file_size}"
            raise RefusedDocumentError("zip_bomb", f"{what}; the limit is {_MAX_RATIO} times")
        if member.file_size > MAX_PART and not member.filename.startswith(streamed or ("\0",)):
            raise RefusedDocumentError(
                "too_large", f"{member.filename[:100]!r} unpacks to {member.file_size} bytes; limit {MAX_PART}"
            )


def _refuse_document_type(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Refuse XML that declares entities: they are how a small file becomes a large one, or reads another file.

    The prolog is read by a real parser, so that no encoding hides it; it ends at the first element. XHTML may name a document
    type (it is never read as XML, and its entities are HTML's), but may not define anything in it.
    """
    xhtml = member.filename.lower().endswith((".xhtml", ".html", ".htm", ".ncx"))
    parser = ParserCreate()

    def document_type(name: str, system: str | None, public: str | None, internal: int) -> None:
        if internal or not xhtml:
            raise RefusedDocumentError("xml_entities", f"{member.filename[:100]!r} declares a document type")

    def first_element(name: str, attributes: dict[str, str]) -> None:
        raise _PrologEndedError

    parser.StartDoctypeDeclHandler = document_type
    parser.StartElementHandler = first_element
    try:
        with archive.open(member) as stream:
            for _ in range(16):  # a prolog of more than a megabyte is none
                head = stream.read(_HEAD)
                parser.Parse(head, not head)
                if not head:
                    return
    except (ExpatError, _PrologEndedError):
        return  # no XML, or past where a document type can stand
    except _UNPACKING_ERRORS as error:
        raise RefusedDocumentError("damaged", f"{member.filename[:100]!r} cannot be unpacked: {error}"[:200]) from error
    raise RefusedDocumentError("too_complex", f"{member.filename[:100]!r} has no element within its first megabyte")


class _PrologEndedError(Exception):
    """The first element was met."""
