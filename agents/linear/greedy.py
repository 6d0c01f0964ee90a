"""Greedy: the arm with the largest estimate of a ridge regression."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from agents.numerics.choice import most_optimistic
from agents.parts.estimators import Ridge
from agents.parts.linear_blocks import play_optimistic_block
from agents.search import Log
from banditgym.rounds.blocks import ArmsBlock, SlotsBlock
from banditgym.tasks import LinearTask, NewsTask


@dataclass(kw_only=True, eq=False)
class Greedy(Agent):
    r"""Play the arm with the largest estimated reward.

    With the ridge estimate :math:`\hat\theta_t` of the past rounds, round :math:`t` plays
    :math:`a_t = \arg\max_k \langle x_{t,k}, \hat\theta_t \rangle`.

    It does not explore. It does well if features are diverse; with fixed arms it may play a bad arm
    forever. A round costs :math:`O(K d^2)` per replicate; for memory see
    ``agents.estimators.Ridge``.

    Its definition is ``tests/agents/definitions/linear/greedy.py``.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms, or one of agents.parts.estimators.fixed_arms
        The ridge regression.

    References
    ----------
    H. Bastani, M. Bayati, K. Khosravi. Mostly Exploration-Free Algorithms for Contextual Bandits.
    Management Science 67, 2021.
    """

    accepts: ClassVar = (LinearTask, NewsTask)
    paper: ClassVar = "baseline"
    search: ClassVar = {"ridge": Log(0.01, 100.0)}

    ridge: float = 1.0

    def __post_init__(self):
        Ridge(ridge=self.ridge)

    def _start(self) -> None:
        self.model = Ridge(ridge=self.ridge).reset(self.task, self.n)
        self._radius = np.zeros(self.n)

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        mean, variance = self.model.predict(contexts)
        return most_optimistic(mean, variance, self._radius, self.mask)

    def _learn(self, contexts, actions, reward, observed) -> None:
        self.model.update(contexts, actions, reward, observed)

    def _play_block(self, block: ArmsBlock | SlotsBlock) -> np.ndarray:
        return play_optimistic_block(self.model, block, self._radius)
