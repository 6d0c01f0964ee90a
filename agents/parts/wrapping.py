"""The base class of agents that play by another agent, their first argument."""

import copy
import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from banditgym.validation import brief


@dataclass(kw_only=True, eq=False)
class Wrapping(Agent):
    """An agent around another one, ``agent``, which stays as it is; a copy of it plays.

    A subclass lets ``inner`` or copies of it choose and learn, by ``_choose`` and ``_learn``. It
    gives them what these read besides their arguments, by ``_informed``, and raises
    ``inner.decisions`` when it has chosen. Its estimates are those of ``inner``.

    Attributes
    ----------
    inner : Agent
        A copy of ``agent`` that is reset with the same task and seeds, for n replicates.
    """

    follows_masks: ClassVar = True  # or else the agent around which it is refuses the task

    agent: Agent = field(kw_only=False)

    def __post_init__(self):
        super().__post_init__()
        if not isinstance(self.agent, Agent):
            raise ValueError(f"agent must be an agent, such as UCB1(), got {brief(self.agent)}")
        self.agent = dataclasses.replace(self.agent)  # without a state

    @property
    def models_arms(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.agent.models_arms

    @property
    def estimates(self) -> bool:
        return self.agent.estimates

    def refusal(self, task: Any) -> str | None:
        reason = super().refusal(task)
        if reason is None and (own := self.agent.refuses(task)) is not None:
            reason = f"{type(self.agent).__name__} refuses it, because {own}"
        return reason

    def _start(self) -> None:
        self.inner = copy.deepcopy(self.agent).reset(self.task, n=self.n, seed=self.seeds)

    def _informed(self, agent: Agent) -> Agent:
        """``agent``, given the round's mask and the decisions that are answered."""
        agent.mask, agent.ids, agent.answered = self.mask, self.ids, self.answered
        return agent

    def _estimate(self, contexts: Any, actions: np.ndarray) -> np.ndarray:
        return self._informed(self.inner)._estimate(contexts, actions)
