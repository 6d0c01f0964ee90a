"""Rankings: several labels at once, no label twice."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from banditgym.compiled import compiled
from banditgym.validation import as_array, brief, whole


@dataclass(frozen=True)
class DistinctLabels:
    """Rankings: arrays of r distinct labels out of 0, .., n_labels - 1.

    Parameters
    ----------
    n_labels : int
        Number of labels k.
    slots : int
        Labels of a ranking r, at most k.
    """

    n_labels: int
    slots: int

    def __post_init__(self):
        whole("n_labels", self.n_labels)
        if whole("slots", self.slots) > self.n_labels:
            raise ValueError(
                f"slots must be at most the number of labels, {self.n_labels}, got {self.slots}"
            )

    @property
    def dim(self) -> int:
        """The number of slots."""
        return self.slots

    def sample(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Uniform rankings (n, r)."""
        keys = rng.random((n, self.n_labels))
        return np.ascontiguousarray(np.argsort(keys, axis=1, kind="stable")[:, : self.slots])

    def read(self, actions: ArrayLike, n: int) -> np.ndarray:
        """Rankings (n, r) as int64, C-contiguous.

        Raises
        ------
        ValueError
            If they are not n arrays of r integers, or not of distinct labels in range.
        """
        rankings = as_array(actions)
        if rankings.dtype.kind not in "iu" or rankings.shape != (n, self.slots):
            raise ValueError(
                f"expected {n} rankings, each of {self.slots} distinct integers in "
                f"0..{self.n_labels - 1}, got {brief(actions)} of shape {rankings.shape}, "
                f"{rankings.dtype}"
            )
        rankings = np.ascontiguousarray(rankings, dtype=np.int64)
        bad = _first_bad(rankings, self.n_labels)
        if bad >= 0:
            raise ValueError(
                f"ranking {rankings[bad].tolist()} of replicate {bad} is not of distinct labels in "
                f"0..{self.n_labels - 1}"
            )
        return rankings


@compiled
def _first_bad(labels, n_labels):
    """The first row of ``labels`` (n, r) with a label out of range or a label twice, or -1."""
    n, slots = labels.shape
    for i in range(n):
        for j in range(slots):
            if labels[i, j] < 0 or labels[i, j] >= n_labels:
                return i
            for before in range(j):
                if labels[i, before] == labels[i, j]:
                    return i
    return -1
