"""Linear contextual bandits with a finite set of arms."""

from pathlib import Path
from typing import Annotated

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from banditgym.action_sets import FiniteArms
from banditgym.envs.contexts import (
    arms_of,
    fitting_shape,
    linear_means_of_rounds,
    read_rows,
)
from banditgym.envs.noise import reward_rounds
from banditgym.envs.parameters import hidden_theta
from banditgym.envs.shared_settings import FeatureSettings, NoiseSettings, ParameterSettings
from banditgym.rounds.blocks import ArmsBlock
from banditgym.rounds.prepared_rounds import Ahead, play_from_table
from banditgym.rounds.read_only import Alternating, read_only
from banditgym.settings import configured, setting
from banditgym.tasks import LinearTask
from banditgym.validation import flag, whole
from banditgym.vector_env import ARMS, CONTEXTS, NOISE, THETA, BanditVectorEnv


class LinearSettings(NoiseSettings, ParameterSettings, FeatureSettings):
    """The settings of ``LinearBandit``."""

    n_arms: Annotated[int | None, "Number of arms K."] = setting(whole, otherwise=10)
    fixed_arms: Annotated[
        bool, "Draw one set of arms per instance instead of a new one per round."
    ] = setting(flag, False)
    arms: Annotated[
        str | Path | np.ndarray | None,
        "array (K, d), or path, optional",
        "The fixed arms themselves (an array, .npy or .csv), the same for all replicates; they fix "
        "n_arms and dim.",
    ] = setting()


@configured(LinearSettings)
class LinearBandit(BanditVectorEnv):
    r"""Rewards linear in the features of the chosen arm.

    In round :math:`t` arm :math:`k` of replicate :math:`i` has features :math:`x_{t,k}` in
    :math:`\mathbb{R}^d`, drawn every round or fixed through the episode. The reward of arm
    :math:`a` is

    .. math:: r_t = \langle x_{t,a}, \theta_i \rangle + \varepsilon_t,
        \qquad \mathbb{E}\varepsilon_t = 0, \quad \mathbb{E}\varepsilon_t^2 = \sigma^2
        \quad \text{i.i.d.},

    with a hidden :math:`\theta_i`, drawn by ``reset``. The noise of a round depends only on the
    seed and the round: on one seed all agents see the same features and the same noise.

    Observations are features of shape (n, K, d), actions arm indices of shape (n,), and
    ``info["regret"]`` of shape (n,) is the expected reward lost in the round against its best arm.

    Notes
    -----
    Hidden: the parameter θ, and with it every arm's mean.

    References
    ----------
    W. Chu, L. Li, L. Reyzin, R. Schapire. Contextual Bandits with Linear Payoff Functions.
    AISTATS 2011.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("LinearBandit-v0", num_envs=3, n_arms=4, dim=2)
    >>> features, _ = envs.reset(seed=0)
    >>> features.shape
    (3, 4, 2)
    """

    def _set_up(self, num_envs: int, given: LinearSettings) -> None:
        n_arms, fixed_arms = given.filled("n_arms"), given.fixed_arms
        self._law, self._arms = given.law, None
        if given.arms is not None:
            if not isinstance(given.contexts, str) or given.contexts != "sphere":
                raise ValueError("contexts have no meaning where arms are given; leave them out")
            self._arms = read_only(read_rows("arms", given.arms))  # the task shows them to agents
            n_arms, _ = fitting_shape("arms", self._arms, given.n_arms, given.dim)
            given.contexts, fixed_arms = self._arms, True
        self._distribution = given.distribution
        dim = self._distribution.dim
        self._given_theta, param_norm = given.parameter(dim)  # (m, d)
        task = LinearTask(
            n_arms=n_arms,
            dim=dim,
            horizon=given.rounds,
            noise_std=self._law.std,
            subgaussian=self._law.subgaussian,
            feature_norm=self._distribution.bound,
            param_norm=param_norm,
            fixed_arms=fixed_arms,
            arms=self._arms,
        )
        features = spaces.Box(*self._distribution.limits, (n_arms, dim), np.float64)
        super().__init__(num_envs, task, features, spaces.Discrete(n_arms))
        self._set = FiniteArms(n_arms)
        # Stored feature by feature: agents' inner loops run along the arms.
        self._features = self._buffers(1 if fixed_arms else 2)
        self._means = np.empty((num_envs, n_arms))
        self._best = np.empty(num_envs)

    def _buffers(self, number: int) -> Alternating:
        shape = (self.num_envs, self.task.dim, self.task.n_arms)
        return Alternating(arms_of, *(np.empty(shape) for _ in range(number)))

    def _draw_theta(self) -> np.ndarray:
        """The hidden parameters (n, d) of a new instance."""
        task = self.task
        return hidden_theta(self._given_theta, self._stream(THETA), task.dim, task.param_norm)

    def _begin(self) -> np.ndarray:
        task = self.task
        self._theta = self._draw_theta()
        self._noise_keys = self._stream(NOISE).keys
        self._context_keys = self._stream(ARMS if task.fixed_arms else CONTEXTS).keys
        if task.fixed_arms:
            # A new instance has an array of its own: the last one may still be held by an agent.
            self._features = self._buffers(1)
        return self._show(0)

    def _play(self, actions: ArrayLike, t: int):
        reward, regret = self._law.rewards(
            self._set, actions, self._noise_keys, t, self._means, self._best
        )
        return self._show(t + 1), reward, {"regret": regret, "_regret": self._yes}

    def _round_bytes(self) -> int:
        task = self.task
        shown = 0 if task.fixed_arms else (task.dim + 1) * task.n_arms + 1
        return 8 * self.num_envs * (1 + shown)

    def _block(self, t: int, rounds: int) -> ArmsBlock:
        features, means, best = self._arms_of_rounds(t, rounds)
        noise = self._law.draw_rounds(self._noise_keys, t, rounds)
        return ArmsBlock(start=t, features=features, means=means, best=best, noise=noise)

    def _play_block(self, block: ArmsBlock, actions: ArrayLike):
        played = self._set.read_rounds(actions, *block.noise.shape)
        reward, regret = np.empty(played.shape), np.empty(played.shape)
        reward_rounds(block.means, block.best, block.noise, played, reward, regret)
        return reward, {"regret": regret}

    def _ahead_bytes(self) -> int:
        return self._round_bytes() + 16 * self.task.n_arms

    def _ahead(self, t: int, rounds: int) -> Ahead:
        features, means, best = self._arms_of_rounds(t, rounds)
        reward, regret = self._law.rewards_of_arms(self._noise_keys, t, rounds, means, best)
        # Of fixed arms too, each round has a copy of its own.
        shown = np.repeat(features, rounds // len(features), axis=0)[:, 0]
        play = play_from_table(self._set, reward[:, 0], regret[:, 0])
        return Ahead(t, rounds, list(arms_of(shown)).__getitem__, play)

    def _arms_of_rounds(self, t: int, rounds: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Features, means and the best of them, as in ``ArmsBlock``, of rounds t, t + 1, .."""
        task, n = self.task, self.num_envs
        if task.fixed_arms:
            return self._features.buffer[None], self._means[None].copy(), self._best[None].copy()
        features = np.empty((rounds, n, task.dim, task.n_arms))
        means, best = np.empty((rounds, n, task.n_arms)), np.empty((rounds, n))
        self._distribution.fill_rounds(self._context_keys, t, features)
        linear_means_of_rounds(features, self._theta, means, best)
        return features, means, best

    def _show(self, t: int) -> np.ndarray:
        """The observation of round t; also computes the means."""
        if t and self.task.fixed_arms:
            return self._features.shown
        features = self._features.turn()
        if self._arms is None:
            self._distribution.fill(self._context_keys, t, features)
        else:
            features[:] = self._arms.T
        # This kernel is compiled for blocks anyway.
        linear_means_of_rounds(features[None], self._theta, self._means[None], self._best[None])
        return self._features.shown
