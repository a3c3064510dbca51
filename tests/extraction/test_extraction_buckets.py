"""Asking by bucket: what is paid when one fails or a process is killed, and what an erasure leaves of answers on their way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stratagraph.extraction.buckets import answer_files, answered_keys, folder_of
from stratagraph.extraction.embedded.engine import EmbeddedExtractor
from stratagraph.extraction.protocol import ChunkFailedError, EngineUnavailableError
from stratagraph.extraction.run import ask_bucket, extract, gather, plan
from stratagraph.forget import clear_files
from stratagraph.temporal.erase import erase

BASE = "https://example.org/graph/"
PEOPLE = ("Ann Aldous", "Bob Baines", "Cleo Carr", "Dan Doyle", "Eve Ellis", "Fay Frost", "Gus Grant", "Hal Hayes")


class Metered(EmbeddedExtractor):
    """The embedded engine as one that is paid for; no answer to `down` at present, none to `bad` ever."""

    name, fingerprint, concurrency, known_in_key = "metered/1", "metered/1", 2, False

    def __init__(self) -> None:
        super().__init__()
        self.paid: list[str] = []
        self.down: set[str] = set()
        self.bad: set[str] = set()

    def extract(self, chunk, ontology):
        if chunk.text in self.down:
            raise EngineUnavailableError("the endpoint is down")
        self.paid.append(chunk.text)
        if chunk.text in self.bad:
            raise ChunkFailedError("refused", "no")
        return super().extract(chunk, ontology)

    def usage(self):
        return {"cost": 0.5 * len(self.paid), "mode": "x"}


def fill(bench) -> list[str]:
    texts = [f"{person} joined Acme in 2019." for person in PEOPLE]
    at = datetime(2020, 6, 15, tzinfo=UTC)
    bench.put_many([(person[:3].lower(), text, at) for person, text in zip(PEOPLE, texts, strict=True)])
    return texts


def test_a_failed_bucket_is_paid_for_alone(bench):
    texts = fill(bench)
    planned = plan(bench.project, Metered())
    assert sum(planned.values()) == 8
    assert len(planned) > 2
    failing = max(planned, key=lambda bucket: planned[bucket])
    engines = {bucket: Metered() for bucket in planned}
    engines[failing].down = set(texts)
    asked = {bucket: ask_bucket(bench.project, bucket, engines[bucket]) for bucket in planned}
    assert {bucket for bucket in asked if asked[bucket].unanswered} == {failing}
    assert (asked[failing].calls, asked[failing].unanswered) == (0, planned[failing])
    assert "endpoint is down" in str(asked[failing].unavailable)
    again = Metered()
    assert plan(bench.project, again) == {failing: planned[failing]}  # what the files answer is not asked again
    assert sum(ask_bucket(bench.project, bucket, again).calls for bucket in planned) == planned[failing]
    paid = [text for engine in (*engines.values(), again) for text in engine.paid]
    assert sorted(paid) == sorted(texts)
    result = gather(bench.project, asked.values(), Metered())
    assert (result.calls, result.relations, result.asked.usage) == (
        8 - planned[failing], 8, {"cost": 0.5 * (8 - planned[failing]), "mode": "x"},
    )  # fmt: skip
    assert not answer_files(bench.project)
    assert plan(bench.project, Metered()) == {}
    assert not gather(bench.project, engine=Metered()).changed


def test_in_parts_it_ends_as_in_one_process(make_bench, tmp_path):
    bench = make_bench()
    fill(bench)
    for bucket in plan(bench.project):
        ask_bucket(bench.project, bucket)
    gather(bench.project)
    staged, kept = bench.staged(), bench.rows("SELECT cache_key, response FROM graph.llm_calls ORDER BY ALL")
    bench.project.warehouse.unlink()
    fill(bench)
    extract(bench.project)
    columns = ["document_id", "char_start", "subject"]
    assert bench.staged().sort(columns).equals(staged.sort(columns))
    assert bench.rows("SELECT cache_key, response FROM graph.llm_calls ORDER BY ALL") == kept


def test_what_was_given_up_is_not_asked_again_while_its_source_is_incomplete(bench):
    texts = fill(bench)
    engine = Metered()
    engine.bad, engine.down = {texts[0]}, {texts[1]}
    with pytest.raises(Exception, match="1 of 8 chunks have no answer"):
        extract(bench.project, engine=engine)
    engine.down = set()
    assert extract(bench.project, engine=engine).reasons == {"refused": 1}
    assert sorted(engine.paid) == sorted(texts)


def test_a_plan_for_another_engine_is_not_asked(bench):
    fill(bench)
    planned = plan(bench.project, Metered())
    other = Metered()
    other.fingerprint = "metered/2"
    assert {ask_bucket(bench.project, bucket, other).calls for bucket in planned} == {0}
    with pytest.raises(Exception, match="8 of 8 chunks have no answer: they were not asked about"):
        gather(bench.project, engine=other)


@pytest.mark.parametrize("kind", ["document", "subject"])
@pytest.mark.parametrize("files_cleared", [True, False], ids=["cleared", "interrupted"])
def test_an_answer_on_its_way_does_not_survive_an_erasure(bench, kind, files_cleared):
    """Asked, then erased, then gathered; also where the erasure was stopped before it came to the files."""
    fill(bench)
    extract(bench.project)  # so that the store knows them
    engine = Metered()
    for bucket in plan(bench.project, engine):
        ask_bucket(bench.project, bucket, engine)
    name = "Cleo Carr"
    id = "cle" if kind == "document" else f"{BASE}name/Person/cleo%20carr"
    with bench.project.write() as connection:
        erase(connection, dataset="main", kind=kind, id=id, clock=bench.project.clock)
    if files_cleared:
        clear_files(bench.project)
        assert not list(folder_of(bench.project).glob("questions-*"))
        assert answered_keys(answer_files(bench.project)).num_rows == 7
    missing = 0 if kind == "document" or not files_cleared else 1  # its chunk stands, so it is asked about again
    assert sum(plan(bench.project, engine).values()) == missing
    extract(bench.project, engine=engine)
    assert name not in str(bench.staged()["value"].to_list())
    if kind == "document":
        assert bench.rows("SELECT count(*) FROM graph.llm_calls WHERE contains(response, $n)", {"n": name}) == [(0,)]
    assert not answer_files(bench.project)


@pytest.mark.slow
def test_killed_while_asking_it_pays_for_what_was_not_kept_alone(bench, tmp_path):
    people = tuple(f"Person {chr(65 + n % 26)}{n}" for n in range(200))
    bench.put("d1", [f"{person} joined Acme in 2019." for person in people])
    script = """
import sys, time
from stratagraph.project import Project
from stratagraph.extraction import asking, run
from test_extraction_buckets import Metered
asking._FLUSH_SECONDS = 0.02
class Slow(Metered):
    def extract(self, chunk, ontology):
        time.sleep(0.005)
        return super().extract(chunk, ontology)
project = Project.load(sys.argv[1])
planned = run.plan(project, Metered())
print("go", flush=True)
for bucket in planned:
    run.ask_bucket(project, bucket, Slow())
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (Path(__file__).parents[2], Path(__file__).parent)))}
    kept = [0]
    for delay in (0.1, 0.25):
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "stratagraph.yaml")],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with bench.project.write():  # asking does not hold the warehouse, and a dead asker holds nothing
            pass
        kept.append(answered_keys(answer_files(bench.project)).num_rows)
    assert kept == sorted(kept)
    engine = Metered()
    result = extract(bench.project, engine=engine)
    assert (result.calls, len(engine.paid)) == (200 - kept[-1], 200 - kept[-1])
    assert bench.rows("SELECT count(*), count(DISTINCT cache_key) FROM graph.llm_calls") == [(200, 200)]
    assert len(bench.edges("worksFor")) == 200
