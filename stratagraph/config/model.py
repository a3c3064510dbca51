"""The shape of `stratagraph.yaml`: what a user may declare, with defaults.

Only the data model lives here. Reading the file, and turning a validation error into a message with file, line, key and
allowed values, is `loader.py`. Unknown keys are errors everywhere. Secrets never stand in the file: `${NAME}` is
replaced from the environment by the loader.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from string import Formatter
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from stratagraph.config.cron import check_cron, check_zone


def _check_instant(text: str) -> str:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError("is no ISO 8601 date or instant; allowed: 2024-05-01 (UTC) or 2024-05-01T12:00:00+02:00") from error
    if instant.tzinfo is None and len(text) > len("2024-05-01"):
        raise ValueError("has a time but no zone; add Z or an offset such as +02:00")
    return text


def _check_name_pattern(pattern: str) -> str:
    """A strptime pattern must at least read what it writes, and say which year is meant."""
    moment = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    try:
        year = datetime.strptime(moment.strftime(pattern), pattern).year  # noqa: DTZ007 - only the pattern is tested
    except ValueError as error:
        raise ValueError("is no strptime pattern; allowed: such as '%Y-%m-%d' or '%Y-%m-%dT%H%M%SZ'") from error
    if year != moment.year:
        raise ValueError("names no year; allowed: such as '%Y-%m-%d' or '%Y-%m-%dT%H%M%SZ'")
    return pattern


def _check_template(template: str) -> str:
    try:
        list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"is no template ({error}); write a field as {{name}} and a brace as {{{{ or }}}}") from error
    return template


def _check_namespace(iri: str) -> str:
    if ":" not in iri or any(character.isspace() or character in '<>"{}|\\^`' for character in iri):
        raise ValueError("is no absolute IRI; allowed: such as https://example.org/graph/ or urn:example:")
    if not iri.endswith(("#", "/", ":")):
        raise ValueError("must end with #, / or :, because local names are put right behind it")
    return iri


def _check_endpoint(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise ValueError("must start with http:// or https://")
    return url


Instant = Annotated[str, AfterValidator(_check_instant)]
NamePattern = Annotated[str, AfterValidator(_check_name_pattern)]
Template = Annotated[str, AfterValidator(_check_template)]
Namespace = Annotated[str, AfterValidator(_check_namespace)]
Endpoint = Annotated[str, AfterValidator(_check_endpoint)]
Cron = Annotated[str, AfterValidator(check_cron)]
Zone = Annotated[str, AfterValidator(check_zone)]
# Becomes part of IRIs, of table names in DuckDB and of dlt's pipeline names: only what is the same in all of them.
SourceName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
IntegrityPolicy = Literal["report", "clip", "reject"]


class Strict(BaseModel):
    """A section of the file; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class OntologyConfig(Strict):
    """OWL files, in any of Turtle, N3, N-Triples, RDF/XML, OWL/XML, JSON-LD. Nothing is fetched from a network."""

    files: list[Path] = Field(min_length=1)


class TableMapping(Strict):
    """What the rows of one table mean. Unmapped columns keep their direct-mapping IRI (`Table#column`)."""

    class_: str | None = Field(default=None, alias="class", description="class IRI or CURIE; default: base/Table")
    label: Template | None = Field(default=None, description="template over columns, such as '{FirstName} {LastName}'")
    valid_time: Literal["always", "load", "columns"] | None = Field(
        default=None, description="always: from -infinity; load: an event at load time; columns: valid_from / valid_to"
    )
    valid_from: str | None = Field(default=None, description="column with the start of validity (valid_time: columns)")
    valid_to: str | None = Field(default=None, description="column with the (exclusive) end of validity")
    zone: Zone = Field(default="UTC", description="time zone of naive times in the valid-time columns")
    properties: dict[str, str] = Field(default_factory=dict, description="column -> property IRI or CURIE")
    references: dict[str, str] = Field(
        default_factory=dict, description="foreign-key column(s), comma-separated -> object property IRI or CURIE"
    )

    @model_validator(mode="after")
    def _columns_of_valid_time(self) -> Self:
        named = self.valid_from is not None or self.valid_to is not None
        if self.valid_time == "columns" and self.valid_from is None:
            raise ValueError("valid_time: columns needs valid_from, the column with the start of validity")
        if named and self.valid_time != "columns":
            raise ValueError("valid_from and valid_to are read only with valid_time: columns; add it, or remove them")
        return self


class SqlSource(Strict):
    """A relational database, read with SQLAlchemy through dlt; foreign keys come from SQLAlchemy's inspector."""

    type: Literal["sql"]
    url: str = Field(description="SQLAlchemy URL; a relative SQLite path is relative to the config file")
    schema_: str | None = Field(default=None, alias="schema")
    tables: list[str] | None = Field(default=None, description="default: all tables")
    exclude: list[str] = Field(default_factory=list)
    valid_time: Literal["always", "load"] = "load"
    mapping: dict[str, TableMapping] = Field(default_factory=dict)


class NestedEdge(Strict):
    """Edges from a nested list of a record, such as `terms` of an office holder. Valid time comes from its fields."""

    each: str = Field(description="name of the nested list")
    predicate: str
    object_class: str
    object_ref: Template = Field(description="template of the object's local id, such as 'office/{type}'")
    object_labels: dict[str, str] = Field(default_factory=dict, description="object's local id -> label")
    valid_from: str
    valid_to: str
    zone: Zone = "UTC"
    properties: dict[str, str] = Field(default_factory=dict, description="nested field -> property IRI or CURIE")


class RecordMapping(Strict):
    """What the records of a recorded source mean. Field names are dotted paths (`id.bioguide`)."""

    class_: str = Field(alias="class")
    keys: list[str] = Field(min_length=1, description="identifying fields in order of preference; each identifies alone")
    label: list[Template] = Field(
        min_length=1, description="templates; the first whose fields are all present is used; {name.middle?} may be missing"
    )
    properties: dict[str, str] = Field(default_factory=dict, description="dotted field -> property IRI or CURIE")
    edges: list[NestedEdge] = Field(default_factory=list)


class RecordedSource(Strict):
    """A series of dated complete versions. Each version's time becomes the transaction time of what it says."""

    type: Literal["recorded"]
    path: str = Field(description="glob of version files (YAML or JSON lists), relative to the config file")
    recorded_at: NamePattern = Field(description="strptime pattern of the start of the file name, UTC: '%Y-%m-%dT%H%M%SZ'")
    mapping: RecordMapping


class FileDocuments(Strict):
    """Markdown, HTML and text files. Reference time: front matter `date`, else `reference_time`, else the file's mtime."""

    type: Literal["files"]
    path: str = Field(description="glob, relative to the config file")
    reference_time: Instant | None = Field(default=None, description="ISO 8601 instant for files without a date of their own")


class EpisodeDocuments(Strict):
    """One JSON file with a list `episodes` of {id, ref_time, text}: each episode is a document."""

    type: Literal["episodes"]
    path: str


class ChatDocuments(Strict):
    """Chat logs by person and day ({person: {history: {date: [{query, response}]}}}): one document per person and day,
    one chunk per turn, speakers kept."""

    type: Literal["chats"]
    path: str
    assistant: str = "AI companion"
    zone: Zone = "UTC"


class ExtractionConfig(Strict):
    """How text becomes statements."""

    engine: Literal["embedded", "openai"] = "embedded"
    model: str = Field(default="gpt-4o-mini", description="model name for the openai engine")
    base_url: Endpoint | None = Field(default=None, description="default: the environment variable OPENAI_BASE_URL")
    concurrency: int = Field(default=4, ge=1, le=64)
    timeout_seconds: float = Field(default=60.0, gt=0)
    max_retries: int = Field(default=4, ge=0, le=20)
    max_tokens_per_run: int = Field(default=2_000_000, ge=1, description="ceiling; the run stops before it is passed")
    chunk_characters: int = Field(default=1200, ge=100, le=20_000)


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

    max_shrink: float = Field(default=0.5, gt=0, le=1)


class BeliefConfig(Strict):
    """What is done about an edge of which an end is not believed for a time."""

    integrity: IntegrityPolicy = Field(
        default="report",
        description="report: accepted, and listed by the check; clip: accepted and expected; reject: the batch is refused",
    )


Source = Annotated[SqlSource | RecordedSource, Field(discriminator="type")]
Documents = Annotated[FileDocuments | EpisodeDocuments | ChatDocuments, Field(discriminator="type")]


class Config(Strict):
    """The whole file."""

    version: Literal[1]
    dataset: str = Field(default="main", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
    data_dir: Path = Path("data")
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
    belief: BeliefConfig = BeliefConfig()
    sql: list[Path] = Field(default_factory=list, description="SQL files with the user's own views and macros")
