"""Normalises names for comparison. The original spelling is always kept beside it.

Only spelling is normalised (Unicode form, case, punctuation, spaces); whether two equal names are one thing is decided in
`resolve.py`, never here.
"""

from __future__ import annotations

import re
import unicodedata

_SEPARATORS = re.compile(r"[\s_]+")
# Signs that carry meaning in names: C++ is not C, C# is not C, A&B is not AB.
_MEANINGFUL = frozenset("+#&@%$€£¥№")


def normalise_name(name: str) -> str:
    """NFKC, case-folded, apostrophes dropped, other punctuation to spaces (except signs such as + and #), single-spaced.

    >>> normalise_name("O’Brien  & Sons, Ltd.")
    'obrien & sons ltd'
    >>> normalise_name("ＡＣＭＥ") == normalise_name("Acme")
    True
    >>> normalise_name("C++ Foundation") == normalise_name("C# Foundation")
    False
    """
    text = unicodedata.normalize("NFKC", name).casefold()
    text = unicodedata.normalize("NFKC", text)
    kept = []
    for character in text:
        if character in "'’‘ʼ`´":
            continue
        category = unicodedata.category(character)
        if category.startswith(("P", "Z", "C")) and character not in _MEANINGFUL:
            kept.append(" ")
        else:
            kept.append(character)
    return _SEPARATORS.sub(" ", "".join(kept)).strip()
