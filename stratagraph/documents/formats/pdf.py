"""PDF files through PDFium: the lines of each page, where they stand and how large they are. Their order, headings and tables
are `pdf_layout.py`'s.

PDFium is native code that also reads what browsers are sent; it is never called outside the readers' own process.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from stratagraph.documents.formats.content import Content, characters, clean, usable_title
from stratagraph.documents.formats.pdf_layout import Box, Line, Segment, render
from stratagraph.documents.records import RefusedDocumentError

MAX_PAGES = 5_000
_MAX_PAGE_CHARACTERS = 2_000_000
# A gap this wide, in heights of the letters, parts a line into columns or cells.
_GAP = 0.75
_HYPHEN = "\x02"  # how PDFium writes a hyphen at the end of a line
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([Zz+-])(?:(\d\d)'?(\d\d)?)?)?")
_LATIN_BEFORE_RTL = re.compile("(?<=[A-Za-z])(?=[\u05d0-\u05ea\u0621-\u064a\u0671-\u06d3])")
_BOLD = re.compile(rb"bold|black|heavy|semibold|demi|^sfbx|cmbx|cmb10|-bd", re.IGNORECASE)


def read_pdf(data: bytes) -> Content:
    """Read a file; damage that PDFium cannot mend shows as its error."""
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD:
            raise RefusedDocumentError("encrypted", "a password is needed to open it") from error
        if getattr(error, "err_code", None) == raw.FPDF_ERR_SECURITY:
            raise RefusedDocumentError("encrypted", "it is locked by a scheme that cannot be opened") from error
        raise RefusedDocumentError("damaged", f"not a whole PDF: {error}"[:200]) from error
    try:
        return _read(document)
    finally:
        document.close()


def _read(document: pdfium.PdfDocument) -> Content:
    count = len(document)
    if count > MAX_PAGES:
        raise RefusedDocumentError("too_complex", f"{count} pages; the limit is {MAX_PAGES}")
    budget = characters()
    pages: list[list[Line]] = []
    broken = 0
    for number in range(count):
        try:
            page = document[number]
        except pdfium.PdfiumError:
            broken += 1
            pages.append([])
            continue
        text = page.get_textpage()
        found = text.count_chars()
        if found > _MAX_PAGE_CHARACTERS:
            raise RefusedDocumentError(
                "too_complex", f"page {number + 1} has {found} characters; the limit is {_MAX_PAGE_CHARACTERS}"
            )
        budget.spend(found)
        pages.append(list(_lines(text, page.get_rotation() % 360, found)))
        text.close()
        page.close()
    if broken or not count:
        raise RefusedDocumentError("damaged", f"{broken} of {count} pages cannot be read")
    rendered, heading = render(pages)
    if not rendered.strip():
        raise RefusedDocumentError("no_text", f"no text on its pages ({count}), as in a scan; recognise the text first")
    metadata = document.get_metadata_dict(skip_empty=True)
    title = usable_title(metadata.get("Title")) or usable_title(heading)
    noted = (_iso(metadata.get(name, "")) for name in ("CreationDate", "ModDate"))
    return Content(rendered, title, noted=tuple(time for time in noted if time))


def _lines(text: pdfium.PdfTextPage, rotation: int, count: int) -> Iterator[Line]:
    """Lines as PDFium ends them, in the order of the page's content."""
    letters: list[tuple[str, Box]] = []
    indexes: list[int] = []  # of the letters that show
    rectangle = raw.FS_RECTF()
    for index in range(count):
        code = raw.FPDFText_GetUnicode(text, index)
        if code in (10, 13):
            if indexes:
                yield _line(text, letters, indexes)
            letters, indexes = [], []
            continue
        raw.FPDFText_GetLooseCharBox(text, index, rectangle)
        letter = _HYPHEN if code == 2 or (code < 32 and raw.FPDFText_IsHyphen(text, index)) else chr(code)
        letters.append((letter, _turned(rectangle, rotation)))
        if not letter.isspace():
            indexes.append(index)
        if letter == _HYPHEN:  # the line ends here, though nothing says so
            yield _line(text, letters, indexes)
            letters, indexes = [], []
    if indexes:
        yield _line(text, letters, indexes)


def _turned(rectangle: raw.FS_RECTF, rotation: int) -> Box:
    """The box as it stands on the page that is shown."""
    left, bottom, right, top = rectangle.left, rectangle.bottom, rectangle.right, rectangle.top
    match rotation:
        case 90:
            return Box(bottom, -right, top, -left)
        case 180:
            return Box(-right, -top, -left, -bottom)
        case 270:
            return Box(-top, left, -bottom, right)
        case _:
            return Box(left, bottom, right, top)


def _line(text: pdfium.PdfTextPage, letters: list[tuple[str, Box]], indexes: list[int]) -> Line:
    heights = sorted(box.top - box.bottom for letter, box in letters if not letter.isspace())
    height = heights[len(heights) // 2]
    segments = [segment for segment in _segments(letters, height) if segment.text]
    bold = _is_bold(text, indexes[0]) and _is_bold(text, indexes[-1])
    return Line(segments, _font_size(text, indexes[len(indexes) // 2]) or height, bold)


def _font_size(text: pdfium.PdfTextPage, index: int) -> float:
    """The size a letter is shown in. Fonts differ in how high they say their letters are; sizes are comparable."""
    matrix = raw.FS_MATRIX()
    if not raw.FPDFText_GetMatrix(text, index, matrix):
        return 0.0
    return float(raw.FPDFText_GetFontSize(text, index)) * math.hypot(matrix.c, matrix.d)


def _segments(letters: list[tuple[str, Box]], size: float) -> Iterator[Segment]:
    """Pieces of a line that a wide gap parts."""
    part: list[tuple[str, Box]] = []
    before: Box | None = None
    for letter, box in letters:
        if not letter.isspace():
            # From right to left, the gap is on the other side.
            gap = max(box.left - before.right, before.left - box.right) if before is not None else 0.0
            if gap > _GAP * size and not _turns(part, letter):
                yield _segment(part)
                part = []
            before = box
        part.append((letter, box))
    yield _segment(part)


def _segment(letters: list[tuple[str, Box]]) -> Segment:
    boxes = [box for letter, box in letters if not letter.isspace()]
    if not boxes:
        return Segment("", Box(0, 0, 0, 0))
    left, bottom = min(box.left for box in boxes), min(box.bottom for box in boxes)
    right, top = max(box.right for box in boxes), max(box.top for box in boxes)
    return Segment(clean(_words(letters)).strip(), Box(left, bottom, right, top))


def _words(letters: list[tuple[str, Box]]) -> str:
    """The letters as text. Ligatures are their letters; those of one glyph that runs from right to left come in reverse."""
    pieces: list[str] = []
    position = 0
    while position < len(letters):
        letter, box = letters[position]
        end = position + 1
        if _is_rtl(letter):
            while end < len(letters) and letters[end][1] == box and _is_rtl(letters[end][0]):
                end += 1
        pieces += [_letter(other) for other, _ in reversed(letters[position:end])]
        position = end
    # A word of Latin letters among others is not part of the next one, though nothing may be drawn between them.
    return _LATIN_BEFORE_RTL.sub(" ", "".join(pieces))


def _letter(letter: str) -> str:
    """Presentation forms (ﬁ, Arabic shapes) as the letters they show; other signs as they are."""
    if "\ufb00" <= letter <= "\ufdff" or "\ufe70" <= letter <= "\ufefc":
        return unicodedata.normalize("NFKC", letter)
    if letter in ("\xa0", "\u2002", "\u2003", "\u2009"):
        return " "
    # PDFium's sign of a broken word stays until lines are joined; it is no sign of a text.
    return "\xad" if letter == _HYPHEN else letter


def _is_rtl(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in ("R", "AL")


def _turns(part: list[tuple[str, Box]], letter: str) -> bool:
    """Whether the direction changes here: then what stands beside it is elsewhere on the line."""
    last = next((other for other, _ in reversed(part) if other.isalnum()), "")
    return bool(last) and letter.isalnum() and _is_rtl(last) != _is_rtl(letter)


def _is_bold(text: pdfium.PdfTextPage, index: int) -> bool:
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    length = raw.FPDFText_GetFontInfo(text, index, name, len(name), flags)
    return raw.FPDFText_GetFontWeight(text, index) >= 600 or bool(length and _BOLD.search(name.value.rpartition(b"+")[2]))


def _iso(value: str) -> str | None:
    """A date of a PDF (`D:20240131120000+01'00'`) in ISO 8601; one that stops before the day is none."""
    match = _DATE.match(value.strip())
    if match is None or not match[3]:
        return None
    try:
        offset = timedelta(hours=int(match[8] or 0), minutes=int(match[9] or 0))
        zone = UTC if match[7] in (None, "Z", "z") else timezone(-offset if match[7] == "-" else offset)
        numbers = [int(number) if number else 0 for number in match.groups()[:6]]
        return datetime(*numbers[:6], tzinfo=zone).isoformat()  # type: ignore[arg-type,misc]
    except ValueError:
        return None
