"""Counts tokens as the embedding model of the search index does: its tokenizer comes with the library, nothing is fetched.

Models that write statements have larger vocabularies: a text has as many tokens there or fewer, above all in Chinese, Japanese
and Thai, so a limit in these tokens holds for them too.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

_WINDOW = 20_000  # characters tokenised at a time


@cache
def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    from stratagraph.search.vectors import model_folder

    config = model_folder() / "tokenizers" / "l2_supercat_tokenizer_config.json"
    tokenizer = Tokenizer.from_str(config.read_text(encoding="utf-8"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def count_tokens(text: str) -> int:
    """Tokens of a text.

    >>> count_tokens("The committee met."), count_tokens("委员会开会了。")
    (5, 10)
    """
    return len(_tokenizer().encode(text, add_special_tokens=False).ids)


def token_starts(text: str) -> npt.NDArray[np.int64]:
    """For each place in a text, how many tokens start before it."""
    counts = np.zeros(len(text) + 1, dtype=np.int64)
    for start in range(0, len(text), _WINDOW):
        encoding = _tokenizer().encode(text[start : start + _WINDOW], add_special_tokens=False)
        starts = np.fromiter((begin for begin, _ in encoding.offsets), dtype=np.int64, count=len(encoding.ids))
        counts[start + 1 : start + 1 + min(_WINDOW, len(text) - start)] = np.bincount(
            starts, minlength=min(_WINDOW, len(text) - start)
        )
    return np.cumsum(counts)
