"""Checks of the hyperparameters and rewards of multiclass agents."""

from typing import Any

import numpy as np

from banditgym.validation import real


def check_exploration(name: str, value: Any) -> None:
    """Raise for an exploration probability outside (0, 1]."""
    if not 0 < real(name, value) <= 1:
        raise ValueError(
            f"{name} is the probability of exploring and must be in (0, 1], got {value}"
        )


def reject_reward(bad: int, reward: np.ndarray) -> None:
    """Raise for the replicate whose reward a kernel found to be neither right nor wrong."""
    if bad >= 0:
        raise ValueError(
            f"a reward is 1 (right) or 0 (wrong), got {reward[bad]} of replicate {bad}"
        )
