"""Generates the statements of the benchmark as Parquet files: the base, its corrections, the batch, the hot key.

Only the input lives here; nothing is committed. All is a function of the size and the seed. The things are rows of one table
of one source, as the pipeline stages them: IRIs as in the W3C Direct Mapping, a label and three properties, the primary key
as evidence.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from benchmarks.bitemporal.sizes import NEW_KEYS, SEGMENTS
from stratagraph.staging import STATEMENT_COLUMNS

VERSION = 2  # a change of what is generated makes the cached stores anew
DATASET = "main"
SOURCE = "bench"
SPAN = 26 * 31_557_600  # seconds from 2000 on in which the batch's statements begin
TABLE = "https://example.org/graph/bench/items"
IRI = f"{TABLE}/id="

# Days since 2000-01-01. Segment j of a key begins somewhere in [2000 j, 2000 j + 1500), so no two begin together.
_MACROS = f"""
CREATE TEMP MACRO draw(a, b, c, below) AS CAST(hash(a, b, c) % below AS BIGINT);
CREATE TEMP MACRO begins(item, segment, seed) AS 2000 * segment + draw(item, segment, seed, 1500);
CREATE TEMP MACRO ends(item, segment, seed) AS CASE WHEN segment < {SEGMENTS - 1} THEN begins(item, segment + 1, seed) END;
CREATE TEMP MACRO instant(seconds) AS CAST(to_timestamp(946684800 + seconds) AS TIMESTAMPTZ);
CREATE TEMP MACRO said(item, draw_of) AS json_object('label', 'Item ' || item, 'properties', json_object(
    '{TABLE}#Amount', draw_of % 1000000,
    '{TABLE}#City', 'city ' || (draw_of // 1000000) % 5000,
    '{TABLE}#Status', ['open', 'shipped', 'paid', 'returned'][1 + draw_of % 4]));
CREATE TEMP MACRO original(item, segment, seed) AS said(item, draw(item, 10 + segment, seed, 1000000000));
CREATE TEMP MACRO corrected(item, seed) AS said(item, draw(item, 20, seed, 1000000000));
CREATE TEMP MACRO corrected_segment(item, seed) AS draw(item, 30, seed, {SEGMENTS});
CREATE TEMP MACRO believed(item, segment, seed) AS
    CASE WHEN segment = corrected_segment(item, seed) THEN corrected(item, seed) ELSE original(item, segment, seed) END;
"""

# Grain: one statement of the base: segment by segment, what is said of an item.
_BASE = f"""
SELECT item, original(item, segment, $seed) AS said, 'assert' AS polarity, $mode AS mode,
       86400 * begins(item, segment, $seed) AS starts, 86400 * ends(item, segment, $seed) AS stops, 0 AS sequence
FROM range($first, $last) AS i(item), range({SEGMENTS}) AS s(segment)
"""

# Grain: one item: one of its segments is said anew with another value, which closes one row and opens one.
_CORRECTIONS = """
SELECT item, corrected(item, $seed) AS said, 'assert' AS polarity, $mode AS mode,
       86400 * begins(item, segment, $seed) AS starts, 86400 * ends(item, segment, $seed) AS stops, 1 AS sequence
FROM (SELECT range AS item, corrected_segment(range, $seed) AS segment FROM range($first, $last))
"""

# Grain: one statement of the batch. Of ten statements one retracts, two say within a segment what is believed there already
# (with other bounds: a new statement that changes no belief), six hold from anywhere in 26 years on, one is bounded.
_BATCH = f"""
WITH drawn AS (
    SELECT range AS number, range % 10 AS share, draw(range, 40, $seed, $items) AS any_item,
           draw(range, 41, $seed, $keys) AS known_item, draw(range, 42, $seed, {SEGMENTS}) AS segment,
           draw(range, 43, $seed, {SPAN}) AS second,
           86400 * (30 + draw(range, 44, $seed, 700)) AS length, draw(range, 45, $seed, 1000000000) AS drawn
    FROM range($batch)
), chosen AS (
    SELECT *, share IN (1, 2) AS repeats, CASE WHEN share IN (1, 2) THEN known_item ELSE any_item END AS item,
           begins(known_item, segment, $seed) AS segment_begins,
           coalesce(ends(known_item, segment, $seed), begins(known_item, segment, $seed) + 1000) AS segment_ends
    FROM drawn
)
SELECT item,
       CASE WHEN share = 0 THEN json_object('label', NULL, 'properties', json_object())
            WHEN repeats THEN believed(item, segment, $seed) ELSE said(item, drawn) END AS said,
       CASE share WHEN 0 THEN 'retract' ELSE 'assert' END AS polarity,
       CASE WHEN share = 9 THEN 'period' ELSE $mode END AS mode,
       CASE WHEN repeats THEN 86400 * segment_begins + 21600 * (segment_ends - segment_begins) ELSE second END AS starts,
       CASE WHEN repeats THEN 64800 * (segment_ends - segment_begins) + 86400 * segment_begins
            WHEN share IN (0, 9) THEN second + length END AS stops,
       number + 2 AS sequence
FROM chosen
"""

# Grain: one statement as it is staged. An event has no end; a period without an end ends at infinity.
_STAGED = """
COPY (
    SELECT {columns} FROM (
        SELECT $dataset AS dataset, 'node' AS kind, $iri || item AS subject, $item_class AS predicate, NULL AS object,
               CAST(said AS VARCHAR) AS value, 'bench/items' AS facet, mode, polarity, instant(starts) AS valid_from,
               CASE WHEN mode = 'period' THEN coalesce(instant(stops), CAST('infinity' AS TIMESTAMPTZ)) END AS valid_to,
               NULL AS observed_at, sequence, $source AS source, 'items' AS scope, 'rows' AS extractor, 1.0 AS confidence,
               NULL AS document_id, NULL AS chunk_id, NULL AS char_start, NULL AS char_end, NULL AS quote,
               'items' AS source_table, json_object('id', item) AS source_key
        FROM ({statements})
    )
) TO '{path}' (FORMAT parquet, COMPRESSION zstd)
"""


def write_base(path: Path, first: int, last: int, mode: str, seed: int) -> Path:
    """Four segments of each item in [first, last)."""
    return _write(path, _BASE, {"first": first, "last": last, "mode": mode, "seed": seed})


def write_corrections(path: Path, first: int, last: int, mode: str, seed: int) -> Path:
    """One segment of each item in [first, last), said anew with another value."""
    return _write(path, _CORRECTIONS, {"first": first, "last": last, "mode": mode, "seed": seed})


def write_slice(path: Path, first: int, last: int, mode: str, seed: int) -> Path:
    """Both of each item in [first, last)."""
    values = {"first": first, "last": last, "mode": mode, "seed": seed}
    return _write(path, f"({_BASE}) UNION ALL ({_CORRECTIONS})", values)


def write_batch(path: Path, keys: int, batch: int, mode: str, seed: int) -> Path:
    """The measured batch: it speaks of the items of a store of that many keys, and of some that are new to it."""
    items = max(1, int(keys * NEW_KEYS))
    return _write(path, _BATCH, {"keys": keys, "items": items, "batch": batch, "mode": mode, "seed": seed})


def write_hot_key(path: Path, batch: int, mode: str, seed: int) -> Path:
    """The same shares of statements, all of one item."""
    values = {"keys": 1, "items": 1, "batch": batch, "mode": mode, "seed": seed}
    return _write(path, _BATCH, values)


def write_one(path: Path, mode: str, seed: int) -> Path:
    """One statement of the first item."""
    return _write(path, _CORRECTIONS, {"first": 0, "last": 1, "mode": mode, "seed": seed + 1})


def _write(path: Path, statements: str, values: dict[str, object]) -> Path:
    temporary = path.with_suffix(".tmp")
    columns = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in STATEMENT_COLUMNS.items())
    common = {"dataset": DATASET, "iri": IRI, "item_class": TABLE, "source": SOURCE}
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(_MACROS)
        query = _STAGED.format(columns=columns, statements=statements, path=str(temporary).replace("'", "''"))
        connection.execute(query, common | values)
    temporary.replace(path)
    return path
