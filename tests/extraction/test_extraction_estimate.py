"""What a run would cost is said before it does, and holds."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from openai_server import Reply, serve
from test_extraction_openai import good, make  # noqa: F401  (a fixture)

from stratagraph.cli.main import main
from stratagraph.extraction.estimate import estimate
from stratagraph.extraction.run import extract

TEXTS = [f"Person {n} joined Company {n} in 201{n}." for n in range(3)]


def test_an_estimate_asks_nothing_and_is_not_passed(make, monkeypatch):  # noqa: F811
    with serve(lambda text, nth: Reply(good(text), usage=None)) as endpoint:
        bench = make(endpoint, prices={"input": 1.0, "output": 4.0}, max_tokens_per_run=9000)
        bench.put("d1", [*TEXTS, "", " "])
        monkeypatch.delenv("OPENAI_API_KEY")  # not needed
        found = estimate(bench.project)
        assert endpoint.requests == []
        assert (found.chunks, found.most_answer_tokens, found.beyond) == (3, 3 * 4096, ("max_tokens_per_run",))
        assert found.prompt_cost == pytest.approx(found.prompt_tokens / 1e6)
        assert found.most_cost == pytest.approx((found.prompt_tokens + 4 * found.most_answer_tokens) / 1e6)
        shown = CliRunner().invoke(main, ["extract", "--dry-run", "--config", str(bench.project.root / "stratagraph.yaml")])
        assert "extraction.max_tokens_per_run" in shown.output
        monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
        extract(bench.project)
        sent = sum(len(json.dumps(request, ensure_ascii=False)) for request in endpoint.requests)
        assert sent / 4 < found.prompt_tokens < sent / 2
        assert estimate(bench.project).chunks == 0


def test_an_engine_that_costs_nothing(make_bench):
    bench = make_bench("{engine: embedded}")
    assert estimate(bench.project).chunks == 0
    bench.put("d1", TEXTS)
    found = estimate(bench.project)
    assert (found.chunks, found.prompt_tokens, found.most_cost) == (3, 0, None)
    shown = CliRunner().invoke(
        main, ["extract", "--dry-run", "--json", "--config", str(bench.project.root / "stratagraph.yaml")]
    )
    assert json.loads(shown.output)["chunks"] == 3


def test_each_source_is_estimated_and_then_the_stage_runs_alone(make_bench):
    bench = make_bench("{engine: embedded, prices: {input: 1.0, output: 1.0}}")
    bench.put("d1", TEXTS)
    extract(bench.project)
    bench.put("d2", ["Person 9 joined Company 9 in 2019."])
    bench.put("c1", [("Emily", "I enjoy painting."), ("Emily", " ")], source="chats")
    of = {name: (each.answered, each.chunks) for name, each in estimate(bench.project).sources.items()}
    assert of == {"chats": (0, 1), "press": (3, 1)}
    config = ["--config", str(bench.project.root / "stratagraph.yaml")]
    shown = CliRunner().invoke(main, ["extract", "--dry-run", *config])
    assert shown.exit_code == 0 and "chats" in shown.output
    done = CliRunner().invoke(main, ["extract", "--json", *config])
    assert json.loads(done.stdout)["calls"] == 2
    found = estimate(bench.project)
    assert (found.answered, found.chunks) == (5, 0)
    assert json.loads(CliRunner().invoke(main, ["extract", "--json", *config]).stdout)["changed"] == 0
