"""Rounds of a single environment, drawn before they are played, with the reward of every arm.

A step of one replicate takes several microseconds in Python, although its round is computed in half
a microsecond. If rounds do not depend on actions and arms are few, a single environment therefore
computes many rounds at once, by the kernels that compute blocks, and its steps look up the rewards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from banditgym.action_sets import FiniteArms

_BYTES = 1 << 16  # of the rounds drawn at once, which should stay in the fastest caches
_MOST, _LEAST = 64, 8  # rounds drawn at once; fewer are not worth the calls


@dataclass(frozen=True, slots=True, eq=False)
class Ahead:
    """Successive rounds of one replicate, hidden values included.

    Parameters
    ----------
    start : int
        The first of the m rounds, counted from 0.
    arms : FiniteArms
        The K actions.
    observations : sequence of m observations
        As a single environment shows them: read-only, each in its own memory, which is never
        written to again.
    reward, regret : ndarray of shape (m, K)
        What each arm pays in each round.
    label : int64 ndarray of shape (m,), optional
        The true labels, for ``info["label"]``, in multiclass prediction.
    """

    start: int
    arms: FiniteArms
    observations: Sequence[Any]
    reward: np.ndarray
    regret: np.ndarray
    label: np.ndarray | None = None


def fitting(held: int) -> int:
    """How many rounds are drawn at once, at ``held`` bytes each; 0: they are played singly."""
    rounds = min(_MOST, _BYTES // held)
    return rounds if rounds >= _LEAST else 0
