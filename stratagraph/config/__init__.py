"""The declarative file `stratagraph.yaml`: its model and its loader. No defaults are set anywhere else."""

from stratagraph.config.loader import load_config
from stratagraph.config.model import Config

__all__ = ["Config", "load_config"]
