"""`stratagraph mapping`: what the tables of the sources mean in the ontology, proposed and checked."""

from __future__ import annotations

from pathlib import Path

import click

from stratagraph.cli.options import config_option, json_option
from stratagraph.cli.output import clean, err, print_json
from stratagraph.cli.place import config_path
from stratagraph.errors import ConfigError


@click.group("mapping")
def mapping() -> None:
    """What the tables of the sources mean in the ontology.

    \b
    Examples:
      stratagraph mapping suggest shop
      stratagraph mapping check
    """


@mapping.command("suggest")
@click.argument("source", required=False)
@click.option("--table", metavar="TABLE", help="Only this table.")
@config_option
def suggest_mapping(source: str | None, table: str | None, config: Path | None) -> None:
    """Print a mapping of the tables to the ontology, as YAML to copy from. Nothing is written.

    Classes and properties are proposed only where a label or altLabel says exactly what a table or column is called, in any
    language; case, punctuation and camelCase do not count. All else stands in comments: what is unsure, what only looks
    alike, what keeps the IRI of the direct mapping. A source that was not loaded yet is asked itself if it is a database.

    \b
    Examples:
      stratagraph mapping suggest
      stratagraph mapping suggest shop --table Customers
    """
    from stratagraph.config.problems import allowed_text
    from stratagraph.ontology.load import load_project
    from stratagraph.project import Project
    from stratagraph.sources.mapping.structure import known_structure, table_sources
    from stratagraph.sources.mapping.suggest import suggest

    project = Project.load(config_path(config))
    structures = [known_structure(project, name, found) for name, found in table_sources(project, source).items()]
    tables = sorted({name for structure in structures for name in structure.tables})
    if table is not None and table not in tables:
        raise ConfigError(f"there is no table {table!r}{allowed_text(table, tables)}", where=f"sources.{source or '*'}")
    click.echo(suggest(structures, load_project(project), table), nl=False)


@mapping.command("check")
@click.argument("source", required=False)
@config_option
@json_option
@click.pass_context
def check_mappings(ctx: click.Context, source: str | None, config: Path | None, as_json: bool) -> None:
    """Check the mappings against the ontology, the tables and their keys, without loading anything.

    Errors are what a build refuses: unknown classes, properties, tables, columns and keys, each with what was probably meant,
    one property mapped twice, and what breaks a domain or a range. Warnings do so for rows of some classes, or name what is
    deprecated. Exit code 1 if there is an error.

    \b
    Examples:
      stratagraph mapping check
      stratagraph mapping check shop --json
    """
    from stratagraph.ontology.load import load_project
    from stratagraph.ontology.mapped import deprecations, term_faults
    from stratagraph.project import Project
    from stratagraph.sources.mapping.checks import axiom_faults, mapping_faults
    from stratagraph.sources.mapping.structure import known_structure, table_sources

    project = Project.load(config_path(config))
    ontology = load_project(project)
    chosen = table_sources(project, source)
    places = tuple(f"sources.{name}." for name in ([source] if source else project.config.sources))
    errors = [fault for fault in term_faults(project, ontology) if fault.startswith(places)]
    warnings = [remark for remark in deprecations(project, ontology) if remark.startswith(places)]
    for name, found in chosen.items():
        structure = known_structure(project, name, found)
        broken, doubtful = axiom_faults(structure, ontology)
        errors += [*mapping_faults(structure), *broken]
        warnings += doubtful
    if as_json:
        print_json({"errors": errors, "warnings": warnings})
    else:
        for kind, messages in (("error", errors), ("warning", warnings)):
            for message in messages:
                click.echo(f"{kind}: {clean(message)}")
        err().print(f"{len(errors)} errors, {len(warnings)} warnings in the mappings of {len(chosen)} sources of tables.")
    ctx.exit(1 if errors else 0)
