"""Partitions: one for each version of a recorded source.

Which versions there are is found out when a source is loaded or looked at, so the partitions are dynamic: a load adds those
that it found, and the sensor those that appeared. Definitions only name the set; they read nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

import dagster as dg


def versions_partitions(source: str) -> dg.DynamicPartitionsDefinition:
    """The set of the versions of a recorded source."""
    return dg.DynamicPartitionsDefinition(name=f"{source}_versions")


def unknown_versions(instance: dg.DagsterInstance, source: str, versions: Iterable[str]) -> list[str]:
    """Versions that have no partition yet, in their order."""
    known = set(instance.get_dynamic_partitions(f"{source}_versions"))
    return [version for version in versions if version not in known]
