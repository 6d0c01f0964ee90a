"""The multiclass Perceptron: the full-information reference of the Banditron."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.rule import choose, learn
from agents.numerics.label_scores import add_row, best_label, used
from agents.parts.one_label import OneLabel


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

    def _rule(self, rounds: int) -> "PerceptronRule":
        scores, guess = np.empty(self.task.n_labels), np.full(self.n, -1)
        return PerceptronRule(self.weights, scores, guess)


class PerceptronRule(NamedTuple):
    """The rule of ``Perceptron``; ``guess`` (n,) is its last prediction, -1 if there is none."""

    weights: np.ndarray
    scores: np.ndarray
    guess: np.ndarray


@choose.of(PerceptronRule)
def _choose(rule, i, t, contexts, mask):
    row, x = contexts[0][i], contexts[1][i]
    rule.guess[i] = best_label(rule.weights[i], row, x, used(x), rule.scores)
    return rule.guess[i]


@learn.of(PerceptronRule)
def _learn(rule, i, contexts, played, label):
    w, row, x = rule.weights[i], contexts[0][i], contexts[1][i]
    width, guess = used(x), rule.guess[i]
    if guess < 0:
        guess = best_label(w, row, x, width, rule.scores)
    if guess != label:
        add_row(w, row, x, width, label, 1.0)
        add_row(w, row, x, width, guess, -1.0)
