"""Linear rewards on strongly convex sets of points."""

from typing import Any

import numpy as np
from gymnasium import spaces

from banditgym.action_sets import Ball, Ellipsoid, LpBall, PointSet, Sphere, read_points
from banditgym.compiled import compiled
from banditgym.elementary import each_power
from banditgym.linalg.ball_geometry import inner
from banditgym.linalg.orthogonal import orthonormal
from banditgym.noise import Noise, unit_noise
from banditgym.parameters import given_theta, on_sphere, param_norm_bound
from banditgym.spaces import Points
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import ConvexSetTask
from banditgym.validation import flag, positive, real, reals, whole, word
from banditgym.vector_env import ARMS, NOISE, THETA, BanditVectorEnv, horizon_of

# The settings of each kind of set, beside its dimension.
_KINDS = {
    "sphere": ("radius",),
    "ball": ("radius",),
    "ellipsoid": ("radius", "axes", "matrix", "condition", "orientation", "axes_seed"),
    "lp_ball": ("radius", "p"),
}


class ConvexSetBandit(BanditVectorEnv):
    r"""Rewards linear in a point of a sphere, a ball, an ellipsoid or an :math:`l_p` ball.

    In round :math:`t` a point :math:`x_t` of the set :math:`\mathcal{D}` is played for the reward

    .. math:: r_t = \langle x_t, \theta_i \rangle + \varepsilon_t,
        \qquad \mathbb{E}\varepsilon_t = 0, \quad \mathbb{E}\varepsilon_t^2 = \sigma^2
        \quad \text{i.i.d.},

    with a hidden :math:`\theta_i`, drawn by ``reset``. The noise of a round depends only on the
    seed and the round: on one seed all agents see the same noise. Observations are zeros of shape
    (n,), actions points of shape (n, d), and ``info["regret"]`` of shape (n,) is the expected
    reward lost in the round, :math:`\max_{x \in \mathcal{D}} \langle x, \theta \rangle -
    \langle x_t, \theta \rangle`; for a point accepted slightly outside it may be slightly below 0.

    The set is a setting, the same for all replicates and seeds, and agents know it:

    - ``sphere``: :math:`\lVert x \rVert = r`;
    - ``ball``: :math:`\lVert x \rVert \le r`;
    - ``ellipsoid``: :math:`x^\top Q x \le 1` with semi-axes :math:`a_1, .., a_d` along orthonormal
      directions. It is given by ``matrix`` Q; or by ``axes``, whose directions are drawn uniformly
      or, with ``orientation="identity"``, are the coordinate axes; or it is drawn, with
      :math:`a_k = r\, c^{-u_k / 2}`, :math:`u_1 = 0`, :math:`u_2 = 1` and the other :math:`u_k`
      uniform on [0, 1], so that the longest semi-axis is r = ``radius`` and Q has the condition
      number c = ``condition``;
    - ``lp_ball``: :math:`\lVert x \rVert_p \le r`.

    A round costs O(n d), and O(n d²) for an ellipsoid whose directions are not coordinate axes.

    Parameters
    ----------
    num_envs : int
        Number of independent replicates, n.
    action_set : {"sphere", "ball", "ellipsoid", "lp_ball"}
        The kind of set; each id has its own.
    dim : int, default 5
        Dimension d; that of ``axes``, ``matrix`` or ``theta`` where given.
    horizon : int, default 1000
        Rounds per episode, T; ``max_episode_steps`` is Gymnasium's name for it.
    radius : float, default 1
        r > 0; not a setting of an ellipsoid of given ``axes`` or ``matrix``.
    p : float, default 1.5
        Exponent of ``lp_ball``, 1 < p <= 2.
    axes : array (d,)
        Semi-axes of an ellipsoid, finite and > 0.
    matrix : array (d, d)
        Q of an ellipsoid, symmetric and positive definite.
    condition : float, default 10
        Condition number c >= 1 of the matrix of a drawn ellipsoid, at most 1e10; without a meaning
        in one dimension.
    orientation : {"drawn", "identity"}
        Directions of the semi-axes, where ``matrix`` is not given.
    axes_seed : int, default 0
        Seed of the drawn axes and directions of an ellipsoid.
    noise_std : float, default 0.1
        Standard deviation :math:`\sigma \ge 0` of the reward noise.
    noise : {"gaussian", "uniform", "rademacher", "student_t"}
        Distribution of the noise; see ``banditgym.noise.Noise``.
    noise_df : float, default 3
        Degrees of freedom of ``student_t``, > 2.
    param_norm : float
        Norm of a drawn theta, 1 by default; with ``theta`` given, the bound on its norm that agents
        know, by default the norm itself.
    theta : array (d,), optional
        The hidden parameter; uniform on the sphere of radius ``param_norm`` if not given.
    project : bool, default False
        Play the point of the set nearest to the action, which may be any finite one; actions are
        then the Box around the set, for agents that do not support sets. For the action 0, the
        nearest point of a sphere is r e_1. Otherwise a point farther off than 1e-9 relative is
        refused.

    References
    ----------
    P. Rusmevichientong, J. Tsitsiklis. Linearly Parameterized Bandits. Mathematics of Operations
    Research 35, 2010.

    N. Korda, L. A. Prashanth, R. Munos. Fast Gradient Descent for Drifting Least Squares
    Regression, with Application to Bandits. AAAI 2015.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("SphereBandit-v0", num_envs=2, theta=[0.6, 0.8])
    >>> _ = envs.reset(seed=0)
    >>> info = envs.step([[1.0, 0.0], [0.6, 0.8]])[4]
    >>> info["regret"].round(6)
    array([0.4, 0. ])
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        action_set: str = "ball",
        dim: int | None = None,
        horizon: int | None = None,
        radius: float | None = None,
        p: float | None = None,
        axes: Any = None,
        matrix: Any = None,
        condition: float | None = None,
        orientation: str | None = None,
        axes_seed: int | None = None,
        noise_std: float = 0.1,
        noise: str = "gaussian",
        noise_df: float = 3.0,
        param_norm: float | None = None,
        theta: Any = None,
        project: bool = False,
        max_episode_steps: int | None = None,
    ):
        word("action_set", action_set, _KINDS)
        word("noise", noise, Noise.additive)
        self._project = flag("project", project)
        made_by = {
            "radius": radius, "p": p, "axes": axes, "matrix": matrix, "condition": condition,
            "orientation": orientation, "axes_seed": axes_seed,
        }  # fmt: skip
        given = {name: value for name, value in made_by.items() if value is not None}
        for name in given:
            if name not in _KINDS[action_set]:
                kinds = " or ".join(kind for kind, names in _KINDS.items() if name in names)
                raise ValueError(
                    f"{name} is a setting of {kinds} alone; leave it out where action_set is "
                    f"{action_set}"
                )
        row = None if theta is None else reals("theta", theta)
        if dim is not None:
            dim = whole("dim", dim)
        elif row is not None and row.ndim == 1 and not {"axes", "matrix"} & given.keys():
            dim = row.size
        self._set = _set_of(action_set, dim, given)
        dim = self._set.dim
        self._given_theta = None if theta is None else given_theta(theta, dim)
        param_norm = param_norm_bound(self._given_theta, param_norm)
        if not self._set.longest * param_norm < 1e300:
            raise ValueError(
                "rewards would not be finite: the longest point has the norm "
                f"{self._set.longest:g}, and theta one up to {param_norm:g}"
            )
        self._law = Noise(noise, real("noise_std", noise_std), noise_df)
        task = ConvexSetTask(
            dim=dim,
            horizon=horizon_of(horizon, max_episode_steps),
            noise_std=self._law.std,
            subgaussian=self._law.subgaussian,
            feature_norm=self._set.longest,
            param_norm=param_norm,
            action_set=self._set,
        )
        actions: spaces.Space = Points(self._set)
        if self._project:
            actions = spaces.Box(-self._set.extent, self._set.extent, dtype=np.float64)
        super().__init__(num_envs, task, spaces.Discrete(1), actions)
        self._nothing = np.zeros(self.num_envs, np.int64)
        self._nothing.flags.writeable = False

    def _begin(self) -> np.ndarray:
        n, task = self.num_envs, self.task
        if self._given_theta is not None:
            self._theta = np.tile(self._given_theta, (n, 1))
        else:
            direction = Stream(self.seeds, ENVIRONMENT, THETA, self.episode).normal(0, (task.dim,))
            self._theta = on_sphere(direction, task.param_norm)
        self._noise_keys = Stream(self.seeds, ENVIRONMENT, NOISE, self.episode).keys
        self._best = np.empty(n)
        _expected(self._set.argmax(self._theta), self._theta, self._best)
        return self._nothing

    def _play(self, actions: Any, t: int):
        n, law = self.num_envs, self._law
        if self._project:
            points = self._set.project(read_points(actions, n, self.task.dim))
            points.flags.writeable = False  # kernels are compiled for one mutability
        else:
            points = self._set.read(actions, n)
        reward, regret = np.empty(n), np.empty(n)
        _pay(
            law.code, law.scale, law.df, self._noise_keys, t, points, self._theta, self._best,
            reward, regret,
        )  # fmt: skip
        return self._nothing, reward, {"regret": regret, "_regret": self._yes}


def _set_of(kind: str, dim: int | None, given: dict[str, Any]) -> PointSet:
    """The set of a kind; ``given`` has the settings of that kind that were."""
    default = 5 if dim is None else dim
    radius = positive("radius", given.get("radius", 1.0))
    match kind:
        case "sphere":
            return Sphere(default, radius)
        case "ball":
            return Ball(default, radius)
        case "lp_ball":
            return LpBall(default, real("p", given.get("p", 1.5)), radius)
    for name, others in {
        "matrix": ("radius", "axes", "condition", "orientation", "axes_seed"),
        "axes": ("radius", "condition"),
    }.items():
        for other in others:
            if name in given and other in given:
                raise ValueError(f"{other} has no meaning where {name} is given; leave it out")
    if "matrix" in given:
        ellipsoid = Ellipsoid(given["matrix"])
    else:
        orientation = word("orientation", given.get("orientation", "drawn"), ("drawn", "identity"))
        draws = Stream([whole("axes_seed", given.get("axes_seed", 0), 0)], ENVIRONMENT, ARMS, 0)
        if "axes" in given:
            axes = reals("axes", given["axes"])
        else:
            axes = radius * _drawn_axes(draws, default, given.get("condition", 10.0))
        # A single axis, or something that is not a list of axes, has no orientation.
        turned = orientation == "drawn" and axes.ndim == 1 and axes.size > 1
        ellipsoid = Ellipsoid.of_axes(axes, _drawn_directions(draws, axes.size) if turned else None)
    if dim is not None and dim != ellipsoid.dim:
        raise ValueError(f"dim is {dim}, but the ellipsoid's is {ellipsoid.dim}")
    return ellipsoid


def _drawn_axes(draws: Stream, dim: int, condition: Any) -> np.ndarray:
    """Semi-axes (d,) of an ellipsoid whose longest is 1."""
    if not 1 <= real("condition", condition) <= 1e10:
        raise ValueError(f"condition must lie within 1 .. 1e10, got {condition}")
    exponents = draws.uniform(0, (dim,))[0]
    exponents[:2] = (0.0, 1.0)[:dim]
    return each_power(float(condition), -0.5 * exponents)


def _drawn_directions(draws: Stream, dim: int) -> np.ndarray:
    """Orthonormal rows (d, d), uniform among all of them."""
    # With R's diagonal positive, QR factors are unique, so rotating the normals rotates Q alike.
    columns, _ = orthonormal(draws.normal(1, (dim, dim))[0])
    return columns.T


@compiled
def _expected(points, theta, out):
    for i in range(out.shape[0]):
        out[i] = inner(points, theta, i)


@compiled
def _pay(code, scale, df, keys, t, points, theta, best, reward, regret):
    """Write rewards and regrets (n,) of points (n, d) in round t."""
    unit_noise(code, df, keys, t, reward)
    for i in range(reward.shape[0]):
        mean = inner(points, theta, i)
        reward[i] = mean + scale * reward[i]
        regret[i] = best[i] - mean
