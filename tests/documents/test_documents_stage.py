"""Documents as nodes: what is staged, when, and that it is the same every time."""

from __future__ import annotations

import json
from typing import Any

from stratagraph.documents.stage import stage_documents
from stratagraph.staging import STATEMENT_COLUMNS, Batch, staged_batches, write_batch
from stratagraph.temporal.run import commit_staged


def statements(bench: Any) -> dict[str, list[tuple[Any, ...]]]:
    found = {}
    for staged in staged_batches(bench.project, "documents"):
        assert staged.batch.complete and staged.batch.recorded_at is None
        with bench.project.read() as connection:
            relation = connection.sql("FROM read_parquet(?)", params=[str(staged.statements)])
            assert dict(zip(relation.columns, map(str, relation.types), strict=True)) == {
                name: kind.replace("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE") for name, kind in STATEMENT_COLUMNS.items()
            }
            found[staged.batch.source] = relation.project("CAST(COLUMNS(*) AS VARCHAR)").fetchall()
    return found


def test_one_node_per_document(bench: Any) -> None:
    bench.documents["press"] = {"type": "episodes", "path": "e.json"}
    bench.put("notes/a b.md", '# Über "uns"\n\nA text about us, written in plain English words.')
    bench.put("e.json", {"episodes": [{"id": "1", "ref_time": "2024-01-01T10:00:00+02:00", "text": "Text"}]})
    bench.run()
    result = stage_documents(bench.project)
    assert (result.changed, result.batches, result.statements) == (True, 2, 2)
    staged = statements(bench)
    assert list(staged) == ["notes/documents", "press/documents"]
    row = dict(zip(STATEMENT_COLUMNS, staged["notes/documents"][0], strict=True))
    core = "urn:stratagraph:core#"
    assert json.loads(row.pop("value")) == {
        "label": 'Über "uns"',
        "properties": {core + "date": "2024-05-01T00:00:00Z", core + "language": "en", core + "title": 'Über "uns"'},
    }
    node = "https://example.org/document/notes/notes/a%20b.md"
    assert {name: value for name, value in row.items() if value is not None} == {
        "dataset": "main", "kind": "node", "subject": node, "predicate": core + "Document", "facet": "document",
        "mode": "period", "polarity": "assert", "valid_from": "-infinity", "valid_to": "infinity",
        "observed_at": "2024-05-01 00:00:00+00", "sequence": "0", "source": "notes/documents", "scope": node,
        "extractor": "documents", "confidence": "1.0", "document_id": node,
    }  # fmt: skip


def titles(bench: Any) -> list[str]:
    return [label for (label,) in bench.rows("SELECT label FROM graph.nodes_now WHERE facet = 'document' ORDER BY label")]


def test_what_was_committed_is_not_staged_again_and_what_returns_is(bench: Any) -> None:
    bench.put("notes/a.txt", "A")
    bench.put("notes/b.txt", "B")
    bench.run()
    assert stage_documents(bench.project).changed
    assert not stage_documents(bench.project).changed  # it waits already
    commit_staged(bench.project)
    assert titles(bench) == ["a", "b"]
    assert stage_documents(bench.project).batches == 0
    (bench.root / "notes/b.txt").unlink()
    bench.settings = {"guard": {"max_shrink": 1}}
    bench.run()
    assert stage_documents(bench.project).statements == 1
    commit_staged(bench.project)
    assert titles(bench) == ["a"]
    bench.put("notes/b.txt", "B")  # the state of the first batch, whose id is in graph.runs
    bench.run()
    assert stage_documents(bench.project).statements == 2
    commit_staged(bench.project)
    assert titles(bench) == ["a", "b"]
    bench.documents = {}
    bench.run()
    assert (stage_documents(bench.project).batches, statements(bench)) == (1, {"notes/documents": []})
    commit_staged(bench.project)
    assert titles(bench) == []


def test_what_the_texts_say_is_not_withdrawn_with_a_changed_document(bench: Any) -> None:
    bench.put("notes/a.txt", "Ann knows Bob.")
    bench.run()
    stage_documents(bench.project)
    with bench.project.read() as connection:
        said = connection.sql(
            "SELECT 'main' AS dataset, 'node' AS kind, 'urn:x:' || i AS subject, 'urn:x:Person' AS predicate, NULL AS object, "
            "'{\"label\": \"someone\", \"properties\": {}}' AS value, 'text' AS facet, 'period' AS mode, 'assert' AS polarity, "
            "TIMESTAMPTZ '-infinity' AS valid_from, TIMESTAMPTZ 'infinity' AS valid_to, NULL AS observed_at, 0 AS sequence, "
            "'notes' AS source, '' AS scope, 'embedded/1' AS extractor, 1.0 AS confidence, NULL AS document_id, "
            "NULL AS chunk_id, NULL AS char_start, NULL AS char_end, NULL AS quote, NULL AS source_table, NULL AS source_key "
            "FROM range(9) AS r(i)"
        )
        write_batch(bench.project, "text", Batch("t1", "notes", 0, complete=True), said)
    commit_staged(bench.project)
    bench.put("notes/b.txt", "Another.")
    bench.run()
    stage_documents(bench.project)
    commit_staged(bench.project)
    assert titles(bench) == ["a", "b"]
    assert bench.rows("SELECT count(*) FROM graph.nodes_now WHERE facet = 'text'") == [(9,)]


def test_the_same_documents_stage_the_same_rows(bench: Any) -> None:
    for name in ("z", "ä", "a"):
        bench.put(f"notes/{name}.txt", name)
    bench.run()
    stage_documents(bench.project)
    first, ids = statements(bench), [staged.batch.batch_id for staged in staged_batches(bench.project, "documents")]
    for file in bench.project.data_dir.glob("*.duckdb"):
        file.unlink()
    bench.run()
    stage_documents(bench.project)
    assert (statements(bench), [staged.batch.batch_id for staged in staged_batches(bench.project, "documents")]) == (first, ids)
