"""Detection of a change in a mean by a likelihood ratio."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from agents.agent import noise_level
from agents.numerics.likelihood_ratio import has_changed, keep_split
from agents.storage.loadable import Loadable
from banditgym.compiled import compiled
from banditgym.elementary import each_log, log
from banditgym.validation import Checked, checked, memory, positive, probability, whole


@dataclass(frozen=True, kw_only=True)
class GLR(Checked):
    r"""An alarm if some split of a sequence is unlikely to be without a change.

    With N values, their mean :math:`\hat\mu`, and the means :math:`\hat\mu_{1:s}` of the first s
    and :math:`\hat\mu_{s+1:N}` of the others, there is an alarm if for some s

    .. math:: s \, d(\hat\mu_{1:s}, \hat\mu) + (N - s) \, d(\hat\mu_{s+1:N}, \hat\mu)
        > \log(N^{3/2} / \delta),

    where d is the divergence of Bernoulli distributions if the values are rewards of a Bernoulli
    law, else :math:`(p - q)^2 / (2 R^2)`. A sequence is tested if N modulo ``test_every`` is 0, for
    every s that is 1 modulo ``split_every``. If these are more than ``splits``, every second of
    them is tested, or every fourth, and so on. A test takes as many steps as values of s. Memory:
    c + 3 numbers a sequence, where c is ``splits``, or the horizon divided by ``split_every`` if
    this is less.

    Parameters
    ----------
    delta : float, optional
        :math:`\delta`, in (0, 1), about the probability of a false alarm. If None, :math:`1 / \sqrt
        T` with the task's horizon T.
    noise_std : float, optional
        R > 0, the sub-Gaussian constant of the values; the task's if None, or its standard
        deviation where the noise has no such constant. Unused for Bernoulli rewards.
    test_every, split_every : int
        Values from one test, and from one s, to the next, >= 1.
    splits : int
        The most values of s that are kept for a sequence, >= 2; an odd number is rounded up.

    Notes
    -----
    The threshold, :math:`\delta` and the thinned tests are those of the authors' code (see
    ``agents.armed.glrklucb``), of global restarts; there ``test_every`` counts the values of all
    sequences together. The paper was not at hand.

    References
    ----------
    L. Besson, E. Kaufmann, O.-A. Maillard, J. Seznec. Efficient Change-Point Detection for Tackling
    Piecewise-Stationary Bandits. arXiv:1902.01575.
    """

    delta: float | None = checked(probability, None)
    noise_std: float | None = checked(positive, None)
    test_every: int = checked(whole, 10)
    split_every: int = checked(whole, 5)
    splits: int = checked(partial(whole, least=2), 4000)

    def refusal(self, task: Any) -> str | None:
        """Why it cannot watch what agents observe in a task; None if it can."""
        if self.delta is None and task.horizon is None:
            return "GLR needs delta, because this task has no horizon"
        if self._noise_std(task) == 0 and not getattr(task, "bernoulli", False):
            return "GLR needs noise_std, because this task has no noise"
        return None

    def reset(self, task: Any, n: int, sequences: int) -> "Splits":
        """The state before any value, for some sequences in each of n replicates."""
        kept = min(self.splits, -(-(task.horizon or math.inf) // self.split_every))
        kept = int(kept + kept % 2)
        if n * sequences * kept * 8 > memory():  # numpy raises another error for huge shapes
            raise MemoryError(f"of {kept} splits of an arm")
        delta = self.delta or 1.0 / math.sqrt(task.horizon)
        return Splits(
            count=np.zeros((n, sequences), np.int64),
            total=np.zeros((n, sequences)),
            gap=np.full((n, sequences), self.split_every),
            kept=np.zeros((n, sequences, kept)),
            log_delta=float(each_log(delta)),
            noise_std=0.0 if getattr(task, "bernoulli", False) else self._noise_std(task),
            test_every=self.test_every,
            split_every=self.split_every,
        )

    def _noise_std(self, task: Any) -> float:
        return float(noise_level(task) or 0.0 if self.noise_std is None else self.noise_std)


class Splits(NamedTuple):
    """Sums of the sequences of n replicates.

    Attributes
    ----------
    count, total : ndarray of shape (n, sequences)
        Number and sum of values.
    gap : ndarray of shape (n, sequences)
        From one s to the next.
    kept : ndarray of shape (n, sequences, splits)
        Sums of the first s values.
    """

    loadable = {  # noqa: RUF012 (an annotation would make it a field)
        "count": Loadable(most=lambda self: self.gap * self.kept.shape[2]),
        "gap": Loadable(least=1, most=2**30),
    }

    count: np.ndarray  # pyright: ignore[reportIncompatibleMethodOverride]
    total: np.ndarray
    gap: np.ndarray
    kept: np.ndarray
    log_delta: float
    noise_std: float
    test_every: int
    split_every: int

    def add(self, sequence: np.ndarray, values: np.ndarray, observed: np.ndarray) -> np.ndarray:
        """Add values (n,) to the sequences (n,) where observed; whether there is an alarm, (n,)."""
        alarms = np.zeros(len(values), np.bool_)
        _add(self, sequence, values, observed, alarms)
        return alarms

    def forget(self, which: np.ndarray) -> None:
        """Forget the values of some replicates."""
        self.count[which], self.total[which], self.gap[which] = 0, 0.0, self.split_every


@compiled
def _add(splits, sequence, values, observed, alarms):
    count, total, gap = splits.count, splits.total, splits.gap
    for i in range(values.shape[0]):
        if not observed[i]:
            continue
        k = sequence[i]
        count[i, k] += 1
        total[i, k] += values[i]
        if (count[i, k] - 1) % gap[i, k] == 0:
            keep_split(splits.kept[i, k], gap, i, k, count[i, k], total[i, k])
        if count[i, k] % splits.test_every == 0:
            bar = 1.5 * log(float(count[i, k])) - splits.log_delta
            known = count[i, k], total[i, k], bar, splits.noise_std
            alarms[i] = has_changed(splits.kept[i, k], gap[i, k], *known)
