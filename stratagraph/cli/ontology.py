"""`stratagraph ontology`: what ontology files say, and all that is known of one term."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stratagraph.cli.options import config_option, json_option
from stratagraph.cli.output import clean, out, print_json, table
from stratagraph.cli.place import config_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stratagraph.ontology.report import Report

_SHOWN = 20
_files = click.argument("files", metavar="[FILE…]", nargs=-1, type=click.Path(path_type=Path))
_file_option = click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="An ontology file instead of the project's; repeatable.",
)
_catalog_option = click.option(
    "--catalog", multiple=True, type=click.Path(path_type=Path),
    help="A file or folder in which imports are looked for; repeatable. Default: ontology.catalog of the project.",
)  # fmt: skip


@click.group("ontology")
def ontology() -> None:
    """What ontology files say, and what is known of one term.

    \b
    Examples:
      stratagraph ontology check my.owl --catalog ontologies
      stratagraph ontology show "works for"
    """


@ontology.command("check")
@_files
@_catalog_option
@click.option("--reasoner", is_flag=True, help="Also ask a reasoner (HermiT) for contradictions; needs Java.")
@config_option
@json_option
@click.pass_context
def check_ontology(
    ctx: click.Context, files: tuple[Path, ...], catalog: tuple[Path, ...], reasoner: bool, config: Path | None, as_json: bool
) -> None:
    """Count what ontology files say, together and each; list what is missing, broken, or without effect.

    Without a FILE the project's own are checked. Nothing is fetched from a network. Exit code 1 only if something cannot be
    used: a file that cannot be read, or files without a single class and property; with --reasoner also if they contradict
    themselves.

    \b
    Examples:
      stratagraph ontology check
      stratagraph ontology check prov-o.ttl time.ttl --catalog ontologies --json
    """
    from stratagraph.ontology.report import check_files

    paths, places, _ = _chosen(files, catalog, config)
    report = check_files(paths, places)
    if as_json:
        print_json(report.as_dict())
    else:
        _print_report(report)
    if reasoner and report.usable:
        from stratagraph.ontology.reasoner import check_sound

        click.echo(check_sound(paths, places), err=as_json)
    ctx.exit(0 if report.usable else 1)


@ontology.command("show")
@click.argument("term")
@_file_option
@_catalog_option
@config_option
@json_option
def show_term(term: str, files: tuple[Path, ...], catalog: tuple[Path, ...], config: Path | None, as_json: bool) -> None:
    """Show all that is known of a class or a property, and from where each axiom is inherited.

    TERM is an IRI, a prefixed name (prefixes of the project), or a label or altLabel in any language; case and punctuation do
    not count. A name that is only similar is suggested, never taken.

    \b
    Examples:
      stratagraph ontology show my:worksFor
      stratagraph ontology show 任职于 --json
    """
    from stratagraph.ontology.describe import describe, find_terms
    from stratagraph.ontology.load import load_ontology

    paths, places, prefixes = _chosen(files, catalog, config)
    loaded = load_ontology(paths, places)
    found = [one for iri in find_terms(loaded, term, prefixes) for one in describe(loaded, iri)]
    if as_json:
        print_json([one.as_dict() for one in found])
        return
    for one in found:
        click.echo(f"{clean(one.iri)}  ({one.kind})")
        rows = [(fact.what, fact.value + (f" @{fact.language}" if fact.language else ""), fact.source) for fact in one.facts]
        out().print(table(("what", "value", "from"), rows))


def _chosen(
    files: tuple[Path, ...], catalog: tuple[Path, ...], config: Path | None
) -> tuple[list[Path], list[Path], Mapping[str, str]]:
    """The files, the catalogue and the prefixes: as given, else the project's."""
    if files and not config and not config_path(None).exists():
        return list(files), list(catalog), {}
    from stratagraph.ontology.load import catalog_places, own_files
    from stratagraph.project import Project

    project = Project.load(config_path(config))
    return list(files) or own_files(project), list(catalog) or catalog_places(project), project.config.prefixes


def _print_report(report: Report) -> None:
    good = [file for file in report.files if not file.problem]
    if good:
        columns = ("", *(Path(file.file).name for file in good), *(["all"] if len(good) > 1 else []))
        shown = [*good, *([report.total] if len(good) > 1 else [])]
        rows: list[tuple[Any, ...]] = [
            (name.replace("_", " "), *(file.counts[name] for file in shown))
            for name in report.total.counts
            if any(file.counts[name] for file in shown)
        ]
        rows += [
            (
                f"labels @{language}" if language else "labels without a language",
                *(file.labels.get(language, 0) for file in shown),
            )
            for language in report.total.labels
        ]
        out().print(table(columns, rows))
    for iri, file in sorted(report.imports.items()):
        click.echo(f"import {clean(iri)}: {clean(file)}")
    for iri in report.missing_imports:
        click.echo(f"import {clean(iri)}: missing; name a file or folder that has it with --catalog or ontology.catalog")
    for file, why in sorted(report.unreadable.items()):
        click.echo(f"catalogue: {clean(file)}: {clean(why)}")
    _list("used as classes or properties, but declared by no file", report.undeclared)
    _list("deprecated", report.deprecated)
    _list("without a label", report.unlabelled)
    _list("without domain and range", report.unbound)
    _list("one name for several things", [f"{iri}: {', '.join(kinds)}" for iri, kinds in report.punned.items()])
    _list("axioms without effect", [f"{iri}: {what}" if iri else what for iri, what in report.without_effect])
    for broken in report.files:
        if broken.problem:
            click.echo(f"error: {clean(broken.problem)}", err=True)
    if report.problem:
        click.echo(f"error: {clean(report.problem)}", err=True)


def _list(title: str, items: tuple[str, ...] | list[str]) -> None:
    if items:
        click.echo(f"{title} ({len(items)}):")
        for item in items[:_SHOWN]:
            click.echo(f"  {clean(item)}")
        if len(items) > _SHOWN:
            click.echo(f"  … and {len(items) - _SHOWN} more; --json shows all")
