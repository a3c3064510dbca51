"""The language of texts."""

from __future__ import annotations

import pytest

from stratagraph.documents.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("你好", "zh"), ("こんにちは世界", "ja"), ("안녕하세요", "ko"), ("สวัสดี", "th"), ("ok", "und"), ("12 345 !", "und"),
        ("The committee approved the budget yesterday.", "en"), ("Der Ausschuss hat gestern den Haushalt beschlossen.", "de"),
        ("Le comité a approuvé le budget hier après-midi.", "fr"), ("Комитет вчера утвердил бюджет страны.", "ru"),
        ("本公司与 Acme Corporation 签订了为期五年的合作协议，自二〇二四年起生效。", "zh"),
    ],
)  # fmt: skip
def test_languages(text: str, language: str) -> None:
    assert detect_language(text) == language
