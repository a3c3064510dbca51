"""Reference times: an ISO 8601 date or date-time of a document, as a UTC instant, and which of several says it.

A date is its midnight; a date or time without offset is meant in the zone of the source (UTC unless the source says so).
Years and months alone are no instants and are refused, as is a day that does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from stratagraph.documents.records import RefusedDocumentError
from stratagraph.errors import ConfigError

_SHAPE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].+)?", re.IGNORECASE)
_TWO = r"\d\d"
_DIRECTIVES = {
    "Y": r"\d{4}", "G": r"\d{4}", "m": _TWO, "d": _TWO, "H": _TWO, "I": _TWO, "M": _TWO, "S": _TWO, "y": _TWO, "U": _TWO,
    "W": _TWO, "V": _TWO, "j": r"\d{3}", "f": r"\d{1,6}", "u": r"\d", "w": r"\d", "z": r"(?:Z|[+-]\d{2}:?\d{2})", "%": "%",
}  # fmt: skip
# '2024-01-05 10:00:00 +0200', as static site generators write it.
_SPACE_BEFORE_OFFSET = re.compile(r"\s+(?=[+-]\d|Z$)", re.IGNORECASE)


def parse_reference_time(value: str, zone: tzinfo = UTC) -> datetime:
    """The UTC instant of a date or date-time.

    >>> parse_reference_time("2024-01-05").isoformat()
    '2024-01-05T00:00:00+00:00'
    >>> parse_reference_time("2024-01-05 10:00:00 +0200").isoformat()
    '2024-01-05T08:00:00+00:00'
    """
    text = value.strip()
    try:
        if len(text) > 64 or not _SHAPE.fullmatch(text):
            raise ValueError("neither YYYY-MM-DD nor YYYY-MM-DDThh:mm[:ss][offset]")
        parsed = datetime.fromisoformat(_SPACE_BEFORE_OFFSET.sub("", text))
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise RefusedDocumentError("invalid_reference_time", f"{value[:60]!r} is not a point in time: {error}") from error


@dataclass(frozen=True, slots=True)
class Dating:
    """What dates a document that does not say its time itself.

    Args:
        last: the instant when nothing else says one, and what that is.
        pattern: strptime pattern of a part of the file name.
        configured: `reference_time` of the config.
    """

    last: tuple[datetime, str]
    pattern: str | None = None
    configured: datetime | None = None

    def of(self, stated: str | None, noted: Iterable[str], name: str) -> tuple[datetime, str]:
        """The reference time of a document and where it comes from.

        What the document tells its readers must be a point in time, and so must what the name has where the pattern looks. What
        programs noted in its properties is passed over if it is none.
        """
        if stated:
            return parse_reference_time(stated), "document"
        if self.pattern and (found := time_in_name(name, self.pattern)) is not None:
            return found, "file_name"
        for value in noted:
            try:
                return parse_reference_time(value), "metadata"
            except RefusedDocumentError:
                continue
        return (self.configured, "config") if self.configured is not None else self.last


def time_in_name(name: str, pattern: str) -> datetime | None:
    """The instant in a file name: the first part of it that has the pattern's shape; None if none has.

    >>> time_in_name("minutes-2024-03-05-final.docx", "%Y-%m-%d").isoformat()
    '2024-03-05T00:00:00+00:00'
    """
    candidates = [match[0] for match in _shape_of(pattern).finditer(name)]
    for candidate in candidates:
        try:
            parsed = datetime.strptime(candidate, pattern)  # noqa: DTZ007 - a name without offset is meant in UTC
            return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    if candidates:
        detail = f"{candidates[0][:60]!r} in the file name is not a point in time like {pattern!r}"
        raise RefusedDocumentError("invalid_reference_time", detail)
    return None


def _shape_of(pattern: str) -> re.Pattern[str]:
    """What text of a strptime pattern looks like; numbers do not begin or end within a longer one."""
    pieces = re.split(r"%(-?.)", pattern)
    shape = ""
    for position, piece in enumerate(pieces):
        shape += _DIRECTIVES.get(piece, r"[^\W_]+") if position % 2 else re.escape(piece)
    return re.compile(rf"(?<!\d){shape}(?!\d)", re.IGNORECASE)


def configured_time(value: str, key: str) -> datetime:
    """The same for a value of the config; a bad one is an error of the config, not of a document."""
    try:
        return parse_reference_time(value)
    except RefusedDocumentError as error:
        raise ConfigError(error.what, where=key, hint="write an ISO 8601 instant such as 2024-05-01T12:00:00Z") from error


def configured_zone(name: str, key: str) -> ZoneInfo:
    """The time zone of that name in the config."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigError(f"unknown time zone {name!r}", where=key, hint="use an IANA name such as Europe/Berlin") from error
