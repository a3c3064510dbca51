"""The benchmark of text: its corpus is made the same way each time, and a tiny run measures everything."""

from __future__ import annotations

import json
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks import episodes  # noqa: E402
from benchmarks.episodic import endpoint  # noqa: E402
from benchmarks.episodic.corpus import make_corpus  # noqa: E402


def test_a_corpus_is_a_function_of_its_size() -> None:
    corpus = make_corpus(200)
    assert corpus == make_corpus(200)
    assert len(corpus.episodes) == len({each["id"] for each in corpus.episodes}) == 200
    assert len(corpus.queries) == 100
    times = [each["ref_time"] for each in corpus.episodes]
    assert 2 <= sum(later < earlier for earlier, later in pairwise(times)) <= 30  # late arrivals
    told = [re.search(r"(moved from|works at)", each["text"]) for each in corpus.episodes]
    assert all(told)
    assert 150 < corpus.facts < 200


def test_the_scripted_model_says_all_that_a_note_says() -> None:
    said = endpoint.answer("Ann Aldous moved from Delta Foods to Iris Optics in May 2016. Iris Optics is based in Cork.")
    assert [(each["subject"], each["predicate"], each["object"], each["valid_from"]) for each in said["relations"]] == [
        ("Ann Aldous", "worksFor", "Iris Optics", "May 2016"),
        ("Iris Optics", "basedIn", "Cork", None),
    ]
    assert {each["name"] for each in said["entities"]} == {"Ann Aldous", "Iris Optics", "Cork"}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["embedded", "openai"])
def test_a_tiny_run_measures_everything(capsys: pytest.CaptureFixture[str], engine: str) -> None:
    assert episodes.main(["--sizes", "24", "--engine", engine, "--json"]) == 0
    (figures,) = json.loads(capsys.readouterr().out)["figures"]
    assert (figures["calls_per_chunk"], figures["calls_again"], figures["right"]) == (1.0, 0, [100, 100])
    assert figures["facts"][0] == figures["facts"][1]
    assert figures["extraction to belief"] > 0
    assert (figures["message_characters"] > 500) == (engine == "openai")
