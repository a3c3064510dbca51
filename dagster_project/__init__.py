"""The Dagster code location: how the flow is scheduled, watched and checked.

Belongs here: the definitions factory, resources, jobs, schedules, sensors, checks, and the driver of `make demo`.
Does not: what a stage does (the library `stratagraph`), and the assets themselves (the package `assets`).
"""
