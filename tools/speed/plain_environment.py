"""An environment that is written by hand in numpy, to be measured beside ours.

``PlainLinear`` is what a user would write in numpy for ``LinearBandit-v0`` with its defaults. It
has no settings and no checks of actions, and draws from its own generator.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker

from banditgym.tasks import LinearTask


class PlainLinear(gymnasium.Env):
    """Features uniform on the sphere, drawn anew in each round, and Gaussian noise of 0.1."""

    def __init__(self, task: LinearTask):
        self.task = task
        self.action_space = spaces.Discrete(task.n_arms)
        self.observation_space = spaces.Box(-1.0, 1.0, (task.n_arms, task.dim), np.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin an episode."""
        super().reset(seed=seed)
        theta = self.np_random.standard_normal(self.task.dim)
        self._theta, self._t = theta / np.sqrt((theta * theta).sum()), 0
        return self._drawn(), {}

    def step(self, action: int):
        """Play one round."""
        mean = self._means[action]
        reward = float(mean + 0.1 * self.np_random.standard_normal())
        regret = float(self._means.max() - mean)
        self._t += 1
        return self._drawn(), reward, False, self._t == self.task.horizon, {"regret": regret}

    def _drawn(self) -> np.ndarray:
        features = self.np_random.standard_normal((self.task.n_arms, self.task.dim))
        features /= np.sqrt((features * features).sum(axis=1, keepdims=True))
        self._means = features @ self._theta
        return features


def plain_beside(env: gymnasium.Env) -> gymnasium.Env:
    """A plain environment of the same task as ``env``, in Gymnasium's default wrappers."""
    return OrderEnforcing(PassiveEnvChecker(PlainLinear(env.unwrapped.task)))  # type: ignore[attr-defined]
