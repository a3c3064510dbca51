"""The benchmark of the belief engine: ratios of one run, each beside its target.

`make bench-belief`, or `python benchmarks/belief.py --help`. What is measured and why stands in `benchmarks/README.md`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import duckdb

if __package__ in (None, ""):  # started as a file: the checkout is where the packages are
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stratagraph
from benchmarks.bitemporal.measures import PARTS, measure
from benchmarks.bitemporal.report import as_markdown, as_records, as_table
from benchmarks.bitemporal.run import Run
from benchmarks.bitemporal.sizes import Size


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    options = argparse.ArgumentParser(prog="belief.py", description="Ratios of the belief engine, each beside its target.")
    options.add_argument("--keys", type=int, default=2_000_000, help="keys of the base store: 4 open and 1 closed row of each")
    options.add_argument("--batch", type=int, help="statements of the batch (default: half of the keys)")
    options.add_argument("--mode", choices=("period", "event"), default="period", help="how open-ended statements are said")
    options.add_argument("--memory-limit", default="5GB", help="of DuckDB")
    options.add_argument("--threads", type=int, default=2, help="of DuckDB")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--repeats", type=int, default=3, help="rounds of what is measured several times")
    options.add_argument("--timeout", type=float, default=900, help="seconds after which one measurement is given up")
    options.add_argument("--only", nargs="+", choices=sorted(PARTS), help="measure these parts alone")
    options.add_argument("--dir", type=Path, help="keep the base stores here for later runs (default: a temporary directory)")
    options.add_argument("--no-check", action="store_true", help="skip the audits of the base store and of the merged one")
    options.add_argument("--profile", action="store_true", help="print where the time of the measured commits goes")
    options.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    options.add_argument("--markdown", type=Path, help="also write the table and the profiles to this file")
    return options


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; the exit code is 0 also where targets are missed, as a figure of a busy machine proves little."""
    options = parser().parse_args(arguments)
    batch = options.batch or max(1, options.keys // 2)
    size = Size(options.keys, batch, options.mode, options.seed, options.memory_limit, options.threads)
    with tempfile.TemporaryDirectory(prefix="belief-") as temporary:
        folder = (options.dir or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        this = Run(size, folder, options.repeats, options.timeout, not options.no_check, _say)
        started = time.perf_counter()
        measure(this, options.only or list(PARTS))
    head = (
        f"{size.keys:,} keys, {size.rows:,} rows, a batch of {size.batch:,} statements, mode {size.mode}, seed {size.seed}; "
        f"stratagraph {stratagraph.__version__}, DuckDB {duckdb.__version__}, {size.threads} threads, "
        f"memory_limit {size.memory_limit}; {time.perf_counter() - started:.0f} s in all"
    )
    if options.json:
        print(json.dumps({"run": head, "size": vars(size), "lines": as_records(this.lines), "profiles": this.profiles}))
    else:
        print(f"{head}\n\n{as_table(this.lines)}")
        if options.profile:
            print("\n" + "\n\n".join(f"{name}\n{profile}" for name, profile in this.profiles.items()))
    if options.markdown:
        profiles = "\n\n".join(f"### {name}\n\n```\n{profile}\n```" for name, profile in this.profiles.items())
        options.markdown.write_text(f"{head}\n\n{as_markdown(this.lines)}\n\n## Profiles\n\n{profiles}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
