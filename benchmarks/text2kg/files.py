"""The benchmark's files: per ontology its OWL file, annotated train sentences, test sentences with their triples.

Annotations write dates as Wikidata does ("01 January 1984" where the text has 1984). An annotator of this library would copy
the words of the text; `as_written` does that for the train split, and `as_annotated` turns what was read into the benchmark's
form. The test split's triples are read for the metrics alone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Triple = tuple[str, str, str]  # subject, relation label, object

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_ANNOTATED = re.compile(rf"(\d{{2}}) ({_MONTH}) (\d{{4}})")
_DAY_FIRST = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH}),? (\d{{4}})")
_MONTH_FIRST = re.compile(rf"({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})")


@dataclass(frozen=True)
class Sentence:
    """A test sentence with the triples that the benchmark holds for right."""

    text: str
    triples: tuple[Triple, ...]

    @property
    def topic(self) -> str | None:
        """What most triples are about, as a document's title would say."""
        subjects = Counter(subject for subject, _, _ in self.triples)
        return subjects.most_common(1)[0][0] if subjects else None


@dataclass(frozen=True)
class Task:
    """One ontology of the benchmark."""

    name: str
    owl: Path
    labels: tuple[str, ...]  # of its relations
    concepts: tuple[str, ...]
    train: tuple[tuple[str, Triple], ...]
    test: tuple[Sentence, ...]


def read_tasks(folder: Path, wanted: set[str] | None = None) -> list[Task]:
    """All ontologies whose test triples are there, in the order of their numbers.

    Args:
        folder: that of the benchmark, or of one of its two halves.
        wanted: numbers of ontologies; None is all.
    """
    found = []
    for truth in sorted(folder.glob("**/ground_truth/ont_*_ground_truth.jsonl"), key=_number):
        if truth.parents[1].name == "unseen_sentences":  # without triples of their own in the train split
            continue
        name = truth.name.removesuffix("_ground_truth.jsonl")
        if wanted is not None and str(_number(truth)) not in wanted:
            continue
        half = truth.parents[1]
        raw = json.loads((half / "ontologies" / f"{name.removeprefix('ont_')}_ontology.json").read_text(encoding="utf-8"))
        found.append(
            Task(
                name=name, owl=half / "ontologies" / "owl" / f"{name}.ttl",
                labels=tuple(relation["label"].strip() for relation in raw["relations"]),
                concepts=tuple(concept["label"] for concept in raw["concepts"]),
                train=tuple(
                    (row["sent"], (row["sub_label"], row["rel_label"].strip(), row["obj_label"]))
                    for row in _rows(half / "train" / f"{name}_train.jsonl")
                ),
                test=tuple(
                    Sentence(row["sent"], tuple((t["sub"], t["rel"].strip(), t["obj"]) for t in row["triples"]))
                    for row in _rows(truth)
                ),
            )
        )  # fmt: skip
    return found


def write_examples(task: Task, path: Path, per_relation: int | None) -> int:
    """The train split as annotated examples, of each relation the first so many; returns how many triples."""
    texts: dict[str, list[Triple]] = {}
    taken: Counter[str] = Counter()
    for text, (subject, relation, obj) in task.train:
        if per_relation is None or taken[relation] < per_relation:
            taken[relation] += 1
            texts.setdefault(text, []).append((subject, relation, as_written(obj, text)))
    with path.open("w", encoding="utf-8") as stream:
        for text, triples in texts.items():
            said = [{"subject": s, "predicate": p, "object": o} for s, p, o in triples]
            stream.write(json.dumps({"text": text, "triples": said}, ensure_ascii=False) + "\n")
    return taken.total()


def as_written(obj: str, text: str) -> str:
    """A date as the text writes it; what is no date, or is not in the text, stays."""
    match = _ANNOTATED.fullmatch(obj)
    if match is None or obj in text:
        return obj
    day, month, year = match.groups()
    forms = [f"{int(day)} {month} {year}", f"{month} {int(day)}, {year}", f"{month} {int(day)} {year}"]
    forms += [year] if (day, month) == ("01", "January") else []
    return next((form for form in forms if form in text), obj)


def as_annotated(obj: str) -> str:
    """A date as the benchmark annotates it; what is no date stays."""
    if re.fullmatch(r"[12]\d{3}", obj):
        return f"01 January {obj}"
    if match := _DAY_FIRST.fullmatch(obj):
        return f"{int(match[1]):02d} {match[2]} {match[3]}"
    if match := _MONTH_FIRST.fullmatch(obj):
        return f"{int(match[2]):02d} {match[1]} {match[3]}"
    return obj


def _number(path: Path) -> int:
    return int(path.name.split("_")[1])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if line.strip():
                yield json.loads(line)
