"""Predictions: numbers, perhaps within a bound."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from banditgym.action_sets.points import TOLERANCE
from banditgym.validation import as_array, brief

_LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True)
class Numbers:
    """Finite numbers.

    Parameters
    ----------
    bound : float
        Their largest absolute value, with a relative tolerance of 1e-9; infinity for none.
    """

    bound: float = math.inf

    @cached_property
    def limit(self) -> float:
        """The largest absolute value that is accepted, which is finite."""
        return min(self.bound * (1 + TOLERANCE), _LARGEST)

    def read(self, actions: ArrayLike, n: int) -> np.ndarray:
        """Numbers of shape (n,) as float64, in the caller's own memory; (n, 1) is accepted too.

        Raises
        ------
        ValueError
            If they are not n numbers, or one is not within the bound.
        """
        given = as_array(actions, object)
        if given.shape == (n, 1):  # of clients that have no boxes of shape ()
            given = given[:, 0]
        if given.dtype.kind not in "fiu" or given.shape != (n,):
            raise ValueError(
                f"expected {n} predictions, each a number, got {brief(actions)} of "
                f"shape {given.shape}, {given.dtype}"
            )
        numbers = given.astype(np.float64)
        outside = ~(np.abs(numbers) <= self.limit)
        if outside.any():
            bad = int(np.argmax(outside))
            rule = "finite" if math.isinf(self.bound) else f"within -{self.bound} .. {self.bound}"
            raise ValueError(f"prediction {numbers[bad]} of replicate {bad} is not {rule}")
        return numbers

    def read_one(self, action: Any) -> float:
        """The number of a single environment's step."""
        if type(action) is float and abs(action) <= self.limit:
            return action
        return self.read([action], 1).item()
