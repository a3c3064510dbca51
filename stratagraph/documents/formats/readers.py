"""Which reader reads which media type, and what becomes of the errors they meet.

Readers are imported when the first file of their format comes: their libraries are large.
"""

from __future__ import annotations

import struct
import zipfile
import zlib

from stratagraph.documents.formats.content import Content
from stratagraph.documents.formats.detect import DOCX, EML, EPUB, HTML, PDF, PPTX, XLSX
from stratagraph.documents.records import RefusedDocumentError

# What libraries raise when a file is not what they expect. They check little, so that damage shows as any of these.
_DAMAGE = (
    ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, NotImplementedError, OSError, RuntimeError,
    SyntaxError, TypeError, ValueError, struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip

_NO_MEMORY = "it needs more memory than one document may"


def read(data: bytes, media_type: str) -> Content:
    """The content of a file; what cannot be read is refused with its reason, whatever a library raised."""
    try:
        return _read(data, media_type)
    except RefusedDocumentError:
        raise
    except RecursionError as error:
        raise RefusedDocumentError("too_complex", "nested too deep") from error
    except MemoryError as error:
        raise RefusedDocumentError("too_complex", _NO_MEMORY) from error
    except _DAMAGE as error:
        # lxml has no memory left to say so.
        if isinstance(error, SyntaxError) and str(error).startswith("unknown error"):
            raise RefusedDocumentError("too_complex", _NO_MEMORY) from error
        raise RefusedDocumentError("damaged", _described(error)) from error
    except Exception as error:
        if not _is_of_library(error):
            raise
        raise RefusedDocumentError("damaged", _described(error)) from error


def _read(data: bytes, media_type: str) -> Content:
    if media_type == PDF:
        from stratagraph.documents.formats.pdf import read_pdf

        return read_pdf(data)
    if media_type == DOCX:
        from stratagraph.documents.formats.docx import read_docx

        return read_docx(data)
    if media_type == PPTX:
        from stratagraph.documents.formats.pptx import read_pptx

        return read_pptx(data)
    if media_type == XLSX:
        from stratagraph.documents.formats.xlsx import read_xlsx

        return read_xlsx(data)
    if media_type == EPUB:
        from stratagraph.documents.formats.epub import read_epub

        return read_epub(data)
    if media_type == HTML:
        from stratagraph.documents.html import read_page

        page = read_page(data.decode("utf-8"))
        return Content(page.text, page.title, page.date)
    if media_type == EML:
        from stratagraph.documents.formats.eml import read_eml

        return read_eml(data)
    raise RefusedDocumentError("unsupported_format", media_type)


def _is_of_library(error: Exception) -> bool:
    """Whether an error is one that the readers' libraries define themselves."""
    return type(error).__module__.split(".")[0] in ("docx", "lxml", "openpyxl", "pptx", "pypdfium2")


def _described(error: BaseException) -> str:
    """One line, without what a library says of this machine's memory: the same damage always reads the same."""
    message = " ".join(str(error).split())
    return (
        f"{type(error).__name__}: {message}"[:200] if "0x" not in message and "<_io." not in message else type(error).__name__
    )
