"""What a run of extraction would ask, and what that may cost; nothing is asked, and no key is needed.

Prompts are counted as they would be sent. How long answers are is not known before, so only their limit is given.
"""

from __future__ import annotations

from dataclasses import dataclass

from stratagraph.extraction.asking import chunk_of
from stratagraph.extraction.plan import Work, pending_questions
from stratagraph.project import Project


@dataclass(frozen=True)
class Estimate:
    """What a run would ask.

    Args:
        chunks: without an answer; each is one request where all goes well.
        prompt_tokens: about, rather too many; most_answer_tokens: if every answer were as long as it may be.
        prompt_cost, most_cost: of the prompts alone, and with such answers, in the currency of `prices`; None without prices.
        beyond: ceilings of a run that the most would pass.
    """

    engine: str
    chunks: int = 0
    prompt_tokens: int = 0
    most_answer_tokens: int = 0
    prompt_cost: float | None = None
    most_cost: float | None = None
    beyond: tuple[str, ...] = ()


def estimate(project: Project) -> Estimate:
    """What the next run of extraction would ask. Chunks that are on their way in a batch count as well."""
    config = project.config.extraction
    if config.engine != "openai":
        work = Work.of(project)
        questions = pending_questions(work)
        return Estimate(work.engine.name, questions.num_rows if questions is not None else 0)
    from stratagraph.extraction.openai.budget import Spent
    from stratagraph.extraction.openai.engine import OpenAIExtractor

    engine = OpenAIExtractor("none", None, config)
    work = Work.of(project, engine)
    questions = pending_questions(work)
    total = Spent()
    rows = questions.to_pylist() if questions is not None else []
    for row in rows:
        total.add(engine.most(engine.request(chunk_of(row), engine.vocabulary_of(work.ontology))))
    prices = config.prices
    most_cost = total.cost(prices) if prices else None
    beyond = {
        "max_tokens_per_run": total.tokens > config.max_tokens_per_run,
        "max_cost_per_run": config.max_cost_per_run is not None and (most_cost or 0) > config.max_cost_per_run,
    }
    return Estimate(
        engine.name, len(rows), total.prompt, total.completion, Spent(total.prompt).cost(prices) if prices else None, most_cost,
        tuple(name for name, passed in beyond.items() if passed),
    )  # fmt: skip
