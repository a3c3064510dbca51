"""The Batch API against a real endpoint on loopback: whatever dies or breaks, nothing is paid twice and no answer is lost."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from openai_server import Endpoint, Reply, Request, serve, start
from test_extraction_openai import EX, KEY, good, make  # noqa: F401  (a fixture)

from stratagraph.config.model import ExtractionConfig
from stratagraph.errors import ExtractionError
from stratagraph.extraction.openai.batch import BatchExtractor
from stratagraph.extraction.openai.engine import OpenAIExtractor
from stratagraph.extraction.protocol import ChunkFailedError, ChunkInput, EngineUnavailableError
from stratagraph.extraction.run import extract

REPOSITORY = Path(__file__).parents[2]
REFERENCE = datetime(2020, 6, 15, tzinfo=UTC)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TEXTS = [f"Person {n} joined Company {n} in 201{n}." for n in range(6)]


def question(text: str) -> tuple[bytes, ChunkInput]:
    return text.encode().ljust(16)[-16:], ChunkInput(text, REFERENCE, "en")


class Side:
    """What a user has: a folder of batches, and answers that were kept. Each `run` is a run of its own."""

    def __init__(self, folder: Path, endpoint: Endpoint, ontology, texts=TEXTS, **more: object) -> None:
        self.folder, self.endpoint, self.ontology, self.more = folder / "batches", endpoint, ontology, more
        self.open = dict(question(text) for text in texts)
        self.kept: dict[str, object] = {}
        self.now = NOW
        self.usage: dict[str, object] = {}

    def run(self, **limits: int) -> list[str]:
        """What is said of the questions that are still open after it."""
        config = ExtractionConfig(
            **({"engine": "openai", "model": "scripted", "max_retries": 1, "answer_mode": "schema"} | self.more)
        )
        self.now += timedelta(hours=1)
        engine = OpenAIExtractor(KEY, self.endpoint.url, config, sleep=lambda seconds: None)
        batches = BatchExtractor(engine, self.folder, lambda: self.now, **limits)
        asked, unavailable = Counter(), []
        for key, outcome in batches.extract_all(list(self.open.items()), self.ontology):
            asked[key] += 1
            if isinstance(outcome, EngineUnavailableError):
                unavailable.append(str(outcome))
            else:
                self.kept[self.open.pop(key).text] = outcome
        assert set(asked.values()) <= {1}
        self.usage = batches.usage()
        return unavailable

    @property
    def records(self) -> list[Path]:
        return sorted(self.folder.glob("*"))


def faithful(request: Request) -> Reply:
    return Reply(good(request.text))


def all_is_right(side: Side) -> None:
    assert side.open == {}
    assert {text: [r.subject for r in found.relations] for text, found in side.kept.items()} == {
        text: [text.split(" joined")[0]] for text in TEXTS
    }
    assert sorted(side.endpoint.paid) == sorted(question(text)[0].hex() for text in TEXTS)


def test_one_run_sends_and_a_later_one_collects(tmp_path, demo_ontology):
    with start(faithful) as endpoint:
        side = Side(tmp_path, endpoint, demo_ontology)
        said = side.run()
        assert len(said) == len(TEXTS)
        assert all("is sent; run again later" in text for text in said)
        assert "is in_progress, 0 of 6 requests done; run again later" in side.run()[0]
        assert endpoint.requests == []
        endpoint.run_batches()
        written = "".join(path.read_text() for path in side.records)
        assert not any(secret in written for secret in (KEY, "Person 1", "Company"))
        assert side.run() == []
        all_is_right(side)
        assert (len(endpoint.batches), len(endpoint.requests)) == (1, 6)
        assert (side.usage["batch_requests"], side.usage["batch_answers"], side.usage["requests"]) == (0, 6, 0)
        assert next(iter(side.kept.values())).prompt_tokens == 100
        assert endpoint.keys == {f"Bearer {KEY}"}
        assert side.run() == []
        assert len(side.records) == 1
        side.now += timedelta(days=61)
        side.run()
        assert side.records == []


@pytest.mark.parametrize("limits", [{"most_requests": 4}, {"most_bytes": 16_000}, {"most_bytes": 1}])
def test_files_keep_to_the_limits(tmp_path, demo_ontology, limits):
    with start(faithful) as endpoint:
        side = Side(tmp_path, endpoint, demo_ontology)
        side.run(**limits)
        files = [endpoint.files[batch.input_file_id] for batch in endpoint.batches.values()]
        assert len(files) > 1
        for content in files:
            lines = content.splitlines()
            assert len(lines) == 1 or (
                len(lines) <= limits.get("most_requests", 9) and len(content) <= limits.get("most_bytes", 10**9)
            )
        endpoint.run_batches()
        side.run()
        all_is_right(side)


def test_what_expires_goes_into_the_next_batch(tmp_path, demo_ontology):
    with start(faithful) as endpoint:
        side = Side(tmp_path, endpoint, demo_ontology)
        side.run()
        endpoint.run_batches(most=4, status="expired")
        assert len(side.run()) == 2
        assert len(side.kept) == 4
        side.run()
        assert [batch.counts["total"] for batch in endpoint.batches.values()] == [6, 2]
        endpoint.run_batches()
        side.run()
        all_is_right(side)


def test_answers_that_were_not_kept_are_collected_again_without_paying(tmp_path, demo_ontology):
    with start(faithful) as endpoint:
        side = Side(tmp_path, endpoint, demo_ontology)
        side.run()
        endpoint.run_batches()
        before = dict(side.open)
        side.run()
        side.open, side.kept = before, {}  # a run that died before its answers were written
        side.run()
        all_is_right(side)


def test_a_batch_that_is_refused_costs_nothing_and_is_sent_anew(tmp_path, demo_ontology):
    with start(faithful) as endpoint:
        side = Side(tmp_path, endpoint, demo_ontology)
        side.run()
        for batch in endpoint.batches.values():
            batch.status, batch.errors = "failed", [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}]
        assert "failed: Enqueued token limit reached" in side.run()[0]
        side.run()
        endpoint.run_batches()
        side.run()
        all_is_right(side)


def test_single_answers_that_are_no_answers(tmp_path, demo_ontology):
    """Asked for again one by one; what nothing helps is given up, and the others are not lost."""
    first = {
        TEXTS[0]: Reply("boom", status=500),
        TEXTS[1]: Reply("no json"),
        TEXTS[2]: Reply(good(TEXTS[2])[:50], finish_reason="length"),
        TEXTS[3]: Reply("", refusal="no"),
        TEXTS[4]: Reply(raw='{"choices": []}'),
    }
    with start(
        lambda request: first[request.text] if request.text in first and request.nth == 1 else faithful(request)
    ) as endpoint:
        side = Side(tmp_path, endpoint, demo_ontology)
        side.run()
        endpoint.run_batches()
        output = next(batch.output_file_id for batch in endpoint.batches.values())
        endpoint.files[output] += 'no json\n{"custom_id": "of another"}\n[]\n' + endpoint.files[output].splitlines()[-1] + "\n"
        assert side.run() == []
        failed = side.kept.pop(TEXTS[3])
        assert isinstance(failed, ChunkFailedError) and failed.reason == "refused"
        assert {text: [r.subject for r in found.relations] for text, found in side.kept.items()} == {
            text: [text.split(" joined")[0]] for text in TEXTS if text != TEXTS[3]
        }
        assert len(endpoint.requests) == 6 + 4


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("point", ["POST /v1/files", "POST /v1/batches", "GET /v1/batches/", "GET /v1/files/"])
def test_a_connection_that_breaks_anywhere(tmp_path, demo_ontology, point, when):
    broken = Counter()

    def fault(method: str, path: str) -> str | None:
        hit = f"{method} {path}".startswith(point) and broken[point] < 2  # longer than it is tried
        broken[point] += hit
        return when if hit else None

    with start(faithful) as endpoint:
        endpoint.batches |= {f"batch-of-others-{n}": _others(n) for n in range(5)}  # so that there are several pages
        endpoint.fault = fault
        side = Side(tmp_path, endpoint, demo_ontology)
        for _ in range(6):
            side.run()
            endpoint.run_batches()
        assert broken[point] >= 1
        all_is_right(side)


def _others(n: int):
    from openai_server import Batch

    return Batch(f"batch-of-others-{n}", "file-none", {}, status="completed")


@pytest.mark.parametrize(
    ("point", "page"),
    [
        ("POST /v1/files", "{}"),
        ("POST /v1/batches", "<html>log in</html>"),
        ("GET /v1/batches/", "null"),
        ("GET /v1/files/", "<html>log in</html>"),
    ],
)
def test_a_page_instead_of_an_answer(tmp_path, demo_ontology, point, page):
    """Of a proxy, say; whether the request behind it took effect, nobody knows."""
    with start(faithful) as endpoint:
        endpoint.page = lambda method, path: page if f"{method} {path}".startswith(point) else None
        side = Side(tmp_path, endpoint, demo_ontology)
        side.run()
        endpoint.run_batches()
        # A batch whose start was answered so is looked for and found.
        assert len(side.run()) == (0 if point == "POST /v1/batches" else 6)
        endpoint.page = lambda method, path: None
        for _ in range(3):
            endpoint.run_batches()
            side.run()
        all_is_right(side)
        assert len(endpoint.batches) == 1


def test_a_batch_that_the_endpoint_does_not_know_is_not_paid_for_again_by_itself(tmp_path, demo_ontology):
    with start(faithful) as endpoint:
        side = Side(tmp_path, endpoint, demo_ontology)
        side.run()
        endpoint.batches.clear()
        said = side.run()[0]
        [record] = side.records
        assert "404" in said and str(record) in said
        record.unlink()
        side.run()
        endpoint.run_batches()
        side.run()
        all_is_right(side)


def test_a_damaged_record_is_said(tmp_path, demo_ontology):
    with start(faithful) as endpoint:
        side = Side(tmp_path, endpoint, demo_ontology)
        side.run()
        [record] = side.records
        record.write_text(record.read_text()[:-20])
        with pytest.raises(ExtractionError, match="cannot be read") as error:
            side.run()
        assert str(record) in str(error.value)


def test_the_ceilings_hold_for_what_is_sent(tmp_path, demo_ontology):
    with start(faithful) as endpoint:
        engine = OpenAIExtractor(KEY, endpoint.url, ExtractionConfig(answer_mode="schema"))
        request = engine.request(question(TEXTS[0])[1], engine.vocabulary_of(demo_ontology))
        room = int(engine.most(request).tokens * 3.5)
        side = Side(tmp_path, endpoint, demo_ontology, max_tokens_per_run=room)
        said = side.run()
        assert [batch.counts["total"] for batch in endpoint.batches.values()] == [3]
        assert sum(f"ceiling of {room:,} tokens" in text for text in said) == 3
        for _ in range(4):
            endpoint.run_batches()
            side.run()
        all_is_right(side)


def test_what_the_endpoint_takes_is_learnt_from_the_first_chunk(tmp_path, demo_ontology):
    def respond(request: Request) -> Reply:
        return Reply("no response_format", status=400) if request.mode == "json_schema" else faithful(request)

    with start(respond) as endpoint:
        side = Side(tmp_path, endpoint, demo_ontology, answer_mode="auto")
        assert len(side.run()) == 5
        assert len(endpoint.requests) == 2
        endpoint.run_batches()
        side.run()
        assert len(side.kept) == 6
        assert [Request(body, "", 1).mode for body in endpoint.requests] == ["json_schema", *["json_object"] * 6]
    with start(lambda request: Reply("bad key", status=401)) as endpoint:
        side = Side(tmp_path / "other", endpoint, demo_ontology, answer_mode="auto")
        assert len(side.run()) == 6
        assert endpoint.batches == {}


def test_in_the_whole_stage(make):  # noqa: F811
    with serve(lambda text, nth: Reply(good(text))) as endpoint:
        bench = make(endpoint, batch=True, answer_mode="json")
        bench.put("d1", TEXTS)
        with pytest.raises(ExtractionError, match=r"6 of 6 chunks have no answer: batch batch-\d+ is sent"):
            extract(bench.project)
        endpoint.run_batches()
        result = extract(bench.project)
        assert result.asked.calls == 6
        assert result.metadata()["batch_answers"] == 6
        assert len(bench.edges("worksFor")) == 6
        assert extract(bench.project).changed is False
        assert len(endpoint.requests) == 6


CHILD = """
import pickle, sys
from pathlib import Path
sys.path[:0] = {paths}
from openai_server import Endpoint
from test_extraction_openai_batch import Side
folder = Path({folder!r})
Side(folder, Endpoint({url!r}, None), pickle.loads((folder / "ontology").read_bytes())).run()
"""


@pytest.mark.parametrize(
    ("point", "when"),
    [
        ("POST /v1/batches", "after"),
        *(
            pytest.param(point, when, marks=pytest.mark.slow)
            for point, when in [
                ("POST /v1/files", "before"),
                ("POST /v1/files", "after"),
                ("POST /v1/batches", "before"),
                ("GET /v1/batches/", "after"),
                ("GET /v1/files/", "after"),
            ]
        ),
    ],
)
def test_a_process_that_is_killed_anywhere(tmp_path, demo_ontology, point, when):
    """SIGKILL when a request arrives, before or after it took effect; a later run pays for nothing twice."""
    with start(faithful) as endpoint:
        source = CHILD.format(paths=[*sys.path], folder=str(tmp_path), url=endpoint.url)
        (tmp_path / "ontology").write_bytes(pickle.dumps(demo_ontology))
        side = Side(tmp_path, endpoint, demo_ontology)
        if point.startswith("GET"):
            side.run()
            endpoint.run_batches()
        child: list[subprocess.Popen[bytes]] = []

        def kill() -> None:
            os.kill(child[0].pid, signal.SIGKILL)

        def fault(method: str, path: str) -> str | None:
            if not f"{method} {path}".startswith(point):
                return None
            if when == "before":
                kill()
            return when

        endpoint.fault, endpoint.after = fault, kill
        child.append(subprocess.Popen([sys.executable, "-c", source], cwd=REPOSITORY))
        assert child[0].wait(100) == -signal.SIGKILL
        endpoint.fault = lambda method, path: None
        for _ in range(3):
            side.run()
            endpoint.run_batches()
        all_is_right(side)
        assert len(endpoint.batches) == 1
