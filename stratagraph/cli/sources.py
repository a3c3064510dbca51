"""`stratagraph sources`: what is known of the sources, and what a person has to say about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stratagraph.cli.options import config_option, json_option
from stratagraph.cli.output import err, out, print_json, table
from stratagraph.cli.place import config_path
from stratagraph.errors import ConfigError, SourceError

if TYPE_CHECKING:
    import duckdb

    from stratagraph.config.sources import TableSource
    from stratagraph.project import Project

_ORDER = {"candidate": 0, "used": 1, "rejected": 2}


@dataclass(frozen=True)
class ListedKey:
    """A foreign key, as it is listed. state: used, candidate (a person may say yes), rejected."""

    source: str
    key: str
    state: str
    origin: str
    coverage: float | None
    confidence: float
    evidence: str


@click.group("sources")
def sources() -> None:
    """Which foreign keys the sources have.

    \b
    Example:
      stratagraph sources keys
    """


@sources.command("keys")
@click.argument("source", required=False)
@click.option("--yes", multiple=True, metavar="KEY", help="It holds: write it to `keys` of the source in the project file.")
@click.option("--no", multiple=True, metavar="KEY", help="It does not hold: write it to `not_keys`.")
@config_option
@json_option
def keys(source: str | None, yes: tuple[str, ...], no: tuple[str, ...], config: Path | None, as_json: bool) -> None:
    """List the foreign keys of all sources, or of one: those that are used, and those that wait for a yes or no.

    Nobody has to answer: what is certain is used, and what is not used adds no edge. An answer is written to the project
    file, whose comments and order stay, and counts from the next build on.

    \b
    Examples:
      stratagraph sources keys
      stratagraph sources keys shop --yes 'Orders(ShipVia) -> Shippers(ShipperID)'
      stratagraph sources keys shop --no 'Orders(Status) -> Statuses(id)' --json
    """
    from stratagraph.project import Project

    place = config_path(config)
    project = Project.load(place)
    names = _chosen(project, source)
    for where, texts in (("keys", yes), ("not_keys", no)):
        for text in texts:
            _answer(project, place, names, text, where)
            project = Project.load(place)
    listed = _listed(project, names)
    if as_json:
        print_json([asdict(key) for key in listed])
        return
    if not listed:
        err().print("None: no source declares a foreign key, and none was found.")
        return
    rows = [
        (key.source, key.key, key.state, key.origin, _share(key.coverage), _share(key.confidence), key.evidence)
        for key in listed
    ]
    out().print(table(("source", "key", "state", "origin", "coverage", "confidence", "evidence"), rows))
    _print_candidates([key for key in listed if key.state == "candidate"])


def _chosen(project: Project, source: str | None) -> list[str]:
    """The sources of tables that are asked about."""
    from stratagraph.config.problems import allowed_text
    from stratagraph.config.sources import TableSource

    tables = [name for name, config in project.config.sources.items() if isinstance(config, TableSource)]
    if source is None:
        return sorted(tables)
    if source not in tables:
        raise SourceError(f"there is no source of tables called {source!r}{allowed_text(source, tables)}")
    return [source]


def _listed(project: Project, names: list[str]) -> list[ListedKey]:
    if not project.landing.exists():
        raise SourceError("nothing was loaded yet", where=str(project.landing), hint="run `stratagraph build` first")
    found: list[ListedKey] = []
    with project.landing_connection() as connection:
        for name in names:
            found += _of_source(project, connection, name)
    return sorted(found, key=lambda key: (key.source, _ORDER[key.state], -key.confidence, key.key))


def _of_source(project: Project, connection: duckdb.DuckDBPyConnection, name: str) -> list[ListedKey]:
    import json

    from stratagraph.sources.catalog import foreign_keys, inferred_keys
    from stratagraph.sources.keys.inference.explain import explain_evidence
    from stratagraph.sources.keys.known import known_keys, links_of
    from stratagraph.sources.keys.text import parse_key, print_key

    config = _config(project, name)
    denied = {parse_key(text, f"sources.{name}.not_keys").links for text in config.not_keys}
    inferred = {links_of(key): key for key in inferred_keys(connection, name)}
    used = {links_of(key): key for key in known_keys(connection, name, config)}
    declared = {links_of(key): key for key in foreign_keys(connection, name) if links_of(key) in denied}
    found = []
    for links, key in [*used.items(), *(item for item in (declared | inferred).items() if item[0] not in used)]:
        evidence = inferred.get(links)
        state = "used" if links in used else "rejected" if links in denied else "candidate"
        reasons = json.loads(evidence.evidence) if evidence else None
        counted = evidence is not None and reasons is not None and reasons["values"]["rows"] > 0
        text = print_key(key.table, key.columns, key.referenced_table, key.referenced_columns)
        found.append(
            ListedKey(
                name,
                text if key.origin != "nested" else key.name,
                state,
                key.origin,
                evidence.coverage if evidence and counted else None,
                evidence.confidence if evidence and key.origin == "inferred" else 1.0,
                explain_evidence(reasons) if reasons else "",
            )
        )
    shown = {parse_key(key.key).links for key in found if key.origin != "nested"}
    unseen = [text for text in config.not_keys if parse_key(text).links not in shown]
    return found + [
        ListedKey(name, str(parse_key(text)), "rejected", "configured", None, 1.0, "you said no") for text in unseen
    ]


def _config(project: Project, name: str) -> TableSource:
    from stratagraph.config.sources import TableSource

    config = project.config.sources[name]
    assert isinstance(config, TableSource)
    return config


def _answer(project: Project, place: Path, names: list[str], text: str, where: str) -> None:
    """Write one answer to the project file, if the source has such tables and columns and nothing says the opposite."""
    from stratagraph.config.edit import add_to_list
    from stratagraph.sources.keys.text import parse_key

    key = parse_key(text)
    name = _meant(project, names, key.table, key.referenced_table)
    config = _config(project, name)
    _check(project, name, config, str(key), where)
    opposite = "not_keys" if where == "keys" else "keys"
    said = [parse_key(other) for other in getattr(config, opposite)]
    if key.links in {other.links for other in said}:
        raise ConfigError(
            f"sources.{name}.{opposite} says the opposite of {text!r}", where=str(place), hint="remove it there first"
        )
    if key.links in {parse_key(other).links for other in getattr(config, where)}:
        err().print(f"sources.{name}.{where} says so already: {key}", markup=False)
        return
    add_to_list(place, ("sources", name), where, str(key))
    err().print(f"sources.{name}.{where} + {key}; it counts from the next build on.", markup=False)


def _meant(project: Project, names: list[str], *tables: str) -> str:
    """The source that has both tables."""
    from stratagraph.sources.catalog import loaded_tables

    if len(names) == 1:
        return names[0]
    with project.landing_connection() as connection:
        having = [name for name in names if {*tables} <= {table.name for table in loaded_tables(connection, name)}]
    if len(having) != 1:
        many = f"the sources {', '.join(having)} have" if having else "no source has"
        raise SourceError(f"{many} the tables {' and '.join(tables)}", hint="name the source: stratagraph sources keys SOURCE")
    return having[0]


def _check(project: Project, name: str, config: TableSource, text: str, where: str) -> None:
    """Refuse tables and columns that the source does not have."""
    from stratagraph.sources.keys.known import known_keys

    asked = config.model_copy(update={"keys": [], "not_keys": []} | {where: [text]})
    with project.landing_connection() as connection:
        known_keys(connection, name, asked)


def _print_candidates(candidates: list[ListedKey]) -> None:
    """What to write for a yes or no."""
    from stratagraph.config.edit import lines_to_add

    if not candidates:
        return
    err().print("\nCandidates are not used. For a yes or no, --yes or --no 'KEY', or these lines in stratagraph.yaml:")
    for source in sorted({key.source for key in candidates}):
        texts = [key.key for key in candidates if key.source == source]
        for name, meaning in (("keys", "these hold"), ("not_keys", "these don't")):
            err().print(f"\n# {meaning}\n{lines_to_add(('sources', source), name, texts)}", markup=False)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}".rstrip("0").rstrip(".")
