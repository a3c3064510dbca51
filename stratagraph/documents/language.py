"""The language of a text, as an ISO 639-1 code or `und`; the same text always gives the same answer.

Only words count: code, addresses, numbers and identifiers say nothing about a language. The scripts that belong to one language
decide by themselves; py3langid chooses among the rest, from a fixed set, since a classifier over every language of the world
mistakes short English for Luxembourgish. Too little text, or a doubtful answer, is `und`.
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
# Enough of a text, in three pieces from all over it; keeps a 20 MB file from costing seconds.
SAMPLE_CHARACTERS = 20_000
CHUNK_CHARACTERS = 450  # the same for a piece; of fifty letters every answer was right
# Fewer letters than this say nothing about which Latin- or Cyrillic-script language they are; fewer than the second number
# only if the classifier has hardly a doubt.
MINIMUM_LETTERS = 10
FEW_LETTERS = 20
_SURE, _LIKELY = 0.8, 0.5

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
_SHORT_JAPANESE = 100  # a piece of this many characters may have no kana: a name, an address, a heading
# What is no words: fenced and quoted code, addresses, words with digits or underscores in them, tags.
_NO_WORDS = re.compile(
    r"^[ \t>]*(?P<fence>```|~~~)[^\n]*\n(?:(?![ \t>]*(?P=fence))[^\n]*(?:\n|\Z))*|`[^`\n]{1,200}`|\b(?:https?|ftp)://\S+|\bwww\.\S+"
    r"|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+|(?<![A-Za-z0-9_])[A-Za-z]{0,64}[0-9_][A-Za-z0-9_]{0,64}|</?[A-Za-z][^<>\n]{0,200}>",
    re.MULTILINE,
)
_CODE_MARK = re.compile(r"[{}()\[\];=<>/\\|$#&*+^~]")
_CODE_SHARE = 0.12  # of a line's visible characters; prose in brackets has half as many
_CODE_LINE = re.compile(r"^\s*(?:import|from|def|class|return|SELECT|INSERT|UPDATE|CREATE|DELETE)\b.*[=;:(*,]|[;{}]\s*$")


@cache
def _classifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(LANGUAGES))
    return identifier


def detect_language(text: str) -> str:
    """Language of the text.

    >>> detect_language("你好"), detect_language("ok"), detect_language("This is a plain sentence about nothing.")
    ('zh', 'und', 'en')
    """
    return _language(_words(text))


def chunk_language(text: str, document: str) -> str:
    """Language of a piece of a document in that language: its own if that can be told, else that of the document.

    >>> chunk_language("OK.", "de"), chunk_language("42", "de"), chunk_language("東京都千代田区", "ja")
    ('de', 'und', 'ja')
    """
    words = _words(text, CHUNK_CHARACTERS)
    if not _LETTER.search(words):
        return "und"
    found = _language(words)
    if found == "zh" and document == "ja" and len(words) < _SHORT_JAPANESE:
        return "ja"
    return document if found == "und" else found


def _language(words: str) -> str:
    letters = len(_LETTER.findall(words))
    if not letters:
        return "und"
    counts = {language: len(pattern.findall(words)) for language, pattern in _SCRIPTS.items()}
    kana, han = counts.pop("ja"), counts["zh"]
    if kana and kana >= _KANA_SHARE * (kana + han) and 2 * (kana + han) > letters:
        return "ja"
    language, count = max(counts.items(), key=lambda item: item[1])
    if 2 * count > letters:
        return language
    if letters < MINIMUM_LETTERS:
        return "und"
    answer, probability = _classifier().classify(words)
    return str(answer) if probability >= (_SURE if letters < FEW_LETTERS else _LIKELY) else "und"


def _words(text: str, most: int = SAMPLE_CHARACTERS) -> str:
    """A sample of the text without what is no words."""
    if len(text) > most:
        third = most // 3
        starts = (0, (len(text) - third) // 2, len(text) - third)
        text = "\n".join(text[start : start + third] for start in starts)
    return "\n".join(line for line in _NO_WORDS.sub(" ", text).split("\n") if not _is_code(line))


def _is_code(line: str) -> bool:
    visible = len(line) - line.count(" ") - line.count("\t")
    marks = len(_CODE_MARK.findall(line))
    return marks > 1 and (marks >= _CODE_SHARE * visible or _CODE_LINE.search(line) is not None)
