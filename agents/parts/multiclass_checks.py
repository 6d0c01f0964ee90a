"""Checks of the hyperparameters and rewards of multiclass agents."""

from typing import Any

import numpy as np

from banditgym.compiled import compiled
from banditgym.validation import real


def check_exploration(name: str, value: Any) -> None:
    """Raise for an exploration probability outside (0, 1]."""
    if not 0 < real(name, value) <= 1:
        raise ValueError(
            f"{name} is the probability of exploring and must be in (0, 1], got {value}"
        )


def check_rewards(reward: np.ndarray, observed: np.ndarray) -> None:
    """Raise for the first observed replicate whose reward (n,) is neither 1 nor 0."""
    bad = _first_unclear(reward, observed)
    if bad >= 0:
        raise ValueError(
            f"a reward is 1 (right) or 0 (wrong), got {reward[bad]} of replicate {bad}"
        )


@compiled
def _first_unclear(reward, observed):
    for i in range(reward.shape[0]):
        if observed[i] and reward[i] != 0.0 and reward[i] != 1.0:
            return i
    return -1
