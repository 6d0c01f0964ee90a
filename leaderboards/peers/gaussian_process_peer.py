"""Shared base class of two libraries' Gaussian processes: facts, pulls and the largest score."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import noise_level
from banditgym.functions.covariances import Covariance, read_covariance
from banditgym.tasks import KernelTask, Task
from banditgym.validation import nonnegative
from leaderboards.peers.peer import Peer

# The least assumed noise, relative to the largest prior variance, as in this package's ``GPUCB``.
_LEAST_NOISE = 1e-6


@dataclass(kw_only=True, eq=False)
class GaussianProcess(Peer):
    """Plays the arm with the largest score, by a process with the task's kernel and noise.

    Parameters
    ----------
    covariance : RBF, Matern or Linear, optional
        The kernel; the task's if None.
    noise_std : float, optional
        Standard deviation of the noise; the task's if None. Its square is taken to be at least 1e-6
        of the largest prior variance.
    """

    accepts: ClassVar = (KernelTask,)
    from_task: ClassVar = {"covariance": lambda task: task.covariance, "noise_std": noise_level}

    covariance: Covariance | None = None
    noise_std: float | None = None

    def __post_init__(self):
        if self.covariance is not None:
            self.covariance = read_covariance(self.covariance)
        if self.noise_std is not None:
            nonnegative("noise_std", self.noise_std)

    def scores(self, arms: np.ndarray) -> np.ndarray:
        """The scores (K,) of arms (K, d); called after the first reward."""
        raise NotImplementedError

    def refusal(self, task: Task) -> str | None:
        on_box = getattr(task, "on_box", False)
        return "it needs finitely many arms" if on_box else super().refusal(task)

    def begin(self, task, rng):
        self.rng, self.rows, self.rewards = rng, [], []
        self.assumed = task.covariance if self.covariance is None else self.covariance
        noise_std: Any = noise_level(task) if self.noise_std is None else self.noise_std
        corner = np.ones((1, task.dim))
        largest = float(self.assumed.diagonal(corner if task.arms is None else task.arms).max())
        self.noise_variance = max(float(noise_std) ** 2, _LEAST_NOISE * largest) or 1.0

    def choose(self, contexts):
        if not self.rewards:
            return int(self.rng.integers(len(contexts)))
        return int(np.argmax(self.scores(contexts)))

    def learn(self, contexts, arm, reward):
        self.rows.append(contexts[arm].copy())
        self.rewards.append(reward)
