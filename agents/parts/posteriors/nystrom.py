r"""The posterior in a Nyström embedding on inducing points drawn anew from the pulled arms."""

from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar

import numpy as np

from agents.numerics.kernel.nystrom_pulls import (
    NystromPulls,
    absorb_arms,
    inclusion_keys,
    rebuild,
    shrink,
    sum_over_pulls,
)
from agents.parts.posteriors.growing import lengthen
from agents.parts.posteriors.nystrom_changing import NystromOnChangingArms
from agents.parts.posteriors.posterior import KernelRows, Posterior, PosteriorState
from agents.storage.loadable import Loadable
from banditgym.functions.covariances import Covariance
from banditgym.tasks import KernelTask
from banditgym.validation import checked, positive

_ARRAYS = attrgetter(*NystromPulls._fields)


@dataclass(frozen=True, kw_only=True)
class Nystrom(Posterior):
    r"""BKB's posterior, in the span of a few arms pulled, which are drawn by their variance.

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
    of the t + 1 pulls, the new one included, is drawn independently into :math:`S_{t+1}` with
    probability

    .. math:: p = \min(1, \bar q\, \tilde\sigma_t^2(x)),

    where :math:`\tilde\sigma_t^2` is the variance before that pull. An arm pulled n times is
    therefore in S with probability :math:`1 - (1 - p)^n`. :math:`S_1` is the first arm, and every
    :math:`S_{t+1}` is drawn independently of :math:`S_t`. If S is empty, the mean is 0 and the
    variance :math:`k(x, x)/\lambda`.

    Within a batch (``ends`` false) S and the mean are constant, and the variance shrinks by
    :math:`V \leftarrow V + z z^\top`. At the end of the batch, S is drawn with the variance at its
    start and the counts at its end, and everything is computed anew. If the first pull does not end
    its batch, it enters S with its probability, like any other.

    The pseudo-inverse drops eigenvalues of at most m eps times the largest, m the number of
    inducing points.

    A pull costs :math:`O(K m^2 + |U| m^2 + m^3)`, where U are the distinct arms pulled, and within
    a batch O(K m + m²). With :math:`\bar q` at least :math:`6\alpha\log(4T/\delta)/\epsilon^2`,
    :math:`\alpha = (1 + \epsilon)/(1 - \epsilon)`, variances are within a factor :math:`\alpha` of
    the exact ones in all rounds, with probability :math:`1 - \delta`.

    Memory with fixed arms: 5 K + 2 :math:`|U|` + 3 m² numbers per replicate, where m² may have room
    for four times as many, and K for each arm that any replicate has pulled, because all replicates
    share the arms and the rows of their kernel. For changing arms and boxes see
    ``NystromOnChangingArms``.

    Departs from the released code, which takes :math:`\min(1, n p)` in place of the :math:`1 - (1 -
    p)^n` of Figure 1.

    Parameters
    ----------
    qbar : float
        :math:`\bar q > 0`, without unit. At 1 or 2 the inducing points change so much from round to
        round that regret grows severalfold; 5 is enough in practice; the theorem needs several
        hundred.

    References
    ----------
    D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco. Gaussian Process Optimization
    with Adaptive Sketching: Scalable and No Regret. COLT 2019, Figure 1, equation (4) and
    appendix A. Batches: the same authors, Near-linear Time Gaussian Process Optimization with
    Adaptive Batching and Resparsification, ICML 2020.
    """

    batches: ClassVar[bool] = True

    qbar: float = checked(positive, 5.0)

    def refusal(self, task: KernelTask, covariance: Covariance) -> None:
        """None: it works for every task, with changing arms too."""

    def reset(self, task, *, n, seeds, covariance, ridge) -> PosteriorState:
        """The state before any data, for n replicates of a task with one seed each."""
        state = NystromOnChangingArms if task.arms is None else NystromOnFixedArms
        return state(task, inclusion_keys(seeds), covariance, float(ridge), float(self.qbar))


class NystromOnFixedArms(KernelRows):
    """The Nyström posterior with fixed arms: the arrays of ``NystromPulls``."""

    loadable: ClassVar = {
        "seen inducing": Loadable("_ capacity", most=lambda self: len(self.arms) - 1),
        "distinct": Loadable(most=lambda self: min(self.seen.shape[1], len(self.arms))),
        "count": Loadable(most=lambda self: np.minimum(self.distinct, self.solver.shape[1])),
        "rank": Loadable(most=lambda self: self.count),
        "coefficients": Loadable("_ room"),
        "whitening solver within": Loadable("_ room room"),
    }

    def consistent(self) -> bool:
        """Whether the kernel has a row for every arm pulled, and no row without an arm."""
        return self.n_rows == np.count_nonzero(self.row_of >= 0) and all(
            (self.row_of[arms[i, :count]] >= 0).all()
            for arms, counts in ((self.seen, self.distinct), (self.inducing, self.count))
            for i, count in enumerate(counts)
        )

    def __init__(
        self, task: KernelTask, keys: np.ndarray, covariance: Covariance, ridge: float, qbar: float
    ):
        super().__init__(task, covariance)
        n, n_arms = len(keys), len(self.arms)
        self.qbar, self.ridge, self.keys = qbar, ridge, keys
        self.prior = covariance.diagonal(self.arms)
        self.variance = np.tile(self.prior / ridge, (n, 1))
        self.start_variance = self.variance.copy()
        self.mean, self.totals = np.zeros((2, n, n_arms))
        self.counts = np.zeros((n, n_arms), np.int64)
        self.pulls, self.distinct, self.count, self.rank = np.zeros((4, n), np.int64)
        self.seen, self.inducing = np.zeros((2, n, 0), np.int64)
        self.whitening, self.solver, self.within = np.zeros((3, n, 0, 0))
        self.coefficients = np.zeros((n, 0))

    def update(self, contexts, arms, reward, observed, ends=None) -> None:
        """Learn as every posterior; S too is constant within a batch."""
        if not observed.any():
            return
        self.add_rows(arms, observed, 1.0)
        most = int(self.distinct.max()) + 1
        if most > self.seen.shape[1]:
            lengthen(self, 2 * most, "seen", "inducing")
        ended = observed
        if ends is not None:
            ended = observed & ends
            shrink(_ARRAYS(self), arms, observed & ~ends)
        most = absorb_arms(_ARRAYS(self), arms, reward, observed, ended)
        if most > self.solver.shape[1]:
            lengthen(self, 2 * most, "whitening", "solver", "within", "coefficients")
        rebuild(_ARRAYS(self), ended)

    def effective_dimension(self) -> np.ndarray:
        out = np.empty(len(self.pulls))
        sum_over_pulls(self.counts, self.variance, self.seen, self.distinct, out)
        return out
