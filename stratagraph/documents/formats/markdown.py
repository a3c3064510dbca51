"""Structure as Markdown: headings, list items and tables, in the one form that all readers write.

Text is not escaped: it must stay quotable as it stands in the document. A bar in a table's cell is the exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def heading(level: int, text: str) -> str:
    """A heading; levels below six are six.

    >>> heading(2, " Some\\n words ")
    '## Some words'
    """
    return f"{'#' * max(1, min(level, 6))} {one_line(text)}"


def list_item(depth: int, label: str, text: str) -> str:
    """An item, its lines indented under its label.

    >>> list_item(1, "-", "a\\nb")
    '  - a\\n    b'
    """
    indent = "  " * min(depth, 8)
    return f"{indent}{label} " + text.strip().replace("\n", "\n" + indent + " " * (len(label) + 1))


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells, the first as the header. Rows may be of different lengths; empty ones are left out.

    >>> print(table([["a", "b|c"], ["1", ""]]))
    | a | b\\|c |
    | --- | --- |
    | 1 |  |
    """
    lines = []
    for row in rows:
        cells = [one_line(cell).replace("|", "\\|") for cell in row]
        if any(cells):
            lines.append(f"| {' | '.join(cells)} |")
            if len(lines) == 1:
                lines.append(f"|{' --- |' * len(cells)}")
    return "\n".join(lines)


def one_line(text: str) -> str:
    return " ".join(text.split())


def blocks(parts: Iterable[str]) -> str:
    """Blocks with a blank line between them; items of one list stand on consecutive lines."""
    texts: list[str] = []
    before = ""
    for part in parts:
        if not part.strip():
            continue
        if texts:
            kind = item_kind(part)
            texts.append("\n" if kind and (kind == item_kind(before) or part.startswith(" ")) else "\n\n")
        texts.append(part.rstrip())
        before = part
    return "".join(texts)


def item_kind(block: str) -> str:
    """What kind of list item a block is, as `list_item` writes them: "-", "." or ")"; "" if it is none.

    >>> item_kind("  - a"), item_kind("12) b"), item_kind("c. 1900")
    ('-', ')', '')
    """
    label, _, rest = block.lstrip(" ").partition(" ")
    if not rest:
        return ""
    return "-" if label == "-" else label[-1] if label[:-1].isdigit() and label[-1] in ".)" else ""
