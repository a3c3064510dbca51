"""Loads one source into the landing file through dlt: its tables, or the new versions of a recorded source.

Only the entrance; the two kinds are `load_tables.py` and `load_recorded.py`, and what the rows mean is `rows.py`. For
both: everything is read before anything is written, and a load counts only once its last transaction is through, so that
a crash at any moment makes the next run load again.
"""

from __future__ import annotations

from stratagraph.config.sources import RecordedSource, SqlSource
from stratagraph.errors import SourceError
from stratagraph.project import Project
from stratagraph.sources.landing import LoadResult
from stratagraph.sources.load_recorded import load_recorded
from stratagraph.sources.load_tables import load_tables

__all__ = ["LoadResult", "load_source"]


def load_source(project: Project, name: str) -> LoadResult:
    """Bring the landing file up to date with one source of the config."""
    match project.config.sources.get(name):
        case SqlSource() as config:
            from stratagraph.sources.database import DatabaseReader

            return load_tables(project, name, config, DatabaseReader(project, name, config))
        case RecordedSource() as config:
            return load_recorded(project, name, config)
        case _:
            raise SourceError(
                f"there is no source {name!r}", hint=f"the sources are: {', '.join(sorted(project.config.sources))}"
            )
