"""What a run of extraction would ask, and what that may cost; nothing is asked, and no key is needed.

Prompts are counted as they would be sent. How long answers are is not known before, so only their limit is given.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from stratagraph.extraction.asking import chunk_of
from stratagraph.extraction.plan import Work, survey
from stratagraph.project import Project


@dataclass
class OfSource:
    """What of it is about the chunks of one source; a text that stands in two sources is asked about once, for the first."""

    answered: int = 0
    chunks: int = 0
    prompt_tokens: int = 0
    prompt_cost: float | None = None


@dataclass(frozen=True)
class Estimate:
    """What a run would ask.

    Args:
        chunks: without an answer; each is one request where all goes well. answered: those that have one.
        prompt_tokens: about, rather too many; most_answer_tokens: if every answer were as long as it may be.
        prompt_cost, most_cost: of the prompts alone, and with such answers, in the currency of `prices`; None without prices.
        beyond: ceilings of a run that the most would pass.
    """

    engine: str
    chunks: int = 0
    answered: int = 0
    prompt_tokens: int = 0
    most_answer_tokens: int = 0
    prompt_cost: float | None = None
    most_cost: float | None = None
    beyond: tuple[str, ...] = ()
    sources: dict[str, OfSource] = field(default_factory=dict)


def estimate(project: Project) -> Estimate:
    """What the next run of extraction would ask. Chunks that are on their way in a batch count as well."""
    config = project.config.extraction
    engine = None
    if config.engine == "openai":
        from stratagraph.extraction.openai.engine import OpenAIExtractor

        engine = OpenAIExtractor("none", None, config)
    work = Work.of(project, engine)
    questions, answered = survey(work)
    sources = {name: OfSource(count) for name, count in answered.items()}
    prompt = completion = 0
    for batch in questions.to_batches(max_chunksize=1000):
        for row in batch.to_pylist():
            of_source = sources[row["source"]]
            of_source.chunks += 1
            if engine is not None:
                most = engine.most(engine.request(chunk_of(row), engine.vocabulary_of(work.ontology)))
                of_source.prompt_tokens += most.prompt
                prompt += most.prompt
                completion += most.completion
    prompt_cost = most_cost = None
    if prices := config.prices:
        for of_source in sources.values():
            of_source.prompt_cost = of_source.prompt_tokens * prices.input / 1_000_000
        prompt_cost = prompt * prices.input / 1_000_000
        most_cost = prompt_cost + completion * prices.output / 1_000_000
    beyond = {
        "max_tokens_per_run": prompt + completion > config.max_tokens_per_run,
        "max_cost_per_run": config.max_cost_per_run is not None and (most_cost or 0) > config.max_cost_per_run,
    }
    return Estimate(
        work.engine.name, questions.num_rows, sum(answered.values()), prompt, completion, prompt_cost, most_cost,
        tuple(name for name, passed in beyond.items() if passed), sources,
    )  # fmt: skip
