"""Snapshots: publishing what the warehouse believes, and reading it. Only `publish` and `content` belong to the pipeline."""
