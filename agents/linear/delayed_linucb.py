"""DelayedLinUCB: optimism for rewards that come late, or never, within a window."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from agents.numerics.choice import most_optimistic
from agents.numerics.ridge.factor_predictions import predict
from agents.numerics.ridge.later_rewards import add_rewards
from agents.parts.confidence import self_normalized_closed
from agents.parts.confidence.theorem_radius import TheoremRadius
from agents.parts.estimators.ridge import FreshArms
from agents.search import Log
from banditgym.tasks import LinearTask
from banditgym.validation import checked, memory, nonnegative, whole


def _longest_wait(task: Any) -> int | None:
    """The rounds after which a reward has come, or never does; None if there is no such number."""
    feedback = task.feedback
    if feedback is None or feedback.window is None:
        return None
    return feedback.window + feedback.update_every - 1


@dataclass(kw_only=True, eq=False)
class DelayedLinUCB(TheoremRadius):
    r"""OTFLinUCB: a play counts at once, its reward when it comes, and open plays widen the bonus.

    With all plays so far, :math:`V_t = \lambda I + \sum_{s<t} x_s x_s^\top`, the rewards that have
    come, :math:`\hat\theta_t = V_t^{-1} \sum_{s<t} 1\{r_s \text{ has come}\}\, r_s x_s`, and a
    window of m rounds, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \hat\theta_t \rangle
        + \rho_t \lVert x_{t,k} \rVert_{V_t^{-1}},
    .. math:: \rho_t = \alpha \left( 2 \sqrt\lambda S + 2 R \sqrt{2 \log(1/\delta) + d \log\left(1 +
        \frac{(t-1) L^2}{\lambda d}\right)} + L S \sum_{s=t-m}^{t-1} \lVert x_s \rVert_{V_t^{-1}}
        \right).

    The last sum has the plays whose rewards may still come. A round costs :math:`O((K + m) d^2)`
    per replicate, and memory is n (d² + 3 d + 2 K + (m + 1) (d + 1)) numbers.

    Its definition is ``tests/agents/definitions/linear/delayed_linucb.py``.

    Parameters
    ----------
    window : int, optional
        m >= 0, in rounds. A reward that comes after more rounds is not learned. If None, the task's
        window, with the rounds that rewards wait for an update.
    alpha : float
        :math:`\alpha \ge 0`, the scale of the bonus, without unit; 1 is the theorem's.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.
    delta : float
        Probability of failure, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant.
    param_norm : float, optional
        S, a bound on the norm of theta, in units of reward per unit of features; the task's if
        None.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The ridge regression, with a reward of 0 for every play without one: ``theta`` and ``gram``.

    Notes
    -----
    The paper was not at hand. The formulas are Theorem 1 as a summary of the paper quotes it, where
    rewards are in {0, 1} and R = S = L = 1; the term with :math:`\lambda` is from a
    re-implementation. Departs from it: R, S and L are those of the task.

    Code by the authors that another repository reproduces has :math:`\rho_t = \alpha (\sqrt{\lambda
    + \beta_t} + \sum_s \lVert x_s \rVert^2)`, multiplied by :math:`\lVert x_{t,k} \rVert^2`: all
    norms are squared there, and those of the sum are the norms at the time of the play.

    The rewards that do not come in time are those of an unknown share of all plays, so the estimate
    is of :math:`\tau \theta`, where :math:`\tau` is the probability of a delay of at most m. A
    reward of another arm than the agent chose in that decision, or without a decision, counts as
    one more play.

    References
    ----------
    C. Vernade, A. Carpentier, T. Lattimore, G. Zappella, B. Ermis, M. Brueckner. Linear Bandits
    with Stochastic Delayed Feedback. ICML 2020, OTFLinUCB. The summary: ``delayed-bandits`` of a
    blog; its Theorem 1 has :math:`2 f_{t,\delta} + \sum_s \lVert x_s \rVert`.
    """

    accepts: ClassVar = (LinearTask,)
    paper: ClassVar = "Vernade et al. 2020, OTFLinUCB"
    search: ClassVar = {"alpha": Log(0.001, 1.0), "ridge": Log(0.01, 100.0)}
    scope: ClassVar = "for late rewards within a window"
    on_request: ClassVar = True  # most tasks have no window
    from_task: ClassVar = {**TheoremRadius.from_task, "window": _longest_wait}
    radius: ClassVar[str] = "theory"  # pyright: ignore[reportIncompatibleVariableOverride]

    window: int | None = checked(partial(whole, least=0), None)
    alpha: float = checked(nonnegative, 1.0)
    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None
    param_norm: float | None = None

    def _start(self) -> None:
        super()._start()
        n, dim, n_arms = self.n, self.task.dim, self.task.n_arms
        # Not in the form for fixed arms: a play's reward is learned apart from the play.
        self.model = FreshArms.initial(n, dim, n_arms, float(self.ridge))
        places = int(min(self.known("window"), self.task.horizon or math.inf)) + 1
        if n * dim * places * 8 > memory():  # numpy raises another error for huge shapes
            raise MemoryError(f"of a window of {places - 1} rounds")
        self._played = np.zeros((n, dim, places))  # decision t lies at t modulo the places
        self._open = np.zeros((n, places), bool)

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        mean, variance = self.model.predict(contexts)
        arms = most_optimistic(mean, variance, self.radii(contexts), self.mask)
        self.model.update(contexts, arms, np.zeros(self.n), self._all)
        each, place = np.arange(self.n), self.decisions % self._open.shape[1]
        self._played[each, :, place] = contexts[each, :, arms]
        self._open[each, place] = True
        self._t += 1
        return arms

    _propensities = TheoremRadius.one_hot

    def _estimate(self, contexts: np.ndarray, actions: np.ndarray) -> np.ndarray:
        # Apart from what the last choice computed, because V has its play since then.
        mean, variance = np.empty((2, *self.model.mean.shape))
        apart = self.model._replace(mean=mean, variance=variance)
        return apart.predict(contexts)[0][np.arange(self.n), actions]

    def _radii(self, contexts: np.ndarray) -> np.ndarray:
        model, (n, places) = self.model, self._open.shape
        mean, variance = np.empty((2, n, places))
        predict(model.upper, model.pivots, model.moment, self._played, mean, variance)
        variance[np.arange(n), self.decisions % places] = 0.0  # of m + 1 rounds ago
        known = self._known_bounded()
        waiting = np.sqrt(np.maximum(variance, 0.0)).sum(axis=1)
        waiting *= known["feature_norm"] * known["param_norm"]
        return self.alpha * (2 * self_normalized_closed(self._t, **known) + waiting)

    def _learn(self, contexts, actions, reward, observed) -> None:
        each, places = np.arange(self.n), self._open.shape[1]
        answered = self.decisions - 1 if self.answered is None else self.answered
        place, chosen = answered % places, contexts[each, :, actions]
        counted = self._open[each, place] & (chosen == self._played[each, :, place]).all(axis=1)
        in_time = observed & (answered >= self.decisions - places)
        counted, others = in_time & counted, in_time & ~counted
        self.model.update(contexts, actions, reward, others)
        model = self.model
        add_rewards(model.upper, model.pivots, model.moment, chosen, reward, counted)
        self._open[each, place] &= ~counted
        self._t += others
