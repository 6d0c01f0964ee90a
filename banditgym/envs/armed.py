"""K-armed bandits without features."""

from functools import cached_property
from typing import Annotated, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from banditgym.envs.arm_laws import (
    LARGEST,
    ClippedExponential,
    ClippedGaussian,
    NormalMeans,
    Samples,
)
from banditgym.envs.noise import Noise
from banditgym.envs.shared_settings import ArmsSettings
from banditgym.rounds.blocks import MeansBlock
from banditgym.settings import configured, one_of, setting
from banditgym.tasks import ArmedTask
from banditgym.validation import brief, flag, of_kind, real, reals, whole
from banditgym.vector_env import ARMS, NOISE, BanditVectorEnv

_BOUNDED = ("exponential", "clipped_gaussian")


def _means(name: str, value: object) -> np.ndarray | NormalMeans:
    """Means (K,), or the law that they are drawn from."""
    if isinstance(value, NormalMeans):
        return value
    if isinstance(value, dict):
        forms = "an array, or a mapping such as {'kind': 'normal', 'mean': 0, 'std': 1}"
        return of_kind(name, {"normal": NormalMeans}, value, forms)
    return reals(name, value)


class ArmedSettings(ArmsSettings):
    """The settings of ``ArmedBandit``."""

    n_arms: Annotated[int | None, "Number of arms K."] = setting(whole, otherwise=10)
    means: Annotated[
        Any,
        "array (K,) or mapping, optional",
        "Mean rewards, the same for all replicates; in [0, 1] for Bernoulli rewards. Or the normal "
        "distribution that each instance draws them from: ``{'kind': 'normal', 'mean': 0, 'std': "
        "1}``. If not given, ``reset`` draws them uniformly on [0, 1]. Rewards of ``exponential`` "
        "and ``clipped_gaussian`` have these means before they are clipped.",
    ] = setting(_means)
    shuffled: Annotated[
        bool,
        "Shuffle the ``means`` or the ``samples`` for every instance, so that an arm's index says "
        "nothing about its mean.",
    ] = setting(flag, False)
    noise: Annotated[
        str,
        "Distribution of the rewards: ``bernoulli``; the mean and noise of "
        "``banditgym.envs.noise.Noise``; or ``exponential`` or ``clipped_gaussian`` (with "
        "``noise_std``), clipped to [0, 1].",
    ] = setting(one_of(("bernoulli", *Noise.additive, *_BOUNDED)), "bernoulli")
    noise_std: Annotated[
        float | None,
        "Standard deviation of the noise, 0.1 by default; not a setting of Bernoulli and "
        "exponential rewards.",
    ] = setting(real)
    noise_df: Annotated[
        float | None, "Degrees of freedom of ``student_t``, or tail index of ``pareto``, > 2."
    ] = setting(real, otherwise=3.0)
    samples: Annotated[
        np.ndarray | None,
        "array (K, m), optional",
        "Rewards of each arm, to be drawn from with replacement: any bounded distribution. They "
        "take the place of ``means``, ``noise`` and ``n_arms``.",
    ] = setting(reals)
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

    @property
    def bounded(self) -> ClippedExponential | ClippedGaussian | Samples | None:
        """The law of bounded rewards; None for Bernoulli ones, and where noise is added to means.

        Raises
        ------
        ValueError
            If settings of other laws are given.
        """
        if self.noise not in ("student_t", "pareto"):
            self.refuse_given(("noise_df",), "is a setting of student_t and pareto rewards")
        if self.samples is not None:
            self.refuse_given(("means", "n_arms", "noise_std"), "does not go with samples")
            if self.noise != "bernoulli":
                raise ValueError(f"noise does not go with samples, got {self.noise!r}")
            return Samples(self.samples)
        if self.noise in ("bernoulli", "exponential") and self.noise_std is not None:
            raise ValueError(
                f"{self.noise.capitalize()} rewards take no noise_std, got {brief(self.noise_std)}"
            )
        if self.noise == "exponential":
            return ClippedExponential()
        return ClippedGaussian(self.std) if self.noise == "clipped_gaussian" else None

    @property
    def std(self) -> float:
        """The standard deviation of noise."""
        return 0.1 if self.noise_std is None else self.noise_std

    def checked_means(self, bernoulli: bool) -> np.ndarray | NormalMeans | None:
        """The means (K,) or their law, if they are legal for the rewards."""
        means = self.means
        if self.noise == "clipped_gaussian" and means is not None:
            normal = isinstance(means, NormalMeans)
            largest = np.abs((means.mean, means.std) if normal else means).max(initial=0.0)
            if largest > LARGEST:
                raise ValueError(f"means of clipped rewards must be <= {LARGEST:g}, got {largest}")
        if isinstance(means, NormalMeans):
            if bernoulli or self.noise == "exponential":
                raise ValueError(f"normal means may be negative, which {self.noise} rewards refuse")
            return means
        if means is None:
            return None
        if means.ndim != 1 or means.size == 0:
            raise ValueError(f"means must be of shape (K,), got {means.shape}")
        illegal = (means < 0) | (means > 1)
        if bernoulli and illegal.any():
            raise ValueError(f"means must be probabilities in [0, 1], got {means[illegal][0]}")
        if self.noise == "exponential" and (means < 0).any():
            raise ValueError(f"means of exponential rewards must be >= 0, got {means.min()}")
        if self.n_arms not in (None, means.size):
            raise ValueError(f"n_arms is {self.n_arms}, but means has {means.size}")
        return means


@configured(ArmedSettings)
class ArmedBandit(BanditVectorEnv):
    r"""K arms, each with a hidden mean reward; there is nothing to observe.

    The reward of arm :math:`a` is Bernoulli with mean :math:`\mu_a`, or
    :math:`\mu_a + \sigma\varepsilon_t` with noise of standard deviation 1, or of a bounded
    distribution. The random numbers of a round depend only on the seed and the round: a Bernoulli
    reward is ``u_t < mu_a`` with one uniform per round, from which bounded rewards of all arms are
    made too.

    Observations are zeros of shape (n,), actions arm indices of shape (n,). ``info["regret"]`` of
    shape (n,) is the expected reward lost in the round against the best arm, and
    ``info["optimal"]`` (n,) says whether it is 0. With ``available``
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
        self._bounded, self._shuffled = given.bounded, given.shuffled
        bernoulli = given.noise == "bernoulli" and self._bounded is None
        self._given_means, n_arms = given.checked_means(bernoulli), given.filled("n_arms")
        if self._bounded is None:
            std = 0.0 if bernoulli else given.std
            self._law = Noise(given.noise, std, given.filled("noise_df"))
            bounds, subgaussian = None, self._law.subgaussian
        else:
            self._law, bounds = self._bounded.noise, self._bounded.bounds
            subgaussian = 0.5 * (bounds[1] - bounds[0])  # Hoeffding's lemma
        if isinstance(self._bounded, Samples):
            n_arms = len(self._bounded.values)
            self._given_means = np.arange(n_arms)  # the parameters of this law are rows
        elif isinstance(self._given_means, np.ndarray):
            n_arms = self._given_means.size
        task = ArmedTask(
            n_arms=n_arms,
            horizon=given.rounds,
            noise_std=None if bernoulli or bounds is not None else self._law.std,
            subgaussian=subgaussian,
            bernoulli=bernoulli,
            bounds=bounds,
            **given.goal,
        )
        super().__init__(num_envs, task, spaces.Discrete(1), spaces.Discrete(n_arms))

    def _begin(self) -> None:
        arms, given = self._stream(ARMS), self._given_means
        if isinstance(given, NormalMeans):
            means = given.mean + given.std * arms.normal(0, (self.task.n_arms,))
        elif given is None:
            means = arms.uniform(0, (self.task.n_arms,))
        elif self._shuffled:
            draws = arms.uniform(0, (self.task.n_arms,))
            means = given[np.argsort(draws, axis=1, kind="stable")]
        else:
            means = np.tile(given, (self.num_envs, 1))
        self._parameters = means
        self._means = means if self._bounded is None else self._bounded.means(means)
        self._best = self._means.max(axis=1)
        self._noise_keys = self._stream(NOISE).keys

    def regret_of(self, actions: ArrayLike) -> np.ndarray:
        """By how much the means of arms (n,) are below the largest, (n,)."""
        arms = self._set.read(actions, self.num_envs)
        return self._best - self._means[np.arange(self.num_envs), arms]

    def _rounds(self, t: int, rounds: int) -> MeansBlock:
        noise = self._law.draw_rounds(self._noise_keys, t, rounds)
        bounded = self._bounded
        return MeansBlock(
            start=t,
            playable=True,
            bernoulli=self.task.bernoulli,
            means=self._means[None],
            best=self._best[None],
            noise=noise,
            rewards=None if bounded is None else bounded.rewards(self._parameters, noise),
        )

    @cached_property
    def _round_bytes(self) -> int:
        # The means are those of all rounds; rewards are not.
        return 8 * self.num_envs * (3 if self._bounded is None else 3 + self.task.n_arms)

    def _reward(self, block: MeansBlock, places: np.ndarray, actions: np.ndarray):
        reward, info = self._law.rewards(block, places, actions)
        return reward, info | {"optimal": info["regret"] == 0.0}
