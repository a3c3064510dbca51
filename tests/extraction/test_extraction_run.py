"""The stage as a whole: what is staged, what a replay costs, what a change, a removal or a crash leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from stratagraph.errors import ExtractionError
from stratagraph.extraction import asking, plan, run
from stratagraph.extraction.buckets import answer_files, answered_keys
from stratagraph.extraction.embedded.engine import EmbeddedExtractor
from stratagraph.extraction.protocol import ChunkFailedError, Extraction
from stratagraph.extraction.resolve import VERSION as RESOLVER
from stratagraph.extraction.run import extract
from stratagraph.staging import STATEMENT_COLUMNS, staged_batches

EX = "https://example.org/stratagraph/demo#"
BASE = "https://example.org/graph/"
NOTE = "Alice Haddad joined Acme in March 2019. Alice Haddad met Bob Stone in Cork."
OTHER = "Bob Stone works at Globex since 2018."


class Counting(EmbeddedExtractor):
    """The embedded engine, counting."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def extract(self, chunk, ontology):
        self.texts.append(chunk.text)
        return super().extract(chunk, ontology)


def test_statements_have_evidence_that_stands_in_the_document(bench):
    bench.put("d1", [OTHER, NOTE])
    result = extract(bench.project)
    assert (result.chunks, result.calls, result.batches, result.entities, result.relations) == (2, 2, 1, 4, 3)
    frame = bench.staged()
    assert list(frame.columns) == list(STATEMENT_COLUMNS)
    document = bench.rows("SELECT text FROM graph.documents")[0][0]
    frame = frame.with_columns(pl.when(pl.col("kind") == "edge").then(pl.col("valid_from")))  # no infinity in Python
    frame = frame.drop("valid_to")
    for row in frame.iter_rows(named=True):
        assert document[row["char_start"] : row["char_end"]] == row["quote"]
        assert row["chunk_id"].startswith("d1#chunk-")
        assert (row["dataset"], row["source"], row["scope"], row["document_id"]) == ("main", "press", "d1", "d1")
        assert row["extractor"] == "embedded/2"
        assert row["observed_at"] == datetime(2020, 6, 15, tzinfo=UTC)
        assert json.loads(row["value"]).keys() <= {"label", "fact", "properties"}
    nodes = frame.filter(pl.col("kind") == "node")
    alice = nodes.filter(pl.col("subject") == f"{BASE}name/Person/alice%20haddad").row(0, named=True)
    assert (alice["predicate"], alice["facet"], alice["mode"]) == (EX + "Person", "text", "period")
    assert alice["value"] == '{"label":"Alice Haddad","properties":{}}'
    assert alice["char_start"] == document.index("Alice")
    edges = frame.filter(pl.col("kind") == "edge").sort("char_start")
    assert edges["mode"].to_list() == ["event"] * 3
    assert [json.loads(value)["fact"] for value in edges["value"]] == [
        "Bob Stone works for Globex", "Alice Haddad works for Acme", "Alice Haddad met Bob Stone",
    ]  # fmt: skip
    assert edges["valid_from"].to_list() == [
        datetime(2018, 1, 1, tzinfo=UTC),
        datetime(2019, 3, 1, tzinfo=UTC),
        datetime(2020, 6, 15, tzinfo=UTC),
    ]
    file = staged_batches(bench.project, "text")[0].statements
    bounds = bench.rows(
        f"SELECT DISTINCT valid_from = '-infinity', valid_to = 'infinity' FROM '{file}' WHERE kind = 'node'",
    )
    assert bounds == [(True, True)]


def test_a_period_an_end_and_the_other_direction(bench):
    bench.put(
        "d1", ["Alice worked at Acme from 2010 to 2014.", "Bob Stone left Globex in 2015.", "Initech hired Carol Rao in 2016."]
    )
    extract(bench.project)
    edges = bench.staged().filter(pl.col("kind") == "edge").sort("char_start")
    assert edges["mode"].to_list() == ["period", "event", "event"]
    assert edges["polarity"].to_list() == ["assert", "retract", "assert"]
    assert edges["valid_to"].to_list() == [datetime(2014, 1, 1, tzinfo=UTC), None, None]
    assert set(edges["predicate"]) == {EX + "worksFor"}  # hired(Initech, Carol) is stored as worksFor(Carol, Initech)
    assert edges["subject"].to_list()[2] == f"{BASE}name/Person/carol%20rao"


def test_a_document_that_says_it_twice_says_it_once_and_two_documents_say_it_twice(bench):
    bench.put("d1", [NOTE, NOTE + " Indeed.", "Alice Haddad joined Acme in March 2019!"])
    bench.put("d2", [NOTE])
    extract(bench.project)
    works = bench.staged().filter(pl.col("predicate") == EX + "worksFor")
    assert sorted(works["scope"]) == ["d1", "d2"]
    assert works["value"].n_unique() == 1
    assert bench.rows("SELECT count(*) FROM graph.mentions WHERE surface = 'Alice Haddad' AND document_id = 'd1'") == [(5,)]


def test_a_replay_is_free_and_only_what_changed_is_read(bench):
    bench.put("d1", [OTHER, NOTE])
    bench.put("d2", [NOTE])
    bench.put("c1", [("Emily", "I really enjoy painting.")], source="chats")
    engine = Counting()
    first = extract(bench.project, engine=engine)
    assert first.calls == 3  # the same text at the same time is read once
    assert sorted(batch.batch.source for batch in staged_batches(bench.project, "text")) == ["chats", "press"]
    before = _everything(bench)
    again = extract(bench.project, engine=engine)
    assert (again.changed, again.calls, again.batches) == (False, 0, 0)
    assert (again.chunks, again.mentions) == (first.chunks, first.mentions)
    assert _everything(bench) == before
    engine.texts.clear()
    bench.put("d2", [NOTE, "Carol Rao joined Initech in 2020."])
    changed = extract(bench.project, engine=engine)
    assert engine.texts == ["Carol Rao joined Initech in 2020."]
    assert (changed.changed, changed.batches) == (True, 1)
    assert [batch.batch.source for batch in staged_batches(bench.project, "text")].count("chats") == 1


def test_a_source_that_returns_to_an_earlier_state_is_staged_again(bench):
    ids = []
    for text in (NOTE, OTHER, NOTE, OTHER):
        bench.put("d1", [text])
        extract(bench.project)
        ids.append(staged_batches(bench.project, "text")[-1].batch.batch_id)
    assert len(set(ids)) == 4
    orders = [staged.batch.order for staged in staged_batches(bench.project, "text")]
    assert orders == [0, 1, 2, 3]


def test_a_removed_document_takes_its_mentions_along_and_is_staged_as_gone(bench):
    bench.put("d1", [NOTE])
    bench.put("d2", [OTHER])
    extract(bench.project)
    bench.remove("d1")
    result = extract(bench.project)
    assert (result.calls, result.batches) == (0, 1)
    assert set(bench.staged()["scope"]) == {"d2"}
    assert bench.rows("SELECT DISTINCT document_id FROM graph.mentions WHERE recorded_to = 'infinity'") == [("d2",)]
    assert bench.rows(
        "SELECT count(*) FROM graph.mentions WHERE recorded_to < 'infinity' AND recorded_to <= recorded_from"
    ) == [(0,)]
    bench.remove("d2")
    extract(bench.project)
    last = staged_batches(bench.project, "text")[-1]
    assert last.batch.complete
    assert pl.read_parquet(last.statements).is_empty()


def test_refusals_go_to_quarantine_and_leave_it_when_mended(bench):
    bench.put("d1", ["Alice works at Acme since 2024-02-30.", OTHER])
    result = extract(bench.project)
    assert result.quarantined == 1
    rows = bench.rows("SELECT stage, reason, scope, location, detail FROM graph.quarantine")
    assert rows[0][:3] == ("extraction", "invalid_time", "d1")
    assert "2024-02-30" in rows[0][4]
    bench.put("d2", [NOTE])
    assert extract(bench.project).quarantined == 1  # still the same row
    assert bench.rows("SELECT count(*) FROM graph.quarantine") == [(1,)]
    bench.put("d1", ["Alice works at Acme since 2024-02-29.", OTHER])
    assert extract(bench.project).quarantined == 0


def test_a_machine_does_not_speak_of_itself(bench):
    bench.put(
        "c1",
        [("Emily", "I really enjoy painting."), ("AI companion", "I really enjoy painting. Goodbye, Emily.")],
        source="chats",
    )
    extract(bench.project)
    assert bench.edges("likes") == {("2020-06-15T00:00:00Z", "name/Person/emily", "name/Topic/painting")}
    surfaces = bench.rows("SELECT surface FROM graph.mentions WHERE ref LIKE '%emily' ORDER BY char_start")
    assert surfaces == [("I",), ("Emily",)]


def test_another_ontology_is_another_question(make_bench, tmp_path):
    bench = make_bench()
    bench.put("d1", [NOTE])
    extract(bench.project)
    config = (tmp_path / "stratagraph.yaml").read_text()
    own = tmp_path / "own.ttl"
    demo = Path(__file__).parents[2] / "ontologies/demo.ttl"
    own.write_text(demo.read_text().replace('"joined"@en', '"enlisted at"@en'))
    (tmp_path / "stratagraph.yaml").write_text(config.replace(str(demo), str(own)))
    bench.project = type(bench.project).load(tmp_path / "stratagraph.yaml", bench.project.clock)
    assert extract(bench.project).calls == 1
    assert bench.edges("worksFor") == set()


def test_an_engine_of_ones_own(bench):
    """The one in docs/extraction.md, as it stands there."""
    page = (Path(__file__).parents[2] / "docs/extraction.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0].rpartition("\nextract(")[0]
    names: dict[str, object] = {}
    exec(code, names)
    bench.put("d1", ["Then ACME bought INITECH."])
    result = extract(bench.project, engine=names["Shouting"]())  # type: ignore[operator]
    assert result.entities == 2
    assert set(bench.staged()["extractor"]) == {"shouting/1"}


def test_what_no_file_can_hold_harms_no_other_chunk(bench):
    class Odd(EmbeddedExtractor):
        def extract(self, chunk, ontology):
            if chunk.text == "bad":
                raise ChunkFailedError("malformed", "half of a pair: \ud800", "\udfff\x00")
            if chunk.text == "odd":
                return Extraction(rejected=(("malformed_item", "\ud800", "{\udfff\x00}"),))
            return super().extract(chunk, ontology)

    bench.put("d1", ["bad", "odd", OTHER])
    result = extract(bench.project, engine=Odd())
    assert (result.reasons, result.relations) == ({"malformed": 1, "malformed_item": 1}, 1)


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_fault_of_the_engine_leaves_its_chunk_open_and_loses_no_other_answer(bench, caplog, at_once):
    class Faulty(Counting):
        concurrency = at_once

        def extract(self, chunk, ontology):
            found = super().extract(chunk, ontology)
            return found if chunk.text != "bad" else Extraction(relations=(found.relations[0],))

    bench.put("d1", ["bad", OTHER, NOTE])
    with pytest.raises(ExtractionError, match=r"1 of 3 chunks have no answer: embedded/2 failed on .*chunk.*: IndexError"):
        extract(bench.project, engine=Faulty())
    assert "IndexError" in caplog.text and "relations[0]" in caplog.text  # with its place, for whoever mends it
    mended = Counting()
    result = extract(bench.project, engine=mended)
    assert (mended.texts, result.relations) == (["bad"], 3)


def test_new_rules_resolve_kept_answers_without_asking_again(bench, monkeypatch):
    bench.put("d1", [NOTE, OTHER])
    extract(bench.project)
    with bench.project.write() as connection:  # as if older rules had refused everything
        connection.execute(
            "UPDATE graph.llm_calls SET response = json_merge_patch(response, "
            """'{"resolved": {"entities": [], "relations": [], "rejected": []}}')"""
        )
    for module in (run, plan, asking):
        monkeypatch.setattr(module, "RESOLVER", RESOLVER + 1)
    engine = Counting()
    result = extract(bench.project, engine=engine)
    assert (result.calls, engine.texts) == (0, [])
    assert len(bench.edges("worksFor")) == 2
    assert bench.rows("SELECT DISTINCT CAST(response->>'resolver' AS INT) FROM graph.llm_calls") == [(RESOLVER + 1,)]


def test_no_chunks_and_only_empty_chunks(bench):
    with bench.project.write():
        pass
    result = extract(bench.project)
    assert (result.chunks, result.calls, result.batches) == (0, 0, 0)
    bench.put("d1", ["", "  \n "])
    result = extract(bench.project)
    assert (result.chunks, result.calls, result.batches) == (2, 0, 0)
    assert not extract(bench.project).changed


def test_progress_reaches_its_end(bench):
    bench.put("d1", [NOTE, OTHER])
    seen = []
    extract(bench.project, on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_two_projects_say_the_same_whatever_the_moment(make_bench, tmp_path):
    frames = []
    for order in ((0, 1), (1, 0)):
        bench = make_bench()
        for index in order:
            bench.put(f"d{index}", [(NOTE, OTHER)[index]])
        extract(bench.project)
        frames.append(bench.staged().sort("document_id", "char_start", "subject"))
        (bench.project.warehouse).unlink()
        for staged in staged_batches(bench.project, "text"):
            (staged.folder / "batch.json").unlink()
    assert frames[0].equals(frames[1])


def test_killed_anywhere_it_ends_the_same(make_bench, tmp_path):
    """SIGKILL at several moments of the stage; a run after that stages what an undisturbed one does."""
    texts = [f"Person {chr(65 + n % 26)}{n} joined Company {chr(65 + n % 26)}{n} in 201{n % 10}." for n in range(300)]
    bench = make_bench()
    bench.put("d1", texts)
    script = textwrap.dedent(
        """
        import sys, time
        from stratagraph.project import Project
        from stratagraph.extraction import asking, plan, run
        from stratagraph.extraction.embedded.engine import EmbeddedExtractor
        asking._FLUSH_SECONDS = 0.05
        class Slow(EmbeddedExtractor):
            def extract(self, chunk, ontology):
                time.sleep(0.002)
                return super().extract(chunk, ontology)
        print("go", flush=True)
        run.extract(Project.load(sys.argv[1]), engine=Slow())
        print("done", flush=True)
        """
    )
    calls = []
    for delay in (0.3, 0.5, 0.7, 0.9):
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "stratagraph.yaml")], stdout=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        calls.append(_answered(bench))
    result = extract(bench.project)
    assert calls == sorted(calls)  # nothing that was kept is lost
    assert bench.rows("SELECT count(*), count(DISTINCT cache_key) FROM graph.llm_calls") == [(300, 300)]
    assert result.calls == 300 - calls[-1]
    assert len(bench.edges("worksFor")) == 300
    assert len(staged_batches(bench.project, "text")) == 1
    assert bench.rows("SELECT count(*), count(DISTINCT (chunk_id, ref, char_start)) FROM graph.mentions") == [(600, 600)]


def _answered(bench) -> int:
    """Distinct answers, in the warehouse or on their way to it."""
    keys = {bytes(row[0]) for row in bench.rows("SELECT cache_key FROM graph.llm_calls")}
    return len(keys | {bytes(key) for key in answered_keys(answer_files(bench.project))["cache_key"].to_pylist()})


def _everything(bench) -> list[list[tuple]]:
    tables = ("mentions", "llm_calls", "quarantine", "watermarks")
    return [bench.rows(f"SELECT * FROM graph.{table} ORDER BY ALL") for table in tables]
