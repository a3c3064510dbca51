"""Quotes are found where they stand, in spite of spelling; what does not stand there is not found."""

from __future__ import annotations

import pytest

from stratagraph.extraction.ground import ground, occurrences

TEXT = "He said:  “Cafe\u0301 O’Brien\n opened—at last—in ﬁve towns.” 《小王子》是一本书。 A\u200bcme 👩‍👩‍👧 ended."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("He said", "He said"),
        ("Café O'Brien opened", "Cafe\u0301 O’Brien\n opened"),
        ('"café o\'brien   opened-at last"', "Cafe\u0301 O’Brien\n opened—at last"),
        ("five towns", "ﬁve towns"),
        ("小王子", "小王子"),
        ("Acme", "A\u200bcme"),
        ("👩‍👩‍👧 ended.", "👩‍👩‍👧 ended."),
        ("…in ﬁve towns…", "in ﬁve towns"),
        ("Café O'Brien closed", None),
        ("", None),
        ("   ", None),
        ("…", None),
    ],
)
def test_ground(quote, found):
    place = ground(TEXT, quote)
    assert (TEXT[slice(*place)] if place else None) == found


@pytest.mark.parametrize(
    ("text", "name", "places"),
    [
        ("Acme, Acmeville and Acme.", "Acme", ["Acme", "Acme"]),
        ("Niger is not Nigeria", "Niger", ["Niger"]),
        ("ACME grew", "Acme", ["ACME"]),
        ("Nigeria grew", "niger", []),
        ("我去了厦门，厦门很美", "厦门", ["厦门", "厦门"]),
        ("我喜欢Acme公司的Acme2", "Acme", ["Acme"]),
        ("C++ and C#", "C++", ["C++"]),
        ("nothing", "", []),
    ],
)
def test_occurrences(text, name, places):
    assert [text[start:end] for start, end in occurrences(text, name)] == places
