"""Uniform play: the baseline of every family with arms."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent
from banditgym.compiled import compiled
from banditgym.streams import LEARNER, Stream, uniform_at
from banditgym.tasks import ArmedTask, LinearTask


@dataclass(kw_only=True, eq=False)
class UniformRandom(Agent):
    """Play an arm uniformly at random, whatever happened before.

    A round costs O(1) per replicate.
    """

    accepts: ClassVar = (ArmedTask, LinearTask)
    paper: ClassVar = "baseline"

    def _start(self) -> None:
        self._keys = Stream(self.seeds, LEARNER, 0, 0).keys
        self._t = np.zeros(self.n, np.int64)

    def _choose(self, contexts) -> np.ndarray:
        arms = np.empty(self.n, np.int64)
        _uniform_arms(self._keys, self._t, self.task.n_arms, arms)
        return arms

    def _learn(self, contexts, actions, reward, observed) -> None:
        self._t += observed


@compiled
def _uniform_arms(keys, t, n_arms, arms):
    for i in range(arms.shape[0]):
        arms[i] = int(uniform_at(keys[i, 0], keys[i, 1], t[i], 0) * n_arms)
