"""Versions out of a real git repository: which commits count, when, and that a repository makes git start nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from staged import Clock, Make, quarantine, statements

from stratagraph.errors import SourceError
from stratagraph.project import Project
from stratagraph.sources.load import load_source
from stratagraph.sources.recorded.git_history import commits_of, read_blob
from stratagraph.sources.recorded.load import load_recorded, recorded_versions
from stratagraph.sources.rows import stage_rows
from stratagraph.staging import staged_batches
from stratagraph.temporal.run import commit_staged

CODES = "data/codes all.csv"
SOURCE: dict[str, Any] = {
    "type": "recorded",
    "git": {"repository": "repo", "path": CODES, "ref": "main"},
    "keys": ["code"],
}
Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Runs git in a new repository; `at` is the time of a commit."""
    folder = tmp_path / "repo"
    folder.mkdir()
    own = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}

    def run(*arguments: str, at: str = "2020-01-01T00:00:00+00:00") -> str:
        names = ["-c", "user.name=tests", "-c", "user.email=tests@example.org", "-c", "commit.gpgSign=false"]
        times = {"GIT_COMMITTER_DATE": at, "GIT_AUTHOR_DATE": "2001-01-01T00:00:00+00:00"}
        done = subprocess.run(
            ["git", *names, *arguments], cwd=folder, env=own | times, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    run("init", "-q", "-b", "main")
    return run


def commit(git: Git, folder: Path, rows: list[str] | None, at: str, path: str = CODES) -> str:
    file = folder / "repo" / path
    file.parent.mkdir(exist_ok=True)
    if rows is None:
        git("rm", "-q", path)
    else:
        file.write_text("\n".join(["code,name", *rows, ""]), encoding="utf-8")
        git("add", path)
    git("commit", "-q", "-m", "a change", at=at)
    return git("rev-parse", "HEAD")


TEN = [f"C{number},name {number}" for number in range(10)]


def test_every_commit_on_the_first_parents_that_changed_the_file_is_a_version(
    git: Git, make_project: Make, tmp_path: Path
) -> None:
    first = commit(git, tmp_path, TEN, "2020-01-01T12:00:00+02:00")
    commit(git, tmp_path, ["another,file"], "2020-01-02T00:00:00+00:00", path="data/other.csv")
    git("checkout", "-q", "-b", "side")
    commit(git, tmp_path, [*TEN, "S1,on the side"], "2020-01-03T00:00:00+00:00")
    commit(git, tmp_path, [*TEN, "S2,on the side"], "2020-01-04T00:00:00+00:00")
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "-m", "merge", "side", at="2020-01-05T00:00:00+00:00")
    merge = git("rev-parse", "HEAD")
    second = commit(git, tmp_path, TEN[:9], "2020-01-05T00:00:00+00:00")  # in the same second
    third = commit(git, tmp_path, TEN[:8], "2019-12-31T00:00:00+00:00")  # a clock that is wrong
    gone = commit(git, tmp_path, None, "2020-02-01T00:00:00+00:00")
    back = commit(git, tmp_path, [*TEN[:8], "N1,new"], "2020-03-01T00:00:00+00:00")

    project = make_project(codes=SOURCE)
    names = [
        f"{time}_{number[:10]}.csv"
        for time, number in (
            ("2020-01-01T100000Z", first), ("2020-01-05T000000Z", merge), ("2020-01-05T000000Z", second),
            ("2019-12-31T000000Z", third), ("2020-02-01T000000Z", gone), ("2020-03-01T000000Z", back),
        )
    ]  # fmt: skip
    fifth = datetime(2020, 1, 5, tzinfo=UTC)
    tick = timedelta(microseconds=1)
    times = [datetime(2020, 1, 1, 10, tzinfo=UTC), fifth, fifth + tick, fifth + 2 * tick, datetime(2020, 2, 1, tzinfo=UTC)]
    times.append(datetime(2020, 3, 1, tzinfo=UTC))
    listed = recorded_versions(project, "codes")
    assert [(version.name, version.recorded_at, version.state) for version in listed] == [
        (name, time, "new") for name, time in zip(names, times, strict=True)
    ]
    assert not project.landing.exists()

    config: Any = project.config.sources["codes"]
    assert load_recorded(project, "codes", config, until=names[1]).versions == 2
    assert [version.state for version in recorded_versions(project, "codes")] == ["accepted"] * 2 + ["new"] * 4
    assert not load_recorded(project, "codes", config, until=names[0]).changed, "what was loaded stays"
    result = load_source(project, "codes")
    assert (result.versions, result.rows, result.refused) == (4, 10 + 11 + 9 + 8 + 0 + 9, 1)
    assert result.metadata()["moved"] == 2
    assert "8 of the 8 records" in str(result.metadata()["refused_versions"])
    assert [version.state for version in recorded_versions(project, "codes")] == [*["accepted"] * 4, "refused", "accepted"]
    stage_rows(project)
    assert [staged.batch.recorded_at for staged in staged_batches(project, "rows")] == [*times[:4], times[5]]
    assert [(reason, location) for reason, location, _ in quarantine(project)] == [("guard_shrink", f"codes/{names[4]}")]
    assert len(statements(project, "subject LIKE '%code=S2'")) == 1, "what the merge brought, as it was merged"
    assert statements(project, "subject LIKE '%code=S1'") == []
    with pytest.raises(SourceError, match="there is no version 'x'"):
        load_recorded(project, "codes", config, until="x")


@pytest.mark.slow
def test_a_history_that_was_written_anew_is_refused(git: Git, make_project: Make, clock: Clock, tmp_path: Path) -> None:
    commit(git, tmp_path, TEN, "2020-01-01T00:00:00+00:00")
    project = make_project(codes=SOURCE)
    load_source(project, "codes")
    assert not load_source(project, "codes").changed
    stage_rows(project)
    commit_staged(project)
    commit(git, tmp_path, TEN[:9], "2020-01-02T00:00:00+00:00")
    assert load_source(project, "codes").versions == 1
    git("checkout", "-q", "--orphan", "other")
    commit(git, tmp_path, TEN, "2019-06-01T00:00:00+00:00")
    git("branch", "-f", "main")
    with pytest.raises(SourceError, match="a new version is not later than one that was loaded before"):
        load_source(project, "codes")


def test_a_repository_starts_no_program(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = commit(git, tmp_path, TEN, "2020-01-01T00:00:00+00:00")
    commit(git, tmp_path, TEN[:9], "2020-01-02T00:00:00+00:00")
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\nexit 1\n", encoding="utf-8")
    spy.chmod(0o755)
    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.alternateRefsCommand",
        "gpg.program", "diff.external", "filter.x.clean", "filter.x.smudge", "diff.x.textconv", "credential.helper",
        "uploadpack.packObjectsHook",
    ):  # fmt: skip
        git("config", key, str(spy))
    with suppress(subprocess.CalledProcessError):
        git("diff", "HEAD~1", "HEAD")
    (tmp_path / "started").unlink()  # an ordinary command of git starts what the repository says
    git("config", "log.showSignature", "true")
    git("config", "core.worktree", "/nonexistent")
    (tmp_path / "repo/.git/info/attributes").write_text("* filter=x diff=x\n", encoding="utf-8")
    for hook in ("post-checkout", "reference-transaction", "pre-auto-gc"):
        spy.with_name(hook).write_bytes(spy.read_bytes())
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(spy))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "started"))
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent")
    found = commits_of(tmp_path / "repo", CODES, "main", "here")
    assert found[0].commit == first
    blob = found[1].blob
    assert blob is not None
    assert read_blob(tmp_path / "repo", blob, "here").decode().splitlines() == ["code,name", *TEN[:9]]
    assert not (tmp_path / "started").exists()


def test_a_bare_repository_a_folder_in_it_and_a_magic_path(git: Git, tmp_path: Path) -> None:
    number = commit(git, tmp_path, TEN, "2020-01-01T00:00:00+00:00")
    commit(git, tmp_path, TEN, "2020-01-02T00:00:00+00:00", path="data/:(glob)*")
    git("clone", "-q", "--bare", ".", "../bare.git")
    for folder in ("repo", "repo/data", "bare.git"):
        assert [found.commit for found in commits_of(tmp_path / folder, CODES, "HEAD", "here")] == [number]
        assert len(commits_of(tmp_path / folder, "data/:(glob)*", "HEAD", "here")) == 1, "a path is no pattern"


def test_a_repository_that_cannot_be_read_says_why(git: Git, make_project: Make, tmp_path: Path) -> None:
    commit(git, tmp_path, TEN, "2020-01-01T00:00:00+00:00")
    commit(git, tmp_path, TEN[:9], "2020-01-02T00:00:00+00:00")
    git("clone", "-q", "--depth", "1", f"file://{tmp_path}/repo", "../shallow")

    def project(**given: str) -> Project:
        return make_project(codes=SOURCE | {"git": SOURCE["git"] | given})

    for given, what in (
        ({"repository": "nowhere"}, "there is no folder"),
        ({"repository": "."}, "git could not read the repository: .*not a git repository"),
        ({"repository": "shallow"}, "a shallow clone"),
        ({"ref": "nobody"}, "git could not read the repository"),
        ({"path": "data/none.csv"}, "no commit changed 'data/none.csv'"),
        ({"path": "data"}, "'data' is a folder"),
    ):
        with pytest.raises(SourceError, match=what):
            recorded_versions(project(**given), "codes")
