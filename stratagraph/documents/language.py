"""The language of a text, as an ISO 639-1 code or `und`; the same text always gives the same answer.

The scripts that belong to one language decide by themselves; py3langid chooses among the rest, from a fixed set, since a
classifier over every language of the world mistakes short English for Luxembourgish. Too little text is `und`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

# Languages told apart by the classifier.
LANGUAGES = (
    "ar", "bg", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "nl", "no",
    "pl", "pt", "ro", "ru", "sv", "th", "tr", "uk", "vi", "zh",
)  # fmt: skip
# The start of a text is enough, and keeps a 20 MB file from costing seconds.
SAMPLE_CHARACTERS = 20_000
# Fewer letters than this say nothing about which Latin- or Cyrillic-script language they are.
MINIMUM_LETTERS = 20

_LETTER = re.compile(r"[^\W\d_]")
_SCRIPTS = {
    "ja": re.compile(r"[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9d]"),
    "ko": re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"),
    "zh": re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "el": re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
}
_KANA_SHARE = 0.05  # Japanese mixes kana into Han; a Chinese text that quotes a word of it stays Chinese


@cache
def _classifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(LANGUAGES))
    return identifier


def detect_language(text: str) -> str:
    """Language of the text.

    >>> detect_language("你好"), detect_language("ok"), detect_language("This is a plain sentence about nothing.")
    ('zh', 'und', 'en')
    """
    sample = text[:SAMPLE_CHARACTERS]
    letters = len(_LETTER.findall(sample))
    if not letters:
        return "und"
    counts = {language: len(pattern.findall(sample)) for language, pattern in _SCRIPTS.items()}
    kana, han = counts.pop("ja"), counts["zh"]
    if kana and kana >= _KANA_SHARE * (kana + han) and 2 * (kana + han) > letters:
        return "ja"
    language, count = max(counts.items(), key=lambda item: item[1])
    if 2 * count > letters:
        return language
    return str(_classifier().classify(sample)[0]) if letters >= MINIMUM_LETTERS else "und"


def chunk_language(text: str, document: str) -> str:
    """Language of a piece of a document."""
    found = detect_language(text)
    return document if found == "und" and _LETTER.search(text) else found
