"""The section `sources` of `stratagraph.yaml`: databases, files, feeds and recorded versions, and what their rows mean."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from stratagraph.config.values import Encoding, NamePattern, Namespace, Strict, Template, TimeFormat, Zone


def _texts_of_keys(values: Any) -> Any:
    """Codes may be written as numbers or yes and no; they are compared as the text they have in JSON."""
    if not isinstance(values, dict):
        return values
    return {json.dumps(key) if isinstance(key, bool | int | float) else key: value for key, value in values.items()}


def _texts_of_values(values: Any) -> Any:
    """YAML reads 9999-12-31 as a date and 99991231 as a number."""
    return (
        [str(value) if isinstance(value, int | float | date) else value for value in values]
        if isinstance(values, list)
        else values
    )


class ClassesByValue(Strict):
    """The class of a row by the value of one of its columns."""

    column: str
    values: Annotated[dict[str, str], BeforeValidator(_texts_of_keys)] = Field(
        min_length=1, description="value -> class IRI or CURIE"
    )
    otherwise: str | None = Field(default=None, description="class of all other rows; default: `class`, or base/Table")


class EdgeMapping(Strict):
    """Rows that are edges between the rows that two of their foreign keys refer to."""

    subject: str = Field(description="foreign-key column(s), comma-separated")
    predicate: str = Field(description="object property IRI or CURIE")
    object: str = Field(description="foreign-key column(s), comma-separated")


_TEMPLATE_FIELD = re.compile(r"\{[^{}]*\}")
_TELLS_APART = frozenset("/;=,:@!$&'()*+?#|")  # never part of an encoded value


def _check_ref(template: str) -> str:
    """Two rows with different values must never get one IRI: between two fields stands what no encoded value holds."""
    if template.replace("{{", "").replace("}}", "") != template or "{}" in template:
        raise ValueError("may hold no brace but those around the names of columns")
    literals = _TEMPLATE_FIELD.split(template)
    if len(literals) == 1:
        raise ValueError("names no column, so all rows would be one node; allowed: such as 'person/{EmployeeID}'")
    if any(not set(between) & _TELLS_APART for between in literals[1:-1]):
        raise ValueError("needs a character such as / or ; between two columns, so that different values stay different")
    if any(character.isspace() or character in '<>"\\^`' for literal in literals for character in literal):
        raise ValueError('is no part of an IRI: it holds a space or one of <>"\\^`')
    return template


RefTemplate = Annotated[Template, AfterValidator(_check_ref)]


class TableMapping(Strict):
    """What the rows of one table mean. Unmapped columns keep their direct-mapping IRI (`Table#column`)."""

    class_: str | None = Field(default=None, alias="class", description="class IRI or CURIE; default: base/Table")
    classes: ClassesByValue | None = Field(default=None, description="class by the value of a column")
    label: Template | None = Field(default=None, description="template over columns, such as '{FirstName} {LastName}'")
    ref: RefTemplate | None = Field(
        default=None, description="template of the row's IRI behind the source's base, or with a prefix: 'ex:person/{Email}'"
    )
    edge: EdgeMapping | None = Field(default=None, description="rows are edges between what two of their keys refer to")
    valid_time: Literal["always", "load", "columns"] | None = Field(
        default=None, description="always: from -infinity; load: an event at load time; columns: valid_from / valid_to"
    )
    valid_from: str | None = Field(default=None, description="column with the start of validity (valid_time: columns)")
    valid_to: str | None = Field(default=None, description="column with the end of validity, exclusive unless `closed`")
    closed: bool = Field(default=False, description="whether valid_to is the last day (or second) that is included")
    open_values: Annotated[list[str], BeforeValidator(_texts_of_values)] = Field(
        default_factory=list, description="texts in valid_from or valid_to that stand for an open end: 9999-12-31"
    )
    time_format: TimeFormat | None = Field(
        default=None, description="strptime pattern of columns with times; default: ISO 8601"
    )
    time_formats: dict[str, TimeFormat] = Field(default_factory=dict, description="column -> its own pattern")
    observed_at: str | None = Field(default=None, description="column that says when the source came to say this")
    updated_at: str | None = Field(default=None, description="column with the time of the row's state (valid_time: load)")
    zone: Zone = Field(default="UTC", description="time zone of naive times in these columns")
    properties: dict[str, str] = Field(default_factory=dict, description="column -> property IRI or CURIE")
    values: dict[str, Template] = Field(
        default_factory=dict, description="property IRI or CURIE -> template over columns: 'mailto:{Email}'"
    )
    references: dict[str, str] = Field(
        default_factory=dict, description="foreign-key column(s), comma-separated -> object property IRI or CURIE"
    )
    ignore: list[str] = Field(default_factory=list, description="columns that are not stated")

    @model_validator(mode="after")
    def _columns_of_valid_time(self) -> Self:
        named = self.valid_from is not None or self.valid_to is not None
        if self.valid_time == "columns" and self.valid_from is None:
            raise ValueError("valid_time: columns needs valid_from, the column with the start of validity")
        if named and self.valid_time != "columns":
            raise ValueError("valid_from and valid_to are read only with valid_time: columns; add it, or remove them")
        if self.closed and self.valid_to is None:
            raise ValueError("closed is about valid_to, the column with the end of validity; add it, or remove closed")
        if self.open_values and not named:
            raise ValueError("open_values are looked for in valid_from and valid_to; add them, or remove open_values")
        if self.updated_at is not None and self.valid_time not in (None, "load"):
            raise ValueError("updated_at is read only with valid_time: load; add it, or remove updated_at")
        times = {self.valid_from, self.valid_to, self.observed_at, self.updated_at} - {None}
        if self.time_format is not None and not times:
            raise ValueError("time_format is about columns with times; name one, or remove time_format")
        if unknown := sorted(self.time_formats.keys() - times):
            raise ValueError(f"time_formats: {', '.join(unknown)} is no column with times; allowed: {_listed(times)}")
        return self

    @model_validator(mode="after")
    def _one_meaning_of_a_row(self) -> Self:
        if self.edge is not None:
            given: dict[str, object] = {"class": self.class_, "classes": self.classes, "label": self.label, "ref": self.ref}
            given |= {"references": self.references or None}
            if taken := [key for key, value in given.items() if value is not None]:
                raise ValueError(f"rows that are edges have no {' and no '.join(taken)}; remove edge, or what is about nodes")
        twice = sorted({*self.properties} & {*self.ignore})
        if twice:
            raise ValueError(f"{', '.join(twice)}: both in properties and in ignore; remove one of them")
        return self

    def pattern(self, column: str | None) -> str | None:
        """The strptime pattern of a column with times; None: ISO 8601."""
        return self.time_formats.get(column or "", self.time_format)


def _listed(names: Iterable[str | None]) -> str:
    return ", ".join(sorted(str(name) for name in names)) or "none"


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
    encoding: Encoding | None = Field(default=None, description="of text files, as Python calls it; default: detected")
    delimiter: str | None = Field(default=None, min_length=1, max_length=1, description="of CSV files; default: detected")
    quote: str | None = Field(default=None, min_length=1, max_length=1, description="of CSV files; default: detected")
    header: bool = Field(default=True, description="whether the first line of a CSV file names its columns")
    nulls: list[str] = Field(default=[""], description="texts of CSV files that stand for no value")
    short_rows: Literal["refuse", "fill"] | None = Field(
        default=None, description="fill: rows of CSV files may leave out cells at their end; refuse: such a row can't be read"
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.path is None) == (not self.tables):
            raise ValueError("needs either path, a glob of files, or tables, a glob for each table")
        return self


class RestSource(TableSource):
    """A REST API, as dlt's `rest_api` source declares it: `client` and `resources` are handed to it as they are."""

    type: Literal["rest"]
    client: dict[str, Any] = Field(description="base_url (required), auth, headers, paginator")
    resources: list[str | dict[str, Any]] = Field(
        min_length=1, description="each a table: a name that is its path as well, or name, endpoint, primary_key, references"
    )
    resource_defaults: dict[str, Any] = Field(default_factory=dict, description="what holds for all resources")
    max_requests: int = Field(default=10_000, ge=1, description="most requests of one load, retries not counted")

    @model_validator(mode="after")
    def _base_url_of_an_api(self) -> Self:
        url = self.client.get("base_url")
        if not isinstance(url, str) or not url.startswith(("http://", "https://")):
            raise ValueError("client needs base_url, which starts with http:// or https://")
        try:
            parts = urlsplit(url)
            if not parts.hostname or (parts.port is not None and not parts.port):
                raise ValueError
        except ValueError:
            raise ValueError("client.base_url is no address; allowed: such as https://api.example.com/v1/") from None
        if parts.username is not None or parts.password is not None:
            raise ValueError("client.base_url holds a user or password; they belong in client.auth, as http_basic")
        if "session" in self.client:
            raise ValueError("client.session can't be set here; allowed: base_url, auth, headers, paginator")
        return self


class DltSource(TableSource):
    """Any dlt source by its import path. The function runs when the source is loaded: it is code that the config names."""

    type: Literal["dlt"]
    source: str = Field(
        pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$",
        description="'package.module:function' of a dlt source or resource; modules beside the config file are found as well",
    )
    arguments: dict[str, Any] = Field(default_factory=dict, description="keyword arguments of the function")
    resources: list[str] | None = Field(default=None, description="default: all that the source selects")


class Validity(Strict):
    """Fields that say when something is so."""

    valid_from: str | None = Field(default=None, description="field with the start of validity; default: always was so")
    valid_to: str | None = Field(default=None, description="field with its end; without a value the end is open")
    closed: bool = Field(default=False, description="whether what `valid_to` names (a day, a month, a year) is still included")
    time_format: TimeFormat | None = Field(default=None, description="strptime pattern of both fields; default: ISO 8601")
    zone: Zone = Field(default="UTC", description="time zone of naive times in both")

    @model_validator(mode="after")
    def _read_with_a_field(self) -> Self:
        if self.closed and self.valid_to is None:
            raise ValueError("closed is read only with valid_to; add it, or remove closed")
        if self.time_format is not None and self.valid_from is None and self.valid_to is None:
            raise ValueError("time_format is read only with valid_from or valid_to; add one, or remove time_format")
        return self


class NestedEdge(Validity):
    """Edges from a nested list of a record, such as `terms` of an office holder. Valid time comes from its fields."""

    each: str = Field(description="name of the nested list")
    predicate: str
    object_class: str
    object_ref: Template = Field(
        description="template of the object's local id: 'office/{type}'; {^id} is the record's own field"
    )
    object_source: str | None = Field(default=None, description="source that the object is a node of; default: this one")
    object_label: Template | None = Field(default=None, description="template; default: the last part of the local id")
    object_labels: dict[str, str] = Field(default_factory=dict, description="object's local id -> label")
    properties: dict[str, str] = Field(default_factory=dict, description="nested field -> property IRI or CURIE")


Key = str | Annotated[list[str], Field(min_length=1)]


class RecordMapping(Validity):
    """What the records of a recorded source mean. Field names are dotted paths (`id.bioguide`)."""

    class_: str | None = Field(default=None, alias="class", description="class IRI or CURIE; default: base/record")
    keys: list[Key] = Field(default_factory=list, description="the source's `keys` may stand here as well")
    label: list[Template] = Field(
        default_factory=list,
        description="templates; the first whose fields are all present is used; {name.middle?} may be missing",
    )
    properties: dict[str, str] = Field(default_factory=dict, description="dotted field -> property IRI or CURIE")
    edges: list[NestedEdge] = Field(default_factory=list)
    unmapped: Literal["drop", "keep"] = Field(
        default="drop", description="keep: fields and lists that are not mapped have IRIs of their own, as without a mapping"
    )


class VersionManifest(Strict):
    """A file that says when each version was recorded."""

    path: str = Field(description="JSONL, JSON or CSV file, relative to the config file")
    file: str = Field(default="file", description="its column with the version file, relative to the manifest")
    recorded_at: str = Field(default="recorded_at", description="its column with the instant, with an offset")


class GitHistory(Strict):
    """Every commit that changed a file is a version; its committer time is when it was recorded."""

    repository: str = Field(description="folder of the repository, relative to the config file")
    path: str = Field(description="the file, from the root of the repository")
    ref: str = Field(
        default="HEAD", pattern=r"^[^-\s][^\s]*$", description="branch, tag or commit whose first parents are read"
    )


class RecordRoot(Strict):
    """How records stand in a version that is an object and not a list: each of its members is a record."""

    key: str = Field(description="field of the record that holds the member's name")
    each: str | None = Field(default=None, description="field that holds the member's list, where members are lists")


class RecordedSource(Strict):
    """A series of dated complete versions. Each version's time becomes the transaction time of what it says."""

    type: Literal["recorded"]
    path: str | None = Field(default=None, description="glob of version files, relative to the config file")
    recorded_at: NamePattern | None = Field(
        default=None, description="strptime pattern of the start of the file name, UTC: '%Y-%m-%dT%H%M%SZ'"
    )
    manifest: VersionManifest | None = Field(default=None, description="file that says when each version was recorded")
    git: GitHistory | None = Field(default=None, description="versions from a git repository, instead of `path`")
    format: Literal["csv", "tsv", "json", "jsonl", "yaml", "parquet"] | None = Field(
        default=None, description="default: by suffix, before .gz"
    )
    encoding: str = Field(default="utf-8", description="of text files")
    delimiter: str | None = Field(default=None, min_length=1, max_length=1, description="of CSV files; default: , or tab")
    nulls: list[str] = Field(default=[""], description="cells of CSV files that stand for no value")
    root: RecordRoot | None = Field(default=None, description="how records stand in a version that is no list")
    rename: dict[str, str] = Field(default_factory=dict, description="field as some versions call it -> its name")
    keys: list[Key] = Field(
        default_factory=list,
        description="what tells records apart, in order of preference; each identifies alone; a list is one composite key",
    )
    nested_keys: dict[str, list[str]] = Field(
        default_factory=dict, description="nested list -> fields that tell its items apart; default: their position"
    )
    max_shrink: float | None = Field(default=None, gt=0, le=1, description="default: guard.max_shrink")
    accept: list[str] = Field(default_factory=list, description="versions that are accepted however much they lose")
    skip: list[str] = Field(default_factory=list, description="versions that are never read")
    mapping: RecordMapping = Field(default=RecordMapping(unmapped="keep"))

    @property
    def identifying(self) -> list[tuple[str, ...]]:
        """The keys, each as the fields that it is made of."""
        return [(key,) if isinstance(key, str) else tuple(key) for key in self.keys or self.mapping.keys]

    @model_validator(mode="after")
    def _one_way_to_tell(self) -> Self:
        ways = [name for name in ("recorded_at", "manifest", "git") if getattr(self, name) is not None]
        if len(ways) != 1:
            raise ValueError(
                "needs one of recorded_at (a pattern of file names), manifest and git: when versions were recorded"
            )
        if (self.path is None) != (self.git is not None):
            raise ValueError("needs path, a glob of version files, or git; not both")
        if bool(self.keys) == bool(self.mapping.keys):
            raise ValueError("needs keys, the fields that tell records apart, once: here or in the mapping")
        return self


Source = Annotated[SqlSource | FileSource | RestSource | DltSource | RecordedSource, Field(discriminator="type")]
