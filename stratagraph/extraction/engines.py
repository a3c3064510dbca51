"""Which extraction engine a project uses."""

from __future__ import annotations

from stratagraph.extraction.embedded.engine import EmbeddedExtractor
from stratagraph.extraction.protocol import Extractor
from stratagraph.project import Project


def engine_of(project: Project) -> Extractor:
    """The engine that the config names. The openai client is imported only when it is used."""
    if project.config.extraction.engine == "openai":
        from stratagraph.extraction.openai.engine import OpenAIExtractor

        return OpenAIExtractor.from_config(project.config.extraction)
    return EmbeddedExtractor()
