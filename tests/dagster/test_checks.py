"""Checks that depend on what the project declares."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dagster_project.checks import dangling_edges
from stratagraph.config.model import BeliefConfig
from stratagraph.project import Project


@pytest.mark.parametrize(("policy", "passed"), [("report", False), ("clip", True), ("reject", False)])
def test_an_edge_without_an_end_is_expected_only_under_clip(small_config: Path, policy: str, passed: bool) -> None:
    project = Project.load(small_config)
    project = replace(project, config=project.config.model_copy(update={"belief": BeliefConfig(integrity=policy)}))
    with project.write() as connection:
        connection.execute(
            """INSERT INTO graph.edges_open BY NAME
               SELECT 'main' AS dataset, 'e' AS edge_id, 'a' AS subject, 'p' AS predicate, 'b' AS object, '{}' AS properties,
                      'asserted' AS origin, TIMESTAMPTZ '2020-01-01' AS valid_from, TIMESTAMPTZ 'infinity' AS valid_to,
                      now() AS recorded_from, 1.0 AS confidence, 'x'::BLOB AS content_hash, 'x'::BLOB AS value_hash"""
        )
    result = dangling_edges(project)
    assert result.passed is passed
    assert result.metadata["rows"].value == 2
    assert "a p b: a is not believed on [2020-01-01T00:00:00Z, infinity)" in result.metadata["first"].value
