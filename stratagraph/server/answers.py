"""The shape of what each tool answers: the schemas an agent sees. No logic."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from stratagraph.snapshot.model import Hit

_TIME = "ISO 8601 in UTC, 'infinity' or '-infinity'"


class Answer(BaseModel):
    """What every answer says of itself."""

    snapshot: str = Field(description="id of the snapshot that was read; it changes when a newer one is published")


class HitsAnswer(Answer):
    """Hits, best first."""

    hits: list[Hit]


class RecallAnswer(HitsAnswer):
    """Hits, with the point of both clocks they were believed at."""

    valid_at: str = Field(description="ISO 8601, or 'any'; an interval (start/end) of facts if the question names a period")
    known_at: str = Field(description="ISO 8601, or 'any'")


class Facet(BaseModel):
    """What one source says of an entity."""

    facet: str = Field(description="the record, 'text', or the property that a text gives")
    class_: str = Field(alias="class", description="IRI")
    label: str | None
    properties: dict[str, Any]
    confidence: float
    valid_from: str = Field(description=_TIME)
    valid_to: str = Field(description=_TIME)
    recorded_from: str = Field(description=_TIME)
    recorded_to: str = Field(description=_TIME)


class Entity(BaseModel):
    """An entity at a point of both clocks."""

    id: str
    dataset: str
    label: str | None
    classes: list[str]
    properties: dict[str, Any] = Field(description="property IRI -> value, over all facets; a list where texts give several")
    refs: list[str] = Field(description="the names and keys of sources that stand for it")
    facets: list[Facet]


class EntityAnswer(Answer):
    """The entity, or null if nothing is believed of it at that point."""

    entity: Entity | None


class Via(BaseModel):
    """A relation that leads to a neighbour."""

    edge_id: str
    subject: str
    predicate: str
    object: str
    fact: str | None
    origin: str = Field(description="asserted or inferred")
    valid_from: str = Field(description=_TIME)
    valid_to: str = Field(description=_TIME)


class Neighbor(BaseModel):
    """An entity within reach."""

    id: str
    dataset: str
    label: str | None
    class_: str | None = Field(alias="class", description="IRI")
    distance: int = Field(description="hops")
    via: list[Via]


class NeighborsAnswer(Answer):
    """Neighbours, nearest first."""

    neighbors: list[Neighbor]


class Version(BaseModel):
    """One version of an entity (kind node) or of a relation (kind edge)."""

    kind: str
    id: str
    dataset: str
    predicate: str = Field(description="of a relation; the class of an entity")
    object: str | None
    text: str | None
    properties: dict[str, Any]
    valid_from: str = Field(description=_TIME)
    valid_to: str = Field(description=_TIME)
    recorded_from: str = Field(description=f"when this was first believed; {_TIME}")
    recorded_to: str = Field(description=f"when it stopped being believed; {_TIME}")


class HistoryAnswer(Answer):
    """Versions in the order in which they were believed."""

    versions: list[Version]
    total: int = Field(description="how many there are; more than were given if `limit` was smaller")


class Statement(BaseModel):
    """A statement that justifies an entity or a relation, and where it was made."""

    statement_id: str
    dataset: str
    source: str
    extractor: str
    confidence: float
    observed_at: str | None
    valid_from: str
    valid_to: str | None = Field(description="null: until the next event of the same kind")
    recorded_from: str
    recorded_to: str = Field(description="when the source withdrew it, or 'infinity'")
    document_id: str | None
    chunk_id: str | None
    char_start: int | None
    char_end: int | None
    quote: str | None
    source_table: str | None
    source_key: str | None


class EvidenceAnswer(Answer):
    """Statements in the order in which they were made."""

    statements: list[Statement]
    total: int = Field(description="how many there are; more than were given if `limit` was smaller")


class Community(BaseModel):
    """A community of closely related entities, with its report."""

    id: str
    dataset: str
    level: int
    parent_id: str | None
    member_count: int
    edge_count: int
    title: str | None
    summary: str | None
    findings: list[Any] = Field(description="with the ids of the relations they rest on")
    coverage: dict[str, Any] = Field(description="which relations the report has seen")
    method: str | None
    members: list[str] | None = Field(description="ids of the first 20")
    recorded_from: str


class CommunitiesAnswer(Answer):
    """Communities, larger ones first within a level."""

    communities: list[Community]


class StatusAnswer(Answer):
    """What the snapshot holds."""

    known_at: str = Field(description="the last moment this snapshot knows of")
    datasets: list[str]
    rows: dict[str, int] = Field(description="rows by table")
    details: dict[str, Any] = Field(description="format, embedding model, versions and so on")
