"""Quotes are found where they stand, in spite of spelling; what does not stand there is not found."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
        (".", None),
        ("\u200b", None),
        ("ive towns", None),
        ("Cafe", None),
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
        ("the bus", "US", []),
        ("they asked us and whoever", "US", []),
        ("the U.S. and the US", "US", ["US"]),
        ("who knows the WHO", "WHO", ["WHO"]),
        ("who knows", "who", ["who"]),
        ("Version 3.5 and 3", "Version 3", []),
        ("İstanbul, istanbul", "ISTANBUL", ["istanbul"]),
        ("Ra\u0301o and Rao", "Rao", ["Rao"]),
    ],
)
def test_occurrences(text, name, places):
    assert [text[start:end] for start, end in occurrences(text, name)] == places


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("joined\r\n\tAcme  in\u00a02019", "joined Acme in 2019", "joined\r\n\tAcme  in\u00a02019"),
        ("the exam\u00adple of an ex\u00ad\nample", "example of an example", "exam\u00adple of an ex\u00ad\nample"),
        ("我去了\n厦门 大学。", "我去了厦门大学", "我去了\n厦门 大学"),
        ("在 Acme 公司", "在Acme公司", "在 Acme 公司"),
        ("ﾊﾞｽに乗る", "バスに", "ﾊﾞｽに"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8 사람", "한국 사람", "\u1112\u1161\u11ab\u1100\u116e\u11a8 사람"),
        ("ＡＣＭＥ ｉｎ Straße", "acme in strasse", "ＡＣＭＥ ｉｎ Straße"),
        ("it is 3.5 km", "3", None),
        ("it is 13 km or 3 km", "3", "3"),
        ("a 17km run", "7", None),
        ("Nigeria", "Niger", None),
        ("contact him", "contract", None),
        ("evil\u202egnp.exe\u202c file", "exe.png", None),
        ("evil\u202egnp.exe\u202c file", "evilgnp.exe file", "evil\u202egnp.exe\u202c file"),
        ("Ali\x00ce met Bob", "Alice met Bob", None),
        ("Ali\x00ce met Bob", "Ali\x00ce met", "Ali\x00ce met"),
        ("Al\ud800ice", "Alice", None),
        ("a\ud83d", "\ud83d\ude00", None),
    ],
)
def test_spellings_of_text_are_seen_through_and_nothing_is_found_that_is_not_there(text, quote, found):
    place = ground(text, quote)
    assert (text[slice(*place)] if place else None) == found


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=40), st.text(max_size=8), st.integers(0, 40), st.integers(1, 12))
def test_what_is_found_says_the_same_and_what_stands_there_is_found(text, other, start, length):
    for quote in (other, text[start : start + length]):
        place = ground(text, quote)
        if place is not None:
            assert 0 <= place[0] < place[1] <= len(text)
            assert _letters(text[slice(*place)]) == _letters(quote)
    words = text.split()
    if words and any(character.isalnum() for character in words[0]):
        assert ground(text, words[0]) is not None


def _letters(text: str) -> str:
    """What is compared whatever the spelling: letters and digits, in Unicode's own normal form."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(character for character in folded if character.isalnum())


@pytest.mark.parametrize("text", ["Alice met Bob. ", "a", "我们去了\n", "e" + "\u0301\u0323" * 50, "\x00\ud800\u202e"])
def test_a_large_text_is_read_once_for_all_quotes(text):
    text = text * (250_000 // len(text))
    started = time.process_time()
    for number in range(100):
        assert ground(text, f"carol {number} said") is None
    assert time.process_time() - started < 10  # read again for each quote, it would be a minute
