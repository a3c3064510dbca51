"""What was learned from examples, as plain arrays and tables, and how it is kept on disk.

A model is a function of the examples and of `VERSION`; it is kept as NumPy arrays and JSON (never pickled), in the project's
data directory, and made anew when either changes.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from stratagraph.extraction.embedded.learned import features

VERSION = f"1.{features.VERSION}"
Weights = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Model:
    """Linear models of objects (one output per relation) and of subjects (one output).

    Args:
        relations: IRIs, the order of the outputs.
        objects: weights, features.SIZE x relations; object_bias: relations.
        subjects: weights, features.SIZE; subject_bias.
        labelled: per relation, how likely an annotator writes down what the model finds: scores are divided by it.
        seen: object as compared -> (relation, in how many examples with different subjects).
        aliases: words in lower case -> (what examples call it, relation).
        remembered: text as compared -> its triples (subject, predicate, object): a text that was annotated is not guessed at.
    """

    relations: tuple[str, ...]
    objects: Weights
    object_bias: Weights
    subjects: Weights
    subject_bias: float
    labelled: Weights
    seen: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    aliases: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    remembered: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write the model; the file appears whole or not at all."""
        rows = np.flatnonzero(np.any(self.objects != 0, axis=1))
        ones = np.flatnonzero(self.subjects)
        tables = {
            "relations": self.relations, "subject_bias": self.subject_bias, "seen": self.seen, "aliases": self.aliases,
            "remembered": self.remembered,
        }  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.stem}.{os.getpid()}.part")
        with part.open("wb") as stream:
            np.savez_compressed(
                stream, rows=rows, objects=self.objects[rows], object_bias=self.object_bias, ones=ones,
                subjects=self.subjects[ones], labelled=self.labelled,
                tables=np.frombuffer(json.dumps(tables, ensure_ascii=False, sort_keys=True).encode("utf-8"), np.uint8),
            )  # fmt: skip
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> Model:
        """Read a model that `save` wrote."""
        with np.load(path, allow_pickle=False) as kept:
            tables = json.loads(kept["tables"].tobytes().decode("utf-8"))
            objects = np.zeros((features.SIZE, len(tables["relations"])), np.float32)
            objects[kept["rows"]] = kept["objects"]
            subjects = np.zeros(features.SIZE, np.float32)
            subjects[kept["ones"]] = kept["subjects"]
            pairs = {
                name: {key: [(a, b) for a, b in rows] for key, rows in tables[name].items()} for name in ("seen", "aliases")
            }
            return cls(
                relations=tuple(tables["relations"]), objects=objects, object_bias=kept["object_bias"], subjects=subjects,
                subject_bias=tables["subject_bias"], labelled=kept["labelled"], **pairs,
                remembered={key: [(s, p, o) for s, p, o in rows] for key, rows in tables["remembered"].items()},
            )  # fmt: skip

    def object_scores(self, described: list[features.Numbers]) -> Weights:
        """Log-odds of candidates, candidates x relations."""
        return _summed(self.objects, described) + self.object_bias

    def subject_scores(self, described: list[features.Numbers]) -> Weights:
        """Log-odds of candidates."""
        return _summed(self.subjects[:, None], described)[:, 0] + np.float32(self.subject_bias)


def _summed(weights: Weights, described: list[features.Numbers]) -> Weights:
    starts = np.cumsum([0, *(len(numbers) for numbers in described[:-1])])
    sums: Weights = np.add.reduceat(weights[np.concatenate(described)], starts, axis=0)
    return sums
