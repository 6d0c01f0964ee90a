"""What a learner is told about its task. Everything else about a world is hidden from it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

BEST_ARM = "the best arm of the round in expectation"


@dataclass(frozen=True, kw_only=True, eq=False)
class ArmedTask:
    r"""A stochastic K-armed bandit: arm k pays ``mean_k + noise``; nothing is observed.

    Parameters
    ----------
    n_arms : int
        Number of arms K.
    horizon : int
        Number of rounds T of an episode.
    noise_std : float or None
        Standard deviation of the reward noise, in units of reward; None for Bernoulli rewards,
        whose deviation depends on the hidden means.
    subgaussian : float or None
        A constant R with ``E exp(s noise) <= exp(s² R²/2)`` for all s, or None if there is none.
    bernoulli : bool
        Whether rewards are 0 or 1.
    """

    family: ClassVar[str] = "armed"
    regret: ClassVar[str | None] = BEST_ARM

    n_arms: int
    horizon: int | None
    noise_std: float | None
    subgaussian: float | None
    bernoulli: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearTask:
    r"""A contextual linear bandit: arm k of round t pays ``<x_{t,k}, theta> + noise``.

    Parameters
    ----------
    n_arms, dim : int
        Number of arms K and of features d.
    horizon : int
        Number of rounds T of an episode.
    noise_std : float
        Standard deviation of the reward noise, in units of reward.
    subgaussian : float or None
        A constant R with ``E exp(s noise) <= exp(s² R²/2)`` for all s, or None if there is none
        (Student's t).
    feature_norm : float or None
        Bound on ``‖x_{t,k}‖``; None if features are unbounded.
    param_norm : float
        Bound on ``‖theta‖``.
    fixed_arms : bool
        Whether the features stay the same through an episode.
    arms : ndarray of shape (K, d) or None
        The arms, where they are fixed and given rather than drawn.
    """

    family: ClassVar[str] = "linear"
    regret: ClassVar[str | None] = BEST_ARM

    n_arms: int
    dim: int
    horizon: int | None
    noise_std: float
    subgaussian: float | None
    feature_norm: float | None
    param_norm: float
    fixed_arms: bool = False
    arms: np.ndarray | None = None
