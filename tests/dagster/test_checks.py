"""Checks that depend on what the project declares."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from dagster_project.checks import TEXT_STATEMENTS, dangling_edges, extraction_holds
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


CALL = """INSERT INTO graph.llm_calls
          SELECT 'main', content_hash, 'x', 'x', content_hash, 0, 0, '{}', now() FROM graph.chunks WHERE position < $read"""


@pytest.mark.parametrize(
    ("read", "mentions", "refused", "tokens", "failed"),
    [
        (100, 10, 0, 0, set()),
        (99, 10, 2, 1_600_000, set()),
        (98, 10, 3, 1_600_001, {"chunks_read", "quarantine_share", "below_ceilings"}),
        (100, 0, 0, 0, {"mentions_found"}),
    ],
)
def test_extraction_holds_up_to_its_thresholds(
    small_config: Path, read: int, mentions: int, refused: int, tokens: int, failed: set[str]
) -> None:
    project = Project.load(small_config)
    with project.write() as connection:
        connection.execute(
            """INSERT INTO graph.chunks
               SELECT 'main', 'c' || i, 'd', i, 0, 1, CASE WHEN i < 100 THEN 'x' ELSE ' ' END, NULL, now(), 'en',
                      encode('c' || i), now(), 'infinity' FROM range(101) AS r(i)"""
        )
        connection.execute(CALL, {"read": read})
        connection.execute(
            "INSERT INTO graph.mentions SELECT 'main', 'c1', 'd', 'r' || i, 'k', 's', i, i, now(), 'infinity' "
            "FROM range($n) AS r(i)",
            {"n": mentions},
        )
        connection.execute(
            "INSERT INTO graph.quarantine SELECT 'main', encode('q' || i), 'extraction', 'domain', '', '', '', '', '', now() "
            "FROM range($n) AS r(i)",
            {"n": refused},
        )
    with dg.DagsterInstance.ephemeral() as instance:
        spent = {"prompt_tokens": tokens, "completion_tokens": 0, "cost": "not counted"}
        instance.report_runless_asset_event(dg.AssetMaterialization(TEXT_STATEMENTS, metadata=spent))
        context = dg.build_asset_check_context(instance=instance)
        results = {result.check_name: result for result in extraction_holds(context, project)}
    assert {name for name, result in results.items() if not result.passed} == failed
    assert results["chunks_read"].metadata["chunks"].value == 100  # white space is not read, and that is right
    assert {name for name, result in results.items() if result.severity == dg.AssetCheckSeverity.ERROR} == {"chunks_read"}
