"""ada-OFU-ECOLog: optimism for logistic rewards, with an online estimate and an online radius."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, learn
from agents.numerics.logistic.largest_bound import optimistic_arm
from agents.numerics.logistic.streaming import absorb_within_ball, read_sample
from agents.parts.confidence import check_radius
from agents.parts.estimators.ridge import FreshArms
from agents.parts.logistic.logistic_agent import BoundedLogisticAgent
from agents.search import Log
from banditgym.compiled import inlined
from banditgym.elementary import log

_RADII = {"faury": 1, "lee": 2}


@dataclass(kw_only=True, eq=False)
class AdaOFUECOLog(BoundedLogisticAgent):
    r"""Optimism over an ellipsoid whose centre, shape and size are updated online.

    Let :math:`\sigma(z) = 1 / (1 + e^{-z})`, :math:`\ell(\theta; x, r) = \log(1 + e^{\langle x,
    \theta \rangle}) - r \langle x, \theta\rangle` the log loss, and at first :math:`\theta_1 = 0`,
    :math:`V_1 = \lambda I`. Round t plays

    .. math:: a_t = \arg\max_k \; \sigma(\langle x_{t,k}, \theta_t\rangle)
        + \rho_t \lVert x_{t,k} \rVert_{V_t^{-1}}.

    With the sample x of its arm and the reward r it then updates, over all :math:`\theta` with
    :math:`\lVert\theta\rVert \le S`,

    .. math::
        \theta_{t+1} &= \arg\min \tfrac12 \lVert\theta - \theta_t\rVert_{V_t}^2
            + \ell(\theta; x, r), \\
        \bar\theta_{t+1} &= \arg\min \tfrac12 \lVert\theta - \theta_{t+1}\rVert_{V_t}^2
            + \ell(\theta; x, 0) + \ell(\theta; x, 1), \\
        V_{t+1} &= V_t + \dot\sigma(\langle x, \theta_{t+1}\rangle)\, x x^\top,

    and adds :math:`\ell(\bar\theta_{t+1}; x, r) - \ell(\theta_{t+1}; x, r)` to a sum :math:`E`, and
    :math:`\lVert\theta_{t+1} - \bar\theta_{t+1}\rVert_{V_t}` to a sum :math:`M`. The radii are

    .. math::
        \text{faury:}\quad \rho_t^2 &= 2 \lambda S^2 + (1 + S)^2 \Bigl(\frac{\sqrt\lambda}{2}
            + \frac{2 \nu_t}{\sqrt\lambda}\Bigr) + 2 (1 + S) E - \tfrac12 M, \\
        \text{lee:}\quad \rho_t^2 &= 4 S^2 + 2 (2 + S) \Bigl(\frac{2 + S}{4}
            \bigl(\tfrac12 + 2 \nu_t\bigr) + \frac{S^2}{2 + S} + E\Bigr) + 4 \log(1 + t), \\
        \nu_t &= \log\frac{2 \sqrt{1 + t / (4 \lambda)}}{\delta}.

    A round costs :math:`O(K d^2)` per replicate, whatever its number; :math:`O(K d^2 + d^3)` if an
    estimate ends on the sphere :math:`\lVert\theta\rVert = S`. Memory: n (d² + 3 d + 2 K).

    Its definition is ``tests/agents/definitions/logistic/ada_ofu_ecolog.py``.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features. The code of Faury et al. has 1,
        that of Lee et al. S.
    delta : float
        Probability of failure, in (0, 1).
    param_norm : float, optional
        S > 0, a bound on the norm of theta, in units of log-odds per unit of features; the task's
        if None.
    radius : "faury", "lee" or float
        The radius above of the code of Faury et al. or of Lee et al.; a number >= 0: that
        constant, in units of reward.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The estimate ``theta`` (n, d), and V (n, d, d) as ``gram``.

    Notes
    -----
    The formulas are those of the code that the authors published with the paper
    (criteo-research/logistic_bandit), and of the code of Lee et al., which cites equations of the
    paper's appendix for its radius (nick-jhlee/logistic_bandit). We have not read the paper, so we
    cannot say which radius is the paper's. Both codes compute :math:`\bar\theta_{t+1}` from
    :math:`\theta_{t+1}`, and subtract a norm that is not squared, if they subtract it. Features are
    assumed to have norms of at most 1.

    Departs from both codes: minimisers are exact, where they take about log t steps of projected
    gradient descent; and a negative :math:`\rho_t^2` counts as 0. Where
    :math:`\dot\sigma(\langle x, \bar\theta_{t+1} \rangle)` is more than twice
    :math:`\dot\sigma(\langle x, \theta_{t+1} \rangle)`, the code of Faury et al. raises an error,
    and that of Lee et al. goes on, as we do.

    References
    ----------
    L. Faury, M. Abeille, K.-S. Jun, C. Calauzènes. Jointly Efficient and Optimal Algorithms for
    Logistic Bandits. AISTATS 2022.
    """

    paper: ClassVar = "Faury et al. 2022, the published code"
    search: ClassVar = {"radius": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    radius: str | float = "faury"

    def __post_init__(self):
        super().__post_init__()
        check_radius(self, tuple(_RADII))

    def _start(self) -> None:
        super()._start()
        self.excess, self.moved = np.zeros((2, self.n))

    def _rule(self, rounds: int) -> "ECOLogRule":
        dim = self.task.dim
        named = isinstance(self.radius, str)
        return ECOLogRule(
            self.model,
            (self.excess, self.moved, self._t),
            (_RADII[self.radius], 0.0) if named else (0, float(self.radius)),  # type: ignore[index]
            (float(self.known("param_norm")), float(self.delta)),
            self._choosing(),
            ((np.empty((dim, dim)), np.empty((dim, dim))), np.empty((9, dim))),
        )


class ECOLogRule(NamedTuple):
    """The rule of ``AdaOFUECOLog``; the last two fields are scratch."""

    model: FreshArms
    sums: tuple[np.ndarray, np.ndarray, np.ndarray]
    radius: tuple[int, float]
    known: tuple[float, float]
    choosing: tuple[np.ndarray, np.ndarray, Any]
    learning: tuple[tuple[np.ndarray, np.ndarray], np.ndarray]


@choose.of(ECOLogRule)
def _choose(rule, i, t, contexts, mask):
    return optimistic_arm(rule.model, i, contexts, mask, (_radius(rule, i), True), rule.choosing)


@inlined
def _radius(rule, i):
    """The radius of replicate i in the coming round."""
    (excess, moved, learned), (which, constant), (s, delta) = rule.sums, rule.radius, rule.known
    if which == 0:
        return constant
    t, ridge = learned[i] + 1.0, rule.model.ridge
    growth = log(2.0 * math.sqrt(1.0 + t / (4.0 * ridge)) / delta)
    if which == 1:
        root = math.sqrt(ridge)
        square = (1.0 + s) * (1.0 + s) * (0.5 * root + 2.0 * growth / root)
        square += 2.0 * ridge * s * s + 2.0 * (1.0 + s) * excess[i] - 0.5 * moved[i]
    else:
        square = 0.25 * (2.0 + s) * (0.5 + 2.0 * growth) + s * s / (2.0 + s) + excess[i]
        square = 4.0 * s * s + 2.0 * (2.0 + s) * square + 4.0 * log(1.0 + t)
    return math.sqrt(max(square, 0.0))


@learn.of(ECOLogRule)
def _learn(rule, i, contexts, arm, reward):
    model, (excess, moved, learned), x = rule.model, rule.sums, rule.learning[1][8]
    if not read_sample(contexts, i, arm, model.ridge, x):
        return False
    factor = model.upper[i], model.pivots[i], model.moment[i]
    more, by = absorb_within_ball(factor, x, reward, rule.known[0], rule.learning)
    excess[i] += more
    moved[i] += by
    learned[i] += 1
    return True
