"""Reads JSON and JSON Lines into records, and loses nothing on the way: numbers keep all their digits, and a name that stands
twice in an object is an error, because only one of both values could be kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, NoReturn

from stratagraph.errors import SourceError
from stratagraph.sources.read.formats.encoding import Encoding, open_text, refuse_undecodable
from stratagraph.sources.read.formats.inputs import Input
from stratagraph.sources.read.formats.records import BadRecord, records_of
from stratagraph.sources.read.formats.tally import Tally

MAX_DOCUMENT = 200_000_000  # bytes of a document, which is held in memory as a whole
MAX_LINE = 64_000_000  # characters


class _InvalidError(ValueError):
    """What the standard allows or Python accepts, and a record can't hold."""


def read_document(file: Input, encoding: Encoding, report: Callable[[BadRecord], None]) -> list[dict[str, Any]]:
    """The records of a document: a list of them, or an object with one list. Anything else in the list is reported."""
    try:
        text = file.read(MAX_DOCUMENT).decode(encoding.codec)
    except UnicodeError as error:
        raise refuse_undecodable(file, encoding) from error
    try:
        value = parse(text)
    except json.JSONDecodeError as error:
        raise SourceError(f"not valid JSON: {error.msg}", where=f"{file.path}:{error.lineno}") from error
    except _InvalidError as error:
        raise SourceError(str(error), where=file.path) from error
    return records_of(value, file.path, report)


def read_lines(file: Input, encoding: Encoding, report: Callable[[BadRecord], None]) -> Iterator[dict[str, Any]]:
    """The records of a file with one in each line, as they are read. One that is none is reported; blank lines are skipped."""
    tally = Tally(file, "look at the file; is there one record in each line?")

    def refuse(record: BadRecord) -> None:
        report(record)
        tally.bad(record.place, record.what)

    try:
        with open_text(file, encoding, newline="\n") as text:
            number = 0
            while line := text.readline(MAX_LINE):
                number += 1
                if len(line) == MAX_LINE:
                    raise SourceError(f"the line has more than {MAX_LINE:,} characters", where=f"{file.path}:{number}")
                if not line.isspace():
                    record = _record(line, number, refuse)
                    if record is not None:
                        tally.good += 1
                        yield record
        tally.close()
    except UnicodeError as error:
        raise refuse_undecodable(file, encoding) from error


def _record(line: str, number: int, report: Callable[[BadRecord], None]) -> dict[str, Any] | None:
    try:
        value = parse(line)
    except json.JSONDecodeError as error:
        report(BadRecord("malformed_json", f"not valid JSON: {error.msg}, column {error.colno}", line.rstrip("\r\n"), number))
        return None
    except _InvalidError as error:
        report(BadRecord("malformed_json", str(error), line.rstrip("\r\n"), number))
        return None
    if isinstance(value, dict):
        return value
    report(BadRecord("not_a_record", "the line holds no object", line.rstrip("\r\n"), number))
    return None


def parse(text: str) -> Any:
    """A JSON value. Numbers with a fraction are Decimal; what JSON does not allow, or can't be kept, is a ValueError."""
    try:
        return json.loads(
            text, parse_float=Decimal, parse_int=_whole, parse_constant=_refuse_constant, object_pairs_hook=_object
        )
    except RecursionError as error:
        raise _InvalidError("it is nested too deeply") from error


def _whole(text: str) -> int | Decimal:
    return int(text) if len(text) < 1000 else Decimal(text)  # Python refuses to parse very long whole numbers


def _refuse_constant(text: str) -> NoReturn:
    raise _InvalidError(f"{text} is no JSON number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise _InvalidError(f"an object has the name {twice[:100]!r} twice")
    return value
