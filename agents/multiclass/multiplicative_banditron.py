"""The Banditron with multiplicative updates: exponentiated gradient with signed weights, EG±."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, learn
from agents.numerics.label_scores import used
from agents.parts.exploring_label import Exploration, ExploringLabel, explore, probability
from agents.search import Log
from banditgym.compiled import inlined
from banditgym.elementary import sinh
from banditgym.validation import checked, positive

# sinh(350) is 5e151: far above it sums of products with features would overflow.
_LARGEST = 350.0


@dataclass(kw_only=True, eq=False)
class MultiplicativeBanditron(ExploringLabel):
    r"""Banditron whose weights grow and shrink by factors, as in Winnow.

    The predictions :math:`\hat y_t`, the labels played :math:`\tilde y_t \sim P` and the estimate
    :math:`\tilde U_t` are those of ``Banditron`` for the weights

    .. math:: W = \sinh(\eta \Theta), \qquad \Theta \leftarrow \Theta + \tilde U_t,

    which are the differences :math:`(e^{\eta\Theta} - e^{-\eta\Theta}) / 2` of a positive and a
    negative weight for each feature and label (EG± without normalisation). As :math:`\eta \to 0`
    the decisions become those of the Banditron, except for exact ties.

    A round costs O(k) per pair of the row and replicate, and two hyperbolic sines; memory: 2 n d k
    numbers.

    Its definition is ``tests/agents/definitions/multiclass/multiplicative_banditron.py``.

    Parameters
    ----------
    gamma : float
        The probability of a uniform label, in (0, 1].
    learning_rate : float, optional
        :math:`\eta > 0`, in units of one over the features; :math:`\gamma / k` if None. An update
        then changes an exponent by at most :math:`\max_j |x_j|`, which should be about 1. For
        features of another scale, divide :math:`\gamma / k` by that scale.

    Attributes
    ----------
    theta, weights : ndarray of shape (n, d, k)
        The transposes of :math:`\Theta` and W of each replicate.
    open : agents.open_decisions.OpenDecisions
        :math:`\hat y_t` of every decision without an answer so far.

    Notes
    -----
    The paper conjectures that the scheme also works with multiplicative updates, and gives no
    listing; the formulas are ours. Exponents are clipped to 350 in absolute value, because much
    larger ones overflow in scores. For a late reward, :math:`\hat y_t` and P are those of its
    decision.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, section 6.
    J. Kivinen, M. Warmuth. Exponentiated Gradient versus Gradient Descent for Linear Predictors.
    Information and Computation 132, 1997, for EG±.
    """

    paper: ClassVar = "Kakade et al. 2008, section 6"
    search: ClassVar = {"gamma": Log(0.001, 0.5), "learning_rate": Log(0.0001, 1.0)}

    learning_rate: float | None = checked(positive, None)

    def _start(self) -> None:
        super()._start()
        self.theta = np.zeros_like(self.weights)
        rate = self.learning_rate
        self._rate = float(self.gamma / self.task.n_labels if rate is None else rate)

    def _rule(self, rounds: int) -> "MultiplicativeBanditronRule":
        exploration = self._exploration(rounds)
        return MultiplicativeBanditronRule(self.weights, exploration, self.theta, self._rate)


class MultiplicativeBanditronRule(NamedTuple):
    """The rule of ``MultiplicativeBanditron``."""

    weights: np.ndarray
    exploration: Exploration
    theta: np.ndarray
    rate: float


choose.of(MultiplicativeBanditronRule)(explore)


@learn.of(MultiplicativeBanditronRule)
def _learn(rule, i, contexts, played, reward):
    w, theta, row, x = rule.weights[i], rule.theta[i], contexts[0][i], contexts[1][i]
    width, guess, lower = used(x), rule.exploration.guess[i], -1.0
    if reward == 1.0:
        raised = 1.0 / probability(played, guess, rule.exploration.gamma, w.shape[1])
        if played == guess:
            lower += raised
        else:
            _add(theta, w, row, x, width, played, raised, rule.rate)
    _add(theta, w, row, x, width, guess, lower, rule.rate)


@inlined
def _add(theta, weights, indices, values, width, label, step, eta):
    column = np.uint64(label)
    for p in range(width):
        j = np.uint64(indices[p])
        theta[j, column] += step * values[p]
        exponent = min(max(eta * theta[j, column], -_LARGEST), _LARGEST)
        weights[j, column] = sinh(exponent)
