r"""The exact posterior of a Gaussian process; with fixed arms, from the distinct arms pulled."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.numerics.kernel_posterior import absorb_pulls, condition_draws, fill_normals
from agents.parts.posteriors.exact_changing import ChangingArms
from banditgym.covariances import Covariance
from banditgym.gaussian_process import PriorDraws
from banditgym.streams import AGENT, Stream

_CAPACITY = 16  # initial size of arrays that grow
_FREQUENCIES = 8  # purpose of the stream of frequencies that prior draws at many arms share


@dataclass(frozen=True, kw_only=True)
class Exact:
    r"""The exact posterior; the others are approximations to it.

    With :math:`X_t` the arms of the t pulls so far, rewards y and :math:`k_t(x) = k(X_t, x)`,

    .. math:: \mu(x) = k_t(x)^\top (K_t + \lambda I)^{-1} y, \qquad
        \sigma^2(x) = \tfrac{1}{\lambda}
        \bigl(k(x, x) - k_t(x)^\top (K_t + \lambda I)^{-1} k_t(x)\bigr).

    The distinct arms U give the same posterior, with :math:`K_{UU} + \lambda N^{-1}` and mean
    rewards in place of :math:`K_t + \lambda I` and y, where N has the pull counts. A pull costs one
    matrix-vector product, :math:`O(K |U| + |U|^2)`, and :math:`O(K + |U|^2)` if the arm is that of
    the previous pull (``agents.numerics.kernel_posterior`` states the accuracy). Where every round
    has arms of its own, and on a box, the posterior is computed from all pulls, in
    :math:`O(K t d + K t^2)`, without batches and draws.

    Its state offers ``predict(contexts)`` -> :math:`\mu` and :math:`\sigma^2` of every arm, both
    (n, K), ``update(..)``, ``log_det`` :math:`\log\det(K_t / \lambda + I)`,
    ``effective_dimension()`` :math:`\sum_s \sigma^2(x_s)` over the pulls, and ``pulls``, all (n,);
    and, with fixed arms, ``sample(..)``.

    Memory with fixed arms: 3 K + 2 |U|² + 4 |U| numbers per replicate, and K for each arm that any
    replicate has pulled, because all replicates share the arms and the rows of their kernel.

    References
    ----------
    D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco. Gaussian Process Optimization
    with Adaptive Sketching: Scalable and No Regret. COLT 2019, equations (1) and (2); all variances
    are (2) divided by :math:`\lambda`, as everywhere in that paper after it.
    """

    batches: ClassVar[bool] = True

    def refusal(self, task: Any, covariance: Covariance) -> str | None:
        """None: it can serve every task."""
        return None

    def reset(
        self, task: Any, *, n: int, seeds: Any, covariance: Covariance, ridge: float
    ) -> "FixedArms | ChangingArms":
        """The state before any data, for n replicates of a task; it is deterministic."""
        if task.arms is None:
            return ChangingArms.prior(task, n=n, covariance=covariance, ridge=ridge)
        arms = np.array(task.arms, dtype=np.float64)
        shape, n_arms = (n, _CAPACITY), len(arms)
        return FixedArms(
            covariance=covariance,
            ridge=float(ridge),
            arms=arms,
            mean=np.zeros((n, n_arms)),
            variance=np.tile(covariance.diagonal(arms) / ridge, (n, 1)),
            held=np.zeros((n, 0)),
            log_det=np.zeros(n),
            effective=np.zeros(n),
            pulls=np.zeros(n, np.int64),
            rows=np.zeros((_CAPACITY, n_arms)),
            row_of=np.full(n_arms, -1, np.int64),
            n_rows=0,
            pulled=np.zeros(shape, np.int64),
            n_pulled=np.zeros(n, np.int64),
            counts=np.zeros(shape),
            paid=np.zeros(shape),
            gram=np.zeros((*shape, _CAPACITY)),
            inverse=np.zeros((*shape, _CAPACITY)),
            column=np.zeros((n, n_arms)),
            column_of=np.full(n, -1, np.int64),
            pending=np.zeros(n, bool),
            everywhere=np.ones(n, bool),
        )


@dataclass(eq=False)
class FixedArms:
    """The exact posterior with fixed arms.

    Attributes
    ----------
    mean, variance : ndarray of shape (n, K)
        The current mean and variance of every arm.
    log_det, effective, pulls : ndarray of shape (n,)
        The log-determinant, the effective dimension and the number of pulls.
    held : ndarray of shape (n, K)
        The variance at the start of the batch; empty as long as there were no batches.
    rows, row_of, n_rows
        Rows (capacity, K) of the kernel over the ridge, for ``n_rows`` arms; the number of each
        arm's row (K,), or -1.
    pulled, counts, paid : ndarray of shape (n, capacity)
        The ``n_pulled`` (n,) distinct arms, their pull counts and sums of rewards.
    gram, inverse : ndarray of shape (n, capacity, capacity)
        Their kernel over the ridge, and the inverse of this kernel plus one over the counts.
    column, column_of : ndarray of shape (n, K) and (n,)
        The posterior covariance with the arm pulled last, and that arm, or -1.
    pending : ndarray of shape (n,)
        Whether there are pulls that the mean does not include yet.
    """

    covariance: Covariance
    ridge: float
    arms: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    held: np.ndarray
    log_det: np.ndarray
    effective: np.ndarray
    pulls: np.ndarray
    rows: np.ndarray
    row_of: np.ndarray
    n_rows: int
    pulled: np.ndarray
    n_pulled: np.ndarray
    counts: np.ndarray
    paid: np.ndarray
    gram: np.ndarray
    inverse: np.ndarray
    column: np.ndarray
    column_of: np.ndarray
    pending: np.ndarray
    everywhere: np.ndarray

    # A cache beside the state, made by the first draw: the arrays that prior draws share.
    __slots__ = ("__dict__", "__weakref__", "_prior_draws")

    @property
    def settled_variance(self) -> np.ndarray:
        """The variance (n, K) at the start of the batch; not to be written."""
        return self.held if self.held.size else self.variance

    def effective_dimension(self) -> np.ndarray:
        """The sum (n,) of the present variances of all pulls; not to be written."""
        return self.effective

    def predict(self, contexts: None) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms; the state itself, not to be written."""
        return self.mean, self.variance

    def update(
        self, contexts: None, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray,
        settle: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        """Learn the rewards (n,) of the arms (n,) where observed (n,).

        Where ``settle`` (n,) is false the batch continues: the variance shrinks and the mean stays
        as it is. The next pull with ``settle`` updates the mean with all pulls.
        """
        new = observed & (self.row_of[arms] < 0)
        if new.any():
            self._store(np.unique(arms[new]))
        if settle is None:
            settle = self.everywhere
        elif not self.held.size:
            self.held = self.variance.copy()
        absorb_pulls(
            self.rows, self.row_of, self.pulled, self.n_pulled, self.counts, self.paid, self.gram,
            self.inverse, self.mean, self.variance, self.column, self.column_of, self.pulls,
            self.pending, self.log_det, self.effective, arms, reward, observed, settle,
        )  # fmt: skip
        if self.held.size:
            settled = observed & settle
            self.held[settled] = self.variance[settled]
        if self.n_pulled.max() == self.pulled.shape[1] < len(self.arms):
            self._grow()

    def sample(self, keys: np.ndarray, t: np.ndarray, scale: np.ndarray) -> np.ndarray:
        r"""A draw (n, K) from :math:`\mathcal{N}(\mu, \text{scale}^2\, c)`, jointly at all arms.

        By Matheron's rule [1]_: with h a draw of the prior, of covariance :math:`K / \lambda`, and
        :math:`\epsilon \sim \mathcal{N}(0, N^{-1})` at the arms U pulled,

        .. math:: \mu + \text{scale} \cdot \bigl(h - K_{\cdot U} (K_{UU} + \lambda N^{-1})^{-1}
            (h_U + \epsilon)\bigr),

        whose covariance is the posterior's c. For up to 5000 arms h is exact, except for an extra
        variance at every arm of :math:`2 K^2` eps times the prior's. It matters only where the
        posterior variance is as small: pulls without noise, at ridges near the least. For more arms
        h is made of random features, whose 4096 K cosines make a round take a hundred times as long
        as with 5000 arms. Within a batch :math:`\mu` is that of its start. A draw takes
        :math:`O(K^2)` time, the first one :math:`O(K^3)` time and :math:`K^2` numbers.

        Parameters
        ----------
        keys : ndarray of shape (n, 2)
            Keys of a ``banditgym.streams.Stream``.
        t, scale : ndarray of shape (n,)
            The number of the draw, and the factor of the standard deviation.

        References
        ----------
        .. [1] J. T. Wilson, V. Borovitskiy, A. Terenin, P. Mostowsky, M. P. Deisenroth. Efficiently
           Sampling Functions from Gaussian Process Posteriors. ICML 2020.
        """
        draws = getattr(self, "_prior_draws", None)
        if draws is None:
            # Shared by all replicates, whatever their seeds.
            stream = Stream([0], AGENT, _FREQUENCIES, 0)
            draws = PriorDraws(self.covariance, self.arms, stream, jitter=0.0)
            self._prior_draws = draws
        normals = np.empty((len(t), draws.n_normals + self.pulled.shape[1]))
        fill_normals(keys, t, normals)
        sampled = draws.draw(normals[:, : draws.n_normals])
        condition_draws(
            self.rows, self.row_of, self.pulled, self.n_pulled, self.counts, self.gram,
            self.inverse, self.mean, normals, scale, 1.0 / math.sqrt(self.ridge), sampled,
        )  # fmt: skip
        return sampled

    def _store(self, arms: np.ndarray) -> None:
        last = self.n_rows + len(arms)
        if last > len(self.rows):
            capacity = max(last, min(_more(len(self.rows)), len(self.arms)))
            self.rows = _longer(self.rows, capacity, (0,))
        new = self.rows[self.n_rows : last]
        np.divide(self.covariance(self.arms[arms], self.arms), self.ridge, out=new)
        self.row_of[arms] = np.arange(self.n_rows, last)
        self.n_rows = last

    def _grow(self) -> None:
        capacity = min(_more(self.pulled.shape[1]), len(self.arms))
        for name in ("pulled", "counts", "paid"):
            setattr(self, name, _longer(getattr(self, name), capacity, (1,)))
        for name in ("gram", "inverse"):
            setattr(self, name, _longer(getattr(self, name), capacity, (1, 2)))


def _more(capacity: int) -> int:
    return capacity + capacity // 2


def _longer(array: np.ndarray, length: int, axes: tuple[int, ...]) -> np.ndarray:
    """A copy of ``array`` whose ``axes`` have that length, with zeros in the new room."""
    shape = list(array.shape)
    for axis in axes:
        shape[axis] = length
    longer = np.zeros(shape, array.dtype)
    longer[tuple(map(slice, array.shape))] = array
    return longer
