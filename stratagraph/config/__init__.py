"""The declarative file `stratagraph.yaml`: its model and its loader. No defaults are set anywhere else.

The two names are imported on first use: reading only `data_dir` (what a search needs) must not load pydantic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stratagraph.config.loader import load_config
    from stratagraph.config.model import Config

__all__ = ["Config", "load_config"]


def __getattr__(name: str) -> Any:
    if name == "Config":
        from stratagraph.config.model import Config

        return Config
    if name == "load_config":
        from stratagraph.config.loader import load_config

        return load_config
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
