"""Losses against which descent is as slow as its bounds say."""

import numpy as np
from gymnasium import spaces

from banditgym.action_sets import Ball
from banditgym.elementary import each_power
from banditgym.envs.parameters import on_sphere
from banditgym.rounds.blocks import UnseenBlock
from banditgym.tasks import LossTask
from banditgym.vector_env import NOISE, THETA, BanditVectorEnv

SLOPES = ("signs", "coins", "fixed")
CENTRE = 0.5  # norm of c


class HardLosses(BanditVectorEnv):
    r"""Losses of gradient norm 1 and of a given curvature at the point played, on the unit ball.

    .. math:: \ell_t(x) = \langle s_t, x \rangle + \frac{H_t}2 \lVert x - x_t \rVert^2, \qquad
        s_t = \nabla\ell_t(x_t)

    With :math:`s_t = \mathrm{sign}(x_t - c) / \sqrt d`, sign(0) = 1, and a hidden centre c, drawn
    on the sphere of radius 1/2, points move to and fro about c by about a step each, and every
    round costs about half a step. The adversary sees the point played.

    A point outside the ball is played as it is, so that a claim can detect an agent that leaves the
    ball. ``descent_ledger`` computes the regret.

    Parameters
    ----------
    num_envs : int
    dim, horizon : int
    decay : float, optional
        a, for :math:`H_t = t^{-a}`.
    curved_rounds : int, optional
        k, for :math:`H_t = 1` in the first k rounds and 0 later; one of the two must be given.
    slopes : str
        :math:`s_t` after the curved rounds: ``signs`` as above; ``coins``, each coordinate
        :math:`\pm 1/\sqrt d` by a fair coin; ``fixed``, :math:`c / \lVert c \rVert`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        dim: int = 5,
        horizon: int = 1000,
        decay: float | None = None,
        curved_rounds: int | None = None,
        slopes: str = "signs",
    ):
        if (decay is None) == (curved_rounds is None):
            raise ValueError(
                f"give decay or curved_rounds, one of them, got {decay} and {curved_rounds}"
            )
        if slopes not in SLOPES:
            raise ValueError(f"slopes must be one of {', '.join(SLOPES)}, got {slopes!r}")
        ball = Ball(dim, 1.0)
        task = LossTask(dim=dim, horizon=horizon, action_set=ball, gradient_norm=1.0, adaptive=True)
        anywhere = spaces.Box(-np.inf, np.inf, (dim,), np.float64)
        super().__init__(num_envs, task, spaces.Discrete(1), anywhere)
        self._decay, self._curved_rounds, self._slopes = decay, curved_rounds or 0, slopes

    def _begin(self) -> None:
        self._centre = on_sphere(self._stream(THETA).normal(0, (self.task.dim,)), CENTRE)
        self._coins = self._stream(NOISE)

    def _rounds(self, t: int, rounds: int) -> UnseenBlock:
        return UnseenBlock(start=t, rounds=1)

    def _reward(self, block: UnseenBlock, places: np.ndarray, actions: np.ndarray):
        slope = self._slope(actions[0], block.start)[None]
        loss = (slope * actions).sum(axis=2)
        curvature = np.full(loss.shape, self.curvature(block.start))
        feedback = {"loss": loss, "gradient": slope, "curvature": curvature}
        return -loss, {"feedback": feedback}

    def curvature(self, t: int) -> float:
        """The curvature of round t, counted from 0."""
        if self._decay is not None:
            return float(each_power(t + 1.0, -self._decay))
        return 1.0 if t < self._curved_rounds else 0.0

    def _slope(self, points: np.ndarray, t: int) -> np.ndarray:
        if self._decay is not None or self._slopes == "signs" or t < self._curved_rounds:
            ahead = points >= self._centre
        elif self._slopes == "coins":
            ahead = self._coins.uniform(t, (self.task.dim,)) < 0.5
        else:
            return self._centre / CENTRE
        return np.where(ahead, 1.0, -1.0) / np.sqrt(self.task.dim)
