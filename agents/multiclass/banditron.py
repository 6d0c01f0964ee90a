"""The Banditron: the Perceptron's update, estimated without bias from "right" or "wrong"."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, learn
from agents.numerics.label_scores import add_row, used
from agents.parts.exploring_label import Exploration, ExploringLabel, explore, probability
from agents.search import Log
from banditgym.compiled import inlined


@dataclass(kw_only=True, eq=False)
class Banditron(ExploringLabel):
    r"""The Perceptron for feedback that only says right or wrong.

    With weights :math:`W \in \mathbb{R}^{k \times d}`, at first 0, round :math:`t` sets and plays

    .. math:: \hat y_t = \arg\max_r (W x_t)_r, \qquad
        P(r) = (1 - \gamma) 1[r = \hat y_t] + \gamma / k, \qquad \tilde y_t \sim P,

    observes :math:`1[\tilde y_t = y_t]`, and adds to each row r of W

    .. math:: \tilde U_r = x_t \Bigl( \frac{1[\tilde y_t = y_t] 1[\tilde y_t = r]}{P(r)}
        - 1[\hat y_t = r] \Bigr),

    whose expectation is the Perceptron's update. Every round subtracts :math:`x_t` from row
    :math:`\hat y_t`, and a right answer adds :math:`x_t / P` to the row of the label played.

    A round costs O(k) per replicate and pair of its row; memory: n d k numbers.

    Its definition is ``tests/agents/definitions/multiclass/banditron.py``.

    Parameters
    ----------
    gamma : float
        The probability :math:`\gamma` of a uniform label, in (0, 1]. The mistake bound,
        ``agents.bounds.banditron_mistakes``, holds up to 1/2, as in the paper.

    Attributes
    ----------
    weights : ndarray of shape (n, d, k)
        The transpose of W of each replicate.
    open : agents.open_decisions.OpenDecisions
        :math:`\hat y_t` of every decision without an answer so far.

    Notes
    -----
    The paper's listing has :math:`1[\hat y_t = r]` in the numerator, with which the estimate is
    biased. The proof of its Lemma 4 has :math:`1[\tilde y_t = r]`, as here. The paper's text
    explores "with probability 1 - gamma", which is a slip; labels are drawn from the listing's P.

    A late reward is weighted by the :math:`\hat y_t` and P of its decision, so the estimate is
    unbiased. It is added to the current weights.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, Algorithm 1 and Lemma 4.
    """

    paper: ClassVar = "Kakade et al. 2008, Algorithm 1"
    search: ClassVar = {"gamma": Log(0.001, 0.5)}

    def _rule(self, rounds: int) -> "BanditronRule":
        return BanditronRule(self.weights, self._exploration(rounds))


class BanditronRule(NamedTuple):
    """The rule of ``Banditron``."""

    weights: np.ndarray
    exploration: Exploration


choose.of(BanditronRule)(explore)


@learn.of(BanditronRule)
def _learn(rule, i, contexts, played, reward):
    w, row, x = rule.weights[i], contexts[0][i], contexts[1][i]
    guess = rule.exploration.guess[i]
    add_estimate(w, row, x, used(x), guess, played, reward == 1.0, rule.exploration.gamma)


@inlined
def add_estimate(weights, indices, values, width, guess, played, right, gamma):
    """Add the estimate of the Perceptron's update to the weights (d, k) of one replicate."""
    if right:
        p = probability(played, guess, gamma, weights.shape[1])
        if played == guess:
            add_row(weights, indices, values, width, guess, 1.0 / p - 1.0)
            return
        add_row(weights, indices, values, width, played, 1.0 / p)
    add_row(weights, indices, values, width, guess, -1.0)
