"""The Banditron: an unbiased estimate of the Perceptron's update from right or wrong."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.numerics.label_scores import (
    add_row,
    best_label,
    choose_exploring,
    explored,
    first_unclear,
    probability,
    used,
)
from agents.open_decisions import OpenDecisions
from agents.parts.multiclass_checks import check_exploration, reject_reward
from agents.parts.one_label import OneLabel
from banditgym.blocks import PairsBlock
from banditgym.compiled import compiled, inlined
from banditgym.streams import uniform_at


@dataclass(kw_only=True, eq=False)
class Banditron(OneLabel):
    r"""The Perceptron for feedback that only says right or wrong.

    With weights :math:`W \in \mathbb{R}^{k \times d}`, at first 0, round :math:`t` sets and plays

    .. math:: \hat y_t = \arg\max_r (W x_t)_r, \qquad
        P(r) = (1 - \gamma) 1[r = \hat y_t] + \gamma / k, \qquad \tilde y_t \sim P,

    observes :math:`1[\tilde y_t = y_t]`, and adds to row r of W

    .. math:: \tilde U_r = x_t \Bigl( \frac{1[\tilde y_t = y_t] 1[\tilde y_t = r]}{P(r)}
        - 1[\hat y_t = r] \Bigr),

    whose expectation is the Perceptron's update. So a wrong answer always lowers
    :math:`\hat y_t`, explored or not; a right one raises the label played, by :math:`1/P`.

    A round costs O(k) per pair of the row and replicate; memory: n d k numbers.

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
        :math:`\hat y_t` of every decision that was not yet answered.

    Notes
    -----
    The paper's listing prints :math:`1[\hat y_t = r]` in the numerator; the proof of its Lemma 4
    has :math:`1[\tilde y_t = r]`, as here: with the former the estimate is biased. The text's
    exploration "with probability 1 - gamma" is a slip; labels are played from the listing's P.

    A late reward is weighted by the :math:`\hat y_t` and P of its decision, so the estimate is
    unbiased; it is added to the weights that are current when it comes.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, Algorithm 1 and Lemma 4.
    """

    paper: ClassVar = "Kakade et al. 2008, Algorithm 1"

    gamma: float = 0.05

    def __post_init__(self):
        check_exploration("gamma", self.gamma)

    def _start(self) -> None:
        super()._start()
        self.open = OpenDecisions.none(self.n, self.task.n_labels)

    def _choose(self, contexts) -> np.ndarray:
        labels, guesses = choose_exploring(
            self.weights, contexts, self._keys, self.decisions, self.gamma
        )
        self.open.open(self.decisions, guesses)
        return labels

    def _learn(self, contexts, actions, outcome, observed) -> None:
        guesses = self.open.of(self.decisions, self.answered, observed)
        bad = _learn(
            self.weights, *contexts, float(self.gamma), guesses, actions, outcome, observed
        )
        reject_reward(bad, outcome)
        self.open.close(self.decisions, self.answered, observed)

    def _play_block(self, block: PairsBlock) -> np.ndarray:
        actions = np.empty(block.labels.shape, np.int64)
        _play_block(
            self.weights, block.indices, block.values, block.labels, self._keys, self.decisions,
            float(self.gamma), actions,
        )  # fmt: skip
        return actions


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


@compiled
def _learn(weights, indices, values, gamma, guesses, played, reward, observed):
    bad = first_unclear(reward, observed)
    if bad >= 0:
        return bad
    for i in range(weights.shape[0]):
        if observed[i]:
            w, row, x = weights[i], indices[i], values[i]
            add_estimate(w, row, x, used(x), guesses[i, 0], played[i], reward[i] == 1.0, gamma)
    return -1


@compiled
def _play_block(weights, indices, values, labels, keys, decisions, gamma, actions):
    rounds, n = labels.shape
    n_labels = weights.shape[2]
    scores = np.empty(n_labels)
    for i in range(n):
        for s in range(rounds):
            w, row, x = weights[i], indices[s, i], values[s, i]
            width = used(x)
            guess = best_label(w, row, x, width, scores)
            u = uniform_at(keys[i, 0], keys[i, 1], decisions[i] + s, 0)
            played = explored(guess, gamma, n_labels, u)
            add_estimate(w, row, x, width, guess, played, played == labels[s, i], gamma)
            actions[s, i] = played
