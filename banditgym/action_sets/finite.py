"""Arms: a finite number of actions without a shape."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from banditgym.compiled import compiled
from banditgym.validation import as_array, brief

_INT64 = np.dtype(np.int64)  # compared by identity, ten times as fast as by value


@dataclass(frozen=True)
class FiniteArms:
    """The arms 0, .., n_arms - 1.

    Parameters
    ----------
    n_arms : int
        Number of arms K.
    """

    n_arms: int

    def read(self, actions: ArrayLike, n: int) -> np.ndarray:
        """Arms of shape (n,) as int64, in range.

        Raises
        ------
        ValueError
            If they are not n integers, or one is out of range.
        """
        arms = as_array(actions)
        if arms.dtype is not _INT64 or arms.shape != (n,) or not arms.flags.c_contiguous:
            if arms.dtype.kind not in "iu" or arms.shape != (n,):
                raise ValueError(
                    f"expected {n} arms, each an integer in 0..{self.n_arms - 1}, got "
                    f"{brief(actions)} of shape {arms.shape}, {arms.dtype}"
                )
            arms = arms.astype(np.int64)
        bad = _first_outside(arms, self.n_arms)
        if bad >= 0:  # for numpy the index -1 is the last arm, so numpy's own check would not do
            raise ValueError(f"arm {arms[bad]} of replicate {bad} is not in 0..{self.n_arms - 1}")
        return arms

    def read_one(self, action: Any) -> int:
        """The arm of a single environment's step, in range.

        Raises
        ------
        ValueError
            If it is no integer, or out of range; the messages are those of one replicate.
        """
        if type(action) is np.int64:  # as action spaces sample
            action = int(action)
        if type(action) is int and 0 <= action < self.n_arms:
            return action
        return self.read([action], 1).item()


@compiled
def _first_outside(arms, n_arms):
    """The first replicate whose arm is out of range, or -1."""
    for i in range(arms.shape[0]):
        if arms[i] < 0 or arms[i] >= n_arms:
            return i
    return -1
