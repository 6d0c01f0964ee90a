r"""Ridge regression shared by all arms."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import reject
from agents.estimators.rows import Rows
from banditgym.linalg.inverse import LONGEST, absorb, absorb_fixed, absorb_kernel, predict
from banditgym.linalg.unseen import absorb_fixed_unseen, absorb_unseen, add_unseen


@dataclass(frozen=True, kw_only=True)
class Ridge:
    r"""The ridge estimate of a parameter shared by all arms.

    .. math:: \hat\theta = V^{-1} \sum_s r_s x_s, \qquad
        V = \lambda I + \sum_s x_s x_s^\top.

    Its state offers ``predict(contexts)`` -> mean :math:`x^\top\hat\theta` and variance
    :math:`x^\top V^{-1} x` of every arm, both (n, K), ``update(..)`` and ``log_det`` (n,), the
    log-determinant of :math:`V/\lambda`. Where the arms are fixed, mean and variance are kept
    rather than computed: in a K x K form if K <= d, else in O(K d + d²) a round. Where a round
    brings one row, V is kept as a triangular factor and its inverse not at all. How they are kept
    exact is stated in ``banditgym.linalg``.

    Memory: n (2 d² + 2 K) numbers with fresh arms, n (d (d + 5) / 2 + 2) with one row a round;
    with fixed arms n (K² + K d + 2 K) if K <= d, else n (2 d² + K d + 2 K). Fixed arms that are
    linearly dependent for some replicate, K <= d, take n 2 d² more.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.
    """

    ridge: float = 1.0

    def __post_init__(self):
        if not 0 < self.ridge < np.inf:
            raise ValueError(f"ridge must be > 0 for V to be invertible, got {self.ridge}")

    def reset(self, task: Any, n: int) -> "FreshArms | FixedArms | Rows":
        """The state before any data, for n replicates of a task."""
        dim, shape = task.dim, (n, task.n_arms)
        if task.n_arms == 1 and not task.fixed_arms:
            return Rows.empty(n, dim, float(self.ridge), 0.0)
        _load(dim, task.fixed_arms)
        shared: dict[str, Any] = {
            "ridge": float(self.ridge),
            "mean": np.zeros(shape),
            "variance": np.zeros(shape),
            "log_det": np.zeros(n),
            "rank": np.zeros(n, np.int64),
            "spanned": False,
        }
        if task.fixed_arms:
            empty = np.zeros((n, 0, 0))
            return FixedArms(
                **shared, features=empty, seen=empty, unseen=empty, kernel=empty,
                independent=np.zeros(n, bool),
            )  # fmt: skip
        return FreshArms(**shared, **_nothing_seen(n, dim), theta=np.zeros((n, dim)))


def _load(dim: int, fixed_arms: bool) -> None:
    """Compile, or load, what serves only once all directions are seen.

    So late that no short warm-up gets there: the round would count as a thousand others.
    """
    inverse, one, features = np.zeros((0, dim, dim)), np.zeros((0, 1)), np.zeros((0, dim, 1))
    nothing = (np.zeros(0), features, np.zeros(0, np.int64), np.zeros(0), np.zeros(0, bool))
    if fixed_arms:
        absorb_fixed(inverse, one, one, *nothing)
    else:
        features.flags.writeable = False  # as those that rounds bring: a kernel of its own
        absorb(inverse, np.zeros((0, dim)), *nothing)


def _nothing_seen(n: int, dim: int) -> dict[str, Any]:
    return {"seen": np.zeros((n, dim, dim)), "unseen": np.tile(np.eye(dim), (n, 1, 1))}


@dataclass(eq=False)
class FreshArms:
    """Ridge regression where every round brings its own features.

    Attributes
    ----------
    inverse_gram : ndarray of shape (n, d, d)
        The inverse of V: ``seen + unseen / ridge``.
    theta : ndarray of shape (n, d)
        The ridge estimate.
    log_det : ndarray of shape (n,)
        log det V - d log ridge.
    seen, unseen : ndarray of shape (n, d, d)
        The inverse of V on the span of the features learned from, and the projector on the rest.
    rank : ndarray of shape (n,)
        Dimension of that span.
    spanned : bool
        Whether it is d in every replicate.
    """

    ridge: float
    mean: np.ndarray
    variance: np.ndarray
    log_det: np.ndarray
    rank: np.ndarray
    spanned: bool
    seen: np.ndarray
    unseen: np.ndarray
    theta: np.ndarray

    @property
    def inverse_gram(self) -> np.ndarray:
        return self.seen + self.unseen / self.ridge

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms with features (n, d, K); overwritten next time."""
        bad = predict(self.seen, self.theta, contexts, self.mean, self.variance)
        reject(bad, "a feature")
        if not self.spanned:
            bad = add_unseen(self.unseen, self.rank, self.ridge, contexts, self.variance)
            reject(-2 - bad if bad >= 0 else -1, "a feature")
        return self.mean, self.variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) where observed (n,)."""
        learned = (self.theta, self.log_det, contexts, arms, reward, observed)
        if self.spanned:
            bad = absorb(self.seen, *learned)
        else:
            bad = absorb_unseen(self.seen, self.unseen, self.rank, self.ridge, *learned)
            self.spanned = bool(self.rank.min() == contexts.shape[1])
        reject(bad, "a feature")


@dataclass(eq=False)
class FixedArms:
    """Ridge regression where the arms of an episode are those of its first round.

    Attributes
    ----------
    mean, variance : ndarray of shape (n, K)
        Of every arm, kept up to date.
    log_det : ndarray of shape (n,)
        log det V - d log ridge.
    features : ndarray of shape (n, d, K)
        The arms; empty before the first round.
    independent : ndarray of shape (n,)
        Whether the replicate's arms are linearly independent, and its state is ``kernel``.
    kernel : ndarray of shape (n, K, K)
        X V^{-1} X^T where K <= d, else empty.
    seen, unseen, rank, spanned, inverse_gram
        As of ``FreshArms``, for replicates whose arms are dependent; empty where none are.
    """

    ridge: float
    mean: np.ndarray
    variance: np.ndarray
    log_det: np.ndarray
    rank: np.ndarray
    spanned: bool
    features: np.ndarray
    seen: np.ndarray
    unseen: np.ndarray
    kernel: np.ndarray
    independent: np.ndarray

    @property
    def inverse_gram(self) -> np.ndarray:
        return self.seen + self.unseen / self.ridge

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms; the state itself, not to be written."""
        if not self.features.size:
            self._meet(contexts)
        return self.mean, self.variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) where observed (n,)."""
        if not self.features.size:
            self._meet(contexts)
        kept = (self.mean, self.variance, self.log_det)
        if self.kernel.size:
            by_kernel = observed & self.independent if self.seen.size else observed
            absorb_kernel(self.kernel, *kept, arms, reward, by_kernel)
        if self.seen.size:
            learned = (*kept, self.features, arms, reward, observed & ~self.independent)
            if self.spanned:
                absorb_fixed(self.seen, *learned)
            else:
                absorb_fixed_unseen(self.seen, self.unseen, self.rank, self.ridge, *learned)
                rest = self.rank[~self.independent]
                self.spanned = bool(rest.min() == contexts.shape[1])

    def _meet(self, contexts: np.ndarray) -> None:
        finite = np.isfinite(contexts).all(axis=(1, 2))
        reject(-1 if finite.all() else int(np.argmin(finite)), "a feature")
        n, dim, n_arms = contexts.shape
        variance = (contexts * contexts).sum(axis=1) / self.ridge
        long = (variance > LONGEST).any(axis=1)
        reject(-2 - int(np.argmax(long)) if long.any() else -1, "a feature")
        self.features = contexts.copy()
        self.variance[:] = variance
        if n_arms <= dim:
            self.independent = np.linalg.matrix_rank(contexts) == n_arms
            # One product per replicate: a batched one might differ with n in the last bit.
            self.kernel = np.stack([x.T @ x / self.ridge for x in contexts])
        if not self.independent.all():
            start = _nothing_seen(n, dim)
            self.seen, self.unseen = start["seen"], start["unseen"]
