"""SquareCB: inverse gap weighting with an online regression of each label's reward."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.decisions import choose_each
from agents.drivers.rule import choose, learn
from agents.numerics.label_scores import add_row, fill_scores, label_score, used
from agents.numerics.random_choice import inverse_gap, inverse_gap_weights
from agents.parts.one_label import OneLabel
from agents.search import Linear, Log
from banditgym.elementary import each_power, power
from banditgym.streams import uniform_at
from banditgym.validation import checked, nonnegative, positive


@dataclass(kw_only=True, eq=False)
class SquareCB(OneLabel):
    r"""Play labels with probabilities inverse to their estimated gaps to the best label.

    An online regression predicts the reward of each label, :math:`f_r = (W x_t)_r`, clipped to [0,
    1]. Let b be the first label with the largest prediction. Round :math:`t` draws its label from

    .. math:: p_r = \frac{1}{k + \gamma_t (f_b - f_r)} \quad (r \ne b), \qquad
        p_b = 1 - \sum_{r \ne b} p_r, \qquad \gamma_t = c \, t^\rho,

    and the regression takes an implicit gradient step on the squared loss of the label a played,

    .. math:: W_a \leftarrow W_a + \frac{\eta}{1 + \eta \lVert x_t \rVert^2}
        (r_t - (W x_t)_a) \, x_t = \arg\min_w \tfrac12 (r_t - \langle w, x_t \rangle)^2
        + \tfrac{1}{2 \eta} \lVert w - W_a \rVert^2,

    which does not diverge for any learning rate or any length of rows.

    A round costs O(k) per pair of the row and replicate; memory: n d k numbers.

    Its definition is ``tests/agents/definitions/multiclass/squarecb.py``.

    Parameters
    ----------
    gamma_scale, gamma_exponent : float
        c > 0 and :math:`\rho \ge 0`, without unit. The defaults are Vowpal Wabbit's.
    learning_rate : float
        :math:`\eta > 0`, constant, in units of one over the squared features.

    Attributes
    ----------
    weights : ndarray of shape (n, d, k)
        The transpose of W of each replicate.

    Notes
    -----
    The paper takes any oracle of online regression and the constant
    :math:`\gamma = \sqrt{k T / (\mathrm{Reg}_{Sq}(T) + \log(2 / \delta))}`. Departs from it in
    gamma: the oracle's regret is not known, so :math:`\gamma_t` grows with t, as in Vowpal Wabbit's
    ``cb_explore_adf``.

    References
    ----------
    D. Foster, A. Rakhlin. Beyond UCB: Optimal and Efficient Contextual Bandits with Regression
    Oracles. ICML 2020, Algorithm 1.
    B. Kulis, P. Bartlett. Implicit Online Learning. ICML 2010, for the oracle.
    """

    paper: ClassVar = "Foster & Rakhlin 2020, Algorithm 1"
    search: ClassVar = {
        "gamma_scale": Log(0.1, 1000.0),
        "gamma_exponent": Linear(0.0, 1.0),
        "learning_rate": Log(0.001, 10.0),
    }

    gamma_scale: float = checked(positive, 10.0)
    gamma_exponent: float = checked(nonnegative, 0.5)
    learning_rate: float = checked(positive, 0.1)

    def _start(self) -> None:
        super()._start()
        self._t = np.zeros(self.n, np.int64)  # rounds learned from, for gamma

    def _rule(self, rounds: int) -> "SquareCBRule":
        scores = np.empty((self.n, self.task.n_labels))
        state = self.weights, self._t, self._keys, self.decisions, scores
        schedule = float(self.gamma_scale), float(self.gamma_exponent)
        return SquareCBRule(*state, *schedule, float(self.learning_rate))

    def _propensities(self, contexts) -> np.ndarray:
        rule = self._rule(1)
        choose_each(rule, self.n, contexts, None)  # which writes the scores
        gamma = rule.scale * each_power(self._t + 1.0, rule.exponent)
        return inverse_gap_weights(rule.scores, gamma, self._available())


class SquareCBRule(NamedTuple):
    """The rule of ``SquareCB``; ``scores`` (k,) is scratch."""

    weights: np.ndarray
    t: np.ndarray
    keys: np.ndarray
    decisions: np.ndarray
    scores: np.ndarray
    scale: float
    exponent: float
    learning_rate: float


@choose.of(SquareCBRule)
def _choose(rule, i, t, contexts, mask):
    row, x, scores = contexts[0][i], contexts[1][i], rule.scores[i]
    fill_scores(rule.weights[i], row, x, used(x), scores)
    for r in range(scores.shape[0]):
        scores[r] = min(max(scores[r], 0.0), 1.0)
    gamma = rule.scale * power(rule.t[i] + 1.0, rule.exponent)
    u = uniform_at(rule.keys[i, 0], rule.keys[i, 1], rule.decisions[i] + t, 0)
    return inverse_gap(scores, gamma, u, None)


@learn.of(SquareCBRule)
def _learn(rule, i, contexts, played, reward):
    w, row, x = rule.weights[i], contexts[0][i], contexts[1][i]
    width = used(x)
    square = 0.0
    for p in range(width):
        square += x[p] * x[p]
    error = reward - label_score(w, row, x, width, played)
    step = rule.learning_rate / (1.0 + rule.learning_rate * square)
    add_row(w, row, x, width, played, step * error)
    rule.t[i] += 1
