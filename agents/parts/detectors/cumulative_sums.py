"""Detection of a change in a mean by sums of deviations from it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents.agent import noise_level
from banditgym.compiled import compiled
from banditgym.elementary import each_log
from banditgym.validation import Checked, checked, positive, whole


@dataclass(frozen=True, kw_only=True)
class PageHinkley(Checked):
    r"""An alarm if values have been above, or below, their mean so far.

    With the mean :math:`\hat y_k` of the first k values :math:`y_1, .., y_k`, there is an alarm if
    :math:`\max\{g_k^+, g_k^-\} \ge h`, where

    .. math:: g_k^\pm = \max\{0, g_{k-1}^\pm \pm (y_k - \hat y_k) - \varepsilon\}, \qquad
        g_0^\pm = 0.

    A value costs O(1); memory: 4 numbers a sequence.

    Parameters
    ----------
    threshold : float, optional
        h > 0, in units of reward. If None, :math:`R^2 \log(T) / \varepsilon`, with the task's
        horizon T and R, the sub-Gaussian constant of its noise, or its standard deviation where the
        noise has no such constant.
    drift : float
        :math:`\varepsilon > 0`, in units of reward: smaller changes are not seen.

    Notes
    -----
    The paper was not at hand. The formulas are as the documentation of SMPyBandits states them; of
    its constants none is taken. The default of h is ours: if the mean were known, each excursion
    of a sum from 0 would reach it with probability at most :math:`\exp(-2 \varepsilon h / R^2) =
    T^{-2}`.

    References
    ----------
    F. Liu, J. Lee, N. Shroff. A Change-Detection Based Framework for Piecewise-Stationary
    Multi-Armed Bandit Problem. AAAI 2018, the Page-Hinkley test of PHT-UCB.
    """

    threshold: float | None = checked(positive, None)
    drift: float = checked(positive, 0.1)

    def refusal(self, task: Any) -> str | None:
        """Why it cannot watch what agents observe in a task; None if it can."""
        if self.threshold is None and not (task.horizon and noise_level(task)):
            missing = "noise" if task.horizon else "horizon"
            return f"{type(self).__name__} needs threshold, because this task has no {missing}"
        return None

    def reset(self, task: Any, n: int, sequences: int) -> "CumulativeSums":
        """The state before any value, for some sequences in each of n replicates."""
        threshold = self.threshold
        if threshold is None:  # at least log 2, for one round
            noise = noise_level(task) or 0.0
            threshold = noise * noise * float(each_log(max(task.horizon, 2))) / self.drift
        mean, above, below = (np.zeros((n, sequences)) for _ in range(3))
        known = float(threshold), float(self.drift), self._samples()
        return CumulativeSums(np.zeros((n, sequences), np.int64), mean, above, below, *known)

    def _samples(self) -> int:
        return 0


@dataclass(frozen=True, kw_only=True)
class CUSUM(PageHinkley):
    r"""An alarm if values have been above, or below, the mean of the first M values.

    It is ``PageHinkley`` with the mean :math:`\hat u_0 = \frac1M \sum_{k=1}^M y_k` in the place of
    :math:`\hat y_k`, and sums of the values :math:`y_k` with k > M.

    Parameters
    ----------
    threshold, drift : float
        h and :math:`\varepsilon`, as in ``PageHinkley``.
    samples : int
        M >= 1.

    Notes
    -----
    The paper was not at hand. The formulas are as the documentation of SMPyBandits states them; its
    code adds the first M values to the sums too, which the formulas do not.

    References
    ----------
    F. Liu, J. Lee, N. Shroff. A Change-Detection Based Framework for Piecewise-Stationary
    Multi-Armed Bandit Problem. AAAI 2018, the two-sided CUSUM test of CUSUM-UCB.
    """

    samples: int = checked(whole, 100)

    def _samples(self) -> int:
        return self.samples


class CumulativeSums(NamedTuple):
    """Sums of the sequences of n replicates.

    Attributes
    ----------
    count : ndarray of shape (n, sequences)
        Number of values.
    mean : ndarray of shape (n, sequences)
        Mean of the first ``samples`` values, or of all if ``samples`` is 0.
    above, below : ndarray of shape (n, sequences)
        The sums :math:`g^+` and :math:`g^-`.
    """

    count: np.ndarray  # pyright: ignore[reportIncompatibleMethodOverride]
    mean: np.ndarray
    above: np.ndarray
    below: np.ndarray
    threshold: float
    drift: float
    samples: int

    def add(self, sequence: np.ndarray, values: np.ndarray, observed: np.ndarray) -> np.ndarray:
        """Add values (n,) to the sequences (n,) where observed; whether there is an alarm, (n,)."""
        alarms = np.zeros(len(values), np.bool_)
        _add(self, sequence, values, observed, alarms)
        return alarms

    def forget(self, which: np.ndarray) -> None:
        """Forget the values of some replicates."""
        for array in (self.count, self.mean, self.above, self.below):
            array[which] = 0


@compiled
def _add(sums, sequence, values, observed, alarms):
    for i in range(values.shape[0]):
        if not observed[i]:
            continue
        k, value = sequence[i], values[i]
        sums.count[i, k] += 1
        count, first = sums.count[i, k], sums.samples
        if first == 0 or count <= first:
            sums.mean[i, k] += (value - sums.mean[i, k]) / count
        if count > first:
            step = value - sums.mean[i, k]
            sums.above[i, k] = max(0.0, sums.above[i, k] + step - sums.drift)
            sums.below[i, k] = max(0.0, sums.below[i, k] - step - sums.drift)
            alarms[i] = max(sums.above[i, k], sums.below[i, k]) >= sums.threshold
