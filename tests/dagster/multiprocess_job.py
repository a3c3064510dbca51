"""A program, not a test: executes the job `build` with the multiprocess executor on the instance of DAGSTER_HOME."""

from __future__ import annotations

import sys

import dagster as dg

from dagster_project.build import build_defs
from dagster_project.demo import QUIET

# Forked from a process that has imported the definitions: a step then costs a fork, not a new interpreter.
EXECUTOR = dg.multiprocess_executor.configured(
    {"max_concurrent": 2, "start_method": {"forkserver": {"preload_modules": ["dagster_project.build"]}}}
)


def build_job() -> dg.JobDefinition:
    """The job as each child process builds it again."""
    return build_defs(executor=EXECUTOR).resolve_job_def("build")


if __name__ == "__main__":
    with dg.DagsterInstance.get() as instance:
        result = dg.execute_job(dg.reconstructable(build_job), instance=instance, raise_on_error=False, run_config=QUIET)
        sys.exit(not result.success)
