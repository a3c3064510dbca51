"""The code location that `workspace.yaml` names."""

from dagster_project.build import build_defs

defs = build_defs()
