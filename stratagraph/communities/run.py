"""Updates the communities of the current graph and their reports.

Labels and edges stay in SQL; Leiden gets integers and gives integers back. The three tables are bitemporal: what is as it
was keeps its rows, the rest is closed and opened at one instant, in one transaction.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from stratagraph.communities.leiden import Community, Settings, divide
from stratagraph.project import Project, fingerprint
from stratagraph.sqlfiles import load_sql
from stratagraph.transactions import transaction
from stratagraph.watermarks import read_watermark, write_watermark

VERSION = 1
STAGE = "communities"
FINDINGS, SENTENCES, TITLED = 20, 5, 3
_DIFFERENCES = ("communities", "members", "reports")


@dataclass(frozen=True)
class CommunitiesResult:
    """What updating did: rows of `graph.communities` opened and closed, reports written, and what stands now."""

    changed: bool
    communities: int
    leaves: int
    levels: int
    opened: int
    closed: int
    reports_written: int

    def metadata(self) -> dict[str, int | float | str]:
        return {name: value for name, value in asdict(self).items() if name != "changed"}


def update_communities(project: Project) -> CommunitiesResult:
    """Find the communities of what is believed now; nothing is done while that graph is the same."""
    dataset = project.config.dataset
    with project.write() as connection:
        current = _read_graph(project, connection)
        stored = read_watermark(connection, project, STAGE)
        changes = {"opened": 0, "closed": 0, "reports_written": 0}
        if stored != current:
            _create_wanted(project, connection)
            changes = _row(connection, "select_changes", {"dataset": dataset})
            with transaction(connection):
                if any(changes.values()):
                    _apply(project, connection, current, changes)
                write_watermark(connection, project, STAGE, current)
        return CommunitiesResult(any(changes.values()), **_row(connection, "select_totals", {"dataset": dataset}), **changes)


def _read_graph(project: Project, connection: duckdb.DuckDBPyConnection) -> str:
    """Make the session's tables of current nodes and edges; returns the fingerprint of all that communities depend on."""
    for name in ("create_macros", "create_labels"):
        connection.execute(load_sql("search", name))
    parameters = {"dataset": project.config.dataset, "now": project.clock().isoformat()}
    for name in ("create_nodes", "create_edges"):
        connection.execute(load_sql("communities", name), parameters)
    graph = tuple(_row(connection, "select_fingerprint", {}).values())
    return fingerprint(_report_version(), project.config.communities, graph)


def _report_version() -> str:
    """Fingerprint of the code that writes reports: a report that another version wrote is written again."""
    texts = [load_sql("communities", name) for name in ("create_communities", "create_edges", "create_reports")]
    return fingerprint(VERSION, FINDINGS, SENTENCES, TITLED, texts, load_sql("search", "create_macros"))


def _create_wanted(project: Project, connection: duckdb.DuckDBPyConnection) -> None:
    """Make the session's tables of communities, members and missing reports as they should be."""
    dataset = {"dataset": project.config.dataset}
    connection.register("assigned", _assigned(_divide(project, connection)))
    connection.execute(load_sql("communities", "create_members"), dataset)
    connection.unregister("assigned")
    connection.execute(load_sql("communities", "create_facts"))
    connection.execute(load_sql("communities", "create_communities"), {"version": _report_version()})
    wording = {"findings": FINDINGS, "sentences": SENTENCES, "titled": TITLED}
    connection.execute(load_sql("communities", "create_reports"), dataset | wording)


def _divide(project: Project, connection: duckdb.DuckDBPyConnection) -> list[Community]:
    config = project.config.communities
    classes = connection.execute(load_sql("communities", "select_classes")).fetchnumpy()["class"]
    links = connection.execute(load_sql("communities", "select_links")).fetchnumpy()
    pairs = np.column_stack([np.asarray(links[name], dtype=np.int64) for name in ("a", "b")])
    settings = Settings(config.resolution, config.max_size, config.max_levels, config.seed)
    return divide(np.asarray(classes, dtype=np.int64), pairs, np.asarray(links["weight"], dtype=np.float64), settings)


def _assigned(communities: list[Community]) -> pa.Table:
    """One row per community and member."""
    sizes = [len(community.members) for community in communities]

    def repeated(values: list[int | None]) -> pa.Array:
        return pa.array(values, type=pa.int64()).take(pa.array(np.repeat(np.arange(len(sizes)), sizes)))

    members = [community.members for community in communities]
    return pa.table(
        {
            "level": repeated([community.level for community in communities]),
            "community": repeated([community.number for community in communities]),
            "parent": repeated([community.parent for community in communities]),
            "vertex": pa.array(np.concatenate([*members, np.zeros(0, dtype=np.int64)]), type=pa.int64()),
        }
    )


def _apply(project: Project, connection: duckdb.DuckDBPyConnection, current: str, changes: dict[str, int]) -> None:
    """Close and open rows at one instant, later than everything recorded before."""
    (last,) = connection.execute(load_sql("snapshot", "select_known_at")).fetchall()[0]
    instant = max(project.clock(), last.astimezone(UTC) + timedelta(microseconds=1))
    parameters = {"dataset": project.config.dataset, "instant": _text(instant)}
    for table in _DIFFERENCES:
        connection.execute(load_sql("communities", f"close_{table}"), parameters)
        connection.execute(load_sql("communities", f"insert_{table}"), parameters)
    # The instant is part of the batch id: a graph may return to what it was, and that is another batch.
    batch = fingerprint("communities", current, _text(instant))
    run = {"batch_id": batch, "run_id": batch, "counts": json.dumps(changes, sort_keys=True)}
    connection.execute(load_sql("communities", "insert_run"), parameters | run)


def _text(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat()


def _row(connection: duckdb.DuckDBPyConnection, name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    result = connection.execute(load_sql("communities", name), parameters)
    names = [column[0] for column in result.description or []]
    return dict(zip(names, result.fetchall()[0], strict=True))
