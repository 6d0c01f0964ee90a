"""The Banditron: the Perceptron's update, estimated without bias from "right" or "wrong"."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.numerics.label_scores import (
    add_row,
    best_label,
    explored,
    fill_scores,
    probability,
    second_label,
    used,
)
from agents.parts.exploring_label import ExploringLabel
from agents.search import Log
from banditgym.compiled import borrowing, compiled, inlined
from banditgym.rounds.blocks import PairsBlock
from banditgym.streams import uniform_pair


@dataclass(kw_only=True, eq=False)
class Banditron(ExploringLabel):
    r"""The Perceptron for feedback that only says right or wrong.

    With weights :math:`W \in \mathbb{R}^{k \times d}`, at first 0, round :math:`t` sets and plays

    .. math:: \hat y_t = \arg\max_r (W x_t)_r, \qquad
        P(r) = (1 - \gamma) 1[r = \hat y_t] + \gamma / k, \qquad \tilde y_t \sim P,

    observes :math:`1[\tilde y_t = y_t]`, and adds to row r of W

    .. math:: \tilde U_r = x_t \Bigl( \frac{1[\tilde y_t = y_t] 1[\tilde y_t = r]}{P(r)}
        - 1[\hat y_t = r] \Bigr),

    whose expectation is the Perceptron's update. Every round subtracts :math:`x_t` from row
    :math:`\hat y_t`, and a right answer adds :math:`x_t / P` to the row of the label played.

    A round costs O(k) per pair of the row and replicate; memory: n d k numbers.

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

    def _update(self, contexts, answers) -> None:
        learn(self.weights, contexts, float(self.gamma), None, answers)

    def _play_block(self, block: PairsBlock) -> np.ndarray:
        return play_pairs_block(self, block, None)


def play_pairs_block(agent: ExploringLabel, block: PairsBlock, margin: float | None) -> np.ndarray:
    """Play the rounds of a block and learn from each: the labels (m, n) played."""
    actions = np.empty(block.labels.shape, np.int64)
    rows, draws = (block.indices, block.values), (agent._keys, agent.decisions)
    _play_pairs_block(agent.weights, rows, block.labels, draws, float(agent.gamma), margin, actions)
    return actions


@inlined
def _add_estimate(weights, indices, values, width, guess, played, right, gamma):
    """Add the estimate of the Perceptron's update to the weights (d, k) of one replicate."""
    if right:
        p = probability(played, guess, gamma, weights.shape[1])
        if played == guess:
            add_row(weights, indices, values, width, guess, 1.0 / p - 1.0)
            return
        add_row(weights, indices, values, width, played, 1.0 / p)
    add_row(weights, indices, values, width, guess, -1.0)


@inlined
def _add_margin(weights, indices, values, width, guess, scores, gamma, margin):
    """Add the margin's update after a right answer ``guess``, given the scores (k,) before."""
    second = second_label(scores, guess)
    if scores[guess] - scores[second] < margin:
        weight = 1.0 / probability(guess, guess, gamma, scores.shape[0])
        add_row(weights, indices, values, width, guess, weight)
        add_row(weights, indices, values, width, second, -weight)


@compiled
def learn(weights, rows, gamma, margin, answers):
    """Update the weights (n, d, k) by rows and their ``Answers``; the margin may be None."""
    indices, values = rows
    guesses, played, reward, observed = answers
    n, _, n_labels = weights.shape
    scores = np.empty(n_labels)
    for i in range(n):
        if observed[i]:
            w, row, x = weights[i], indices[i], values[i]
            width = used(x)
            guess, right = guesses[i, 0], reward[i] == 1.0
            if margin is not None:
                fill_scores(w, row, x, width, scores)
            _add_estimate(w, row, x, width, guess, played[i], right, gamma)
            if margin is not None and right and played[i] == guess:
                _add_margin(w, row, x, width, guess, scores, gamma, margin)


@compiled
def _play_pairs_block(weights, rows, labels, draws, gamma, margin, actions):
    keys, decisions = draws
    rounds, n = labels.shape
    n_labels = weights.shape[2]
    scores, uniforms = np.empty(n_labels), np.empty(rounds)
    for i in range(n):
        for s in range(rounds):
            uniforms[np.uint64(s)], _ = uniform_pair(keys[i, 0], keys[i, 1], decisions[i] + s, 0)
        for s in range(rounds):
            drawn = s, labels[s, i], uniforms[s]
            actions[s, i] = _play_round(weights, rows, i, drawn, gamma, margin, scores)


@borrowing
def _play_round(weights, rows, i, drawn, gamma, margin, scores):
    """Play one round of a block in replicate i, learn from it, and return the label played.

    ``drawn`` has the round, its true label, and the uniform number that the label is drawn with.
    """
    s, label, u = drawn
    w, row, x = weights[i], rows[0][s, i], rows[1][s, i]
    width = used(x)
    guess = best_label(w, row, x, width, scores)
    played = explored(guess, gamma, w.shape[1], u)
    right = played == label
    _add_estimate(w, row, x, width, guess, played, right, gamma)
    if margin is not None and right and played == guess:
        _add_margin(w, row, x, width, guess, scores, gamma, margin)
    return played
