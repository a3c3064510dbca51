"""The index: analysis, the two arms against slow truths, building once, determinism."""

from __future__ import annotations

import doctest
from pathlib import Path

import numpy as np
import pytest
from small_graph import small_project

from stratagraph.search import analysis, periods
from stratagraph.search.analysis import document_terms, query_terms
from stratagraph.search.build import build_index
from stratagraph.search.engine import MIN_COSINE, SearchEngine
from stratagraph.search.lexical import LexicalIndex, write_lexical
from stratagraph.search.units import Filter, Point, UnitColumns
from stratagraph.search.vectors import VectorIndex, embed, save, smooth

OPEN = 2**63 - 1
WORDS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet"]


def test_examples_in_the_docstrings() -> None:
    assert doctest.testmod(analysis).failed == doctest.testmod(periods).failed == 0


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The Café was open", "cafés"),
        ("ＡＣＭＥ Robotics", "acme"),
        ("O’Brien came", "OBrien"),
        ("running shoes", "run"),
        ("SR-2023-052", "2023 052"),
        ("他昨天在东京", "东京"),
        ("寿司を食べた", "食べ"),
        ("กรุงเทพมหานคร", "กรุงเทพ"),
        ("서울에서 만났다", "서울"),
        ("हिन्दी में", "हिन्दी"),
        ("Straße", "STRASSE"),
        ("e\u0301cole", "école"),
        ("x" * 500, "x" * 400),
    ],
)
def test_a_query_finds_its_spelling(text: str, query: str) -> None:
    assert query_terms(query) and set(query_terms(query)) <= set(document_terms(text)[0])


@pytest.mark.parametrize(
    ("one", "other"), [("invoice_1001", "invoice_1002"), ("Austria", "Australia"), ("SR-2023-052", "SR-2023-053")]
)
def test_different_names_have_different_terms(one: str, other: str) -> None:
    assert set(query_terms(one)) != set(query_terms(other))


def random_columns(size: int, seed: int) -> tuple[UnitColumns, list[str], np.ndarray]:
    random = np.random.default_rng(seed)
    valid_from = random.integers(0, 100, size)
    recorded_from = random.integers(0, 100, size)
    columns = UnitColumns(
        kind=random.choice([0, 2], size),
        dataset=random.integers(0, 2, size),
        subject=np.arange(size),
        object=np.full(size, -1),
        key=np.arange(size),
        valid_from=valid_from,
        valid_to=np.where(random.random(size) < 0.5, OPEN, valid_from + 20),
        recorded_from=recorded_from,
        recorded_to=np.where(random.random(size) < 0.5, OPEN, recorded_from + 20),
        datasets=("a", "b"),
    )
    texts = [" ".join(random.choice(WORDS, random.integers(1, 12))) for _ in range(size)]
    times = np.column_stack([columns.valid_from, columns.valid_to, columns.recorded_from, columns.recorded_to])
    return columns, texts, times


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> SearchEngine:
    folder = tmp_path_factory.mktemp("arms")
    columns, texts, times = random_columns(3000, seed=7)
    kinds = [("chunk", "fact", "node", "community")[kind] for kind in columns.kind]
    datasets = [columns.datasets[code] for code in columns.dataset]
    write_lexical(folder / "lexical", kinds, datasets, texts, [[-1] * 4] * len(texts), times.tolist())
    save(embed(texts, 64), folder / "vectors.npy")
    return SearchEngine(columns, LexicalIndex(folder / "lexical"), VectorIndex(folder / "vectors.npy"))


def filters() -> list[Filter]:
    points = [Point(v, k) for v in (None, 0, 40, 99) for k in (None, 5, 60)] + [Point(40, 60, 55), Point(40, None, 41)]
    return [Filter(p, kinds, datasets) for p in points for kinds in (None, ("node",)) for datasets in (None, ("b",))]


def slowly_selected(columns: UnitColumns, wanted: Filter) -> set[int]:
    def selected(i: int) -> bool:
        valid, known, end = wanted.point.valid, wanted.point.known, wanted.point.until
        return (
            (valid is None or any(columns.valid_from[i] <= v < columns.valid_to[i] for v in range(valid, end or valid + 1)))
            and (known is None or columns.recorded_from[i] <= known < columns.recorded_to[i])
            and (wanted.kinds is None or ("chunk", "fact", "node", "community")[columns.kind[i]] in wanted.kinds)
            and (wanted.datasets is None or columns.datasets[columns.dataset[i]] in wanted.datasets)
        )

    return {i for i in range(len(columns)) if selected(i)}


@pytest.mark.parametrize("wanted", filters())
def test_the_filter_comes_before_top_k_in_both_arms(engine: SearchEngine, wanted: Filter) -> None:
    truth = slowly_selected(engine.columns, wanted)
    assert set(np.flatnonzero(engine.columns.mask(wanted)).tolist()) == truth
    everything, _ = engine.lexical.search("alpha", Filter(), 3000)
    expected = [ordinal for ordinal in everything if ordinal in truth]
    assert sorted(engine.lexical.search("alpha", wanted, 3000)[0]) == sorted(expected)
    top, _ = engine.lexical.search("alpha", wanted, 10)
    assert len(top) == min(10, len(expected)) and set(top) <= truth
    found = engine.search("alpha bravo", wanted, 20)
    assert len(found) >= min(20, len(expected)) and {ordinal for ordinal, _ in found} <= truth
    assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))


def test_cosines_are_exact(engine: SearchEngine) -> None:
    matrix = np.asarray(engine.vectors.matrix, dtype=np.float64)
    ordinals = np.arange(0, 3000, 7)
    expected = matrix[ordinals] @ embed(["alpha charlie"], 64)[0].astype(np.float64)
    assert np.allclose(engine.vectors.cosines("alpha charlie", ordinals), expected, atol=1e-6)
    assert 0 < MIN_COSINE < 1


def test_one_unit_alone_is_as_near_as_it_is(tmp_path: Path) -> None:
    write_lexical(tmp_path / "lexical", ["chunk"], ["a"], ["alpha"], [[-1] * 4], [[0, OPEN, 0, OPEN]])
    save(embed(["alpha"], 64), tmp_path / "vectors.npy")
    zero, none, end = np.zeros(1, dtype=np.int64), np.full(1, -1), np.full(1, OPEN)
    columns = UnitColumns(zero, zero, none, none, zero, zero, end, zero, end, ("a",))
    engine = SearchEngine(columns, LexicalIndex(tmp_path / "lexical"), VectorIndex(tmp_path / "vectors.npy"))
    assert engine.search("alpha", Filter(), 5) == [(0, 1.0)]
    assert engine.search("zebra", Filter(), 5) == []


def test_smoothing_takes_from_neighbours() -> None:
    vectors = np.eye(3, dtype=np.float32)
    smoothed = smooth(vectors, np.array([[-1, -1, 1], [0, -1, 2], [1, 0, -1]]))
    assert np.allclose(smoothed[2], np.array([0.3, 0.5, 1.0]) / np.linalg.norm([0.3, 0.5, 1.0]))
    assert np.allclose(np.linalg.norm(smoothed, axis=1), 1)
    assert not smooth(np.zeros((1, 4), dtype=np.float32), np.full((1, 3), -1)).any()


def test_the_window_ranks_own_words_before_neighbours(tmp_path: Path) -> None:
    texts = ["one", "two", "greyhound", "three", "four", "five"]
    neighbours = [[i - 1, i - 2, i + 1, i + 2] for i in range(6)]
    beside = [[j if 0 <= j < 6 else -1 for j in row] for row in neighbours]
    write_lexical(tmp_path / "lexical", ["chunk"] * 6, ["main"] * 6, texts, beside, [[0, OPEN, 0, OPEN]] * 6)
    found, _ = LexicalIndex(tmp_path / "lexical").search("greyhound", Filter(), 10)
    assert found[:2] == [2, 3] and set(found) == {0, 1, 2, 3, 4}


def test_build_once_and_again_after_a_change(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    first = build_index(project)
    assert first.changed and (first.chunks, first.facts, first.nodes) == (8, 9, 11)
    before = {file: file.stat().st_mtime_ns for file in first.path.rglob("*")}
    second = build_index(project)
    assert not second.changed and second.units == first.units
    assert before == {file: file.stat().st_mtime_ns for file in first.path.rglob("*")}
    (tmp_path / "data" / "index" / ".tmp-dead").mkdir()
    with project.write() as connection:
        connection.execute("UPDATE graph.chunks SET text = 'A new text.' WHERE chunk_id = 'chat-en#0'")
    third = build_index(project)
    assert third.changed and third.path != first.path
    assert [folder.name for folder in (tmp_path / "data" / "index").iterdir()] == [third.path.name]
    assert isinstance(third.metadata()["units"], int)


def test_row_order_does_not_matter(tmp_path: Path) -> None:
    one, two = small_project(tmp_path / "one"), small_project(tmp_path / "two")
    with two.write() as connection:
        for table in ("nodes_open", "edges_open", "chunks", "documents", "claims", "statements"):
            connection.execute(f"CREATE TABLE kept AS SELECT * FROM graph.{table} ORDER BY hash({table})")
            connection.execute(f"DELETE FROM graph.{table}")
            connection.execute(f"INSERT INTO graph.{table} SELECT * FROM kept")
            connection.execute("DROP TABLE kept")
    first, second = build_index(one), build_index(two)
    assert first.path.name == second.path.name
    for name in ("units.parquet", "vectors.npy"):
        assert (first.path / name).read_bytes() == (second.path / name).read_bytes()
