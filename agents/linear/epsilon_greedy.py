"""Epsilon-greedy: the greedy arm of a ridge regression, or sometimes a uniform arm."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.numerics.random_choice import uniform_slot
from agents.parts.optimism import ConstantRadius
from agents.search import Log
from banditgym.compiled import compiled
from banditgym.streams import AGENT, Stream, uniform_at
from banditgym.tasks import LinearTask, NewsTask
from banditgym.validation import real


@dataclass(kw_only=True, eq=False)
class EpsilonGreedy(ConstantRadius):
    r"""Play a uniform arm with probability epsilon, else the arm that ``Greedy`` plays.

    Cost and memory are those of ``Greedy``.

    Its definition is ``tests/agents/definitions/linear/epsilon_greedy.py``.

    Parameters
    ----------
    epsilon : float
        Exploration probability in [0, 1], constant over rounds.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms, or one of agents.parts.estimators.fixed_arms
        The ridge regression.

    References
    ----------
    J. Langford, T. Zhang. The Epoch-Greedy Algorithm for Contextual Multi-armed Bandits.
    NeurIPS 2007, for exploration with a fixed budget in contextual bandits.
    """

    accepts: ClassVar = (LinearTask, NewsTask)
    paper: ClassVar = "baseline"
    search: ClassVar = {"epsilon": Log(0.001, 0.5), "ridge": Log(0.01, 100.0)}

    alpha: ClassVar[float] = 0.0  # pyright: ignore[reportIncompatibleVariableOverride]
    epsilon: float = 0.1
    ridge: float = 1.0

    def __post_init__(self):
        if not 0 <= real("epsilon", self.epsilon) <= 1:
            raise ValueError(f"epsilon is a probability and must be in [0, 1], got {self.epsilon}")
        super().__post_init__()

    def _start(self) -> None:
        super()._start()
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        arms = super()._choose(contexts)
        mask = np.ones((1, self.task.n_arms), bool) if self.mask is None else self.mask
        _explore(self._keys, self.decisions, self.epsilon, mask, arms)
        return arms


@compiled
def _explore(keys, t, epsilon, mask, arms):
    """Play a uniform arm of a mask (n, K), or (1, K) of all, with probability ``epsilon``."""
    for i in range(arms.shape[0]):
        k0, k1 = keys[i, 0], keys[i, 1]
        if uniform_at(k0, k1, t[i], 0) < epsilon:
            arms[i] = uniform_slot(mask[i % mask.shape[0]], uniform_at(k0, k1, t[i], 1))
