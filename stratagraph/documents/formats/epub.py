"""E-books: the chapters of an EPUB in the order of its spine, read as the HTML they are.

The archive and its two XML files are read here with a hardened parser; no library with a permissive licence does it. Books
under a rights lock are refused; fonts that are merely scrambled do no harm.
"""

from __future__ import annotations

import posixpath
from typing import Any
from urllib.parse import unquote

from lxml import etree

from stratagraph.documents.formats import markdown
from stratagraph.documents.formats.archive import open_archive, read_member
from stratagraph.documents.formats.content import Budget, Content, characters, clean, usable_title
from stratagraph.documents.html import read_page
from stratagraph.documents.records import RefusedDocumentError

_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_PACKAGE = "{http://www.idpf.org/2007/opf}"
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_ENCRYPTION = "{http://www.w3.org/2001/04/xmlenc#}"
_PAGES = frozenset(("application/xhtml+xml", "text/html", "application/html+xml"))
_MAX_CHAPTERS = 5_000


def read_epub(data: bytes) -> Content:
    """Read a book."""
    with open_archive(data) as archive:
        names = {name: name for name in archive.namelist()}
        container = _parse(read_member(archive, "META-INF/container.xml"))
        rootfile = container.find(f".//{_CONTAINER}rootfile")
        path = rootfile.get("full-path", "") if rootfile is not None else ""
        package = _parse(read_member(archive, path))
        chapters = [name for name in _chapters(package, posixpath.dirname(path)) if name in names]
        if "META-INF/encryption.xml" in names:
            locked = _locked(_parse(read_member(archive, "META-INF/encryption.xml")))
            if locked.intersection(chapters):
                raise RefusedDocumentError("encrypted", "the chapters of the book are encrypted")
        budget = characters()
        parts: list[str] = []
        first: str | None = None
        for name in chapters:
            page = read_page(_decoded(read_member(archive, name)))
            budget.spend(len(page.text))
            parts.append(clean(page.text))
            first = first or page.title
    titles = [usable_title(title) for title in _texts(package, "title")]
    title = next((title for title in titles if title), None) or usable_title(first)
    return Content(markdown.blocks(parts), title, noted=_dates(package))


def _chapters(package: Any, folder: str) -> list[str]:
    """Names of the members that are the book's pages, in reading order."""
    items = {
        item.get("id"): posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
        for item in package.iter(f"{_PACKAGE}item")
        if item.get("media-type") in _PAGES and "nav" not in item.get("properties", "").split()
    }
    budget = Budget(_MAX_CHAPTERS, "chapters")
    found = []
    for reference in package.iter(f"{_PACKAGE}itemref"):
        budget.spend()
        name = items.get(reference.get("idref"))
        if name is not None and name not in found and reference.get("linear", "yes") != "no":
            found.append(name)
    return found


def _locked(encryption: Any) -> set[str]:
    return {
        posixpath.normpath(unquote(reference.get("URI", "")).lstrip("/"))
        for reference in encryption.iter(f"{_ENCRYPTION}CipherReference")
    }


def _dates(package: Any) -> tuple[str, ...]:
    """The date of publication before others; EPUB 3 has one, EPUB 2 marks several by their event."""
    elements = list(package.iter(f"{_DUBLIN_CORE}date"))
    elements.sort(key=lambda element: element.get(f"{_PACKAGE}event", "publication") != "publication")
    return tuple("".join(element.itertext()).strip() for element in elements)


def _texts(package: Any, name: str) -> list[str]:
    return ["".join(element.itertext()) for element in package.iter(f"{_DUBLIN_CORE}{name}")]


def _decoded(data: bytes) -> str:
    """XHTML is UTF-8 unless it begins with the mark of UTF-16; a byte that is wrong costs its character, not the book."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return data.decode(encoding, "replace").replace("\x00", "")


def _parse(data: bytes) -> Any:
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
