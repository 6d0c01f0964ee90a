"""OFUGLB-e: optimism over the ellipsoid of a likelihood ratio, for logistic rewards."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, learn
from agents.numerics.logistic.largest_bound import optimistic_arm
from agents.parts.confidence import check_radius
from agents.parts.logistic.fitted_agent import FittedAgent, Fitting, absorb_sample
from agents.search import Log
from banditgym.elementary import each_log, log


@dataclass(kw_only=True, eq=False)
class OFUGLBe(FittedAgent):
    r"""Optimism around the maximum-likelihood estimate in a ball, with the slopes there.

    With :math:`\sigma(z) = 1 / (1 + e^{-z})` and the log loss :math:`\ell(\theta; x, r) = \log(1 +
    e^{\langle x, \theta \rangle}) - r \langle x, \theta \rangle`,

    .. math::
        \hat\theta_t &= \arg\min_{\lVert\theta\rVert \le S} \sum_{s<t} \ell(\theta; x_s, r_s),
            \qquad H_t = \lambda I
            + \sum_{s<t} \dot\sigma(\langle x_s, \hat\theta_t \rangle)\, x_s x_s^\top, \\
        \beta_t^2 &= \log(1/\delta) + d \log\max\{e, 2 e S L_t / d\}, \qquad
            L_t = (1 + S/2) (t - 2), \qquad \lambda = \frac{1}{8 S^2 (1 + S)},

    round t plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \hat\theta_t \rangle
        + \sqrt{2 (1 + S) (1 + \beta_t^2)} \; \lVert x_{t,k} \rVert_{H_t^{-1}}.

    Round t costs :math:`O(K d^2 + t d^2 + d^3)` per replicate, a few passes over all samples; with
    ``refit_every`` the terms beside the first are divided by it. Memory: n (T (d + 1) + d² + 3 d +
    2 K).

    Its definition is ``tests/agents/definitions/logistic/ofuglb_e.py``.

    Parameters
    ----------
    delta : float
        Probability of failure, in (0, 1).
    param_norm : float, optional
        S > 0, a bound on the norm of theta, in units of log-odds per unit of features; the task's
        if None.
    refit_every : int
        The estimate is computed anew after each so many rewards. In between H grows by the
        slopes at the last estimate.
    radius : "theory" or float
        The square root above; a number >= 0: that constant, in units of log-odds.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The estimate ``theta`` (n, d), and H (n, d, d) as ``gram``.

    Notes
    -----
    The formulas are those of the authors' code (nick-jhlee/logistic_bandit, ``ofuglb_e.py``), which
    names Theorem 3.2 of the paper as their source; we have not read the paper. An earlier commit of
    the code has :math:`\lambda = (1 + S) / (2 S^2)`. Features are assumed to have norms of at most
    1. t - 1 is the number of rewards learned. The estimate is exact; the code computes it by SLSQP.

    References
    ----------
    J. Lee, S.-Y. Yun, K.-S. Jun. A Unified Confidence Sequence for Generalized Linear Models, with
    Applications to Bandits. NeurIPS 2024.
    """

    paper: ClassVar = "Lee, Yun & Jun 2024, Theorem 3.2, the published code"
    search: ClassVar = {"radius": Log(0.01, 10.0)}

    ridge: ClassVar[float] = 1.0  # pyright: ignore[reportIncompatibleVariableOverride]
    radius: str | float = "theory"

    def __post_init__(self):
        super().__post_init__()
        check_radius(self, ("theory",))

    def _first_ridge(self) -> float:
        s = float(self.known("param_norm"))
        return 1.0 / (8.0 * s * s * (1.0 + s))

    def _rule(self, rounds: int) -> "OFUGLBeRule":
        s, dim = float(self.known("param_norm")), self.task.dim
        constant = -1.0 if isinstance(self.radius, str) else float(self.radius)
        known = s, float(dim), each_log(1.0 / self.delta), constant
        return OFUGLBeRule(self._fitting(rounds, (0.0, s), True), known, self._choosing())


class OFUGLBeRule(NamedTuple):
    """The rule of ``OFUGLBe``; the last field is scratch."""

    fitting: Fitting
    known: tuple[float, float, float, float]
    choosing: tuple[np.ndarray, np.ndarray, Any]


@choose.of(OFUGLBeRule)
def _choose(rule, i, t, contexts, mask):
    s, dim, beta, radius = rule.known
    if radius < 0.0:
        length = (1.0 + 0.5 * s) * (rule.fitting.learned[i] - 1.0)
        beta += dim * (1.0 + log(max(1.0, 2.0 * s * length / dim)))
        radius = math.sqrt(2.0 * (1.0 + s) * (1.0 + beta))
    return optimistic_arm(rule.fitting.model, i, contexts, mask, (radius, False), rule.choosing)


@learn.of(OFUGLBeRule)
def _learn(rule, i, contexts, arm, reward):
    return absorb_sample(rule.fitting, i, contexts, arm, reward)
