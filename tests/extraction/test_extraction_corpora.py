"""The answer keys of the press notes: what is extracted as employment is exactly what the notes say."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import pytest

from stratagraph.extraction.run import extract
from stratagraph.identity.names import normalise_name

REPOSITORY = Path(__file__).parents[2]
PLACES = {
    "corpus50": [
        REPOSITORY / "examples/demo/press-notes/corpus50.json",
        REPOSITORY.parent / "shared/data/changing_facts/corpus50.json",
    ],
    "corpus200": [REPOSITORY.parent / "shared/data/changing_facts/corpus200.json"],
}


def _ref(kind: str, name: str) -> str:
    return f"name/{kind}/{quote(normalise_name(name))}"


@pytest.mark.parametrize("corpus", sorted(PLACES))
def test_employment_equals_the_answer_key(bench, corpus):
    file = next((place for place in PLACES[corpus] if place.exists()), None)
    if file is None:
        pytest.skip(f"{corpus}.json is neither among the examples nor in ../shared/data/changing_facts")
    data = json.loads(file.read_text(encoding="utf-8"))
    bench.put_many(
        [(episode["id"], episode["text"], datetime.fromisoformat(episode["ref_time"])) for episode in data["episodes"]]
    )
    result = extract(bench.project)
    gold = {
        (start, _ref("Person", person), _ref("Organization", employer))
        for person, jobs in data["history"].items()
        for start, employer in jobs
    }
    assert bench.edges("worksFor") == gold
    assert result.calls == len(data["episodes"])
    assert result.quarantined == 0
    again = extract(bench.project)
    assert not again.changed
    assert again.calls == 0
