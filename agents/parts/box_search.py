"""The search by which kernelized agents find the point of a box with the largest score."""

from dataclasses import dataclass

import numpy as np

from agents.parts.posteriors.posterior import PointFunction
from banditgym.action_sets import Box
from banditgym.streams import AGENT, Stream

EVALUATIONS = 256  # points per coordinate and round, by default
_FIRST = 3  # cycles in which all starts are refined
_LAST = 2  # starts that are refined to the end
_RECENT = 4  # points played last, which are candidates


def low_discrepancy(n_points: int, dim: int) -> np.ndarray:
    r"""The points (m, d) of the R-sequence: :math:`x_k = (\tfrac12 + k a) \bmod 1`.

    :math:`a_j = g^{-j}`, g > 1 the root of :math:`g^{d+1} = g + 1`, the golden ratio where d = 1.

    References
    ----------
    M. Roberts. The Unreasonable Effectiveness of Quasirandom Sequences. 2018.
    """
    root = 2.0
    for _ in range(100):  # Newton's method from above: the function is convex
        power = 1.0
        for _ in range(dim):
            power *= root
        root -= (power * root - root - 1.0) / ((dim + 1) * power - 1.0)
    steps = np.empty(dim)
    share = 1.0
    for j in range(dim):
        share /= root
        steps[j] = share
    points = 0.5 + np.arange(1.0, n_points + 1.0)[:, None] * steps
    return points - np.floor(points)


@dataclass(eq=False)
class BoxSearch:
    r"""A search for the largest score on :math:`[0, 1]^d`, the same for all replicates.

    The search is deterministic and evaluates e d points, where e is ``evaluations``. Half of them
    are candidates: the points of an R-sequence, stretched from the middle by a step h on either
    side and clipped to the box. Some candidates therefore lie on its faces and at its corners,
    where bounds are often largest. The last four points played are candidates too.

    The best candidate is a start. Further starts are the best candidates that differ from every
    earlier start by more than 1.5 h in some coordinate, until there are 3 e / 64 starts. The other
    half of the points is spent on cycles of refinement: each start moves to the best of its 2 d
    neighbours along the axes, one step away and within the box, if that is better, and otherwise
    halves its step. After three cycles only the best two starts continue. h is the largest power of
    1/2 for which the box has a cell for each candidate. Ties go to the lower index.

    The search may miss a maximum whose peak is narrower than the distance between candidates. In
    two dimensions with e = 256, over 60 rounds of three replicates with functions of an RBF kernel
    of length-scale 0.3, no point of a grid of 81 by 81 was better than the points played by
    ``GPUCB``, ``RFFUCB`` and ``QFFTS``. For ``KernelUCB`` this happened in one of 174 rounds, by
    0.0002 of the range.

    Attributes
    ----------
    candidates : ndarray of shape (m, d)
    step : float
        h.
    starts, cycles : int
        How many points are refined, and in how many cycles the best two of them are.
    keys : ndarray of shape (n, 2) or (0, 2), uint32
        Keys of the points drawn before the first reward; (0, 2) if none are drawn.
    recent : ndarray of shape (n, 4, d)
        The last points learned from; before any, the middle of the box.
    """

    candidates: np.ndarray
    step: float
    starts: int
    cycles: int
    recent: np.ndarray
    keys: np.ndarray

    @classmethod
    def initial(
        cls, action_set: Box, *, n: int, seeds: list[int], evaluations: int, uniform_first: bool
    ) -> "BoxSearch":
        """The state before any data. With ``uniform_first`` points are drawn before any reward."""
        dim = action_set.dim
        size = max(1, evaluations * dim // 2)
        cells, step = 1, 1.0
        while cells < size:
            cells <<= dim
            step *= 0.5
        stretched = 0.5 + (1.0 + 2.0 * step) * (low_discrepancy(size, dim) - 0.5)
        cycles = evaluations // 4  # cycles of one start, each of which takes 2 d points
        starts = max(1, cycles * 3 // 16)
        return cls(
            candidates=np.minimum(np.maximum(stretched, 0.0), 1.0),
            step=step,
            starts=starts,
            cycles=max(1, (cycles - _FIRST * starts) // _LAST),
            recent=np.full((n, _RECENT, dim), 0.5),
            keys=Stream(seeds if uniform_first else [], AGENT, 0, 0).keys,
        )

    def choose(
        self, box: Box, score: PointFunction, pulls: np.ndarray, decisions: np.ndarray
    ) -> np.ndarray:
        """The points (n, d) to play: the best ones, or drawn where there are no pulls (n,) yet."""
        points, _ = self.best(score)
        if len(self.keys) and not pulls.all():
            drawn = box.draw(self.keys, decisions)
            points = np.where((pulls == 0)[:, None], drawn, points)
        return points

    def best(self, score: PointFunction) -> tuple[np.ndarray, np.ndarray]:
        """The points (n, d) of the largest scores found, and their scores (n,).

        ``score`` takes points (n, d, m), C-contiguous, and returns an array (n, m).
        """
        n, _, dim = self.recent.shape
        rows = np.arange(n)
        pool = np.empty((n, len(self.candidates) + _RECENT, dim))
        pool[:, : len(self.candidates)] = self.candidates
        pool[:, len(self.candidates) :] = self.recent
        worth = score(_columns(pool)).copy()
        starts, values = np.empty((n, self.starts, dim)), np.empty((n, self.starts))
        for k in range(self.starts):
            top = worth.argmax(axis=1)
            starts[:, k], values[:, k] = pool[rows, top], worth[rows, top]
            near = (np.abs(pool - starts[:, k, None]) <= 1.5 * self.step).all(axis=2)
            worth[near] = -np.inf  # where none is left, the start is worthless and ranks last
        step = np.full((n, self.starts), self.step)
        moves = np.concatenate([np.eye(dim), -np.eye(dim)])  # (2 d, d)
        for cycle in range(_FIRST + self.cycles):
            if cycle == _FIRST:
                order = np.argsort(-values, axis=1, kind="stable")[:, :_LAST]
                starts = np.take_along_axis(starts, order[:, :, None], axis=1)
                values, step = (np.take_along_axis(x, order, axis=1) for x in (values, step))
            tried = starts[:, :, None] + step[:, :, None, None] * moves
            tried = np.minimum(np.maximum(tried, 0.0), 1.0)  # (n, starts, 2 d, d)
            worth = score(_columns(tried.reshape(n, -1, dim))).reshape(tried.shape[:3])
            top = worth.argmax(axis=2)[:, :, None]
            best = np.take_along_axis(worth, top, axis=2)[:, :, 0]
            better = best > values
            moved = np.take_along_axis(tried, top[..., None], axis=2)[:, :, 0]
            starts[better], values[better] = moved[better], best[better]
            step[~better] *= 0.5
        top = values.argmax(axis=1)
        return starts[rows, top], values[rows, top]

    def follow(self, points: np.ndarray, observed: np.ndarray) -> None:
        """Remember the points (n, d) learned from, where observed (n,)."""
        self.recent[observed, 1:] = self.recent[observed, :-1]
        self.recent[observed, 0] = points[observed]


def _columns(points: np.ndarray) -> np.ndarray:
    """Points (n, m, d) coordinate by coordinate, (n, d, m), C-contiguous."""
    return np.ascontiguousarray(points.transpose(0, 2, 1))
