"""The benchmark of extraction: Text2KGBench, through the library's own engines, validation and grounding.

`python benchmarks/text2kgbench.py --help`. What is measured and why stands in `benchmarks/README.md`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

if __package__ in (None, ""):  # started as a file: the checkout is where the packages are
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.text2kg.files import Task, read_tasks, write_examples
from benchmarks.text2kg.metrics import Scores, mean, score
from benchmarks.text2kg.predictions import WRITTEN, predict
from stratagraph.extraction.embedded.engine import EmbeddedExtractor
from stratagraph.extraction.embedded.learned.source import Examples
from stratagraph.extraction.protocol import ChunkInput, Extractor
from stratagraph.ontology.load import load_ontology
from stratagraph.ontology.model import Ontology

HEADER = (
    "ontology",
    "sentences",
    "P",
    "R",
    "official F1",
    "strict F1",
    "conformance",
    "subj. halluc.",
    "obj. halluc.",
    "ms CPU",
)


@dataclass(frozen=True)
class Measured:
    """One ontology's scores, what was refused, and CPU milliseconds a sentence and seconds of training."""

    name: str
    sentences: int
    scores: Scores
    refused: int
    milliseconds: float
    training_seconds: float


def measure(task: Task, examples: int | None, settings: argparse.Namespace, folder: Path) -> Measured:
    """Read the test sentences of one ontology. examples: per relation; None is all, 0 is none."""
    ontology = load_ontology([task.owl])
    with _engine(task, ontology, examples, settings, folder) as engine:
        began = time.process_time()
        if settings.extractor == "embedded":
            engine.extract(ChunkInput("Warm.", WRITTEN), ontology)  # trains
        training = time.process_time() - began
        found = predict(task, engine, ontology, settings.topics)
    spent = 1000 * found.seconds / len(task.test)
    return Measured(task.name, len(task.test), score(task, found.triples), found.refused, spent, training)


@contextmanager
def _engine(
    task: Task, ontology: Ontology, examples: int | None, settings: argparse.Namespace, folder: Path
) -> Iterator[Extractor]:
    if settings.extractor == "openai":
        from benchmarks.text2kg.replay import replaying

        with replaying(task, ontology) as (engine, _):
            yield engine
    else:
        yield EmbeddedExtractor(_examples(task, examples, settings, folder))


def _examples(task: Task, examples: int | None, settings: argparse.Namespace, folder: Path) -> Examples | None:
    if examples == 0:
        return None
    path = folder / f"{task.name}.jsonl"
    write_examples(task, path, examples)
    return Examples([path], folder / "models", settings.min_confidence, settings.every_sentence)


def report(measured: list[Measured]) -> str:
    """A Markdown table: a row per ontology, and the mean."""
    rows = [(m.name.removeprefix("ont_"), str(m.sentences), m.scores, m.milliseconds) for m in measured]
    if len(measured) > 1:
        sentences = sum(m.sentences for m in measured)
        spent = sum(m.milliseconds * m.sentences for m in measured) / sentences
        rows.append(("mean", str(sentences), mean([m.scores for m in measured]), spent))
    lines = [f"| {' | '.join(HEADER)} |", f"|{' --- |' * len(HEADER)}"]
    for name, count, scores, spent in rows:
        lines.append(f"| {name} | {count} | {' | '.join(f'{value:.3f}' for value in astuple(scores))} | {spent:.1f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure the ontologies whose test triples are there."""
    parser = argparse.ArgumentParser(description="Text2KGBench through the library's extraction, validation and grounding.")
    parser.add_argument("--data", type=Path, required=True, help="folder of the benchmark, or of one of its halves")
    parser.add_argument("--ontologies", help="numbers, such as 1,3,5; default: all whose test triples are there")
    parser.add_argument(
        "--examples", help="annotated sentences of the train split per relation: a number, or all", default="all"
    )
    parser.add_argument(
        "--extractor", choices=("embedded", "openai"), default="embedded",
        help="openai: a scripted endpoint gives the annotated triples; what is missing is what validation and grounding refuse",
    )  # fmt: skip
    parser.add_argument("--topics", action="store_true", help="tell each sentence's main subject, as a document's title would")
    parser.add_argument("--min-confidence", type=float, default=0.3)
    parser.add_argument(
        "--careful", dest="every_sentence", action="store_false",
        help="as in a project by default: say nothing of a sentence rather than the likeliest (with --min-confidence 0.5)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--folder", type=Path, help="where trained models are kept for the next run")
    settings = parser.parse_args()
    tasks = read_tasks(settings.data, set(settings.ontologies.split(",")) if settings.ontologies else None)
    if not tasks:
        parser.error(f"no test triples under {settings.data}: it needs …/ground_truth/ont_*_ground_truth.jsonl")
    examples = None if settings.examples == "all" else int(settings.examples)
    with tempfile.TemporaryDirectory() as scratch:
        folder = settings.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        measured = [measure(task, examples, settings, folder) for task in tasks]
    if settings.json:
        print(json.dumps([asdict(each) for each in measured], indent=1))
    else:
        print(report(measured))
        refused, training = sum(m.refused for m in measured), sum(m.training_seconds for m in measured)
        print(f"\nrefused items: {refused}; training: {training:.0f} CPU s")


if __name__ == "__main__":
    main()
