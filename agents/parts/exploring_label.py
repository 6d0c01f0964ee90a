"""The base class of the Banditron and its variants: exploration, and memory for late rewards."""

from dataclasses import dataclass

import numpy as np

from agents.inputs.learning_inputs import check_rewards
from agents.numerics.label_scores import choose_exploring
from agents.open_decisions import OpenDecisions
from agents.parts.multiclass_checks import check_exploration
from agents.parts.one_label import OneLabel

# The rewards of n replicates as kernels take them: guesses (n, 1), the best labels of the decisions
# that they answer; the labels played (n,); rewards (n,), 1 or 0 where observed; observed (n,).
Answers = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(kw_only=True, eq=False)
class ExploringLabel(OneLabel):
    r"""An agent that plays the best label, or with probability gamma a uniform one.

    The best label of every decision is kept until its reward is observed. A subclass defines
    ``_update(contexts, answers)``, which learns from the observed ``Answers``.

    Parameters
    ----------
    gamma : float
        The probability of a uniform label, in (0, 1].

    Attributes
    ----------
    open : agents.open_decisions.OpenDecisions
        The best label of every decision without an answer so far.
    """

    gamma: float = 0.05

    def __post_init__(self):
        check_exploration("gamma", self.gamma)

    def _start(self) -> None:
        super()._start()
        self.open = OpenDecisions.initial(self.n, self.task.n_labels)

    def _choose(self, contexts) -> np.ndarray:
        labels, guesses = choose_exploring(
            self.weights, contexts, self._keys, self.decisions, self.gamma
        )
        self.open.open(self.decisions, guesses)
        return labels

    def _learn(self, contexts, actions, outcome, observed) -> None:
        guesses = self.open.of(self.decisions, self.answered, observed)
        check_rewards(outcome, observed)
        self._update(contexts, (guesses, actions, outcome, observed))
        self.open.close(self.decisions, self.answered, observed)

    def _update(self, contexts: tuple[np.ndarray, np.ndarray], answers: Answers) -> None:
        raise NotImplementedError
