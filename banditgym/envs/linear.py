"""Linear contextual bandits with a finite set of arms."""

from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from gymnasium import spaces

from banditgym.envs.contexts import Contexts, fitting_shape, linear_means, read_rows
from banditgym.envs.noise import BERNOULLI, Noise
from banditgym.envs.noise_scales import NoiseScales, read_noise_std
from banditgym.envs.parameters import hidden_theta
from banditgym.envs.shared_settings import (
    ArmsSettings,
    FeatureSettings,
    NoiseSettings,
    ParameterSettings,
)
from banditgym.rounds.blocks import ArmsBlock, ContextBlock, MeansBlock, ShownNoiseBlock
from banditgym.rounds.read_only import read_only
from banditgym.settings import configured, one_of, setting
from banditgym.tasks import LinearTask
from banditgym.validation import flag, reals, whole
from banditgym.vector_env import ARMS, CONTEXTS, NOISE, THETA, BanditVectorEnv


class FeaturedArmsSettings(ParameterSettings, FeatureSettings, ArmsSettings):
    """Arms with features, and a hidden parameter."""

    may_have_rounds: ClassVar[bool] = True

    n_arms: Annotated[int | None, "Number of arms K."] = setting(whole, otherwise=10)
    contexts: Annotated[
        str | Path | np.ndarray,
        '{"sphere", "ball", "cube", "gaussian"}, array (N, d) or (T, K, d), or path',
        "Distribution of the features; or feature rows (an array, .npy or .csv) to draw from; or "
        "those of every arm and round (an array or .npy), (T, 1, d) if all arms share them, which "
        "fix n_arms and dim. The horizon is then at most T, and T by default. See "
        "``banditgym.envs.contexts.Contexts``.",
    ] = setting(default="sphere")
    fixed_arms: Annotated[
        bool, "Draw one set of arms per instance instead of a new one per round."
    ] = setting(flag, False)
    arms: Annotated[
        str | Path | np.ndarray | None,
        "array (K, d), or path, optional",
        "The fixed arms themselves (an array, .npy or .csv), the same for all replicates; they fix "
        "n_arms and dim.",
    ] = setting()

    @property
    def per_arm(self) -> bool:
        """Whether each arm has a parameter of its own, and all have one context."""
        return False

    @property
    def law(self) -> Noise:
        """The law of rewards, given their means."""
        raise NotImplementedError

    @property
    def noise_scales(self) -> NoiseScales | None:
        """The law of the noise's standard deviations; None if they are one number."""
        return None

    def given_means(self, n_arms: int) -> np.ndarray | None:
        """The means (K,) of given arms; None if they follow from theta."""
        return None

    def sizes(self, features: Contexts) -> tuple[int, int]:
        """The numbers of arms and of rounds, with contexts for given rounds those that fit."""
        n_arms, horizon = self.filled("n_arms"), self.rounds
        if features.kind != "rounds":
            return n_arms, horizon
        most, _, shown = features.rows.shape
        if self.fixed_arms:
            raise ValueError("fixed_arms has no meaning where contexts has rounds; leave it out")
        if not self.has_horizon:
            horizon = most
        if horizon > most:
            raise ValueError(f"horizon is {horizon}, but contexts has {most} rounds")
        if self.per_arm and shown != 1:
            raise ValueError(f"contexts must be of shape (T, 1, d) for all arms, got {shown} arms")
        if not self.per_arm and self.n_arms not in (None, shown):
            raise ValueError(f"n_arms is {self.n_arms}, but contexts has {shown} arms in a round")
        return n_arms if self.per_arm else shown, horizon


class ArmParameterSettings(FeaturedArmsSettings):
    """Arms that may have a parameter each."""

    parameters: Annotated[
        str,
        '{"shared", "per_arm"}, default "shared"',
        "Whether all arms share theta and have features each, or have a parameter each and share "
        "the features, which are the context (n, d) of a round.",
    ] = setting(one_of(("shared", "per_arm")), "shared")
    theta: Annotated[
        Any,
        "array (d,) or (K, d), optional",
        "The hidden parameter, or one for each arm with ``per_arm``; uniform on the sphere of "
        "radius ``param_norm`` if not given.",
    ] = setting()

    @property
    def per_arm(self) -> bool:
        if self.parameters == "shared":
            return False
        if self.fixed_arms or self.arms is not None:
            raise ValueError(
                "fixed_arms and arms have no meaning where parameters is 'per_arm', because all "
                "arms share the context; leave them out"
            )
        return True


class LinearSettings(NoiseSettings, ArmParameterSettings):
    """The settings of ``LinearBandit``."""

    noise_std: Annotated[
        Any,
        "float, array (K,) or mapping, default 0.1",
        r"Standard deviation :math:`\sigma \ge 0` of the reward noise; or one for each arm; or "
        "``{'kind': 'feature', 'index': j, 'scale': s}``, which is s times the absolute value of "
        "feature j. The last two are shown; see ``banditgym.envs.noise_scales``.",
    ] = setting(read_noise_std, 0.1)
    means: Annotated[
        np.ndarray | None,
        "array (K,), optional",
        "The mean rewards of given ``arms``, in place of those that theta gives them. Rewards need "
        "then not be linear in features, as agents assume.",
    ] = setting(reals)

    @property
    def law(self) -> Noise:
        std = self.noise_std if self.noise_scales is None else 1.0
        return Noise(self.noise, std, self.noise_df)

    @property
    def noise_scales(self) -> NoiseScales | None:
        return self.noise_std if isinstance(self.noise_std, NoiseScales) else None

    def given_means(self, n_arms: int) -> np.ndarray | None:
        if self.means is None:
            return None
        if self.arms is None:
            raise ValueError("means need arms, which have them; give both")
        if self.theta is not None:
            raise ValueError("theta has no meaning where means are given; leave it out")
        if self.means.shape != (n_arms,):
            raise ValueError(f"means must be of shape ({n_arms},), got {self.means.shape}")
        return self.means


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
    With ``available`` observations are mappings of ``arms`` (n, K, d), the features of all arms,
    and ``action_mask`` (n, K), int8, 1 where an arm may be played.

    With ``parameters="per_arm"`` a round has one context :math:`x_t` for all arms, and each arm has
    a parameter :math:`\theta_{i,k}` of its own, drawn independently: the reward is :math:`\langle
    x_t, \theta_{i,a} \rangle + \varepsilon_t`. Observations are contexts of shape (n, d), or with
    ``available`` mappings of ``context`` and ``action_mask``. Agents with a model for each arm,
    such as ``DisjointLinUCB``, take the context itself. Others are given blocks of features (n, K,
    K d), with which one parameter of all arms is equivalent, if K d is at most 2,000.

    If ``noise_std`` depends on the arm, observations are mappings of ``arms`` or ``context``, and
    ``noise_std`` (n, K), the standard deviation of each arm's noise in the round. The largest
    possible one is ``task.noise_std``. Agents that have no use for them ignore them, and rounds are
    not played in blocks.

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

    _task_class: ClassVar[type[LinearTask]] = LinearTask

    def _set_up(self, num_envs: int, given: FeaturedArmsSettings) -> None:
        fixed_arms, per_arm = given.fixed_arms, given.per_arm
        self._law, self._arms = given.law, None
        if given.arms is not None:
            if not isinstance(given.contexts, str) or given.contexts != "sphere":
                raise ValueError("contexts have no meaning where arms are given; leave them out")
            self._arms = read_only(read_rows("arms", given.arms))  # the task shows them to agents
            given.n_arms, _ = fitting_shape("arms", self._arms, given.n_arms, given.dim)
            given.contexts, fixed_arms = self._arms, True
        self._distribution = given.distribution
        (n_arms, horizon), dim = given.sizes(self._distribution), self._distribution.dim
        self._given_means, self._scales = given.given_means(n_arms), given.noise_scales
        noise_std, subgaussian = self._law.std, self._law.subgaussian
        if self._scales is not None:
            if (fault := self._scales.fault(n_arms, dim)) is not None:
                raise ValueError(fault)
            noise_std = self._scales.largest(self._distribution)
            subgaussian = None if subgaussian is None else noise_std
        own = (n_arms, dim) if per_arm else (dim,)
        self._given_theta, param_norm = given.parameter(*own)  # (m, d), or (m, K, d)
        task = self._task_class(
            n_arms=n_arms,
            dim=dim,
            horizon=horizon,
            noise_std=None if self._law.code == BERNOULLI else noise_std,
            subgaussian=subgaussian,
            feature_norm=self._distribution.bound,
            param_norm=param_norm,
            fixed_arms=fixed_arms,
            arms=self._arms,
            context_dim=dim if per_arm else None,
        )
        shape = (dim,) if per_arm else (n_arms, dim)
        shown: spaces.Space = spaces.Box(*self._distribution.limits, shape, np.float64)
        if self._scales is not None:
            most = np.inf if noise_std is None else noise_std
            deviations = spaces.Box(0.0, most, (n_arms,), np.float64)
            shown = spaces.Dict({task.observes.name: shown, "noise_std": deviations})
        super().__init__(num_envs, task, shown, spaces.Discrete(n_arms))

    def _draw_theta(self) -> np.ndarray:
        """The hidden parameters (n, d) of a new instance; (n, d, K) with one for each arm."""
        task, directions = self.task, self._stream(THETA)
        own = (task.n_arms, task.dim) if task.per_arm else (task.dim,)
        theta = hidden_theta(self._given_theta, directions, task.param_norm, *own)
        return np.ascontiguousarray(theta.swapaxes(1, 2)) if task.per_arm else theta

    def _begin(self) -> None:
        task = self.task
        self._theta = self._draw_theta()
        self._noise_keys = self._stream(NOISE).keys
        self._context_keys = self._stream(ARMS if task.fixed_arms else CONTEXTS).keys
        if task.fixed_arms:
            self._fixed = self._features(0, 1)
            self._means = self._means_of(self._fixed, self._theta[None])
            if self._given_means is not None:
                means = np.tile(self._given_means, (1, self.num_envs, 1))
                self._means = means, means.max(axis=2)

    @cached_property
    def _round_bytes(self) -> int:
        rewards = 0 if self._scales is None else 8 * self.num_envs * self.task.n_arms
        return super()._round_bytes + rewards

    def _rounds(self, t: int, rounds: int) -> MeansBlock:
        block = self._plain_rounds(t, rounds)
        if self._scales is None:
            return block
        shared = isinstance(block, ContextBlock)
        features = block.context[..., None] if shared else block.features
        deviations = self._scales.deviations(features, self.task.n_arms)
        if len(deviations) < len(block):
            read_only(deviations)
        return ShownNoiseBlock(
            start=t,
            means=block.means,
            best=block.best,
            noise=block.noise,
            rewards=block.means + deviations * block.noise[..., None],
            parts={self.task.observes.name: block.shown, "noise_std": deviations},
        )

    def _plain_rounds(self, t: int, rounds: int) -> ArmsBlock | ContextBlock:
        """The rounds, with noise that does not depend on the arm."""
        noise = self._law.draw_rounds(self._noise_keys, t, rounds)
        if self.task.per_arm:
            context = self._features(t, rounds)[..., 0]
            # Scores are bilinear: the parameters of arms take the place of their features.
            means, best = self._means_of(self._theta[None], context)
            return ContextBlock(start=t, context=context, means=means, best=best, noise=noise)
        if self.task.fixed_arms:
            features, (means, best) = read_only(self._fixed), self._means
        else:
            features = self._features(t, rounds)
            means, best = self._means_of(features, self._theta[None])
        return ArmsBlock(start=t, features=features, means=means, best=best, noise=noise)

    def _reward(self, block: MeansBlock, places: np.ndarray, actions: np.ndarray):
        return self._law.rewards(block, places, actions)

    def _features(self, t: int, rounds: int) -> np.ndarray:
        """Features (m, n, d, K) of rounds t, t + 1, ..; (m, n, d, 1) if all arms share them."""
        # Stored feature by feature: agents' inner loops run along the arms.
        task = self.task
        shown = 1 if task.per_arm else task.n_arms
        features = np.empty((rounds, self.num_envs, task.dim, shown))
        if self._arms is None:
            self._distribution.fill_rounds(self._context_keys, t, features)
        else:
            features[:] = self._arms.T
        return features

    def _means_of(self, features: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means (m, n, K) of m rounds, and the best (m, n) of them.

        Features are (m, n, d, K) and parameters (m, n, d), or one of them is that of all rounds.
        """
        rounds, n = max(len(features), len(theta)), self.num_envs
        means, best = np.empty((rounds, n, self.task.n_arms)), np.empty((rounds, n))
        linear_means(features, theta, means, best)
        return means, best
