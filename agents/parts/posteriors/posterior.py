"""The interface of posteriors for kernelized agents: of the part, and of the state it makes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.parts.posteriors.growing import longer, more
from agents.storage.loadable import Loadable
from banditgym.functions.covariances import Covariance
from banditgym.tasks import KernelTask
from banditgym.validation import Checked

_CAPACITY = 16  # rows that there is room for at first

PointFunction = Callable[[np.ndarray], np.ndarray]  # from points (n, d, m) to values (n, m)


@dataclass(frozen=True, kw_only=True)
class Posterior(Checked):
    """A part of kernelized agents: plain data, from which ``reset`` makes a state.

    Attributes
    ----------
    batches : bool
        Whether its state with fixed arms has batches.
    """

    batches: ClassVar[bool] = False

    def refusal(self, task: KernelTask, covariance: Covariance) -> str | None:
        """Why it does not work for a task with a covariance; None if it does."""
        if not task.fixed_arms:
            return "fixed features need fixed arms, and here every round has new arms"
        return None

    def reset(
        self, task: KernelTask, *, n: int, seeds: list[int], covariance: Any, ridge: float
    ) -> "PosteriorState":
        """The state before any data, for n replicates of a task with one seed each."""
        raise NotImplementedError


@dataclass(eq=False, init=False, repr=False)
class PosteriorState:
    r"""The posterior of n replicates, in units of the ridge.

    Attributes
    ----------
    mean, variance : ndarray of shape (n, K)
        The current mean and variance of every arm; where arms change, of those last predicted.
    pulls : ndarray of shape (n,)
        Pulls so far.
    effective : ndarray of shape (n,)
        :math:`\sum_s \sigma^2(x_s)`, the sum of the present variances of all pulls; absent if
        ``effective_dimension`` sums them at every call.
    log_det : ndarray of shape (n,)
        :math:`\log\det(K_t / \lambda + I)`; absent if the dictionary is drawn anew, or if features
        are used on a box.
    """

    mean: np.ndarray
    variance: np.ndarray
    pulls: np.ndarray
    effective: np.ndarray
    log_det: np.ndarray

    def predict(self, contexts: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms; the state itself, not to be written.

        If arms change they are ``contexts`` (n, d, K), and the next call overwrites the arrays.
        """
        return self.mean, self.variance

    def update(
        self,
        contexts: Any,
        arms: np.ndarray,
        reward: np.ndarray,
        observed: np.ndarray,
        ends: np.ndarray | None = None,
    ) -> None:
        """Learn the rewards (n,) of the arms (n,), among ``contexts``, where observed (n,).

        Where ``ends`` (n,) is false the batch continues: the variance shrinks and the mean does not
        change. The pull that ends the batch updates the mean with all of its pulls.

        Raises
        ------
        ValueError
            If ``ends`` is given to a state without batches; or if a feature is not finite, before
            anything is learned.
        """
        raise NotImplementedError

    def effective_dimension(self) -> np.ndarray:
        """The sum (n,) of the present variances of all pulls; not to be written."""
        return self.effective

    def sample(self, keys: np.ndarray, t: np.ndarray, scale: np.ndarray) -> np.ndarray:
        r"""A joint draw (n, K) at all arms, from :math:`\mathcal{N}(\mu, \text{scale}^2\, \Sigma)`.

        Parameters
        ----------
        keys : ndarray of shape (n, 2)
            Keys of a ``banditgym.streams.Stream``.
        t, scale : ndarray of shape (n,)
            The number of the draw, and the factor of the standard deviation.
        """
        raise NotImplementedError

    def draw(self, keys: np.ndarray, t: np.ndarray, scale: np.ndarray) -> PointFunction:
        """A joint draw at all points of a box, as a function."""
        raise NotImplementedError


class KernelRows(PosteriorState):
    """A state with fixed arms and the rows of their kernel, one for each arm that was pulled.

    All replicates share the rows.

    Attributes
    ----------
    arms : ndarray of shape (K, d)
    rows, row_of, n_rows
        Rows (capacity, K) of the kernel over ``unit``, for ``n_rows`` arms; the number of each
        arm's row (K,), or -1.
    """

    loadable: ClassVar = {
        "rows": Loadable("rows _"),
        "row_of": Loadable(most=lambda self: self.n_rows - 1),
        "n_rows": Loadable(most=lambda self: len(self.rows)),
    }

    def __init__(self, task: KernelTask, covariance: Covariance):
        self.arms = np.array(task.arms, dtype=np.float64, order="C")
        self.covariance = covariance
        self.rows = np.zeros((_CAPACITY, len(self.arms)))
        self.row_of = np.full(len(self.arms), -1, np.int64)
        self.n_rows = 0

    def add_rows(self, arms: np.ndarray, observed: np.ndarray, unit: float) -> None:
        """Make rows for those arms (n,) that have none, where observed (n,)."""
        missing = observed & (self.row_of[arms] < 0)
        if not missing.any():
            return
        new = np.unique(arms[missing])
        last = self.n_rows + len(new)
        if last > len(self.rows):
            self.rows = longer(self.rows, max(last, min(more(len(self.rows)), len(self.arms))))
        np.divide(
            self.covariance(self.arms[new], self.arms), unit, out=self.rows[self.n_rows : last]
        )
        self.row_of[new] = np.arange(self.n_rows, last)
        self.n_rows = last
