"""UCB2: optimism in epochs of growing length."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.pulls import count_pull
from agents.drivers.rule import choose, learn, withdrawn
from agents.parts.pulled_arms import ScaledArms
from agents.storage.loadable import Loadable
from banditgym.compiled import inlined
from banditgym.elementary import exp, log, log1p
from banditgym.validation import checked, nonnegative, ruled


@dataclass(kw_only=True, eq=False)
class UCB2(ScaledArms):
    r"""Play every arm once, then in each epoch the arm with the largest upper confidence bound.

    With :math:`r_k` finished epochs and mean reward :math:`\hat\mu_k` of arm k before round
    :math:`t`, and :math:`\tau(r) = \lceil (1 + \alpha)^r \rceil`, each epoch chooses

    .. math::

        a_t = \arg\max_k \; \hat\mu_k + 2 R
            \sqrt{\frac{(1 + \alpha) \log(e (t - 1) / \tau(r_k))}{2 \tau(r_k)}},

    where :math:`t - 1` is the number of plays so far. It plays this arm :math:`\tau(r_k + 1) -
    \tau(r_k)` times. For rewards in [0, 1], R = 1/2 and the bonus is the paper's. A round costs
    O(1) per replicate, and the first round of an epoch O(K); memory: 3 n K numbers.

    Its definition is ``tests/agents/definitions/armed/ucb2.py``.

    Parameters
    ----------
    alpha : float
        :math:`0 < \alpha < 1`. An arm's plays grow by the factor :math:`1 + \alpha` per epoch. It
        has no unit.
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None.

    Attributes
    ----------
    pulls, epochs : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of rewards, number of finished or current epochs, and sum of rewards of every arm.

    Notes
    -----
    Departs from the paper: the bonus is scaled by the noise level. The paper's rounding gives some
    epochs no play; these are skipped, which changes no bound. Where arms come and go, an epoch ends
    when its arm is withdrawn, and does not count among its arm's epochs.

    References
    ----------
    P. Auer, N. Cesa-Bianchi, P. Fischer. Finite-time Analysis of the Multiarmed Bandit Problem.
    Machine Learning 47, 2002, Figure 2.
    """

    paper: ClassVar = "Auer et al. 2002, Figure 2"
    on_request: ClassVar = True
    kept_choosing: ClassVar = ("epochs", "_current", "_left")
    loadable: ClassVar = {"_current": Loadable(most=lambda self: self.pulls.shape[1] - 1)}

    alpha: float = checked(ruled(lambda x: 0 < x < 1, "must be in (0, 1)"), 0.001)
    noise_std: float | None = checked(nonnegative, None)

    def _start(self) -> None:
        super()._start()
        self.epochs = np.zeros((self.n, self.task.n_arms), np.int64)
        self._current = np.zeros(self.n, np.int64)  # the arm of the epoch
        self._left = np.zeros(self.n, np.int64)  # plays that remain of it

    def _rule(self, rounds: int) -> "UCB2Rule":
        counts = self.pulls, self.sums, self._t
        epoch = self.epochs, self._current, self._left
        return UCB2Rule(*counts, *epoch, self.alpha, self._noise_std)


class UCB2Rule(NamedTuple):
    """The rule of ``UCB2``."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    epochs: np.ndarray
    current: np.ndarray
    left: np.ndarray
    alpha: float
    noise_std: float


@choose.of(UCB2Rule)
def _choose(rule, i, t, contexts, mask):
    rate = log1p(rule.alpha)
    if rule.left[i] > 0:
        current = rule.current[i]
        if not withdrawn(mask, i, current):
            rule.left[i] -= 1
            return current
        rule.left[i] = 0
        rule.epochs[i, current] -= 1
    best, arm = -math.inf, 0
    for k in range(rule.pulls.shape[1]):
        if withdrawn(mask, i, k):
            continue
        if rule.pulls[i, k] == 0:
            rule.current[i] = k
            return k
        plays = _plays(rule.epochs[i, k], rate)
        growth = max(log(math.e * rule.t[i] / plays), 0.0)
        bonus = math.sqrt((1.0 + rule.alpha) * growth / (2.0 * plays))
        index = rule.sums[i, k] / rule.pulls[i, k] + 2.0 * rule.noise_std * bonus
        if index > best:
            best, arm = index, k
    rule.current[i] = arm
    if best < math.inf:
        rule.left[i] = _begin(rule.epochs[i], arm, rate) - 1
    return arm


learn.of(UCB2Rule)(count_pull)


@inlined
def _begin(epochs, k, rate):
    """Begin an epoch of arm k that has at least one play; returns its plays."""
    before = _plays(epochs[k], rate)
    epochs[k] += 1
    while _plays(epochs[k], rate) == before:
        epochs[k] += 1
    return int(_plays(epochs[k], rate) - before)


@inlined
def _plays(epoch, rate):
    r"""The plays of an arm after its epochs, :math:`\lceil (1 + \alpha)^r \rceil`."""
    return math.ceil(exp(epoch * rate))
