"""Checks of the hyperparameters of multiclass agents."""

from typing import Any

from banditgym.validation import real


def check_exploration(name: str, value: Any) -> None:
    """Raise for an exploration probability outside (0, 1]."""
    if not 0 < real(name, value) <= 1:
        raise ValueError(
            f"{name} is the probability of exploring and must be in (0, 1], got {value}"
        )
