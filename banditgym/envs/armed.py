"""K-armed bandits without features."""

from functools import cached_property
from typing import Annotated, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from banditgym.envs.noise import Noise
from banditgym.envs.shared_settings import ArmsSettings
from banditgym.rounds.blocks import MeansBlock
from banditgym.settings import configured, one_of, setting
from banditgym.tasks import ArmedTask
from banditgym.validation import brief, flag, real, reals, whole
from banditgym.vector_env import ARMS, NOISE, BanditVectorEnv


class ArmedSettings(ArmsSettings):
    """The settings of ``ArmedBandit``."""

    n_arms: Annotated[int | None, "Number of arms K."] = setting(whole, otherwise=10)
    means: Annotated[
        np.ndarray | None,
        "array (K,), optional",
        "Mean rewards, the same for all replicates; in [0, 1] for Bernoulli rewards. If not "
        "given, ``reset`` draws them uniformly on [0, 1].",
    ] = setting(reals)
    shuffled: Annotated[
        bool,
        "Shuffle the ``means`` for every instance, so that an arm's index says nothing about its "
        "mean.",
    ] = setting(flag, False)
    noise: Annotated[str, "Distribution of the rewards."] = setting(
        one_of(("bernoulli", "gaussian")), "bernoulli"
    )
    noise_std: Annotated[
        float | None,
        "Standard deviation of Gaussian noise, 0.1 by default; not a setting of Bernoulli rewards.",
    ] = setting(real)
    objective: Annotated[
        str, "What agents are for: small ``regret``, or to find the ``best_arm`` at whatever cost."
    ] = setting(one_of(("regret", "best_arm")), "regret")
    delta: Annotated[
        float | None,
        "Only with ``best_arm``: the largest allowed probability of recommending another arm. The "
        "agent then decides when to stop. If not given, it plays all rounds.",
    ] = setting(real)

    @property
    def goal(self) -> dict[str, Any]:
        """The facts of a task that say what is to be found."""
        if self.objective == "regret":
            if self.delta is not None:
                raise ValueError(f'delta needs objective="best_arm", got {self.delta}')
            return {}
        if self.available is not None:
            raise ValueError("the best arm is sought among arms that stay: leave out available")
        if self.delta is not None and not 0 < self.delta < 1:
            raise ValueError(f"delta must lie in (0, 1), got {self.delta}")
        return {"objective": self.objective, "delta": self.delta}


@configured(ArmedSettings)
class ArmedBandit(BanditVectorEnv):
    r"""K arms, each with a hidden mean reward; there is nothing to observe.

    The reward of arm :math:`a` is Bernoulli with mean :math:`\mu_a`, or
    :math:`\mu_a + \sigma\varepsilon_t` with standard normal noise. The random numbers of a round
    depend only on the seed and the round: a Bernoulli reward is ``u_t < mu_a`` with one uniform per
    round.

    Observations are zeros of shape (n,), actions arm indices of shape (n,), and ``info["regret"]``
    of shape (n,) is the expected reward lost in the round against the best arm. With ``available``
    observations are mappings of ``action_mask`` (n, K), int8, 1 where an arm may be played.

    Notes
    -----
    Hidden: the mean of every arm, and which arm is the best.

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

    def _set_up(self, num_envs: int, given: ArmedSettings) -> None:
        bernoulli, n_arms = given.noise == "bernoulli", given.filled("n_arms")
        if bernoulli and given.noise_std is not None:
            raise ValueError(f"Bernoulli rewards take no noise_std, got {brief(given.noise_std)}")
        noise_std = 0.1 if given.noise_std is None else given.noise_std
        self._law = Noise(given.noise, 0.0 if bernoulli else noise_std)
        self._shuffled, self._given_means = given.shuffled, given.means
        if (means := given.means) is not None:
            if means.ndim != 1 or means.size == 0:
                raise ValueError(f"means must be of shape (K,), got {means.shape}")
            illegal = (means < 0) | (means > 1)
            if bernoulli and illegal.any():
                raise ValueError(f"means must be probabilities in [0, 1], got {means[illegal][0]}")
            if given.n_arms not in (None, means.size):
                raise ValueError(f"n_arms is {n_arms}, but means has {means.size}")
            n_arms = means.size
        task = ArmedTask(
            n_arms=n_arms,
            horizon=given.rounds,
            noise_std=None if bernoulli else noise_std,
            subgaussian=self._law.subgaussian,
            bernoulli=bernoulli,
            **given.goal,
        )
        super().__init__(num_envs, task, spaces.Discrete(1), spaces.Discrete(n_arms))

    def _begin(self) -> None:
        draws = self._stream(ARMS).uniform(0, (self.task.n_arms,))
        if self._given_means is None:
            self._means = draws
        elif self._shuffled:
            self._means = self._given_means[np.argsort(draws, axis=1, kind="stable")]
        else:
            self._means = np.tile(self._given_means, (self.num_envs, 1))
        self._best = self._means.max(axis=1)
        self._noise_keys = self._stream(NOISE).keys

    def regret_of(self, actions: ArrayLike) -> np.ndarray:
        """By how much the means of arms (n,) are below the largest, (n,)."""
        arms = self._set.read(actions, self.num_envs)
        return self._best - self._means[np.arange(self.num_envs), arms]

    def _rounds(self, t: int, rounds: int) -> MeansBlock:
        noise = self._law.draw_rounds(self._noise_keys, t, rounds)
        return MeansBlock(
            start=t,
            playable=True,
            bernoulli=self.task.bernoulli,
            means=self._means[None],
            best=self._best[None],
            noise=noise,
        )

    @cached_property
    def _round_bytes(self) -> int:
        return 24 * self.num_envs  # the means are those of all rounds

    def _reward(self, block: MeansBlock, places: np.ndarray, actions: np.ndarray):
        return self._law.rewards(block, places, actions)
