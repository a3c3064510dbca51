"""Relative database paths start at the config file; no secret of a URL is ever shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from stratagraph.config.urls import file_of_url, redact_url, resolve_url

ROOT = Path("/project/sub")


@pytest.mark.parametrize(
    ("url", "database"),
    [
        ("sqlite:///data/shop.db", "/project/sub/data/shop.db"),
        ("sqlite:///../../data/shop.db", "/data/shop.db"),
        ("sqlite+pysqlite:///a b.db?timeout=5", "/project/sub/a b.db"),
        ("sqlite:////abs/shop.db", "/abs/shop.db"),
        ("duckdb:///shop.duckdb", "/project/sub/shop.duckdb"),
    ],
)
def test_what_sqlalchemy_reads_is_the_absolute_path(url: str, database: str) -> None:
    assert make_url(resolve_url(url, ROOT)).database == database
    assert make_url(resolve_url(url, ROOT)).query == make_url(url).query


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:x?uri=true",
        "postgresql://u:p@h/db",
        "mysql+pymysql:///db",
        "nonsense",
    ],
)
def test_everything_else_is_unchanged(url: str) -> None:
    assert resolve_url(url, ROOT) == url
    assert file_of_url(url) is None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ann:pw@h:5432/db", "postgresql://ann:***@h:5432/db"),
        ("postgresql://ann:p@:/w@h/db", "postgresql://ann:***@h/db"),
        ("postgresql://ann@h/db", "postgresql://ann@h/db"),
        ("sqlite:///x.db", "sqlite:///x.db"),
        ("mssql://h/db?odbc_connect=Driver%3Dx%3BPWD%3Dpw", "mssql://h/db?odbc_connect=***"),
        (
            "snowflake://ann:pw@acc/db?role=r&private_key_passphrase=pw",
            "snowflake://ann:***@acc/db?role=r&private_key_passphrase=***",
        ),
        ("postgresql://h/db?user=a&password=pw&sslmode=require", "postgresql://h/db?user=a&password=***&sslmode=require"),
        ("no url", "no url"),
    ],
)
def test_secrets_are_masked(url: str, shown: str) -> None:
    assert redact_url(url) == shown
