"""EXP3: exponential weights on losses that are estimated by importance weighting."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from agents.drivers.rule import choose, learn
from agents.parts.drawn_arms import Arms, DrawnArms, loss_of
from agents.parts.exponential_weights import draw_by_weight
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class EXP3(DrawnArms):
    r"""Draw an arm with a probability that falls exponentially with its estimated loss.

    .. math:: p_{t,k} \propto \exp(-\eta_t \hat L_{t-1,k}), \qquad
        \hat L_{t,k} = \hat L_{t-1,k} + \frac{\ell_t 1[a_t = k]}{p_{t,k}}, \qquad
        \eta_t = \sqrt{\frac{\log K}{K t}},

    where the loss :math:`\ell_t` is 1 less the reward, for rewards in [0, 1]; others are scaled to
    it. A round costs O(K) per replicate; memory: n K numbers, and K for each decision without a
    reward so far.

    Its definition is ``tests/agents/definitions/adversarial/exp3.py``.

    Parameters
    ----------
    scale : float
        A factor of :math:`\eta_t`, > 0, without unit.

    Attributes
    ----------
    losses : ndarray of shape (n, K)
        :math:`\hat L`.
    open : agents.open_decisions.OpenDecisions
        The probabilities of every decision without a reward so far.

    Notes
    -----
    This is the form with losses, without the uniform exploration of Auer et al. 2002, which its
    bound :math:`2 \sqrt{T K \log K}` on the expected regret does not need. t counts rewards
    learned. A late reward is weighted by the probability of its own decision.

    References
    ----------
    P. Auer, N. Cesa-Bianchi, Y. Freund, R. Schapire. The Nonstochastic Multiarmed Bandit Problem.
    SIAM Journal on Computing 32, 2002.
    S. Bubeck, N. Cesa-Bianchi. Regret Analysis of Stochastic and Nonstochastic Multi-armed Bandit
    Problems. Foundations and Trends in Machine Learning 5, 2012, Section 3.1.
    """

    paper: ClassVar = "Auer et al. 2002; Bubeck & Cesa-Bianchi 2012, Section 3.1"
    search: ClassVar = {"scale": Log(0.1, 10.0)}

    def _rule(self, rounds: int) -> "EXP3Rule":
        return EXP3Rule(self._arms(), float(self.scale))


class EXP3Rule(NamedTuple):
    """The rule of ``EXP3``."""

    arms: Arms
    scale: float


choose.of(EXP3Rule)(draw_by_weight)


@learn.of(EXP3Rule)
def _learn(rule, i, contexts, arm, reward):
    arms = rule.arms
    arms.losses[i, arm] += loss_of(arms, reward) / arms.probabilities[i, arm]
    arms.t[i] += 1
    return True
