"""What readers make of files of each format: all words in order, with the structure as Markdown."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import samples
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from stratagraph.documents.html import read_page
from stratagraph.documents.read import read_file
from stratagraph.documents.records import Document, Refusal

GOLD = Path(__file__).parents[1] / "data" / "documents"
SHARED = Path(__file__).parents[3] / "shared" / "data" / "documents" / "docling"
MODIFIED = datetime(2025, 1, 1, tzinfo=UTC)
DAY = datetime(2024, 5, 6)  # noqa: DTZ001 - cells have no zone


def read(data: bytes, path: str, **options: Any) -> list[Document]:
    records = list(read_file(data, path, MODIFIED, **options))
    assert not any(isinstance(record, Refusal) for record in records), records
    return [record for record in records if isinstance(record, Document)]


def text(data: bytes, path: str) -> str:
    return read(data, path)[0].text


def outcome(record: Document | Refusal) -> str:
    return record.reason if isinstance(record, Refusal) else record.reference_source


# -- against the ground truth of others -------------------------------------------------------------------------------


def words(markdown: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"<!--.*?-->|\]\([^)]*\)", " ", markdown))


def in_order(gold: str, ours: str) -> tuple[float, float]:
    """Shares of the gold's words that are found in order, and of ours that are the gold's."""
    one, other = words(gold), words(ours)
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    return same / len(one), same / len(other)


@pytest.mark.parametrize(
    ("name", "recall", "precision"),
    [
        ("word_sample.docx", 1.0, 1.0),
        ("multi_page.pdf", 0.995, 0.995),
        ("right_to_left_01.pdf", 0.97, 0.97),
        ("powerpoint_sample.pptx", 1.0, 0.85),  # notes are ours alone
        ("xlsx_01.xlsx", 0.69, 1.0),  # the gold repeats as tables what charts show of the cells
    ],
)
def test_words_and_their_order_are_those_of_the_ground_truth(name: str, recall: float, precision: float) -> None:
    gold = (GOLD / f"{name}.md").read_text(encoding="utf-8")
    found = in_order(gold, text((GOLD / name).read_bytes(), name))
    assert found[0] >= recall and found[1] >= precision, found


@pytest.mark.parametrize(
    ("path", "recall", "precision"),
    [
        ("pdf/{}/2305.03393v1-pg9", 0.88, 0.89),  # the gold puts two rows of a table into one
        ("html/{}/wiki_duck.html", 0.94, 0.99),  # the gold keeps the site's navigation
    ],
)
def test_larger_files_are_read_as_well(path: str, recall: float, precision: float) -> None:
    gold = SHARED / (path.format("groundtruth") + ".md")
    source = SHARED / (path.format("sources") + (".pdf" if path.startswith("pdf") else ""))
    if not source.exists():
        pytest.skip("the shared documents are not here")
    found = in_order(gold.read_text(encoding="utf-8"), text(source.read_bytes(), source.name))
    assert found[0] >= recall and found[1] >= precision, found


def markdown_lines(markdown: str, start: str) -> list[str]:
    return [re.sub(r"^#+ ", "", line) for line in markdown.splitlines() if re.match(start, line)]


@pytest.mark.parametrize(("name", "missing"), [("word_sample.docx", 0), ("multi_page.pdf", 0), ("powerpoint_sample.pptx", 0)])
def test_headings_and_tables_are_those_of_the_ground_truth(name: str, missing: int) -> None:
    gold = (GOLD / f"{name}.md").read_text(encoding="utf-8")
    ours = text((GOLD / name).read_bytes(), name)
    assert markdown_lines(gold, "#+ ") == markdown_lines(ours, "#+ ")
    rows = [re.sub(r" -+ ", " - ", line) for line in gold.splitlines() if line.startswith("|")]
    assert rows == [line.replace(" --- ", " - ") for line in ours.splitlines() if line.startswith("|")]


# -- PDF ----------------------------------------------------------------------------------------------------------------

PROSE = (
    "The committee met on Monday and spoke\nof the harbour for most of the day. It\n"
    "was agreed that a new crane is needed\nbefore the winter, and that the old\none goes to the museum of the town."
)


def columns(left: str, right: str, across: bool) -> str:
    """Two columns of lines, drawn one after the other or line by line."""
    lines = [
        (x, 700.0 - 12 * number, line)
        for x, column in ((72.0, left), (320.0, right))
        for number, line in enumerate(column.split("\n"))
    ]
    return samples.shown(sorted(lines, key=lambda line: (-line[1], line[0])) if across else lines)


@pytest.mark.parametrize("across", [False, True])
def test_columns_are_read_one_after_the_other_however_they_are_drawn(across: bool) -> None:
    left, right = PROSE + "\n" + PROSE, PROSE.upper() + "\n" + PROSE.upper()
    found = words(text(samples.pdf([columns(left, right, across)]), "a.pdf"))
    assert found == words(left) + words(right)


def test_a_table_drawn_row_by_row_is_no_pair_of_columns() -> None:
    rows = [
        ("City", "Country", "People"),
        ("Bergen", "Norway", "291940"),
        ("Turku", "Finland", "206035"),
        ("Aarhus", "Denmark", "285273"),
    ]
    lines = [
        (72.0 + 150 * column, 600.0 - 14 * row, cell) for row, cells in enumerate(rows) for column, cell in enumerate(cells)
    ]
    page = samples.paragraph("Three towns by the sea are listed here with their people.") + samples.shown(lines)
    assert text(samples.pdf([page]), "a.pdf").split("\n\n")[1].splitlines() == [
        "| City | Country | People |", "| --- | --- | --- |", "| Bergen | Norway | 291940 |", "| Turku | Finland | 206035 |",
        "| Aarhus | Denmark | 285273 |",
    ]  # fmt: skip


def test_headings_paragraphs_and_lists_of_a_page() -> None:
    page = (
        samples.paragraph("Harbour report", y=740, size=20)
        + samples.paragraph("1. What was said", y=700, size=14, font="F2")
        + samples.paragraph("The crane is old. It was built in 1950 and has\nnever been replaced by another one.", y=670)
        + samples.paragraph("It must go.", y=630)
        + samples.paragraph("• first\n• second, which goes\n  on here", y=600)
        + samples.paragraph("Next steps", y=550, font="F2")
        + samples.paragraph("We shall see what comes of all this in the end.", y=530)
    )
    document = read(samples.pdf([page]), "a.pdf")[0]
    assert document.text == (
        "# Harbour report\n\n## 1. What was said\n\nThe crane is old. It was built in 1950 and has never been replaced "
        "by another one.\n\nIt must go.\n\n- first\n- second, which goes on here\n\n### Next steps\n\n"
        "We shall see what comes of all this in the end."
    )
    assert document.title == "Harbour report"


def test_words_broken_at_line_ends_are_whole_and_compounds_keep_their_hyphen() -> None:
    lines = (
        "The self-\nemployed do not pay the transporta-\ntion fee, nor do well-known states-\nmen, "
        "whom a statesman and the well-\nknown know."
    )
    found = text(samples.pdf([samples.paragraph(lines)]), "a.pdf")
    assert found == (
        "The self-employed do not pay the transportation fee, nor do well-known statesmen, "
        "whom a statesman and the well-known know."
    )


def test_what_every_page_repeats_stands_once_and_page_numbers_not_at_all() -> None:
    pages = [
        samples.paragraph("Annual report of the harbour", y=770)
        + samples.paragraph("\n".join(f"Line {row} of page {number} says {number * 7 + row}." for row in range(9)), y=700)
        + samples.paragraph(f"Page {number} of 5", y=30)
        for number in range(1, 6)
    ]
    found = text(samples.pdf(pages), "a.pdf")
    assert found.count("Annual report of the harbour") == 1
    assert found.count(" of 5") == 1
    assert all(f"Line {row} of page {number} says {number * 7 + row}." in found for row in range(9) for number in range(1, 6))
    assert found.count("\f") == 4
    second = found.split("\f")[1]
    assert second.startswith("Line 0 of page 2") and "page 3" not in second


def test_short_pages_lose_nothing_to_their_likeness() -> None:
    found = text(samples.pdf([samples.paragraph(f"Slide {number}\nThe same words") for number in range(1, 9)]), "a.pdf")
    assert found.count("The same words") == 8 and "Slide 8" in found


def test_a_sentence_goes_on_over_the_page() -> None:
    first = samples.paragraph("It was agreed that the crane is sold to whoever\nwants to have it and can pay for the")
    second = samples.paragraph("way to another town. Nobody did.")
    assert "can pay for the\n\fway to another town" in text(samples.pdf([first, second]), "a.pdf")


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_page_that_is_turned_is_read_in_its_lines(rotate: int) -> None:
    matrices = {0: "1 0 0 1 72 700", 90: "0 1 -1 0 100 72", 180: "-1 0 0 -1 540 92", 270: "0 -1 1 0 512 720"}
    a, b, c, d, x, y = map(int, matrices[rotate].split())
    lines = "\n".join(
        f"BT /F1 10 Tf {a} {b} {c} {d} {x - 12 * n * c} {y - 12 * n * d} Tm ({line}) Tj ET"
        for n, line in enumerate(PROSE.split("\n"))
    )
    assert text(samples.pdf([lines], rotate=rotate), "a.pdf") == PROSE.replace("\n", " ")


def test_ligatures_are_letters_and_right_to_left_is_read_in_order() -> None:
    found = text((GOLD / "right_to_left_01.pdf").read_bytes(), "a.pdf")
    assert "الإنتاجية" in found and "المشكلات" in found and "اإلنتاجية" not in found
    assert "Python من" in found
    assert not re.search("[\ufb00-\ufdff\ufe70-\ufefc]", found)


# -- Word ---------------------------------------------------------------------------------------------------------------


def test_lists_are_numbered_as_word_shows_them() -> None:
    def fill(document: Any) -> None:
        for style, line in (
            ("List Number", "one"), ("List Number", "two"), ("Normal", "between"), ("List Number", "three"),
            ("List Bullet", "dot"),
        ):  # fmt: skip
            document.add_paragraph(line, style=style)

    assert text(samples.docx(fill), "a.docx") == "1. one\n2. two\n\nbetween\n\n3. three\n\n- dot"


def test_the_accepted_text_with_boxes_notes_and_controls_is_read() -> None:
    names = nsdecls("w")
    runs = {
        "inserted": f'<w:ins {names} w:id="1"><w:r><w:t xml:space="preserve"> new</w:t></w:r></w:ins>',
        "deleted": f'<w:del {names} w:id="2"><w:r><w:delText>old</w:delText></w:r></w:del>',
        "hidden": f"<w:r {names}><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>",
        "field": f"<w:r {names}><w:instrText>PAGEREF x</w:instrText></w:r>",
        "link": f"<w:hyperlink {names}><w:r><w:t> linked</w:t></w:r></w:hyperlink>",
        "box": f"<w:r {names}><w:pict><w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p></w:txbxContent></w:pict></w:r>",
    }

    def fill(document: Any) -> None:
        paragraph = document.add_paragraph("Start")
        for run in runs.values():
            paragraph._p.append(parse_xml(run))
        control = f"<w:sdt {names}><w:sdtContent><w:p><w:r><w:t>Controlled</w:t></w:r></w:p></w:sdtContent></w:sdt>"
        document.element.body.insert(1, parse_xml(control))

    assert text(samples.docx(fill), "a.docx") == "Start new linked\n\nIn a box\n\nControlled"


def test_footnotes_stand_at_the_end_under_their_label() -> None:
    names = nsdecls("w")

    def fill(document: Any) -> None:
        paragraph = document.add_paragraph("Said so")
        paragraph._p.append(parse_xml(f'<w:r {names}><w:footnoteReference w:id="2"/></w:r>'))

    data = samples.docx(fill)
    notes = (
        f'<w:footnotes {names}><w:footnote w:id="0" w:type="separator"><w:p/></w:footnote>'
        '<w:footnote w:id="2"><w:p><w:r><w:t>By whom</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    relations = samples.member(data, "word/_rels/document.xml.rels").replace(
        b"</Relationships>", f'<Relationship Id="rId99" Type="{kind}" Target="footnotes.xml"/></Relationships>'.encode()
    )
    part = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    types = samples.member(data, "[Content_Types].xml").replace(
        b"</Types>", f'<Override PartName="/word/footnotes.xml" ContentType="{part}"/></Types>'.encode()
    )
    data = samples.changed(
        data,
        **{
            "word__footnotes_dot_xml": notes,
            "word___rels__document_dot_xml_dot_rels": relations,
            "[Content_Types]_dot_xml": types,
        },
    )
    assert text(data, "a.docx") == "Said so[^2]\n\n[^2]: By whom"


def test_merged_cells_stand_in_each_place_and_a_frame_is_no_table() -> None:
    def fill(document: Any) -> None:
        table = document.add_table(3, 3)
        for row in range(3):
            for column in range(3):
                table.cell(row, column).text = f"{row}{column}|"
        table.cell(0, 1).merge(table.cell(0, 2)).text = "wide"
        table.cell(1, 0).merge(table.cell(2, 0)).text = "tall"
        document.add_paragraph("Between")
        document.add_table(1, 1).cell(0, 0).text = "In a frame"

    assert text(samples.docx(fill), "a.docx") == (
        "| 00\\| | wide | wide |\n| --- | --- | --- |\n| tall | 11\\| | 12\\| |\n| tall | 21\\| | 22\\| |\n\n"
        "Between\n\nIn a frame"
    )


# -- PowerPoint -----------------------------------------------------------------------------------------------------------


def test_slides_with_notes_charts_groups_and_hidden_ones() -> None:
    def fill(presentation: Any) -> None:
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = "First"
        group = slide.shapes.add_group_shape()
        group.shapes.add_textbox(Inches(5), Inches(3), Inches(2), Inches(1)).text_frame.text = "right"
        group.shapes.add_textbox(Inches(1), Inches(3), Inches(2), Inches(1)).text_frame.text = "left"
        slide.notes_slide.notes_text_frame.text = "To be said"
        hidden = presentation.slides.add_slide(presentation.slide_layouts[5])
        hidden.shapes.title.text = "Hidden"
        hidden.element.set("show", "0")
        last = presentation.slides.add_slide(presentation.slide_layouts[5])
        last.shapes.title.text = "Numbers"
        data = CategoryChartData()
        data.categories = ["2023", "2024"]
        data.add_series("Ships", (12, 15.5))
        last.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, Inches(1), Inches(2), Inches(5), Inches(3), data)

    document = read(samples.pptx(fill), "a.pptx")[0]
    assert document.text == (
        "# First\n\nleft\n\nright\n\nNotes: To be said\n\n# Numbers\n\n"
        "|  | Ships |\n| --- | --- |\n| 2023 | 12 |\n| 2024 | 15.5 |"
    )
    assert document.title == "First"


# -- Excel ----------------------------------------------------------------------------------------------------------------


def test_values_are_shown_as_a_reader_sees_them() -> None:
    def fill(book: Any) -> None:
        sheet = book.active
        sheet.title = "Fleet"
        sheet.append(["Name", "Share", "Since", "Sum", "Sunk"])
        sheet.append(["Ann", 0.125, DAY, 0.1 + 0.2, False])
        sheet["B2"].number_format = "0.0%"
        sheet.append(["Bo", 1, DAY + timedelta(hours=7, minutes=8), 1e21, True])
        book.create_sheet("Hidden").append(["no"])
        book["Hidden"].sheet_state = "hidden"
        book.create_sheet("Empty")

    assert text(samples.xlsx(fill), "a.xlsx") == (
        "## Fleet\n\n| Name | Share | Since | Sum | Sunk |\n| --- | --- | --- | --- | --- |\n"
        "| Ann | 12.5% | 2024-05-06 | 0.3 | FALSE |\n| Bo | 1 | 2024-05-06 07:08:00 | 1e+21 | TRUE |"
    )


def test_tables_apart_from_each_other_titles_and_merged_cells() -> None:
    def fill(book: Any) -> None:
        sheet = book.active
        sheet["A1"] = "Fleet of 2024"
        sheet.merge_cells("A1:C1")
        for row, line in enumerate((["Town", "Ships", None], [None, "old", "new"], ["Bergen", 1, 2], [None, 3, 4]), start=2):
            for column, value in enumerate(line, start=1):
                sheet.cell(row, column, value)
        sheet.merge_cells("A2:A3")
        sheet.merge_cells("B2:C2")
        sheet.merge_cells("A4:A5")
        sheet["E2"], sheet["F2"], sheet["E3"], sheet["F3"] = "x", "y", 5, 6
        sheet["A9"], sheet["B9"] = "last", 9

    assert text(samples.xlsx(fill), "a.xlsx").split("\n\n")[1:] == [
        "Fleet of 2024",
        "| Town | Ships | Ships |\n| --- | --- | --- |\n| Town | old | new |\n| Bergen | 1 | 2 |\n| Bergen | 3 | 4 |",
        "| x | y |\n| --- | --- |\n| 5 | 6 |",
        "| last | 9 |\n| --- | --- |",
    ]


# -- EPUB -------------------------------------------------------------------------------------------------------------------


def test_chapters_come_in_the_order_of_the_spine() -> None:
    data = samples.epub(["<h1>One</h1><p>First&nbsp;words</p>", "<h1>Two</h1><ul><li>a</li><li>b</li></ul>"])
    package = samples.member(data, "OEBPS/book.opf").decode()
    turned = package.replace(
        '<itemref idref="ic0.xhtml"/><itemref idref="ic1.xhtml"/>', '<itemref idref="ic1.xhtml"/><itemref idref="ic0.xhtml"/>'
    )
    assert turned != package
    document = read(samples.changed(data, OEBPS__book_dot_opf=turned), "a.epub")[0]
    assert (document.text, document.title) == ("# Two\n\n- a\n- b\n\n# One\n\nFirst\xa0words", "A book")


# -- e-mail -----------------------------------------------------------------------------------------------------------------


def test_a_message_with_attachments_two_levels_deep() -> None:
    innermost = samples.eml("deepest", Subject="c", Date="", attachments=[("d.md", b"# Too deep")])
    inner = samples.eml("deeper", Subject="b", Date="", attachments=[("c.eml", innermost)])
    data = samples.eml(
        "Hello,\n\nsee the file.", "<p>ignored</p>", Cc="Cy <cy@example.org>",
        attachments=[
            ("../a.md", b"---\ndate: 2020-02-03\n---\n# Plan"), ("photo.png", b"png"), ("b.eml", inner), ("x.pdf", b"%PDF-1.7"),
        ],
    )  # fmt: skip
    records = list(read_file(data, "mail.eml", MODIFIED))
    message = records[0]
    assert isinstance(message, Document)
    assert message.text == (
        "From: Ann <ann@example.org>\nTo: Bo <bo@example.org>\nCc: Cy <cy@example.org>\nDate: Tue, 05 Mar 2024 10:11:12 +0100\n"
        "Subject: Report\n\nHello,\n\nsee the file.\n\n"
        "Attachment: a.md\n\nAttachment: photo.png\n\nAttachment: b.eml\n\nAttachment: x.pdf"
    )
    assert (message.title, message.reference_time) == ("Report", datetime(2024, 3, 5, 9, 11, 12, tzinfo=UTC))
    assert [(record.parts, outcome(record)) for record in records[1:]] == [
        (("1", "a.md"), "document"), (("3", "b.eml"), "message"), (("3", "b.eml", "1", "c.eml"), "message"),
        (("3", "b.eml", "1", "c.eml", "1", "d.md"), "too_complex"), (("4", "x.pdf"), "damaged"),
    ]  # fmt: skip
    assert {record.reference_time for record in records if isinstance(record, Document)} == {
        datetime(2024, 3, 5, 9, 11, 12, tzinfo=UTC), datetime(2020, 2, 3, tzinfo=UTC),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"Content-Type: text/html\n\n<h1>Head</h1><p style='display: none'>no</p><p>Body", "# Head\n\nBody"),
        (b"Content-Type: text/plain; charset=iso-8859-1\n\ncaf\xe9", "café"),
        (b"Content-Type: text/plain; charset=nonsense\n\ncaf\xe9", "café"),
        (b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nY2Fm*w6k=", "café"),
        (b"Content-Type: multipart/mixed\n\nno boundary", "no boundary"),
        (b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\ncut off", "cut off"),
    ],
)
def test_bodies_as_programs_write_them(body: bytes, expected: str) -> None:
    assert text(b"Subject: =?utf-8?q?Caf=C3=A9?=\n" + body, "a.eml") == f"Subject: Café\n\n{expected}"


# -- HTML -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>A</h2><h3></h3><p>b", "## A\n\nb"),
        ("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>", "- a\n  - b\n  - c\n- d"),
        ("<ol start=3><li>a<li><p>b</p></ol><ol><li>c", "3. a\n4. b\n\n1. c"),
        ("<h2><div><span>A</span></div></h2><ul><li></li><li><div>b</div><p>c</ul>", "## A\n\n- b\n\nc"),
        ("<table><tr><th>a<th>b<tr><td rowspan=2>c<td>d<tr><td>e</table>", "| a | b |\n| --- | --- |\n| c | d |\n| c | e |"),
        (
            "<table><tr><th>a<th>b<tr><td colspan=2>all<tr><td>c|<td>d</table>",
            "| a | b |\n| --- | --- |\n| all |\n| c\\| | d |",
        ),
        (
            "<table><caption>Towns</caption><tr><td>a<td>b<tr><td>c<br>d<td>e</table>",
            "Towns\n\n| a | b |\n| --- | --- |\n| c d | e |",
        ),
        ("<table><tr><td><h1>Left</h1><td><table><tr><td>x<td>y</table></table>", "# Left\n\nx | y"),
        ("<pre>def f():\n    return 1\n</pre>x", "```\ndef f():\n    return 1\n```\n\nx"),
        ("<p hidden>no<p style='DISPLAY:none'>no<p>yes", "yes"),
        ("a<svg><text>no</text></svg><!-- no --><?php no ?>b", "ab"),
        ("<p>a\x00\x0bb &#0;c &#xD800;d", "a b \ufffdc \ufffdd"),
    ],
)
def test_structure_of_pages(html: str, expected: str) -> None:
    assert read_page(html).text == expected


# -- reference times --------------------------------------------------------------------------------------------------------


def dated_files() -> Iterator[tuple[str, bytes, str]]:
    """Files of each format that has properties, with the instant that they note."""
    yield "a.docx", samples.docx(lambda document: document.add_paragraph("Hi")), "2024-01-02T03:04:05+00:00"
    yield (
        "a.pptx",
        samples.pptx(lambda deck: deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.__setattr__("text", "Hi")),
        "2024-01-02T03:04:05+00:00",
    )
    yield "a.xlsx", samples.xlsx(lambda book: book.active.append(["Hi"])), "2024-01-02T03:04:05+00:00"
    yield "a.epub", samples.epub(["Hi"]), "2021-05-06T00:00:00+00:00"
    info = {"CreationDate": "D:20240102030405+02'00'", "ModDate": "D:20250102030405Z"}
    yield "a.pdf", samples.pdf([samples.paragraph("Hi")], info), "2024-01-02T01:04:05+00:00"


@pytest.mark.parametrize("case", list(dated_files()), ids=lambda case: case[0])
def test_properties_date_a_file_unless_its_name_does(case: tuple[str, bytes, str]) -> None:
    name, data, noted = case
    document = read(data, name, configured=datetime(2000, 1, 1, tzinfo=UTC))[0]
    assert (document.reference_time.isoformat(), document.reference_source) == (noted, "metadata")
    document = read(data, f"minutes 2023-06-07 {name}", pattern="%Y-%m-%d")[0]
    assert (document.reference_time.isoformat(), document.reference_source) == ("2023-06-07T00:00:00+00:00", "file_name")


@pytest.mark.parametrize("value", ["D:2024", "yesterday", "D:20240231000000", "", "D:99999999999999"])
def test_properties_that_are_no_instant_are_passed_over(value: str) -> None:
    data = samples.pdf([samples.paragraph("Hi")], {"CreationDate": value})
    documents = [read(data, "a.pdf")[0], read(data, "a.pdf", configured=datetime(2000, 1, 1, tzinfo=UTC))[0]]
    assert [(document.reference_time.year, document.reference_source) for document in documents] == [
        (2025, "modified"),
        (2000, "config"),
    ]
    book = samples.epub(["Hi"], "<dc:title>B</dc:title><dc:date>1950</dc:date>")
    assert read(book, "a.epub")[0].reference_source == "modified"


@pytest.mark.parametrize(
    ("name", "pattern", "expected"),
    [
        ("2024-03-05.md", "%Y-%m-%d", "2024-03-05T00:00:00+00:00"),
        ("report_20240305_v2.md", "%Y%m%d", "2024-03-05T00:00:00+00:00"),
        ("120240305.md", "%Y%m%d", None),
        ("call 5-Mar-2024.md", "%d-%b-%Y", None),
        ("call 05-Mar-2024.md", "%d-%b-%Y", "2024-03-05T00:00:00+00:00"),
        ("a 2024-13-01 b 2024-03-05.md", "%Y-%m-%d", "2024-03-05T00:00:00+00:00"),
        ("log-2024-03-05T101112+0200.md", "%Y-%m-%dT%H%M%S%z", "2024-03-05T08:11:12+00:00"),
        ("a.b (2024.03.05).md", "(%Y.%m.%d)", "2024-03-05T00:00:00+00:00"),
    ],
)
def test_the_date_in_a_name(name: str, pattern: str, expected: str | None) -> None:
    document = read(b"Text", f"2001-01-01/{name}", pattern=pattern)[0]
    found = document.reference_time.isoformat() if document.reference_source == "file_name" else None
    assert found == expected


def test_what_a_document_states_must_be_a_point_in_time() -> None:
    def reason(data: bytes, path: str, pattern: str | None = None) -> str:
        (record,) = read_file(data, path, MODIFIED, pattern)
        assert isinstance(record, Refusal)
        return record.reason

    assert reason(b"Text", "2024-02-30.txt", "%Y-%m-%d") == "invalid_reference_time"
    assert reason(samples.eml(Date="").replace(b"Subject:", b"Date: soon\nSubject:"), "a.eml") == "invalid_reference_time"
    received = b"Received: from a by b; Mon, 04 Mar 2024 10:00:00 +0000\nDate: soon\n\nHi"
    assert read(received, "a.eml")[0].reference_time == datetime(2024, 3, 4, 10, tzinfo=UTC)
    stated = read(b"---\ndate: 2020-01-01\n---\nText", "2024-03-05.md", pattern="%Y-%m-%d")[0]
    assert (stated.reference_time.year, stated.reference_source) == (2020, "document")


@pytest.mark.parametrize(
    ("given", "kept"),
    [("Annual Report", "Annual Report"), ("Microsoft Word - x.doc", "a"), ("untitled", "a"), ("PowerPoint Presentation", "a")],
)
def test_titles_that_programs_fill_in_are_none(given: str, kept: str) -> None:
    data = samples.docx(lambda document: document.add_paragraph("Hi"), given)
    assert read(data, "a.docx")[0].title == kept


def test_the_same_file_is_read_the_same() -> None:
    for file in sorted(GOLD.iterdir()):
        if file.suffix in (".docx", ".pptx", ".xlsx", ".pdf"):
            assert read(file.read_bytes(), file.name) == read(file.read_bytes(), file.name)


def test_numbered_lines_with_wide_tabs_are_a_list_and_long_cells_no_table() -> None:
    lines = [(x, 700.0 - 14 * row, words) for row in range(4) for x, words in ((72.0, f"{row + 1}."), (110.0, f"item {row}"))]
    found = text(samples.pdf([samples.shown(lines)]), "a.pdf")
    assert found == "1. item 0\n2. item 1\n3. item 2\n4. item 3"
    lines = [(x, 700.0 - 14 * row, "words of a line " * 3) for row in range(4) for x in (20.0, 330.0)]
    assert "|" not in text(samples.pdf([samples.shown(lines)]), "a.pdf")
