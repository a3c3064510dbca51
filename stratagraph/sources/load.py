"""Loads one source into the landing file through dlt: its tables, or the new versions of a recorded source.

Only the entrance: which reader a kind of source has. The two ways are `load_tables.py` and `recorded/load.py`, and what the
rows mean is `rows.py`. For both: everything is read before anything is written, and a load counts only once its last
transaction is through, so that a crash at any moment makes the next run load again.
"""

from __future__ import annotations

from stratagraph.config.sources import DltSource, FileSource, RecordedSource, RestSource, SqlSource, TableSource
from stratagraph.errors import SourceError
from stratagraph.project import Project
from stratagraph.sources.landing import LoadResult
from stratagraph.sources.read.reader import Reader
from stratagraph.sources.state import write_state

__all__ = ["LoadResult", "load_source"]


def load_source(project: Project, name: str) -> LoadResult:
    """Bring the landing file up to date with one source of the config."""
    config = project.config.sources.get(name)
    if isinstance(config, RecordedSource):
        return load_until(project, name)
    if config is None:
        raise SourceError(f"there is no source {name!r}", hint=f"the sources are: {', '.join(sorted(project.config.sources))}")
    from stratagraph.sources.load_tables import load_tables

    result = load_tables(project, name, config, reader_of(project, name, config))
    write_state(project, name)
    return result


def load_until(project: Project, name: str, version: str | None = None) -> LoadResult:
    """Bring the landing file up to date with a recorded source: with all its versions, or with one and all before it."""
    from stratagraph.sources.recorded.load import load_recorded

    config = project.config.sources.get(name)
    if not isinstance(config, RecordedSource):
        raise SourceError(f"{name!r} is no recorded source", where=f"sources.{name}")
    result = load_recorded(project, name, config, version)
    write_state(project, name)
    return result


def reader_of(project: Project, name: str, config: TableSource) -> Reader:
    """What reads a source of tables. What a kind needs is imported here, when it is asked for."""
    match config:
        case SqlSource():
            from stratagraph.sources.read.database import DatabaseReader

            return DatabaseReader(project, name, config)
        case FileSource():
            from stratagraph.sources.read.files import FileReader

            return FileReader(project, name, config)
        case RestSource():
            from stratagraph.sources.read.rest import RestReader

            return RestReader(project, name, config)
        case DltSource():
            from stratagraph.sources.read.dlt_source import DltReader

            return DltReader(project, name, config)
        case _:
            raise SourceError(f"no reader for a source of type {type(config).__name__}", where=f"sources.{name}")
