"""KL-UCB-switch: the bounds of empirical likelihood for arms of few pulls, of MOSS for others."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.pulls import count
from agents.drivers.rule import choose, first_largest_there, learn
from agents.numerics.empirical_bound import empirical_bound
from agents.parts.bounded_arms import BoundedArms
from banditgym.elementary import log
from banditgym.validation import checked, whole


@dataclass(kw_only=True, eq=False)
class KLUCBSwitch(BoundedArms):
    r"""Play every arm once, then the one with the largest upper confidence bound.

    With :math:`N_k` pulls of arm k, the mean :math:`\hat\mu_k` and the empirical distribution
    :math:`\hat\nu_k` of its rewards, scaled to [0, 1], and the horizon T, the bound of arm k is

    .. math:: \max\{ q : N_k \, \mathcal{K}_{\inf}(\hat\nu_k, q) \le \log^+ \tfrac{T}{K N_k} \}
        \quad \text{if } N_k \le \lfloor (T / K)^{1/5} \rfloor, \qquad
        \hat\mu_k + \sqrt{\frac{1}{2 N_k} \log^+ \frac{T}{K N_k}} \quad \text{otherwise},

    where :math:`\mathcal{K}_{\inf}(\nu, q)` is the smallest KL divergence from :math:`\nu` to a
    distribution on [0, 1] of a mean above q. The second bound is that of MOSS for
    1/4-sub-Gaussian rewards. A bound changes only with a reward of its arm, when it is computed.

    A round costs O(K) per replicate, and for arms of few pulls a root search over their rewards;
    memory: n K (f + 3) numbers for the f rewards of an arm before its switch.

    It is for rewards of a known range, and refuses others. The arms played do not change if rewards
    and their range are shifted, or multiplied by a positive number.

    Its definition is ``tests/agents/definitions/armed/klucb_switch.py``.

    Parameters
    ----------
    horizon : int, optional
        T, in rounds; the task's if None.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.
    samples : ndarray of shape (n, K, f)
        The first rewards of every arm, scaled to [0, 1].

    Notes
    -----
    The paper's text was not at hand. Its abstract and the program of its author H. Hadiji,
    ``KLUCBswitch`` of github.com/H2DI/bandits_lab, were read; this has t, the number of rewards so
    far, in place of T, and finds bounds to 1e-4. The floor and T are as
    github.com/SMPyBandits/SMPyBandits quotes them.

    References
    ----------
    A. Garivier, H. Hadiji, P. Ménard, G. Stoltz. KL-UCB-switch: Optimal Regret Bounds for
    Stochastic Bandits from Both a Distribution-dependent and a Distribution-free Viewpoints.
    JMLR 23, 2022.
    """

    paper: ClassVar = "Garivier et al. 2022"
    search: ClassVar = None
    from_task: ClassVar = {"horizon": lambda task: task.horizon}

    horizon: int | None = checked(whole, None)

    def _start(self) -> None:
        super()._start()
        horizon, n_arms, most = int(self.known("horizon")), self.task.n_arms, 0
        while horizon // n_arms >= math.prod([most + 1] * 5):
            most += 1
        self.samples = np.zeros((self.n, n_arms, most))
        self._bounds = np.full(self.pulls.shape, np.inf)  # until there is a reward
        self._share = horizon / n_arms

    def _rule(self, rounds: int) -> "KLUCBSwitchRule":
        counts = self.pulls, self.sums, self._t
        scale = self._share, self._low, self._width or 1.0
        return KLUCBSwitchRule(*counts, self.samples, self._bounds, *scale)


class KLUCBSwitchRule(NamedTuple):
    """The rule of ``KLUCBSwitch``: ``share`` is T / K; rewards are from ``low``, over ``width``."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    samples: np.ndarray
    bounds: np.ndarray
    share: float
    low: float
    width: float


@choose.of(KLUCBSwitchRule)
def _choose(rule, i, t, contexts, mask):
    return first_largest_there(rule.bounds[i], mask, i)


@learn.of(KLUCBSwitchRule)
def _learn(rule, i, contexts, arm, reward):
    count(rule, i, contexts, arm, reward)
    pulls = rule.pulls[i, arm]
    level = max(log(rule.share / pulls), 0.0) / pulls
    if pulls <= rule.samples.shape[2]:
        # Imputed rewards may be outside of the range.
        rule.samples[i, arm, pulls - 1] = min(max((reward - rule.low) / rule.width, 0.0), 1.0)
        rule.bounds[i, arm] = empirical_bound(rule.samples[i, arm], pulls, level)
    else:
        mean = (rule.sums[i, arm] / pulls - rule.low) / rule.width
        rule.bounds[i, arm] = mean + math.sqrt(level / 2.0)
    return True
