"""Previews of the graph for the UI: a small picture and a class diagram, as Markdown.

Belongs here: turning a few rows into SVG and Mermaid text. Which rows are shown is decided in `sql/preview/`. A preview
is kept in the data directory, so that an unchanged graph costs neither a query nor a layout.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql

WIDTH, HEIGHT, MARGIN = 1200, 720, 60
SAMPLE = {"per_predicate": 7, "limit": 60}
PALETTE = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b83280", "#b7791f", "#0987a0", "#718096", "#9b2c2c", "#4a5568")


@dataclass(frozen=True)
class Dot:
    """A vertex of a picture: what it is called, what decides its colour, how big it is."""

    label: str
    kind: str
    size: float = 1.0


@dataclass(frozen=True)
class Line:
    """An edge of a picture, between two vertex ids."""

    start: str
    end: str
    label: str = ""


def graph_preview(project: Project, *, fresh: bool) -> str:
    """A sample of the current graph, and its classes and relations. `fresh`: the graph changed since the last preview."""
    return _kept(project, "graph", fresh, _draw_graph)


def communities_preview(project: Project, *, fresh: bool) -> str:
    """The leaf communities and how they hang together."""
    return _kept(project, "communities", fresh, _draw_communities)


def _kept(project: Project, name: str, fresh: bool, draw: Callable[[duckdb.DuckDBPyConnection], str]) -> str:
    file = project.data_dir / "previews" / f"{name}.md"
    if file.is_file() and not fresh:
        return file.read_text(encoding="utf-8")
    with project.read() as connection:
        text = draw(connection)
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(file)
    return text


def _draw_graph(connection: duckdb.DuckDBPyConnection) -> str:
    dots: dict[str, Dot] = {}
    lines = []
    for row in _rows(connection, "select_sample_edges", **SAMPLE):
        subject, subject_label, subject_class, predicate, target, target_label, target_class = row
        dots[subject] = Dot(subject_label, _local(subject_class))
        dots[target] = Dot(target_label, _local(target_class))
        lines.append(Line(subject, target, _local(predicate)))
    relations = _rows(connection, "select_class_edges", limit=25)
    return _markdown(_svg(dots, lines), f"{len(lines)} edges of the current graph", _mermaid(relations))


def _draw_communities(connection: duckdb.DuckDBPyConnection) -> str:
    dots: dict[str, Dot] = {}
    lines = []
    for first, first_title, second, second_title, edges in _rows(connection, "select_community_edges", limit=80):
        if first == second:
            dots[first] = Dot(first_title, first, 1.0 + edges**0.5 / 6)
        else:
            dots.setdefault(first, Dot(first_title, first))
            dots.setdefault(second, Dot(second_title, second))
            lines.append(Line(first, second))
    relations = _rows(connection, "select_class_edges", limit=25)
    return _markdown(_svg(dots, lines), f"{len(dots)} communities", _mermaid(relations))


def _rows(connection: duckdb.DuckDBPyConnection, name: str, **parameters: int) -> list[tuple[Any, ...]]:
    return connection.execute(load_sql("preview", name), parameters).fetchall()


def _markdown(svg: str, title: str, mermaid: str) -> str:
    encoded = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return f"**{title}**\n\n![{title}](data:image/svg+xml;base64,{encoded})\n\n```mermaid\n{mermaid}\n```\n"


def _svg(dots: dict[str, Dot], lines: Sequence[Line]) -> str:
    places = _layout(sorted(dots), lines)
    colours = {kind: PALETTE[i % len(PALETTE)] for i, kind in enumerate(sorted({dot.kind for dot in dots.values()}))}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for line in lines:
        (x1, y1), (x2, y2) = places[line.start], places[line.end]
        parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#cbd5e0" stroke-width="1.4"/>')
        if line.label:
            middle = f'x="{(x1 + x2) // 2}" y="{(y1 + y2) // 2}"'
            parts.append(f'<text {middle} font-size="9" fill="#a0aec0" text-anchor="middle">{_short(line.label, 18)}</text>')
    for key, dot in sorted(dots.items()):
        x, y = places[key]
        parts.append(f'<circle cx="{x}" cy="{y}" r="{7 * dot.size:.1f}" fill="{colours[dot.kind]}"/>')
        parts.append(f'<text x="{x + 9}" y="{y + 4}" font-size="11" fill="#1a202c">{_short(dot.label, 26)}</text>')
    if len(colours) <= len(PALETTE):
        for i, (kind, colour) in enumerate(sorted(colours.items())):
            parts.append(f'<circle cx="20" cy="{20 + 18 * i}" r="6" fill="{colour}"/>')
            parts.append(f'<text x="32" y="{24 + 18 * i}" font-size="12" fill="#1a202c">{_short(kind, 30)}</text>')
    return "".join([*parts, "</svg>"])


def _layout(keys: Sequence[str], lines: Iterable[Line]) -> dict[str, tuple[int, int]]:
    """Places on the page: force-directed, from a fixed seed."""
    if not keys:
        return {}
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(keys)
    graph.add_edges_from((line.start, line.end) for line in lines)
    raw = networkx.spring_layout(graph, seed=42, k=2.2 / len(keys) ** 0.5, iterations=120)
    columns = [_spread([float(raw[key][axis]) for key in keys], size) for axis, size in ((0, WIDTH - 140), (1, HEIGHT))]
    return dict(zip(keys, zip(*columns, strict=True), strict=True))


def _spread(values: Sequence[float], size: int) -> list[int]:
    low, high = min(values), max(values)
    width = (high - low) or 1.0
    return [round(MARGIN + (value - low) / width * (size - 2 * MARGIN)) for value in values]


def _mermaid(relations: Sequence[tuple[Any, ...]]) -> str:
    ids: dict[str, str] = {}
    lines = ["graph LR"]
    for subject_class, predicate, object_class, edges in relations:
        ends = []
        for name in (_local(subject_class), _local(object_class)):
            ends.append(ids.setdefault(name, f"c{len(ids)}") + f'["{_plain(name)}"]')
        lines.append(f'  {ends[0]} -- "{_plain(_local(predicate))} ({edges})" --> {ends[1]}')
    return "\n".join(lines)


def _local(name: str) -> str:
    """What a person calls it: a label as it is, of an IRI what follows the last # or /."""
    return name.rstrip("/#").rsplit("#", 1)[-1].rsplit("/", 1)[-1] if "://" in name or name.startswith("urn:") else name


def _short(text: str, length: int) -> str:
    return html.escape(text if len(text) <= length else text[: length - 1] + "…")


def _plain(text: str) -> str:
    """Text that cannot end a Mermaid label or a Markdown fence."""
    return "".join(character if character.isalnum() or character in " .,:;-_#=/" else " " for character in text)[:60]
