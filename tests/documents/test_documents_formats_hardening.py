"""Files made to do harm, broken files, and files that are not what they are called: each is refused, alone, with its reason."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import samples

from stratagraph.documents.formats import process
from stratagraph.documents.read import read_file
from stratagraph.documents.records import REASONS, REFERENCE_SOURCES, Document, Refusal

MODIFIED = datetime(2025, 1, 1, tzinfo=UTC)
ONE_ROW = '<row r="1"><c r="A1"><v>1</v></c></row>'


def simple_docx() -> bytes:
    return samples.docx(lambda document: document.add_paragraph("Hi"))


def simple_pptx() -> bytes:
    def fill(presentation: Any) -> None:
        presentation.slides.add_slide(presentation.slide_layouts[0]).shapes.title.text = "Hi"

    return samples.pptx(fill)


def simple_xlsx() -> bytes:
    return samples.xlsx(lambda book: book.active.append(["Hi"]))


SIMPLE: dict[str, Callable[[], bytes]] = {
    ".docx": simple_docx,
    ".pptx": simple_pptx,
    ".xlsx": simple_xlsx,
    ".epub": lambda: samples.epub(["<p>Hi</p>"]),
    ".pdf": lambda: samples.pdf([samples.paragraph("Hi")]),
    ".eml": lambda: samples.eml("Hi", "<p>Hi</p>", [("a.md", b"# Hi")]),
}
ARCHIVES = {
    ".docx": "word/document.xml",
    ".pptx": "ppt/slides/slide1.xml",
    ".xlsx": "xl/worksheets/sheet1.xml",
    ".epub": "OEBPS/book.opf",
}


def reason(data: bytes, path: str) -> str:
    records = list(read_file(data, path, MODIFIED))
    assert isinstance(records[0], Refusal), records
    return records[0].reason


def text(data: bytes, path: str) -> str:
    record = next(iter(read_file(data, path, MODIFIED)))
    assert isinstance(record, Document), record
    return record.text


def replaced(data: bytes, name: str, old: str, new: str) -> bytes:
    part = samples.member(data, name).decode()
    assert old in part
    return samples.changed(data, **{name.replace("/", "__"): part.replace(old, new)})


# -- archives ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ARCHIVES)
def test_archives_that_unpack_to_too_much(suffix: str) -> None:
    data = SIMPLE[suffix]()
    assert reason(samples.changed(data, media__zeros=bytes(6_000_000)), f"a{suffix}") == "zip_bomb"
    size, claimed = (12_345).to_bytes(4, "little"), (6_000_000).to_bytes(4, "little")
    chance = random.Random(suffix)
    many = samples.changed(data, **{f"media__{number}": chance.randbytes(12_345) for number in range(34)})
    assert many.count(size) >= 2 * 34
    assert reason(many.replace(size, claimed), f"a{suffix}") == "zip_bomb"


def test_archives_of_too_many_parts() -> None:
    parts = {f"x{number}": b"" for number in range(10_001)}
    assert reason(samples.changed(simple_docx(), **parts), "a.docx") == "zip_bomb"


def test_a_size_that_lies_does_not_unpack_more() -> None:
    data = samples.changed(simple_docx(), word__media__zeros=bytes(50_000_000))
    packed = (50_000_000).to_bytes(4, "little")
    assert data.count(packed) == 2
    assert reason(data.replace(packed, (1000).to_bytes(4, "little")), "a.docx") in ("damaged", "zip_bomb")


@pytest.mark.parametrize("suffix", ARCHIVES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    ],
)
def test_entities_are_refused_in_any_encoding(suffix: str, encoding: str, declared: str) -> None:
    data, name = SIMPLE[suffix](), ARCHIVES[suffix]
    part = samples.member(data, name).decode()
    body = part[part.index("?>") + 2 :] if part.startswith("<?xml") else part
    evil = (f'<?xml version="1.0" encoding="{encoding}"?>{declared}' + body.replace("Hi", "&b;")).encode(encoding)
    assert reason(samples.changed(data, **{name.replace("/", "__"): evil}), f"a{suffix}") == "xml_entities"


def test_xhtml_may_name_a_document_type_but_not_define_entities() -> None:
    chapter = (
        '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'
    )
    page = chapter + "<html xmlns='http://www.w3.org/1999/xhtml'><body>Hi &eacute;</body></html>"
    assert text(samples.changed(samples.epub(["x"]), OEBPS__text__c0_dot_xhtml=page), "a.epub") == "Hi é"
    page = page.replace("dtd'>", "").replace('xhtml11.dtd">', 'xhtml11.dtd" [<!ENTITY a "b">]>')
    assert reason(samples.changed(samples.epub(["x"]), OEBPS__text__c0_dot_xhtml=page), "a.epub") == "xml_entities"


def test_elements_nested_too_deep() -> None:
    deep = "</w:t></w:r></w:p>" + "<w:sdt><w:sdtContent>" * 5000 + "</w:sdtContent></w:sdt>" * 5000 + "<w:p><w:r><w:t>"
    assert reason(replaced(simple_docx(), "word/document.xml", "Hi", deep), "a.docx") in ("damaged", "too_complex")


def test_tables_in_tables_are_read_once() -> None:
    deep = (
        "</w:t></w:r></w:p>"
        + "<w:tbl><w:tr><w:tc>" * 70
        + "<w:p><w:r><w:t>core</w:t></w:r></w:p>"
        + "</w:tc></w:tr></w:tbl>" * 70
    )
    started = time.process_time()
    found = text(replaced(simple_docx(), "word/document.xml", "Hi", deep + "<w:p><w:r><w:t>"), "a.docx")
    assert found == "core" and time.process_time() - started < 5
    pair = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc>"
    deep = "</w:t></w:r></w:p>" + pair * 70 + "<w:p><w:r><w:t>core</w:t></w:r></w:p>" + "</w:tc></w:tr></w:tbl>" * 70
    assert text(replaced(simple_docx(), "word/document.xml", "Hi", deep + "<w:p><w:r><w:t>"), "a.docx").count("core") == 1


@pytest.mark.parametrize(
    ("rows", "after", "expected"),
    [
        ('<row r="1"><c r="A1"><v>1</v></c></row><row r="99999999999"><c r="A2"><v>2</v></c></row>', "", "too_complex"),
        ('<row><c r="XFD1"><v>1</v></c></row>' * 100, "", "too_complex"),
        ('<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>', "", "damaged"),
        ('<row r="1"><c r="A1" t="s"><v>99</v></c></row>', "", "damaged"),
        (ONE_ROW, '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>', "| 1 |"),
        (ONE_ROW, "<mergeCells>" + '<mergeCell ref="A1:B2"/>' * 100_001 + "</mergeCells>", "too_complex"),
    ],
)
def test_sheets_that_say_they_are_vast(rows: str, after: str, expected: str) -> None:
    data = simple_xlsx()
    sheet = samples.member(data, "xl/worksheets/sheet1.xml").decode()
    start, end = sheet.index("<sheetData>"), sheet.index("</sheetData>") + len("</sheetData>")
    sheet = f"{sheet[:start]}<sheetData>{rows}</sheetData>{after}{sheet[end:]}"
    data = samples.changed(data, xl__worksheets__sheet1_dot_xml=sheet)
    if expected in REASONS:
        assert reason(data, "a.xlsx") == expected
    else:
        assert expected in text(data, "a.xlsx")


# -- locked, empty, cut off, misnamed ------------------------------------------------------------------------------


def test_locked_files_are_told_as_such() -> None:
    assert reason(samples.pdf([samples.paragraph("Hi")], encrypted=True), "a.pdf") == "encrypted"
    office = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "EncryptedPackage".encode("utf-16-le") + bytes(500)
    for suffix in (".docx", ".pptx", ".xlsx"):
        assert reason(office, f"a{suffix}") == "encrypted"
    assert reason(office.replace("EncryptedPackage".encode("utf-16-le"), b""), "a.docx") == "unsupported_format"
    data = bytearray(simple_docx())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1
    assert reason(bytes(data), "a.docx") == "encrypted"
    locked = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
        '<e:EncryptedData><e:CipherData><e:CipherReference URI="{}"/></e:CipherData></e:EncryptedData></encryption>'
    )
    book = samples.epub(["<p>Hi</p>"])
    chapter = locked.format("OEBPS/text/c0.xhtml")
    assert reason(samples.changed(book, **{"META-INF__encryption_dot_xml": chapter}), "a.epub") == "encrypted"
    font = locked.format("OEBPS/fonts/a.otf")  # fonts are scrambled in many books that anyone may read
    assert text(samples.changed(book, **{"META-INF__encryption_dot_xml": font}), "a.epub") == "Hi"


@pytest.mark.parametrize(
    ("data", "path"),
    [
        (samples.pdf(["0 0 100 100 re f"]), "a.pdf"),
        (samples.docx(lambda document: None), "a.docx"),
        (samples.pptx(lambda deck: deck.slides.add_slide(deck.slide_layouts[6])), "a.pptx"),
        (samples.xlsx(lambda book: None), "a.xlsx"),
        (samples.epub(["<img src='x.png'/>"]), "a.epub"),
    ],
)
def test_what_holds_no_text_is_told_as_such(data: bytes, path: str) -> None:
    assert reason(data, path) == "no_text"


@pytest.mark.parametrize("suffix", SIMPLE)
def test_files_of_nothing_and_files_that_are_something_else(suffix: str) -> None:
    path = f"a{suffix}"
    assert reason(b"", path) == "empty"
    assert reason(bytes(100_000), path) in ("damaged", "mismatched_content")
    assert reason(b"\n just some words\n", path) == "mismatched_content"
    assert reason(samples.archive({"a.txt": "Hi"}), path) == "mismatched_content"
    assert reason(b"x" * 20_000_001, path) == "too_large"


@pytest.mark.parametrize("suffix", [*SIMPLE, ".md", ".txt", ".html"])
@pytest.mark.parametrize("kind", [suffix for suffix in SIMPLE if suffix != ".eml"])
def test_a_file_is_what_its_bytes_say(suffix: str, kind: str) -> None:
    document = next(iter(read_file(SIMPLE[kind](), f"a{suffix}", MODIFIED)))
    assert isinstance(document, Document) and "Hi" in document.text
    assert document.media_type == next(iter(read_file(SIMPLE[kind](), f"a{kind}", MODIFIED))).media_type  # type: ignore[union-attr]


# -- PDF -----------------------------------------------------------------------------------------------------------


def test_pages_have_a_budget() -> None:
    pages = [samples.paragraph(f"{number}") for number in range(1, 5002)]
    assert reason(samples.pdf(pages), "a.pdf") == "too_complex"
    found = text(samples.pdf(pages[:300]), "a.pdf")
    assert found.split("\f") == [f"{number}" for number in range(1, 301)] or found.count("\f") == 299


def test_a_page_of_one_token_is_read() -> None:
    found = text(
        samples.pdf([samples.shown([(10, 700, "x" * 30_000)] * 1) + samples.shown([(10, 600, "y" * 30_000)])]), "a.pdf"
    )
    assert found.count("x") == found.count("y") == 30_000


def test_what_extracted_text_cannot_hold_is_left_out() -> None:
    mapping = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange "
        b"3 beginbfchar <61> <0000> <62> <D800> <63> <0043> endbfchar endcmap"
    )
    data = samples.pdf([samples.paragraph("abc d")])
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
    with_map = font.replace(b">>", b"/ToUnicode 7 0 R>>")
    objects = [part.split(b"obj\n", 1)[1] for part in data.split(b"\nendobj\n")[:-1]]
    objects[2] = with_map
    objects.append(b"<</Length %d>>stream\n" % len(mapping) + mapping + b"\nendstream")
    found = text(samples._numbered(objects, "/Root 1 0 R/Size 8"), "a.pdf")
    assert "C" in found and "\x00" not in found
    assert found.encode("utf-8")


def nested_forms(depth: int) -> bytes:
    """A page that shows a form ten times which shows another ten times …"""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</X 6 0 R>>>>>>",
        b"<</Length 5>>stream\n/X Do\nendstream", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]  # fmt: skip
    for level in range(depth):
        content = b"BT /F1 10 Tf (a) Tj ET" if level == depth - 1 else b"/X Do " * 10
        resources = b"<</Font<</F1 5 0 R>>/XObject<</X %d 0 R>>>>" % (7 + level)
        head = b"<</Type/XObject/Subtype/Form/BBox[0 0 612 792]/Length %d/Resources%s>>" % (len(content), resources)
        objects.append(head + b"stream\n" + content + b"\nendstream")
    return samples._numbered(objects, f"/Root 1 0 R/Size {len(objects) + 1}")


@pytest.mark.slow
@pytest.mark.parametrize("make", [lambda: nested_forms(10), lambda: flate_bomb(900)])
def test_a_pdf_without_end_costs_itself_alone(make: Callable[[], bytes]) -> None:
    assert reason(make(), "a.pdf") == "too_complex"
    assert text(SIMPLE[".pdf"](), "b.pdf") == "Hi"


def flate_bomb(megabytes: int) -> bytes:
    compressor = zlib.compressobj(9)
    block = b"BT /F1 10 Tf (a) Tj ET\n" * 45_000
    packed = b"".join(compressor.compress(block) for _ in range(megabytes)) + compressor.flush()
    data = samples.pdf(["x"])
    objects = [part.split(b"obj\n", 1)[1] for part in data.split(b"\nendobj\n")[:-1]]
    objects[5] = b"<</Length %d/Filter/FlateDecode>>stream\n" % len(packed) + packed + b"\nendstream"
    return samples._numbered(objects, "/Root 1 0 R/Size 7")


# -- HTML and e-mail -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", ["<a ", "<!--", '<a x="', "<![CDATA[", "</a ", "&#x", "<b></i>", "<td>a", "<textarea>", "<?"])
def test_pages_of_unclosed_markup_take_time_in_line_with_their_length(piece: str) -> None:
    data = ("<p>start" + piece * 100_000).encode()
    started = time.monotonic()
    record = next(iter(read_file(data, "a.html", MODIFIED)))
    assert isinstance(record, Document) or record.reason == "too_complex"
    assert time.monotonic() - started < 60  # Python's own parser takes hours


@pytest.mark.parametrize(
    ("data", "path"),
    [
        (b"<div>" * 10_000 + b"x", "a.html"),
        (b"<table><tr><td>" * 5000 + b"x", "a.html"),
        (b"<" * 2_000_001 + b"x", "a.html"),
        (b"<table>" + (b"<tr>" + b"<td colspan=100>a</td>" * 11) * 1000 + b"</table>", "a.html"),
        (b"Subject: x\n" + b"Content-Type: message/rfc822\n\nSubject: y\n" * 5000, "a.eml"),
        (b"Subject: x\n" + b"Content-Type: multipart/mixed; boundary=x\n\n--x\n" * 300, "a.eml"),
        (b"Subject: x\nContent-Type: text/plain; a=" + b"x" * 30_000 + b"\n\nHi", "a.eml"),
        (samples.eml(attachments=[(f"{number}.txt", b"x") for number in range(201)]), "a.eml"),
    ],
)
def test_nesting_and_number_have_limits(data: bytes, path: str) -> None:
    assert reason(data, path) == "too_complex"


def test_long_headers_are_cut_not_parsed() -> None:
    for header in (b"((" * 500_000, b"a@example.org, " * 100_000, b"=?utf-8?q?a?= " * 100_000):
        found = text(b"Subject: x\nTo: " + header + b"\n\nHi", "a.eml")
        assert found.startswith("To: ") and found.endswith("Subject: x\n\nHi") and len(found) < 25_000


# -- the process ---------------------------------------------------------------------------------------------------


def test_a_reader_process_that_dies_is_started_anew() -> None:
    assert text(SIMPLE[".pdf"](), "a.pdf") == "Hi"
    assert process._server is not None
    os.kill(process._server.pid, signal.SIGKILL)
    assert text(SIMPLE[".docx"](), "a.docx") == "Hi"


def test_memory_is_bounded() -> None:
    process.close()
    code = "import stratagraph.documents.formats.process as process; process.MEMORY = 150 << 20; process._serve()"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process._server = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    try:
        assert reason(b"<p>ab" * 700_000, "a.html") == "too_complex"
        assert text(b"<p>Hi", "a.html") == "Hi"
    finally:
        process.close()


def test_nothing_is_left_when_the_pipeline_is_killed(tmp_path: Path) -> None:
    code = (
        "from stratagraph.documents.formats import process; process.read_apart(b'<p>Hi', 'text/html');"
        "print(process._server.pid, flush=True); input()"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as pipeline:
        assert pipeline.stdout is not None
        server = int(pipeline.stdout.readline())
        pipeline.kill()
    for _ in range(200):
        if not Path(f"/proc/{server}").exists() or "Z" in Path(f"/proc/{server}/stat").read_text().split()[2]:
            return
        time.sleep(0.05)
    raise AssertionError("the reader process goes on")


def test_nothing_is_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("classified")
    page = (
        f"<iframe src='file://{secret}'></iframe><object data='file://{secret}'></object><p>Hi<img src='http://127.0.0.1:9/x'>"
    )
    assert text(page.encode(), "a.html") == "Hi"
    target = f'Type="http://x/attachedTemplate" Target="file://{secret}" TargetMode="External"'
    link = f'<Relationship Id="r9" {target}/></Relationships>'
    data = replaced(simple_docx(), "word/_rels/document.xml.rels", "</Relationships>", link)
    assert text(data, "a.docx") == "Hi"


# -- everything else -----------------------------------------------------------------------------------------------


def mutations(data: bytes, count: int, seed: str) -> list[bytes]:
    """Cut off, with flipped bytes, with a piece doubled or taken out."""
    chance = random.Random(seed)
    found = []
    for number in range(count):
        broken = bytearray(data)
        match number % 4:
            case 0:
                del broken[chance.randrange(len(data)) :]
            case 1:
                for _ in range(chance.choice((1, 1, 5, 50))):
                    broken[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            case 2:
                start = chance.randrange(len(data))
                broken[start:start] = broken[start : start + chance.randrange(1, 500)]
            case _:
                start = chance.randrange(len(data))
                del broken[start : start + chance.randrange(1, 500)]
        found.append(bytes(broken))
    return found


def inner_mutations(data: bytes, count: int, seed: str) -> list[bytes]:
    """Archives that are whole, with a broken part: what checksums do not find."""
    import zipfile
    from io import BytesIO

    chance = random.Random(seed)
    with zipfile.ZipFile(BytesIO(data)) as opened:
        names = [name for name in opened.namelist() if name.endswith((".xml", ".rels", ".opf", ".xhtml"))]
    found = []
    for number in range(count):
        name = chance.choice(names)
        (part,) = mutations(samples.member(data, name), 1, f"{seed} {number}")
        if number % 3:  # leave it well-formed: other names and numbers
            part = samples.member(data, name)
            words = sorted(set(part.split(b'"')))
            part = part.replace(chance.choice(words), chance.choice((b"", b"0", b"-1", b"99999999999", b"x")), 1)
        found.append(samples.changed(data, **{name.replace("/", "__"): part}))
    return found


def check_fuzzed(suffix: str, count: int) -> None:
    data = SIMPLE[suffix]()
    files = mutations(data, count, suffix) + (inner_mutations(data, count, suffix) if suffix in ARCHIVES else [])
    for broken in files:
        for record in read_file(broken, f"a{suffix}", MODIFIED):
            if isinstance(record, Refusal):
                assert record.reason in REASONS and record.reason != "unreadable", record
                assert "broke off" not in record.detail, record
            else:
                assert record.text.strip() and "\x00" not in record.text and record.text.encode("utf-8")
                assert record.title.strip() and record.reference_source in REFERENCE_SOURCES


@pytest.mark.parametrize("suffix", SIMPLE)
def test_broken_files_are_documents_or_refusals(suffix: str) -> None:
    check_fuzzed(suffix, 8)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SIMPLE)
def test_many_broken_files_are_documents_or_refusals(suffix: str) -> None:
    check_fuzzed(suffix, 150)
