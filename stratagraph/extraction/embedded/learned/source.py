"""The model of a project's examples: trained when it is first needed, kept in the data directory, found again by content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stratagraph.extraction.embedded.learned.examples import examples_fingerprint, read_examples
from stratagraph.extraction.embedded.learned.model import VERSION, Model
from stratagraph.extraction.embedded.learned.reading import Reader
from stratagraph.extraction.embedded.learned.training import train
from stratagraph.ontology.model import Ontology
from stratagraph.project import fingerprint


@dataclass(frozen=True)
class Examples:
    """Annotated examples and how far to go with them.

    Args:
        files: see `examples.py`.
        folder: where models are kept.
        min_confidence, every_sentence: see `reading.Reader`.
        prefixes: of the names of predicates.
    """

    files: Sequence[Path]
    folder: Path
    min_confidence: float = 0.5
    every_sentence: bool = False
    prefixes: Mapping[str, str] | None = None

    @property
    def fingerprint(self) -> str:
        """Changes whenever a text could be read otherwise; the ontology's own fingerprint stands beside it."""
        return fingerprint(VERSION, examples_fingerprint(self.files), self.min_confidence, self.every_sentence)

    def reader(self, ontology: Ontology) -> Reader:
        """The reader, trained if there is no model of these examples yet."""
        known = fingerprint(VERSION, examples_fingerprint(self.files), ontology.content_hash)
        path = self.folder / f"{known[:32]}.npz"
        if path.exists():
            model = Model.load(path)
        else:
            model = train(read_examples(self.files, ontology, self.prefixes))
            model.save(path)
        return Reader(model, self.min_confidence, self.every_sentence)
