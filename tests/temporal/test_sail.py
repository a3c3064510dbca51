"""The compute steps of the merge run on another engine, and give the same rows: Sail, which speaks Spark's dialect.

Commits run on DuckDB and what each step reads and gives is kept as Parquet. The same file, in Spark's dialect
(`spark_dialect`), then runs in Sail over the same inputs, read with an explicit schema.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from merges import merges
from recorder import Step, record
from spark_dialect import to_spark
from sqlglot import exp

from stratagraph.sqlfiles import quote_identifier

pytest.importorskip("pysail", reason="needs the extra `sail`: pip install 'stratagraph[sail]'")
pytest.importorskip("pyspark", reason="needs the extra `sail`: pip install 'stratagraph[sail]'")

# Steps that are not part of the merge: they read what producers staged, or call the library's own name normaliser.
INTAKE = {
    "temporal/normalise_statements": "takes producers' JSON apart, with functions that Spark has not (json_valid, json_type)",
    "temporal/select_staged": "reads a file by its path",
    "identity/select_name_identities": "calls normalise_name, which is Python",
}
# How many runs of one step are looked at, those with most rows.
RUNS = 2
SPARK_TYPES = {"VARCHAR": "string", "BLOB": "binary", "TIMESTAMP WITH TIME ZONE": "timestamp"}


@pytest.fixture(scope="module")
def steps() -> list[Step]:
    """The runs that are looked at of every step of the merge."""
    with pytest.MonkeyPatch.context() as patch:
        recording = record(patch, lambda: merges(people=25, size=120), rows=True)
    runs: dict[str, list[Step]] = defaultdict(list)
    for step in recording.steps:
        if step.file not in INTAKE:
            runs[step.name].append(step)
    return [step for named in runs.values() for step in sorted(named, key=lambda run: -run.output.num_rows)[:RUNS]]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    yield session
    session.stop()
    server.stop()


def test_every_step_gives_the_same_rows_in_sail(spark: Any, steps: list[Step], tmp_path: Path) -> None:
    different = {}
    for step in steps:
        problem = _difference(spark, step, tmp_path)
        if problem:
            different[f"{step.file} ({step.name})"] = problem
    assert different == {}


def test_the_history_gives_the_steps_something_to_do(steps: list[Step]) -> None:
    """A step without rows shows nothing; the files of the merge all have some."""
    rows: dict[str, int] = defaultdict(int)
    for step in steps:
        rows[step.file] += step.output.num_rows
    empty = {file for file, count in rows.items() if count == 0 and file.startswith(("temporal/derive_", "temporal/diff_"))}
    assert empty == set()
    assert len([file for file, count in rows.items() if count]) > 30


def _difference(spark: Any, step: Step, folder: Path) -> str | None:
    """What is not equal between DuckDB's rows of a step and Sail's, as multisets."""
    for table, rows in step.inputs.items():
        _read(spark, table, rows, folder)
    try:
        given = spark.sql(to_spark(step.query, step.parameters)).toArrow()
    except Exception as error:  # noqa: BLE001  whatever the engine says is the finding
        return str(error).splitlines()[0]
    if given.schema.names != step.output.schema.names:
        return f"columns {given.schema.names} instead of {step.output.schema.names}"
    connection = duckdb.connect()
    connection.register("given", given)
    connection.register("wanted", step.output)
    numbers = _numbers(step.query)
    for number in map(quote_identifier, numbers):
        dense = f"SELECT count(DISTINCT {number}) = count(*) AND min({number}) = 1 AND max({number}) = count(*) FROM given"
        if given.num_rows and connection.execute(dense).fetchone() != (True,):
            return f"{number} does not number the rows"
    columns = [
        (quote_identifier(name), kind)
        for name, kind, *_ in connection.execute("DESCRIBE FROM wanted").fetchall()
        if name not in numbers
    ]
    compared = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in columns)
    missing, surplus = (
        connection.execute(
            f"SELECT count(*) FROM (SELECT {compared} FROM {one} EXCEPT ALL SELECT {compared} FROM {other})"
        ).fetchall()[0][0]
        for one, other in (("wanted", "given"), ("given", "wanted"))
    )
    return f"{missing} rows missing, {surplus} too many, of {step.output.num_rows}" if missing or surplus else None


def _read(spark: Any, table: str, rows: pa.Table, folder: Path) -> None:
    """Hand a table to Sail as Parquet with an explicit schema, as steps are kept there (an empty file has no columns)."""
    path = folder / f"{id(rows)}.parquet"  # one file for a table that several steps read
    connection = duckdb.connect()
    connection.register("rows", rows)
    if not path.exists():
        connection.execute(f"COPY (FROM rows) TO '{path}' (FORMAT parquet)")
    described = connection.execute("DESCRIBE FROM rows").fetchall()
    schema = ", ".join(f"`{name}` {SPARK_TYPES.get(kind, kind.lower())}" for name, kind, *_ in described)
    spark.read.schema(schema).parquet(str(path)).createOrReplaceTempView(table.replace(".", "_"))


def _numbers(query: str) -> set[str]:
    """Columns that number the rows of a step in whatever order they come: `row_number() OVER ()`."""
    tree = sqlglot.parse_one(query, read="duckdb")
    return {
        projection.alias
        for projection in getattr(tree, "selects", [])
        for window in projection.find_all(exp.Window)
        if not window.args.get("order") and not window.args.get("partition_by") and isinstance(window.this, exp.RowNumber)
    }
