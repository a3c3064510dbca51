"""Python and the installed packages against the ranges that were tested (pyproject.toml)."""

from __future__ import annotations

import platform
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from stratagraph.cli.health.check import Check

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_LOWEST_PYTHON = (3, 11)
_EXTRA = re.compile(r"""extra\s*==\s*['"]([\w.-]+)['"]""")
_NEVER_CHECKED = ("dev",)  # tools of those who work on Stratagraph itself


def check_python() -> Iterator[Check]:
    fits = sys.version_info >= _LOWEST_PYTHON
    hint = "" if fits else "install Python 3.11 or newer and make a new environment"
    yield Check("python", "ok" if fits else "fail", platform.python_version(), hint)


def check_packages() -> Iterator[Check]:
    """One check per extra (and one for the base) when all is well, else one per package that is wrong."""
    declared = _declared()
    if declared is None:
        yield Check(
            "packages", "warn", "Stratagraph is not installed as a package, so no ranges are known", "pip install stratagraph"
        )
        return
    try:
        from packaging.requirements import Requirement
    except ModuleNotFoundError:
        yield Check("packages", "warn", "ranges were not checked: the package packaging is missing", "pip install packaging")
        return
    for extra, lines in declared.items():
        yield from _check_group(extra, [Requirement(line) for line in lines])


def _check_group(extra: str, requirements: list[Requirement]) -> Iterator[Check]:
    name = f"packages [{extra}]" if extra else "packages"
    versions = {requirement.name: _version(requirement.name) for requirement in requirements}
    missing = [package for package, version in versions.items() if version is None]
    if extra and missing:
        # An agent's machine needs no pipeline, but who asks the doctor about a project most likely wants to build it.
        status: Literal["ok", "warn"] = "warn" if extra == "pipeline" else "ok"
        yield Check(name, status, f"not installed: {', '.join(missing)}", f"if you need it: pip install 'stratagraph[{extra}]'")
    faults = [] if extra else [f"{package} is missing" for package in missing]
    faults += [
        f"{requirement.name} {version} is outside {requirement.specifier}"
        for requirement in requirements
        if (version := versions[requirement.name]) and not requirement.specifier.contains(version, prereleases=True)
    ]
    if faults:
        target = f"stratagraph[{extra}]" if extra else "stratagraph"
        yield Check(name, "fail", "; ".join(faults), f"pip install --upgrade '{target}'")
    elif not missing:
        yield Check(name, "ok", f"{len(requirements)} packages in their tested ranges")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _declared() -> dict[str, list[str]] | None:
    """Requirements by extra ("" for the base), from the installed package, else from the checkout."""
    try:
        lines = metadata.requires("stratagraph") or []
    except metadata.PackageNotFoundError:
        return _declared_in_checkout()
    groups: dict[str, list[str]] = {"": []}
    for line in lines:
        requirement, _, marker = line.partition(";")
        extra = _EXTRA.search(marker)
        groups.setdefault(extra[1] if extra else "", []).append(requirement.strip())
    return _relevant(groups)


def _declared_in_checkout() -> dict[str, list[str]] | None:
    file = Path(__file__).parents[3] / "pyproject.toml"
    if not file.is_file():
        return None
    project = tomllib.loads(file.read_text(encoding="utf-8")).get("project", {})
    if project.get("name") != "stratagraph":
        return None
    return _relevant({"": project["dependencies"], **project.get("optional-dependencies", {})})


def _relevant(groups: dict[str, list[str]]) -> dict[str, list[str]]:
    return {
        extra: [line for line in lines if not line.startswith("stratagraph")]
        for extra, lines in groups.items()
        if extra not in _NEVER_CHECKED
    }
