"""Takes what dlt resources of other people yield on its way to the landing file: encodes it, and notes fields and keys.

A user's resource runs as dlt runs it: filters, incremental cursors, transformers. What it says of the destination (write
disposition, merge keys, types, contracts) does not count here; its keys and references do. What the rows mean is not
known here, and neither is where they come from.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, TypeVar, overload

import pyarrow as pa
import pyarrow.compute as pc
from dlt.extract import DltResource
from dlt.extract.extractors import ImportFileMeta
from dlt.extract.hints import HintsMeta
from dlt.extract.incremental import Incremental, IncrementalResourceWrapper
from dlt.extract.items import TableNameMeta
from dlt.extract.items_transform import ItemTransform

from stratagraph.errors import SourceError
from stratagraph.landing.pipeline import dlt, landing_column, landing_table
from stratagraph.sources.catalog import JSON_TEXT, ForeignKey
from stratagraph.sources.read.formats.records import FieldPath, RecordEncoder
from stratagraph.sources.read.reader import Column, Identifier, Opened, Since

T = TypeVar("T")


class Observer:
    """Watches the resources of one load.

    Args:
        where: what messages call the source.
        since: where incremental tables go on.
    """

    def __init__(self, where: str, since: Since) -> None:
        self._where = where
        self._since = since
        self._tables: dict[str, _Records | _Frames] = {}
        self._hints: dict[str, Mapping[str, Any]] = {}
        self._silent: dict[str, Mapping[str, Any]] = {}  # of resources that yielded nothing yet

    def opened(self, resources: Iterable[DltResource]) -> Opened:
        """The resources as the loader wants them."""
        return Opened(
            resources=[self._landing(resource) for resource in resources],
            columns=self.columns,
            identifiers=_Late(self._identifiers),
            foreign_keys=_Late(self._foreign_keys),
        )

    def columns(self) -> list[Column]:
        """The columns and fields that occurred, by table."""
        return [column for _, table in sorted(self._tables.items()) for column in table.columns()]

    def _landing(self, resource: DltResource) -> DltResource:
        """A resource of ours that takes what another yields, so that the other's hints do not reach the landing file."""
        if not resource.has_dynamic_table_name and not resource.has_other_dynamic_hints:
            self._silent[resource.name] = resource.compute_table_schema()
        self._continue(resource)

        def land(items: Any, meta: Any = None) -> Iterator[Any]:
            self._silent.pop(resource.name, None)
            for name, group in self._by_table(resource, items, meta):
                yield from self._encoded(name, group)

        return dlt.transformer(land, data_from=resource, name=resource.name, write_disposition="replace")

    def _by_table(self, resource: DltResource, items: Any, meta: Any) -> Iterator[tuple[str, list[Any]]]:
        """What a resource yielded at once, by the table that it is for."""
        if isinstance(meta, ImportFileMeta):
            raise SourceError(f"the resource {resource.name} imports files", where=self._where, hint="yield rows instead")
        changed = isinstance(meta, HintsMeta) and bool(meta.hints)
        if changed:
            resource.merge_hints(meta.hints, meta.create_table_variant)
            if meta.create_table_variant:
                meta = TableNameMeta(str(meta.hints["table_name"]))
        named = meta.table_name if isinstance(meta, TableNameMeta) else resource.table_name
        groups: dict[str, list[Any]] = {}
        for item in items if isinstance(items, list) else [items]:
            groups.setdefault(named(item) if callable(named) else str(named), []).append(item)
        for name, group in groups.items():
            if changed or name not in self._hints:
                self._hints[name] = resource.compute_table_schema(group[0], TableNameMeta(name))
            yield name, group

    def _encoded(self, name: str, items: list[Any]) -> Iterator[Any]:
        """Flat frames stay frames; everything else becomes records of JSON text. A table is one or the other."""
        frames = [_frame(item) for item in items]
        flat = all(frame is not None for frame in frames) and all(_is_flat(frame.schema) for frame in frames)
        table = self._tables.setdefault(name, (_Frames if flat else _Records)(name, self._where))
        if isinstance(table, _Frames) and not flat:
            raise SourceError(
                "rows came as records after they came as flat frames", where=f"{self._where}: {name}",
                hint="let the resource yield one of both",
            )  # fmt: skip
        if isinstance(table, _Frames):
            yield from (table.encode(frame) for frame in frames)
            return
        rows = (
            [item] if frame is None else frame.to_pylist(maps_as_pydicts="strict")
            for item, frame in zip(items, frames, strict=True)
        )
        yield dlt.mark.with_table_name([table.encode(row) for group in rows for row in group], name)

    def _continue(self, resource: DltResource) -> None:
        """Let a resource that follows a cursor go on where the last load stopped."""
        start = None if resource.has_dynamic_table_name else self._since.cursors.get(str(resource.table_name))
        if start is not None:
            resource.add_step(_Start(self._where, *start), insert_at=1)

    def _identifiers(self) -> list[Identifier]:
        found = []
        for table, hints in self._declared():
            columns = hints["columns"].items()
            primary = tuple(self._column(table, name) for name, column in columns if column.get("primary_key"))
            if primary:
                found.append(Identifier(table, "primary", primary))
            unique = [self._column(table, name) for name, column in columns if column.get("unique")]
            found += [Identifier(table, "unique", (name,)) for name in unique]
        return found

    def _foreign_keys(self) -> list[ForeignKey]:
        found = []
        for table, hints in self._declared():
            for reference in hints.get("references") or ():
                other = self._table(reference["referenced_table"])
                columns = tuple(self._column(table, name) for name in reference["columns"])
                targets = tuple(self._column(other, name) for name in reference["referenced_columns"])
                name = f"{table}({', '.join(columns)})->{other}({', '.join(targets)})"
                found.append(ForeignKey(name, table, columns, other, targets))
        return found

    def _declared(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Tables and their hints; a table without rows is that of its resource."""
        return sorted(({hints["name"]: hints for hints in self._silent.values()} | self._hints).items())

    def _table(self, hinted: str) -> str:
        """The table that a hint means: hints may spell names as the source or as dlt does."""
        known = [table for table, _ in self._declared()]
        return hinted if hinted in known else next((t for t in known if landing_table(t) == landing_table(hinted)), hinted)

    def _column(self, table: str, hinted: str) -> str:
        """The column that a hint means."""
        fields = [column.field for column in self._tables[table].columns()] if table in self._tables else []
        if (hinted,) in fields:
            return hinted
        landed = landing_column(*hinted.split("__"))  # how dlt spells a field of a nested object
        return next((".".join(field) for field in fields if landing_column(*field) == landed), hinted)


class _Records:
    """A table of records."""

    def __init__(self, name: str, where: str) -> None:
        self._name = name
        self._where = where
        self._fields = _Fields(f"{where}: {name}")
        self._encoder = RecordEncoder(name, f"{where}: {name}", self._fields)

    def encode(self, record: Any) -> dict[str, Any]:
        plain = _plain(record)
        if plain is None:
            raise SourceError(
                f"a row is no record but {type(record).__name__}", where=f"{self._where}: {self._name}",
                hint="rows are objects with named fields; for a REST API, data_selector says where they stand in the answer",
            )  # fmt: skip
        return self._encoder.record(plain)

    def columns(self) -> list[Column]:
        """By name, so that the order of the records does not matter; the table's own before those of its lists."""
        positions: dict[tuple[str, ...], int] = {}
        found = []
        for path in sorted(self._fields):
            position = positions[path.table] = positions.get(path.table, -1) + 1
            found.append(Column(path.table, path.field, JSON_TEXT, position, encoded=True))
        return found


class _Fields(set[FieldPath]):
    """The fields that occurred. Those that could not be landed are refused where they first occur: nothing is written yet."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where
        self._places: dict[tuple[str, str], FieldPath] = {}

    def add(self, path: FieldPath) -> None:
        if path in self:
            return
        _refuse_reserved((*path.table[1:], *path.field), self._where)
        other = self._places.setdefault((landing_table(*path.table), landing_column(*path.field)), path)
        if other != path:
            names = " and ".join(".".join((*known.table[1:], *known.field)) for known in (other, path))
            raise SourceError(f"the fields {names} can't be told apart once loaded", where=self._where, hint="rename one")
        super().add(path)


class _Frames:
    """A table of Arrow batches."""

    def __init__(self, name: str, where: str) -> None:
        self._name = name
        self._where = where
        self._types: dict[str, pa.DataType] = {}

    def encode(self, frame: Any) -> Any:
        """The batch in types that DuckDB has as well, marked for its table."""
        _refuse_reserved(frame.schema.names, f"{self._where}: {self._name}")
        naive: dict[str, Any] = {}
        for field in frame.schema:
            if self._types.get(field.name) in (None, pa.null()):
                self._types[field.name] = field.type
                if pa.types.is_timestamp(field.type) and field.type.tz is None:
                    naive[field.name] = {"data_type": "timestamp", "timezone": False}
        landed = _landed_frame(frame)
        if not naive:
            return dlt.mark.with_table_name(landed, self._name)
        # dlt would take a time without a zone for UTC.
        hints = dlt.mark.make_hints(table_name=self._name, columns=naive, write_disposition="replace")
        return dlt.mark.with_hints(landed, hints, create_table_variant=True)

    def columns(self) -> list[Column]:
        return [
            Column((self._name,), (name,), _type_name(kind), position)
            for position, (name, kind) in enumerate(self._types.items())
        ]


def _landed_frame(frame: Any) -> Any:
    """The frame with its columns in types that keep every value in the landing file."""
    table = pa.table(frame) if isinstance(frame, pa.RecordBatch) else frame
    for position, field in enumerate(table.schema):
        wanted = _landed_type(field.type)
        if wanted is None or wanted == field.type:
            continue
        column = table.column(position)
        if pa.types.is_float32(field.type):  # 1.1 is 1.1, not 1.100000023841858
            column = column.cast(pa.string())
        if pa.types.is_timestamp(field.type):  # a cast alone would round times before 1970 up
            column = pc.floor_temporal(column, unit="microsecond")
        table = table.set_column(position, field.name, column.cast(wanted, safe=not pa.types.is_temporal(wanted)))
    return table


def _landed_type(kind: pa.DataType) -> pa.DataType | None:
    """The type of a landing column for an Arrow type; None: there is none, and the rows are landed as records."""
    types = pa.types
    if types.is_dictionary(kind):
        return _landed_type(kind.value_type)
    if types.is_uint64(kind):
        return pa.decimal128(20, 0)
    if types.is_integer(kind):
        return pa.int64()
    if types.is_floating(kind):
        return pa.float64()
    if types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return pa.string()
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind) or types.is_binary_view(kind):
        return pa.binary()
    if types.is_date(kind):
        return pa.date32()
    if types.is_time(kind):
        return pa.time64("us")
    return kind if types.is_boolean(kind) or types.is_decimal128(kind) or types.is_null(kind) else None


def _type_name(kind: pa.DataType) -> str:
    """DuckDB's name of an Arrow type, since Arrow's own are known nowhere else; empty for a column without values."""
    landed, types = _landed_type(kind), pa.types
    names = {
        pa.int64(): "BIGINT",
        pa.float64(): "DOUBLE",
        pa.string(): "VARCHAR",
        pa.binary(): "BLOB",
        pa.date32(): "DATE",
        pa.time64("us"): "TIME",
        pa.bool_(): "BOOLEAN",
        pa.timestamp("us"): "TIMESTAMP",
        pa.null(): "",
    }
    if types.is_uint64(kind):
        return "UBIGINT"
    if landed is not None and types.is_decimal128(landed):
        return f"DECIMAL({landed.precision},{landed.scale})"
    return names.get(landed, "TIMESTAMP WITH TIME ZONE")


def _refuse_reserved(names: Iterable[str], where: str) -> None:
    for name in names:
        if landing_column(name).startswith("_dlt"):
            raise SourceError(
                f"the field {name} has a name of dlt's own", where=where, hint="rename it: names must not start with _dlt"
            )


def _frame(item: Any) -> Any:
    """An item as an Arrow table, if it is a frame of any library."""
    if isinstance(item, (pa.Table, pa.RecordBatch)):
        return item
    library = type(item).__module__.partition(".")[0]
    if library == "polars":
        return item.to_arrow()
    return pa.Table.from_pandas(item, preserve_index=False) if library == "pandas" else None


def _is_flat(schema: Any) -> bool:
    return all(_landed_type(field.type) is not None for field in schema)


def _plain(record: Any) -> dict[Any, Any] | None:
    """A record as a dictionary: mappings, data classes, Pydantic models."""
    if isinstance(record, dict):
        return record
    if isinstance(record, Mapping):
        return dict(record)
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return dataclasses.asdict(record)
    dump = getattr(record, "model_dump", None)
    return dump(by_alias=True) if callable(dump) else None


class _Start(ItemTransform[Any, Any]):
    """Sets, before anything is read, the value that a resource's `dlt.sources.incremental` starts from.

    dlt keeps it in its pipeline state. Ours is empty in every run; the landing file knows how far a table was loaded.
    Rows that have exactly this value are read again, so none of them is lost.
    """

    def __init__(self, where: str, cursor: str, value: Any) -> None:
        super().__init__(lambda item: item)
        self._where = where
        self._cursor = cursor
        self._value = value

    def bind(self, pipe: Any) -> _Start:
        step = pipe.get_by_type(IncrementalResourceWrapper, Incremental)
        incremental = step.incremental if isinstance(step, IncrementalResourceWrapper) else step
        path, kind = self._cursor, object
        if incremental is not None:
            path, kind = incremental.cursor_path, incremental.get_incremental_value_type()
            if path.removeprefix("$.") != self._cursor:
                raise SourceError(
                    f"the cursor of {pipe.name} is {self._cursor!r}, but its dlt incremental follows {path!r}",
                    where=self._where, hint="name the same field in both",
                )  # fmt: skip
        self._value = value = _as_kind(self._value, kind)
        state = dlt.current.resource_state(pipe.name).setdefault("incremental", {})
        state[path] = {"initial_value": value, "last_value": value, "start_value": value, "unique_hashes": []}
        return self

    def __call__(self, item: Any, meta: Any = None) -> Any:
        rows = item if isinstance(item, list) else [item]
        first = rows[0].get(self._cursor) if rows and isinstance(rows[0], dict) else None
        if isinstance(self._value, str) and first is not None and not isinstance(first, str):
            raise SourceError(
                f"values of the cursor {self._cursor} are {type(first).__name__}, which its dlt incremental does not say",
                where=self._where, hint="give it an initial_value of that type, or write dlt.sources.incremental[datetime](…)",
            )  # fmt: skip
        return item


def _as_kind(value: Any, kind: Any) -> Any:
    """A cursor's value as its resource compares it: the row log keeps times as text, and numbers as they were said."""
    if kind is Any or not isinstance(kind, type) or isinstance(value, kind):
        return value
    if issubclass(kind, datetime):
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        return dlt.common.pendulum.instance(moment, tz=None) if kind is not datetime else moment
    if issubclass(kind, date):
        return value.date() if isinstance(value, datetime) else date.fromisoformat(str(value)[:10])
    if issubclass(kind, str):
        return value.isoformat() if isinstance(value, date) else str(value)
    return kind(value) if issubclass(kind, (int, float)) else value


class _Late(Sequence[T]):
    """A sequence that is known only once all resources were read."""

    def __init__(self, make: Callable[[], list[T]]) -> None:
        self._make = make

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._make()[index]

    def __len__(self) -> int:
        return len(self._make())
