"""The tour after a build: the demo's questions, asked of the snapshot as a person would ask them.

A question is a SQL file of the demo (`examples/demo/questions/`): its first comment is what is asked, its statement is the
answer's source, and the CLI line printed with it gives the same rows.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stratagraph.project import Project
from stratagraph.snapshot.reader import open_snapshot

ASKED_IN_WORDS = "Where does Elena Novak work?"
AT = "2016-01-01"


@dataclass(frozen=True)
class Question:
    """What is asked, and the SQL that answers it."""

    text: str
    sql: str


def questions(project: Project) -> list[Question]:
    """The questions that the project's folder ships, in order of their file names."""
    return [_question(file) for file in sorted((project.root / "questions").glob("*.sql"))]


def _question(file: Path) -> Question:
    lines = file.read_text(encoding="utf-8").splitlines()
    comments = [line.removeprefix("--").strip() for line in lines if line.startswith("--")]
    statement = "\n".join(line for line in lines if not line.startswith("--")).strip().rstrip(";")
    return Question(" ".join(comments), statement)


def tour_answers(project: Project) -> list[dict[str, Any]]:
    """Every question with its answer."""
    with open_snapshot(project.snapshots) as snapshot:
        answers = []
        for question in questions(project):
            table = snapshot.sql(question.sql)
            answers.append(
                {
                    "question": question.text,
                    "sql": question.sql,
                    "columns": list(table.columns),
                    "rows": [list(row) for row in table.rows],
                }
            )
        return answers


def print_tour(project: Project, console: Console) -> None:
    """What can be asked now, and where."""
    console.print("[bold]Ask the snapshot[/]\n")
    for answer in tour_answers(project):
        console.print(f"[bold cyan]{escape(answer['question'])}[/]")
        console.print(f"  {command('sql', answer['sql'])}", markup=False)
        table = Table(*answer["columns"])
        for row in answer["rows"]:
            table.add_row(*(escape(str(value)) for value in row))
        console.print(table)
    console.print("[bold]The same in words, with the text that says so[/]")
    console.print(f"  {command('recall', ASKED_IN_WORDS, '--valid-at', AT)}\n", markup=False)
    console.print("[bold]Where to go on[/]")
    console.print("  make ui                       the asset graph, runs and checks, on http://127.0.0.1:3000")
    console.print(f"  {command('search', 'Delta Foods')}", markup=False)
    console.print(f"  {command('mcp')}   read-only tools for an agent, over stdio", markup=False)
    console.print(f"  duckdb -readonly {project.snapshots}/<id>/snapshot.duckdb   any DuckDB client", markup=False)


def command(*words: str) -> str:
    """A command line of the checkout that can be pasted into a shell."""
    return ".venv/bin/stratagraph " + " ".join(_quoted(" ".join(word.split())) for word in words)


def _quoted(word: str) -> str:
    # SQL is full of single quotes: double ones read better around it, where nothing in it means something to a shell.
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)
