"""Documents and chunks in transaction time: offsets, changes, removals, the guard, determinism."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stratagraph.documents import chunks
from stratagraph.documents.chunks import update_chunks
from stratagraph.documents.load import load_documents
from stratagraph.documents.tokens import count_tokens
from stratagraph.errors import CommitRefusedError, WarehouseError

MIXED = (
    "# Ünïcode 😀 heading\n\n"
    + "Décembre e\u0301tait froid. 👩‍👩‍👧‍👦 Family, flag 🇨🇭, Zalgo Z̴͈̈a̵l̸. " * 30
    + "\n\n## 第二节\n\n"
    + "北京大学成立于1898年。它位于中国北京，是一所著名的大学！" * 60
    + "\n\n- list\n- items\n\n```\ncode\n```\n"
    + "x" * 3000
)
OPEN = (
    "FROM graph.chunks AS c JOIN graph.documents AS d USING (document_id) "
    "WHERE c.recorded_to = 'infinity' AND d.recorded_to = 'infinity'"
)


def put_all_kinds(bench: Any) -> None:
    bench.documents = {
        "notes": bench.documents["notes"],
        "press": {"type": "episodes", "path": "press.json"},
        "chats": {"type": "chats", "path": "chats.json", "assistant": "伴侣"},
    }
    bench.put("notes/mixed.md", f"---\ntitle: Mixed\n---\r\n{MIXED}")
    bench.put("notes/mixed.txt", b"\xef\xbb\xbf" + MIXED.replace("\n", "\r\n").encode())
    bench.put("notes/mixed.html", f"<title>T</title><h1>Head 😀</h1><p>{MIXED}</p><ul><li>一</li><li>二</li></ul>")
    bench.put("press.json", {"episodes": [{"id": "1", "ref_time": "2024-01-01", "text": MIXED}]})
    turns = [{"query": MIXED, "response": "好的"}, {"query": "Multi\nline", "response": "e\u0301 😀"}]
    bench.put("chats.json", {"张": {"history": {"2024-01-01": turns}}})


def test_offsets_are_characters_of_the_stored_text(bench: Any) -> None:
    put_all_kinds(bench)
    bench.settings = {"extraction": {"chunk_characters": 200}}
    _, result = bench.run()
    assert (result.documents, result.quarantined) == (5, 0)
    rows = bench.rows(f"SELECT d.path, c.position, c.char_start, c.char_end, c.text, d.text {OPEN} ORDER BY d.path, c.position")
    assert len(rows) == result.chunks > 100
    for path, _, start, end, chunk, text in rows:
        assert text[start:end] == chunk and 0 < len(chunk) <= 200, path
    assert not bench.rows(f"SELECT 1 {OPEN} AND substr(d.text, c.char_start + 1, c.char_end - c.char_start) <> c.text")
    for path in {
        row[0] for row in rows
    }:  # nothing but white space (and the speakers' names) is left out, nothing is told twice
        mine = [row for row in rows if row[0] == path]
        assert [row[1] for row in mine] == list(range(len(mine)))
        gaps = [mine[0][5][a:b] for a, b in zip([0] + [row[3] for row in mine], [row[2] for row in mine] + [None], strict=True)]
        assert all(not gap.strip() or gap.strip() in ("张:", "伴侣:") for gap in gaps), (path, gaps)


def test_no_chunk_starts_with_a_combining_mark(bench: Any) -> None:
    bench.put("notes/a.txt", "e\u0301" * 500)
    bench.settings = {"extraction": {"chunk_characters": 101}}
    bench.run()
    texts = [text for (text,) in bench.rows("SELECT text FROM graph.chunks")]
    assert len(texts) > 9 and not any(unicodedata.combining(text[0]) for text in texts)


def test_a_long_line_is_cut_in_reasonable_time_and_loses_nothing(bench: Any) -> None:
    bench.put("notes/words.txt", "never a new sentence " * 20_000)
    bench.put("notes/code.txt", "x" * 150_001 + "e\u0301" * 75_000)
    _, result = bench.run()
    rows = bench.rows(f"SELECT c.char_start, c.char_end, c.text, d.text {OPEN} ORDER BY d.path, c.position")
    assert len(rows) == result.chunks and all(text[start:end] == chunk for start, end, chunk, text in rows)
    kept = "".join(row[2] for row in rows).replace(" ", "")
    assert kept == "x" * 150_001 + "e\u0301" * 75_000 + "neveranewsentence" * 20_000
    assert not any(unicodedata.combining(row[2][0]) for row in rows)


def test_a_chat_has_one_chunk_per_turn_with_its_speaker(bench: Any) -> None:
    bench.documents = {"chats": {"type": "chats", "path": "chats.json", "assistant": "伴侣", "zone": "Asia/Shanghai"}}
    bench.put(
        "chats.json",
        {"张曼婷": {"history": {"2024-01-01": [{"query": "我很喜欢绘画。你呢？", "response": "我也是！\n真的。"}] * 2}}},
    )
    bench.run()
    rows = bench.rows(f"SELECT c.position, c.speaker, c.text, c.language, d.title, d.kind {OPEN} ORDER BY c.position")
    assert rows == [
        (position, speaker, text, "zh", "张曼婷, 2024-01-01", "chat")
        for position, (speaker, text) in enumerate([("张曼婷", "我很喜欢绘画。你呢？"), ("伴侣", "我也是！\n真的。")] * 2)
    ]
    assert bench.rows("SELECT document_id, CAST(reference_time AS VARCHAR) FROM graph.documents") == [
        ("https://example.org/document/chats/chats.json/%E5%BC%A0%E6%9B%BC%E5%A9%B7/2024-01-01", "2023-12-31 16:00:00+00")
    ]


def test_a_second_run_writes_no_row_of_any_table(bench: Any) -> None:
    put_all_kinds(bench)
    bench.put("notes/bad.txt", b"\xff")
    bench.run()
    before, content = bench.counts(), bench.content()
    loaded, result = bench.run()
    assert not loaded.changed and not result.changed
    assert (bench.counts(), bench.content()) == (before, content)
    bench.put("notes/bad.txt", b"\xff\xff")  # another load, with nothing new in it but the refusal's bytes
    bench.put("notes/mixed.txt", b"\xef\xbb\xbf" + MIXED.encode())  # other bytes, the same text
    loaded, result = bench.run()
    assert loaded.changed and result.changed
    assert (bench.counts(), result.documents_opened, result.chunks_opened) == (before, 0, 0)


def test_changed_removed_renamed_and_returned_documents(bench: Any) -> None:
    body = "\n\n".join(
        f"Paragraph {number} of a report that is written in plain English. " + "More words follow here. " * 5
        for number in range(8)
    )
    for name in "abcd":
        bench.put(f"notes/{name}.txt", body + name)
    bench.settings = {"extraction": {"chunk_characters": 200}, "guard": {"max_shrink": 0.5}}
    _, first = bench.run()
    bench.put("notes/a.txt", body + "a, changed at its end")
    (bench.root / "notes/b.txt").unlink()
    (bench.root / "notes/c.txt").rename(bench.root / "notes/c2.txt")
    _, second = bench.run()
    assert (second.documents_opened, second.documents_closed, second.documents) == (2, 3, 3)
    assert (second.chunks_opened, second.chunks_closed) == (1 + 8, 1 + 8 + 8)  # of a, only the last chunk
    assert second.chunks == first.chunks - 8
    bench.put("notes/b.txt", body + "b")
    _, third = bench.run()
    assert (third.documents_opened, third.documents_closed, third.chunks_opened) == (1, 0, 8)
    states = bench.rows(
        "SELECT path, count(*), count(*) FILTER (recorded_to = 'infinity') FROM graph.documents GROUP BY path ORDER BY path"
    )
    assert states == [(f"notes/{name}.txt", *counts) for name, counts in
                      [("a", (2, 1)), ("b", (2, 1)), ("c", (1, 0)), ("c2", (1, 1)), ("d", (1, 1))]]  # fmt: skip
    assert not bench.rows("SELECT 1 FROM graph.documents WHERE recorded_from >= recorded_to")
    as_of = bench.rows("SELECT DISTINCT recorded_from FROM graph.documents ORDER BY ALL")
    assert [row[0] - as_of[0][0] for row in as_of] == [timedelta(hours=0), timedelta(hours=1), timedelta(hours=2)]
    different = "count(DISTINCT (document_id, position, char_start, char_end, text)) > 1"
    assert not bench.rows(f"SELECT chunk_id FROM graph.chunks GROUP BY chunk_id HAVING {different}")


def test_a_clock_that_stands_still_or_goes_back_gives_later_instants(bench: Any) -> None:
    bench.put("notes/a.txt", "One")
    bench.run()
    start = bench.now
    for text, shift in (("Two", timedelta(0)), ("Three", timedelta(days=-9))):
        bench.put("notes/a.txt", text)
        bench.now = start + shift
        load_documents(bench.project)
        update_chunks(bench.project)
    rows = bench.rows("SELECT recorded_from, recorded_to FROM graph.documents ORDER BY recorded_from")
    assert [row[0] - start for row in rows] == [timedelta(microseconds=step) for step in range(3)]
    assert [row[1] for row in rows][:2] == [row[0] for row in rows][1:]


def test_a_new_date_changes_the_chunks_and_a_new_length_cuts_again(bench: Any) -> None:
    bench.put("notes/a.txt", "word " * 200)
    bench.run()
    bench.documents["notes"] = bench.documents["notes"] | {"reference_time": "2024-05-02"}
    _, dated = bench.run()
    assert (dated.documents_opened, dated.chunks_opened, dated.chunks_closed) == (1, 1, 1)
    bench.settings = {"extraction": {"chunk_characters": 500}}
    loaded, shorter = bench.run()
    assert (loaded.changed, shorter.documents_opened, shorter.chunks_closed, shorter.chunks_opened) == (False, 0, 1, 2)


def test_the_guard_refuses_a_sharp_loss_and_writes_nothing(bench: Any) -> None:
    for name in "abcd":
        bench.put(f"notes/{name}.txt", name)
    bench.run()
    before, content = bench.counts(), bench.content()
    for name in "abc":
        (bench.root / f"notes/{name}.txt").unlink()
    bench.put("notes/bad.txt", b"\xff")
    for _ in range(2):  # and again: the refusal is not forgotten
        with pytest.raises(CommitRefusedError, match=r"3 of 4 documents of 'notes' vanished(.|\n)*max_shrink: 1"):
            bench.run()
        assert (bench.counts(), bench.content()) == (before, content)
    bench.settings = {"guard": {"max_shrink": 1}}
    assert bench.run()[1].documents_closed == 3


def test_some_of_the_documents_may_go_but_not_a_whole_source_unasked(bench: Any) -> None:
    for name in "abcd":
        bench.put(f"notes/{name}.txt", name)
    bench.run()
    (bench.root / "notes/a.txt").unlink()
    assert bench.run()[1].documents == 3
    bench.documents = {}
    with pytest.raises(CommitRefusedError, match="3 of 3 documents of 'notes' vanished"):
        bench.run()
    bench.settings = {"guard": {"max_shrink": 1}}
    assert bench.run()[1].documents == 0


def test_a_document_that_becomes_fine_leaves_quarantine(bench: Any) -> None:
    bench.put("notes/good.txt", "good")
    bench.put("notes/bad.txt", b"\xff")
    bench.run()
    assert bench.refused() == {"notes/bad.txt": "undecodable"}
    bench.put("notes/bad.txt", "fine now")
    assert bench.run()[1].documents == 2
    assert bench.refused() == {}


def test_another_dataset_in_the_same_warehouse_is_left_alone(bench: Any) -> None:
    bench.put("notes/a.txt", "One")
    bench.run()
    bench.settings = {"dataset": "other"}
    bench.put("notes/a.txt", "Two")
    bench.run()
    rows = bench.rows("SELECT dataset, text FROM graph.documents WHERE recorded_to = 'infinity' ORDER BY dataset")
    assert rows == [("main", "One"), ("other", "Two")]


def test_two_fresh_runs_agree(make_bench: Callable[[Path], Any], tmp_path: Path) -> None:
    contents = []
    for name, days in (("one", 0), ("two", 400)):
        bench = make_bench(tmp_path / name)
        bench.now += timedelta(days=days)
        put_all_kinds(bench)
        bench.put("notes/bad.txt", b"\xff")
        bench.run()
        contents.append(bench.content())
    assert contents[0] == contents[1] and len(contents[0]) > 20


def test_chunks_without_a_load_say_what_to_do(bench: Any) -> None:
    with pytest.raises(WarehouseError, match="load the sources first"):
        update_chunks(bench.project)
    with bench.project.landing_connection(read_only=False):
        pass
    with pytest.raises(WarehouseError, match="load the documents first"):
        update_chunks(bench.project)


def test_the_demo_texts_load(bench: Any) -> None:
    demo = Path(__file__).parents[2] / "examples" / "demo"
    bench.documents = {
        "press": {"type": "episodes", "path": str(demo / "press-notes/corpus50.json")},
        "notes": {"type": "files", "path": str(demo / "notes/texts/*"), "reference_time": "2024-09-21"},
        "chats_en": {"type": "chats", "path": str(demo / "chats/memory_bank_en.json")},
        "chats_cn": {"type": "chats", "path": str(demo / "chats/memory_bank_cn.json"), "assistant": "AI伴侣"},
    }
    loaded, result = bench.run()
    assert (loaded.files, loaded.documents, loaded.turns, loaded.refused) == (10, 356, 2264, 1)
    assert not bench.rows(f"SELECT 1 {OPEN} AND substr(d.text, c.char_start + 1, c.char_end - c.char_start) <> c.text")
    languages = bench.rows("SELECT source, language, count(*) FROM graph.documents GROUP BY ALL ORDER BY ALL")
    assert languages == [
        ("chats_cn", "zh", 150), ("chats_en", "en", 149), ("notes", "en", 7),
        ("press", "en", 48), ("press", "und", 2),  # two that hardly hold a word beside names
    ]  # fmt: skip
    raw = json.loads((demo / "chats/memory_bank_cn.json").read_text(encoding="utf-8"))
    said = sorted(
        text.strip() for person in raw.values() for day in person["history"].values() for turn in day for text in turn.values()
    )
    assert said == sorted(
        row[0] for row in bench.rows("SELECT text FROM graph.chunks WHERE document_id LIKE '%memory_bank_cn%'")
    )
    assert result.chunks == loaded.turns + 50 + len(bench.rows("SELECT 1 FROM graph.chunks WHERE document_id LIKE '%/notes/%'"))


def test_batches_of_any_size_give_the_same_chunks(
    make_bench: Callable[[Path], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents, batches = [], []
    original = chunks.load_sql

    def counted(layer: str, name: str, **identifiers: str) -> str:
        batches[-1] += name == "insert_cut"
        return original(layer, name, **identifiers)

    monkeypatch.setattr(chunks, "load_sql", counted)
    for name, size in (("one", 4_000_000), ("two", 3000)):
        monkeypatch.setattr(chunks, "_BATCH_CHARACTERS", size)
        batches.append(0)
        bench = make_bench(tmp_path / name)
        put_all_kinds(bench)
        bench.run()
        contents.append(bench.content())
    assert contents[0] == contents[1] and batches[0] == 1 < batches[1]


def test_chunks_keep_to_a_limit_in_tokens(bench: Any) -> None:
    bench.put("notes/a.txt", "The committee approved the budget. 委员会昨天批准了预算。" * 100)
    bench.settings = {"extraction": {"chunk_tokens": 64}}
    bench.run()
    texts = [text for (text,) in bench.rows("SELECT text FROM graph.chunks")]
    assert len(texts) > 30 and max(map(count_tokens, texts)) <= 64
    assert {language for (language,) in bench.rows("SELECT DISTINCT language FROM graph.chunks")} <= {"en", "zh"}
