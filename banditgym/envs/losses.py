"""Online convex optimisation on a ball."""

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from gymnasium import spaces

from banditgym.action_sets import Ball, Nearest
from banditgym.compiled import compiled
from banditgym.elementary import each_power
from banditgym.envs.parameters import on_sphere
from banditgym.rounds.blocks import UnseenBlock
from banditgym.settings import Settings, configured, least, one_of, setting, within
from banditgym.spaces import Points
from banditgym.streams import fill_normal, fill_uniform
from banditgym.tasks import LossTask
from banditgym.validation import flag, positive, real, whole
from banditgym.vector_env import NOISE, THETA, BanditVectorEnv, Played

_KINDS = ("curved", "alternating", "sign", "random", "switch", "decaying")
_LINEAR = ("sign", "random")
_SCATTERED, _ALTERNATING, _SIGN, _COINS = range(4)  # kinds of losses


class LossSettings(Settings):
    """The settings of ``OnlineConvex``."""

    dim: Annotated[int, "Dimension d of the points."] = setting(whole, 5)
    losses: Annotated[str, "The kind of losses, as above."] = setting(one_of(_KINDS), "curved")
    radius: Annotated[float, "Radius D > 0 of the ball."] = setting(real, 1.0)
    curvature: Annotated[
        float | None,
        "H > 0; not a setting of ``sign`` and ``random``, whose losses are linear.",
    ] = setting(positive, otherwise=1.0)
    curved_rounds: Annotated[int | None, "k >= 0, only for ``switch``."] = setting(
        least(0), otherwise=10
    )
    decay: Annotated[float | None, "a within 0 .. 1, only for ``decaying``."] = setting(
        within(0.0, 1.0, "lie within 0 .. 1"), otherwise=0.5
    )
    project: Annotated[
        bool,
        "Accept any finite action and play the point of the ball nearest to it; the action space "
        "is then the Box ``[-D, D]^d``, for agents that do not support balls. Otherwise a point "
        "farther outside than 1e-9 of the radius is refused.",
    ] = setting(flag, False)


@configured(LossSettings)
class OnlineConvex(BanditVectorEnv):
    r"""Convex losses on the ball of radius D, revealed after the play; nothing is observed.

    In round :math:`t = 1, 2, ..` a point :math:`x_t` of the ball is played, and its loss is
    :math:`\ell_t(x_t)`, where the setting ``losses`` is

    - ``curved``: :math:`\ell_t(x) = \frac{H}{2} \lVert x - z_t \rVert^2` with :math:`z_t` i.i.d.
      uniform in the ball;
    - ``alternating``: the same with :math:`z_t = D u, -D u, D u, ..`, where the unit vector
      :math:`u` is drawn for each instance;
    - ``sign``: :math:`\ell_t(x) = \langle g_t, x \rangle` with
      :math:`g_t = \mathrm{sign}(x_t) / \sqrt{d}` coordinate by coordinate, sign(0) = 1. This is an
      adversary that sees the point played, so ``task.adaptive`` is true;
    - ``random``: :math:`\langle g_t, x \rangle`, where each coordinate of :math:`g_t` is
      :math:`\pm 1 / \sqrt{d}` by a fair coin;
    - ``switch``: ``alternating`` for the first k = ``curved_rounds`` rounds, then ``sign``
      (adaptive);
    - ``decaying``: :math:`\frac{H_t}{2} \lVert x - z_t \rVert^2` with :math:`H_t = H t^{-a}`,
      a = ``decay``, and :math:`z_t` as in ``curved``.

    Centres and coins depend only on the seed and the round, so environments with one seed are
    paired.

    Observations are zeros of shape (n,), actions points of shape (n, d), rewards
    :math:`-\ell_t(x_t)`. ``info["feedback"]`` has ``loss`` (n,), :math:`\ell_t(x_t)`; ``gradient``
    (n, d), :math:`\nabla \ell_t(x_t)`; and ``curvature`` (n,), :math:`H_t`, 0 for linear losses.
    ``info["regret"]`` of shape (n,) is an increment, whose sum after round t is

    .. math:: \sum_{s \le t} \ell_s(x_s) - \min_{\lVert u \rVert \le D} \sum_{s \le t} \ell_s(u).

    An increment may be negative. All losses are isotropic, so their sum is
    :math:`\frac{A}{2} \lVert u \rVert^2 - \langle b, u \rangle + c`. Its minimum is at
    :math:`b / A` if that lies in the ball, else at :math:`D b / \lVert b \rVert`.

    Notes
    -----
    Hidden: the loss of a round until a point is played. Its value and gradient at the point and its
    curvature are revealed afterwards. Its form is never shown.

    References
    ----------
    P. Bartlett, E. Hazan, A. Rakhlin. Adaptive Online Gradient Descent. NeurIPS 2007.

    A. Rakhlin. Lecture 24 of CS281B/Stat241B, Statistical Learning Theory. Berkeley 2008.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("OnlineConvex-v0", num_envs=2, dim=3, losses="sign")
    >>> _ = envs.reset(seed=0)
    >>> info = envs.step([[0.6, -0.3, 0.0], [0.0, 0.0, 0.0]])[4]
    >>> info["feedback"]["gradient"].round(3)
    array([[ 0.577, -0.577,  0.577],
           [ 0.577,  0.577,  0.577]])
    """

    def _set_up(self, num_envs: int, given: LossSettings) -> None:
        losses = given.losses
        for name, kinds in (
            ("curvature", [kind for kind in _KINDS if kind not in _LINEAR]),
            ("curved_rounds", ["switch"]),
            ("decay", ["decaying"]),
        ):
            if losses not in kinds:
                given.refuse_given(
                    (name,),
                    f"is a setting of losses {' or '.join(kinds)}; leave it out where losses is "
                    f"{losses}",
                )
        self._ball = Ball(given.dim, given.radius)
        self._losses = losses
        self._curvature = given.filled("curvature")
        self._curved_rounds = given.filled("curved_rounds")
        self._decay = given.filled("decay")
        horizon = given.rounds
        largest = 2.0 * horizon * max(self._curvature, 1.0) * max(self._ball.radius, 1.0)
        if not largest * largest < math.inf:  # the regret needs squares of sums
            raise ValueError(
                "sums of losses would not be finite: horizon * curvature * radius must stay below "
                f"1e153, got {horizon} * {self._curvature} * {self._ball.radius}"
            )
        bounds = []  # on the norms of gradients: of curved losses across the ball, of linear ones
        if losses not in _LINEAR:
            bounds.append(2.0 * self._curvature * self._ball.radius)
        if losses in (*_LINEAR, "switch"):
            bounds.append(1.0)
        task = LossTask(
            dim=self._ball.dim,
            horizon=horizon,
            action_set=self._ball,
            gradient_norm=max(bounds),
            adaptive=losses in ("sign", "switch"),
        )
        nothing, reader = spaces.Discrete(1), None
        actions: spaces.Space = Points(self._ball)
        if given.project:
            actions = spaces.Box(-given.radius, given.radius, (self._ball.dim,), np.float64)
            reader = Nearest(self._ball)
        super().__init__(num_envs, task, nothing, actions, reader)

    def _begin(self) -> None:
        n, dim = self.num_envs, self.task.dim
        draws = self._stream(THETA).normal(0, (dim,))
        end = on_sphere(draws, self._ball.radius)  # D u
        self._episode = float(self._ball.radius), self._stream(NOISE).keys, end
        # A, b and c of the sum of the losses so far, (A / 2) ‖u‖² - <b, u> + c; its least value.
        self._sums = np.zeros(n), np.zeros((n, dim)), np.zeros(n), np.zeros(n)

    def _rounds(self, t: int, rounds: int) -> UnseenBlock:
        return UnseenBlock(start=t, rounds=rounds)

    def _reward(self, block: UnseenBlock, places: np.ndarray, actions: np.ndarray):
        measures, gradient = np.empty((3, *actions.shape[:2])), np.empty(actions.shape)
        loss, regret, curvature = measures[0], measures[1], measures[2]
        for j, t in enumerate((block.start + places).tolist()):
            kind, curvature[j] = self._law(t)
            revealed = loss[j], gradient[j]
            given = kind, curvature[j, 0], t, actions[j], self._episode, self._sums
            _reveal(*given, revealed, regret[j])
        feedback = {"loss": loss, "gradient": gradient, "curvature": curvature}
        return 0.0 - loss, {"regret": regret, "feedback": feedback}

    def _reward_one(self, block: UnseenBlock) -> Callable[[int, Any], Played]:
        (loss, regret), start = np.empty((2, 1)), block.start
        read_one, episode, sums = self._set.read_one, self._episode, self._sums

        def play(s: int, action: Any) -> Played:
            points = read_one(action)
            kind, curvature = self._law(start + s)
            revealed = loss, np.empty(points.shape)
            _reveal(kind, curvature, start + s, points, episode, sums, revealed, regret)
            lost = loss.item()
            feedback = {"loss": lost, "gradient": revealed[1][0], "curvature": curvature}
            return 0.0 - lost, {"regret": regret.item(), "feedback": feedback}

        return play

    def _law(self, t: int) -> tuple[int, float]:
        """The kind of loss of round t, counted from 0, and its curvature."""
        match self._losses:
            case "random":
                return _COINS, 0.0
            case "sign":
                return _SIGN, 0.0
            case "switch" if t >= self._curved_rounds:
                return _SIGN, 0.0
            case "switch" | "alternating":
                return _ALTERNATING, self._curvature
            case "decaying":
                return _SCATTERED, self._curvature * each_power(t + 1.0, -self._decay)
        return _SCATTERED, self._curvature


@compiled
def _reveal(kind, curvature, t, points, episode, sums, revealed, regret):
    """Write losses (n,), gradients (n, d) and regrets (n,) of the points (n, d) of round t.

    Updates the sum of the losses so far, A (n,), b (n, d), c (n,), and its minimum (n,).
    """
    radius, keys, end = episode
    quadratic, pull, constant, least = sums
    loss, gradient = revealed
    n, dim = points.shape
    # The centre of a curved loss, or the slope of a linear one, with two extra coordinates: a point
    # uniform on the sphere of R^{d+2}, without these, is uniform in the ball of R^d.
    draw = np.empty(dim + 2)
    for i in range(n):
        if kind == _SCATTERED:
            fill_normal(keys[i, 0], keys[i, 1], t, draw)
            square = 0.0
            for j in range(dim + 2):
                square += draw[j] * draw[j]
            scale = radius / math.sqrt(square)
            for j in range(dim):
                draw[j] *= scale
        elif kind == _ALTERNATING:
            for j in range(dim):
                draw[j] = end[i, j] if t % 2 == 0 else -end[i, j]
        elif kind == _SIGN:
            for j in range(dim):
                draw[j] = (1.0 if points[i, j] >= 0.0 else -1.0) / math.sqrt(dim)
        else:
            fill_uniform(keys[i, 0], keys[i, 1], t, draw[:dim])
            for j in range(dim):
                draw[j] = (1.0 if draw[j] < 0.5 else -1.0) / math.sqrt(dim)
        total, level, norm = 0.0, 0.0, 0.0
        if kind in (_SCATTERED, _ALTERNATING):
            for j in range(dim):
                away = points[i, j] - draw[j]
                gradient[i, j] = curvature * away
                total += 0.5 * curvature * away * away
                level += 0.5 * curvature * draw[j] * draw[j]
                pull[i, j] += curvature * draw[j]
            quadratic[i] += curvature
            constant[i] += level
        else:
            for j in range(dim):
                gradient[i, j] = draw[j]
                total += draw[j] * points[i, j]
                pull[i, j] -= draw[j]
        for j in range(dim):
            norm += pull[i, j] * pull[i, j]
        norm = math.sqrt(norm)
        if norm < quadratic[i] * radius:  # the free minimum b / A lies in the ball
            lowest = constant[i] - 0.5 * norm * (norm / quadratic[i])
        else:
            lowest = constant[i] + radius * (0.5 * quadratic[i] * radius - norm)
        loss[i] = total
        regret[i] = total - (lowest - least[i])
        least[i] = lowest
