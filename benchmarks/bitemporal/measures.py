"""The parts of the benchmark: each measures one claim about the engine and adds its lines, with the target it is held to."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.bitemporal import statements, store
from benchmarks.bitemporal.child import ProbeError, run
from benchmarks.bitemporal.run import BATCH_AT, REPLAY_AT, Run
from benchmarks.bitemporal.sizes import SMALL

GIB = 1024**3


def merge(this: Run) -> None:
    """The batch into the base, the floors below it, and the same batch again; interleaved, in rounds."""
    base, batch = this.base(), this.batch(this.size.keys, this.size.batch)
    rounds: list[dict[str, dict[str, Any]]] = []
    for number in range(this.repeats):
        with store.copied(base, "merge") as copy:
            merged = this.commit(copy, batch, check=this.check and number == 0)
            floors = this.probe("writes.insert_written", copy, instant=BATCH_AT, growth=merged["growth"])
            replayed = this.commit(copy, batch, REPLAY_AT)
        rounds.append({"merge": merged, "floor A": floors["belief"], "floor B": floors["all"], "replay": replayed})
        this.say("  " + ", ".join(f"{name} {seen['wall']:.2f} s" for name, seen in rounds[-1].items()))
    best = {name: min((seen[name] for seen in rounds), key=lambda seen: seen["wall"]) for name in rounds[0]}
    middle = {name: statistics.median(seen[name]["wall"] for seen in rounds) for name in rounds[0]}
    merged, replayed = best["merge"], best["replay"]
    this.profiles["merge"], this.profiles["replay"] = merged["profile"], replayed["profile"]
    rows = f"{merged['statements']:,} statements, {merged['opened']:,} rows opened, {merged['closed']:,} closed"
    this.add("merge", f"{_times(merged, middle['merge'])}; {rows}")
    for name, what in (("floor A", "INSERT of the belief rows alone"), ("floor B", "INSERT of every row written")):
        count = sum(best[name]["rows"].values())
        this.add(name, f"{_times(best[name], middle[name])}; {what}, {count:,} rows")
    this.add("merge / floor A", "wall, best of rounds", merged["wall"] / best["floor A"]["wall"], 2.5)
    this.add("merge / floor B", "wall, best of rounds", merged["wall"] / best["floor B"]["wall"], 2.5)
    this.add("merge / floor A, CPU", "", merged["cpu"] / max(best["floor A"]["cpu"], 0.001))
    this.add("merge / floor B, CPU", "", merged["cpu"] / max(best["floor B"]["cpu"], 0.001))
    after, floor_after = merged["checkpoint"], best["floor B"]["checkpoint"]
    this.add("CHECKPOINT after the merge", f"{after:.2f} s; after floor B {floor_after:.2f} s; neither is in the figures above")
    this.add("replay", _times(replayed, middle["replay"]))
    this.add("replay / merge", "wall, best of rounds", replayed["wall"] / merged["wall"], 0.5)
    written = max(seen["replay"]["rows_written"] + seen["replay"]["new"] for seen in rounds)
    this.add("replay writes", f"{written} rows of belief and of the log", float(written), 0, "rows")
    this.add("merge, peak memory", f"{merged['peak_memory'] / GIB:.2f} GiB, memory_limit {this.size.memory_limit}",
             merged["peak_memory"] / GIB, 6, "GiB")  # fmt: skip


def reads(this: Run) -> None:
    """A point of both clocks over all rows against a bare scan; one node by id, before and after maintenance."""
    with store.copied(this.base(), "reads") as copy:
        scanned = this.probe("reads.scan", copy, repeats=max(3, this.repeats))
        bare = scanned["seconds"]["bare scan"]
        this.add("bare scan", f"{1000 * bare:.1f} ms; {scanned['rows']['bare scan']:,} rows, the columns that as-of reads")
        for name, seconds in scanned["seconds"].items():
            if name != "bare scan":
                figure = f"{1000 * seconds:.1f} ms; {scanned['rows'][name]:,} rows believed"
                this.add(f"as-of {name} / bare scan", figure, seconds / bare, 2)
        _lookups(this, copy, "before maintenance", None)
        try:
            maintained = this.probe("reads.maintain", copy)
        except ProbeError as error:
            this.add("maintenance", f"not measured: {error}")
            return
        before, after = maintained["bytes_before"] / GIB, maintained["bytes_after"] / GIB
        this.add("maintenance", f"{maintained['wall']:.1f} s, {before:.2f} GiB before, {after:.2f} GiB after")
        _lookups(this, copy, "after maintenance", 5.0)


def _lookups(this: Run, path: Path, when: str, target: float | None) -> None:
    found = this.probe("reads.look_up", path, keys=this.size.keys, ids=200)
    for name in ("history", "as-of"):
        p50, worst = found[name]["p50"], found[name]["max"]
        figure = f"p50 {p50:.2f} ms (CPU {found[name]['cpu']:.2f} ms), max {worst:.2f} ms"
        this.add(f"one node, {name}, {when}", figure, p50, target, "ms")


def growth(this: Run) -> None:
    """One batch, a tenth of the size, into the store and into one that holds a tenth of its keys: the same keys are touched."""
    keys = max(1, this.size.keys // SMALL)
    small, large = this.base(keys), this.base()
    batch = this.batch(keys, max(1, this.size.batch // SMALL))
    taken: dict[str, list[float]] = {"small": [], "large": []}
    for _ in range(this.repeats):
        for name, base in (("small", small), ("large", large)):
            with store.copied(base, f"growth-{name}") as copy:
                committed = this.commit(copy, batch)
                taken[name].append(committed["wall"])
                this.profiles[f"tenth of the batch, {name} store"] = committed["profile"]
    few, many = min(taken["small"]), min(taken["large"])
    figure = f"{few:.2f} s into {5 * keys:,} rows, {many:.2f} s into {this.size.rows:,} rows"
    this.add("same batch into 10 times the rows", figure, many / few, 2)


def memory(this: Run) -> None:
    """The batch once more under a small memory limit: it may spill, and must finish."""
    batch = this.batch(this.size.keys, this.size.batch)
    with store.copied(this.base(), "memory") as copy:
        limited = this.commit(copy, batch, memory_limit="2GB")
    figure = f"finished in {limited['wall']:.1f} s, peak memory {limited['peak_memory'] / GIB:.2f} GiB"
    this.add("merge with memory_limit='2GB'", figure, limited["peak_memory"] / GIB, 6, "GiB")


def hot_key(this: Run) -> None:
    """Statements of one key, and ten times as many: per statement, the cost must stay about the same."""
    many = max(10, this.size.batch // SMALL)
    few = max(1, many // SMALL)
    for mode in ("period", "event"):
        name = f"hot key, {mode}: growth per statement"
        first = _of_one_key(this, few, mode)
        try:
            second = _of_one_key(this, many, mode)
        except ProbeError as error:
            this.add(name, f"{first['wall']:.2f} s for {few:,} statements of one key; {many:,}: {error}", None, 1.5)
            continue
        figure = (
            f"{first['wall']:.2f} s (CPU {first['cpu']:.2f} s) for {few:,} statements of one key, "
            f"{second['wall']:.2f} s (CPU {second['cpu']:.2f} s) for {many:,}; ratio of the CPU"
        )
        this.add(name, figure, second["cpu"] / first["cpu"] * few / many, 1.5)


def _of_one_key(this: Run, count: int, mode: str) -> dict[str, Any]:
    """A commit of so many statements of one key into an empty store."""
    path = this.folder / "hot.duckdb"
    file = statements.write_hot_key(this.folder / f"hot-{count}-{mode}.parquet", count, mode, this.size.seed)
    try:
        committed = this.commit(path, file)
    finally:
        for leftover in (path, path.with_name("hot.duckdb.wal")):
            leftover.unlink(missing_ok=True)
    this.profiles[f"hot key, {mode}, {count:,} statements"] = committed["profile"]
    return committed


def one_statement(this: Run) -> None:
    """The fixed cost of a commit: one statement into the store."""
    file = statements.write_one(this.folder / f"one-{this.size.mode}.parquet", this.size.mode, this.size.seed)
    taken = []
    with store.copied(this.base(), "one") as copy:
        committed = this.commit(copy, file)
        taken.append(committed["wall"])
        again = this.commit(copy, file, REPLAY_AT)
    this.profiles["one statement"] = committed["profile"]
    this.add("commit of one statement", f"{committed['wall']:.2f} s, replay {again['wall']:.2f} s")


def peers(this: Run) -> None:
    """dlt's scd2 on the same keys and batch, pytemporal on a tenth of both."""
    try:
        batch = this.batch(this.size.keys, this.size.batch)
        arguments = {"path": str(this.base()), "file": str(batch), "folder": str(this.folder)}
        seen = run("peers.dlt_scd2", arguments, timeout=this.timeout)
        cost = 1e6 * seen["wall"] / (seen["opened"] + seen["closed"])
        figure = (
            f"{seen['wall']:.2f} s, its merge SQL {seen['merge']:.2f} s, its base {seen['base_wall']:.0f} s; "
            f"{seen['keys']:,} keys, {seen['rows_in']:,} rows in, "
            f"{seen['opened']:,} opened, {seen['closed']:,} closed: {cost:.2f} µs a row"
        )
        this.add("dlt scd2, one clock", figure)
    except ProbeError as error:
        this.add("dlt scd2, one clock", f"not measured: {error}")
    keys = max(1, this.size.keys // SMALL)
    batch = this.batch(keys, max(1, this.size.batch // SMALL))
    try:
        peer = run("peers.pytemporal_changes", {"path": str(this.base(keys)), "file": str(batch)}, timeout=this.timeout)
        figure = (
            f"{peer['wall']:.2f} s, {peer['peak_memory'] / GIB:.1f} GiB, nothing stored; {peer['rows']:,} open rows, "
            f"{peer['rows_in']:,} updates, {peer['opened']:,} rows to insert, {peer['closed']:,} to close"
        )
        this.add("pytemporal, a tenth of the size", figure)
    except ProbeError as error:
        this.add("pytemporal, a tenth of the size", f"not measured: {error}")


PARTS: dict[str, Callable[[Run], None]] = {
    "merge": merge,
    "reads": reads,
    "growth": growth,
    "memory": memory,
    "hot-key": hot_key,
    "one-statement": one_statement,
    "peers": peers,
}


def measure(this: Run, parts: list[str]) -> None:
    """Measure the chosen parts in order; one that cannot be measured says why, and the others go on."""
    for part in parts:
        this.say(f"measuring: {part}")
        try:
            PARTS[part](this)
        except ProbeError as error:
            this.add(part, f"not measured: {error}", None, 0)


def _times(seen: dict[str, Any], median: float) -> str:
    return f"{seen['wall']:.2f} s (median {median:.2f} s), CPU {seen['cpu']:.2f} s"
