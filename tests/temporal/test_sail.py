"""The compute steps of the merge run on another engine, and give the same rows: Sail, which speaks Spark's dialect.

Commits run on DuckDB and what each step reads and gives is kept as Parquet. The same file, in Spark's dialect
(`spark_dialect`), then runs in Sail over the same inputs, read with an explicit schema.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from merges import merges
from recorder import Recording, Step, record
from spark_dialect import to_spark
from sqlglot import exp

from stratagraph.sqlfiles import quote_identifier

pytest.importorskip("pysail", reason="needs the extra `sail`: pip install 'stratagraph[sail]'")
pytest.importorskip("pyspark", reason="needs the extra `sail`: pip install 'stratagraph[sail]'")

# Steps that are not part of the merge: they read what producers staged, or call the library's own name normaliser.
INTAKE = {
    "temporal/normalise_statements": "takes producers' JSON apart, with functions that Spark has not (json_valid, json_type)",
    "identity/select_name_identities": "calls normalise_name, which is Python",
}
SPARK_TYPES = {"VARCHAR": "string", "BLOB": "binary", "TIMESTAMP WITH TIME ZONE": "timestamp"}


@pytest.fixture(scope="module")
def recording() -> Recording:
    with pytest.MonkeyPatch.context() as patch:
        return record(patch, lambda: merges(people=25, size=120), rows=True)


@pytest.fixture(scope="module")
def steps(recording: Recording) -> list[Step]:
    """Of every step of the merge the run with most rows."""
    merge = [step for step in recording.steps if step.file not in INTAKE]
    largest = {(step.name, step.file): step for step in sorted(merge, key=lambda step: step.output.num_rows)}
    return list(largest.values())


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
    problems = {
        f"{step.file} ({step.name})": _compare(spark, step, step.inputs, tmp_path, _numbers(step.query))[1] for step in steps
    }
    assert {step: problem for step, problem in problems.items() if problem} == {}


def test_a_whole_merge_in_sail_writes_the_same_rows(spark: Any, recording: Recording, tmp_path: Path) -> None:
    """Each step reads what Sail gave before it; how Sail numbers rows meanwhile is its own affair."""
    merge = [step for step in recording.steps if step.commit == recording.commits]
    numbers = {number for step in merge for number in _numbers(step.query)}
    given: dict[str, pa.Table] = {}
    problems, compared = {}, 0
    for step in merge:
        inputs = {table: given.get(table, rows) for table, rows in step.inputs.items()}
        if step.file not in INTAKE:
            given[step.name], problem = _compare(spark, step, inputs, tmp_path, numbers)
            if step.name in recording.written:
                problems[step.name] = problem
                compared += step.output.num_rows
    assert {step: problem for step, problem in problems.items() if problem} == {}
    assert compared > 100


def test_the_history_gives_the_steps_something_to_do(recording: Recording, steps: list[Step]) -> None:
    """A step without rows shows nothing; only those that are made to have none may."""
    assert set(INTAKE) <= {step.file for step in recording.steps}
    rows: dict[str, int] = defaultdict(int)
    for step in steps:
        rows[step.file] += step.output.num_rows
    assert {file for file, count in rows.items() if count == 0 and "/select_no_" not in file} == set()


def _compare(spark: Any, step: Step, inputs: dict[str, pa.Table], folder: Path, numbers: set[str]) -> tuple[pa.Table, str]:
    """Sail's rows of a step, typed like DuckDB's, and what is not equal between the two as multisets (or nothing)."""
    for table, rows in inputs.items():
        _offer(spark, table, rows, folder)
    try:
        rows = spark.sql(to_spark(step.query, step.parameters)).toArrow()
    except Exception as error:  # noqa: BLE001  whatever the engine says is the finding
        return step.output, str(error).splitlines()[0]
    if rows.schema.names != step.output.schema.names:
        return step.output, f"columns {rows.schema.names} instead of {step.output.schema.names}"
    connection = duckdb.connect()
    connection.register("rows", rows)
    connection.register("wanted", step.output)
    columns = {quote_identifier(name): kind for name, kind, *_ in connection.execute("DESCRIBE FROM wanted").fetchall()}
    typed = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in columns.items())
    given = connection.execute(f"SELECT {typed} FROM rows").to_arrow_table()
    connection.register("given", given)
    return given, _unequal(connection, list(columns), {quote_identifier(name) for name in numbers})


def _unequal(connection: duckdb.DuckDBPyConnection, columns: list[str], numbers: set[str]) -> str:
    """What is not equal between the tables `wanted` and `given`; numbers may differ, as long as they number the same rows."""
    plain = [name for name in columns if name not in numbers] or ["1"]
    queries = [f"SELECT {', '.join(plain)} FROM {{table}}"]
    alike = "list(struct_pack({fields}) ORDER BY struct_pack({fields}))".format(
        fields=", ".join(f"f{i} := {n}" for i, n in enumerate(plain))
    )
    queries += [f"SELECT {alike} AS alike FROM {{table}} GROUP BY {number}" for number in numbers.intersection(columns)]
    for query in queries:
        wanted, given = query.format(table="wanted"), query.format(table="given")
        missing, surplus = (
            connection.execute(f"{one} EXCEPT ALL {other}").to_arrow_table().num_rows
            for one, other in ((wanted, given), (given, wanted))
        )
        if missing or surplus:
            return f"{missing} missing, {surplus} too many: {query[:80]}"
    return ""


def _offer(spark: Any, table: str, rows: pa.Table, folder: Path) -> None:
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
    """Columns that number rows in whatever order they come: `row_number() OVER ()`."""
    windows = sqlglot.parse_one(query, read="duckdb").find_all(exp.Window)
    unordered = [
        w for w in windows if isinstance(w.this, exp.RowNumber) and not w.args.get("order") and not w.args.get("partition_by")
    ]
    return {alias.alias for window in unordered if (alias := window.find_ancestor(exp.Alias))}


def test_a_row_too_few_is_noticed(spark: Any, steps: list[Step], tmp_path: Path) -> None:
    step = max(steps, key=lambda step: step.output.num_rows)
    assert "1 too many" in _compare(spark, replace(step, output=step.output.slice(1)), step.inputs, tmp_path, set())[1]
    unknown = f"SELECT no_such AS a FROM {next(iter(step.inputs))}"
    assert "no_such" in _compare(spark, replace(step, query=unknown), step.inputs, tmp_path, set())[1]
