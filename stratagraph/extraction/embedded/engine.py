"""The default engine: no model, no network, no key. It reads what the ontology has words for (`reader.py`) and what annotated
examples show (`learned/`), sentence by sentence, and nothing else.
"""

from __future__ import annotations

from stratagraph.extraction.embedded.learned.reading import Reader
from stratagraph.extraction.embedded.learned.source import Examples
from stratagraph.extraction.embedded.lexicon import Lexicon
from stratagraph.extraction.embedded.reader import ChunkReader
from stratagraph.extraction.protocol import ChunkInput, Extraction
from stratagraph.extraction.tokens import sentences
from stratagraph.ontology.model import Ontology

VERSION = "2"


class EmbeddedExtractor:
    """Ontology-driven lexical extraction; see the module docstring."""

    concurrency = 1
    known_in_key = True

    def __init__(self, examples: Examples | None = None) -> None:
        self._lexicon: Lexicon | None = None
        self._examples = examples
        self._learned: Reader | None = None

    @property
    def name(self) -> str:
        return f"embedded/{VERSION}"

    @property
    def fingerprint(self) -> str:
        return self.name if self._examples is None else f"{self.name}+{self._examples.fingerprint}"

    def extract(self, chunk: ChunkInput, ontology: Ontology) -> Extraction:
        if self._lexicon is None or self._lexicon.ontology is not ontology:
            self._lexicon = Lexicon.of(ontology)
            self._learned = self._examples.reader(ontology) if self._examples else None
        reader = ChunkReader(self._lexicon, chunk)
        for start, end in sentences(chunk.text):
            reader.read_sentence(start, end)
            if self._learned is not None:
                reader.read_learned(self._learned, start, end)
        return Extraction(tuple(reader.described()), tuple(reader.relations), tuple(reader.rejected))
