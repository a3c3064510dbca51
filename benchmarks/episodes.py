"""The benchmark of text: what an episode costs on its way from a file to belief when the model answers at once.

`python benchmarks/episodes.py --help`. What is measured and why stands in `benchmarks/README.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # started as a file: the checkout is where the packages are
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
os.environ.setdefault("RUNTIME__LOG_LEVEL", "ERROR")

from benchmarks.episodic.corpus import Corpus, make_corpus, read_corpus

CHECKOUT = Path(__file__).resolve().parents[1]
WARM_UP = 20
FROM_EXTRACTION = ("extraction", "belief")
TARGET_CPU, TARGET_CHARACTERS = 10.0, 3000
# Measured with the same corpus and a model that answers at once; CPU ms, calls, characters of prompts per episode.
PEERS = {
    "graphiti-core 0.31.2": {"cpu": "47-216", "calls": "4.1", "characters": "23,300"},
    "cognee 1.6.5": {"cpu": "415-553", "calls": "2.0", "characters": "7,046"},
}
EMPLOYERS = """
WITH queries AS (
    SELECT person, gold, CAST("at" AS TIMESTAMPTZ) AS moment, row_number() OVER () AS nth FROM asked
), believed AS (
    SELECT fact, valid_from, valid_to FROM graph.edges WHERE recorded_to = 'infinity' AND contains(fact, ' works for ')
)
SELECT q.nth, q.person, q.gold, list(b.fact) AS facts
FROM queries AS q LEFT JOIN believed AS b
  ON starts_with(b.fact, q.person || ' works for ') AND b.valid_from <= q.moment AND q.moment < b.valid_to
GROUP BY ALL
"""


@dataclass(frozen=True)
class Figures:
    """What one corpus cost with one engine. CPU in ms per episode.

    Args:
        steps, again: CPU by step, in the first run and when all of it runs once more on the same input.
        children: CPU of processes that the steps started, such as the one that reads document files.
        right: questions that are answered with exactly the right employer, of all.
    """

    engine: str
    episodes: int
    steps: dict[str, float]
    again: dict[str, float]
    children: float
    calls_per_chunk: float
    calls_again: int
    right: tuple[int, int]
    facts: tuple[int, int]
    message_characters: float = 0.0
    schema_characters: float = 0.0
    imports: float = field(default=0.0, compare=False)

    @property
    def from_extraction(self) -> float:
        return sum(self.steps[name] for name in FROM_EXTRACTION)


def make_project(folder: Path, corpus: Corpus, extraction: str) -> Any:
    """A project of that corpus and the demo's ontology."""
    from stratagraph.project import Project

    folder.mkdir(parents=True)
    (folder / "notes.json").write_text(json.dumps({"episodes": corpus.episodes}), encoding="utf-8")
    for name in ("core.ttl", "demo.ttl"):
        shutil.copy(CHECKOUT / "ontologies" / name, folder / name)
    (folder / "stratagraph.yaml").write_text(
        "version: 1\nbase_iri: https://example.org/graph/\nontology: {files: [core.ttl, demo.ttl]}\n"
        f"documents: {{notes: {{type: episodes, path: notes.json}}}}\nextraction: {extraction}\n",
        encoding="utf-8",
    )
    return Project.load(folder / "stratagraph.yaml")


def pipeline_steps() -> dict[str, Callable[[Any], Any]]:
    """The steps from documents to belief, as a build runs them."""
    from stratagraph.documents.chunks import update_chunks
    from stratagraph.documents.load import load_documents
    from stratagraph.documents.stage import stage_documents
    from stratagraph.extraction.run import extract
    from stratagraph.ontology.load import update_ontology
    from stratagraph.temporal.run import commit_staged

    return {
        "documents": load_documents, "chunks": update_chunks, "document nodes": stage_documents, "ontology": update_ontology,
        "extraction": extract, "belief": commit_staged,
    }  # fmt: skip


def run_all(project: Any, episodes: int) -> tuple[dict[str, float], Any]:
    """CPU ms per episode of each step, and what extraction said."""
    spent, extracted = {}, None
    for name, step in pipeline_steps().items():
        before = time.process_time()
        result = step(project)
        spent[name] = (time.process_time() - before) * 1000 / episodes
        extracted = result if name == "extraction" else extracted
    return spent, extracted


def measure(folder: Path, corpus: Corpus, engine: str, extraction: str, counts: Callable[[], dict[str, int]]) -> Figures:
    """One corpus with one engine, twice."""
    episodes = len(corpus.episodes)
    project = make_project(folder, corpus, extraction)
    before, children = counts(), _children()
    steps, extracted = run_all(project, episodes)
    asked = {name: count - before[name] for name, count in counts().items()}
    children = (_children() - children) * 1000 / episodes
    again, nothing = run_all(project, episodes)
    calls_again = nothing.calls + counts()["requests"] - before["requests"] - asked["requests"]
    calls = asked["requests"] if engine == "openai" else extracted.calls
    return Figures(
        engine, episodes, steps, again, children, calls / extracted.chunks, calls_again, *_truth(project, corpus),
        asked["message_characters"] / episodes, asked["schema_characters"] / episodes,
    )  # fmt: skip


def _truth(project: Any, corpus: Corpus) -> tuple[tuple[int, int], tuple[int, int]]:
    """Questions answered with exactly the right employer; employments believed, and those of the key."""
    import pyarrow as pa

    with project.read() as connection:
        connection.register(
            "asked", pa.Table.from_pylist([{k: q[k] for k in ("person", "at", "gold")} for q in corpus.queries])
        )
        found = connection.execute(EMPLOYERS).fetchall()
        held = "SELECT count(*) FROM graph.edges WHERE contains(fact, ' works for ') AND recorded_to = 'infinity'"
        (believed,) = connection.execute(held).fetchall()[0]
    right = sum(facts == [f"{person} works for {gold}"] for _, person, gold, facts in found)
    return (right, len(found)), (believed, corpus.facts)


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def model() -> Iterator[tuple[str, Callable[[], dict[str, int]]]]:
    """The scripted endpoint in a process of its own: its address, and what it was asked."""
    process = subprocess.Popen(
        [sys.executable, str(CHECKOUT / "benchmarks/episodic/endpoint.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    url = f"http://127.0.0.1:{int(process.stdout.readline())}"

    def counts() -> dict[str, int]:
        with urllib.request.urlopen(f"{url}/counts") as answer:
            return dict(json.load(answer))

    try:
        yield f"{url}/v1", counts
    finally:
        process.stdin.close()
        process.wait()


def corpora(data: Path | None, sizes: list[int]) -> Iterator[tuple[str, Corpus]]:
    """Each corpus by its name: from a file where there is one, else made."""
    for size in sizes:
        file = data / "changing_facts" / f"corpus{size}.json" if data else None
        found = file is not None and file.is_file()
        yield ("changing_facts" if found else "made"), read_corpus(file) if found and file else make_corpus(size)


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; a missed target is no failure of the run."""
    options = argparse.ArgumentParser(prog="episodes.py", description=__doc__)
    options.add_argument(
        "--data", type=Path, help="a folder with changing_facts/corpus50.json and the like; without, all is made"
    )
    options.add_argument("--sizes", type=int, nargs="+", default=[50, 200, 2000], help="episodes of each corpus")
    options.add_argument("--engine", choices=("embedded", "openai"), help="only this one")
    options.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    given = options.parse_args(arguments)
    started = time.process_time()
    pipeline_steps()
    imports = time.process_time() - started
    os.environ.setdefault("OPENAI_API_KEY", "none")
    report = []
    with tempfile.TemporaryDirectory(prefix="episodes-") as temporary, model() as (url, counts):
        engines = {"embedded": "{engine: embedded}", "openai": f"{{engine: openai, base_url: '{url}', model: scripted}}"}
        for engine, extraction in engines.items():
            if given.engine in (None, engine):
                measure(Path(temporary) / f"{engine}-warm", make_corpus(WARM_UP), engine, extraction, counts)
                for number, (name, corpus) in enumerate(corpora(given.data, given.sizes)):
                    figures = measure(Path(temporary) / f"{engine}-{number}", corpus, engine, extraction, counts)
                    report.append(asdict(figures) | {"corpus": name, "extraction to belief": figures.from_extraction})
    if given.json:
        print(json.dumps({"imports": imports, "figures": report, "peers": PEERS}, indent=2))
        return 0
    print(_as_table(report))
    print(f"\nimports once: {imports:.2f} CPU s. Target: {TARGET_CPU:g} CPU ms, {TARGET_CHARACTERS:,} characters.")
    return 0


def _as_table(report: list[dict[str, Any]]) -> str:
    head = (
        "who", "N", "extraction to belief", "all steps", "of them extraction", "belief", "children", "again", "calls per chunk",
        "calls again", "prompt characters", "+ schema", "right", "facts",
    )  # fmt: skip
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for each in report:
        steps = each["steps"]
        cells = (
            f"{each['engine']}, {each['corpus']}", f"{each['episodes']:,}", f"**{each['extraction to belief']:.2f}**",
            f"{sum(steps.values()):.2f}", f"{steps['extraction']:.2f}", f"{steps['belief']:.2f}", f"{each['children']:.2f}",
            f"{sum(each['again'].values()):.2f}", f"{each['calls_per_chunk']:.2f}", str(each["calls_again"]),
            f"{each['message_characters']:,.0f}", f"{each['schema_characters']:,.0f}", "{}/{}".format(*each["right"]),
            "{}/{}".format(*each["facts"]),
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    for name, peer in PEERS.items():
        lines.append(f"| {name} | 200 | {peer['cpu']} | | | | | | {peer['calls']} | 0 | {peer['characters']} | | | |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
