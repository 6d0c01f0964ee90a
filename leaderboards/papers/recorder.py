"""Wraps an agent to record notes on each round; its play does not change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents import Agent

Notes = Callable[[Any, np.ndarray | None, np.ndarray, Any], Mapping[str, np.ndarray]]
"""Takes the agent, before it learns, contexts, actions and outcome; gives named arrays (n, ..)"""


@dataclass(kw_only=True, eq=False)
class Recorder(Agent):
    """Passes all calls on to an agent, and records the result of ``notes`` for each round.

    Parameters
    ----------
    agent : Agent
    notes : callable
    """

    agent: Agent
    notes: Notes

    @property
    def models_arms(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.agent.models_arms

    def refusal(self, task: Any) -> str | None:
        return self.agent.refuses(task)

    def kept(self) -> dict[str, np.ndarray]:
        """The notes of all rounds, (n, T, ..) each."""
        return {name: np.stack(rows, axis=1) for name, rows in self._kept.items()}

    def _start(self) -> None:
        self.agent.reset(self.task, n=self.n, seed=self.seeds)
        self._kept: dict[str, list[np.ndarray]] = {}

    def _choose(self, contexts: Any) -> np.ndarray:
        actions = self.agent._choose(contexts)
        self.agent.decisions += 1
        return actions

    def _learn(self, contexts: Any, actions: Any, outcome: Any, observed: Any) -> None:
        for name, value in self.notes(self.agent, contexts, actions, outcome).items():
            self._kept.setdefault(name, []).append(np.array(value))
        self.agent.answered = self.answered
        self.agent._learn(contexts, actions, outcome, observed)
