"""The assets: one thin module per stage of the flow, each calling one function of the library.

Belongs here: what Dagster shows (keys, groups, descriptions, owners, pools, metadata). Does not: SQL text, algorithms,
opening files. `dagster_project` imports this package, never the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping

import dagster as dg

from assets.belief import belief
from assets.communities import communities
from assets.documents import chunks, document_statements, documents
from assets.extraction import build_extraction_assets
from assets.identity import identity_candidates
from assets.ontology import ontology
from assets.snapshot import search_index, snapshot
from assets.sources import build_source_assets
from stratagraph.config import Config
from stratagraph.sources.state import SourceState


def build_assets(config: Config, known: Mapping[str, SourceState] | None = None) -> list[dg.AssetsDefinition]:
    """All assets of a project; only the names of its sources are taken from the config, and their tables from `known`."""
    return [
        *build_source_assets(config, known or {}),
        documents,
        chunks,
        document_statements,
        ontology,
        *build_extraction_assets(config),
        belief,
        identity_candidates,
        communities,
        search_index,
        snapshot,
    ]
