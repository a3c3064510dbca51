"""Extraction as parallel steps: a bucket whose endpoint is down fails alone, and is done and paid for again alone."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import dagster as dg
import pytest
from openai_server import Endpoint, Reply, serve, text_of

from dagster_project.build import build_defs
from dagster_project.demo import QUIET
from stratagraph.documents.chunks import update_chunks
from stratagraph.documents.load import load_documents
from stratagraph.extraction.run import plan
from stratagraph.ontology.load import update_ontology
from stratagraph.project import Project

PEOPLE = ("Ann Aldous", "Bob Baines", "Cleo Carr", "Dan Doyle", "Eve Ellis", "Fay Frost", "Gus Grant", "Hal Hayes")
TEXTS = [f"{person} joined Acme in 2019." for person in PEOPLE]
STATEMENTS = dg.AssetKey(["staging", "text_statements"])
ANSWERS = dg.AssetKey(["staging", "answers"])
ASK = "staging__text_statements.ask_bucket["


def job() -> dg.JobDefinition:
    """As a process of the executor builds it."""
    return build_defs().resolve_job_def("build")


def answer(text: str) -> Reply:
    person = text.partition(" joined")[0]
    entities = [{"name": person, "class": "Person"}, {"name": "Acme", "class": "Organization"}]
    relation = {"subject": person, "predicate": "worksFor", "object": "Acme", "quote": text, "ended": False}
    relation |= {"valid_from": "2019", "valid_to": None}
    return Reply(json.dumps({"entities": entities, "relations": [relation]}))


@pytest.fixture
def asked_of_a_server(small_config: Path, monkeypatch: pytest.MonkeyPatch):
    """The small project with eight notes and the openai engine at a scripted endpoint; texts in `down` get no answer."""
    down: set[str] = set()
    episodes = [{"id": f"n{n}", "ref_time": "2020-01-15T00:00:00Z", "text": text} for n, text in enumerate(TEXTS)]
    (small_config.parent / "press.json").write_text(json.dumps({"episodes": episodes}), encoding="utf-8")
    with serve(lambda text, nth: Reply(status=503) if text in down else answer(text)) as endpoint:
        engine = f"{{engine: openai, base_url: '{endpoint.url}', model: scripted, max_retries: 0, buckets: 4}}"
        config = small_config.read_text(encoding="utf-8").replace("{engine: embedded}", engine)
        small_config.write_text(config, encoding="utf-8")
        monkeypatch.setenv("STRATAGRAPH_CONFIG", str(small_config))
        monkeypatch.setenv("OPENAI_API_KEY", "test-key")
        project = Project.load(small_config)
        for stage in (load_documents, update_chunks, update_ontology):
            stage(project)
        yield project, endpoint, down


def paid(endpoint: Endpoint, down: set[str]) -> Counter[str]:
    return Counter(text for text in map(text_of, endpoint.requests) if text not in down)


def test_a_retry_of_a_failed_bucket_pays_for_it_alone(asked_of_a_server, tmp_path: Path) -> None:
    project, endpoint, down = asked_of_a_server
    down.update(TEXTS[:2])
    with dg.DagsterInstance.local_temp(str(tmp_path), {"telemetry": {"enabled": False}}) as instance:
        build = dg.reconstructable(job)
        first = dg.execute_job(build, instance=instance, run_config=QUIET, asset_selection=[STATEMENTS])
        failed = {event.step_key for event in first.all_events if event.is_step_failure}
        assert not first.success
        assert failed and all(step.startswith(ASK) for step in failed)
        before = paid(endpoint, down)
        assert set(before.values()) <= {1}
        endpoint.requests.clear()
        down.clear()
        options = dg.ReexecutionOptions.from_failure(first.run_id, instance)
        again = dg.execute_job(build, instance=instance, run_config=QUIET, reexecution_options=options)
        assert again.success
        steps = {event.step_key for event in again.all_events if event.is_step_success}
        assert {step for step in steps if step.startswith(ASK)} == failed
        assert steps - failed == {"staging__text_statements.gather_answers", "extraction_holds"}
        assert paid(endpoint, down) + before == Counter(TEXTS)  # each text once
        shown = instance.get_latest_materialization_event(STATEMENTS)
        partitions = instance.get_materialized_partitions(ANSWERS)
    assert shown is not None and shown.asset_materialization is not None
    metadata = {name: value.value for name, value in shown.asset_materialization.metadata.items()}
    assert (metadata["relations"], metadata["chunks"], metadata["unanswered"]) == (8, 8, 0)
    assert metadata["prompt_tokens"] >= 100
    assert partitions <= set("0123") and len(partitions) > 1
    assert plan(project) == {}


def test_one_partition_can_be_asked_alone(asked_of_a_server) -> None:
    project, endpoint, _ = asked_of_a_server
    planned = plan(project)
    bucket, chunks = max(planned.items(), key=lambda each: each[1])
    with dg.DagsterInstance.ephemeral() as instance:
        job_of_all = build_defs().resolve_implicit_job_def_def_for_assets([ANSWERS])
        assert job_of_all is not None
        done = job_of_all.execute_in_process(
            instance=instance, partition_key=str(bucket), asset_selection=[ANSWERS], run_config=QUIET
        )  # fmt: skip
    assert done.success
    assert len(endpoint.requests) == chunks
    assert plan(project) == {other: count for other, count in planned.items() if other != bucket}
