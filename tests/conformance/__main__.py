"""The command line of the vectors: `python -m tests.conformance DIR [FILES...]`."""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .run import lines, run_file


def find_files(folder: Path, names: list[str]) -> list[Path]:
    """The vector files of a folder, or those named: by file name, by story name, or by path."""
    if not names:
        return sorted(folder.glob("*.json"))
    found = []
    for name in names:
        options = [folder / name, folder / f"{name}.json", Path(name)]
        found.append(next((path for path in options if path.is_file()), options[0]))
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run, print, and say by the exit code whether everything matched."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description="Run bitemporal test vectors.")
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder of vector files (*.json)")
    parser.add_argument("files", metavar="FILES", nargs="*", help="only these of them")
    options = parser.parse_args(arguments)
    files = find_files(options.folder, options.files)
    if not files:
        parser.error(f"{options.folder}: no vector files (*.json) there")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(run_file, files))
    for line in lines(outcomes):
        print(line)
    return 1 if any(outcome.mismatches for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
