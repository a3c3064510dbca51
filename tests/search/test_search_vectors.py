"""The embedding model leaves the process as it is."""

from __future__ import annotations

import subprocess
import sys


def test_the_model_sets_up_no_logging() -> None:
    code = (
        "import logging\nfrom stratagraph.search.vectors import embed\nembed(['a'], 64)\n"
        "root = logging.getLogger()\nprint(root.level, root.handlers)\nlogging.getLogger('x').info('a note')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "30 []\n"
    assert done.stderr == ""
