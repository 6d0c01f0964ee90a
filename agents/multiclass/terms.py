"""On what terms multiclass learners play: which tasks, which hyperparameters, which rewards."""

from typing import Any

import numpy as np

from banditgym.settings import real


def refuse_rankings(task: Any) -> str | None:
    """Why a learner that answers with one label cannot play a task; None if it can."""
    if task.plays == "ranking":
        return f"it answers with one label, and this task shows {task.slots} in slots"
    return None


def check_exploration(name: str, value: Any) -> None:
    """Error for an exploration probability outside (0, 1]."""
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
