"""Finds out how the characters of a text file are encoded, and says how sure that is.

A byte order mark and valid UTF-8 are proof. Anything else is a guess: it is taken only where the bytes leave little doubt,
and never without a note; where they do leave doubt the file is refused, and the config must say what it is.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from stratagraph.errors import SourceError
from stratagraph.sources.read.formats.inputs import Input

_CHUNK = 1 << 20
_SAMPLE = 1 << 18
_MAX_LINE = 64_000_000
# The longer marks first: that of UTF-32 starts with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
# What charset-normalizer calls them -> the codec that reads all of their characters.
_MULTIBYTE = {
    "cp932": "cp932", "shift_jis": "cp932", "shift_jis_2004": "cp932", "shift_jisx0213": "cp932",
    "euc_jp": "euc_jis_2004", "euc_jis_2004": "euc_jis_2004", "euc_jisx0213": "euc_jis_2004",
    "gb2312": "gb18030", "gbk": "gb18030", "gb18030": "gb18030", "big5": "big5hkscs", "big5hkscs": "big5hkscs",
    "cp950": "big5hkscs", "euc_kr": "cp949", "cp949": "cp949", "johab": "johab",
}  # fmt: skip
_CLEAR_LEAD = 0.1
_MIN_CHARACTERS = 8
# Western European text in cp1252 (ISO 8859-1 has the same letters): these letters at these places, and signs that touch no
# letter on the wrong side. Letters of other scripts, of cp437, and of cp1250, cp1254 and cp1257 come out as something else.
_WESTERN = re.compile(
    r"(?:[\x00-\x7f]"
    r"|[ßàáâãäåæçèéêëìíîïñòóôöøùúûüÿœ]|õ(?=e)"
    r"|(?<![a-zß-öø-ÿ])[ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖØÙÚÛÜŒ]"
    r"|’|[–—…•·\xa0](?![ß-öø-ÿ])"
    r"|(?<![A-Za-zÀ-ÖØ-öø-ÿ])[¡¿£¥€§©«“‘„]"
    r"|[»”™®€£](?![A-Za-zÀ-ÖØ-öø-ÿ])"
    r"|(?<=[0-9A-Za-z])[°²³ªº](?![A-Za-zÀ-ÖØ-öø-ÿ])|°(?=[CF]\b))*"
)
_LONG_RUN = re.compile(r"[À-ÖØ-öø-ÿ]{3}")


@dataclass(frozen=True)
class Encoding:
    """codec: what Python calls it; note: what a person should know of it, empty where it is sure."""

    codec: str
    note: str = ""


@contextmanager
def open_text(file: Input, encoding: Encoding, newline: str) -> Iterator[TextIO]:
    """The text of a file, its line ends as they are. newline: as in `open`."""
    with file.open() as stream:
        yield io.TextIOWrapper(stream, encoding=encoding.codec, errors="strict", newline=newline)


def find_encoding(file: Input, declared: str | None) -> Encoding:
    """The encoding of a file: as declared, as its bytes prove, or as they suggest."""
    _refuse_endless_line(file)
    if declared is not None:
        codec = codecs.lookup(declared).name
        return Encoding("utf-8-sig" if codec == "utf-8" else codec)
    with file.open() as stream:
        head = stream.read(_SAMPLE)
        for mark, codec in _MARKS:
            if head.startswith(mark):
                return Encoding(codec)
        if max(head[0::2].count(0), head[1::2].count(0)) > len(head) / 4:
            raise SourceError(
                "it is full of NUL characters: UTF-16 without a byte order mark, or no text at all", where=file.path,
                hint="if it is text, set encoding, such as utf-16-le",
            )  # fmt: skip
        if b"\x1b$" in head or b"\x1b(" in head:  # valid UTF-8, and no text
            raise SourceError(
                "it switches between character sets (ISO 2022)", where=file.path, hint="set encoding, such as iso2022_jp"
            )
    line = _first_line_that_is_not(file, "utf-8")
    return Encoding("utf-8") if line is None else _guess(file, line)


def refuse_undecodable(file: Input, encoding: Encoding) -> SourceError:
    """The error for a file that is not in its encoding, with the line where that shows."""
    line = _first_line_that_is_not(file, encoding.codec)
    where = f"{file.path}:{line}" if line else file.path
    return SourceError(f"it is not {encoding.codec} here", where=where, hint="set encoding to what it is")


def _first_line_that_is_not(file: Input, codec: str) -> int | None:
    decoder = codecs.getincrementaldecoder(codec)()
    line = 1
    with file.open() as stream:
        while True:
            chunk = stream.read(_CHUNK)
            try:
                line += decoder.decode(chunk, final=not chunk).count("\n")
            except UnicodeDecodeError as error:
                return line + error.object[: error.start].decode(codec, errors="ignore").count("\n")
            except UnicodeError:
                return line
            if not chunk:
                return None


def _refuse_endless_line(file: Input) -> None:
    """Lines are held in memory as a whole."""
    length = 0
    with file.open() as stream:
        while chunk := stream.read(_CHUNK):
            broken = b"\n" in chunk or b"\r" in chunk
            length = 0 if broken else length + len(chunk)
            if length > _MAX_LINE:
                raise SourceError(
                    f"it has a line of more than {_MAX_LINE:,} bytes", where=file.path, hint="is it a text file at all?"
                )


def _guess(file: Input, line: int) -> Encoding:
    sample = _telling_lines(file)
    codec = _western(sample) or _multibyte(sample)
    where = f"{file.path}:{line}"
    if codec is None:
        raise SourceError(
            "it is not UTF-8, and its encoding can't be told from its bytes", where=where,
            hint="set encoding: cp1252 (western Europe), cp1250, cp1251, shift_jis, gb18030, …",
        )  # fmt: skip
    return Encoding(codec, f"{where}: not UTF-8; read as {codec}, which is a guess: set encoding to be sure")


def _telling_lines(file: Input) -> bytes:
    """Whole lines that are not ASCII, as many as make a sample."""
    lines: list[bytes] = []
    size = 0
    with file.open() as stream:
        while size < _SAMPLE and (line := stream.readline(_SAMPLE)):
            if not line.isascii():
                lines.append(line)
                size += len(line)
    return b"".join(lines)


def _multibyte(sample: bytes) -> str | None:
    """The East Asian encoding of a sample, if one explains it and no other does."""
    from charset_normalizer import from_bytes

    found = [(_MULTIBYTE.get(match.encoding, ""), match.chaos) for match in from_bytes(sample)]
    codec, mess = min(found, key=lambda pair: pair[1], default=("", 1.0))
    others = [chaos for other, chaos in found if other != codec]
    if not codec or mess > 0 or min(others, default=1.0) < _CLEAR_LEAD:
        return None
    characters = [character for character in sample.decode(codec, errors="ignore") if not character.isascii()]
    half_width = sum("｡" <= character <= "ﾟ" for character in characters)  # what Cyrillic bytes are in cp932
    return codec if len(characters) >= _MIN_CHARACTERS and half_width < len(characters) / 10 else None


def _western(sample: bytes) -> str | None:
    """cp1252, if the sample reads as western European text in it."""
    try:
        text = sample.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return "cp1252" if _WESTERN.fullmatch(text) and not _LONG_RUN.search(text) else None
