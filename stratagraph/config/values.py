"""Values that a key of `stratagraph.yaml` may hold, checked where they stand: instants, patterns, templates, IRIs, names.

What the keys are is declared in `model.py`, `sources.py` and `documents.py`.
"""

from __future__ import annotations

import codecs
import re
from datetime import UTC, datetime
from string import Formatter
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from stratagraph.config.cron import check_cron, check_zone


def _check_instant(text: str) -> str:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError("is no ISO 8601 date or instant; allowed: 2024-05-01 (UTC) or 2024-05-01T12:00:00+02:00") from error
    if instant.tzinfo is None and len(text) > len("2024-05-01"):
        raise ValueError("has a time but no zone; add Z or an offset such as +02:00")
    return text


def _check_name_pattern(pattern: str) -> str:
    """A strptime pattern must at least read what it writes, and say which year is meant."""
    moment = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    try:
        year = datetime.strptime(moment.strftime(pattern), pattern).year  # noqa: DTZ007 - only the pattern is tested
    except ValueError as error:
        raise ValueError("is no strptime pattern; allowed: such as '%Y-%m-%d' or '%Y-%m-%dT%H%M%SZ'") from error
    if year != moment.year:
        raise ValueError("names no year; allowed: such as '%Y-%m-%d' or '%Y-%m-%dT%H%M%SZ'")
    return pattern


def _check_time_format(pattern: str) -> str:
    """A pattern that DuckDB and Python read alike: none of the directives that depend on a language or count weeks."""
    unknown = sorted(set(re.findall(r"%(.?)", pattern.replace("%%", ""))) - set("YymdjbBHIpMSfz"))
    if unknown:
        raise ValueError(f"has %{unknown[0]}; allowed: %Y %y %m %b %B %d %j %H %I %p %M %S %f %z")
    return _check_name_pattern(pattern)


def _check_template(template: str) -> str:
    try:
        list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"is no template ({error}); write a field as {{name}} and a brace as {{{{ or }}}}") from error
    return template


def _check_namespace(iri: str) -> str:
    if ":" not in iri or any(character.isspace() or character in '<>"{}|\\^`' for character in iri):
        raise ValueError("is no absolute IRI; allowed: such as https://example.org/graph/ or urn:example:")
    if not iri.endswith(("#", "/", ":")):
        raise ValueError("must end with #, / or :, because local names are put right behind it")
    return iri


def _check_endpoint(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise ValueError("must start with http:// or https://")
    return url


def _check_encoding(name: str) -> str:
    try:
        codec = codecs.lookup(name)
        "".encode(codec.name)  # refuses codecs that are none of text, such as hex
    except (LookupError, ValueError) as error:
        raise ValueError("is no text encoding; allowed: such as utf-8, cp1252, shift_jis, gb18030, utf-16-le") from error
    return name


Instant = Annotated[str, AfterValidator(_check_instant)]
NamePattern = Annotated[str, AfterValidator(_check_name_pattern)]
TimeFormat = Annotated[str, AfterValidator(_check_time_format)]
Template = Annotated[str, AfterValidator(_check_template)]
Namespace = Annotated[str, AfterValidator(_check_namespace)]
Encoding = Annotated[str, AfterValidator(_check_encoding)]
Endpoint = Annotated[str, AfterValidator(_check_endpoint)]
Cron = Annotated[str, AfterValidator(check_cron)]
Zone = Annotated[str, AfterValidator(check_zone)]
# Becomes part of IRIs, of table names in DuckDB and of dlt's pipeline names: only what is the same in all of them.
SourceName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
IntegrityPolicy = Literal["report", "clip", "reject"]


class Strict(BaseModel):
    """A section of the file; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
