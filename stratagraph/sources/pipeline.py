"""Runs dlt: one extract, normalise and load of some resources into one dataset of the landing file.

The only module of this room that runs a pipeline. What is loaded is not known here. Every run starts from an empty
working folder, so that a package that failed or was cut off by a crash can't poison the next run.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Sequence
from typing import Any

from stratagraph.errors import SourceError
from stratagraph.project import Project

# Before dlt is imported: it reads both when it starts.
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
os.environ.setdefault("RUNTIME__LOG_LEVEL", "ERROR")

import dlt
from dlt.common.configuration.exceptions import ConfigurationException
from dlt.pipeline.exceptions import PipelineStepFailed

logging.getLogger("dlt").setLevel(logging.ERROR)


def run_pipeline(project: Project, dataset: str, resources: Sequence[Any], before_load: Callable[[], None]) -> str:
    """Load resources into a dataset; returns dlt's load id.

    Args:
        project: where the landing file is.
        dataset: schema of the landing file.
        resources: dlt resources; all of them are read before anything is written.
        before_load: called between the last read and the first write.
    """
    folder = project.data_dir / "dlt"
    shutil.rmtree(folder / dataset, ignore_errors=True)
    schema = _schema(dataset)
    try:
        pipeline = dlt.pipeline(
            pipeline_name=dataset,
            pipelines_dir=str(folder),
            dataset_name=dataset,
            destination=dlt.destinations.duckdb(str(project.landing)),
        )
        pipeline.extract(list(resources), schema=schema, loader_file_format="parquet")
        pipeline.normalize()
        before_load()
        info = pipeline.load()
        info.raise_on_failed_jobs()
        return str(info.loads_ids[-1]) if info.loads_ids else ""
    except (PipelineStepFailed, ConfigurationException) as error:
        raise SourceError(f"dlt could not load it: {_cause(error)}", where=dataset) from error
    finally:
        shutil.rmtree(folder / dataset, ignore_errors=True)


def _cause(error: BaseException) -> str:
    """The error that dlt's own wrap: the first in the chain that is not dlt's."""
    while type(error).__module__.startswith("dlt.") and (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return f"{type(error).__name__}: {error}"


def landing_table(*path: str) -> str:
    """dlt's name of a table, or of a list in a table (its path)."""
    naming = _schema("names").naming
    return str(naming.make_path(*(naming.normalize_table_identifier(part) for part in path)))


def landing_column(*path: str) -> str:
    """dlt's name of a column, or of a field in nested objects (its path)."""
    naming = _schema("names").naming
    return str(naming.make_path(*(naming.normalize_identifier(part) for part in path)))


def _schema(name: str) -> Any:
    normalizers: Any = {"names": "stratagraph.sources.naming", "json": {"module": "dlt.common.normalizers.json.relational"}}
    return dlt.Schema(name, normalizers=normalizers)
