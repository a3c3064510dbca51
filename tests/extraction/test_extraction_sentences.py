"""Where a sentence ends, and of whom it speaks: what a reader would not say is not read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stratagraph.extraction.embedded.engine import EmbeddedExtractor
from stratagraph.extraction.protocol import ChunkInput
from stratagraph.extraction.tokens import sentences

REFERENCE = datetime(2020, 6, 15, tzinfo=UTC)


def read(ontology, text):
    found = EmbeddedExtractor().extract(ChunkInput(text, REFERENCE), ontology)
    return [(r.subject, r.predicate.rpartition("#")[2], r.object, (r.valid_from or "")[:10]) for r in found.relations]


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("In 2020 Bob joined Globex Inc. Ann Smith met Carl Weber.",
         [("Bob", "worksFor", "Globex Inc", "2020-01-01"), ("Ann Smith", "met", "Carl Weber", "")]),
        ("Ann works for Acme Corp. Bob works for Initech Ltd. Both are happy.",
         [("Ann", "worksFor", "Acme Corp", ""), ("Bob", "worksFor", "Initech Ltd", "")]),
        ("Ann joined Globex Co. Ltd. Bob met Carl Weber.",
         [("Ann", "worksFor", "Globex Co. Ltd", ""), ("Bob", "met", "Carl Weber", "")]),
        ("Ann met Bob Jones Jr. Carl Weber joined Globex.",
         [("Ann", "met", "Bob Jones Jr", ""), ("Carl Weber", "worksFor", "Globex", "")]),
        ("Ann works for Globex on Fifth Ave. Bob works for Acme.",
         [("Ann", "worksFor", "Globex", ""), ("Bob", "worksFor", "Acme", "")]),
        ("Ann joined Globex on Jan. 5, 2020. Bob met Carl Weber.",
         [("Ann", "worksFor", "Globex", "2020-01-05"), ("Bob", "met", "Carl Weber", "")]),
        ("Ann met Bob in Jan. Carl Weber joined Acme.",
         [("Ann", "met", "Bob", "2020-01-01"), ("Carl Weber", "worksFor", "Acme", "")]),
        ("Ann left Globex Inc. in 2019 and Bob joined Initech.",
         [("Ann", "worksFor", "Globex Inc", "2019-01-01"), ("Bob", "worksFor", "Initech", "")]),
        ("J. K. Rowling met George W. Bush.", [("J. K. Rowling", "met", "George W. Bush", "")]),
        ("J.K. Rowling met Ann.", [("J.K. Rowling", "met", "Ann", "")]),
        ("Ann joined St. Mary Hospital.", [("Ann", "worksFor", "St. Mary Hospital", "")]),
        ("I.B.M. hired Ann Smith.", [("I.B.M.", "employs", "Ann Smith", "")]),
    ],
)  # fmt: skip
def test_a_name_ends_with_its_sentence(demo_ontology, text, relations):
    assert read(demo_ontology, text) == relations


@pytest.mark.parametrize(
    "text",
    [
        "Ann works for the U.S. Army.", "Ann moved to the U.S. Bob Jones joined it.",
        "The degree is from M.I.T. Bob Jones joined Acme.",
        "This was Plan B. Bob Jones joined Acme.", "He lives on Main St. Bob Jones joined Acme.",
    ],
)  # fmt: skip
def test_where_a_stop_may_end_a_sentence_or_not_no_name_is_made_up(demo_ontology, text):
    assert read(demo_ontology, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The friend of Ann Smith joined Globex.", "A man from Acme met Bob Jones.", "Nobody at Globex met Ann Smith.",
        "Ann Smith or Bob Jones joined Globex.", "Ann Smith joined Globex or Initech.", "Ann joined Globex, Acme, or Initech.",
        "Neither Ann Smith nor Bob Jones joined Globex.", "Ann Smith joined neither Globex nor Initech.",
        "Had Ann Smith joined Globex, she would be rich.", "False: Ann Smith joined Globex.",
        "It is false that Ann Smith joined Globex.", "I doubt Ann Smith joined Globex.", "Bob thinks Ann Smith joined Globex.",
        "It is wrong that Ann Smith joined Globex.",
    ],
)  # fmt: skip
def test_who_is_not_the_subject_and_what_is_one_of_several_is_not_read(demo_ontology, text):
    assert read(demo_ontology, text) == []


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("According to Ann Smith, Bob joined Globex.", [("Bob", "worksFor", "Globex", "")]),
        ("Thanks to the hiring of Ann Smith, who joined Globex in 2019, all is well.",
         [("Ann Smith", "worksFor", "Globex", "2019-01-01")]),
        ("Dear Ann Smith joined Globex.", [("Ann Smith", "worksFor", "Globex", "")]),
        ("From 2010 to 2014 Ann worked at Acme.", [("Ann", "worksFor", "Acme", "2010-01-01")]),
    ],
)  # fmt: skip
def test_what_stands_before_a_subject_may_be_harmless(demo_ontology, text, relations):
    assert read(demo_ontology, text) == relations


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("He met Mr. Bob. She left.", 2), ("At 5 p.m. Ann left.", 2), ("See No. 6.", 1),
        ("Ann, Bob etc. Carl left.", 2),
        ("Ann, Bob etc. left.", 1), ("Acme Inc.\nAnn left.", 2), ("Acme Inc. “Ann left.”", 2), ("e.g. Ann", 1),
        ("Inc.", 1), ("", 0),
    ],
)  # fmt: skip
def test_sentences(text, count):
    assert len(sentences(text)) == count
