"""kill -9 in the middle of a load, then the same run again: as if nothing had happened."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stratagraph.documents.chunks import update_chunks

RUN = """
import json, sys
from datetime import UTC, datetime
from pathlib import Path
from stratagraph.config.model import Config
from stratagraph.documents.chunks import update_chunks
from stratagraph.documents.load import load_documents
from stratagraph.project import Project

root, config, now = sys.argv[1:]
project = Project(Config.model_validate(json.loads(config)), Path(root), lambda: datetime.fromisoformat(now))
print("started", flush=True)
load_documents(project)
update_chunks(project)
"""


def start(bench: Any) -> subprocess.Popen[bytes]:
    config = bench.project.config.model_dump_json(by_alias=True)
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(bench.root), config, bench.now.isoformat()], stdout=subprocess.PIPE
    )
    assert process.stdout and process.stdout.readline() == b"started\n"
    return process


def prepare(bench: Any, version: int) -> None:
    for number in range(40):
        bench.put(f"notes/{number}.md", f"# Note {number}\n\n" + f"Version {version if number % 2 else 0} of a text. " * 50)
    bench.put("notes/bad.txt", b"\xff" * version)


@pytest.fixture
def undisturbed(make_bench: Callable[[Path], Any], tmp_path: Path) -> tuple[Any, float]:
    bench = make_bench(tmp_path / "undisturbed")
    for version in (1, 2):
        prepare(bench, version)
        began = time.monotonic()
        process = start(bench)
        began = time.monotonic()
        assert process.wait() == 0
        bench.now += timedelta(hours=1)
    return bench, time.monotonic() - began


@pytest.mark.slow
def test_a_killed_load_is_finished_by_the_next(
    make_bench: Callable[[Path], Any], tmp_path: Path, undisturbed: tuple[Any, float]
) -> None:
    expected, seconds = undisturbed
    bench = make_bench(tmp_path / "killed")
    killed = 0
    for version in (1, 2):
        prepare(bench, version)
        for share in (0.45, 0.75):
            process = start(bench)
            time.sleep(share * seconds)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                killed += 1
            process.wait()
        process = start(bench)
        assert process.wait() == 0
        bench.now += timedelta(hours=1)
    assert killed >= 2
    assert bench.content() == expected.content()
    table = "SELECT path, content_hash, recorded_to = 'infinity', count(*) FROM graph.documents GROUP BY ALL ORDER BY ALL"
    assert bench.rows(table) == expected.rows(table)
    assert bench.counts() == expected.counts()
    assert not update_chunks(bench.project).changed
