"""A file of 200 MB in a process that may have 2 GB of addresses: it is streamed, and nothing is lost on the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from staged import Make

GIGABYTE = 2**30
SIZE = 200_000_000

# Arguments: the config file and the limit. A process of its own, since a limit can't be taken back.
SCRIPT = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
from stratagraph.landing.pipeline import run_pipeline
from stratagraph.project import Project
from stratagraph.sources.read.files import FileReader
from stratagraph.sources.read.reader import Since

project = Project.load(sys.argv[1])
reader = FileReader(project, "feed", project.config.sources["feed"])
with reader.open(Since()) as opened:
    run_pipeline(project, "feed", opened.resources)
    types = {column.name: column.type for column in opened.columns()}
    refused = [item.location for item in opened.refused()]
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"types": types, "refused": refused, "used": used}))
"""


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_large_file_in_little_memory(make_project: Make, tmp_path: Path) -> None:
    rows = 0
    with (tmp_path / "large.csv").open("w", encoding="utf-8", newline="") as stream:
        stream.write("id,code,price,day,note\r\n")
        while stream.tell() < SIZE:
            block = range(rows, rows + 10_000)
            stream.write("".join(
                f'{n},{n % 100_000:05},{n % 1_000}.{n % 100:02},20{n % 90 + 10}-0{n % 9 + 1}-1{n % 10},'
                f'"é, ""{n}""\r\nline two"\r\n'
                for n in block
            ))  # fmt: skip
            rows += len(block)
        stream.write("the last row is bad\r\n")
    project = make_project(feed={"type": "files", "path": "large.csv"})
    # Arrow's usual allocator sets a gigabyte of addresses aside, used or not.
    environment = os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "stratagraph.yaml"), str(2 * GIGABYTE)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["types"] == {"id": "integer", "code": "text", "price": "decimal", "day": "date", "note": "text"}
    assert found["refused"] == [f"large.csv:{2 * rows + 2}"]
    assert found["used"] < GIGABYTE
    with project.landing_connection() as connection:
        summary = connection.execute(
            """SELECT count(*), count(DISTINCT id), sum(id), sum(CAST(code AS BIGINT)), min(length(code)),
                      bool_and(note = 'é, "' || id || '"' || chr(13) || chr(10) || 'line two') FROM feed."large\""""
        ).fetchone()
    assert summary == (rows, rows, rows * (rows - 1) // 2, sum(n % 100_000 for n in range(rows)), 5, True)
