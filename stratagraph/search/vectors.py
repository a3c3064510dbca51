"""Embeds text and finds the nearest units by exact cosine.

The model's weights ship with the `wordllama` package, so nothing is downloaded. Vectors are stored as a float16 matrix,
one row per unit ordinal, and memory-mapped for reading. The filter comes before top-k: only rows of the mask are scored.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MODEL = "wordllama/l2_supercat"
MAX_CHARACTERS = 4000  # of one text; a static embedding is an average and gains nothing from more
# What a unit takes from its neighbours: previous, the one before, next.
NEIGHBOUR_WEIGHTS = (0.5, 0.3, 0.3)
_BLOCK = 65_536

Floats = NDArray[np.float32]

_lock = threading.Lock()
_models: dict[str, Any] = {}


def _model() -> Any:
    with _lock:
        if MODEL not in _models:
            folder = model_folder()
            import wordllama

            _models[MODEL] = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
        return _models[MODEL]


def model_folder() -> Path:
    """The folder of the model's package.

    The package sets up logging when it is imported, so that every library's notes would appear on a user's screen. That does
    nothing where somebody set it up before, so here somebody does.
    """
    root, nobody = logging.getLogger(), logging.NullHandler()
    root.addHandler(nobody)
    try:
        import wordllama
    finally:
        root.removeHandler(nobody)
    return Path(wordllama.__file__).parent


def embed(texts: list[str], dimensions: int) -> Floats:
    """Unit vectors of texts; a text without a known token has the zero vector."""
    if not texts:
        return np.zeros((0, dimensions), dtype=np.float32)
    # The model prepends nothing and averages nothing for an empty text, which would be a division by zero.
    prepared = [text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8") for text in texts]
    vectors = np.asarray(_model().embed(prepared, norm=False), dtype=np.float32)[:, :dimensions]
    return normalise(np.nan_to_num(vectors))


def normalise(vectors: Floats) -> Floats:
    """Rows scaled to length one; zero rows stay zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result = np.zeros_like(vectors)
    np.divide(vectors, lengths, out=result, where=lengths > 0)
    return result


def smooth(vectors: Floats, neighbours: NDArray[np.int64]) -> Floats:
    """Average each row with its neighbours (columns: previous, the one before, next; -1 for none)."""
    smoothed = vectors.copy()
    for column, weight in enumerate(NEIGHBOUR_WEIGHTS):
        rows = np.flatnonzero(neighbours[:, column] >= 0)
        smoothed[rows] += np.float32(weight) * vectors[neighbours[rows, column]]
    return normalise(smoothed)


def save(vectors: Floats, file: Path) -> None:
    """Write a matrix as float16."""
    np.save(file, vectors.astype(np.float16), allow_pickle=False)


class VectorIndex:
    """A stored matrix, opened for reading."""

    def __init__(self, file: Path) -> None:
        self.matrix = np.load(file, mmap_mode="r", allow_pickle=False)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def dimensions(self) -> int:
        return int(self.matrix.shape[1])

    def cosines(self, query: str, ordinals: NDArray[np.int64]) -> Floats:
        """Cosine of a query to each of the given units."""
        vector = embed([query], self.dimensions)[0]
        result = np.empty(len(ordinals), dtype=np.float32)
        for start in range(0, len(ordinals), _BLOCK):
            rows = ordinals[start : start + _BLOCK]
            result[start : start + len(rows)] = self.matrix[rows].astype(np.float32) @ vector
        return result
