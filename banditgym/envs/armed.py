"""K-armed bandits without features."""

from typing import Any

import numpy as np
from gymnasium import spaces

from banditgym.action_sets import FiniteArms
from banditgym.noise import Noise
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import ArmedTask
from banditgym.validation import brief, flag, real, reals, whole, word
from banditgym.vector_env import ARMS, NOISE, BanditVectorEnv, horizon_of


class ArmedBandit(BanditVectorEnv):
    r"""K arms, each with a hidden mean reward; there is nothing to observe.

    The reward of arm :math:`a` is Bernoulli with mean :math:`\mu_a`, or
    :math:`\mu_a + \sigma\varepsilon_t` with standard normal noise. The random numbers of a round
    depend only on the seed and the round: a Bernoulli reward is ``u_t < mu_a`` with one uniform per
    round.

    Observations are zeros of shape (n,), actions arm indices of shape (n,), and ``info["regret"]``
    of shape (n,) is the expected reward lost in the round against the best arm.

    Parameters
    ----------
    num_envs : int
        Number of independent replicates, n.
    n_arms : int, default 10
        Number of arms K.
    horizon : int, default 1000
        Rounds per episode, T; ``max_episode_steps`` is Gymnasium's name for it.
    means : array (K,), optional
        Mean rewards, the same for all replicates, in [0, 1] for Bernoulli rewards; drawn
        uniformly on [0, 1] by ``reset`` if not given.
    shuffled : bool, default False
        Give every instance the ``means`` in an order of its own, so that no arm is known to be
        good by its number.
    noise : {"bernoulli", "gaussian"}
        Distribution of the rewards.
    noise_std : float, optional
        Standard deviation of Gaussian noise, 0.1 by default; not a setting of Bernoulli rewards.

    References
    ----------
    T. Lattimore, C. Szepesvári. Bandit Algorithms. Cambridge University Press 2020, chapter 4.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("ArmedBandit-v0", num_envs=3, means=[0.9, 0.8])
    >>> _ = envs.reset(seed=0)
    >>> envs.step([0, 1, 1])[4]["regret"].round(6)
    array([0. , 0.1, 0.1])
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        n_arms: int | None = None,
        horizon: int | None = None,
        means: Any = None,
        shuffled: bool = False,
        noise: str = "bernoulli",
        noise_std: float | None = None,
        max_episode_steps: int | None = None,
    ):
        bernoulli = word("noise", noise, ("bernoulli", "gaussian")) == "bernoulli"
        if bernoulli and noise_std is not None:
            raise ValueError(
                f"Bernoulli rewards have no noise_std of their own, got {brief(noise_std)}"
            )
        noise_std = 0.1 if noise_std is None else real("noise_std", noise_std)
        self._law = Noise(noise, 0.0 if bernoulli else noise_std)
        if n_arms is not None:
            n_arms = whole("n_arms", n_arms)
        self._shuffled = flag("shuffled", shuffled)
        self._given_means = None
        if means is not None:
            self._given_means = reals("means", means)
            if self._given_means.ndim != 1 or self._given_means.size == 0:
                raise ValueError(f"means must be of shape (K,), got {self._given_means.shape}")
            illegal = (self._given_means < 0) | (self._given_means > 1)
            if bernoulli and illegal.any():
                first = self._given_means[illegal][0]
                raise ValueError(f"means must be probabilities in [0, 1], got {first}")
            if n_arms is not None and n_arms != self._given_means.size:
                raise ValueError(f"n_arms is {n_arms}, but means has {self._given_means.size}")
            n_arms = self._given_means.size
        n_arms = 10 if n_arms is None else n_arms
        task = ArmedTask(
            n_arms=n_arms,
            horizon=horizon_of(horizon, max_episode_steps),
            noise_std=None if bernoulli else noise_std,
            subgaussian=self._law.subgaussian,
            bernoulli=bernoulli,
        )
        super().__init__(num_envs, task, spaces.Discrete(1), spaces.Discrete(n_arms))
        self._set = FiniteArms(n_arms)
        self._nothing = np.zeros(num_envs, np.int64)
        self._nothing.flags.writeable = False

    def _begin(self) -> np.ndarray:
        draws = Stream(self.seeds, ENVIRONMENT, ARMS, self.episode).uniform(0, (self.task.n_arms,))
        if self._given_means is None:
            self._means = draws
        elif self._shuffled:
            self._means = self._given_means[np.argsort(draws, axis=1, kind="stable")]
        else:
            self._means = np.tile(self._given_means, (self.num_envs, 1))
        self._best = self._means.max(axis=1)
        self._noise_keys = Stream(self.seeds, ENVIRONMENT, NOISE, self.episode).keys
        return self._nothing

    def _play(self, actions: Any, t: int):
        reward, regret = self._law.pay(
            self._set, actions, self._noise_keys, t, self._means, self._best
        )
        return self._nothing, reward, {"regret": regret, "_regret": self._yes}
