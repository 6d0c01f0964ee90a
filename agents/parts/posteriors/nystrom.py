r"""The posterior in a Nyström embedding on inducing points drawn anew from the pulled arms."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.numerics.nystrom_embedding import rebuild, shrink
from agents.parts.posteriors.inclusions import (
    draw_arms,
    inclusion_keys,
    record,
    sum_over_pulls,
    widened,
)
from agents.parts.posteriors.nystrom_changing import ChangingNystromArms
from banditgym.covariances import Covariance
from banditgym.validation import positive


@dataclass(frozen=True, kw_only=True)
class Nystrom:
    r"""BKB's posterior: in the span of a few arms pulled, drawn by their variance.

    With inducing points :math:`S_t` among the arms :math:`X_t` of the t pulls so far, and
    :math:`k_S(x) = k(S_t, x)`, arms are embedded by

    .. math:: z(x) = (K_{SS}^{1/2})^{+} k_S(x), \qquad
        V = Z(X_t)^\top Z(X_t) + \lambda I,

    and their mean and variance, in units of :math:`\lambda` (a prior variance of 1 is
    1 / :math:`\lambda`), are

    .. math:: \tilde\mu_t(x) = z(x)^\top V^{-1} Z(X_t)^\top y, \qquad
        \tilde\sigma_t^2(x) = \frac{(k(x, x) - \lVert z(x)\rVert^2)_+}{\lambda}
        + z(x)^\top V^{-1} z(x).

    The first term ("deterministic training conditional") keeps the variance large away from
    :math:`S_t`. With all pulled arms in S both are the exact posterior's. After the next pull each
    of the t + 1 pulls is drawn into :math:`S_{t+1}` on its own with probability

    .. math:: p = \min(1, \bar q\, \tilde\sigma_t^2(x)),

    with the variance :math:`\tilde\sigma_t^2` from before that pull; the pull itself is drawn too.
    So an arm pulled n times is in S with probability :math:`1 - (1 - p)^n`. :math:`S_1` is the
    first arm, and every :math:`S_{t+1}` is drawn independently of :math:`S_t`. If S is empty, the
    mean is 0 and the variance :math:`k(x, x)/\lambda`.

    Within a batch (``settle`` false) S and the mean are constant, and the variance shrinks by
    :math:`V \leftarrow V + z z^\top`. At the end of the batch, S is drawn with the variance at its
    start and the counts at its end, and everything is computed anew. If the first pull does not end
    its batch, it enters S with its probability, like any other.

    The pseudo-inverse drops eigenvalues of at most m eps times the largest, m the number of
    inducing points.

    A pull costs :math:`O(K m^2 + |U| m^2 + m^3)`, where U are the distinct arms pulled, and within
    a batch O(K m + m²). With :math:`\bar q` at least :math:`6\alpha\log(4T/\delta)/\epsilon^2`,
    :math:`\alpha = (1 + \epsilon)/(1 - \epsilon)`, variances are within a factor :math:`\alpha` of
    the exact ones in all rounds, with probability :math:`1 - \delta`.

    Memory with fixed arms: 5 K + 2 |U| + 3 m² numbers per replicate, where m² may have room for
    four times as many, and K for each arm that any replicate has pulled, because all replicates
    share the arms and the rows of their kernel. For changing arms and boxes see
    ``ChangingNystromArms``.

    Departure: the released code takes :math:`\min(1, n p)` in place of :math:`1 - (1 - p)^n`, which
    is the probability of Figure 1.

    Parameters
    ----------
    qbar : float
        :math:`\bar q > 0`. At 1 or 2 the inducing points change so much from round to round that
        regret grows severalfold; 5 is enough in practice; the theorem needs several hundred.

    References
    ----------
    D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco. Gaussian Process Optimization
    with Adaptive Sketching: Scalable and No Regret. COLT 2019, Figure 1, equation (4) and
    appendix A. Batches: the same authors, Near-linear Time Gaussian Process Optimization with
    Adaptive Batching and Resparsification, ICML 2020.
    """

    batches: ClassVar[bool] = True

    qbar: float = 5.0

    def __post_init__(self):
        positive("qbar", self.qbar)

    def refusal(self, task: Any, covariance: Covariance) -> str | None:
        """None: it can serve every task, with changing arms too."""
        return None

    def reset(
        self, task: Any, *, n: int, seeds: Any, covariance: Covariance, ridge: float
    ) -> "FixedNystromArms | ChangingNystromArms":
        """The state before any data, for n replicates of a task with one seed each."""
        if task.arms is None:
            return ChangingNystromArms.start(
                task, n, seeds, covariance, float(ridge), float(self.qbar)
            )
        arms = np.array(task.arms, dtype=np.float64, order="C")
        prior = covariance.diagonal(arms)
        shape = (n, len(arms))
        start = np.tile(prior / ridge, (n, 1))
        return FixedNystromArms(
            qbar=float(self.qbar),
            ridge=float(ridge),
            covariance=covariance,
            keys=inclusion_keys(seeds),
            arms=arms,
            prior=prior,
            kernel=np.zeros((0, len(arms))),
            row_of=np.full(len(arms), -1),
            rows=0,
            mean=np.zeros(shape),
            variance=start,
            settled_variance=start.copy(),
            counts=np.zeros(shape, np.int64),
            totals=np.zeros(shape),
            pulls=np.zeros(n, np.int64),
            seen=np.zeros((n, 0), np.int64),
            distinct=np.zeros(n, np.int64),
            inducing=np.zeros((n, 0), np.int64),
            count=np.zeros(n, np.int64),
            rank=np.zeros(n, np.int64),
            whitening=np.zeros((n, 0, 0)),
            solver=np.zeros((n, 0, 0)),
            within=np.zeros((n, 0, 0)),
            coefficients=np.zeros((n, 0)),
        )


@dataclass(eq=False)
class FixedNystromArms:
    """The Nyström posterior with fixed arms.

    Attributes
    ----------
    mean, variance, settled_variance : ndarray of shape (n, K)
        The current mean and variance of every arm, and the variance at the start of the batch.
    counts, totals : ndarray of shape (n, K)
        Pulls of every arm, and the sum of their rewards.
    pulls : ndarray of shape (n,)
        Pulls so far.
    seen : ndarray of shape (n, capacity)
        The first ``distinct`` (n,) are the arms pulled, in the order of their first pulls.
    inducing : ndarray of shape (n, capacity)
        The first ``count`` (n,) are the arms in S.
    kernel, row_of, rows
        Rows (capacity, K) of the kernel matrix for ``rows`` arms; the number of each arm's row
        (K,), or -1.
    whitening, solver, within, coefficients, rank
        The embedding, its regression and the additions of the current batch, as in
        ``agents.numerics.nystrom_embedding``: (n, room, room), (n, room) and (n,).
    """

    batches: ClassVar[bool] = True

    qbar: float
    ridge: float
    covariance: Covariance
    keys: np.ndarray
    arms: np.ndarray
    prior: np.ndarray
    kernel: np.ndarray
    row_of: np.ndarray
    rows: int
    mean: np.ndarray
    variance: np.ndarray
    settled_variance: np.ndarray
    counts: np.ndarray
    totals: np.ndarray
    pulls: np.ndarray
    seen: np.ndarray
    distinct: np.ndarray
    inducing: np.ndarray
    count: np.ndarray
    rank: np.ndarray
    whitening: np.ndarray
    solver: np.ndarray
    within: np.ndarray
    coefficients: np.ndarray

    def predict(self, contexts: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms; the state itself, not to be written."""
        return self.mean, self.variance

    def update(
        self,
        contexts: Any,
        arms: np.ndarray,
        reward: np.ndarray,
        observed: np.ndarray,
        settle: np.ndarray | None = None,
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) where observed (n,).

        Where ``settle`` (n,) is false the batch continues: the variance shrinks, and the mean and S
        are constant until the next pull with ``settle``.
        """
        if not observed.any():
            return
        self._meet(arms[observed])
        most = int(self.distinct.max()) + 1
        if most > self.seen.shape[1]:
            self.seen, self.inducing = widened(self.seen, most), widened(self.inducing, most)
        record(
            self.seen, self.distinct, self.counts, self.totals, self.pulls, arms, reward, observed
        )
        settled = observed
        if settle is not None:
            settled = observed & settle
            shrink(
                self.kernel, self.row_of, self.inducing, self.count, self.rank, self.whitening,
                self.solver, self.within, arms, observed & ~settle, self.variance,
            )  # fmt: skip
        draw_arms(
            self.keys, self.pulls, self.qbar, self.settled_variance, self.counts, self.seen,
            self.distinct, self.inducing, self.count, settled,
        )  # fmt: skip
        most = int(self.count.max())
        if most > self.solver.shape[1]:
            self.whitening, self.solver, self.within, self.coefficients = (
                widened(x, most)
                for x in (self.whitening, self.solver, self.within, self.coefficients)
            )
        rebuild(
            self.kernel, self.row_of, self.prior, self.ridge, self.seen, self.distinct,
            self.counts, self.totals, self.inducing, self.count, self.rank, self.whitening,
            self.solver, self.coefficients, self.within, self.mean, self.variance,
            self.settled_variance, settled,
        )  # fmt: skip

    def effective_dimension(self) -> np.ndarray:
        """The sum (n,) over all pulls of the current variances of their arms."""
        out = np.empty(len(self.pulls))
        sum_over_pulls(self.counts, self.variance, self.seen, self.distinct, out)
        return out

    def _meet(self, arms: np.ndarray) -> None:
        new = np.unique(arms[self.row_of[arms] < 0])
        if not new.size:
            return
        rows = self.rows + new.size
        if rows > len(self.kernel):
            grown = np.zeros((min(2 * rows, len(self.arms)), len(self.arms)))
            grown[: self.rows] = self.kernel[: self.rows]
            self.kernel = grown
        self.kernel[self.rows : rows] = self.covariance(self.arms[new], self.arms)
        self.row_of[new] = np.arange(self.rows, rows)
        self.rows = rows
