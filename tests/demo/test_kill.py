"""kill -9 of the demo at 20 random moments: every re-run ends in the content hash of an undisturbed run.

The moments come in chains: an empty data directory, then kill after kill of the run that resumes it, then a run that is
left alone. So a moment is hit in the first build as well as in a resumed one. The seed is printed with a failure.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[2]
KILLS = 20
CHAINS = 5
SEED = 20130316

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


class Place:
    """A copy of the demo with its own data and Dagster home, so that preparing it can be killed too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(CHECKOUT / "examples", folder / "examples")
        shutil.copytree(CHECKOUT / "ontologies", folder / "ontologies")
        (folder / "home").mkdir()
        (folder / "home" / "dagster.yaml").symlink_to(CHECKOUT / "dagster.yaml")

    def start(self) -> subprocess.Popen[str]:
        environment = os.environ | {
            "STRATAGRAPH_CONFIG": str(self.folder / "examples" / "demo" / "stratagraph.yaml"),
            "DAGSTER_HOME": str(self.folder / "home"),
        }
        return subprocess.Popen(
            [sys.executable, "-m", "dagster_project.demo", "--json"],
            cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def finish(self) -> dict[str, Any]:
        """A run that is left alone."""
        output, errors = self.start().communicate(timeout=900)
        assert output, errors[-3000:]
        report: dict[str, Any] = json.loads(output)
        return report

    def killed_after(self, seconds: float) -> bool:
        """A run that is killed with all its children after this time; False if it had ended by then."""
        process = self.start()
        time.sleep(seconds)
        alive = process.poll() is None
        if alive:
            os.killpg(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
        assert alive or process.returncode == 0, errors[-3000:]
        return alive


def test_killed_runs_end_where_an_undisturbed_one_does(tmp_path: Path) -> None:
    started = time.monotonic()
    expected = Place(tmp_path / "undisturbed").finish()
    whole = time.monotonic() - started
    moments = random.Random(SEED)
    done = 0
    for chain in range(CHAINS):
        place = Place(tmp_path / f"chain{chain}")
        wanted = KILLS // CHAINS
        while wanted:
            # The first seconds of every run are imports: later moments are worth more, and each resumed run is shorter.
            seconds = moments.uniform(0.1, 0.6) * whole
            if not place.killed_after(seconds):
                shutil.rmtree(place.folder)  # it had ended: there is nothing left to interrupt, so start from nothing
                place = Place(place.folder)
                continue
            wanted -= 1
            done += 1
        report = place.finish()
        assert report["content_hash"] == expected["content_hash"], f"chain {chain} of seed {SEED}"
        assert report["rows"] == expected["rows"], f"chain {chain} of seed {SEED}"
        again = place.finish()
        assert set(again["new_rows"].values()) == {0}
        assert again["extraction_calls"] == 0
        assert again["content_hash"] == expected["content_hash"]
        assert not leftovers(place.folder / "data"), f"chain {chain} of seed {SEED}"
    assert done == KILLS


def leftovers(data: Path) -> list[str]:
    """Temporary files and folders that a finished run should not leave behind."""
    return sorted(
        str(path.relative_to(data))
        for path in data.rglob("*")
        if path.suffix in (".tmp", ".wal") or path.name.startswith((".tmp", "tmp"))
    )
