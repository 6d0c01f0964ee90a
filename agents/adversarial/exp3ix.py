"""EXP3-IX: EXP3 with implicit exploration, whose regret varies less."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from agents.drivers.rule import choose, learn
from agents.parts.drawn_arms import Arms, DrawnArms, loss_of
from agents.parts.exponential_weights import draw_by_weight, rate
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class EXP3IX(DrawnArms):
    r"""EXP3 whose importance weights are bounded: it explores without drawing worse arms more.

    .. math:: p_{t,k} \propto \exp(-\eta_t \hat L_{t-1,k}), \qquad
        \hat L_{t,k} = \hat L_{t-1,k} + \frac{\ell_t 1[a_t = k]}{p_{t,k} + \gamma_t}, \qquad
        \eta_t = 2 \gamma_t = \sqrt{\frac{\log K}{K t}},

    where the loss :math:`\ell_t` is 1 less the reward, for rewards in [0, 1]; others are scaled to
    it. A round costs O(K) per replicate; memory: n K numbers, and K for each decision without a
    reward so far.

    Its definition is ``tests/agents/definitions/adversarial/exp3ix.py``.

    Parameters
    ----------
    scale : float
        A factor of :math:`\eta_t` and :math:`\gamma_t`, > 0, without unit.

    Attributes
    ----------
    losses : ndarray of shape (n, K)
        :math:`\hat L`.
    open : agents.open_decisions.OpenDecisions
        The probabilities of every decision without a reward so far.

    Notes
    -----
    t counts rewards learned. A late reward is weighted by the probability of its own decision, and
    by the :math:`\gamma` of the time when it is learned. The paper was not at hand: the formulas
    are as several public codes have them, and the rate without a horizon is from memory.

    References
    ----------
    G. Neu. Explore No More: Improved High-probability Regret Bounds for Non-stochastic Bandits.
    NeurIPS 2015, Algorithm 1.
    """

    paper: ClassVar = "Neu 2015, Algorithm 1"
    search: ClassVar = {"scale": Log(0.1, 10.0)}

    def _rule(self, rounds: int) -> "EXP3IXRule":
        return EXP3IXRule(self._arms(), float(self.scale))


class EXP3IXRule(NamedTuple):
    """The rule of ``EXP3IX``."""

    arms: Arms
    scale: float


choose.of(EXP3IXRule)(draw_by_weight)


@learn.of(EXP3IXRule)
def _learn(rule, i, contexts, arm, reward):
    arms = rule.arms
    weight = arms.probabilities[i, arm] + 0.5 * rate(arms, i, rule.scale)
    arms.losses[i, arm] += loss_of(arms, reward) / weight
    arms.t[i] += 1
    return True
