"""Where the files are: the config and the data directory a command works on. Light: the config is not checked here."""

from __future__ import annotations

import os
from pathlib import Path

from stratagraph.errors import ConfigError

CONFIG_NAME = "stratagraph.yaml"


def config_path(option: Path | None) -> Path:
    """The config file: the option, else $STRATAGRAPH_CONFIG, else ./stratagraph.yaml (which need not exist)."""
    return option or Path(os.environ.get("STRATAGRAPH_CONFIG") or CONFIG_NAME)


def data_path(option: Path | None) -> Path:
    """What to read: the option, else the data directory of the config, else ./data.

    The option may name a snapshot, a folder of snapshots or a data directory. $STRATAGRAPH_DATA_DIR stands above the config.
    """
    if option is not None:
        return option
    config = config_path(None)
    if not config.exists():
        if os.environ.get("STRATAGRAPH_CONFIG"):
            raise ConfigError("no such file", where=str(config), hint="correct or unset STRATAGRAPH_CONFIG")
        return Path(os.environ.get("STRATAGRAPH_DATA_DIR") or "data")
    return config.resolve().parent / (os.environ.get("STRATAGRAPH_DATA_DIR") or _declared_data_dir(config) or "data")


def _declared_data_dir(config: Path) -> str | None:
    try:
        from stratagraph.config.environment import expand_environment
        from stratagraph.config.tree import read_tree
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"reading the config needs the package {error.name}",
            where=str(config),
            hint="name the data with --path DIR, or install stratagraph[pipeline]",
        ) from error
    tree = read_tree(config)
    expansion = expand_environment(tree.value.get("data_dir") if isinstance(tree.value, dict) else None, os.environ)
    if expansion.problems:
        raise ConfigError(expansion.problems[0][1], where=f"{config}:{tree.line(('data_dir',))}")
    return None if expansion.value is None else str(expansion.value)
