"""Arms: a finite number of actions without a shape."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from banditgym.validation import brief

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
        """Arms of shape (n,) as int64; the kernel that plays them checks their range.

        Raises
        ------
        ValueError
            If they are not n integers.
        """
        try:
            arms = np.asarray(actions)
        except ValueError:  # sequences of different lengths
            arms = np.empty(0)
        if arms.dtype is _INT64 and arms.shape == (n,) and arms.flags.c_contiguous:
            return arms
        if arms.dtype.kind not in "iu" or arms.shape != (n,):
            raise ValueError(
                f"expected {n} arms, each an integer in 0..{self.n_arms - 1}, got "
                f"{brief(actions)} of shape {arms.shape}, {arms.dtype}"
            )
        return arms.astype(np.int64)

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
        arms = self.read([action], 1)
        arm = arms.item()
        if not 0 <= arm < self.n_arms:
            raise self.refusal(arms, 0)
        return arm

    def read_rounds(self, actions: ArrayLike, rounds: int, n: int) -> np.ndarray:
        """Arms of shape (rounds, n) as int64, in range.

        Raises
        ------
        ValueError
            If they are not; for an arm out of range, the message names its replicate.
        """
        arms = np.asarray(actions)
        if arms.dtype.kind not in "iu" or arms.shape != (rounds, n):
            raise ValueError(
                f"expected arms of shape {(rounds, n)}, got {arms.shape}, {arms.dtype}"
            )
        arms = np.ascontiguousarray(arms, dtype=np.int64)
        out = (arms < 0) | (arms >= self.n_arms)
        if out.any():
            t, replicate = divmod(int(np.argmax(out)), n)
            raise self.refusal(arms[t], replicate)
        return arms

    def refusal(self, arms: np.ndarray, replicate: int) -> ValueError:
        """The error for the arm of a replicate that is out of range.

        For numpy the index -1 is the last arm, so numpy's own check would not suffice.
        """
        return ValueError(
            f"arm {arms[replicate]} of replicate {replicate} is not in 0..{self.n_arms - 1}"
        )
