"""Which extraction engine a project uses."""

from __future__ import annotations

from stratagraph.config.model import ExtractionConfig
from stratagraph.extraction.buckets import folder_of
from stratagraph.extraction.embedded.engine import EmbeddedExtractor
from stratagraph.extraction.embedded.learned.source import Examples
from stratagraph.extraction.protocol import Extractor
from stratagraph.project import Project


def engine_of(project: Project, share: float = 1.0) -> Extractor:
    """The engine that the config names. The openai client is imported only when it is used.

    Args:
        share: of the ceilings of a run, where several processes ask in one run.
    """
    if project.config.extraction.engine == "openai":
        from stratagraph.extraction.openai.engine import OpenAIExtractor

        engine = OpenAIExtractor.from_config(_shared_out(project.config.extraction, share))
        if project.config.extraction.batch:
            from stratagraph.extraction.openai.batch import BatchExtractor

            return BatchExtractor(engine, folder_of(project) / "batches", project.clock)
        return engine
    return EmbeddedExtractor(_examples(project))


def _examples(project: Project) -> Examples | None:
    config = project.config.extraction.examples
    if config is None:
        return None
    files = [project.resolve(file) for file in config.files]
    folder = project.data_dir / "models"
    return Examples(files, folder, config.min_confidence, config.every_sentence, project.config.prefixes)


def _shared_out(config: ExtractionConfig, share: float) -> ExtractionConfig:
    cost = config.max_cost_per_run
    return config.model_copy(
        update={
            "max_tokens_per_run": max(1, int(config.max_tokens_per_run * share)),
            "max_cost_per_run": cost and cost * share,
        }
    )
