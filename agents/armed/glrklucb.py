"""GLR-klUCB: KL-UCB that restarts where a likelihood ratio shows that an arm has changed."""

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.pulls import count
from agents.drivers.rule import choose, first_largest_there, learn, withdrawn
from agents.inputs.learning_inputs import check_rewards
from agents.numerics.bernoulli_bounds import bernoulli_bounds
from agents.numerics.likelihood_ratio import has_changed, keep_split
from agents.parts.bounded_arms import BernoulliArms
from agents.parts.forced_exploration import forced_arm, usual_rate
from agents.search import Choice, Log
from agents.storage.loadable import Loadable
from banditgym.elementary import each_log, log
from banditgym.validation import checked, memory, nonnegative, probability, whole, word

_STEPS = {"local": 10, "global": 5}  # in the authors' experiments


@dataclass(kw_only=True, eq=False)
class GLRklUCB(BernoulliArms):
    r"""KL-UCB with forced exploration, restarted by a test for a change in an arm's rewards.

    With :math:`N_k` rewards of arm k since its last restart, their mean :math:`\hat\mu_k`, and
    :math:`t_k` rewards of all arms since then, decision t = 0, 1, .. plays, after m restarts,

    .. math::

        a_t = \begin{cases}
            j & \text{if } t \bmod \lfloor K / \alpha \rfloor = j \in \{1, .., K\}, \quad
                \alpha = \alpha_0 \sqrt{m + 1}, \\
            \arg\max_k \; \max\{ q : N_k \, d(\hat\mu_k, q) \le \log t_k \} & \text{else,}
        \end{cases}

    or, in place of the maximum, the first arm without a reward since its restart. d is the
    divergence of Bernoulli distributions. A reward of arm k restarts k, or all arms if restarts are
    global, if for some s

    .. math:: s \, d(\hat\mu_{1:s}, \hat\mu_k) + (N_k - s) \, d(\hat\mu_{s+1:N_k}, \hat\mu_k)
        > \log(N_k^{3/2} / \delta),

    where :math:`\hat\mu_{1:s}` is the mean of k's first s rewards since its restart. This is tested
    if :math:`t_k` modulo ``test_every`` is 1, for every s that is 1 modulo ``split_every``. If
    these are more than ``splits``, every second of them is tested, or every fourth, and so on.

    A round costs O(K) per replicate, and a test as many steps as values of s. Memory: n K (4 + c)
    numbers, where c is ``splits``, or the horizon divided by ``split_every`` if this is less.

    Forced exploration counts decisions, so that late rewards do not repeat one arm. In place of a
    withdrawn arm it plays what the indices say. :math:`t_k`
    counts rewards learned, and a test takes an arm's rewards in the order in which they were
    learned, even those of decisions before its restart.

    Its definition is ``tests/agents/definitions/armed/glrklucb.py``.

    Parameters
    ----------
    restart : "local" or "global"
        Which arms a change restarts: the arm whose rewards show it, or all.
    exploration : float, optional
        :math:`\alpha_0 \ge 0`, the share of forced plays before any restart. If None,
        :math:`\sqrt{K \log T / T}` with the task's horizon T.
    delta : float, optional
        Probability of a false alarm, in (0, 1). If None, :math:`1 / \sqrt T`.
    test_every : int
        Rounds from one test to the next, >= 1.
    split_every : int, optional
        Rewards from one s to the next, >= 1. If None, 10 with local and 5 with global restarts.
    splits : int
        The most values of s that are kept for an arm, >= 2; an odd number is rounded up.

    Attributes
    ----------
    pulls, sums : ndarray of shape (n, K)
        Number and sum of every arm's rewards since its last restart.
    restarts : ndarray of shape (n,)
        Number of changes that were detected.

    Notes
    -----
    Follows the authors' code of the experiments. Departs from it: ties go to the first arm, not to
    a random one, and an arm without a reward is played before arms whose index is 1; the period of
    forced exploration is at least K + 1, so that none of its arms is left out for a large
    :math:`\alpha`; ``splits`` bounds memory and the cost of a test, which is no departure up to
    ``splits`` times ``split_every`` rewards of an arm. The threshold is that of the code. The paper
    was not at hand; its theorem is known to have another threshold.

    References
    ----------
    L. Besson, E. Kaufmann, O.-A. Maillard, J. Seznec. Efficient Change-Point Detection for Tackling
    Piecewise-Stationary Bandits. arXiv:1902.01575, GLR-klUCB. The authors' code, ``Algos.jl`` and
    ``main_NonStat.jl``: github.com/EmilieKaufmann/PiecewiseStationaryBandits.
    """

    paper: ClassVar = "Besson et al. 2019, GLR-klUCB"
    search: ClassVar = {
        "exploration": Log(0.001, 0.3),
        "delta": Log(0.0001, 0.3),
        "restart": Choice(("local", "global")),
    }
    scope: ClassVar = "for drift, Bernoulli rewards"
    needs_bernoulli: ClassVar = "its test is for rewards in [0, 1]"
    from_task: ClassVar = {
        "exploration": usual_rate,
        "delta": lambda task: task.horizon and 1.0 / math.sqrt(task.horizon),
    }
    loadable: ClassVar = {
        "pulls": Loadable(most=lambda self: self._gap * self._kept.shape[2]),
        "_gap": Loadable(most=2**30),
    }

    restart: str = checked(partial(word, known=tuple(_STEPS)), "local")
    exploration: float | None = checked(nonnegative, None)
    delta: float | None = checked(probability, None)
    test_every: int = checked(whole, 10)
    split_every: int | None = checked(whole, None)
    splits: int = checked(partial(whole, least=2), 4000)

    def _start(self) -> None:
        super()._start()
        n_arms, self._split_every = self.task.n_arms, self.split_every or _STEPS[self.restart]
        kept = min(self.splits, -(-(self.task.horizon or math.inf) // self._split_every))
        kept = int(kept + kept % 2)
        if self.n * n_arms * kept * 8 > memory():  # numpy raises another error for huge shapes
            raise MemoryError(f"of {kept} splits of an arm")
        self.restarts = np.zeros(self.n, np.int64)
        self._since = np.zeros((self.n, n_arms), np.int64)  # rewards learned before the restart
        self._gap = np.full((self.n, n_arms), self._split_every)  # from one s to the next
        self._kept = np.zeros((self.n, n_arms, kept))  # sums of an arm's first s rewards
        self._alpha, self._delta = float(self.known("exploration")), float(self.known("delta"))

    def _check(self, outcome, observed) -> None:
        check_rewards(outcome, observed, binary=False)

    def _rule(self, rounds: int) -> "GLRklUCBRule":
        counts = self.pulls, self.sums, self._t, self.decisions, self.restarts
        test = self._since, self._gap, self._kept
        known = self._alpha, float(each_log(self._delta)), self.test_every, self._split_every
        scratch = np.empty((4, self.task.n_arms)), np.empty(self.task.n_arms, np.bool_)
        return GLRklUCBRule(*counts, *test, *known, self.restart == "global", *scratch)


class GLRklUCBRule(NamedTuple):
    """The rule of ``GLRklUCB``; ``scratch`` is (4, K) and ``moves`` (K,)."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    decisions: np.ndarray
    restarts: np.ndarray
    since: np.ndarray
    gap: np.ndarray
    kept: np.ndarray
    rate: float
    log_delta: float
    test_every: int
    split_every: int
    everywhere: bool
    scratch: np.ndarray
    moves: np.ndarray


@choose.of(GLRklUCBRule)
def _choose(rule, i, t, contexts, mask):
    mean, share, bound = rule.scratch[0], rule.scratch[1], rule.scratch[2]
    n_arms = mean.shape[0]
    forced = forced_arm(rule.decisions[i] + t, rule.rate, rule.restarts[i], n_arms)
    if forced >= 0 and not withdrawn(mask, i, forced):
        return forced
    for k in range(n_arms):
        if withdrawn(mask, i, k):
            mean[k], share[k] = 1.0, 0.0  # without a search, and never played
            continue
        if rule.pulls[i, k] == 0:
            return k
        mean[k] = rule.sums[i, k] / rule.pulls[i, k]
        share[k] = log(float(rule.t[i] - rule.since[i, k])) / rule.pulls[i, k]
    bernoulli_bounds(mean, share, bound, rule.scratch[3], rule.moves)
    return first_largest_there(bound, mask, i)


@learn.of(GLRklUCBRule)
def _learn(rule, i, contexts, arm, reward):
    count(rule, i, contexts, arm, reward)
    pulls, total, kept = rule.pulls[i, arm], rule.sums[i, arm], rule.kept[i, arm]
    if (pulls - 1) % rule.gap[i, arm] == 0:
        keep_split(kept, rule.gap, i, arm, pulls, total)
    if (rule.t[i] - rule.since[i, arm] - 1) % rule.test_every == 0:
        threshold = 1.5 * log(float(pulls)) - rule.log_delta
        if has_changed(kept, rule.gap[i, arm], pulls, total, threshold, 0.0):
            rule.restarts[i] += 1
            for k in range(rule.pulls.shape[1]):
                if k == arm or rule.everywhere:
                    rule.pulls[i, k], rule.sums[i, k] = 0, 0.0
                    rule.since[i, k], rule.gap[i, k] = rule.t[i], rule.split_every
    return True
