"""The Banditron with a margin: it also learns from right answers with a small margin."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.multiclass.banditron import add_estimate
from agents.numerics.label_scores import (
    add_row,
    best_label,
    choose_exploring,
    explored,
    fill_scores,
    first_unclear,
    probability,
    second_label,
    used,
)
from agents.open_decisions import OpenDecisions
from agents.parts.multiclass_checks import check_exploration, reject_reward
from agents.parts.one_label import OneLabel
from banditgym.blocks import PairsBlock
from banditgym.compiled import compiled, inlined
from banditgym.streams import uniform_at
from banditgym.validation import real


@dataclass(kw_only=True, eq=False)
class MarginBanditron(OneLabel):
    r"""Banditron that updates after margin violations too.

    Predictions :math:`\hat y_t`, play :math:`\tilde y_t \sim P` and the update are those of
    ``Banditron``. With the runner-up :math:`s = \arg\max_{r \ne \hat y_t} (W x_t)_r` there is a
    second update,

    .. math:: W \leftarrow W + 1[\tilde y_t = y_t = \hat y_t]
        \, 1[(W x_t)_{\hat y_t} - (W x_t)_s < m] \, \frac{1}{P(\hat y_t)} (e_{\hat y_t} - e_s) x_t,

    whose expectation is the margin update of the full-information agent where
    :math:`\hat y_t = y_t`. Scores are those before the round's update. With m = 0 it is the
    Banditron, bit for bit, while rewards come before the next act.

    A round costs O(k) per pair of the row and replicate; memory: n d k numbers.

    Parameters
    ----------
    gamma : float
        The probability of a uniform label, in (0, 1].
    margin : float
        m >= 0, on the scale of the scores, so of the squared features.

    Attributes
    ----------
    weights : ndarray of shape (n, d, k)
        The transpose of W of each replicate.
    open : agents.open_decisions.OpenDecisions
        :math:`\hat y_t` of every decision that was not yet answered.

    Notes
    -----
    The paper proposes margin updates in words; the form is ours. The importance weight keeps the
    added term unbiased, and the runner-up plays the role of the wrong label in a mistake. For a
    late reward, :math:`\hat y_t` and P are those of its decision; the runner-up and the margin are
    those of the current weights. By these, :math:`\hat y_t` may no longer be the best label, so
    that the margin is violated even at m = 0.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, section 6.
    """

    paper: ClassVar = "Kakade et al. 2008, section 6"

    gamma: float = 0.05
    margin: float = 1.0

    def __post_init__(self):
        check_exploration("gamma", self.gamma)
        if not 0 <= real("margin", self.margin) < np.inf:
            raise ValueError(f"margin must be finite and >= 0, got {self.margin}")

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
            self.weights, *contexts, float(self.gamma), float(self.margin), guesses, actions,
            outcome, observed,
        )  # fmt: skip
        reject_reward(bad, outcome)
        self.open.close(self.decisions, self.answered, observed)

    def _play_block(self, block: PairsBlock) -> np.ndarray:
        actions = np.empty(block.labels.shape, np.int64)
        _play_block(
            self.weights, block.indices, block.values, block.labels, self._keys, self.decisions,
            float(self.gamma), float(self.margin), actions,
        )  # fmt: skip
        return actions


@inlined
def _add_estimates(weights, indices, values, width, guess, scores, played, right, gamma, margin):
    add_estimate(weights, indices, values, width, guess, played, right, gamma)
    second = second_label(scores, guess)
    if right and played == guess and scores[guess] - scores[second] < margin:
        weight = 1.0 / probability(guess, guess, gamma, scores.shape[0])
        add_row(weights, indices, values, width, guess, weight)
        add_row(weights, indices, values, width, second, -weight)


@compiled
def _learn(weights, indices, values, gamma, margin, guesses, played, reward, observed):
    bad = first_unclear(reward, observed)
    if bad >= 0:
        return bad
    n, _, n_labels = weights.shape
    scores = np.empty(n_labels)
    for i in range(n):
        if observed[i]:
            w, row, x = weights[i], indices[i], values[i]
            width = used(x)
            fill_scores(w, row, x, width, scores)
            right = reward[i] == 1.0
            _add_estimates(w, row, x, width, guesses[i, 0], scores, played[i], right, gamma, margin)
    return -1


@compiled
def _play_block(weights, indices, values, labels, keys, decisions, gamma, margin, actions):
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
            right = played == labels[s, i]
            _add_estimates(w, row, x, width, guess, scores, played, right, gamma, margin)
            actions[s, i] = played
