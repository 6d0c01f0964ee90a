"""The base class of Thompson samplers of a linear parameter: the posterior and its width."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent, noise_level
from agents.numerics.factor import LONGEST
from agents.parts.confidence import posterior_width
from agents.parts.estimators import Ridge
from agents.parts.estimators.ridge import FreshArms, check_lengths
from banditgym.streams import AGENT, Stream
from banditgym.validation import nonnegative, probability


@dataclass(kw_only=True, eq=False)
class PosteriorSampling(Agent):
    r"""A sampler of :math:`\mathcal{N}(\hat\theta_t, v_t^2 V_t^{-1})`, from ridge regression.

    The width is :math:`v_t = R \sqrt{9 d \log(t / \delta)}`, or ``alpha`` where it is given.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The ridge regression: ``theta``, ``gram`` and more.
    """

    from_task: ClassVar = {"noise_std": noise_level}

    alpha: float | None = None
    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None

    def __post_init__(self):
        if self.alpha is not None:
            nonnegative("alpha", self.alpha)
        Ridge(ridge=self.ridge)
        probability("delta", self.delta)
        if self.noise_std is not None:
            nonnegative("noise_std", self.noise_std)

    def _start(self) -> None:
        n, task = self.n, self.task
        check_lengths(task, self.ridge, LONGEST)
        self.model = FreshArms.before_data(n, task.dim, 0, float(self.ridge))  # predicts no arms
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys
        self._t = np.zeros(n, np.int64)  # rounds learned from, for the width
        self._noise_std = self.known("noise_std")

    def widths(self) -> np.ndarray:
        """The posterior width v of each replicate in the coming round, (n,)."""
        if self.alpha is not None:
            return np.full(self.n, float(self.alpha))
        return posterior_width(
            self._t + 1, dim=self.task.dim, delta=self.delta, noise_std=self._noise_std
        )
