"""Chat logs: sessions, speakers, times and texts of messages."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from stratagraph.documents.chats import read_chats
from stratagraph.documents.records import Document, Refusal


def test_chats_keep_speakers_and_offsets() -> None:
    history = {
        "2023-04-27": [{"query": " 你好，我叫张曼婷。", "response": "你好 😀é\u0301"}, {"query": "", "response": "在吗？"}],
        "2023-02-30": [{"query": "x", "response": "y"}],
        "2023-04-28": [{"query": 1, "response": "y"}, {"query": "好的", "response": None}],
        "2023-04-29": [],
    }
    chat = json.dumps({" 张曼婷 ": {"history": history}, "Bob": {}, "Eve": {"history": {"2023-01-01": "x"}}}).encode()
    records = list(read_chats(chat, "c.json", "AI", ZoneInfo("Asia/Shanghai")))
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
