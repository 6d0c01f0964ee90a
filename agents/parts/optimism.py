"""The base classes of optimistic agents of a linear parameter: rule, estimator and radius."""

from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from agents.numerics.choice import most_optimistic
from agents.parts.estimators import Ridge
from agents.parts.estimators.row_regression import Rows
from banditgym.tasks import LinearTask, NewsTask


class Optimism(Agent):
    r"""Plays the arm with the largest :math:`m + \rho\sqrt{w}`.

    m and w are the mean and the variance of the agent's estimator, and :math:`\rho` is its radius.

    Attributes
    ----------
    model
        The estimator's state.
    """

    accepts: ClassVar = (LinearTask, NewsTask)
    follows_masks: ClassVar = True

    ridge: float

    def _start(self) -> None:
        self.model: Any = self._regression().reset(self.task, self.n)

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        mean, variance = self.model.predict(contexts)
        return most_optimistic(mean, variance, self.radii(contexts), self.mask)

    _propensities = Agent.one_hot

    def _learn(self, contexts, actions, reward, observed) -> None:
        self.model.update(contexts, actions, reward, observed)

    def _estimate(self, contexts: np.ndarray, actions: np.ndarray) -> np.ndarray:
        return self.model.predict(contexts)[0][np.arange(self.n), actions]

    def radii(self, contexts: Any = None) -> np.ndarray:
        """The radius of each replicate in the coming round, (n,).

        If it depends on the arm: (n, K), for the features (n, d, K) last predicted.
        """
        raise NotImplementedError

    def _regression(self) -> Any:
        """The estimator; its constructor checks its hyperparameters."""
        return Ridge(ridge=self.ridge)


class ConstantRadius(Optimism):
    """Optimism whose radius is the number ``alpha``."""

    alpha: float

    def __post_init__(self):
        super().__post_init__()
        self._regression()

    def _start(self) -> None:
        super()._start()
        self._radius = np.full(self.n, float(self.alpha))

    def radii(self, contexts: Any = None) -> np.ndarray:
        return self._radius

    @property
    def plays_blocks(self) -> bool:
        return super().plays_blocks and not isinstance(getattr(self, "model", None), Rows)
