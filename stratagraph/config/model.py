"""The shape of `stratagraph.yaml`: what a user may declare, with defaults.

Sources and documents have modules of their own, `sources.py` and `documents.py`. Only the data model lives here. Reading
the file, and turning a validation error into a message with file, line, key and allowed values, is `loader.py`. Unknown
keys are errors everywhere. Secrets never stand in the file: `${NAME}` is replaced from the environment by the loader.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from stratagraph.config.documents import Documents
from stratagraph.config.sources import Source
from stratagraph.config.values import Cron, Endpoint, IntegrityPolicy, Namespace, SourceName, Strict, Zone


class OntologyConfig(Strict):
    """OWL files, in any of Turtle, N3, N-Triples, RDF/XML, OWL/XML, JSON-LD. Nothing is fetched from a network."""

    files: list[Path] = Field(min_length=1)
    catalog: list[Path] = Field(default=[], description="files and folders in which owl:imports are looked for")


class PricesConfig(Strict):
    """What a language model costs per million tokens, in any currency: prices change, so none are built in."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class ExamplesConfig(Strict):
    """Annotated examples that the embedded engine learns from: JSON Lines of texts with the triples that they state."""

    files: list[Path] = Field(min_length=1)
    min_confidence: float = Field(default=0.5, ge=0, le=1, description="of a statement that is read by them")
    every_sentence: bool = Field(
        default=False, description="each sentence states something: the likeliest is taken where none is as sure as that"
    )


class ExtractionConfig(Strict):
    """How text becomes statements."""

    engine: Literal["embedded", "openai"] = "embedded"
    mode: Literal["facts", "events"] = Field(
        default="facts", description="what the openai engine asks for: relations, or events with those who took part as well"
    )
    model: str = Field(default="gpt-4o-mini", description="model name for the openai engine")
    ontology_tokens: int = Field(
        default=1200, ge=200, le=100_000, description="the most that the ontology's terms take of a request"
    )
    base_url: Endpoint | None = Field(default=None, description="default: the environment variable OPENAI_BASE_URL")
    concurrency: int = Field(default=4, ge=1, le=64)
    timeout_seconds: float = Field(default=60.0, gt=0)
    max_retries: int = Field(default=4, ge=0, le=20)
    max_tokens_per_run: int = Field(default=2_000_000, ge=1, description="ceiling; the run stops before it is passed")
    max_cost_per_run: float | None = Field(default=None, gt=0, description="the same in the currency of `prices`")
    max_seconds_per_run: float | None = Field(default=None, gt=0)
    prices: PricesConfig | None = None
    max_answer_tokens: int = Field(default=4096, ge=256, le=200_000)
    answer_mode: Literal["auto", "schema", "json", "tool"] = "auto"
    seed: int | None = None
    batch: bool = Field(default=False, description="ask by the Batch API: cheaper, answers within a day")
    chunk_characters: int = Field(default=1200, ge=100, le=20_000)
    chunk_tokens: int | None = Field(
        default=None, ge=32, le=20_000, description="a chunk keeps to both; counted by the tokenizer of the embedding model"
    )
    examples: ExamplesConfig | None = None
    buckets: int = Field(
        default=8, ge=1, le=256, description="parts of the chunks that Dagster asks about in steps of their own"
    )
    max_unread_share: float = Field(default=0.01, ge=0, le=1, description="of the chunks; above it a check in Dagster fails")
    max_quarantine_share: float = Field(default=0.2, ge=0, le=1, description="of what was read; above it a check warns")

    @model_validator(mode="after")
    def _events_are_asked_for(self) -> Self:
        if self.mode == "events" and self.engine != "openai":
            raise ValueError("mode: events needs engine: openai; the embedded engine reads relations")
        return self

    @model_validator(mode="after")
    def _examples_are_read(self) -> Self:
        if self.examples is not None and self.engine != "embedded":
            raise ValueError("examples are what the embedded engine learns from; leave them out, or use engine: embedded")
        return self

    @model_validator(mode="after")
    def _money_is_counted(self) -> Self:
        if self.max_cost_per_run is not None and self.prices is None:
            raise ValueError("max_cost_per_run needs prices, so that money can be counted: {input: …, output: …}")
        return self


class EmbeddingConfig(Strict):
    """The embedding model of the search index."""

    model: Literal["wordllama"] = "wordllama"
    dimensions: Literal[64, 128, 256] = 256


class CommunitiesConfig(Strict):
    """Hierarchical Leiden (igraph), modularity objective."""

    resolution: float = Field(default=1.0, gt=0)
    max_size: int = Field(default=50, ge=2, description="larger communities are split again at the next level")
    max_levels: int = Field(default=4, ge=1, le=10)
    seed: int = 42


class SnapshotConfig(Strict):
    """What is published, and how many snapshots are kept."""

    history: Literal["full", "current"] = "full"
    keep: int = Field(default=5, ge=1)


class ScheduleConfig(Strict):
    """When Dagster materialises everything."""

    cron: Cron = "0 3 * * *"
    timezone: Zone = "UTC"


class GuardConfig(Strict):
    """A complete load that would withdraw more than this share of what its source says now is refused."""

    max_shrink: float = Field(default=0.3, gt=0, le=1, description="of all sources that do not say their own")


class BeliefConfig(Strict):
    """What is done about an edge of which an end is not believed for a time."""

    integrity: IntegrityPolicy = Field(
        default="report",
        description="report: accepted, and listed by the check; clip: accepted and expected; reject: the batch is refused",
    )


class IdentityConfig(Strict):
    """Which nodes are candidates for one thing, and who decides. Keys and exact names are not asked about."""

    judge: Literal["rules", "llm", "none"] = Field(
        default="rules", description="llm: the model of `extraction` decides what rules do not exclude; none: a person decides"
    )
    threshold: float = Field(default=0.5, gt=0, le=1, description="probability from which a pair of nodes is a candidate")
    aliases: list[str] = Field(
        default=["http://www.w3.org/2004/02/skos/core#altLabel", "https://schema.org/alternateName"],
        description="properties whose values are other names of a thing",
    )


class Config(Strict):
    """The whole file."""

    version: Literal[1]
    dataset: str = Field(default="main", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
    data_dir: Path = Path("data")
    memory_limit: str | None = Field(
        default=None,
        pattern=r"^\d+(\.\d+)? ?([KMGT]i?B)$",
        description="of DuckDB in each step, such as 2GB; what does not fit goes to the disk. Default: most of the memory",
    )
    base_iri: Namespace = Field(default="urn:stratagraph:", description="prefix of the IRIs made from rows, records and text")
    prefixes: dict[str, Namespace] = Field(default_factory=dict)
    ontology: OntologyConfig
    sources: dict[SourceName, Source] = Field(default_factory=dict)
    documents: dict[SourceName, Documents] = Field(default_factory=dict)
    extraction: ExtractionConfig = ExtractionConfig()
    embedding: EmbeddingConfig = EmbeddingConfig()
    communities: CommunitiesConfig = CommunitiesConfig()
    snapshot: SnapshotConfig = SnapshotConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    guard: GuardConfig = GuardConfig()
    identity: IdentityConfig = IdentityConfig()
    belief: BeliefConfig = BeliefConfig()
    sql: list[Path] = Field(default_factory=list, description="SQL files with the user's own views and macros")

    def max_shrink(self, source: str) -> float:
        """The share of a source that one load may withdraw: its own, or that of all sources."""
        own: float | None = getattr(self.sources.get(source), "max_shrink", None)
        return self.guard.max_shrink if own is None else own
