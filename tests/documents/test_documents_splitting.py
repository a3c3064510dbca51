"""Where texts are cut: slices, limits, sentences, structure, words, hostile input, real text."""

from __future__ import annotations

import json
import random
import re
import time
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagraph.documents.sentences import SENTENCE, sentence_ends
from stratagraph.documents.splitting import Limit, Splitter
from stratagraph.documents.tokens import count_tokens, token_starts

SHARED = Path(__file__).parents[3] / "shared/data"
SENTENCES = {
    "en": [
        "Dr. Smith left at 5.30 p.m. on Tuesday.",
        "Was it J. R. Hall, i.e. the elder?",
        '"Why?" she asked him.',
        "It cost $3.50!",
    ],
    "de": ["Am 3. Oktober kam Hr. Weber, z. B. mit der Bahn.", "„Ist das wahr?“", "Das gilt ggf. auch für Nr. 7."],
    "fr": ["M. Petit habite à St. Malo.", "« Où allez-vous ? »", "Il est parti hier !"],
    "es": ["La Sra. Gil vive aquí.", "¿Dónde está?", "¡Qué bien!"],
    "ru": ["Он родился в г. Москва в 1990 г. и живёт там.", "Где он?", "И. И. Иванов ушёл."],
    "el": ["Πού πας;", "Πήγε στην Αθήνα χθες."],
    "zh": ["北京大学成立于1898年，是中国的大学。", "你去过吗？", "他说：“我去过，很美。”", "价格是3.50元！"],
    "ja": [
        "昨日は東京で友達に会いました。",
        "「はい。」と彼は言った。",
        "「行くぞ。君は残れ。」と父が言った。",
        "本当ですか？",
    ],
    "ko": ["그는 어제 서울에 갔다.", "정말입니까?", "날씨가 좋다!"],
    "ar": ["ذهب الرجل إلى السوق.", "هل هذا صحيح؟", "نعم!"],
    "hi": ["वह कल दिल्ली गया।", "क्या यह सच है?", "बहुत अच्छा!"],
    "th": ["วันนี้อากาศดีมาก", "เราไปเที่ยวทะเลกันเถอะ", "ฉันชอบกินข้าวผัดกุ้ง"],
    "km": ["ខ្ញុំទៅផ្សារ។", "គាត់មកពីភ្នំពេញ។"],
    "am": ["ወደ ቤት ሄደ።", "እሱ ተማሪ ነው።"],
}
UNSPACED = ("zh", "ja", "km", "am")
FRAGMENTS = [
    *(sentence for group in SENTENCES.values() for sentence in group),
    "\n\n", "\n", " ", "   ",
    "\t", "\f", "\u2028", "\u3000", "# Head\n", "## 第二节\n\n", "- item\n", "  - nested\n", "1. one\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n", "```\ncode\n\nmore\n```\n", "~~~", "> quote\n", "---\n", "===\n",
    "👩‍👩‍👧‍👦", "🇨🇭🇩🇪", "👍🏽", "e\u0301", "Z̴͈̈a̵l̸g̷o",
    "\u200d", "\u200b", "\ufeff", "กำ", "각", "নি", "x" * 40, "https://example.org/a/b?c=d&e=f",
    "\U00020000", ",", "，", "。", ".", "「", "」",
]  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=12)), max_size=40).map("".join)


def glued(text: str, at: int) -> bool:
    """Whether the character at a place is part of what a reader sees as the character before it."""
    mark, before = text[at], text[at - 1]
    extends = unicodedata.category(mark) in ("Mn", "Me") or mark == "\u200d" or "🏻" <= mark <= "🏿"
    return extends and not before.isspace() and unicodedata.category(before) not in ("Cc", "Cf", "Zl", "Zp")


def check(text: str, limit: Limit, markdown: bool) -> list[str]:
    """The chunks, once all that must hold of them does."""
    spans = list(Splitter(text, limit, markdown).chunks())
    last = 0
    for start, end in spans:
        assert last <= start < end <= len(text)
        assert not text[last:start].strip(), "something was left out"
        assert not text[start].isspace() and not text[end - 1].isspace()
        assert end - start <= limit.characters
        if limit.tokens:
            assert count_tokens(text[start:end]) <= limit.tokens
        last = end
    assert not text[last:].strip()
    again = list(Splitter(text, limit, markdown).chunks())
    assert len(spans) == len(again) and all(map(tuple.__eq__, spans, again))
    return [text[start:end] for start, end in spans]


@settings(max_examples=150, deadline=None)
@given(texts, st.integers(10, 300), st.booleans())
def test_chunks_are_slices_in_order_that_leave_out_nothing_but_white_space(text: str, limit: int, markdown: bool) -> None:
    check(text, Limit(limit), markdown)


@settings(max_examples=40, deadline=None)
@given(texts, st.integers(8, 60), st.booleans())
def test_no_chunk_has_more_tokens_than_it_may(text: str, limit: int, markdown: bool) -> None:
    check(text, Limit(400, limit), markdown)


@settings(max_examples=100, deadline=None)
@given(texts, st.booleans())
def test_no_chunk_starts_inside_what_a_reader_sees_as_one_character(text: str, markdown: bool) -> None:
    ends = [(start, end) for start, end in Splitter(text, Limit(120), markdown).chunks()]
    for (_, end), (start, _) in pairwise(ends):
        assert end != start or not glued(text, start), (text[start - 5 : start], text[start : start + 5])


@pytest.mark.parametrize("language", SENTENCES)
def test_every_cut_is_the_end_of_a_sentence(language: str) -> None:
    """Any order of sentences, any limit that the longest of them fits into."""
    known, order = SENTENCES[language], random.Random(language)
    said = [order.choice(known) for _ in range(120)]
    text = ("" if language in UNSPACED else " ").join(said)
    for limit in (max(map(len, known)), 80, 200):
        chunks = check(text, Limit(limit), markdown=False)
        assert len(chunks) > 3
        rest = list(said)
        for chunk in chunks:
            while chunk:
                assert chunk.startswith(rest[0]), (chunk, rest[0])
                chunk = chunk[len(rest.pop(0)) :].strip()
        assert not rest


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("Inc. of Acme Corp. and others went on.", []),
        ("He lives in the U.S. Ann came.", []),
        ("See Fig. 3 and pp. 4. Then go.", [21]),
        ("He paid 3.50. Then he left...and came. OK", [13, 38]),
        ("Version 2.0 is out. It works.", [19]),
        ("He said “go.” Then “no.” They went", [13, 24]),
        ("他说：“走吧。”她走了！好", [8, 12]),
        ("到3．5元。好。“开”", [6, 8]),
        ("「行くぞ。君は残れ。」と父が言った。本当", [18]),
        ("plan B. Then", []),
        ("1. First point. 2. Second", [15]),
        ("See you (tomorrow.) Bye.", [19]),
        ("* Bold.** Then", [9]),
        ("Ça va ? Oui ! Bien", [7, 13]),
    ],
)
def test_sure_ends_of_sentences(text: str, sure: list[int]) -> None:
    assert [at for at, strength in sentence_ends(text, 0, len(text)) if strength == SENTENCE and at < len(text)] == sure


def test_thai_and_japanese_words_are_not_cut() -> None:
    """Without spaces and stops: every cut is the end of a word of a dictionary."""
    thai = ["ประเทศไทย", "นักเรียน", "โรงเรียน", "กินข้าว", "ตลาด", "รถไฟ", "หนังสือ", "มหาวิทยาลัย"]
    order = random.Random(7)
    words = [order.choice(thai) for _ in range(400)]
    text = "".join(words)
    ends = {0}
    for word in words:
        ends.add(max(ends) + len(word))
    inner = {"ประเทศไทย": [6], "กินข้าว": [3], "รถไฟ": [2], "นักเรียน": [3], "โรงเรียน": [4], "มหาวิทยาลัย": [3]}  # compounds
    place = 0
    for word in words:
        ends |= {place + at for at in inner.get(word, [])}
        place += len(word)
    cuts = [end for _, end in Splitter(text, Limit(61)).chunks()]
    assert len(cuts) > 40 and sum(cut in ends for cut in cuts) >= 0.95 * len(cuts)


def test_a_sentence_that_is_too_long_is_cut_at_a_comma_or_between_words() -> None:
    long = ", ".join(f"Clause number {number} of a sentence" for number in range(40)) + "."
    chunks = check(f"Short one. {long} And the end.", Limit(120), markdown=False)
    assert chunks[0] == "Short one." and all(chunk.endswith((",", ".")) for chunk in chunks)
    chunks = check("never a stop or comma in all these words " * 40, Limit(100), markdown=False)
    assert {word for chunk in chunks for word in chunk.split()} == {
        "never",
        "a",
        "stop",
        "or",
        "comma",
        "in",
        "all",
        "these",
        "words",
    }


def test_lines_that_are_wrapped_go_on_and_others_end() -> None:
    wrapped = (
        "The committee that was set up in the spring of that year met twice in\n"
        "Paris and once in London, where it agreed on a text that all of its\nmembers could sign. "
    ) * 5
    assert not any(chunk.endswith(("in", "its")) for chunk in check(wrapped, Limit(200), markdown=False))
    lines = "\n".join(f"Name {number}: value without a stop" for number in range(50))
    assert all(chunk.endswith("stop") for chunk in check(lines, Limit(100), markdown=False))


def test_a_heading_stays_with_what_it_heads() -> None:
    order = random.Random(3)
    body = "A sentence of the section. "
    text = "".join(f"{'#' * order.randint(1, 4)} Heading {n}\n\n{body * order.randint(1, 30)}\n\n" for n in range(60))
    text += "Underlined\n==========\n\n" + body * 50
    for limit in (100, 300, 1200):
        for chunk in check(text, Limit(limit), markdown=True):
            assert not re.match(r"#+ Heading \d+$|Underlined|=+$", chunk.splitlines()[-1]), chunk
    titled = ("A title by itself\n\n" + "Words of the paragraph below it go on for a while here. " * 4 + "\n\n") * 20
    assert not any(chunk.endswith("itself") for chunk in check(titled, Limit(300), markdown=False))


def test_a_heading_before_a_sentence_that_fits_into_no_chunk_is_kept_with_its_start() -> None:
    chunks = check("# Head\n\n" + "word " * 100 + ".", Limit(100), markdown=True)
    assert chunks[0].startswith("# Head\n\nword")


def test_the_first_line_of_a_page_is_read_as_any_other() -> None:
    page = "\f## Head of a page\n\nA sentence on the page. And another one.\n\n| a | b |\n|---|---|\n\f| 1. Yes | 2. No |\n\n"
    for limit in (45, 60, 100, 130):
        for chunk in check(page * 20, Limit(limit), markdown=True):
            assert not chunk.endswith(("page", "1.", "2.")), chunk


def test_rows_items_and_code_are_whole() -> None:
    row = "| cell one. And more | cell two! It goes on |"
    table = "| A. b | C. d |\n|---|---|\n" + (row + "\n") * 30
    items = "".join(f"- Item {n}. It has two sentences.\n  It goes on here. Yes.\n  - nested. Also two.\n" for n in range(30))
    code = "```python\nx = 1. \n\n\ny = 'A. B'\n# - no item\n```\n"
    text = f"Intro. Words:\n\n{table}\n\nMore. Words.\n\n{items}\n" + f"Text. Here.\n\n{code}\n" * 12
    for limit in (120, 250, 600):
        for chunk in check(text, Limit(limit), markdown=True):
            assert chunk.count("```") % 2 == 0, chunk
            for line in chunk.splitlines():
                assert "cell" not in line or line == row
            assert chunk.count("It goes on here. Yes.") == chunk.count("- Item") == chunk.count("- nested"), chunk
            assert chunk.splitlines()[0] != "|---|---|" and chunk.splitlines()[-1] not in ("|---|---|", "| A. b | C. d |")


def test_units_that_are_too_long_are_cut_at_their_own_seams() -> None:
    code = "```\n" + "".join(f"line {n} = {n}\n" + ("\n" if n % 7 == 6 else "") for n in range(70)) + "```"
    lines = {line for line in code.splitlines() if line}
    chunks = check(code, Limit(150), markdown=True)
    assert all(line in lines for chunk in chunks for line in chunk.splitlines() if line)
    assert "line" in chunks[0] and "line" in chunks[-1]  # no fence by itself
    item = "- Outer:\n" + "".join(f"  - Inner {n}. Two sentences.\n    More of it.\n" for n in range(30))
    assert all(chunk.count("Inner") == chunk.count("More of it.") for chunk in check(item, Limit(200), markdown=True))
    row = "| " + " | ".join(f"cell {n}" for n in range(60)) + " |"
    assert all(chunk.endswith("|") for chunk in check(f"| a |\n|---|\n{row}\n", Limit(100), markdown=True)[1:])
    nested = "- " + "A sentence in an item. " * 30 + "\n\n  A second paragraph. It goes on.\n\n  ```\n  code. Here\n  ```\n"
    assert all(chunk.endswith((".", "```")) for chunk in check(nested, Limit(120), markdown=True))


def test_markup_in_code_is_no_markup() -> None:
    text = "Before.\n\n```\n# no heading\n\n- no item\n\n| no | table |\n```\n\nAfter."
    assert check(text, Limit(len(text) - 17), markdown=True) == ["Before.", text[9:-8], "After."]


def test_an_edit_leaves_the_chunks_of_other_sections_as_they_are() -> None:
    body = "A sentence of the section that has some words. "
    sections = [f"## Section {n}\n\n" + body * (8 + n % 9) for n in range(40)]
    before = check("\n\n".join(sections), Limit(600), markdown=True)
    sections[3] = sections[3].replace("words", "other words")
    after = check("\n\n".join(sections), Limit(600), markdown=True)
    assert len(set(after) - set(before)) <= 4


def test_token_counts_are_those_of_the_slices_to_within_a_few() -> None:
    text = "The committee met. 委员会开会了。 วันนี้อากาศดีมาก 👩‍👩‍👧‍👦 " * 2000
    starts = token_starts(text)
    assert len(starts) == len(text) + 1
    for start, end in ((0, 500), (19_900, 20_300), (50_001, 60_000)):
        assert abs(int(starts[end] - starts[start]) - count_tokens(text[start:end])) <= 5


HOSTILE = {
    "one token": "x", "new lines": "\n", "short lines": "a\n", "combining marks": "\u0301",
    "families": "👩‍👩‍👧‍👦", "flags": "🇨🇭", "stops": ".", "stops and spaces": ". ", "spaces": " ",
    "backticks": "`", "fences": "```\n", "fence lines": "~~~\n\na\n", "items": "- a\n", "bars": "|",
    "tables": "|a|b|\n|-|-|\n", "Thai": "ประเทศไทย", "Thai phrases": "ก ", "no stop": "北京大学", "quotes": "「",
    "headings": "# a\n", "arrows": "> ", "closers": ".)", "underlines": "a\n=\n", "quoted": "。」",
    "blank marks": " \u0301", "commas": ",\u0301 ", "brackets": ".[", "rules": "- ", "stars": "*",
    "joiners": "\u200d", "abbreviations": "U.S. A", "tabs": "\t- a\n",
}  # fmt: skip


@pytest.mark.parametrize("markdown", [False, True])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_costs_no_more_than_its_length(name: str, markdown: bool) -> None:
    size = 50_000
    text = "a" + HOSTILE[name] * (size // len(HOSTILE[name])) + "b"
    start = time.process_time()
    check(text, Limit(1200), markdown)
    assert time.process_time() - start < 5  # a fraction of a second; what grows with the square takes a minute


@pytest.mark.slow
@pytest.mark.parametrize("markdown", [False, True])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_of_hostile_text(name: str, markdown: bool) -> None:
    text = "a" + HOSTILE[name] * (1_000_000 // len(HOSTILE[name])) + "b"
    start = time.process_time()
    chunks = check(text, Limit(1200), markdown)
    assert time.process_time() - start < 30 and (len(chunks) > 500 or not HOSTILE[name].strip())


def test_deep_nesting_is_not_deep_recursion() -> None:
    check("".join(" " * depth + "- a\n" for depth in range(600)), Limit(500), markdown=True)
    check("> " * 5000 + "deep", Limit(500), markdown=True)


def paragraphs(language: str) -> list[str]:
    file = SHARED / f"xquad/xquad.{language}.json"
    if not file.exists():
        pytest.skip("../shared/data/xquad is absent")
    articles = json.loads(file.read_text(encoding="utf-8"))["data"]
    return ["\n\n".join(paragraph["context"] for paragraph in article["paragraphs"]) for article in articles]


@pytest.mark.parametrize(("language", "share"), [("en", 0.985), ("zh", 0.99)])
def test_real_paragraphs_are_cut_at_the_ends_of_sentences(language: str, share: float) -> None:
    """Of the cuts in sentences that are no longer than a chunk, judged by a rule of its own."""
    end = re.compile(r"[.!?。！？]['\"”’»)\]」』]*$")
    abbreviation = re.compile(r"\b(?:Mr|Mrs|Dr|St|Prof|vs|Gen|Col|i\.e|e\.g|[A-Z])\.$")
    good = total = 0
    for text in paragraphs(language):
        chunks = list(Splitter(text, Limit(300)).chunks())
        for (_, stop), (start, _) in pairwise(chunks):
            since = max(text.rfind(mark, 0, stop - 1) for mark in (". ", "? ", "。", "\n"))
            until = min(at for at in (*(text.find(mark, stop - 1) for mark in (". ", "。", "\n")), len(text)) if at >= 0)
            if until - since <= 300:
                total += 1
                good += "\n" in text[stop:start] or bool(
                    end.search(text[:stop][-12:]) and not abbreviation.search(text[:stop][-8:])
                )
    assert total > 200 and good >= share * total, (good, total)
