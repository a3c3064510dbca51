"""Database URLs of the config: relative SQLite and DuckDB paths, and masking of secrets.

Plain string work, so that messages about a URL need no database driver. Nothing here opens a connection.
"""

from __future__ import annotations

import re
from pathlib import Path

_FILE_URL = re.compile(r"(?P<head>(?:sqlite|duckdb)(?:\+\w+)?:///)(?P<path>[^?]*)(?P<query>\?.*)?", re.DOTALL)
_WINDOWS_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SECRET_PARAMETER = re.compile(
    r"([?&;](?:[\w-]*(?:password|passwd|pwd|secret|token|key|credential)[\w-]*|odbc_connect)=)[^&;#]*", re.IGNORECASE
)


def file_of_url(url: str) -> str | None:
    """The path in a URL of a file database as it is written, or None (a server, or a database in memory)."""
    match = _FILE_URL.fullmatch(url)
    if match is None or match["path"] in ("", ":memory:") or match["path"].startswith("file:"):
        return None
    return match["path"]


def resolve_url(url: str, root: Path) -> str:
    """The URL with a relative file path made absolute, starting at the folder of the config file.

    >>> resolve_url("sqlite:///data/shop.db", Path("/project"))
    'sqlite:////project/data/shop.db'
    >>> resolve_url("postgresql://db/shop", Path("/project"))
    'postgresql://db/shop'
    """
    path = file_of_url(url)
    if path is None or path.startswith("/") or _WINDOWS_DRIVE.match(path):
        return url
    match = _FILE_URL.fullmatch(url)
    assert match is not None
    return f"{match['head']}{(root / path).resolve()}{match['query'] or ''}"


def redact_url(url: str) -> str:
    """The URL without its password and without the values of parameters that name a secret.

    Everything between the first colon of the user part and the last `@` is masked, so that a password with unescaped
    `@`, `:` or `/` does not slip through.

    >>> redact_url("postgresql://ann:s3cr3t@db/shop?sslmode=require&sslkey=abc")
    'postgresql://ann:***@db/shop?sslmode=require&sslkey=***'
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    user, at, host = rest.rpartition("@")
    if at and ":" in user:
        rest = user.partition(":")[0] + ":***@" + host
    return scheme + separator + _SECRET_PARAMETER.sub(r"\1***", rest)
