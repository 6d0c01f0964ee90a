"""GLM-UCB: optimism by a width that holds where the logistic function is flattest."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, learn
from agents.numerics.logistic.largest_bound import optimistic_arm
from agents.parts.confidence import check_radius
from agents.parts.logistic.fitted_agent import FittedAgent, Fitting, absorb_sample
from agents.search import Log
from banditgym.elementary import each_exp, each_log, log


@dataclass(kw_only=True, eq=False)
class GLMUCB(FittedAgent):
    r"""Optimism over the ellipsoid of linear bandits, as wide as the flattest slope demands.

    With :math:`\sigma(z) = 1 / (1 + e^{-z})`, :math:`V_t = \lambda I + \sum_{s<t} x_s x_s^\top` and
    the estimate

    .. math:: \hat\theta_t = \arg\min_\theta \sum_{s<t} \Bigl(\log(1 + e^{\langle x_s, \theta
        \rangle}) - r_s \langle x_s, \theta \rangle\Bigr) + \frac{\lambda}{2} \lVert\theta\rVert^2,

    round t plays

    .. math:: a_t = \arg\max_k \; \sigma(\langle x_{t,k}, \hat\theta_t \rangle)
        + \rho_t \lVert x_{t,k} \rVert_{V_t^{-1}}, \qquad \rho_t = \sqrt\lambda S
        + \frac{\kappa}{4} \sqrt{2 \log(1/\delta) + \log(\det V_t / \lambda^d)},

    where :math:`1/\kappa = \dot\sigma(S L)` is the least slope at scores of at most S L, for
    features of norms up to L. :math:`\kappa` grows as :math:`e^{S L}`.

    Round t costs :math:`O(K d^2 + t d^2)` per replicate, a few passes over all samples; with
    ``refit_every`` the second term is divided by it. Memory: n (T (d + 1) + d² + 3 d + 2 K).

    Its definition is ``tests/agents/definitions/logistic/glm_ucb.py``.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features. The code of Faury et al. has d.
    delta : float
        Probability of failure, in (0, 1).
    param_norm : float, optional
        S > 0, a bound on the norm of theta, in units of log-odds per unit of features; the task's
        if None.
    refit_every : int
        The estimate is computed anew after each so many rewards.
    radius : "theory" or float
        The :math:`\rho_t` above; a number >= 0: that constant, in units of reward.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The estimate ``theta`` (n, d), and V (n, d, d) as ``gram``.

    Notes
    -----
    The formulas are those of the code of Faury et al. (criteo-research/logistic_bandit), whose
    width takes the place of the paper's; we have not read the paper. Departs from that code: the
    minimum is exact, where five Newton steps are taken there, and an estimate of a norm above S is
    kept, as with the default ``do_proj=False`` there.

    References
    ----------
    S. Filippi, O. Cappé, A. Garivier, C. Szepesvári. Parametric Bandits: The Generalized Linear
    Case. NIPS 2010.
    L. Faury, M. Abeille, C. Calauzènes, O. Fercoq. Improved Optimistic Algorithms for Logistic
    Bandits. ICML 2020.
    """

    paper: ClassVar = "Filippi et al. 2010, as in the code of Faury et al."
    search: ClassVar = {"radius": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    radius: str | float = "theory"

    def __post_init__(self):
        super().__post_init__()
        check_radius(self, ("theory",))

    def refusal(self, task: Any) -> str | None:
        reason = super().refusal(task)
        if reason is None and self.radius == "theory" and task.feature_norm is None:
            return "its radius needs a bound on the features' norm, and the task gives none"
        return reason

    def _rule(self, rounds: int) -> "GLMUCBRule":
        constant, scale, start = -1.0, 0.0, 0.0
        if isinstance(self.radius, str):
            small = each_exp(-self.known("param_norm") * self.task.feature_norm)
            scale = 0.25 * (1.0 + small) * (1.0 + small) / small
            start = math.sqrt(self.ridge) * self.known("param_norm")
        else:
            constant = float(self.radius)
        width = float(start), float(scale), 2.0 * each_log(1.0 / self.delta), constant
        fitting = self._fitting(rounds, (float(self.ridge), math.inf), False)
        return GLMUCBRule(fitting, width, self._choosing())


class GLMUCBRule(NamedTuple):
    """The rule of ``GLMUCB``; the last field is scratch."""

    fitting: Fitting
    width: tuple[float, float, float, float]
    choosing: tuple[np.ndarray, np.ndarray, Any]


@choose.of(GLMUCBRule)
def _choose(rule, i, t, contexts, mask):
    model, (start, scale, growth, radius) = rule.fitting.model, rule.width
    if radius < 0.0:
        for j in range(model.pivots.shape[2]):
            growth += log(model.pivots[i, 0, j] / model.ridge)
        radius = start + scale * math.sqrt(growth)
    return optimistic_arm(model, i, contexts, mask, (radius, True), rule.choosing)


@learn.of(GLMUCBRule)
def _learn(rule, i, contexts, arm, reward):
    return absorb_sample(rule.fitting, i, contexts, arm, reward)
