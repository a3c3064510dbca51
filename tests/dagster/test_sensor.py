"""The sensor for documents: it asks for a run when files changed, also when they change back, and else for none."""

from __future__ import annotations

import os
from pathlib import Path

import dagster as dg

from dagster_project.sensors import documents_changed
from stratagraph.project import Project


def tick(project: Project, instance: dg.DagsterInstance, cursor: str | None) -> tuple[list[dg.RunRequest], str | None]:
    context = dg.build_sensor_context(instance=instance, cursor=cursor, resources={"project": project})
    data = documents_changed.evaluate_tick(context)
    return list(data.run_requests or []), data.cursor


def test_documents_changed(small_config: Path) -> None:
    project = Project.load(small_config)
    press = small_config.parent / "press.json"
    original, times = press.read_bytes(), (press.stat().st_atime_ns, press.stat().st_mtime_ns)
    with dg.DagsterInstance.ephemeral() as instance:
        first, cursor = tick(project, instance, None)
        assert len(first) == 1

        assert tick(project, instance, cursor)[0] == []

        press.write_bytes(original + b"\n")
        changed, cursor = tick(project, instance, cursor)
        assert len(changed) == 1

        press.write_bytes(original)
        os.utime(press, ns=times)
        back, cursor = tick(project, instance, cursor)
        assert len(back) == 1
        assert len({request.run_key for request in (*first, *changed, *back)}) == 3

        press.unlink()
        removed, cursor = tick(project, instance, cursor)
        assert len(removed) == 1
        assert tick(project, instance, cursor)[0] == []
