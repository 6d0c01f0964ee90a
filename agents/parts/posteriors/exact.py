r"""The exact posterior of a Gaussian process; for fixed arms, from the distinct arms pulled."""

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar

import numpy as np

from agents.numerics.kernel.kernel_draws import condition_draws
from agents.numerics.kernel.kernel_posterior import KernelPulls, absorb_pulls
from agents.parts.posteriors.exact_changing import ExactOnChangingArms
from agents.parts.posteriors.growing import lengthen, more
from agents.parts.posteriors.posterior import KernelRows, Posterior, PosteriorState
from agents.storage.loadable import Loadable
from banditgym.functions.covariances import Covariance
from banditgym.functions.gaussian_process import PriorDraws
from banditgym.streams import AGENT, Stream, fill_normals
from banditgym.tasks import KernelTask

_ARRAYS = attrgetter(*KernelPulls._fields)
_CAPACITY = 16  # distinct arms that there is room for at first
_FREQUENCIES = 8  # purpose of the stream of frequencies that prior draws at many arms share


@dataclass(frozen=True, kw_only=True)
class Exact(Posterior):
    r"""The exact posterior; the other posteriors approximate it.

    With :math:`X_t` the arms of the t pulls so far, rewards y and :math:`k_t(x) = k(X_t, x)`,

    .. math:: \mu(x) = k_t(x)^\top (K_t + \lambda I)^{-1} y, \qquad
        \sigma^2(x) = \tfrac{1}{\lambda}
        \bigl(k(x, x) - k_t(x)^\top (K_t + \lambda I)^{-1} k_t(x)\bigr).

    With fixed arms it is computed from the distinct arms U, as
    ``agents.numerics.kernel.kernel_posterior`` states. A pull costs :math:`O(K |U| + |U|^2)`, and
    :math:`O(K + |U|^2)` if the arm is that of the previous pull. Where every round has arms of its
    own, and on a box, the posterior is computed from all pulls, in :math:`O(K t d + K t^2)`,
    without batches and draws.

    Memory with fixed arms: 3 K + 2 u² + 4 u numbers per replicate, where u is :math:`|U|`, and K
    for each arm that any replicate has pulled, because all replicates share the arms and the rows
    of their kernel.

    References
    ----------
    D. Calandriello, L. Carratino, A. Lazaric, M. Valko, L. Rosasco. Gaussian Process Optimization
    with Adaptive Sketching: Scalable and No Regret. COLT 2019, equations (1) and (2); all variances
    are (2) divided by :math:`\lambda`, as everywhere in that paper after it.
    """

    batches: ClassVar[bool] = True

    def refusal(self, task: KernelTask, covariance: Covariance) -> None:
        """None: it works for every task."""

    def reset(self, task, *, n, seeds, covariance, ridge) -> PosteriorState:
        """The state before any data, for n replicates of a task; it is deterministic."""
        state = ExactOnChangingArms if task.arms is None else ExactOnFixedArms
        return state(task, n, covariance, float(ridge))


class ExactOnFixedArms(KernelRows):
    """The exact posterior with fixed arms.

    Attributes
    ----------
    held : ndarray of shape (n, K)
        The variance at the start of the batch; empty as long as there were no batches.
    rows, .. , effective
        As in ``agents.numerics.kernel.kernel_posterior.KernelPulls``.
    """

    # A cache beside the state, made by the first draw: the arrays that prior draws share.
    __slots__ = ("_prior_draws",)

    loadable: ClassVar = {
        "held": Loadable("_ any"),
        "pulled": Loadable("_ capacity", most=lambda self: len(self.arms) - 1),
        "n_pulled": Loadable(most=lambda self: min(self.pulled.shape[1], len(self.arms))),
        "column_of": Loadable(most=lambda self: len(self.arms) - 1),
        "counts paid": Loadable("_ capacity"),
        "gram inverse": Loadable("_ capacity capacity"),
    }

    def consistent(self) -> bool:
        """Whether the arms pulled are distinct and have rows, and there is room for another."""
        n_arms, capacity = len(self.arms), self.pulled.shape[1]
        pulled = [arms[:count] for arms, count in zip(self.pulled, self.n_pulled, strict=True)]
        return (
            self.held.shape[1] in (0, n_arms)
            and (capacity >= n_arms or bool((self.n_pulled < capacity).all()))
            and all(
                len(np.unique(arms)) == len(arms) and (self.row_of[arms] >= 0).all()
                for arms in pulled
            )
        )

    def __init__(self, task: KernelTask, n: int, covariance: Covariance, ridge: float):
        super().__init__(task, covariance)
        n_arms, pulled = len(self.arms), (n, _CAPACITY)
        self.ridge = ridge
        self.mean = np.zeros((n, n_arms))
        self.variance = np.tile(covariance.diagonal(self.arms) / ridge, (n, 1))
        self.held = np.zeros((n, 0))
        self.log_det, self.effective = np.zeros(n), np.zeros(n)
        self.pulls, self.n_pulled = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self.pulled = np.zeros(pulled, np.int64)
        self.counts, self.paid = np.zeros(pulled), np.zeros(pulled)
        self.gram, self.inverse = np.zeros((2, *pulled, _CAPACITY))
        self.column, self.column_of = np.zeros((n, n_arms)), np.full(n, -1, np.int64)
        self.pending, self.everywhere = np.zeros(n, bool), np.ones(n, bool)

    @property
    def start_variance(self) -> np.ndarray:
        """The variance (n, K) at the start of the batch; not to be written."""
        return self.held if self.held.size else self.variance

    def update(self, contexts, arms, reward, observed, ends=None) -> None:
        if ends is None:
            ends = self.everywhere
        elif not self.held.size:
            self.held = self.variance.copy()
        self.add_rows(arms, observed, self.ridge)
        most = absorb_pulls(_ARRAYS(self), arms, reward, observed, ends)
        if self.held.size:
            ended = observed & ends
            self.held[ended] = self.variance[ended]
        capacity = self.pulled.shape[1]
        if most == capacity < len(self.arms):
            capacity = min(more(capacity), len(self.arms))
            lengthen(self, capacity, "pulled", "counts", "paid", "gram", "inverse")

    def sample(self, keys: np.ndarray, t: np.ndarray, scale: np.ndarray) -> np.ndarray:
        r"""A draw (n, K) from :math:`\mathcal{N}(\mu, \text{scale}^2\, c)`, jointly at all arms.

        Draws of the prior are conditioned on the pulls by
        ``agents.numerics.kernel.kernel_draws.condition_draws``. For up to 5000 arms they are exact,
        except for an extra variance at every arm of :math:`2 K^2` eps times the prior's. It matters
        only where the posterior variance is as small, for pulls without noise at ridges near the
        least. For more arms they are made of random features, whose 4096 K cosines make a round
        take a hundred times as long as with 5000 arms. Within a batch :math:`\mu` is that of its
        start. A draw takes :math:`O(K^2)` time, the first one :math:`O(K^3)` time and :math:`K^2`
        numbers.
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
        unit = 1.0 / math.sqrt(self.ridge)
        condition_draws(_ARRAYS(self), normals, scale, unit, sampled)
        return sampled
