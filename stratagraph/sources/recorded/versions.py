"""The table of versions in the landing file: which versions of a recorded source were loaded, and which of them count.

A version that lost too much against the last one that was accepted is refused: it stays in the landing file, says nothing,
and the next one is compared with what was accepted. The verdict is a function of the versions and the config alone; once
something was committed, what is older is history and is not judged again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb
import pyarrow as pa

from stratagraph.config.sources import RecordedSource
from stratagraph.sources.catalog import ACCEPTED, LAYER, REFUSED, LandedColumn, LoadedVersion, loaded_versions
from stratagraph.sources.landing import landing_columns
from stratagraph.sources.names import dataset_name
from stratagraph.sources.recorded.series import ROOT
from stratagraph.sqlfiles import load_sql, qualified

GUARD = "guard_shrink"

_TEXT, _NAMES = pa.string(), pa.list_(pa.string())
_SCHEMA = pa.schema(
    {"source": _TEXT, "file": _TEXT, "recorded_at": pa.timestamp("us", "UTC"), "sha256": _TEXT, "record_count": pa.int64(),
     "load_id": _TEXT, "item_count": pa.int64(), "fields": _NAMES, "renamed": pa.map_(_TEXT, _TEXT), "moved": pa.bool_(),
     "read_as": _TEXT}
)  # fmt: skip
_VERDICTS = pa.schema({"file": _TEXT, "state": _TEXT, "reason": _TEXT, "detail": _TEXT, "payload": _TEXT})


@dataclass(frozen=True)
class NewVersion:
    """A version that was just loaded.

    Args:
        items: records in nested lists of its records.
        fields: fields that occur, as `table<tab>field`.
        renamed: name of a field -> how the version calls it.
        read_as: fingerprint of the config that it was read with.
    """

    file: str
    recorded_at: datetime
    sha256: str
    records: int
    items: int
    fields: Sequence[str]
    renamed: Mapping[str, str]
    moved: bool
    read_as: str


@dataclass(frozen=True)
class Counted:
    """How much a version says: its records with a key, and the records nested in them."""

    file: str
    records: int
    items: int


@dataclass(frozen=True)
class Verdict:
    """Whether a version counts, and why not."""

    file: str
    state: str
    reason: str | None = None
    detail: str | None = None
    payload: str | None = None


def insert_versions(connection: duckdb.DuckDBPyConnection, source: str, load_id: str, versions: Sequence[NewVersion]) -> None:
    """Add versions that are loaded now; none of them counts before it is judged."""
    rows = [
        {"source": source, "file": version.file, "recorded_at": version.recorded_at, "sha256": version.sha256}
        | {"record_count": version.records, "load_id": load_id, "item_count": version.items, "fields": list(version.fields)}
        | {"renamed": sorted(version.renamed.items()), "moved": version.moved, "read_as": version.read_as}
        for version in versions
    ]
    connection.register("incoming", pa.Table.from_pylist(rows, schema=_SCHEMA))
    connection.execute(load_sql(LAYER, "insert_incoming", table=qualified("stratagraph", "versions")))
    connection.unregister("incoming")


def schema_changes(connection: duckdb.DuckDBPyConnection, source: str) -> list[str]:
    """How the fields changed from version to version, for people: `2017.csv: Remark dropped`."""
    rows = connection.execute(load_sql(LAYER, "select_version_changes"), {"source": source}).fetchall()
    return [f"{file}: {field} {change}" for file, field, change in rows]


def delete_versions(connection: duckdb.DuckDBPyConnection, source: str, files: Sequence[str]) -> None:
    """Versions that count as loaded no more."""
    connection.execute(load_sql(LAYER, "delete_versions"), {"source": source, "files": list(files)})


def replace_recorded_load(
    connection: duckdb.DuckDBPyConnection, source: str, wanted: str, loaded_at: datetime, tables: int
) -> None:
    """A load of a recorded source has ended."""
    parameters = {"source": source, "input_fingerprint": wanted, "loaded_at": loaded_at, "tables": tables}
    _delete(connection, "loads", source)
    connection.execute(load_sql(LAYER, "insert_recorded_load"), parameters)


def judge_versions(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    config: RecordedSource,
    columns: Sequence[LandedColumn],
    committed: Collection[str],
    share: float,
) -> list[LoadedVersion]:
    """Decide which versions count, and note how the fields of those that do changed.

    Args:
        committed: files of the versions that are part of what was believed; what is older than the last of them is history.
        share: of its records that a version may lose.
    """
    versions = loaded_versions(connection, source)
    last = max((position for position, version in enumerate(versions) if version.file in committed), default=-1)
    open_ = versions[last + 1 :]
    counted = _count(connection, source, config, columns, versions[max(last, 0) :])
    basis = counted[versions[last].file] if last >= 0 else None
    verdicts = judge([counted[version.file] for version in open_], basis, share, config.accept)
    history = [Verdict(version.file, ACCEPTED) for version in versions[: last + 1] if version.file in committed]
    rows = [vars(verdict) for verdict in [*history, *verdicts]]
    connection.register("verdicts", pa.Table.from_pylist(rows, schema=_VERDICTS))
    connection.execute(load_sql(LAYER, "update_versions"), {"source": source})
    connection.unregister("verdicts")
    connection.execute(
        load_sql(LAYER, "delete_of_source", table=qualified("stratagraph", "schema_changes")), {"source": source}
    )
    connection.execute(load_sql(LAYER, "insert_version_changes"), {"source": source})
    return loaded_versions(connection, source)


def judge(versions: Sequence[Counted], last: Counted | None, share: float, accept: Collection[str]) -> list[Verdict]:
    """The verdict on each version in order, each compared with the last one that was accepted."""
    verdicts = []
    for version in versions:
        lost = _lost(version, last) if last is not None and version.file not in accept else []
        worst = max(lost, key=lambda loss: loss[1] / loss[2], default=("", 0, 1))
        if last is None or worst[1] <= share * worst[2]:
            last = version
            verdicts.append(Verdict(version.file, ACCEPTED))
            continue
        what, gone, before = worst
        detail = f"{gone} of the {before} {what} of {last.file} are gone; more than a share of {share:g} is refused"
        payload = json.dumps({"file": version.file, "compared_with": last.file, "gone": gone, "before": before}, sort_keys=True)
        verdicts.append(Verdict(version.file, REFUSED, GUARD, detail, payload))
    return verdicts


def _lost(version: Counted, last: Counted) -> list[tuple[str, int, int]]:
    """(what, how many are gone, how many there were) for all of which there were any."""
    counts = (
        ("records", version.records, last.records),
        ("records and nested records", version.records + version.items, last.records + last.items),
    )
    return [(what, before - now, before) for what, now, before in counts if before]


def _count(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    config: RecordedSource,
    columns: Sequence[LandedColumn],
    versions: Sequence[LoadedVersion],
) -> dict[str, Counted]:
    """How much each version says: a record without any key says nothing."""
    dataset = dataset_name(source)
    landed = {column.name: column for column in columns if column.table == ROOT}
    names = sorted({field for key in config.identifying for field in key if field in landed})
    counts: dict[str, int] = {}
    if names and landed[names[0]].landing_table in landing_columns(connection, dataset):
        table = qualified(dataset, landed[names[0]].landing_table)
        fields = ", ".join(qualified("landed", landed[name].landing_column) for name in names)
        parameters = {"source": source, "files": [version.file for version in versions]}
        statement = load_sql(LAYER, "count_records", table=table, fields=fields)
        counts = dict(connection.execute(statement, parameters).fetchall())
    return {v.file: Counted(v.file, counts.get(v.file, 0), v.items) for v in versions}


def _delete(connection: duckdb.DuckDBPyConnection, table: str, source: str) -> None:
    connection.execute(load_sql(LAYER, "delete_of_source", table=qualified("stratagraph", table)), {"source": source})
