"""Linear contextual bandits with a finite set of arms."""

from typing import Any

import numpy as np
from gymnasium import spaces

from banditgym.action_sets import FiniteArms
from banditgym.blocks import ArmsBlock, fitting
from banditgym.contexts import Contexts, linear_means, linear_means_of_rounds, read_rows
from banditgym.noise import Noise
from banditgym.parameters import given_theta, on_sphere, param_norm_bound
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import LinearTask
from banditgym.validation import flag, real, whole, word
from banditgym.vector_env import ARMS, CONTEXTS, NOISE, THETA, BanditVectorEnv, horizon_of


class LinearBandit(BanditVectorEnv):
    r"""Rewards linear in the features of the chosen arm.

    In round :math:`t` arm :math:`k` of replicate :math:`i` shows features :math:`x_{t,k}` in
    :math:`\mathbb{R}^d`, drawn anew or fixed through the episode. The reward of arm :math:`a` is

    .. math:: r_t = \langle x_{t,a}, \theta_i \rangle + \varepsilon_t,
        \qquad \mathbb{E}\varepsilon_t = 0, \quad \mathbb{E}\varepsilon_t^2 = \sigma^2
        \quad \text{i.i.d.},

    with a hidden :math:`\theta_i`, drawn by ``reset``. The noise of a round depends only on the
    seed and the round: on one seed all agents see the same features and the same noise.

    Observations are features of shape (n, K, d), actions arm indices of shape (n,), and
    ``info["regret"]`` of shape (n,) is the expected reward lost in the round against its best arm.

    Parameters
    ----------
    num_envs : int
        Number of independent replicates, n.
    n_arms : int, default 10
        Number of arms K.
    dim : int, default 5
        Number of features d.
    horizon : int, default 1000
        Rounds per episode, T; ``max_episode_steps`` is Gymnasium's name for it.
    noise_std : float, default 0.1
        Standard deviation :math:`\sigma \ge 0` of the reward noise.
    noise : {"gaussian", "uniform", "rademacher", "student_t"}
        Distribution of the noise; see ``banditgym.noise.Noise``.
    noise_df : float, default 3
        Degrees of freedom of ``student_t``, > 2.
    contexts : {"sphere", "ball", "cube", "gaussian"}, array (N, d), or path
        Distribution of the features, or feature rows (an array, .npy or .csv) to draw from; see
        ``banditgym.contexts.Contexts``.
    feature_norm : float, default 1
        Radius of ``sphere`` and ``ball``; ``cube`` is ``[0, c]^d`` and ``gaussian`` is
        ``N(0, c² I)`` with ``c = feature_norm / sqrt(d)``.
    param_norm : float
        Norm of a drawn theta, 1 by default; with ``theta`` given, the bound on its norm that agents
        know, by default the norm itself.
    theta : array (d,), optional
        The hidden parameter; uniform on the sphere of radius ``param_norm`` if not given.
    fixed_arms : bool, default False
        Draw one set of arms per instance instead of a new one per round.
    arms : array (K, d), or path, optional
        The fixed arms themselves (an array, .npy or .csv), the same for all replicates; they fix
        n_arms and dim.

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

    def __init__(
        self,
        num_envs: int = 1,
        *,
        n_arms: int | None = None,
        dim: int | None = None,
        horizon: int | None = None,
        noise_std: float = 0.1,
        noise: str = "gaussian",
        noise_df: float = 3.0,
        contexts: Any = "sphere",
        feature_norm: float | None = None,
        param_norm: float | None = None,
        theta: Any = None,
        fixed_arms: bool = False,
        arms: Any = None,
        max_episode_steps: int | None = None,
    ):
        word("noise", noise, Noise.additive)
        noise_std = real("noise_std", noise_std)
        self._law = Noise(noise, noise_std, noise_df)
        if dim is not None:
            dim = whole("dim", dim)
        if n_arms is not None:
            n_arms = whole("n_arms", n_arms)
        fixed_arms = flag("fixed_arms", fixed_arms)
        self._arms = None
        if arms is not None:
            if not isinstance(contexts, str) or contexts != "sphere":
                raise ValueError("contexts have no meaning where arms are given; leave them out")
            self._arms = read_rows("arms", arms)
            self._arms.flags.writeable = False  # the task shows them to agents
            if dim is not None and dim != self._arms.shape[1]:
                raise ValueError(f"dim is {dim}, but arms has {self._arms.shape[1]} columns")
            if n_arms is not None and n_arms != len(self._arms):
                raise ValueError(f"n_arms is {n_arms}, but arms has {len(self._arms)} rows")
            n_arms, fixed_arms = len(self._arms), True
            contexts = self._arms
        self._source = Contexts.of(contexts, dim, feature_norm)
        dim = self._source.dim
        n_arms = 10 if n_arms is None else n_arms
        self._given_theta = None if theta is None else self._read_theta(theta, dim)  # (m, d)
        param_norm = param_norm_bound(self._given_theta, param_norm)
        task = LinearTask(
            n_arms=n_arms,
            dim=dim,
            horizon=horizon_of(horizon, max_episode_steps),
            noise_std=noise_std,
            subgaussian=self._law.subgaussian,
            feature_norm=self._source.bound,
            param_norm=param_norm,
            fixed_arms=fixed_arms,
            arms=self._arms,
        )
        features = spaces.Box(*self._source.limits, (n_arms, dim), np.float64)
        super().__init__(num_envs, task, features, spaces.Discrete(n_arms))
        self._set = FiniteArms(n_arms)
        # An observation stays valid until the step after next, so two buffers alternate. They are
        # stored feature by feature: agents' inner loops run along the arms.
        n_buffers = 1 if fixed_arms else 2
        self._turn = 0
        self._features = [np.empty((num_envs, dim, n_arms)) for _ in range(n_buffers)]
        self._shown = [_shown(buffer) for buffer in self._features]
        self._means = np.empty((num_envs, n_arms))
        self._best = np.empty(num_envs)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        # A copied or unpickled view is an array of its own, which would never change again.
        self._shown = [_shown(buffer) for buffer in self._features]

    def _read_theta(self, theta: Any, dim: int) -> np.ndarray:
        """The rows (m, d) for the setting ``theta``."""
        return given_theta(theta, dim)

    def _draw_theta(self) -> np.ndarray:
        """The hidden parameters (n, d) of a new instance."""
        if self._given_theta is not None:
            return np.tile(self._given_theta, (self.num_envs, 1))
        direction = Stream(self.seeds, ENVIRONMENT, THETA, self.episode).normal(0, (self.task.dim,))
        return on_sphere(direction, self.task.param_norm)

    def _begin(self) -> np.ndarray:
        task = self.task
        self._theta = self._draw_theta()
        self._noise_keys = Stream(self.seeds, ENVIRONMENT, NOISE, self.episode).keys
        purpose = ARMS if task.fixed_arms else CONTEXTS
        self._context_keys = Stream(self.seeds, ENVIRONMENT, purpose, self.episode).keys
        if task.fixed_arms:
            # A new instance has an array of its own: the last one may still be held by an agent.
            self._features = [np.empty((self.num_envs, task.dim, task.n_arms))]
            self._shown = [_shown(self._features[0])]
        return self._show(0)

    def _play(self, actions: Any, t: int):
        reward, regret = self._law.pay(
            self._set, actions, self._noise_keys, t, self._means, self._best
        )
        return self._show(t + 1), reward, {"regret": regret, "_regret": self._yes}

    def _block(self, t: int, rounds: int) -> ArmsBlock:
        task, n = self.task, self.num_envs
        fixed = task.fixed_arms
        rounds = fitting(rounds, 8 * n * (1 if fixed else 1 + (task.dim + 1) * task.n_arms))
        noise = self._law.draw_rounds(self._noise_keys, t, rounds)
        if fixed:
            features, means = self._features[0][None], self._means[None].copy()
        else:
            features = np.empty((rounds, n, task.dim, task.n_arms))
            means = np.empty((rounds, n, task.n_arms))
            self._source.fill_rounds(self._context_keys, t, features)
            linear_means_of_rounds(features, self._theta, means)
        return ArmsBlock(start=t, features=features, means=means, noise=noise)

    def _settle(self, block: ArmsBlock, actions: Any):
        played = self._set.read_rounds(actions, *block.noise.shape)
        means = np.broadcast_to(block.means, (*played.shape, self.task.n_arms))
        mean = np.take_along_axis(means, played[:, :, None], axis=2)[:, :, 0]
        info = {"regret": block.means.max(axis=2) - mean}
        return self._show(block.start + len(played)), mean + block.noise, info

    def _show(self, t: int) -> np.ndarray:
        """The observation of round t; also computes the means."""
        if t and self.task.fixed_arms:
            return self._shown[0]
        # Not t % 2: an episode may end on either buffer, and a reset must not take the same again.
        self._turn = turn = (self._turn + 1) % len(self._features)
        features = self._features[turn]
        if self._arms is None:
            self._source.fill(self._context_keys, t, features)
        else:
            features[:] = self._arms.T
        linear_means(features, self._theta, self._means, self._best)
        return self._shown[turn]


def _shown(features: np.ndarray) -> np.ndarray:
    """A read-only view (n, K, d) of features (n, d, K)."""
    view = features.transpose(0, 2, 1)
    view.flags.writeable = False
    return view
