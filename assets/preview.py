"""Previews of the graph for the UI: a small picture and a class diagram, as Markdown.

Belongs here: turning a few rows into SVG and Mermaid text. Which rows are shown is decided in `sql/preview/`. A preview
is kept in the data directory, so that an unchanged graph costs neither a query nor a layout.
"""

from __future__ import annotations

import base64
import html
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import duckdb

from stratagraph.project import Project
from stratagraph.sqlfiles import load_sql

WIDTH, HEIGHT, LEGEND = 1000, 640, 30
MARGIN, LABELS = 24, 160
SAMPLE = {"seeds": 2, "per_relation": 2}
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
    for first, first_title, second, second_title, edges in _rows(connection, "select_community_edges", limit=24):
        if first == second:
            dots[first] = Dot(first_title, first, 1.0 + edges**0.5 / 5)
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
            parts.append(f'<text {middle} font-size="11" fill="#718096" text-anchor="middle">{_short(line.label, 18)}</text>')
    for key, dot in sorted(dots.items()):
        x, y = places[key]
        parts.append(f'<circle cx="{x}" cy="{y}" r="{7 * dot.size:.1f}" fill="{colours[dot.kind]}"/>')
        parts.append(f'<text x="{x + 10}" y="{y + 5}" font-size="15" fill="#1a202c">{_short(dot.label, 22)}</text>')
    if len(colours) <= len(PALETTE):
        for i, (kind, colour) in enumerate(sorted(colours.items())):
            x = MARGIN + (WIDTH - MARGIN) * i // len(colours)
            parts.append(f'<circle cx="{x}" cy="{HEIGHT - 14}" r="6" fill="{colour}"/>')
            parts.append(f'<text x="{x + 10}" y="{HEIGHT - 9}" font-size="14" fill="#4a5568">{_short(kind, 16)}</text>')
    return "".join([*parts, "</svg>"])


def _layout(keys: Sequence[str], lines: Iterable[Line]) -> dict[str, tuple[int, int]]:
    """Places on the page: what hangs together is laid out by forces, from a fixed seed, in a cell of its own."""
    if not keys:
        return {}
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(keys)
    graph.add_edges_from((line.start, line.end) for line in lines)
    parts = sorted((sorted(part) for part in networkx.connected_components(graph)), key=lambda part: (-len(part), part))
    columns = math.ceil(math.sqrt(len(parts)))
    rows = [parts[i : i + columns] for i in range(0, len(parts), columns)]
    height = (HEIGHT - LEGEND) // len(rows)
    places = {}
    for i, row in enumerate(rows):
        weights = [math.sqrt(len(part)) for part in row]
        left = 0
        for part, weight in zip(row, weights, strict=True):
            right = left + round(WIDTH * weight / sum(weights))
            raw = networkx.spring_layout(graph.subgraph(part), seed=42, k=2.4 / len(part) ** 0.5, iterations=200)
            across = _spread([float(raw[key][0]) for key in part], left + MARGIN, max(left + MARGIN, right - LABELS))
            down = _spread([float(raw[key][1]) for key in part], i * height + MARGIN, (i + 1) * height - MARGIN)
            places.update(zip(part, zip(across, down, strict=True), strict=True))
            left = right
    return places


def _spread(values: Sequence[float], first: int, last: int) -> list[int]:
    """The values, stretched over a range of pixels."""
    low, width = min(values), (max(values) - min(values)) or 1.0
    return [round(first + (value - low) / width * (last - first)) for value in values]


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
    if "://" not in name and not name.startswith("urn:"):
        return name
    return unquote(name.rstrip("/#").rsplit("#", 1)[-1].rsplit("/", 1)[-1])


def _short(text: str, length: int) -> str:
    return html.escape(text if len(text) <= length else text[: length - 1] + "…")


def _plain(text: str) -> str:
    """Text that cannot end a Mermaid label or a Markdown fence."""
    return "".join(character if character.isalnum() or character in " .,:;-_#=/" else " " for character in text)[:60]
