"""What reading costs: CPU time grows with the text, whatever the text is. Ratios, since machines differ."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from stratagraph.extraction.embedded.engine import EmbeddedExtractor
from stratagraph.extraction.protocol import ChunkInput

REFERENCE = datetime(2020, 6, 15, tzinfo=UTC)
TEXTS = {
    "one token": "word ", "one letter": "a", "no spaces": "Ann", "names": "Ann Smith ", "cues": "joined ", "be": "is ",
    "owners": "Ann's birthday ", "commas": "Ann, ", "quotes": '"Ann ', "brackets": "Ann (", "chinese": "王峰喜欢",
    "suffixes": "公司",
    "or": "Ann or ", "pronouns": "She ", "sentences": "Ann Smith joined Acme in 2019. ", "lines": "Ann\n", "negations": "not ",
    "articles": "Ann, a ", "numbers": "12 ", "dates": "in 2019 ", "apostrophes": "'s ",
}  # fmt: skip


@pytest.mark.parametrize("piece", list(TEXTS.values()), ids=list(TEXTS))
def test_eight_times_the_text_costs_about_eight_times_the_work(demo_ontology, piece):
    engine = EmbeddedExtractor()

    def seconds(length):
        chunk = ChunkInput((piece * (length // len(piece) + 1))[:length], REFERENCE, speaker="Emily")
        started = time.process_time()
        engine.extract(chunk, demo_ontology)
        return time.process_time() - started

    seconds(500)
    small = min(seconds(1500) for _ in range(3))
    assert seconds(12_000) < 24 * max(small, 0.002)


@pytest.mark.slow
def test_a_megabyte_of_one_token(demo_ontology):
    started = time.process_time()
    found = EmbeddedExtractor().extract(ChunkInput("Ann " * 250_000, REFERENCE), demo_ontology)
    assert found.relations == ()
    assert time.process_time() - started < 60
