"""The multiclass hypotheses without a mistake so far: their vote, and which are removed."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from agents.drivers.rule import first_largest
from agents.inputs.learning_inputs import check_rewards
from agents.inputs.observations import Pairs
from agents.numerics.label_scores import fill_scores, used
from agents.parts.one_label import OneLabel
from banditgym.compiled import compiled, inlined


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
    def initial(cls, hypotheses: np.ndarray, n: int) -> Self:
        """All of ``hypotheses`` (m, k, d) active, in n replicates."""
        m, n_labels, dim = hypotheses.shape
        weights = hypotheses.reshape(m * n_labels, dim).T
        return cls(np.ascontiguousarray(weights), np.ones((n, m), bool))

    def vote(self, contexts: Pairs) -> np.ndarray:
        """The label (n,) with most votes for rows of pairs (n, w); the first label in a tie."""
        labels = np.empty(len(self.active), np.int64)
        _vote(self.weights, self.active, *contexts, labels)
        return labels

    def learn(self, contexts, played, reward, observed) -> None:
        """Remove the hypotheses that voted for labels (n,) that were played and wrong."""
        check_rewards(reward, observed)
        _remove(self.weights, self.active, contexts, played, reward, observed)


@dataclass(kw_only=True, eq=False)
class VotingLabel(OneLabel):
    """An agent that answers with the label for which most active hypotheses vote.

    Attributes
    ----------
    members : ActiveSet
        The class, and the hypotheses active in each replicate.
    """

    def _start(self) -> None:
        self.members = ActiveSet.initial(self._every_hypothesis(), self.n)

    def _choose(self, contexts) -> np.ndarray:
        return self.members.vote(self._rows(contexts))

    _propensities = OneLabel.one_hot

    def _learn(self, contexts, actions, outcome, observed) -> None:
        self.members.learn(self._rows(contexts), actions, outcome, observed)

    def _every_hypothesis(self) -> np.ndarray:
        """The class, (m, k, d)."""
        raise NotImplementedError

    def _rows(self, contexts: Pairs) -> Pairs:
        """The rows that the hypotheses see."""
        return contexts


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
def _remove(weights, active, rows, played, reward, observed):
    indices, values = rows
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
