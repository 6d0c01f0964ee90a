"""The multiclass Perceptron: the full-information reference of the Banditron."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.numerics.label_scores import add_row, best_label, choose, used
from agents.parts.one_label import OneLabel
from banditgym.compiled import compiled, inlined
from banditgym.rounds.blocks import PairsBlock


@dataclass(kw_only=True, eq=False)
class Perceptron(OneLabel):
    r"""Predict the label with the largest score; after a mistake, move towards the true one.

    With weights :math:`W \in \mathbb{R}^{k \times d}`, at first 0, round :math:`t` predicts and
    observes the true label :math:`y_t`,

    .. math:: \hat y_t = \arg\max_r (W x_t)_r, \qquad
        W_r \leftarrow W_r + x_t (1[y_t = r] - 1[\hat y_t = r]).

    It observes the true label, so it is a reference and never ranked. On rows with :math:`\lVert x
    \rVert \le 1`, ``agents.bounds.perceptron_mistakes`` bounds its mistakes.

    A round costs O(k) per pair of the row and replicate; memory: n d k numbers.

    Its definition is ``tests/agents/definitions/multiclass/perceptron.py``.

    Attributes
    ----------
    weights : ndarray of shape (n, d, k)
        The transpose of W of each replicate.

    Notes
    -----
    The update's :math:`\hat y_t` is the agent's own prediction, even if another label was played.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, equations 2 and 3 (Kesler's construction; Rosenblatt 1958).
    """

    full_information: ClassVar = True
    paper: ClassVar = "Kakade et al. 2008, equations 2 and 3"
    scope: ClassVar = "full information, a reference"

    def _start(self) -> None:
        self.weights = np.zeros((self.n, self.task.dim, self.task.n_labels))

    def _choose(self, contexts) -> np.ndarray:
        return choose(self.weights, contexts)

    def _learn(self, contexts, actions, outcome, observed) -> None:
        _learn(self.weights, *contexts, outcome, observed)

    def _play_block(self, block: PairsBlock) -> np.ndarray:
        actions = np.empty(block.labels.shape, np.int64)
        _play_pairs_block(self.weights, block.indices, block.values, block.labels, actions)
        return actions


@inlined
def _move(weights, indices, values, width, guess, label):
    if guess != label:
        add_row(weights, indices, values, width, label, 1.0)
        add_row(weights, indices, values, width, guess, -1.0)


@compiled
def _learn(weights, indices, values, label, observed):
    n, _, n_labels = weights.shape
    scores = np.empty(n_labels)
    for i in range(n):
        if observed[i]:
            width = used(values[i])
            guess = best_label(weights[i], indices[i], values[i], width, scores)
            _move(weights[i], indices[i], values[i], width, guess, label[i])


@compiled
def _play_pairs_block(weights, indices, values, labels, actions):
    rounds, n = labels.shape
    scores = np.empty(weights.shape[2])
    for i in range(n):
        for s in range(rounds):
            w, row, x = weights[i], indices[s, i], values[s, i]
            width = used(x)
            guess = best_label(w, row, x, width, scores)
            _move(w, row, x, width, guess, labels[s, i])
            actions[s, i] = guess
