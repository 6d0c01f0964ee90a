"""Feature vectors of arms: drawn round by round, or from given rows."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from banditgym.compiled import borrowing, compiled, inlined
from banditgym.data.csv_rows import csv_rows
from banditgym.linalg.product import combine_rows
from banditgym.streams import REGISTER, box_muller, fill_normal, fill_uniform, uniform_pair
from banditgym.validation import brief, positive, read_npy, reals

_KINDS = ("sphere", "ball", "cube", "gaussian")
SPHERE, BALL, CUBE, GAUSSIAN = range(len(_KINDS))

_SUFFIXES = (".npy", ".csv")

# A point uniform on the sphere of R^{d+2}, without its last two coordinates, is uniform in the ball
# of R^d: no power of a uniform is needed.
_BALL_MORE = 2


@dataclass(frozen=True, eq=False)
class Contexts:
    r"""The distribution of feature vectors, each drawn independently.

    Parameters
    ----------
    kind : str
        ``sphere`` and ``ball``: uniform, with radius ``norm``; ``cube``: uniform on ``[0, c]^d``,
        and ``gaussian``: ``N(0, c² I)``, both with ``c = norm / sqrt(d)``; ``rows``: uniform over
        the given ``rows``, with replacement; ``rounds``: the given ones of each round, the same for
        all replicates. After the last of them, those of the last round are shown again.
    dim : int
        Number of features d.
    norm : float
        ``feature_norm``, > 0; that of the longest row of ``rows`` and ``rounds``.
    rows : ndarray of shape (N, d), or (T, d, K)
        The feature rows of ``rows``, or those of every arm and round of ``rounds``; otherwise
        unused and of shape (1, 1).
    """

    kind: str
    dim: int
    norm: float
    rows: np.ndarray

    @classmethod
    def of(
        cls, contexts: ArrayLike | Path, dim: int | None, norm: float | None, rounds: bool = False
    ) -> "Contexts":
        """The distribution for the settings ``contexts``, ``dim`` and ``feature_norm``.

        ``contexts`` is a kind, or an array or a .npy/.csv file of feature rows, which fix the
        dimension and the norm. With ``rounds`` the array may be (T, K, d), for given rounds.
        """
        if isinstance(contexts, str) and contexts in _KINDS:
            norm = 1.0 if norm is None else positive("feature_norm", norm)
            return cls(contexts, 5 if dim is None else dim, norm, np.zeros((1, 1)))
        if isinstance(contexts, str) and Path(contexts).suffix not in _SUFFIXES:
            raise ValueError(
                f"contexts must be one of {', '.join(_KINDS)}, an array (N, d), or a .npy or "
                f".csv file, got {brief(contexts)}"
            )
        rows = read_rows("contexts", contexts, rounds)
        if dim is not None and dim != rows.shape[-1]:
            raise ValueError(f"dim is {dim}, but contexts has rows of {rows.shape[-1]} features")
        if norm is not None:
            raise ValueError(
                "feature_norm is that of the rows where contexts is data; leave it out"
            )
        with np.errstate(over="ignore"):
            norm = float(np.sqrt((rows * rows).sum(axis=-1)).max())
        if norm == math.inf:
            raise ValueError("contexts must have rows of finite norm, got one above 1e154")
        if rows.ndim == 3:
            return cls("rounds", rows.shape[2], norm, np.ascontiguousarray(rows.swapaxes(1, 2)))
        return cls("rows", rows.shape[1], norm, rows)

    @property
    def bound(self) -> float | None:
        """Bound on the norm of a feature vector; None if there is none."""
        return None if self.kind == "gaussian" else self.norm

    @property
    def limits(self) -> tuple[float, float]:
        """Least and greatest value of a feature."""
        if self.kind not in _KINDS:
            return float(self.rows.min()), float(self.rows.max())
        if self.kind == "cube":
            return 0.0, self._side
        return (-math.inf, math.inf) if self.kind == "gaussian" else (-self.norm, self.norm)

    @cached_property
    def _side(self) -> float:
        return self.norm / math.sqrt(self.dim)

    @cached_property
    def _law(self) -> tuple[Callable, Any, tuple[int, float, int] | None]:
        # The kernel of this distribution, so that only this one is compiled, and what it takes;
        # and what the kernel for one short row per replicate takes, if it is for this distribution.
        if self.kind not in _KINDS:
            return _fill_rows if self.kind == "rows" else _fill_given, self.rows, None
        scale = self._side if self.kind in ("cube", "gaussian") else self.norm
        drawn = self.dim + (_BALL_MORE if self.kind == "ball" else 0)
        across = (_KINDS.index(self.kind), scale, drawn) if drawn < 2 * REGISTER else None
        fill, variant = _FILLS[self.kind]
        return fill, (scale, variant), across

    def fill(self, keys: np.ndarray, t: int, features: np.ndarray) -> None:
        """Write the features of round t, of shape (n, d, K), given stream keys (n, 2)."""
        self.fill_rounds(keys, t, features[None])  # by the kernel that is compiled for blocks too

    def fill_rounds(self, keys: np.ndarray, t: int, features: np.ndarray) -> None:
        """Write the features of rounds t, t + 1, .., of shape (m, n, d, K)."""
        fill, given, across = self._law
        if across is not None and features.shape[3] == 1 and len(keys) >= REGISTER:
            rows = self.rows_of_rounds(keys, t, len(features))
            features[..., 0] = rows.transpose(0, 2, 1)
        else:
            fill(given, keys, t, features)

    def rows_of_rounds(self, keys: np.ndarray, t: int, rounds: int) -> np.ndarray:
        """The features of rounds t, t + 1, .. of one arm, (m, d, n)."""
        fill, given, across = self._law
        if across is not None and len(keys) >= REGISTER:
            rows = np.empty((rounds, self.dim, len(keys)))
            _fill_across(*across, keys, t, rows)
            return rows
        features = np.empty((rounds, len(keys), self.dim, 1))
        fill(given, keys, t, features)
        return np.ascontiguousarray(features[..., 0].transpose(0, 2, 1))


def fitting_shape(
    name: str, arms: np.ndarray, n_arms: int | None, dim: int | None
) -> tuple[int, int]:
    """The shape of given arms (K, d), which must agree with ``n_arms`` and ``dim`` if given."""
    if dim is not None and dim != arms.shape[1]:
        raise ValueError(f"dim is {dim}, but {name} has {arms.shape[1]} columns")
    if n_arms is not None and n_arms != len(arms):
        raise ValueError(f"n_arms is {n_arms}, but {name} has {len(arms)} rows")
    return arms.shape  # type: ignore[return-value]  # two numbers


def read_rows(name: str, rows: ArrayLike | Path, rounds: bool = False) -> np.ndarray:
    """Feature rows (N, d) from an array, or from a .npy or .csv file.

    With ``rounds`` the array, or that of a .npy file, may also be (T, K, d).

    Raises
    ------
    FileNotFoundError
        If the file is not there.
    ValueError
        If the rows are not a finite matrix of numbers; the message has ``name``.
    """
    if isinstance(rows, str | Path):
        rows = _read_file(name, Path(rows))
    rows = reals(name, rows)
    if rows.ndim != 2 + (rounds and rows.ndim == 3) or rows.size == 0:
        raise ValueError(f"{name} must be of shape (N, d) with N, d >= 1, got {rows.shape}")
    return rows


def _read_file(name: str, path: Path) -> np.ndarray:
    if path.suffix not in _SUFFIXES:
        raise ValueError(f"{name} must be an array (N, d) or a .npy or .csv file, got '{path}'")
    if not path.is_file():
        raise FileNotFoundError(f"{name}: no such file: {path}")
    if path.suffix == ".npy":
        return read_npy(name, path)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "loadtxt: input contained no data")
            return np.loadtxt(path, delimiter=",", ndmin=2)
    except ValueError as error:
        reason = error
        try:
            list(csv_rows(path, numbers=True, comments="#"))
        except ValueError as uneven:  # which has the line
            reason = uneven
        raise ValueError(f"{name}: {path} holds no matrix of numbers: {reason}") from error


@compiled
def _fill_scaled(given, keys, t, features):
    """Uniforms on [0, scale), or normals of that deviation."""
    scale, normal = given
    rounds, n, dim, n_arms = features.shape
    for s in range(rounds):
        for i in range(n):
            own = features[s, i].reshape(dim * n_arms)
            if normal:
                fill_normal(keys[i, 0], keys[i, 1], t + s, own)
            else:
                fill_uniform(keys[i, 0], keys[i, 1], t + s, own)
            for j in range(dim * n_arms):
                own[j] *= scale


@compiled
def _fill_rows(rows, keys, t, features):
    rounds, n, dim, n_arms = features.shape
    draws = np.empty(n_arms)
    for s in range(rounds):
        for i in range(n):
            fill_uniform(keys[i, 0], keys[i, 1], t + s, draws)
            for k in range(n_arms):
                row = int(draws[k] * rows.shape[0])
                for j in range(dim):
                    features[s, i, j, k] = rows[row, j]


@compiled
def _fill_given(given, keys, t, features):
    for s in range(features.shape[0]):
        at = min(t + s, given.shape[0] - 1)
        for i in range(features.shape[1]):
            for j in range(features.shape[2]):
                for k in range(features.shape[3]):
                    features[s, i, j, k] = given[at, j, k]


@compiled
def _fill_directions(given, keys, t, features):
    """Points of the sphere of ``more`` further dimensions, without their last coordinates."""
    scale, more = given
    rounds, n, dim, n_arms = features.shape
    draws = np.empty((dim + more) * n_arms)
    square = np.empty(n_arms)
    for s in range(rounds):
        for i in range(n):
            own = features[s, i].reshape(dim * n_arms)
            fill_normal(keys[i, 0], keys[i, 1], t + s, draws)
            square[:] = 0.0
            for j in range(dim + more):
                for k in range(n_arms):
                    square[k] += draws[j * n_arms + k] * draws[j * n_arms + k]
            for k in range(n_arms):
                square[k] = scale / math.sqrt(square[k])
            for j in range(dim):
                for k in range(n_arms):
                    # In one dimension rounding may leave the sphere by one unit.
                    x = draws[j * n_arms + k] * square[k]
                    own[j * n_arms + k] = min(max(x, -scale), scale)


_FILLS = {
    "sphere": (_fill_directions, 0),
    "ball": (_fill_directions, _BALL_MORE),
    "cube": (_fill_scaled, False),
    "gaussian": (_fill_scaled, True),
}


@compiled
def _fill_across(kind, scale, m, keys, t, rows):
    for s in range(rows.shape[0]):
        _fill_round_across(kind, scale, m, keys, t + s, rows[s])


@inlined
def _fill_round_across(kind, scale, m, keys, t, rows):
    """The same numbers for one short row per replicate, as (d, n), computed across replicates."""
    # The m draws of one replicate are too few to fill vectors, as fill_normal does along them.
    dim, n = rows.shape
    draws, square = np.empty((m + m % 2, n)), np.empty(n)
    words = keys.ravel()
    for block in range(draws.shape[0] // 2):
        first, last = 0, n - n % REGISTER
        while True:
            for i in range(first, last):
                k0, k1 = words[np.uint64(2 * i)], words[np.uint64(2 * i + 1)]
                u, v = uniform_pair(k0, k1, t, block)
                draws[2 * block, np.uint64(i)] = u
                draws[2 * block + 1, np.uint64(i)] = v
            if kind != CUBE:
                for i in range(first, last):
                    even, odd = draws[2 * block, np.uint64(i)], draws[2 * block + 1, np.uint64(i)]
                    u, v = box_muller(even, odd)
                    draws[2 * block, np.uint64(i)] = u
                    draws[2 * block + 1, np.uint64(i)] = v
            if last == n:
                break
            first, last = n - REGISTER, n  # as in fill_uniform
    if kind in (CUBE, GAUSSIAN):
        for j in range(dim):
            for i in range(n):
                rows[j, i] = scale * draws[j, i]
        return
    square[:] = 0.0
    for j in range(m):
        for i in range(n):
            square[i] += draws[j, i] * draws[j, i]
    for i in range(n):
        square[i] = scale / math.sqrt(square[i])
    for j in range(dim):
        for i in range(n):
            rows[j, i] = min(max(draws[j, i] * square[i], -scale), scale)


@compiled
def linear_means(features, theta, means, best):
    """Expected rewards (m, n, K) of features (m, n, d, K) at theta (m, n, d), and the best (m, n).

    Features, or theta, may have one row, which is that of all rounds.
    """
    for s in range(means.shape[0]):
        arms, of_round = features[min(s, len(features) - 1)], theta[min(s, len(theta) - 1)]
        _write_means(arms, of_round, means[s], best[s])


@borrowing
def _write_means(features, theta, means, best):
    n, _, n_arms = features.shape
    for i in range(n):
        combine_rows(theta[i], features[i], means[i])
    for i in range(n):  # apart, so that a mean is not read back just after it is written
        largest = means[i, 0]
        for k in range(1, n_arms):
            largest = max(largest, means[i, k])
        best[i] = largest
