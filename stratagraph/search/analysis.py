"""Turns text into index terms, the same way for documents and queries.

Unicode NFKC, case-folded, apostrophes inside words dropped (as names are normalised), English stems. Scripts that are
written without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) become characters and pairs of neighbouring
characters. Nothing here knows about an index; a change of the terms must raise `VERSION`, so that old indexes are rebuilt.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import tantivy

VERSION = "stratagraph/1"
MAX_TERM_CHARACTERS = 64
MAX_QUERY_CHARACTERS = 20_000

# Hiragana to CJK extension A and the unified ideographs, Hangul, compatibility ideographs, the planes beyond, and the
# South East Asian scripts without spaces.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_APOSTROPHES = re.compile(r"(?<=\w)['’ʼ`´](?=\w)")

_STOP_WORDS = """
    a about above after again all also am an and any are as at be because been before being below between both but by can
    could did do does doing down during each few for from further had has have having he her here hers herself him himself
    his how i if in into is it its itself just me more most my myself no nor not now of off on once only or other our ours
    ourselves out over own same she should so some such than that the their theirs them themselves then there these they
    this those through to too under until up very was we were what when where which while who whom whose why will with
    would you your yours yourself yourselves s t dont didnt doesnt isnt im ive ill
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


@cache
def _token_pattern() -> re.Pattern[str]:
    # Vowel signs of Indic scripts are marks, which \w leaves out; without them a word would fall apart.
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)).startswith("M"))
    return re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|(?:(?![{_UNSPACED}_])[\w{re.escape(marks)}])+")


@cache
def _stemmer() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(tantivy.Filter.stemmer("english")).build()


def _fold(text: str) -> str:
    # A lone surrogate (from broken input) cannot be encoded, hence not indexed.
    clean = text.encode("utf-8", "replace").decode("utf-8")
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", clean).casefold())
    return _APOSTROPHES.sub("", folded)


def document_terms(text: str) -> tuple[list[str], list[str]]:
    """Terms of a text to be indexed: those that carry meaning, and stop words.

    >>> document_terms("Running to Tōkyō's 东京站")
    (['run', 'tōkyō', '东', '京', '站', '东京', '京站'], ['to'])
    """
    words, stops, runs = _tokens(text)
    return words + [term for run in runs for term in (*run, *_pairs(run))], stops


def query_terms(text: str) -> list[str]:
    """Terms of a query, in order, with repetitions; stop words only if there is nothing else.

    >>> query_terms("Who is the president?")
    ['presid']
    >>> query_terms("to be"), query_terms("东京"), query_terms("茶"), query_terms("| _ `")
    (['to', 'be'], ['东京'], ['茶'], [])
    """
    words, stops, runs = _tokens(text[:MAX_QUERY_CHARACTERS])
    return (words + [term for run in runs for term in _pairs(run) or [run]]) or stops


def _tokens(text: str) -> tuple[list[str], list[str], list[str]]:
    """Stems of words, stop words, and runs of characters of scripts without spaces."""
    words: list[str] = []
    stops: list[str] = []
    runs: list[str] = []
    for match in _token_pattern().finditer(_fold(text)):
        token = match.group()
        if match.group("unspaced"):
            runs.append(token)
        else:
            (stops if token in STOP_WORDS else words).append(token[:MAX_TERM_CHARACTERS])
    return (list(_stemmer().analyze(" ".join(words))) if words else []), stops, runs


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]
