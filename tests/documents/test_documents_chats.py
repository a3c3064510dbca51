"""Chat logs: sessions, speakers, times and texts of messages."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stratagraph.config.documents import ChatDocuments, MessageFields
from stratagraph.documents.chat_logs import LogSettings
from stratagraph.documents.chats import read_chats, read_days
from stratagraph.documents.message_fields import IDENTIFIER, SESSION, SPEAKER, TEXT, TIME
from stratagraph.documents.message_times import parse_message_time
from stratagraph.documents.records import Document, Reading, Refusal, RefusedDocumentError, document_id

SHARED = Path(__file__).parents[3] / "shared/data"


def test_chats_keep_speakers_and_offsets() -> None:
    history = {
        "2023-04-27": [{"query": " 你好，我叫张曼婷。", "response": "你好 😀é\u0301"}, {"query": "", "response": "在吗？"}],
        "2023-02-30": [{"query": "x", "response": "y"}],
        "2023-04-28": [{"query": 1, "response": "y"}, {"query": "好的", "response": None}],
        "2023-04-29": [],
    }
    chat = json.dumps({" 张曼婷 ": {"history": history}, "Bob": {}, "Eve": {"history": {"2023-01-01": "x"}}}).encode()
    records = list(read_days(chat, "c.json", "AI", ZoneInfo("Asia/Shanghai")))
    assert [(record.location, record.reason) for record in records if isinstance(record, Refusal)] == [
        ("c.json/张曼婷/2023-02-30", "invalid_reference_time"),
        ("c.json/张曼婷/2023-04-28/0", "invalid_shape"),
        ("c.json/张曼婷/2023-04-29", "empty"),
        ("c.json/Bob", "invalid_shape"),
        ("c.json/Eve/2023-01-01", "invalid_shape"),
    ]
    first, second = (record for record in records if isinstance(record, Document))
    assert first.text == "张曼婷: 你好，我叫张曼婷。\nAI: 你好 😀é\u0301\nAI: 在吗？\n"
    assert [(turn.speaker, first.text[turn.char_start : turn.char_end]) for turn in first.turns] == [
        ("张曼婷", "你好，我叫张曼婷。"), ("AI", "你好 😀é\u0301"), ("AI", "在吗？"),
    ]  # fmt: skip
    assert (first.language, first.reference_time) == ("zh", datetime(2023, 4, 26, 16, tzinfo=UTC))
    assert second.text == "张曼婷: 好的\n"


def messages(data: Any, path: str = "log.json", **declared: Any) -> list[Any]:
    """What is read of a log, without the note on its fields."""
    given = {key: declared.pop(key) for key in ("zone", "names", "reference_time") if key in declared}
    settings = LogSettings(MessageFields(**declared), given.pop("zone", UTC), **given)
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return [record for record in read_chats(raw, path, "auto", "AI", settings) if not isinstance(record, Reading)]


def lines(*records: Any) -> bytes:
    return "\n".join(json.dumps(record) for record in records).encode()


def told(records: list[Any]) -> dict[str, list[tuple[str, str]]]:
    """Speaker and words of each turn, by session; offsets must hold."""
    documents = [record for record in records if isinstance(record, Document)]
    return {
        "/".join(document.parts): [(turn.speaker, document.text[turn.char_start : turn.char_end]) for turn in document.turns]
        for document in documents
    }


def refused(records: list[Any]) -> list[tuple[str, str]]:
    return [(record.location, record.reason) for record in records if isinstance(record, Refusal)]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_slack_threads_are_sessions_and_the_rest_are_days() -> None:
    export = [
        {"type": "message", "user": "U1", "text": "Morning", "ts": "1683540000.000100", "client_msg_id": "a"},
        {
            "type": "message",
            "user": "U2",
            "text": "Release?",
            "ts": "1683540060.5",
            "thread_ts": "1683540060.5",
            "client_msg_id": "b",
        },
        {"type": "message", "user": "U1", "text": "Today", "ts": "1683640100.000300", "thread_ts": "1683540060.5"},
        {"type": "message", "user": "U1", "text": "Evening", "ts": "1683640200.000000"},
        {"subtype": "bot_message", "username": "build", "text": "green", "ts": "1683640300.0", "blocks": [{"type": "x"}]},
    ]
    records = messages(export, "general/2023-05-08.json", names={"U1": "Ann", "U2": "Bob"})
    assert told(records) == {
        "2023-05-08": [("Ann", "Morning")],
        "1683540060.5": [("Bob", "Release?"), ("Ann", "Today")],
        "2023-05-09": [("Ann", "Evening"), ("build", "green")],
    }
    thread = records[1]
    assert thread.reference_time == thread.turns[0].reference_time == at("2023-05-08T10:01:00.5")
    assert thread.turns[1].reference_time == at("2023-05-09T13:48:20.0003")
    assert (thread.title, [turn.message_id for turn in thread.turns]) == ("Bob and Ann, 2023-05-08", ["b", None])


def test_chat_completions_have_a_document_a_line_and_need_a_time() -> None:
    content = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    chats = lines(
        {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": content},
                      {"role": "assistant", "content": "A cat."}]},
        {"messages": [{"role": "user", "name": "ann", "content": "Hi"},
                      {"role": "assistant", "content": None, "tool_calls": [{}]},
                      {"role": "user", "content": [{"type": "image_url"}]}, {"role": "tool", "content": "42"}]},
    )  # fmt: skip
    records = messages(chats, "chats.jsonl", reference_time=at("2024-01-01"))
    assert told(records) == {
        "1": [("system", "Be brief."), ("user", "What is this?\n[image_url]"), ("assistant", "A cat.")],
        "2": [("ann", "Hi"), ("tool", "42")],
    }
    assert refused(records) == [("chats.jsonl/2/1", "empty"), ("chats.jsonl/2/2", "empty")]
    assert [record.reference_source for record in records if isinstance(record, Document)] == ["config", "config"]
    assert refused(messages(chats, "chats.jsonl"))[2:] == [
        ("chats.jsonl/1", "invalid_reference_time"),
        ("chats.jsonl/2", "invalid_reference_time"),
    ]


def test_other_logs_by_their_own_names() -> None:
    whatsapp = lines(
        {"date": "2023-12-31", "time": "21:41", "from": "Zoë", "body": "Happy new year", "chat_id": "family"},
        {"date": "2024-01-01", "time": "00:05", "from": "张伟", "body": "新年快乐！", "chat_id": "family"},
    )  # fmt: skip
    (document,) = messages(whatsapp, "w.jsonl", zone=ZoneInfo("Asia/Shanghai"))
    assert (document.parts, document.reference_time) == (("family",), at("2023-12-31T13:41:00"))
    telegram = {
        "name": "Trip", "type": "personal_chat", "id": 77,
        "messages": [
            {"id": 1, "type": "message", "date": "2024-01-01T12:00:00", "date_unixtime": "1704103200", "from": "Ann",
             "from_id": "user1",
             "text": ["See ", {"type": "link", "text": "https://example.org"}, " now"], "text_entities": []},
            {"id": 2, "type": "message", "date": "2024-01-01T12:01:00", "date_unixtime": "1704103260", "from": "Bob",
             "text": "ok"},
        ],
    }  # fmt: skip
    (document,) = messages(telegram)
    assert told([document]) == {"2024-01-01": [("Ann", "See https://example.org now"), ("Bob", "ok")]}
    assert (document.title, document.reference_time) == ("Trip", at("2024-01-01T10:00:00"))
    discord = {"channel": {"id": "9", "name": "dev"}, "messages": [
        {"id": "5", "timestamp": "2024-02-03T04:05:06.7+00:00", "content": "hello", "author": {"id": "1",
            "name": "cy"}}]}  # fmt: skip
    assert told(messages(discord)) == {"2024-02-03": [("cy", "hello")]}
    shared = [
        {
            "id": "q1",
            "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}],
            "date": "2024-01-01",
        }
    ]
    assert told(messages(shared)) == {"q1": [("human", "Hi"), ("gpt", "Hello")]}
    newest_first = [
        {"sender_name": name, "timestamp_ms": 1683540000000 + ms, "content": name}
        for name, ms in (("c", 5), ("b", 0), ("a", 0))
    ]
    assert [name for name, _ in told(messages({"messages": newest_first}))["2023-05-08"]] == ["a", "b", "c"]
    exported = [{"uuid": "u1", "name": "Plans", "created_at": "2024-05-01T00:00:00Z", "chat_messages": [
        {"uuid": "m1", "text": "Hi", "content": [{"type": "text", "text": "Hi"}], "sender": "human",
         "created_at": "2024-05-01T08:00:00Z"}]}]  # fmt: skip
    (document,) = messages(exported)
    assert (document.parts, document.title, told([document])["u1"]) == (("u1",), "Plans", [("human", "Hi")])


def test_a_tree_of_messages_by_a_declared_path() -> None:
    tree = [{"conversation_id": "c1", "title": "Trees", "mapping": {
        "root": {"id": "root", "message": None},
        "y": {"message": {"id": "y", "author": {"role": "assistant"}, "create_time": 1700000060.5,
                          "content": {"content_type": "text", "parts": ["An oak."]}}},
        "x": {"message": {"id": "x", "author": {"role": "user"}, "create_time": 1700000000.25,
                          "content": {"content_type": "text", "parts": ["Which?"]}}},
    }}]  # fmt: skip
    records = messages(tree, list="[].mapping.*.message", speaker="author.role", text="content.parts")
    assert told(records) == {"c1": [("user", "Which?"), ("assistant", "An oak.")]}
    assert (records[0].title, records[0].reference_time) == ("Trees", at("2023-11-14T22:13:20.25"))
    assert refused(messages(tree)) == [("log.json", "invalid_shape")]


def test_locomo_sessions_have_their_own_time() -> None:
    file = SHARED / "locomo/locomo_first4.json"
    if not file.exists():
        pytest.skip("../shared/data/locomo is absent")
    raw = json.loads(file.read_text(encoding="utf-8"))
    records = messages(file.read_bytes(), "locomo.json")
    wanted = {
        f"{sample['sample_id']}/{key}": [(turn["speaker"], turn["text"].strip()) for turn in value]
        for sample in raw
        for key, value in sample["conversation"].items()
        if isinstance(value, list)
    }
    assert not refused(records) and told(records) == wanted and len(wanted) == 99 and sum(map(len, wanted.values())) == 2080
    first = records[0]
    assert (first.reference_time, first.title) == (at("2023-05-08T13:56:00"), "Caroline and Melanie, 2023-05-08")
    assert [turn.message_id for turn in first.turns][:2] == ["D1:1", "D1:2"]
    assert {turn.reference_time for turn in first.turns} == {None}  # as the document


def test_one_bad_message_is_refused_alone() -> None:
    good = {"speaker": "Ann", "text": "fine", "time": "2024-01-01T10:00:00", "session": "s", "id": 1}
    bad = [
        "text", None, good | {"text": " \n"}, good | {"text": 3}, good | {"speaker": ""}, good | {"time": "03/04/2024"},
        good | {"time": 17}, good | {"text": "a\x00"}, good | {"text": "\ud800"}, good, good | {"time": True},
            good | {"text": None},
    ]  # fmt: skip
    later = [good | {"id": number} for number in range(2, 20)]
    records = messages([good, *bad, *later])
    assert [reason for _, reason in refused(records)] == [
        "invalid_shape", "invalid_shape", "empty", "invalid_shape", "invalid_shape", "invalid_reference_time",
        "invalid_reference_time", "nul_byte", "undecodable", "duplicate_document", "invalid_reference_time", "empty",
    ]  # fmt: skip
    assert [place for place, _ in refused(records)] == [f"log.json/{number}" for number in range(1, 13)]
    assert told(records) == {"s": [("Ann", "fine")] * 19}


def test_lines_that_are_no_json_are_refused_alone_whatever_the_file_is_called() -> None:
    good = '{"speaker": "Ann", "text": "a\u2028b", "time": "2024-01-01"}'
    data = "\n".join((good, "{", "", "[" * 100_000, good.replace("Ann", "Bob"))).encode()
    for path in ("log.jsonl", "log.NDJSON"):
        records = messages(data, path)
        assert refused(records) == [(f"{path}/line 2", "invalid_json"), (f"{path}/line 4", "invalid_json")]
        assert told(records) == {"2024-01-01": [("Ann", "a\u2028b"), ("Bob", "a\u2028b")]}
    assert told(messages(f"{good}\n{good}".encode(), "log.json")) == {"2024-01-01": [("Ann", "a\u2028b")] * 2}


@pytest.mark.parametrize(
    ("data", "path", "reason"),
    [
        (b"", "a.json", "empty"), (b"{", "a.json", "invalid_json"), (b"[" * 100_000, "a.json", "invalid_json"),
        (b"[1]", "a.json", "invalid_shape"), (b'{"a": []}', "a.json", "invalid_shape"), (b"3", "a.json", "invalid_shape"),
        (b'[{"text": "x"}]', "a.json", "invalid_shape"), (b"\xff", "a.jsonl", "undecodable"),
        (b'{"a": ' * 50 + b"[]" + b"}" * 50, "a.json", "invalid_shape"),
    ],
)  # fmt: skip
def test_files_without_messages_are_refused_whole(data: bytes, path: str, reason: str) -> None:
    assert refused(messages(data, path)) == [(path, reason)]


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"text": "a", "content": "b", "speaker": "Ann"}, "text"),
        ({"text": "a", "speaker": "Ann", "from": "Bob"}, "speaker"),
        ({"text": "a", "speaker": "Ann", "timestamp": "2024-01-01", "created_at": "2024-01-02"}, "time"),
    ],
)  # fmt: skip
def test_a_guess_between_two_fields_is_refused_and_a_declaration_is_followed(message: dict[str, str], field: str) -> None:
    (refusal,) = messages([message], reference_time=at("2024-01-01"))
    assert refusal.reason == "invalid_shape" and f"messages.{field}" in refusal.detail
    second = next(name for name in message if name in ("content", "from", "created_at"))
    (document,) = messages([message], **{field: second}, reference_time=at("2024-01-01"))
    said = {"text": document.text.strip().partition(": ")[2], "speaker": document.turns[0].speaker,
            "time": document.reference_time.date().isoformat()}  # fmt: skip
    assert said[field] == message[second]


def test_two_lists_that_could_be_meant_are_refused() -> None:
    said = [{"speaker": "Ann", "text": "a", "time": "2024-01-01"}]
    (refusal,) = messages({"messages": said, "history": said})
    assert "messages.list" in refusal.detail
    assert told(messages({"messages": said, "history": []}, list="messages")) == {"2024-01-01": [("Ann", "a")]}
    assert refused(messages({"messages": said}, list="turns")) == [("log.json", "invalid_shape")]


def test_a_turn_without_a_time_follows_the_one_before_and_names_do_not_change_with_more_sessions() -> None:
    day = [
        {"speaker": "Ann", "text": "a", "ts": 1704103200},
        {"speaker": "Bob", "text": "b"},
        {"speaker": "Ann", "text": "c", "ts": 1704103100},
    ]
    (document,) = messages(day)
    assert [turn.reference_time for turn in document.turns] == [
        at("2024-01-01T10:00:00"),
        at("2024-01-01T10:00:00"),
        at("2024-01-01T09:58:20"),
    ]
    assert document.reference_time == at("2024-01-01T09:58:20")
    one = {"talks": {"session_1": day}}
    two = {"talks": {"session_1": day, "session_2": day}}
    assert list(told(messages(one))) == ["talks/session_1"] and list(told(messages(two))) == [
        "talks/session_1",
        "talks/session_2",
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1704103200, "2024-01-01T10:00:00"), (1704103200000, "2024-01-01T10:00:00"), (1704103200000001,
        "2024-01-01T10:00:00.000001"),
        (1704103200000000000, "2024-01-01T10:00:00"), ("1704103200.000005", "2024-01-01T10:00:00.000005"),
        (1704103200.25, "2024-01-01T10:00:00.25"),
        ("1:56 pm on 8 May, 2023", "2023-05-08T05:56:00"), ("12:05 am on 1 January, 2024", "2023-12-31T16:05:00"),
        ("12:05 PM, Jan 1 2024", "2024-01-01T04:05:00"), ("Mon, 01 Jan 2024 10:00:00 +0200", "2024-01-01T08:00:00"),
        ("May 8th, 2023", "2023-05-07T16:00:00"), ("2024-01-01T10:00:00Z", "2024-01-01T10:00:00"),
        ("2024-01-01 10:00", "2024-01-01T02:00:00"),
        ("8 September 2023 10:00 UTC", "2023-09-08T10:00:00"),
    ],
)  # fmt: skip
def test_times_of_messages(value: object, expected: str) -> None:
    assert parse_message_time(value, ZoneInfo("Asia/Shanghai")) == at(expected)


@pytest.mark.parametrize(
    "value",
    ["03/04/2024", "soon", "", 0, 17.5, -1704103200, 10**30, float("nan"), float("inf"), True, [1], "31 February 2024",
     "13:00 pm on 8 May, 2023", "8 May, 2023 and more", "25:00 8 May 2023", "x" * 10_000, "9" * 30],
)  # fmt: skip
def test_what_is_no_time_of_a_message_is_refused(value: object) -> None:
    with pytest.raises(RefusedDocumentError, match="not a point in time"):
        parse_message_time(value, UTC)


def test_a_pattern_reads_times_of_a_country() -> None:
    assert parse_message_time("03/04/24, 9:41 PM", ZoneInfo("Europe/Berlin"), "%d/%m/%y, %I:%M %p") == at("2024-04-03T19:41:00")
    with pytest.raises(RefusedDocumentError):
        parse_message_time("2024-04-03", UTC, "%d/%m/%y")


def test_a_log_becomes_chunks_with_the_times_of_its_turns(bench: Any) -> None:
    bench.documents = {"team": {"type": "chats", "path": "*.jsonl", "names": {"u1": "Ann"}, "assistants": ["bot"]}}
    bench.put("a.jsonl", lines(
        {"user": "u1", "text": "I moved to Berlin last week. " * 60, "ts": 1704103200, "channel": "x"},
        {"user": "bot", "text": "Noted.", "ts": 1704189600, "channel": "x"},
    ))  # fmt: skip
    loaded, _ = bench.run()
    assert (loaded.documents, loaded.turns) == (1, 2)
    rows = bench.rows("SELECT speaker, CAST(reference_time AS VARCHAR), count(*) FROM graph.chunks GROUP BY ALL ORDER BY ALL")
    assert rows == [("Ann", "2024-01-01 10:00:00+00", 2), ("bot", "2024-01-02 10:00:00+00", 1)]
    with bench.project.landing_connection() as connection:
        ((fields,),) = connection.sql("SELECT fields FROM documents.readings").fetchall()
    assert loaded.metadata()["readings"] == "team (a.jsonl): id: none, session: channel, speaker: user, text: text, time: ts"
    assert json.loads(fields) == {"id": "none", "session": "channel", "speaker": "user", "text": "text", "time": "ts"}
    again, chunks = bench.run()
    assert (again.readings, again.changed, chunks.changed) == (loaded.readings, False, False)


def test_the_machines_of_a_log_are_known_by_the_names_that_documents_have() -> None:
    chats = ChatDocuments(type="chats", path="x", names={"assistant": "Helper"}, assistants=("assistant", "bot"))
    assert chats.machines == {"AI companion", "Helper", "bot"}


def test_the_days_of_memorybank_are_what_they_were(bench: Any) -> None:
    """Ids and texts of a log by person and day, byte for byte."""
    file = SHARED / "memorybank/memory_bank_cn.json"
    if not file.exists():
        pytest.skip("../shared/data/memorybank is absent")
    bench.documents = {"chats": {"type": "chats", "path": "chats/*.json", "assistant": "AI伴侣"}}
    bench.put("chats/memory_bank_cn.json", file.read_bytes())
    bench.run()
    digest = hashlib.md5(usedforsecurity=False)
    for identifier, text in bench.rows("SELECT document_id, text FROM graph.documents ORDER BY document_id"):
        digest.update(f"{identifier}\n{text}\n".encode())
    assert digest.hexdigest() == "9eb6fe86359ee41f6cda14945f001fc7"


@pytest.mark.parametrize("data", [b"{}", b"[]", b" [ ]\n"])
def test_a_log_in_which_nothing_was_said_yet_is_fine(data: bytes) -> None:
    assert messages(data) == []


def test_the_names_that_are_known_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs/chats.md").read_text(encoding="utf-8")
    cells = [line.split("|") for line in page.splitlines() if line.startswith("| ")]
    rows = {cell[1].strip(): set(re.findall(r"`(\w+)`", cell[2])) for cell in cells}
    known = {"text": TEXT, "speaker": SPEAKER, "time": TIME, "session": SESSION, "id": IDENTIFIER}
    assert {role: rows[role] for role in known} == {role: set(names) for role, names in known.items()}


KEYS = ["type", "text", "name", "a"]
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)),
    max_leaves=4,
)
messages_of_any_kind = st.fixed_dictionaries(
    {"text": st.one_of(st.text(max_size=20), json_values),
     "speaker": st.one_of(st.sampled_from(["Ann", "Bob", "Ann: "]), json_values)},
    optional={
        "ts": st.one_of(st.integers(1_600_000_000, 1_700_000_000), json_values),
        "id": st.one_of(st.integers(0, 3), json_values),
        "session": json_values, "thread": st.text(max_size=3), "role": json_values,
    },
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@example(
    [{"text": "", "speaker": "Ann"}] + [{"text": "", "speaker": None, "role": [{"type": None, "text": [], "name": 0}]}] * 3,
    False,
)
@given(st.lists(messages_of_any_kind, min_size=1, max_size=8), st.booleans())
def test_no_message_is_lost_whatever_is_in_it(said: list[dict[str, Any]], as_lines: bool) -> None:
    data, path = (lines(*said), "x.jsonl") if as_lines else (json.dumps(said).encode(), "x.json")
    records = messages(data, path, reference_time=at("2024-01-01"))
    assert repr(records) == repr(messages(data, path, reference_time=at("2024-01-01")))
    turns = [turn for record in records if isinstance(record, Document) for turn in record.turns]
    whole_file = [record for record in records if isinstance(record, Refusal) and record.location == path]
    alone = [record for record in records if isinstance(record, Refusal) and record.location.split("/")[-1].isdecimal()]
    assert whole_file or len(turns) + len(alone) >= len(said)
    for record in records:
        if isinstance(record, Document):
            assert record.text.count("\n") >= len(record.turns)
            for turn in record.turns:
                words = record.text[turn.char_start : turn.char_end]
                assert words == words.strip() != ""
                assert record.text[: turn.char_start].endswith(f"{turn.speaker}: ")
            document_id("urn:x:", "s", record.path, record.parts).encode("ascii")
