"""Reads `stratagraph.yaml` and reports everything that is wrong at once, with file, line, key and allowed values.

The steps: text -> tree with lines (`tree`), `${NAME}` from the environment (`environment`), the model (`model`), checks
across keys (`checks`). This module joins them and puts pydantic's errors into words; it declares no rule of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from stratagraph.config.checks import cross_checks
from stratagraph.config.environment import expand_environment
from stratagraph.config.explain import explain
from stratagraph.config.model import Config
from stratagraph.config.problems import Problem, dotted, refuse, with_value
from stratagraph.config.tree import read_tree


def load_config(path: Path, environment: Mapping[str, str] | None = None) -> Config:
    """Read and check a config file; relative paths in it stay relative (see `Project`).

    Args:
        path: the file.
        environment: where `${NAME}` is looked up; default: the environment of the process.
    """
    tree = read_tree(path)
    if not isinstance(tree.value, dict):
        raise refuse(path, [*tree.problems, Problem(1, "", "the file must be a mapping of `key: value`")])
    expansion = expand_environment(tree.value, os.environ if environment is None else environment)
    # `documents:` with every entry commented out is a section left at its default.
    value = {key: item for key, item in expansion.value.items() if item is not None}

    problems = list(tree.problems)
    problems += [Problem(tree.line(at), dotted(at), message) for at, message in expansion.problems]
    findings = list(cross_checks(value))
    config: Config | None = None
    try:
        config = Config.model_validate(value)
    except ValidationError as error:
        findings += explain(error, value)
    unresolved = {at for at, _ in expansion.problems}
    problems += [
        Problem(tree.line(finding.at), dotted(finding.at), with_value(finding, value, expansion.secret))
        for finding in findings
        if finding.at not in unresolved
    ]
    if problems or config is None:
        raise refuse(path, problems)
    return config
