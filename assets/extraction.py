"""Stage 7: chunks to statements, each grounded in a quote and constrained by the ontology.

An engine is asked about one bucket of chunks in one step, so that steps run beside each other where the executor allows it,
and so that a step that failed is done again alone. Only the first and the last step open the warehouse.
"""

# No `from __future__ import annotations` here: Dagster reads the annotation of `context` as it is.

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import dagster as dg

from assets.sources import PARTITIONED
from assets.stage import OWNERS, POOL, RETRY, clear_failures, shown
from stratagraph.config import Config
from stratagraph.project import Project

STATEMENTS = dg.AssetKey(["staging", "text_statements"])
ANSWERS = dg.AssetKey(["staging", "answers"])
UPSTREAM = {
    "chunks": dg.AssetKey(["graph", "chunks"]),
    "ontology": dg.AssetKey(["graph", "ontology"]),
    "rows": dg.AssetKey(["staging", "row_statements"]),
}
_NOTHING_IN = {name: dg.In(dg.Nothing) for name in UPSTREAM}
_ASSETS_IN = {name: dg.AssetIn(key, dagster_type=dg.Nothing) for name, key in UPSTREAM.items()}


def build_extraction_assets(config: Config) -> list[dg.AssetsDefinition]:
    """The statements of the texts, and the answers that they are made of, in as many partitions as the config says."""
    return [text_statements, _answers(config.extraction.buckets)]


@dg.op(ins=_NOTHING_IN, out=dg.DynamicOut(int), pool=POOL, description="Which chunks have no answer yet, by bucket.")
def plan_questions(project: dg.ResourceParam[Project]) -> Iterator[dg.DynamicOutput[int]]:
    """One output for each bucket that has something to be asked."""
    for bucket, chunks in _plan(project).items():
        yield dg.DynamicOutput(bucket, mapping_key=f"bucket_{bucket}", metadata={"chunks": chunks})


@dg.op(retry_policy=RETRY, description="Ask the engine about the chunks of one bucket. Every answer is kept as it comes.")
def ask_bucket(context: dg.OpExecutionContext, project: dg.ResourceParam[Project], bucket: int) -> dict[str, Any]:
    """What asking came to; shown as the materialisation of the bucket's partition as well."""
    asked = _ask(project, bucket)
    context.log_event(dg.AssetMaterialization(ANSWERS, partition=str(bucket), metadata=asked.metadata()))
    return asdict(asked)


@dg.op(out=dg.Out(dg.Nothing), pool=POOL, retry_policy=RETRY, description="Take the answers in, and stage what they say.")
def gather_answers(project: dg.ResourceParam[Project], asked: list[dict[str, Any]]) -> dg.Output[None]:
    """The statements of all texts."""
    from stratagraph.extraction.asking import Asked
    from stratagraph.extraction.run import gather

    with clear_failures():
        result = gather(project, [Asked(**each) for each in asked])
    return dg.Output(None, metadata=shown(result))


@dg.graph_asset(
    key=STATEMENTS,
    ins=_ASSETS_IN,
    group_name="statements",
    description="What the texts say, as statements with their quotes; what is not grounded or not allowed is quarantined.",
    owners=OWNERS,
    kinds={"ai", "parquet"},
    code_version="1",
)
def text_statements(chunks: object, ontology: object, rows: object) -> object:
    """Extract statements from chunks that are new or changed."""
    return gather_answers(plan_questions(chunks=chunks, ontology=ontology, rows=rows).map(ask_bucket).collect())


@dg.op(ins=_NOTHING_IN, out=dg.Out(dg.Nothing), pool=POOL, description="Which chunks have no answer yet.")
def plan_again(project: dg.ResourceParam[Project]) -> None:
    """Write down what is to be asked."""
    _plan(project)


@dg.op(
    ins={"planned": dg.In(dg.Nothing)}, out=dg.Out(dg.Nothing), retry_policy=RETRY,
    description="Ask the engine about the chunks of the partition. Every answer is kept as it comes.",
)  # fmt: skip
def ask_partition(context: dg.OpExecutionContext, project: dg.ResourceParam[Project]) -> dg.Output[None]:
    """Ask about one bucket; the next build takes the answers in."""
    return dg.Output(None, metadata=_ask(project, int(context.partition_key)).metadata())


def _answers(buckets: int) -> dg.AssetsDefinition:
    @dg.graph_asset(
        key=ANSWERS,
        ins=_ASSETS_IN,
        group_name="statements",
        partitions_def=dg.StaticPartitionsDefinition([str(bucket) for bucket in range(buckets)]),
        description="What the engine answered, in partitions of chunks. The build asks by itself; here one partition can be "
        "asked alone, or a backfill run ahead of a build, which then takes the answers in.",
        owners=OWNERS,
        kinds={"ai"},
        tags={PARTITIONED: "buckets"},
        code_version="1",
    )
    def answers(chunks: object, ontology: object, rows: object) -> object:
        return ask_partition(planned=plan_again(chunks=chunks, ontology=ontology, rows=rows))

    return answers


def _plan(project: Project) -> dict[int, int]:
    from stratagraph.extraction.run import plan

    with clear_failures():
        return plan(project)


def _ask(project: Project, bucket: int) -> Any:
    """Ask; a chunk without an answer fails the step. What was answered is kept, so to do it again pays for the rest alone."""
    from stratagraph.extraction.run import ask_bucket

    with clear_failures():
        asked = ask_bucket(project, bucket)
    if asked.unanswered:
        raise dg.Failure(
            f"{asked.unanswered} of {asked.calls + asked.unanswered} chunks of bucket {bucket} have no answer: "
            f"{asked.unavailable}; what was answered is kept: re-execute from failure, or run again",
            metadata=asked.metadata(),
            allow_retries=False,
        )
    return asked
