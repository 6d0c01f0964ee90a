"""The base class of the Banditron and its variants: exploration, and memory for late rewards."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents.drivers.decisions import RuleAgent, choose_each, learn_each
from agents.numerics.label_scores import best_label, used
from agents.open_decisions import OpenDecisions
from agents.parts.multiclass_checks import check_exploration
from agents.parts.one_label import OneLabel
from banditgym.compiled import inlined
from banditgym.streams import uniform_pair
from banditgym.validation import checked


@dataclass(kw_only=True, eq=False)
class ExploringLabel(OneLabel):
    r"""An agent that plays the best label, or with probability gamma a uniform one.

    The best label of every decision is kept until its reward is observed. The rule of a subclass
    has the fields ``weights`` and ``exploration``, and ``explore`` as its ``choose``.

    Parameters
    ----------
    gamma : float
        The probability of a uniform label, in (0, 1].

    Attributes
    ----------
    open : agents.open_decisions.OpenDecisions
        The best label of every decision without an answer so far.
    """

    gamma: float = checked(check_exploration, 0.05)

    def _start(self) -> None:
        super()._start()
        self.open = OpenDecisions.initial(self.n, self.task.n_labels)

    def _choose(self, contexts) -> np.ndarray:
        rule = self._rule(1)
        labels = choose_each(rule, self.n, contexts, None)
        self.open.open(self.decisions, rule.exploration.guess[:, None])
        return labels

    def _learn(self, contexts, actions, outcome, observed) -> None:
        guess, known = self.open.of(self.decisions, self.answered, observed)
        self._check(outcome, observed)
        rule = self._rule(1)
        rule.exploration.guess[:] = guess[:, 0]
        learn_each(rule, contexts, actions, outcome, known)
        self.open.close(self.decisions, self.answered, observed)

    _play_block = RuleAgent._play_block

    def _exploration(self, rounds: int) -> "Exploration":
        return Exploration.of(self, float(self.gamma), rounds)


class Exploration(NamedTuple):
    """What ``explore`` needs of an agent in some rounds.

    Attributes
    ----------
    keys, decisions : ndarray of shape (n, 2) and (n,)
        Keys of the uniform numbers, and the number of the first round's decision.
    gamma : float
        The probability of a uniform label.
    uniforms : ndarray of shape (n, m)
        Scratch, for the uniform numbers of m rounds.
    scores : ndarray of shape (k,)
        Scratch, for scores.
    guess : int64 ndarray of shape (n,)
        The best label of each replicate's decision. ``explore`` writes it; before a late reward is
        learned, it is replaced by that of the earlier decision.
    """

    keys: np.ndarray
    decisions: np.ndarray
    gamma: float
    uniforms: np.ndarray
    scores: np.ndarray
    guess: np.ndarray

    @classmethod
    def of(cls, agent: Any, gamma: float, rounds: int) -> "Exploration":
        """For the coming rounds of an agent."""
        n, scratch = agent.n, np.empty(agent.task.n_arms)
        keys, decisions = agent._keys, agent.decisions
        return cls(keys, decisions, gamma, np.empty((n, rounds)), scratch, np.empty(n, np.int64))


def explore(rule, i, t, contexts, mask):
    """``agents.drivers.rule.choose`` of rules with weights and exploration."""
    keys, decisions, gamma, uniforms, scores, guess = rule.exploration
    if t == 0:  # for all rounds, in a loop that is vectorised
        for s in range(uniforms.shape[1]):
            u, _ = uniform_pair(keys[i, 0], keys[i, 1], decisions[i] + s, 0)
            uniforms[i, np.uint64(s)] = u
    row, x = contexts[0][i], contexts[1][i]
    guess[i] = best_label(rule.weights[i], row, x, used(x), scores)
    return explored(guess[i], gamma, scores.shape[0], uniforms[i, t])


@inlined
def explored(guess, gamma, n_labels, u):
    """``guess`` if u, uniform on [0, 1), is at least ``gamma``; else a uniform label, made of u."""
    if u < gamma:
        return min(int(u / gamma * n_labels), n_labels - 1)  # the quotient may round up to 1
    return guess


@inlined
def probability(label, guess, gamma, n_labels):
    """The probability with which :func:`explored` returns a label."""
    return (1.0 - gamma if label == guess else 0.0) + gamma / n_labels
