r"""Ridge regression on a sketch of the features: m rows in place of a d x d matrix."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.agent import reject
from agents.inputs.feature_limits import check_lengths
from agents.numerics.ridge.sketched_regression import LONGEST, absorb_sketched, predict_sketched
from agents.parts.estimators.ridge import INVERTIBLE
from agents.storage.loadable import Loadable
from banditgym.tasks import FeatureTask
from banditgym.validation import Checked, checked, whole


@dataclass(frozen=True, kw_only=True)
class FrequentDirections(Checked):
    r"""The ridge estimate by a sketch S of m rows.

    .. math:: \tilde\theta = \tilde V^{-1} \sum_s r_s x_s, \qquad
        \tilde V = \lambda I + S^\top S, \qquad
        0 \preceq \sum_s x_s x_s^\top - S^\top S \preceq \rho I.

    A sample becomes the last row of S. Then :math:`S = U \Sigma W^\top` is replaced by
    :math:`(\Sigma^2 - \sigma_m^2 I)^{1/2} W^\top`, whose last row is 0, and :math:`\sigma_m^2` is
    added to :math:`\rho`. The sketch is exact while the features span fewer than m dimensions: with
    :math:`m \ge d + 1` this is ``Ridge``. In later rounds, rewards along directions that the sketch
    has dropped stay in :math:`\tilde\theta`, divided by :math:`\lambda` alone.

    The state offers ``predict(contexts)`` -> mean :math:`x^\top\tilde\theta` and variance
    :math:`x^\top \tilde V^{-1} x` of every arm, both (n, K), ``update(..)``, ``log_det`` (n,), the
    log-determinant of :math:`\tilde V/\lambda`, and ``shrinkage`` (n,), :math:`\rho`.

    A round costs :math:`O(K m d + m^2 d)`, even where the arms are fixed: the singular values are
    those of a diagonal matrix with one more row, found in :math:`O(m^2)`; rotating the m rows costs
    the rest. Memory: n (p d + 2 p + 2 d + 3 + 2 K) numbers, p = min(m, d).

    Parameters
    ----------
    size : int
        m >= 1, the rows of the sketch; at most m - 1 of them are full between rounds. The default
        is exact for up to 19 features.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    References
    ----------
    M. Ghashami, E. Liberty, J. M. Phillips, D. P. Woodruff. Frequent Directions: Simple and
    Deterministic Matrix Sketching. SIAM Journal on Computing 45, 2016.
    """

    size: int = checked(whole, 20)
    ridge: float = checked(INVERTIBLE, 1.0)

    def reset(self, task: FeatureTask, n: int) -> "SketchedArms":
        """The state before any data, for n replicates of a task."""
        check_lengths(task, self.ridge, LONGEST / max(1.0, self.ridge))
        dim, shape = task.dim, (n, task.n_arms)
        rows = min(self.size, dim)
        return SketchedArms(
            size=int(self.size),
            ridge=float(self.ridge),
            fixed=bool(task.fixed_arms),
            basis=np.zeros((n, rows, dim)),
            energy=np.zeros((n, rows)),
            along=np.zeros((n, rows)),
            across=np.zeros((n, dim)),
            rank=np.zeros(n, np.int64),
            log_det=np.zeros(n),
            shrinkage=np.zeros(n),
            theta=np.zeros((n, dim)),
            mean=np.zeros(shape),
            variance=np.zeros(shape),
        )


class SketchedArms(NamedTuple):
    r"""Sketched ridge regression of n replicates.

    Attributes
    ----------
    basis, energy : ndarray of shape (n, p, d) and (n, p)
        Orthonormal rows, p = min(m, d), and the squared lengths of the sketch along them:
        :math:`S^\top S` is the sum of ``energy[r] basis[r] basis[r]^T`` over the first ``rank``
        rows.
    rank : ndarray of shape (n,)
        How many rows are in use.
    along, across : ndarray of shape (n, p) and (n, d)
        The sum of r x: its coordinates in these rows, and its component orthogonal to them.
    log_det : ndarray of shape (n,)
        Log-determinant of the sketched V, less d log ridge.
    shrinkage : ndarray of shape (n,)
        :math:`\rho`.
    theta : ndarray of shape (n, d)
        The estimate.
    mean, variance : ndarray of shape (n, K)
        Of the arms last predicted.
    """

    size: int
    ridge: float
    fixed: bool
    basis: np.ndarray
    energy: np.ndarray
    along: np.ndarray
    across: np.ndarray
    rank: np.ndarray
    log_det: np.ndarray
    shrinkage: np.ndarray
    theta: np.ndarray
    mean: np.ndarray
    variance: np.ndarray

    loadable = {  # noqa: RUF012 (an annotation would make it a field)
        "rank": Loadable(most=lambda self: min(self.basis.shape[1], self.size - 1))
    }

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms with features (n, d, K); overwritten next time."""
        reject(predict_sketched(self, contexts, self.mean, self.variance), "a feature")
        return self.mean, self.variance

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) where observed (n,)."""
        reject(absorb_sketched(self, contexts, arms, reward, observed), "a feature")
