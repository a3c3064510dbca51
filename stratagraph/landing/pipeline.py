"""Runs dlt: one extract, normalise and load of some resources into one dataset of the landing file.

The only module that runs a pipeline. What is loaded is not known here. Every run starts from an empty working folder, so
that a package that failed or was cut off by a crash can't poison the next run; two processes take turns.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from stratagraph.errors import SourceError, StratagraphError
from stratagraph.locks import alone
from stratagraph.project import Project

# Before dlt is imported: it reads the first two when it starts.
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
os.environ.setdefault("RUNTIME__LOG_LEVEL", "ERROR")
# One resource after the other: dlt takes turns otherwise, with a connection open for every table of a database.
os.environ["EXTRACT__NEXT_ITEM_MODE"] = "fifo"

import dlt as dlt  # exported: whoever declares a resource gets a dlt whose telemetry is off
from dlt.common.configuration.exceptions import ConfigurationException
from dlt.pipeline.exceptions import PipelineStepFailed

logging.getLogger("dlt").setLevel(logging.ERROR)


def run_pipeline(
    project: Project, dataset: str, resources: Sequence[Any], before_load: Callable[[], None] | None = None
) -> str:
    """Load resources into a dataset; returns dlt's load id.

    Args:
        project: where the landing file is.
        dataset: schema of the landing file.
        resources: dlt resources; all of them are read before anything is written.
        before_load: called between the last read and the first write.
    """
    folder = project.data_dir / "dlt"
    with alone(project.data_dir / "landing.lock"):
        shutil.rmtree(folder / dataset, ignore_errors=True)
        try:
            return _run(project, dataset, resources, before_load, folder)
        except (PipelineStepFailed, ConfigurationException) as error:
            cause = _cause(error)
            if isinstance(cause, StratagraphError):
                raise cause from error
            raise SourceError(f"dlt could not load it: {type(cause).__name__}: {cause}", where=dataset) from error
        finally:
            shutil.rmtree(folder / dataset, ignore_errors=True)


def _run(project: Project, dataset: str, resources: Sequence[Any], before_load: Callable[[], None] | None, folder: Path) -> str:
    pipeline = dlt.pipeline(
        pipeline_name=dataset,
        pipelines_dir=str(folder),
        dataset_name=dataset,
        destination=dlt.destinations.duckdb(str(project.landing)),
    )
    pipeline.extract(list(resources), schema=_schema(dataset), loader_file_format="parquet")
    pipeline.normalize()
    if before_load is not None:
        before_load()
    info = pipeline.load()
    info.raise_on_failed_jobs()
    return str(info.loads_ids[-1]) if info.loads_ids else ""


def _cause(error: BaseException) -> BaseException:
    """The error that dlt's own wrap: the first in the chain that is not dlt's."""
    while type(error).__module__.startswith("dlt.") and (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return error


def landing_table(*path: str) -> str:
    """dlt's name of a table, or of a list in a table (its path)."""
    naming = _schema("names").naming
    return str(naming.make_path(*(naming.normalize_table_identifier(part) for part in path)))


def landing_column(*path: str) -> str:
    """dlt's name of a column, or of a field in nested objects (its path)."""
    naming = _schema("names").naming
    return str(naming.make_path(*(naming.normalize_identifier(part) for part in path)))


def _schema(name: str) -> Any:
    normalizers: Any = {"names": "stratagraph.landing.naming", "json": {"module": "dlt.common.normalizers.json.relational"}}
    return dlt.Schema(name, normalizers=normalizers)
