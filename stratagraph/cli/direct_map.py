"""`stratagraph direct-map`: a database as RDF, as the W3C's Direct Mapping has it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from stratagraph.cli.output import err
from stratagraph.errors import SourceError


@click.command("direct-map")
@click.option("--url", required=True, help="SQLAlchemy URL of the database, such as sqlite:///shop.db or postgresql://host/db.")
@click.option("--base", required=True, metavar="IRI", help="What all IRIs begin with, such as http://example.com/base/.")
@click.option("--schema", help="Schema of the tables. Default: the database's own default.")
@click.option("--table", "tables", multiple=True, metavar="NAME", help="Only this table; may be repeated. Default: all tables.")
@click.option(
    "--out", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write a file, whole or not at all. Default: stdout."
)
def direct_map(url: str, base: str, schema: str | None, tables: tuple[str, ...], file: Path | None) -> None:
    """Print a database as RDF: the W3C Direct Mapping of its rows and foreign keys, as sorted N-Triples.

    \b
    Examples:
      stratagraph direct-map --url sqlite:///shop.db --base http://example.com/base/
      stratagraph direct-map --url postgresql://me@localhost/shop --base http://example.com/base/ --schema sales --out sales.nt
    """
    from stratagraph.sources.direct_map import SOURCE, write_direct_map

    try:
        with _output(file) as out:
            mapped = write_direct_map(out, url, base, schema=schema, tables=tables)
    except SourceError as error:  # there is no config that the person could look into
        where = (error.where or "").removeprefix(f"sources.{SOURCE}").removeprefix(": ")
        raise SourceError(error.what, where=where or None, hint=error.hint) from None
    if mapped.unidentified:
        err().print(f"left out: {mapped.unidentified} rows that nothing names, because a part of the primary key is NULL")
        raise click.exceptions.Exit(1)


@contextmanager
def _output(file: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a file that takes its name when it is whole."""
    if file is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    temporary = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as out:
            yield out
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
