"""Halving over a finite class: the plurality vote of the hypotheses without a mistake."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from agents.numerics.choice import first_largest
from agents.numerics.label_scores import fill_scores, first_unclear, used
from agents.parts.multiclass_checks import reject_reward
from agents.parts.one_label import OneLabel
from banditgym.compiled import compiled, inlined
from banditgym.validation import read_npy, reals


@dataclass(kw_only=True, eq=False)
class Halving(OneLabel):
    r"""Predict with the plurality of the hypotheses that never voted for a wrong label.

    The active set :math:`H'`, at first the whole class :math:`H`, votes in round :math:`t`,

    .. math:: \hat y_t = \arg\max_r \; |\{h \in H' : h(x_t) = r\}|, \qquad
        h(x) = \arg\max_r (W_h x)_r,

    and ties go to the first label. After a wrong answer the hypotheses that voted for it leave
    :math:`H'`. If some hypothesis is always right, there are at most :math:`k \ln |H|` mistakes.

    A round costs O(|H| k) per pair of the row and replicate; memory: |H| k d numbers and n |H|
    bytes.

    Parameters
    ----------
    hypotheses : nested list of shape (m, k, d), or str
        The weights :math:`W_h` of each hypothesis, or the path of an .npy file with them. An array
        is kept as nested lists, because hyperparameters are plain data.

    Attributes
    ----------
    members : ActiveSet
        The class, and the hypotheses active in each replicate.

    Notes
    -----
    If no hypothesis is always right, the active set may become empty, a case that the paper leaves
    open. It is then reset to the whole class.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, section 4 and Lemma 6.
    """

    paper: ClassVar = "Kakade et al. 2008, Lemma 6"
    scope: ClassVar = "tiny"
    on_request: ClassVar = True

    hypotheses: Sequence | str

    def __post_init__(self):
        if isinstance(self.hypotheses, np.ndarray):
            self.hypotheses = self.hypotheses.tolist()
        if not isinstance(self.hypotheses, str):
            _read(self.hypotheses)

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None:
            shape, wanted = _read(self.hypotheses).shape[1:], (task.n_labels, task.dim)
            if shape != wanted:
                return f"its hypotheses are of shape {shape}, and this task needs {wanted}"
        return reason

    def _start(self) -> None:
        self.members = ActiveSet.start(_read(self.hypotheses), self.n)

    def _choose(self, contexts) -> np.ndarray:
        return self.members.vote(contexts)

    def _learn(self, contexts, actions, outcome, observed) -> None:
        self.members.learn(contexts, actions, outcome, observed)


@dataclass
class ActiveSet:
    """The hypotheses of a class, and in each replicate those that are active.

    Attributes
    ----------
    weights : ndarray of shape (d, m k)
        Column h k + r is row r of hypothesis h: all weights of a feature lie together.
    active : bool ndarray of shape (n, m)
    """

    weights: np.ndarray
    active: np.ndarray

    @classmethod
    def start(cls, hypotheses: np.ndarray, n: int) -> Self:
        """All of ``hypotheses`` (m, k, d) active, in n replicates."""
        m, n_labels, dim = hypotheses.shape
        weights = hypotheses.reshape(m * n_labels, dim).T
        return cls(np.ascontiguousarray(weights), np.ones((n, m), bool))

    def vote(self, contexts: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """The label (n,) with most votes for rows of pairs (n, w); the first of equals."""
        labels = np.empty(len(self.active), np.int64)
        _vote(self.weights, self.active, *contexts, labels)
        return labels

    def learn(self, contexts, played, reward, observed) -> None:
        """Remove the hypotheses that voted for labels (n,) that were played and wrong."""
        bad = _remove(self.weights, self.active, *contexts, played, reward, observed)
        reject_reward(bad, reward)


def _read(hypotheses: Any) -> np.ndarray:
    given = "hypotheses"
    if isinstance(hypotheses, str):
        given = f"hypotheses of {hypotheses}"
        if not Path(hypotheses).is_file():
            raise FileNotFoundError(
                f"hypotheses must be an .npy file, got {hypotheses}: no such file"
            )
        hypotheses = read_npy("hypotheses", Path(hypotheses))
    array = reals(given, hypotheses)
    if array.ndim != 3 or array.size == 0:
        raise ValueError(f"{given} must be of shape (m, n_labels, dim), got {array.shape}")
    return array


@inlined
def _fill_predictions(weights, indices, values, width, scores, predictions):
    """Fill ``predictions`` (m,) with the label of each hypothesis."""
    fill_scores(weights, indices, values, width, scores)
    m = predictions.shape[0]
    n_labels = scores.shape[0] // m
    for h in range(m):
        predictions[h] = first_largest(scores[h * n_labels : (h + 1) * n_labels])


@compiled
def _vote(weights, active, indices, values, labels):
    n, m = active.shape
    scores, predictions = np.empty(weights.shape[1]), np.empty(m, np.int64)
    votes = np.empty(weights.shape[1] // m, np.int64)
    for i in range(n):
        _fill_predictions(weights, indices[i], values[i], used(values[i]), scores, predictions)
        votes[:] = 0
        for h in range(m):
            votes[predictions[h]] += active[i, h]
        labels[i] = first_largest(votes)


@compiled
def _remove(weights, active, indices, values, played, reward, observed):
    bad = first_unclear(reward, observed)
    if bad >= 0:
        return bad
    n, m = active.shape
    scores, predictions = np.empty(weights.shape[1]), np.empty(m, np.int64)
    for i in range(n):
        if observed[i] and reward[i] == 0.0:
            _fill_predictions(weights, indices[i], values[i], used(values[i]), scores, predictions)
            remaining = 0
            for h in range(m):
                active[i, h] = active[i, h] and predictions[h] != played[i]
                remaining += active[i, h]
            if remaining == 0:
                active[i, :] = True
    return -1
