"""Reads `stratagraph.yaml` and reports what is wrong with file, line, key and allowed values."""

from __future__ import annotations

from pathlib import Path

import yaml

from stratagraph.config.model import Config
from stratagraph.errors import ConfigError


def load_config(path: Path) -> Config:
    """Read and check a config file; relative paths in it stay relative (see `Project`)."""
    if not path.is_file():
        raise ConfigError("no such file", where=str(path), hint="run `stratagraph init DIR` to write a starter")
    return Config.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
