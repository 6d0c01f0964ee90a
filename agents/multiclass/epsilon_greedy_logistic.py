"""Epsilon-greedy play on logistic regressions: one for each label, or one for all arms."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.decisions import RuleAgent
from agents.drivers.rule import choose, learn
from agents.numerics.label_scores import add_row, label_score, used
from agents.parts.exploring_label import Exploration, explore, label_propensities
from agents.parts.logistic.logistic_agent import check_features
from agents.parts.logistic.shared_regression import RELATIVE, SCALE, SharedRegressionRule, rate_of
from agents.parts.multiclass_checks import check_exploration
from agents.parts.one_label import OneLabel
from agents.search import Log
from banditgym.elementary import exp
from banditgym.tasks import LogisticTask, MulticlassTask
from banditgym.validation import checked, positive


@dataclass(kw_only=True, eq=False)
class EpsilonGreedyLogistic(OneLabel):
    r"""Play the label with the best logistic regression score; with probability ε a uniform one.

    With weights :math:`W \in \mathbb{R}^{k \times d}`, at first 0, and :math:`\sigma(z) = 1/(1 +
    e^{-z})`, the estimated probability that label r is right is :math:`\sigma((W x)_r)`. Round
    :math:`t` plays a uniform label with probability :math:`\varepsilon`, else the first label with
    the largest score. It then takes a gradient step on the log loss of the label a it played,

    .. math:: W_a \leftarrow W_a + \eta_t \, (r_t - \sigma((W x_t)_a)) \, x_t, \qquad
        \eta_t = \tfrac12 \lVert x_t \rVert^{-2},

    so that multiplying all rows by a number changes no score, but for rounding. A row whose squared
    length is below 1e-300, or overflows, changes nothing.

    The regressions have no importance weights. Whether a label is right for a row does not depend
    on why it was played, so each regression is consistent on its own rounds. Weights of up to
    :math:`k / \varepsilon` would only add variance.

    In logistic tasks all arms share one regression w. Round t plays a uniform arm with probability
    :math:`\varepsilon`, else the first arm with the largest :math:`\langle w, x_{t,k} \rangle`, and
    its features :math:`x_{t,a}` take the place of the row in the step.

    A round costs O(k) per pair of the row and replicate, or O(K d) in logistic tasks; memory: n d k
    numbers, or n d.

    Its definition is ``tests/agents/definitions/multiclass/epsilon_greedy_logistic.py``.

    Parameters
    ----------
    epsilon : float
        The probability of a uniform label or arm, in (0, 1].
    learning_rate : float, optional
        A constant in place of :math:`\eta_t`, on the scale of 1 / ‖x‖²; if None, the one above. A
        row that is much shorter than others then moves the weights far, and a constant is safer.

    Attributes
    ----------
    weights : ndarray of shape (n, d, k), or (n, d)
        The transpose of W of each replicate; w in logistic tasks.

    References
    ----------
    J. Langford, T. Zhang. The Epoch-Greedy Algorithm for Contextual Multi-armed Bandits.
    NeurIPS 2007, for exploration.
    D. Cortes. Adapting Multi-armed Bandits Policies to Contextual Bandits Scenarios. arXiv
    1811.04383, 2018, and its package ``contextualbandits``, for one classifier for each label,
    fitted to the rounds in which that label was played.
    """

    accepts: ClassVar = (MulticlassTask, LogisticTask)
    follows_masks: ClassVar = True
    paper: ClassVar = "baseline"
    search: ClassVar = {"epsilon": Log(0.001, 0.5), "learning_rate": Log(0.001, 10.0)}

    epsilon: float = checked(check_exploration, 0.05)
    learning_rate: float | None = checked(positive, None)

    def _start(self) -> None:
        super()._start()
        if isinstance(self.task, LogisticTask):
            self.weights = np.zeros((self.n, self.task.dim))

    def _learn(self, contexts, actions, outcome, observed) -> None:
        if isinstance(self.task, LogisticTask):
            check_features(contexts, actions, observed, SCALE)
        super()._learn(contexts, actions, outcome, observed)

    _play_block = RuleAgent._play_block

    def _rule(self, rounds: int) -> "EpsilonGreedyLogisticRule | SharedRegressionRule":
        exploration = Exploration.of(self, float(self.epsilon), rounds)
        rate = RELATIVE if self.learning_rate is None else float(self.learning_rate)
        if isinstance(self.task, LogisticTask):
            return SharedRegressionRule(self.weights, exploration, rate, np.empty(self.task.dim))
        return EpsilonGreedyLogisticRule(self.weights, exploration, rate)

    def _propensities(self, contexts) -> np.ndarray:
        return label_propensities(self, self._rule(1), contexts)


class EpsilonGreedyLogisticRule(NamedTuple):
    """The rule of ``EpsilonGreedyLogistic`` for labels."""

    weights: np.ndarray
    exploration: Exploration
    learning_rate: float


choose.of(EpsilonGreedyLogisticRule)(explore)


@learn.of(EpsilonGreedyLogisticRule)
def _learn(rule, i, contexts, played, reward):
    w, row, x = rule.weights[i], contexts[0][i], contexts[1][i]
    width = used(x)
    likely = 1.0 / (1.0 + exp(-label_score(w, row, x, width, played)))
    rate = rate_of(rule.learning_rate, x)
    add_row(w, row, x, width, played, rate * (reward - likely))
