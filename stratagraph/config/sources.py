"""The section `sources` of `stratagraph.yaml`: databases, files, feeds and recorded versions, and what their rows mean."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from stratagraph.config.values import NamePattern, Namespace, Strict, Template, Zone


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


class TableLoad(Strict):
    """How the rows of one table are loaded."""

    mode: Literal["full", "incremental", "changes"] = Field(
        default="full",
        description="full: all rows, what is missing is gone; incremental: rows whose cursor is new, nothing is gone; "
        "changes: a feed of changes, each with its operation and time",
    )
    key: list[str] | None = Field(
        default=None, description="columns that tell rows apart; default: the primary key, or [] for none", min_length=0
    )
    cursor: str | None = Field(default=None, description="column that grows with every change of a row (mode: incremental)")
    lag: str = Field(default="0s", pattern=r"^\d+(s|m|h|d)$", description="how far back late rows are looked for: 30m, 2d")
    operation: str | None = Field(default=None, description="column that says what happened to the row (mode: changes)")
    deletes: list[str] = Field(default=["D", "delete", "DELETE"], description="values of `operation` that end a row")
    time: str | None = Field(default=None, description="column that says when it happened (mode: changes)")
    zone: Zone = Field(default="UTC", description="time zone of naive times in `time`")

    @model_validator(mode="after")
    def _columns_of_the_mode(self) -> Self:
        if self.mode == "incremental" and self.cursor is None:
            raise ValueError("mode: incremental needs cursor, the column that grows with every change of a row")
        if self.mode == "changes" and self.time is None:
            raise ValueError("mode: changes needs time, the column that says when the change happened")
        if self.cursor is not None and self.mode != "incremental":
            raise ValueError("cursor is read only with mode: incremental; add it, or remove cursor")
        if (self.time is not None or self.operation is not None) and self.mode != "changes":
            raise ValueError("time and operation are read only with mode: changes; add it, or remove them")
        return self


class TableSource(Strict):
    """What all sources of tables have in common: databases, files, REST APIs, dlt sources."""

    base: Namespace | None = Field(default=None, description="prefix of its IRIs; default: base_iri, its name and /")
    valid_time: Literal["always", "load"] = "load"
    binary: Literal["digest", "hex"] = Field(default="digest", description="bytes as their size and sha256, or as they are")
    max_shrink: float | None = Field(default=None, gt=0, le=1, description="default: guard.max_shrink")
    load: dict[str, TableLoad] = Field(default_factory=dict, description="table -> how its rows are loaded")
    keys: list[str] = Field(
        default_factory=list, description="foreign keys that hold: 'Orders(CustomerID) -> Customers(CustomerID)'"
    )
    not_keys: list[str] = Field(default_factory=list, description="foreign keys that do not hold, however likely they look")
    infer_keys: bool | None = Field(
        default=None, description="look for foreign keys that nobody declared; default: if the source declares none"
    )
    mapping: dict[str, TableMapping] = Field(default_factory=dict)


class SqlSource(TableSource):
    """A relational database, read with SQLAlchemy through dlt; foreign keys come from SQLAlchemy's inspector."""

    type: Literal["sql"]
    url: str = Field(description="SQLAlchemy URL; a relative SQLite path is relative to the config file")
    schema_: str | None = Field(default=None, alias="schema")
    tables: list[str] | None = Field(default=None, description="default: all tables")
    exclude: list[str] = Field(default_factory=list)


class FileSource(TableSource):
    """Files of rows. Each file is a table called by its stem, unless `tables` says more."""

    type: Literal["files"]
    path: str | None = Field(default=None, description="glob, relative to the config file: every file is a table")
    tables: dict[str, str] = Field(
        default_factory=dict, description="table -> glob of the files that make it, in order of name"
    )
    format: Literal["csv", "tsv", "parquet", "json", "jsonl", "yaml"] | None = Field(
        default=None, description="default: by suffix"
    )
    encoding: str | None = Field(default=None, description="of text files; default: detected")
    delimiter: str | None = Field(default=None, min_length=1, max_length=4, description="of CSV files; default: detected")
    header: bool = Field(default=True, description="whether the first line of a CSV file names its columns")
    nulls: list[str] = Field(default=[""], description="texts of CSV files that stand for no value")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.path is None) == (not self.tables):
            raise ValueError("needs either path, a glob of files, or tables, a glob for each table")
        return self


class RestSource(TableSource):
    """A REST API, as dlt's `rest_api` source declares it: `client` and `resources` are handed to it as they are."""

    type: Literal["rest"]
    client: dict[str, Any] = Field(description="base_url, auth, paginator, headers")
    resources: list[str | dict[str, Any]] = Field(min_length=1)
    resource_defaults: dict[str, Any] = Field(default_factory=dict)


class DltSource(TableSource):
    """Any dlt source by its import path."""

    type: Literal["dlt"]
    source: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$", description="'package.module:function'")
    arguments: dict[str, Any] = Field(default_factory=dict, description="keyword arguments of the function")
    resources: list[str] | None = Field(default=None, description="default: all that the source selects")


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


Source = Annotated[SqlSource | FileSource | RestSource | DltSource | RecordedSource, Field(discriminator="type")]
