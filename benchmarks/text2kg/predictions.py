"""What an engine says of test sentences, through validation and grounding, as the benchmark writes it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from benchmarks.text2kg.files import Task, Triple, as_annotated
from stratagraph.extraction.protocol import ChunkFailedError, ChunkInput, Extraction, Extractor
from stratagraph.extraction.resolve import Resolved, resolve
from stratagraph.ontology.model import Ontology

WRITTEN = datetime(2023, 11, 6, tzinfo=UTC)  # reference time of all sentences; the benchmark names none


@dataclass
class Predictions:
    """What came of all test sentences of a task.

    Args:
        triples: per sentence.
        refused: items that validation or grounding refused; given_up: sentences without a usable answer.
        seconds: of CPU.
    """

    triples: list[list[Triple]] = field(default_factory=list)
    refused: int = 0
    given_up: int = 0
    seconds: float = 0.0


def predict(task: Task, engine: Extractor, ontology: Ontology, topics: bool) -> Predictions:
    """Read all test sentences of a task."""
    found = Predictions()
    began = time.process_time()
    for sentence in task.test:
        chunk = ChunkInput(sentence.text, WRITTEN, "en", topic=sentence.topic if topics else None)
        try:
            extraction = engine.extract(chunk, ontology)
        except ChunkFailedError:
            found.given_up += 1
            extraction = Extraction()
        resolved = resolve(chunk, extraction, ontology)
        found.refused += len(resolved.rejected)
        found.triples.append(list(said(resolved, ontology)))
    found.seconds = time.process_time() - began
    return found


def said(resolved: Resolved, ontology: Ontology) -> Iterator[Triple]:
    """What would be staged: relations, and values of data properties in the text's words."""
    names = {entity.ref: entity.name for entity in resolved.entities}
    for relation in resolved.relations:
        label = ontology.properties[relation.predicate].label.strip()
        yield names[relation.subject], label, as_annotated(names[relation.object])
    for entity in resolved.entities:
        for attribute in entity.attributes:
            yield entity.name, ontology.properties[attribute.property].label.strip(), as_annotated(attribute.quote)
