"""Linear bandits whose hidden parameter changes during an episode."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from banditgym.compiled import compiled
from banditgym.elementary import cos, sin
from banditgym.envs.changes import read_changes
from banditgym.envs.linear import FeaturedArmsSettings, LinearBandit
from banditgym.envs.parameters import on_sphere
from banditgym.envs.shared_settings import NoiseSettings
from banditgym.rounds.blocks import ArmsBlock
from banditgym.rounds.read_only import read_only
from banditgym.settings import configured, setting, within
from banditgym.validation import reals
from banditgym.vector_env import CHANGES, THETA


class DriftingSettings(NoiseSettings, FeaturedArmsSettings):
    """The settings of ``DriftingLinearBandit``."""

    changes: Annotated[
        int | Sequence[int] | np.ndarray | None,
        "int or sequence of ints, optional",
        "The rounds after which the parameter jumps: counted from 1, increasing, each within "
        "1 .. horizon - 1, and the same for all replicates. An integer S draws a set of S "
        "such rounds for each instance, uniformly among all sets. The default number of jumps is "
        "the number of rows of ``theta`` minus 1; without ``theta`` it is 1, or 0 if ``rate`` > 0.",
    ] = setting()
    rate: Annotated[
        float,
        r"Rotation :math:`\omega` in radians per round, within 0 .. pi (a larger angle equals a "
        "smaller one in the other direction). Needs dim >= 2.",
    ] = setting(within(0.0, math.pi, "lie within 0 .. pi radians per round"), 0.0)
    theta: Annotated[
        Any,
        "array (S + 1, d) or (d,), optional",
        "The hidden parameter at the beginning of each segment. A ``param_norm`` given too must "
        "bound the norms of its rows.",
    ] = setting()

    def _rows(self, *shape: int) -> np.ndarray:
        [dim], rows = shape, reals("theta", self.theta)
        if rows.ndim not in (1, 2) or rows.shape[-1] != dim or rows.size == 0:
            raise ValueError(f"theta must be of shape (S + 1, {dim}) or ({dim},), got {rows.shape}")
        return rows.reshape(-1, dim)


@configured(DriftingSettings)
class DriftingLinearBandit(LinearBandit):
    r"""A linear bandit whose parameter jumps at some rounds, rotates, or both.

    The reward of arm :math:`a` in round :math:`t` is :math:`\langle x_{t,a}, \theta_t \rangle +
    \varepsilon_t`. :math:`S` changes divide an episode into :math:`S + 1` segments. Segment
    :math:`s`, whose first round is :math:`t_s`, has orthogonal directions :math:`u_s` and
    :math:`v_s` of unit norm, and

    .. math:: \theta_t = \rho_s \left( \cos(\omega (t - t_s))\, u_s
        + \sin(\omega (t - t_s))\, v_s \right), \qquad t_s \le t < t_{s+1},

    with :math:`\omega` = ``rate``. Unless ``theta`` is given, :math:`u_s` is uniform on the sphere
    and :math:`\rho_s` = ``param_norm``. The plane of rotation is always drawn: :math:`v_s` is
    uniform on the sphere orthogonal to :math:`u_s`.

    Features, noise and the parameter of the first segment are those of ``LinearBandit`` with the
    same seed and settings. Environments that differ only in their drift are therefore paired.
    Without drift (``changes=0, rate=0``) the environment is ``LinearBandit`` bit for bit. The
    comparator of ``info["regret"]`` is the best arm of the round at the current parameter; its sum
    is the dynamic regret.

    Agents know the same facts as in ``LinearBandit``. They do not know that the parameter may
    drift. They must decide themselves whether to forget and how fast, and forgetting costs regret
    if nothing drifts. ``task.param_norm`` bounds the parameters of all rounds; ``task.fixed_arms``
    refers to features, not to rewards.

    Notes
    -----
    Hidden: the parameter of every round, when it changes and by how much.

    References
    ----------
    Y. Russac, C. Vernade, O. Cappé. Weighted Linear Bandits for Non-Stationary Environments.
    NeurIPS 2019, whose environments jump and rotate on the unit circle.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("DriftingLinearBandit-v0", num_envs=3, changes=[400, 700])
    >>> features, _ = envs.reset(seed=0)
    >>> features.shape
    (3, 10, 5)
    """

    # Called by its own constructor alone.
    def _set_up(self, num_envs: int, given: DriftingSettings) -> None:  # type: ignore[override]
        super()._set_up(num_envs, given)
        self._rate = given.rate
        if self._rate and self.task.dim == 1:
            raise ValueError(
                f"rate must be 0 where dim is 1, with no plane to rotate in, got {self._rate}"
            )
        horizon, theta, moves = self.task.horizon, self._given_theta, self._rate > 0
        self._changes = read_changes(given.changes, horizon, "theta", theta, moves)

    @cached_property
    def _round_bytes(self) -> int:
        means = 8 * self.num_envs * self.task.n_arms if self.task.fixed_arms else 0
        return super()._round_bytes + means  # which change though the arms are fixed

    def _draw_theta(self) -> np.ndarray:
        self._starts = self._changes.starts(self._stream(CHANGES))
        self._jumps = frozenset(self._starts[:, 1:].ravel().tolist())
        self._directions = self._stream(THETA)
        self._reached = 0  # the last round whose theta was written
        self._enter(0)
        return self._origin.copy()

    def _enter(self, t: int) -> None:
        """Read the segments of round t: origin and side (n, d), and first round (n,)."""
        segment = (self._starts <= t).sum(axis=1) - 1
        self._since = self._starts[np.arange(self.num_envs), segment]
        dim = self.task.dim
        # Round 0 of this stream begins as LinearBandit's does.
        draws = self._directions.normal(segment, (2, dim))
        if self._given_theta is None:
            self._origin = on_sphere(draws[:, 0], self.task.param_norm)
        else:
            self._origin = self._given_theta[segment]
        self._side = (
            _orthogonal(draws[:, 1], self._origin) if self._rate else np.zeros_like(draws[:, 1])
        )

    def _move(self, t: int) -> None:
        """Write theta of round t, mostly the one after the last."""
        enters = t in self._jumps or t != self._reached + 1
        if enters:
            self._enter(t)
        self._reached = t
        if enters or (t > 0 and self._rate > 0):
            _turn(self._origin, self._side, self._since, self._rate, t, self._theta)

    def _rounds(self, t: int, rounds: int) -> ArmsBlock:
        fixed = self.task.fixed_arms
        features = self._fixed if fixed else self._features(t, rounds)
        theta = np.empty((rounds, *self._theta.shape))
        for s in range(rounds):
            self._move(t + s)
            theta[s] = self._theta
        means, best = self._means_of(features, theta)
        noise = self._law.draw_rounds(self._noise_keys, t, rounds)
        return ArmsBlock(
            start=t,
            features=read_only(features[:]) if fixed else features,  # shown again: as copies
            means=means,
            best=best,
            noise=noise,
            playable=not fixed,  # agents' loops for fixed arms take fixed means
        )


def _orthogonal(direction: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """The part of ``direction`` (n, d) orthogonal to ``origin``, at the norm of ``origin``."""
    # Squares of a tiny origin would underflow; an origin of 0 stays 0.
    largest = np.abs(origin).max(axis=1, keepdims=True)
    scaled = origin / np.where(largest > 0, largest, 1.0)
    square = (scaled * scaled).sum(axis=1, keepdims=True)  # 0, or within 1 .. d
    for _ in range(2):  # the first pass leaves rounding errors if the rest is small
        along = (direction * scaled).sum(axis=1, keepdims=True) / np.maximum(square, 1.0)
        direction = direction - along * scaled
    length = np.sqrt((direction * direction).sum(axis=1, keepdims=True))
    return np.ascontiguousarray(largest * np.sqrt(square) * (direction / length))


@compiled
def _turn(origin, side, since, rate, t, theta):
    """Write theta (n, d) of round t: ``origin`` turned towards ``side`` since round ``since``."""
    n, dim = theta.shape
    for i in range(n):
        angle = rate * (t - since[i])
        along, across = cos(angle), sin(angle)
        for j in range(dim):
            theta[i, j] = along * origin[i, j] + across * side[i, j]
