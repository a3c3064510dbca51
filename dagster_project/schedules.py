"""Schedules: when everything is built without being asked. The cron line stands in the config's `schedule` section."""

from __future__ import annotations

import dagster as dg

from dagster_project.jobs import BUILD
from stratagraph.config import Config


def build_schedules(config: Config) -> list[dg.ScheduleDefinition]:
    """One schedule for the job `build`; it is switched on in the UI or with `dagster schedule start`."""
    return [
        dg.ScheduleDefinition(
            name="build_on_schedule",
            job=BUILD,
            cron_schedule=config.schedule.cron,
            execution_timezone=config.schedule.timezone,
            description="Builds everything at the time the config names.",
        )
    ]
