"""Sets of actions: what may be played, and how an illegal action is refused."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from banditgym.compiled import compiled
from banditgym.linalg.ball import length, project, stretch
from banditgym.settings import brief, positive, whole

# Compared by identity, ten times as fast as by value.
_INT64, _FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)
TOLERANCE = 1e-9  # relative: points this far outside a set are accepted, and used as given


@dataclass(frozen=True)
class FiniteArms:
    """The arms 0, .., n_arms - 1.

    Parameters
    ----------
    n_arms : int
        Number of arms K.
    """

    n_arms: int

    def read(self, actions: Any, n: int) -> np.ndarray:
        """Arms of shape (n,) as int64; their range is left to the kernel that plays them.

        Raises
        ------
        ValueError
            If they are not n integers.
        """
        try:
            arms = np.asarray(actions)
        except ValueError:  # sequences of different lengths
            arms = np.empty(0)
        if arms.dtype is _INT64 and arms.shape == (n,) and arms.flags.c_contiguous:
            return arms
        if arms.dtype.kind not in "iu" or arms.shape != (n,):
            raise ValueError(
                f"expected {n} arms, each an integer in 0..{self.n_arms - 1}, got "
                f"{brief(actions)} of shape {arms.shape}, {arms.dtype}"
            )
        return arms.astype(np.int64)

    def read_rounds(self, actions: Any, rounds: int, n: int) -> np.ndarray:
        """Arms of shape (rounds, n) as int64, in range.

        Raises
        ------
        ValueError
            If they are not; of an arm out of range with its replicate.
        """
        arms = np.asarray(actions)
        if arms.dtype.kind not in "iu" or arms.shape != (rounds, n):
            raise ValueError(
                f"expected arms of shape {(rounds, n)}, got {arms.shape}, {arms.dtype}"
            )
        arms = np.ascontiguousarray(arms, dtype=np.int64)
        out = (arms < 0) | (arms >= self.n_arms)
        if out.any():
            t, replicate = divmod(int(np.argmax(out)), n)
            raise self.refusal(arms[t], replicate)
        return arms

    def refusal(self, arms: np.ndarray, replicate: int) -> ValueError:
        """The error for the arm of a replicate that is out of range.

        An index of -1 would quietly play the last arm, so numpy is not left to judge.
        """
        return ValueError(
            f"arm {arms[replicate]} of replicate {replicate} is not in 0..{self.n_arms - 1}"
        )


@dataclass(frozen=True)
class DistinctLabels:
    """Rankings: arrays of r distinct labels out of 0, .., n_labels - 1.

    Parameters
    ----------
    n_labels : int
        Number of labels k.
    slots : int
        Labels of a ranking r, at most k.
    """

    n_labels: int
    slots: int

    def __post_init__(self):
        whole("n_labels", self.n_labels)
        if whole("slots", self.slots) > self.n_labels:
            raise ValueError(
                f"slots must be at most the number of labels, {self.n_labels}, got {self.slots}"
            )

    @property
    def dim(self) -> int:
        """The number of slots."""
        return self.slots

    def sample(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Rankings (n, r), each as likely as any other."""
        keys = rng.random((n, self.n_labels))
        return np.ascontiguousarray(np.argsort(keys, axis=1, kind="stable")[:, : self.slots])

    def read(self, actions: Any, n: int) -> np.ndarray:
        """Rankings (n, r) as int64, C-contiguous.

        Raises
        ------
        ValueError
            If they are not n arrays of r integers, or not of distinct labels in range.
        """
        try:
            rankings = np.asarray(actions)
        except ValueError:  # sequences of different lengths
            rankings = np.empty(0)
        if rankings.dtype.kind not in "iu" or rankings.shape != (n, self.slots):
            raise ValueError(
                f"expected {n} rankings, each of {self.slots} distinct integers in "
                f"0..{self.n_labels - 1}, got {brief(actions)} of shape {rankings.shape}, "
                f"{rankings.dtype}"
            )
        rankings = np.ascontiguousarray(rankings, dtype=np.int64)
        bad = first_bad_label(rankings, self.n_labels)
        if bad >= 0:
            raise self.refusal(rankings, bad)
        return rankings

    def refusal(self, rankings: np.ndarray, replicate: int) -> ValueError:
        """The error for the ranking of a replicate that is not of distinct labels in range."""
        return ValueError(
            f"ranking {rankings[replicate].tolist()} of replicate {replicate} is not of distinct "
            f"labels in 0..{self.n_labels - 1}"
        )


@compiled
def first_bad_label(labels, n_labels):
    """The first row of ``labels`` (n, r) with one out of range, or twice the same; or -1."""
    n, slots = labels.shape
    for i in range(n):
        for j in range(slots):
            if labels[i, j] < 0 or labels[i, j] >= n_labels:
                return i
            for before in range(j):
                if labels[i, before] == labels[i, j]:
                    return i
    return -1


@dataclass(frozen=True)
class Ball:
    r"""The points x of :math:`\mathbb{R}^d` with :math:`\lVert x\rVert \le r`.

    Parameters
    ----------
    dim : int
        Dimension d.
    radius : float
        r, > 0.
    """

    dim: int
    radius: float = 1.0

    def __post_init__(self):
        whole("dim", self.dim)
        positive("radius", self.radius)

    def sample(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Points (n, d), uniform in the ball."""
        direction = rng.standard_normal((n, self.dim + 2))
        # A point uniform on the sphere of R^{d+2}, without two coordinates, is uniform in the ball.
        length = np.sqrt((direction * direction).sum(axis=1, keepdims=True))
        return np.ascontiguousarray(self.radius * (direction / length)[:, : self.dim])

    def project(self, points: np.ndarray) -> np.ndarray:
        """The nearest points of the ball to ``points`` (n, d), finite; a fresh array.

        Points of the ball stay what they are bit for bit, and so do projections.
        """
        nearest = _frozen(points).copy()
        _project(nearest, float(self.radius))
        return nearest

    def distance(self, points: np.ndarray) -> np.ndarray:
        """How far outside ``points`` (n, d) lie, (n,); 0 for points of the ball."""
        return np.maximum(0.0, _lengths(_frozen(points)) - self.radius)

    def argmax(self, direction: np.ndarray) -> np.ndarray:
        """The points of largest inner product with ``direction`` (n, d); 0 for a direction 0."""
        ends = _frozen(direction).copy()
        _stretch(ends, float(self.radius))
        return ends

    def read(self, actions: Any, n: int) -> np.ndarray:
        """Points of shape (n, d) as float64, C-contiguous and read-only.

        Raises
        ------
        ValueError
            If they are not n points, not finite, or further outside than 1e-9 of the radius; the
            message has the distance.
        """
        points = read_points(actions, n, self.dim)
        distance = self.distance(points)
        far = distance > TOLERANCE * self.radius
        if far.any():
            i = int(np.argmax(far))
            raise ValueError(
                f"point {brief(points[i])} of replicate {i} is not in the ball of radius "
                f"{self.radius}: it lies {distance[i]:.6g} outside"
            )
        return points


def read_points(actions: Any, n: int, dim: int) -> np.ndarray:
    """Finite points (n, d) as float64, C-contiguous and read-only, or a ValueError."""
    try:
        points = np.asarray(actions)
    except ValueError:  # sequences of different lengths
        points = np.empty(0, object)
    if points.dtype.kind not in "iuf" or points.shape != (n, dim):
        raise ValueError(
            f"expected {n} points of {dim} numbers, got {brief(actions)} of shape {points.shape}, "
            f"{points.dtype}"
        )
    points = _frozen(points)
    finite = np.isfinite(points)
    if not finite.all():
        i = int(np.argmin(finite.all(axis=1)))
        raise ValueError(f"point {brief(points[i])} of replicate {i} is not finite")
    return points


def _frozen(points: np.ndarray) -> np.ndarray:
    """Points as kernels are compiled for them; a view where they need no conversion."""
    if points.dtype is not _FLOAT64 or not points.flags.c_contiguous:
        with np.errstate(over="ignore"):  # a number of more than 64 bits may become infinite
            points = np.ascontiguousarray(points, dtype=np.float64)
    points = points.view()
    points.flags.writeable = False
    return points


@compiled
def _lengths(points):
    """Norms (n,) of points (n, d); infinite above the largest number."""
    out = np.empty(points.shape[0])
    for i in range(points.shape[0]):
        out[i] = length(points, i)
    return out


@compiled
def _project(points, radius):
    for i in range(points.shape[0]):
        project(points, i, radius)


@compiled
def _stretch(points, radius):
    for i in range(points.shape[0]):
        stretch(points, i, radius)
