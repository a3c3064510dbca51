"""The project a config declares: the config itself, its sources, documents and ontology, and what is on disk."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from pathlib import Path

from stratagraph.cli.health.check import Check
from stratagraph.cli.health.endpoint import check_endpoint, check_host
from stratagraph.cli.health.storage import check_storage
from stratagraph.config.sources import DltSource, FileSource, RecordedSource, RestSource, Source, SqlSource
from stratagraph.config.urls import file_of_url, redact_url, resolve_url
from stratagraph.errors import StratagraphError
from stratagraph.project import Project

_CONNECT_SECONDS = 5
# How the drivers call the time they wait for a server; one that is not listed waits as long as it likes.
_CONNECT_TIMEOUTS = {
    "postgresql": "connect_timeout",
    "mysql": "connect_timeout",
    "mariadb": "connect_timeout",
    "mssql": "timeout",
}


def check_project(config: Path) -> Iterator[Check]:
    """The config, and everything it names."""
    try:
        project = Project.load(config)
    except StratagraphError as error:
        yield Check("config", "fail", error.what, error.hint or "correct the file; docs/configuration.md describes every key")
        return
    yield Check("config", "ok", str(config))
    for name, source in project.config.sources.items():
        yield _source(project, name, source)
    for name, documents in project.config.documents.items():
        found = _matches(project, documents.path)
        hint = f"put files where documents.{name}.path says, or correct it"
        yield Check(
            f"documents {name}", "ok" if found else "warn", f"{found} files match {documents.path}", "" if found else hint
        )
    yield _ontology(project)
    if project.config.extraction.engine == "openai":
        yield check_endpoint(project.config.extraction.base_url)
    yield from check_storage(project)


def _source(project: Project, name: str, source: Source) -> Check:
    match source:
        case SqlSource():
            return _sql(project, name, source)
        case RecordedSource():
            return _recorded(project, name, source)
        case FileSource():
            return _files(project, name, source)
        case RestSource():
            return check_host(f"source {name}", str(source.client.get("base_url", "")), f"sources.{name}.client.base_url")
        case DltSource():
            return _dlt(project, name, source)


def _files(project: Project, name: str, source: FileSource) -> Check:
    from stratagraph.sources.read.files import FileReader

    try:
        tables = FileReader(project, name, source).files()
    except StratagraphError as error:
        return Check(f"source {name}", "fail", str(error), error.hint or f"correct sources.{name}")
    files = sum(len(of_table) for of_table in tables.values())
    return Check(f"source {name}", "ok", f"{files} files make {len(tables)} tables")


def _dlt(project: Project, name: str, source: DltSource) -> Check:
    from stratagraph.sources.read.dlt_source import DltReader

    try:
        DltReader(project, name, source).function()
    except StratagraphError as error:
        return Check(f"source {name}", "fail", error.what, error.hint or f"correct sources.{name}.source")
    return Check(f"source {name}", "ok", f"{source.source} is there")


def _matches(project: Project, pattern: str) -> int:
    # Path.glob takes no pattern with `..`, which a config may well have.
    return sum(Path(path).is_file() for path in glob.iglob(str(project.root / pattern), recursive=True))  # noqa: PTH207


def _recorded(project: Project, name: str, source: RecordedSource) -> Check:
    if source.path is None:
        return _versions_of_git(project, name, source)
    found = _matches(project, source.path)
    if not found:
        return Check(f"source {name}", "fail", f"no file matches {source.path}", f"correct sources.{name}.path")
    return Check(f"source {name}", "ok", f"{found} versions match {source.path}")


def _versions_of_git(project: Project, name: str, source: RecordedSource) -> Check:
    from stratagraph.sources.recorded.series import find_versions

    try:
        found = find_versions(project, name, source)
    except StratagraphError as error:
        return Check(f"source {name}", "fail", error.what, error.hint or f"correct sources.{name}.git")
    return Check(f"source {name}", "ok", f"{len(found)} commits changed the file")


def _sql(project: Project, name: str, source: SqlSource) -> Check:
    import sqlalchemy
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

    label = f"source {name}"
    url = resolve_url(source.url, project.root)
    file = file_of_url(url)
    if file is not None and not Path(file).is_file():  # connecting would make an empty one
        return Check(
            label, "fail", f"no such file: {file}", f"correct sources.{name}.url; the path is relative to the config file"
        )
    try:
        parsed = sqlalchemy.make_url(url)
        timeout = _CONNECT_TIMEOUTS.get(parsed.get_backend_name())
        arguments = {timeout: _CONNECT_SECONDS} if timeout else {}
        engine = sqlalchemy.create_engine(parsed, connect_args=arguments)
        try:
            with engine.connect() as connection:
                tables = len(sqlalchemy.inspect(connection).get_table_names(schema=source.schema_))
        finally:
            engine.dispose()
    except ModuleNotFoundError as error:
        return Check(label, "fail", f"the driver {error.name} is missing", f"pip install {error.name}")
    except (ArgumentError, NoSuchModuleError):
        return Check(
            label, "fail", f"{redact_url(source.url)} is no SQLAlchemy URL of a known database", f"correct sources.{name}.url"
        )
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        reason = redact_url(reason.replace(parsed.password, "***") if parsed.password else reason)
        return Check(label, "fail", f"{redact_url(source.url)}: {reason}", "check the address, the user and the network")
    return Check(label, "ok", f"{redact_url(source.url)}: {tables} tables")


def _ontology(project: Project) -> Check:
    from stratagraph.ontology.load import load_project, own_files
    from stratagraph.ontology.mapped import check_mapping

    files = own_files(project)
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        return Check("ontology", "fail", f"no such file: {', '.join(missing)}", "correct ontology.files")
    try:
        ontology = load_project(project)
        check_mapping(project, ontology)
    except StratagraphError as error:
        return Check("ontology", "fail", str(error), "correct the file")
    return Check(
        "ontology", "ok", f"{len(files)} files, {len(ontology.classes)} classes, {len(ontology.properties)} properties"
    )
