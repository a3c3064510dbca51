"""Files of every format from the folder to the graph: changed and removed ones take what they said with them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

import duckdb
import samples

from stratagraph.documents.stage import stage_documents
from stratagraph.temporal.run import commit_staged


def letter(words: str, title: str = "Letter") -> bytes:
    return samples.docx(lambda document: document.add_paragraph(words), title)


def put_all(bench: Any) -> None:
    bench.put("notes/letter.docx", letter("The crane is old."))
    bench.put("notes/report.pdf", samples.pdf([samples.paragraph("The harbour is small."), samples.paragraph("It is cold.")]))
    bench.put("notes/fleet.xlsx", samples.xlsx(lambda book: book.active.append(["Ann", 3])))
    bench.put("notes/book.epub", samples.epub(["<h1>One</h1><p>Words of a book.</p>"]))
    bench.put("notes/mail.eml", samples.eml("See there.", attachments=[("plan.docx", letter("The plan is this.", "Plan"))]))
    bench.put("notes/broken.docx", letter("lost")[:500])
    bench.put("notes/locked.pdf", samples.pdf([samples.paragraph("lost")], encrypted=True))


def titles(bench: Any) -> list[str]:
    return [label for (label,) in bench.rows("SELECT label FROM graph.nodes_now WHERE facet = 'document' ORDER BY label")]


def test_changed_and_removed_files_withdraw_what_they_said(bench: Any) -> None:
    put_all(bench)
    loaded, chunks = bench.run()
    assert (loaded.documents, loaded.refused) == (6, 2) == (chunks.documents, chunks.quarantined)
    assert bench.refused() == {"notes/broken.docx": "damaged", "notes/locked.pdf": "encrypted"}
    stage_documents(bench.project)
    commit_staged(bench.project)
    assert titles(bench) == ["A book", "Letter", "Plan", "Report", "fleet", "report"]
    cut = "substring(d.text, CAST(c.char_start AS INTEGER) + 1, CAST(c.char_end - c.char_start AS INTEGER))"
    pairs = bench.rows(f"SELECT c.text, {cut} FROM graph.chunks AS c JOIN graph.documents AS d USING (document_id)")
    assert len(pairs) >= 6 and all(chunk == piece for chunk, piece in pairs)

    bench.put("notes/letter.docx", letter("The crane is new.", "Second letter"))
    (bench.root / "notes/report.pdf").unlink()
    bench.put("notes/mail.eml", samples.eml("See there.", attachments=[]))
    bench.settings = {"guard": {"max_shrink": 1}}
    _, chunks = bench.run()
    assert (chunks.documents_opened, chunks.documents_closed) == (2, 4)
    stage_documents(bench.project)
    commit_staged(bench.project)
    assert titles(bench) == ["A book", "Report", "Second letter", "fleet"]
    now = [text for (text,) in bench.rows("SELECT text FROM graph.chunks WHERE recorded_to = 'infinity'")]
    assert not any("is old" in text or "harbour" in text or "plan" in text for text in now)
    assert any("crane is new" in text for text in now)

    bench.put("notes/letter.docx", b"PK\x03\x04 no longer whole")
    bench.run()
    assert bench.refused()["notes/letter.docx"] == "damaged"
    stage_documents(bench.project)
    commit_staged(bench.project)
    assert titles(bench) == ["A book", "Report", "fleet"]


def test_the_landing_table_says_where_each_reference_time_is_from(bench: Any) -> None:
    bench.documents = {"notes": {"type": "files", "path": "notes/*", "date_pattern": "%Y-%m-%d"}}
    put_all(bench)
    bench.put("notes/2020-02-03 minutes.pdf", samples.pdf([samples.paragraph("Said.")], {"CreationDate": "D:20210101"}))
    os.utime(bench.root / "notes/report.pdf", (86_400, 86_400))
    bench.run()
    with duckdb.connect(str(bench.project.landing), read_only=True) as connection:
        found = connection.sql("SELECT title, reference_source, reference_time FROM documents.documents").fetchall()
    assert {title: (source, moment.astimezone(UTC)) for title, source, moment in found} == {
        "Letter": ("metadata", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        "fleet": ("metadata", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        "A book": ("metadata", datetime(2021, 5, 6, tzinfo=UTC)),
        "Report": ("document", datetime(2024, 3, 5, 9, 11, 12, tzinfo=UTC)),
        "Plan": ("metadata", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        "report": ("modified", datetime(1970, 1, 2, tzinfo=UTC)),
        "2020-02-03 minutes": ("file_name", datetime(2020, 2, 3, tzinfo=UTC)),
    }
