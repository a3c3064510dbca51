"""The benchmark's metrics, and a strict one.

The official F1 compares triples without case and spaces, per sentence, and drops predictions of relations that the sentence's
annotation does not have: whoever names every relation loses nothing. The strict F1 drops none. Both are means over sentences;
a sentence without annotated triples counts 0. Conformance is the share of predictions with a relation of the ontology.
Hallucination is the share of subjects (objects) that do not stand in the sentence nor in the labels of the ontology's classes;
the official script compares stems, here the letters must be the same, which finds more of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from benchmarks.text2kg.files import Sentence, Task, Triple


@dataclass(frozen=True)
class Scores:
    """Means over the sentences of one ontology, or over ontologies."""

    precision: float
    recall: float
    official_f1: float
    strict_f1: float
    conformance: float
    subject_hallucination: float
    object_hallucination: float


def score(task: Task, predictions: Sequence[Sequence[Triple]]) -> Scores:
    """Scores of what was predicted for each test sentence."""
    return mean([_sentence(task, sentence, predicted) for sentence, predicted in zip(task.test, predictions, strict=True)])


def mean(scores: Sequence[Scores]) -> Scores:
    """The mean of each score."""
    return Scores(*(sum(column) / len(scores) for column in zip(*(astuple(each) for each in scores), strict=True)))


def _sentence(task: Task, sentence: Sentence, predicted: Sequence[Triple]) -> Scores:
    gold = {_key(triple) for triple in sentence.triples}
    relations = {_squeezed(relation) for _, relation, _ in sentence.triples}
    counted = {_key(triple) for triple in predicted if _squeezed(triple[1]) in relations}
    precision, recall, official = _f1(gold, counted)
    strict = _f1(gold, {_key(triple) for triple in predicted})[2]
    if not predicted:
        return Scores(precision, recall, official, strict, 1.0, 0.0, 0.0)
    labels = {_squeezed(label) for label in task.labels}
    said = _squeezed(sentence.text + " ".join(task.concepts))
    conformant, invented_subjects, invented_objects = (
        sum(flags) / len(predicted)
        for flags in zip(
            *(
                (_squeezed(r) in labels, _squeezed(s) not in said, _squeezed(o).removeprefix("01january") not in said)
                for s, r, o in predicted
            ),
            strict=True,
        )
    )
    return Scores(precision, recall, official, strict, conformant, invented_subjects, invented_objects)


def _f1(gold: set[str], predicted: set[str]) -> tuple[float, float, float]:
    right = len(gold & predicted)
    if not right:
        return 0.0, 0.0, 0.0
    precision, recall = right / len(predicted), right / len(gold)
    return precision, recall, 2 * precision * recall / (precision + recall)


def _key(triple: Triple) -> str:
    return "".join(map(_squeezed, triple))


def _squeezed(text: str) -> str:
    return re.sub(r"[_\s]+", "", text).lower()
