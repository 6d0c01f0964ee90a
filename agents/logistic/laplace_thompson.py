"""Thompson sampling for logistic rewards, from a Laplace approximation of the posterior."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.frequencies import DRAWS, draw_apart, frequencies_by_rule
from agents.drivers.rule import choose, first_largest, first_largest_within, learn
from agents.numerics.logistic.streaming import absorb_logistic, read_sample
from agents.parts.estimators.ridge import FreshArms
from agents.parts.logistic.logistic_agent import LogisticAgent
from agents.parts.posterior_sampling import draw_parameter
from agents.search import Log
from banditgym.linalg.product import combine_rows
from banditgym.streams import AGENT, Stream, fill_normal
from banditgym.validation import nonnegative


@dataclass(kw_only=True, eq=False)
class LaplaceThompson(LogisticAgent):
    r"""Sample a parameter from a Gaussian approximation of the posterior and play its best arm.

    At first :math:`m_1 = 0` and :math:`V_1 = \lambda I`. Round t draws

    .. math:: \tilde\theta_t \sim \mathcal{N}(m_t, v^2 V_t^{-1}), \qquad
        a_t = \arg\max_k \langle x_{t,k}, \tilde\theta_t \rangle.

    With the sample x of its arm and the reward r the approximation becomes Laplace's, around the
    maximum of the last one times the likelihood of r: with :math:`\sigma(z) = 1 / (1 + e^{-z})`,

    .. math::
        m_{t+1} &= \arg\min_\theta \tfrac12 \lVert\theta - m_t\rVert_{V_t}^2
            + \log(1 + e^{\langle x, \theta \rangle}) - r \langle x, \theta \rangle, \\
        V_{t+1} &= V_t + \dot\sigma(\langle x, m_{t+1}\rangle)\, x x^\top.

    A round costs :math:`O(K d + d^2)` per replicate. Memory: n (d² + 3 d + 2 K) numbers.

    Its definition is ``tests/agents/definitions/logistic/laplace_thompson.py``.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features: the inverse of the prior's
        variance of each coordinate.
    scale : float
        :math:`v \ge 0`, in units of the posterior's standard deviations; 0 is greedy.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        m (n, d) as ``theta``, and V (n, d, d) as ``gram``.

    Notes
    -----
    Departs from the paper's Algorithm 3, which keeps only the diagonal of V and updates it by
    batches; here a batch is one sample. We know that algorithm from descriptions by others, and
    have not read the paper's text of it.

    References
    ----------
    O. Chapelle, L. Li. An Empirical Evaluation of Thompson Sampling. NIPS 2011, Algorithm 3.
    """

    paper: ClassVar = "Chapelle & Li 2011, Algorithm 3, with a full matrix"
    exact_propensities: ClassVar = False
    search: ClassVar = {"scale": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    scale: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        nonnegative("scale", self.scale)

    def _start(self) -> None:
        super()._start()
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys
        self._sampled = np.zeros((self.n, self.task.n_arms))

    def _propensities(self, contexts: np.ndarray) -> np.ndarray:
        self._keys = draw_apart(self)
        rule = self._rule(DRAWS)
        return frequencies_by_rule(self, rule, contexts)

    def _rule(self, rounds: int) -> "LaplaceRule":
        draws = self._keys, self.decisions.copy()
        scratch = np.empty((4, self.task.dim))
        return LaplaceRule(self.model, float(self.scale), draws, self._sampled, scratch)


class LaplaceRule(NamedTuple):
    """The rule of ``LaplaceThompson``; the last field is scratch."""

    model: FreshArms
    scale: float
    draws: tuple[np.ndarray, np.ndarray]
    sampled: np.ndarray
    scratch: np.ndarray


@choose.of(LaplaceRule)
def _choose(rule, i, t, contexts, mask):
    model, (keys, decisions), sampled = rule.model, rule.draws, rule.sampled[i]
    normals, parameter = rule.scratch[0], rule.scratch[1]
    fill_normal(keys[i, 0], keys[i, 1], decisions[i] + t, normals)
    factor = model.upper, model.pivots, model.moment
    draw_parameter(factor, i, rule.scale, normals, parameter)
    combine_rows(parameter, contexts[i], sampled)
    bad = 0
    for k in range(sampled.shape[0]):
        bad += not math.isfinite(sampled[k])
    if bad > 0:
        return -1
    return first_largest(sampled) if mask is None else first_largest_within(sampled, mask[i])


@learn.of(LaplaceRule)
def _learn(rule, i, contexts, arm, reward):
    model, x = rule.model, rule.scratch[2]
    if not read_sample(contexts, i, arm, model.ridge, x):
        return False
    work = rule.scratch[3], rule.scratch[0]
    absorb_logistic(model.upper[i], model.pivots[i], model.moment[i], x, reward, work)
    return True
