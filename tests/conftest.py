"""What all tests share: an environment of their own, and the engine versions in the report's head."""

from __future__ import annotations

from importlib import metadata

import pytest

OWN_VARIABLES = ("STRATAGRAPH_CONFIG", "STRATAGRAPH_DATA_DIR", "OPENAI_API_KEY", "OPENAI_BASE_URL", "DAGSTER_HOME")


def pytest_report_header() -> str:
    return ", ".join(f"{name} {metadata.version(name)}" for name in ("duckdb", "dlt", "dagster", "owlready2", "tantivy"))


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the settings of the person who runs it, and none reports to anybody."""
    for name in OWN_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RUNTIME__DLTHUB_TELEMETRY", "false")
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "yes")
