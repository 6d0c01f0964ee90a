"""Linear rewards on strongly convex sets of points."""

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from banditgym.action_sets import (
    Ball,
    Ellipsoid,
    FiniteArms,
    LpBall,
    Nearest,
    PointSet,
    Sphere,
)
from banditgym.elementary import each_power
from banditgym.envs.parameters import hidden_theta
from banditgym.envs.point_rewards import (
    expected_of_others,
    expected_of_rows,
    expected_rewards,
    reward_played_points,
    reward_points,
)
from banditgym.envs.shared_settings import NoiseSettings, ParameterSettings
from banditgym.linalg.orthogonal import orthonormal
from banditgym.rounds.blocks import PlayedPoints, PointsBlock
from banditgym.settings import configured, least, one_of, setting, within
from banditgym.spaces import Points
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.tasks import ConvexSetTask
from banditgym.validation import flag, positive, real, reals, whole
from banditgym.vector_env import ARMS, NOISE, THETA, BanditVectorEnv, Played, read_rounds

# The settings of each kind of set, beside its dimension.
_KINDS = {
    "sphere": ("radius",),
    "ball": ("radius",),
    "ellipsoid": ("radius", "axes", "matrix", "condition", "orientation", "axes_seed"),
    "lp_ball": ("radius", "p"),
}


class ConvexSetSettings(NoiseSettings, ParameterSettings):
    """The settings of ``ConvexSetBandit``."""

    action_set: Annotated[str, "The kind of set; each id has its own."] = setting(
        one_of(_KINDS), "ball"
    )
    dim: Annotated[
        int | None,
        "Dimension d; that of ``axes``, ``matrix`` or ``theta`` where given.",
    ] = setting(whole, otherwise=5)
    radius: Annotated[
        float | None,
        "r > 0; not a setting of an ellipsoid of given ``axes`` or ``matrix``.",
    ] = setting(positive, otherwise=1.0)
    p: Annotated[float | None, "Exponent of ``lp_ball``, 1 < p <= 2."] = setting(
        real, otherwise=1.5
    )
    axes: Annotated[Any, "array (d,)", "Semi-axes of an ellipsoid, finite and > 0."] = setting(
        reals
    )
    matrix: Annotated[
        Any, "array (d, d)", "Q of an ellipsoid, symmetric and positive definite."
    ] = setting()
    condition: Annotated[
        float | None,
        "Condition number c >= 1 of the matrix of a drawn ellipsoid, at most 1e10; without "
        "effect in one dimension.",
    ] = setting(within(1.0, 1e10, "lie within 1 .. 1e10"), otherwise=10.0)
    orientation: Annotated[
        str | None, "Directions of the semi-axes, where ``matrix`` is not given."
    ] = setting(one_of(("drawn", "identity")))
    axes_seed: Annotated[int | None, "Seed of the drawn axes and directions of an ellipsoid."] = (
        setting(least(0), otherwise=0)
    )
    project: Annotated[
        bool,
        "Accept any finite action and play the point of the set nearest to it; the action space is "
        "then the Box around the set, for agents that do not support sets. On a sphere the action "
        "0 plays r e_1. Otherwise a point farther off than 1e-9 relative is refused.",
    ] = setting(flag, False)

    @property
    def points(self) -> PointSet:
        """The set."""
        kind, dim = self.action_set, self.dim
        for name in dict.fromkeys(name for names in _KINDS.values() for name in names):
            if name not in _KINDS[kind] and getattr(self, name) is not None:
                kinds = " or ".join(other for other, names in _KINDS.items() if name in names)
                raise ValueError(
                    f"{name} is a setting of {kinds} alone; leave it out where action_set is {kind}"
                )
        theta = None if self.theta is None else reals("theta", self.theta)
        if dim is None and theta is not None and theta.ndim == 1:
            dim = theta.size
        dim = self.filled("dim") if dim is None else dim
        radius = self.filled("radius")
        match kind:
            case "sphere":
                return Sphere(dim, radius)
            case "ball":
                return Ball(dim, radius)
            case "lp_ball":
                return LpBall(dim, self.filled("p"), radius)
        return self._ellipsoid(dim, radius)

    def _ellipsoid(self, dim: int, radius: float) -> Ellipsoid:
        """The ellipsoid of the given matrix or axes, else a drawn one of ``dim`` dimensions."""
        if self.matrix is not None:
            _refuse_beside(
                self, "matrix", "radius", "axes", "condition", "orientation", "axes_seed"
            )
            ellipsoid = Ellipsoid(self.matrix)
        else:
            draws = Stream([self.filled("axes_seed")], ENVIRONMENT, ARMS, 0)
            axes = self.axes
            if axes is not None:
                _refuse_beside(self, "axes", "radius", "condition")
            else:
                axes = radius * _drawn_axes(draws, dim, self.filled("condition"))
            # A single axis, or something that is not a list of axes, has no orientation.
            turned = self.orientation != "identity" and axes.ndim == 1 and axes.size > 1
            ellipsoid = Ellipsoid.of_axes(
                axes, _drawn_directions(draws, axes.size) if turned else None
            )
        if self.dim not in (None, ellipsoid.dim):
            raise ValueError(f"dim is {self.dim}, but the ellipsoid's is {ellipsoid.dim}")
        return ellipsoid


@configured(ConvexSetSettings)
class ConvexSetBandit(BanditVectorEnv):
    r"""Rewards linear in a point of a sphere, a ball, an ellipsoid or an :math:`l_p` ball.

    In round :math:`t` a point :math:`x_t` of the set :math:`\mathcal{D}` is played for the reward

    .. math:: r_t = \langle x_t, \theta_i \rangle + \varepsilon_t,
        \qquad \mathbb{E}\varepsilon_t = 0, \quad \mathbb{E}\varepsilon_t^2 = \sigma^2
        \quad \text{i.i.d.},

    with a hidden :math:`\theta_i`, drawn by ``reset``. The noise of a round depends only on the
    seed and the round: on one seed all agents see the same noise. Observations are zeros of shape
    (n,), actions points of shape (n, d), and ``info["regret"]`` of shape (n,) is the expected
    reward lost in the round, :math:`\max_{x \in \mathcal{D}} \langle x, \theta \rangle - \langle
    x_t, \theta \rangle`. It may be slightly below 0 for a point slightly outside the set.

    The set is a setting, the same for all replicates and seeds, and agents know it:

    - ``sphere``: :math:`\lVert x \rVert = r`;
    - ``ball``: :math:`\lVert x \rVert \le r`;
    - ``ellipsoid``: :math:`x^\top Q x \le 1` with semi-axes :math:`a_1, .., a_d` along orthonormal
      directions. It is given by ``matrix`` Q; or by ``axes``, whose directions are drawn uniformly
      or, with ``orientation="identity"``, are the coordinate axes; or it is drawn. A drawn
      ellipsoid has :math:`a_k = r\, c^{-u_k / 2}`, where :math:`u_1 = 0`, :math:`u_2 = 1` and the
      other :math:`u_k` are uniform on [0, 1], so that its longest semi-axis is r = ``radius`` and Q
      has the condition number c = ``condition``;
    - ``lp_ball``: :math:`\lVert x \rVert_p \le r`.

    A round costs O(n d), and O(n d²) for an ellipsoid whose directions are not coordinate axes.

    Notes
    -----
    Hidden: the parameter θ, and with it the best point.

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

    def _set_up(self, num_envs: int, given: ConvexSetSettings) -> None:
        self._project, self._points = given.project, given.points
        dim = self._points.dim
        self._given_theta, param_norm = given.parameter(dim)
        if not self._points.longest * param_norm < 1e300:
            raise ValueError(
                "rewards would not be finite: the longest point has the norm "
                f"{self._points.longest:g}, and theta one up to {param_norm:g}"
            )
        self._law = given.law
        task = ConvexSetTask(
            dim=dim,
            horizon=given.rounds,
            noise_std=self._law.std,
            subgaussian=self._law.subgaussian,
            feature_norm=self._points.longest,
            param_norm=param_norm,
            action_set=self._points,
        )
        nothing, reader = spaces.Discrete(1), None
        actions: spaces.Space = Points(self._points)
        if self._project:
            extent, reader = self._points.extent, Nearest(self._points)
            actions = spaces.Box(-extent, extent, dtype=np.float64)
        super().__init__(num_envs, task, nothing, actions, reader)

    def _begin(self) -> None:
        task = self.task
        self._theta = hidden_theta(
            self._given_theta, self._stream(THETA), task.param_norm, task.dim
        )
        self._noise_keys = self._stream(NOISE).keys
        self._best = np.empty(self.num_envs)
        expected_rewards(self._points.argmax(self._theta), self._theta, self._best)
        # The expected rewards of the basis, (n, d), and (d, n) for loops along the replicates.
        means = np.empty((self.num_envs, self.task.dim))
        expected_of_rows(np.array(self._points.basis), self._theta, means)
        self._of_basis = means, np.ascontiguousarray(means.T)

    def _rounds(self, t: int, rounds: int) -> PointsBlock:
        noise = self._law.draw_rounds(self._noise_keys, t, rounds)
        return PointsBlock(
            start=t, playable=not self._project, noise=noise, means=self._of_basis[0]
        )

    def _reward(self, block: PointsBlock, places: np.ndarray, actions: np.ndarray | PlayedPoints):
        reward, regret = np.empty((2, len(places), self.num_envs))
        if isinstance(actions, PlayedPoints):  # of the whole block
            other_means = np.empty(actions.others.shape[:2])
            expected_of_others(actions.others, self._theta, other_means)
            means = self._of_basis[1], other_means
            reward_played_points(means, self._best, block.noise, actions.which, reward, regret)
        else:
            hidden = self._theta, self._best
            reward_points(*hidden, block.noise, places, actions, reward, regret)
        return reward, {"regret": regret}

    def _reward_one(self, block: PointsBlock) -> Callable[[int, Any], Played]:
        noise, read_one = block.noise, self._set.read_one
        theta, best = self._theta, self._best.item()
        out = np.empty(1)

        def play(s: int, action: Any) -> Played:
            expected_rewards(read_one(action), theta, out)
            mean = out.item()
            return mean + noise.item(s), {"regret": best - mean}

        return play

    def _read_rounds(self, actions: ArrayLike | PlayedPoints, rounds: int) -> Any:
        n = self.num_envs
        if not isinstance(actions, PlayedPoints):
            return super()._read_rounds(actions, rounds)
        numbers = FiniteArms(self.task.dim + len(actions.others))
        alike = np.shape(actions.which) == (rounds, 1)
        return PlayedPoints(
            basis=actions.basis,
            others=read_rounds(self._set, actions.others, len(actions.others), n),
            which=read_rounds(numbers, actions.which, rounds, 1 if alike else n),
        )


def _refuse_beside(given: ConvexSetSettings, name: str, *others: str) -> None:
    for other in others:
        if getattr(given, other) is not None:
            raise ValueError(f"{other} has no meaning where {name} is given; leave it out")


def _drawn_axes(draws: Stream, dim: int, condition: float) -> np.ndarray:
    """Semi-axes (d,) of an ellipsoid whose longest is 1."""
    exponents = draws.uniform(0, (dim,))[0]
    exponents[:2] = (0.0, 1.0)[:dim]
    return each_power(condition, -0.5 * exponents)


def _drawn_directions(draws: Stream, dim: int) -> np.ndarray:
    """Orthonormal rows (d, d), uniform among all of them."""
    # With R's diagonal positive, QR factors are unique, so rotating the normals rotates Q alike.
    columns, _ = orthonormal(draws.normal(1, (dim, dim))[0])
    return columns.T
