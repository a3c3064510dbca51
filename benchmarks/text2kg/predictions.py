"""What an engine says of a test sentence, through validation and grounding, as the benchmark writes it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from benchmarks.text2kg.files import Sentence, Triple, as_annotated
from stratagraph.extraction.protocol import ChunkInput
from stratagraph.extraction.resolve import Resolved
from stratagraph.ontology.model import Ontology

WRITTEN = datetime(2023, 11, 6, tzinfo=UTC)  # reference time of all sentences; the benchmark names none


def chunk_of(sentence: Sentence, topics: bool) -> ChunkInput:
    """The sentence as a chunk; with its main subject as topic, as a document's title would say."""
    return ChunkInput(sentence.text, WRITTEN, "en", topic=sentence.topic if topics else None)


def said(resolved: Resolved, ontology: Ontology) -> Iterator[Triple]:
    """What would be staged: relations, and values of data properties in the text's words."""
    names = {entity.ref: entity.name for entity in resolved.entities}
    for relation in resolved.relations:
        label = ontology.properties[relation.predicate].label.strip()
        yield names[relation.subject], label, as_annotated(names[relation.object])
    for entity in resolved.entities:
        for attribute in entity.attributes:
            yield entity.name, ontology.properties[attribute.property].label.strip(), as_annotated(attribute.quote)
