"""What a disk that is full or a place that cannot be written means, told by the library itself, without the command line."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import stratagraph
from stratagraph.errors import WarehouseError
from stratagraph.project import Project, storage_errors

CONFIG = "version: 1\nontology: {files: [o.ttl]}\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "stratagraph.yaml").write_text(CONFIG, encoding="utf-8")
    return Project.load(tmp_path / "stratagraph.yaml")


# A small file system in a namespace of its own; each part of the library fills it, and everything works once there is room.
FULL_DISK = """
mount -t tmpfs -o size=3m tmpfs "$2" || exit 77
"$1" -c "$3"
mount -o remount,size=100m "$2"
"$1" -c "$4"
"""
FILL = """
import sys
from pathlib import Path
from stratagraph.errors import WarehouseError
from stratagraph.project import Project
from stratagraph.staging import Batch, staged_batches, write_batch
import duckdb
project = Project.load("stratagraph.yaml")
def fill(connection):
    connection.begin()
    try:
        connection.execute("CREATE TABLE big AS SELECT sha256(CAST(i AS VARCHAR)) AS t FROM range(300000) AS r(i)")
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
def warehouse():
    with project.write() as connection:
        fill(connection)
def landing():
    with project.landing_connection(read_only=False) as connection:
        fill(connection)
def staging():
    columns = "'main' AS dataset, sha256(CAST(i AS VARCHAR)) AS subject"
    from stratagraph.staging import STATEMENT_COLUMNS
    names = [n for n in STATEMENT_COLUMNS if n not in ("dataset", "subject")]
    rows = duckdb.connect().sql(f"SELECT {columns}, {', '.join(f'NULL AS {n}' for n in names)} FROM range(300000) AS r(i)")
    write_batch(project, "rows", Batch("b", "s", 0, True), rows)
"""
FULL = (
    FILL
    + """
for work in (warehouse, landing, staging):
    try:
        work()
    except WarehouseError as error:
        print(work.__name__, "the disk is full" in str(error), staged_batches(project, "rows"))
"""
)
ROOM = (
    FILL
    + """
for work in (warehouse, landing, staging):
    work()
print([len(duckdb.read_parquet(str(staged.statements))) for staged in staged_batches(project, "rows")])
"""
)


def test_a_full_disk_is_a_clear_error_of_the_library(project: Project, tmp_path: Path) -> None:
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    (tmp_path / "data").mkdir()
    script = ["sh", "-c", FULL_DISK, "sh", sys.executable, str(tmp_path / "data"), FULL, ROOM]
    environment = {**os.environ, "PYTHONPATH": str(Path(stratagraph.__file__).parents[1])}
    result = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", *script],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if result.returncode in (1, 77) and not result.stdout:
        pytest.skip(f"no mounting here: {result.stderr}")
    lines = [*(f"{work} True []" for work in ("warehouse", "landing", "staging")), "[300000]"]
    assert result.stdout.splitlines() == lines, result.stdout + result.stderr


def test_a_failed_rollback_does_not_hide_the_disk(project: Project) -> None:
    with pytest.raises(WarehouseError, match="the disk is full"), project.write() as connection:
        try:
            raise duckdb.IOException("IO Error: Could not write file: No space left on device")
        except duckdb.Error:
            connection.rollback()  # there is no transaction
    with pytest.raises(WarehouseError, match="x: the disk is full"), storage_errors(Path("x")):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_other_errors_pass_as_they_are(project: Project) -> None:
    for error in (ValueError("a mistake"), duckdb.CatalogException("no such table"), FileNotFoundError("a file")):
        with pytest.raises(type(error), match=str(error)), project.write():
            raise error


def test_a_data_directory_that_is_a_file_is_a_clear_error(project: Project, tmp_path: Path) -> None:
    from stratagraph.locks import alone

    (tmp_path / "data").write_text("", encoding="utf-8")
    with pytest.raises(WarehouseError, match=r"data: the folder cannot be made"), project.write():
        pass
    with pytest.raises(WarehouseError, match=r"data: the folder cannot be made"), project.landing_connection(read_only=False):
        pass
    with pytest.raises(WarehouseError, match=r"the lock cannot be made"), alone(project.data_dir / "build.lock"):
        pass


def test_a_warehouse_that_a_crash_left_without_its_schema_is_no_obstacle(project: Project, tmp_path: Path) -> None:
    """Between the file and its schema lies a moment in which a process can be killed."""
    from stratagraph.documents.chunks import update_chunks
    from stratagraph.documents.load import load_documents
    from stratagraph.extraction.run import extract
    from stratagraph.ontology.load import update_ontology
    from stratagraph.sources.keys.update import update_foreign_keys
    from stratagraph.sources.rows import stage_rows

    (tmp_path / "o.ttl").write_text("<x:A> a <http://www.w3.org/2002/07/owl#Class> .", encoding="utf-8")
    load_documents(project)
    for stage in (update_foreign_keys, stage_rows, update_chunks, update_ontology, extract):
        project.warehouse.unlink(missing_ok=True)
        duckdb.connect(str(project.warehouse)).close()
        stage(project)
