"""Readers: what becomes of the bytes of a file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from stratagraph.documents.checks import MAX_BYTES
from stratagraph.documents.episodes import read_episodes
from stratagraph.documents.html import read_page
from stratagraph.documents.read import read_file
from stratagraph.documents.records import REASONS, Document, Refusal, RefusedDocumentError, document_id
from stratagraph.documents.times import parse_reference_time

FALLBACK = datetime(2020, 1, 1, tzinfo=UTC)


def one(data: bytes | str, path: str = "a.md") -> Document:
    (record,) = read_file(data if isinstance(data, bytes) else data.encode(), path, FALLBACK)
    assert isinstance(record, Document), record
    return record


def refusal(data: bytes | str, path: str = "a.md") -> str:
    (record,) = read_file(data if isinstance(data, bytes) else data.encode(), path, FALLBACK)
    assert isinstance(record, Refusal), record
    return record.reason


def test_front_matter_is_not_text() -> None:
    document = one("---\ntitle: 'A: B'\ndate: 2024-03-02\ntags: [x, y]\n---\n# Head\n\nBody\n")
    assert (document.title, document.text) == ("A: B", "# Head\n\nBody\n")
    assert document.reference_time == datetime(2024, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("front", "title", "text"),
    [
        ("---\nA line between two rules.\n---\nBody", "a", "---\nA line between two rules.\n---\nBody"),
        ("---\n\n---\n# Head", "Head", "# Head"),
        ("# Head ##\n\nBody", "Head", "# Head ##\n\nBody"),
        ("```\n# a comment\n```\nBody", "a", "```\n# a comment\n```\nBody"),
        ("---\ntitle: 2024\n---\nBody", "2024", "Body"),
        ("# C#\nBody", "C#", "# C#\nBody"),
        ("# " + " " * 300_000 + "x\n", "x", "# " + " " * 300_000 + "x\n"),
        ("---\ntitle: [a, b]\n---\nBody", "a", "Body"),
        ("---\r\ntitle: T\r\n---\r\nOne\rTwo\r\n", "T", "One\nTwo\n"),
    ],
)
def test_markdown_titles_and_bodies(front: str, title: str, text: str) -> None:
    document = one(front)
    assert (document.title, document.text, document.reference_time) == (title, text, FALLBACK)


@pytest.mark.parametrize(
    ("data", "path", "reason"),
    [
        (b"", "a.md", "empty"),
        (b"\xef\xbb\xbf", "a.txt", "empty"),
        (b" \t\r\n\n", "a.txt", "empty"),
        (b"---\ntitle: x\n---\n \n", "a.md", "empty"),
        (b"<html><script>alert(1)</script></html>", "a.html", "empty"),
        (b"caf\xe9", "a.txt", "undecodable"),
        ("text".encode("utf-16"), "a.txt", "undecodable"),
        (b"a\x00b", "a.txt", "nul_byte"),
        (b"x" * (MAX_BYTES + 1), "a.txt", "too_large"),
        (b"x", "a.doc", "unsupported_format"),
        (b"x", "LICENSE", "unsupported_format"),
        (b"---\ntitle: [\n---\nBody", "a.md", "invalid_front_matter"),
        (b"---\ntitle: [" + b"[" * 20_000 + b"\n---\nBody", "a.md", "invalid_front_matter"),
        (b"---\ntitle: " + b"x" * 60_000 + b"\n---\nBody", "a.md", "invalid_front_matter"),
        (b"---\ndate: 2024-02-30\n---\nBody", "a.md", "invalid_reference_time"),
        (b"---\ndate: 1950\n---\nBody", "a.md", "invalid_reference_time"),
        (b"---\ndate: 0001-01-01T00:00:00+14:00\n---\nBody", "a.md", "invalid_reference_time"),
        (b"<meta name=date content='last Tuesday'><p>Body", "a.html", "invalid_reference_time"),
    ],
)
def test_bad_files_are_refused_with_a_reason(data: bytes, path: str, reason: str) -> None:
    assert refusal(data, path) == reason


def test_no_tag_of_yaml_is_run() -> None:
    assert one("---\ntitle: !!python/object/apply:os.getcwd []\n---\nBody").title == "a"


def test_byte_order_mark_and_suffix_case() -> None:
    document = one("\ufeffHello\r\nthere".encode(), "dir/Note.TXT")
    assert (document.text, document.media_type, document.title) == ("Hello\nthere", "text/plain", "Note")


def test_html_keeps_blocks_and_drops_code() -> None:
    page = read_page(
        "<html><head><title> A \n page </title><meta property='article:published_time' content='2023-01-02T03:04:05+01:00'>"
        "<style>p {}</style></head><body><nav>Menu</nav><h1>Head</h1><p>One <b>bold</b>\nline<br>next</p><!-- no -->"
        "<ul><li>a</li><li>b</li></ul><script>var x = '<p>no</p>'</script>"
        "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>&lt;p&gt; &#0;end</body></html>"
    )
    assert page.text == ("# Head\n\nOne bold line\nnext\n\n- a\n- b\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |\n\n<p> \ufffdend")
    assert (page.title, page.date) == ("A page", "2023-01-02T03:04:05+01:00")


def test_html_main_is_the_text_and_other_times_are_not_the_date() -> None:
    page = read_page(
        "<header>Site</header><main><p>Meet <time datetime='2031-01-01'>then</time></p></main><footer>Imprint</footer>"
    )
    assert (page.text, page.date) == ("Meet then", None)
    assert read_page("<p>x<time itemprop=datePublished datetime='2021-05-06'>").date == "2021-05-06"


def test_html_may_be_nested_deeper_than_python_recurses() -> None:
    assert one("<div>" * 2000 + "deep" + "</div>" * 2000 + "<p>after", "a.html").text == "deep\n\nafter"
    # Beyond what the parser follows, it would lose all that comes after.
    assert refusal("<p>before</p>" + "<div>" * 5000 + "deep", "a.html") == "too_complex"


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2024-01-05", "UTC", "2024-01-05T00:00:00+00:00"),
        ("2024-01-05", "Asia/Shanghai", "2024-01-04T16:00:00+00:00"),
        ("2024-01-05T10:00:00Z", "Asia/Shanghai", "2024-01-05T10:00:00+00:00"),
        ("2024-01-05 10:00:00 +0200", "UTC", "2024-01-05T08:00:00+00:00"),
        ("2024-01-05T10:00", "Europe/Berlin", "2024-01-05T09:00:00+00:00"),
        ("2024-01-05T10:00:00.123456789Z", "UTC", "2024-01-05T10:00:00.123456+00:00"),
    ],
)
def test_reference_times(text: str, zone: str, expected: str) -> None:
    assert parse_reference_time(text, ZoneInfo(zone)).isoformat() == expected


@pytest.mark.parametrize(
    "text", ["2024-02-30", "1950", "2024-05", "20240105", "2024-W01-1", "", "soon", "2024-13-01T00:00:00Z"]
)
def test_what_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(RefusedDocumentError, match="not a point in time"):
        parse_reference_time(text)


def test_episodes_are_read_one_by_one() -> None:
    good = {"id": "a/b #1", "ref_time": "2024-01-01T12:00:00+02:00", "text": "Ünï\r\ncode 😀"}
    bad = [
        good | {"ref_time": "2024-02-30"}, {"id": "x"}, good | {"text": "  "}, good | {"text": "a\x00"},
        good | {"text": "\ud800"}, good | {"id": None}, "text", good | {"text": 3},
    ]  # fmt: skip
    records = list(read_episodes(json.dumps({"episodes": [*bad, good]}).encode(), "e.json"))
    assert [record.reason for record in records if isinstance(record, Refusal)] == [
        "invalid_reference_time", "invalid_shape", "empty", "nul_byte", "undecodable",
        "invalid_shape", "invalid_shape", "invalid_shape",
    ]  # fmt: skip
    (document,) = (record for record in records if isinstance(record, Document))
    assert (document.text, document.reference_time) == ("Ünï\ncode 😀", datetime(2024, 1, 1, 10, tzinfo=UTC))
    assert document_id("b:", "s", document.path, document.parts) == "b:document/s/e.json/a%2Fb%20%231"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "invalid_json"),
        (b"[" * 100_000, "invalid_json"),
        (b"[]", "invalid_shape"),
        (b"{}", "invalid_shape"),
        (b'{"episodes": {}}', "invalid_shape"),
        (b"", "empty"),
        (b"\xff", "undecodable"),
    ],
)
def test_bad_episode_files_are_refused_whole(data: bytes, reason: str) -> None:
    (record,) = read_episodes(data, "e.json")
    assert isinstance(record, Refusal) and record.reason == reason


def test_reasons_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "documents.md").read_text(encoding="utf-8")
    documented = [line.split("`")[1] for line in page.partition("## What is refused")[2].splitlines() if line.startswith("| `")]
    assert documented == list(REASONS)
