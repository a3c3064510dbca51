"""Reference times: an ISO 8601 date or date-time of a document, as a UTC instant.

A date is its midnight; a date or time without offset is meant in the zone of the source (UTC unless the source says so).
Years and months alone are no instants and are refused, as is a day that does not exist.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from stratagraph.documents.records import RefusedDocumentError
from stratagraph.errors import ConfigError

_SHAPE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].+)?", re.IGNORECASE)
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
