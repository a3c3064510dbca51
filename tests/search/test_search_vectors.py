"""The embedding model and its tokenizer leave the process as it is."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "use",
    [
        "from stratagraph.search.vectors import embed; embed(['a'], 64)",
        "from stratagraph.documents.tokens import count_tokens; count_tokens('a')",
    ],
)
def test_no_logging_is_set_up(use: str) -> None:
    shown = "root = logging.getLogger(); print(root.level, root.handlers); logging.getLogger('x').info('a note')"
    done = subprocess.run([sys.executable, "-c", f"import logging\n{use}\n{shown}"], capture_output=True, text=True, check=True)
    assert done.stdout == "30 []\n"
    assert done.stderr == ""
