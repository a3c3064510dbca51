"""Files of every format, made small and the same each time: for tests that need one of their own kind."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from email.message import EmailMessage
from io import BytesIO
from typing import Any

_DAY = (2024, 1, 2, 3, 4, 6)
CREATED, MODIFIED = datetime(2023, 3, 4, 5, 6, 7), datetime(2024, 1, 2, 3, 4, 5)  # noqa: DTZ001 - the libraries want UTC so


def archive(members: dict[str, bytes | str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP archive with the same bytes for the same members."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as opened:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, _DAY)
            info.compress_type = compression
            opened.writestr(info, data)
    return stream.getvalue()


def changed(data: bytes, **members: bytes | str | None) -> bytes:
    """An archive with some members replaced, added, or (None) left out; `__` in a name stands for `/`, `_dot_` for a dot."""
    with zipfile.ZipFile(BytesIO(data)) as opened:
        held: dict[str, Any] = {name: opened.read(name) for name in opened.namelist()}
    for key, value in members.items():
        name = key.replace("__", "/").replace("_dot_", ".")
        held.pop(name, None)
        if value is not None:
            held[name] = value
    return archive(held)


def member(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as opened:
        return opened.read(name)


def docx(fill: Callable[[Any], None], title: str = "") -> bytes:
    import docx as library

    document = library.Document()
    _properties(document.core_properties, title)
    fill(document)
    return _saved(document)


def pptx(fill: Callable[[Any], None], title: str = "") -> bytes:
    import pptx as library

    presentation = library.Presentation()
    _properties(presentation.core_properties, title)
    fill(presentation)
    return _saved(presentation)


def xlsx(fill: Callable[[Any], None], title: str = "") -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    fill(book)
    book.properties.title = title or None
    book.properties.created = CREATED
    data = _saved(book)  # openpyxl writes the time of saving
    properties = member(data, "docProps/core.xml")
    start = properties.index(b"<dcterms:modified")
    start = properties.index(b">", start) + 1
    end = properties.index(b"<", start)
    stamped = properties[:start] + MODIFIED.isoformat().encode() + b"Z" + properties[end:]
    return changed(data, docProps__core_dot_xml=stamped)


def _properties(properties: Any, title: str) -> None:
    properties.title, properties.created, properties.modified = title, CREATED, MODIFIED


def _saved(document: Any) -> bytes:
    stream = BytesIO()
    document.save(stream)
    with zipfile.ZipFile(stream) as opened:
        return archive({name: opened.read(name) for name in opened.namelist()})


def epub(
    chapters: Sequence[str], head: str = "<dc:title>A book</dc:title><dc:date>2021-05-06</dc:date>", **more: bytes | str
) -> bytes:
    """A book; each chapter is the content of a body."""
    names = [f"c{number}.xhtml" for number in range(len(chapters))]
    items = "".join(f'<item id="i{name}" href="text/{name}" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="i{name}"/>' for name in names)
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{head}</metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    members: dict[str, bytes | str] = {
        "mimetype": "application/epub+zip", "META-INF/container.xml": container, "OEBPS/book.opf": package,
    }  # fmt: skip
    for name, chapter in zip(names, chapters, strict=True):
        head = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
        members[f"OEBPS/text/{name}"] = f"{head}<body>{chapter}</body></html>"
    return archive(members | {key.replace("__", "/").replace("_dot_", "."): value for key, value in more.items()})


def eml(body: str = "Hello", html: str | None = None, attachments: Iterable[tuple[str, bytes]] = (), **headers: str) -> bytes:
    """A message. Attachments whose name ends in .eml are attached as messages."""
    message = EmailMessage()
    fields = {"From": "Ann <ann@example.org>", "To": "Bo <bo@example.org>", "Subject": "Report"}
    fields |= {"Date": "Tue, 05 Mar 2024 10:11:12 +0100"} | headers
    for name, value in fields.items():
        if value:
            message[name] = value
    message.set_content(body)
    if html is not None:
        message.add_alternative(html, subtype="html")
    for name, data in attachments:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    if message.is_multipart():
        message.set_boundary("=sample=")
    for number, part in enumerate(message.walk()):
        if part.is_multipart() and part is not message:
            part.set_boundary(f"=sample{number}=")
    return message.as_bytes()


def shown(lines: Iterable[tuple[float, float, str]], size: float = 10, font: str = "F1") -> str:
    """The content of a page that shows texts at places (from the lower left corner)."""
    escaped = ((x, y, text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")) for x, y, text in lines)
    return "BT " + " ".join(f"/{font} {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj" for x, y, text in escaped) + " ET\n"


def paragraph(text: str, x: float = 72, y: float = 700, size: float = 10, font: str = "F1", pitch: float = 1.2) -> str:
    return shown([(x, y - pitch * size * number, line) for number, line in enumerate(text.split("\n"))], size, font)


def pdf(
    pages: Sequence[str | bytes], info: dict[str, str] | None = None, rotate: int = 0, encrypted: bool = False, extra: str = ""
) -> bytes:
    """A PDF of pages with the given contents; fonts F1 (plain) and F2 (bold), encoded as Windows does."""
    font = "<</Type/Font/Subtype/Type1/BaseFont/{}/Encoding/WinAnsiEncoding>>"
    count = len(pages)
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(count))
    objects: list[bytes] = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {count}/Kids[{kids}]>>".encode(),
        font.format("Helvetica").encode(),
        font.format("Helvetica-Bold").encode(),
    ]
    for number, content in enumerate(pages):
        data = content if isinstance(content, bytes) else content.encode("cp1252")
        resources = f"<</Font<</F1 3 0 R/F2 4 0 R>>{extra}>>"
        where = f"/Parent 2 0 R/MediaBox[0 0 612 792]/Rotate {rotate}/Contents {6 + 2 * number} 0 R"
        page = f"<</Type/Page{where}/Resources{resources}>>"
        packed = zlib.compress(data, 9)
        stream = f"<</Length {len(packed)}/Filter/FlateDecode>>stream\n".encode() + packed + b"\nendstream"
        objects += [page.encode(), stream]
    trailer = f"/Root 1 0 R/Size {len(objects) + 2}"
    if info:
        objects.append(("<<" + "".join(f"/{key}({value})" for key, value in info.items()) + ">>").encode("latin-1"))
        trailer += f"/Info {len(objects)} 0 R"
    if encrypted:
        secret = "ab" * 32
        trailer += f"/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<{secret}>/U<{secret}>>>"
    return _numbered(objects, trailer)


def _numbered(objects: list[bytes], trailer: str) -> bytes:
    data = b"%PDF-1.7\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    return data + table.encode() + f"trailer\n<<{trailer}>>\nstartxref\n{len(data)}\n%%EOF\n".encode()
