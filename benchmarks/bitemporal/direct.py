"""Writes the rows of a base store directly: the very rows that commits of the same statements make, many times faster.

Only for this input, whose outcome is known: of each key four segments, then one of them said anew. Identities and canonical
values come from the engine's own step `normalise_statements`; a test compares every table with that of a store made by commits.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import duckdb

from benchmarks.bitemporal.statements import DATASET, SOURCE
from stratagraph.temporal.intake import read_batch
from stratagraph.temporal.steps import Steps

# Grain: one statement, with the time it was recorded and what it claims: an event holds until the next start of its key.
_SAID = """
CREATE OR REPLACE TEMP TABLE said AS
WITH starts AS (
    SELECT subject, valid_from, count(*) AS statements,
           lead(valid_from, 1, CAST('infinity' AS TIMESTAMPTZ)) OVER (PARTITION BY subject ORDER BY valid_from) AS next_from
    FROM normalised GROUP BY subject, valid_from
)
SELECT n.*, CASE n.sequence WHEN 0 THEN CAST($base AS TIMESTAMPTZ) ELSE CAST($corrected AS TIMESTAMPTZ) END AS recorded_from,
       coalesce(n.valid_to, s.next_from) AS claim_to, s.statements = 2 AND n.sequence = 0 AS is_corrected,
       n.value ->> 'label' AS label, CAST(json_extract(n.value, '$.properties') AS VARCHAR) AS properties,
       unhex(left(md5(n.subject), 16) || left(md5(CAST(to_json([n.dataset, n.kind, n.subject, n.facet, NULL, hex(n.value_hash),
                               coalesce(CAST(epoch_us(n.valid_from) AS VARCHAR), 'begin'),
                               coalesce(CAST(epoch_us(claim_to) AS VARCHAR), 'end')]) AS VARCHAR)), 16)) AS content_hash
FROM normalised AS n JOIN starts AS s ON s.subject = n.subject AND s.valid_from = n.valid_from
ORDER BY n.subject, n.valid_from, n.sequence
"""

_STATEMENTS = """
INSERT INTO graph.statements
    (dataset, statement_id, kind, subject, predicate, object, value, value_hash, facet, mode, polarity, valid_from, valid_to,
     observed_at, sequence, source, scope, evidence_id, extractor, confidence, recorded_from, recorded_to)
SELECT dataset, statement_id, kind, subject, predicate, object, value, value_hash, facet, mode, polarity, valid_from, valid_to,
       observed_at, sequence, source, scope, evidence_id, extractor, confidence, recorded_from, 'infinity' FROM said
"""

_EVIDENCE = """
INSERT INTO graph.evidence (dataset, evidence_id, document_id, chunk_id, char_start, char_end, quote, source_table, source_key)
SELECT dataset, evidence_id, document_id, chunk_id, char_start, char_end, quote, source_table, source_key
FROM said WHERE sequence = 1
"""

_CLAIMS = """
INSERT INTO graph.claims
    (dataset, kind, row_id, facet, value_hash, statement_id, valid_from, valid_to, recorded_from, recorded_to)
SELECT dataset, kind, subject, facet, value_hash, statement_id, valid_from, claim_to, recorded_from, 'infinity' FROM said
"""

_NODES_OPEN = """
INSERT INTO graph.nodes_open
    (dataset, node_id, facet, class, label, properties, valid_from, valid_to, recorded_from, confidence, content_hash,
     value_hash)
SELECT dataset, subject, facet, predicate, label, properties, valid_from, claim_to, recorded_from, confidence, content_hash,
       value_hash
FROM said WHERE NOT is_corrected
"""

_NODES_CLOSED = """
INSERT INTO graph.nodes_closed
    (dataset, node_id, facet, class, label, properties, valid_from, valid_to, recorded_from, recorded_to, confidence,
     content_hash, value_hash)
SELECT dataset, subject, facet, predicate, label, properties, valid_from, claim_to, recorded_from,
       CAST($corrected AS TIMESTAMPTZ), confidence, content_hash, value_hash
FROM said WHERE is_corrected
"""

_RUNS = """
INSERT INTO graph.runs (dataset, batch_id, run_id, stage, source, recorded_at, clock, counts)
SELECT $dataset, batch_id, '', 'belief', $source, recorded_at, 'store', '{}'
FROM (VALUES ('base', CAST($base AS TIMESTAMPTZ)), ('corrections', CAST($corrected AS TIMESTAMPTZ))) AS r(batch_id, recorded_at)
"""


def write_slice(connection: duckdb.DuckDBPyConnection, file: Path, base: datetime, corrected: datetime) -> None:
    """Add the rows of some keys; the file holds the base and the corrections of each of them."""
    steps = Steps(connection)
    read_batch(steps, DATASET, file, None)
    connection.execute(_SAID, {"base": base, "corrected": corrected})
    steps.drop()
    for query in (_STATEMENTS, _EVIDENCE, _CLAIMS, _NODES_OPEN):
        connection.execute(query)
    connection.execute(_NODES_CLOSED, {"corrected": corrected})
    connection.execute("DROP TABLE said")


def write_runs(connection: duckdb.DuckDBPyConnection, base: datetime, corrected: datetime) -> None:
    """The two transactions of the store."""
    connection.execute(_RUNS, {"dataset": DATASET, "source": SOURCE, "base": base, "corrected": corrected})
