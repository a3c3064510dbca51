"""Snapshots: publishing what the warehouse believes, and reading it. `publish.py` belongs to the pipeline; the rest is light."""
