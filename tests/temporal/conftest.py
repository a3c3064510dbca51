"""Which files prove belief rather than test a part of it: they are told apart, so that the default suite stays short."""

from __future__ import annotations

import pytest

# Held against the oracle, planted bugs, kills, plans and a second engine: `make test-proof`.
PROOF = (
    "test_changing_facts", "test_commit_kill", "test_conformance", "test_integrity", "test_maintain", "test_mutations",
    "test_oracle", "test_oracle_composition", "test_oracle_edges", "test_oracle_exclusions", "test_oracle_hot_keys",
    "test_oracle_identity", "test_oracle_independence", "test_oracle_stories", "test_plans", "test_sail",
)  # fmt: skip


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "temporal" and item.path.stem in PROOF:
            item.add_marker(pytest.mark.proof)
