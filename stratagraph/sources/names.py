"""Names: how sources, tables and columns are called in the landing file, and how a word is read out of an IRI.

Only naming rules live here; nothing is read or written. IRIs use the names of the source (`Order Details`, `OrderID`),
the landing file uses dlt's normalised names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from stratagraph.config.problems import allowed_text
from stratagraph.errors import ConfigError
from stratagraph.project import Project, fingerprint

# Schemas of the landing file that are not a source's.
_RESERVED = frozenset({"main", "temp", "system", "pg_catalog", "information_schema", "stratagraph", "documents"})
_PLAIN = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def refuse_unknown(names: Iterable[str], known: Iterable[str], what: str, where: str) -> None:
    """Refuse names of the config that the source does not have, with the nearest right ones. what: `there is no column`."""
    allowed = list(known)
    for name in names:
        if name not in allowed:
            raise ConfigError(f"{what} {name!r}{allowed_text(name, allowed)}", where=where)


def dataset_name(source: str) -> str:
    """The dlt dataset (schema of the landing file) of a source: its name, made unambiguous where it is not plain."""
    if _PLAIN.fullmatch(source) and source not in _RESERVED:
        return source
    plain = re.sub(r"[^a-z0-9]+", "_", source.lower()).strip("_")
    return f"source_{plain}_{fingerprint(source)[:8]}".replace("__", "_")


def iri_safe(text: str) -> str:
    """Percent-encode a name for an IRI as R2RML does: everything but letters, digits, `-._~` and non-ASCII characters."""
    return "".join(c if ord(c) >= 0xA0 and not 0xE000 <= ord(c) <= 0xF8FF else quote(c, safe="") for c in text)


def source_iri(project: Project, source: str) -> str:
    """Prefix of all IRIs of a source: its own base, if it has one."""
    base = getattr(project.config.sources.get(source), "base", None)
    return str(base) if base else f"{project.config.base_iri}{iri_safe(source)}/"


def table_iri(project: Project, source: str, table: str) -> str:
    """IRI of a table, which is the class of its rows unless the mapping names another."""
    return source_iri(project, source) + iri_safe(table)


def pointer(name: str) -> str:
    """JSON pointer to a member of an object; unlike a JSON path it can hold any name."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def words(iri: str) -> str:
    """The local name of an IRI as words: `…#reportsTo` -> 'reports to', `…#ref-CustomerID` -> 'customer'.

    >>> words("https://example.org/demo#holdsOffice")
    'holds office'
    >>> words("https://example.org/graph/shop/Orders#ref-ShipVia;ship_city_id")
    'ship via, ship city'
    """
    local = re.split(r"[#/:]", iri.rstrip("#/:"))[-1]
    parts = []
    for part in local.removeprefix("ref-").split(";"):
        spaced = re.sub(r"[\s_\-]+", " ", _CAMEL.sub(" ", part)).strip().lower()
        parts.append(spaced.removesuffix(" id") if local.startswith("ref-") else spaced)
    return ", ".join(parts)
