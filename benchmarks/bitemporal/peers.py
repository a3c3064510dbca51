"""Other tools on the same input, as far as they can express it.

dlt's `scd2` knows one clock, its own: a row holds from the load that brought it. So it gets the value that holds without end of
each key, and of the batch the last statement of each key that is no retraction. `pytemporal` computes both-axes changes of data
frames in memory and stores nothing; it has no retraction, and of statements of one key in one batch only the last is given.
Neither keeps statements, evidence or what justifies a row.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.bitemporal.steps_profile import cpu_seconds

_OPEN_ENDED = """
SELECT node_id AS id, label, properties, md5(concat(label, properties)) AS version FROM store.graph.nodes_open
WHERE valid_to = 'infinity' ORDER BY id
"""
# The last statement of each key, if it asserts.
_LAST = """
SELECT subject AS id, value ->> 'label' AS label, CAST(value -> 'properties' AS VARCHAR) AS properties, valid_from, valid_to
FROM read_parquet($file) QUALIFY row_number() OVER (PARTITION BY subject ORDER BY sequence DESC) = 1 AND polarity = 'assert'
"""
_LAST_VERSIONS = f"SELECT id, label, properties, md5(concat(label, properties)) AS version FROM ({_LAST}) ORDER BY id"
# pytemporal has no infinity; its own constant stands for it.
_PYTEMPORAL_END = "CASE WHEN isinf(valid_to) THEN TIMESTAMP '2260-12-31 23:59:59' ELSE CAST(valid_to AS TIMESTAMP) END"
_STATE = f"""
SELECT node_id AS id, label, properties, CAST(valid_from AS TIMESTAMP) AS effective_from, {_PYTEMPORAL_END} AS effective_to,
       CAST(recorded_from AS TIMESTAMP) AS as_of_from, TIMESTAMP '2260-12-31 23:59:59' AS as_of_to
FROM store.graph.nodes_open
"""
_UPDATES = f"""
SELECT id, label, properties, CAST(valid_from AS TIMESTAMP) AS effective_from, {_PYTEMPORAL_END} AS effective_to,
       TIMESTAMP '2026-06-01 00:00:00' AS as_of_from, TIMESTAMP '2260-12-31 23:59:59' AS as_of_to
FROM ({_LAST}) WHERE valid_to IS NOT NULL
"""


def dlt_scd2(path: str, file: str, folder: str) -> dict[str, Any]:
    """Load the base, then the batch, with dlt's scd2 into a DuckDB file: seconds of the batch, and of its merge SQL alone."""
    os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
    os.environ["RUNTIME__LOG_LEVEL"] = "ERROR"
    import dlt

    place = Path(folder) / "dlt"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    with duckdb.connect() as connection:
        _attach(connection, path)
        base = connection.execute(_OPEN_ENDED).to_arrow_table()
        batch = connection.execute(_LAST_VERSIONS, {"file": file}).to_arrow_table()
    pipeline = dlt.pipeline(
        "belief",
        pipelines_dir=str(place / "pipelines"),
        destination=dlt.destinations.duckdb(str(place / "dlt.duckdb")),
        dataset_name="belief",
    )
    write_disposition = {"disposition": "merge", "strategy": "scd2", "row_version_column_name": "version"}
    wall = cpu = merge = base_wall = 0.0
    for table in (base, batch):
        base_wall = wall
        resource = dlt.resource([table], name="items", write_disposition=write_disposition, merge_key="id")
        wall, cpu = time.perf_counter(), cpu_seconds()
        pipeline.extract(resource)
        pipeline.normalize()
        info = pipeline.load()
        info.raise_on_failed_jobs()
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
        jobs = [job for load in info.metrics.values() for step in load for job in step["job_metrics"].items()]
        merge = sum((job.finished_at - job.started_at).total_seconds() for name, job in jobs if name.endswith(".sql"))
    with duckdb.connect(str(place / "dlt.duckdb"), read_only=True) as connection:
        row = connection.execute(
            "SELECT count(*) FILTER (_dlt_valid_from = last), count(*) FILTER (_dlt_valid_to = last) "
            "FROM belief.items, (SELECT max(_dlt_valid_from) AS last FROM belief.items)"
        ).fetchone()
    shutil.rmtree(place, ignore_errors=True)
    opened, closed = row or (0, 0)
    return {
        "wall": wall,
        "cpu": cpu,
        "merge": merge,
        "base_wall": base_wall,
        "keys": base.num_rows,
        "rows_in": batch.num_rows,
        "opened": opened,
        "closed": closed,
    }


def pytemporal_changes(path: str, file: str) -> dict[str, Any]:
    """Compute the changes of the batch against the open rows, from data frames to data frames."""
    from pytemporal import BitemporalTimeseriesProcessor  # type: ignore[import-not-found,unused-ignore]

    with duckdb.connect() as connection:
        _attach(connection, path)
        # As objects: it does not know the string columns of pandas 3.
        text = {"id": object, "label": object, "properties": object}
        state = connection.execute(_STATE).df().astype(text)
        updates = connection.execute(_UPDATES, {"file": file}).df().astype(text)
    processor = BitemporalTimeseriesProcessor(id_columns=["id"], value_columns=["label", "properties"])
    wall, cpu = time.perf_counter(), cpu_seconds()
    expired, inserted = processor.compute_changes(state, updates, system_date="2026-06-01")
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    return {
        "wall": wall,
        "cpu": cpu,
        "rows": len(state),
        "rows_in": len(updates),
        "opened": len(inserted),
        "closed": len(expired),
    }


def _attach(connection: duckdb.DuckDBPyConnection, path: str) -> None:
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"""ATTACH '{path.replace("'", "''")}' AS store (READ_ONLY)""")
