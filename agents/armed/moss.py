"""MOSS: optimism whose bonus vanishes for arms with more than their share of the pulls."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.agent import noise_level
from agents.drivers.pulls import count_pull, index, largest_index
from agents.drivers.rule import choose, learn
from agents.parts.pulled_arms import PulledArms
from agents.search import Choice, Linear
from banditgym.elementary import log
from banditgym.validation import checked, flag, nonnegative, whole


@dataclass(kw_only=True, eq=False)
class MOSS(PulledArms):
    r"""Play every arm once, then the one with the largest upper confidence bound.

    With :math:`N_k` pulls and mean reward :math:`\hat\mu_k` of arm k,

    .. math:: a_t = \arg\max_k \; \hat\mu_k
        + R \sqrt{\frac{2 (1 + \alpha)}{N_k} \log^+ \frac{T}{K N_k}},

    where T is the horizon; the anytime form has the number of rewards so far in its place. With
    :math:`\alpha = 1` and R = 1/2, for rewards in [0, 1], the bonus is that of Audibert and Bubeck,
    :math:`\sqrt{\log^+(T / (K N_k)) / N_k}`; with :math:`\alpha = 0` it is that of
    1/4-sub-Gaussian rewards, :math:`\sqrt{\log^+(T / (K N_k)) / (2 N_k)}`. A round costs O(K) per
    replicate; memory: 2 n K numbers.

    It is for rewards in [0, 1], and by R for all that are sub-Gaussian: the arms played do not
    change if rewards and R are multiplied by a number.

    Its definition is ``tests/agents/definitions/armed/moss.py``.

    Parameters
    ----------
    alpha : float
        :math:`\alpha \ge 0`, without unit.
    anytime : bool
        Whether the number of rewards so far stands in place of T.
    horizon : int, optional
        T, in rounds; the task's if None. Unused by the anytime form.
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.

    Notes
    -----
    Departs from the paper: the bonus is scaled by the noise level, where the paper assumes rewards
    in [0, 1].

    The papers were not at hand. The bonus of Audibert and Bubeck, and that of Degenne and Perchet,
    :math:`\sqrt{(1 + \alpha) / 2 \cdot \log^+(t / (K N_k)) / N_k}`, are as
    github.com/SMPyBandits/SMPyBandits quotes them, with the remark that :math:`\alpha = 1.35` seems
    best; github.com/H2DI/bandits_lab has :math:`\alpha = 0`, with and without a horizon.

    References
    ----------
    J.-Y. Audibert, S. Bubeck. Minimax Policies for Adversarial and Stochastic Bandits. COLT 2009.

    R. Degenne, V. Perchet. Anytime Optimal Algorithms in Stochastic Multi-armed Bandits. ICML 2016.
    """

    paper: ClassVar = "Audibert & Bubeck 2009"
    search: ClassVar = {"alpha": Linear(0.0, 2.0), "anytime": Choice((False, True))}
    from_task: ClassVar = {"horizon": lambda task: task.horizon, "noise_std": noise_level}

    alpha: float = checked(nonnegative, 1.0)
    anytime: bool = checked(flag, False)
    horizon: int | None = checked(whole, None)
    noise_std: float | None = checked(nonnegative, None)

    def facts(self) -> tuple[str, ...]:
        return tuple(name for name in super().facts() if name != "horizon" or not self.anytime)

    def _start(self) -> None:
        super()._start()
        self._rounds = 0.0 if self.anytime else float(self.known("horizon"))
        noise_std = float(self.known("noise_std"))
        self._scale = 2.0 * (1.0 + self.alpha) * (noise_std * noise_std)

    def _rule(self, rounds: int) -> "MOSSRule":
        return MOSSRule(self.pulls, self.sums, self._t, self._rounds, self._scale)


class MOSSRule(NamedTuple):
    """The rule of ``MOSS``: ``rounds`` is T, or 0 if anytime; ``scale`` is 2 (1 + alpha) R²."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    rounds: float
    scale: float


@choose.of(MOSSRule)
def _choose(rule, i, t, contexts, mask):
    rounds = rule.rounds if rule.rounds > 0.0 else float(rule.t[i])
    return largest_index(rule, i, mask, rounds / rule.pulls.shape[1])


@index.of(MOSSRule)
def _index(rule, i, k, pulls, share):
    level = log(share / pulls) / pulls if share > pulls else 0.0
    return rule.sums[i, k] / pulls + math.sqrt(rule.scale * level)


learn.of(MOSSRule)(count_pull)
