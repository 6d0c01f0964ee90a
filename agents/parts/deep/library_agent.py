"""The base class of agents that stable-baselines3 computes: one model for every replicate."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from agents.parts.deep.library import missing
from agents.parts.deep.model import Model, Recipe
from agents.parts.deep.task_spaces import observation_of, point_of
from banditgym.rounds.kinds import ARM, RANKING
from banditgym.validation import brief, checked, positive, whole


@dataclass(kw_only=True, eq=False)
class LibraryAgent(Agent):
    """An algorithm of stable-baselines3 behind ``act`` and ``observe``.

    The library's policy chooses, and the library's buffer and ``train`` learn, as in its own
    ``learn``; our loop steps the environment. Every round is an episode, so gamma is 0, and all
    learning happens within ``observe``. Every replicate has its own model.

    A subclass names the ``algorithm`` and the hyperparameters that are ``passed`` on to it, and
    defines ``_numbers``, ``_act``, ``_check`` and ``_answer``.

    Parameters
    ----------
    learning_rate : float
        Learning rate of the optimizers, > 0, without unit.
    layers : sequence of int, optional
        Widths of the hidden layers of every network; the library's own if None.
    horizon : int, optional
        Number of rounds, which sets schedules and the size of a replay buffer; the task's if None.

    Attributes
    ----------
    models : list of Model
        One for each replicate.
    """

    algorithm: ClassVar[str]
    passed: ClassVar[tuple[str, ...]]
    library: ClassVar[str] = "stable-baselines3"
    # It needs a process of its own: torch has global state, such as its threads.
    apart: ClassVar[bool] = True
    seconds_per_round: ClassVar[float] = 0.003
    on_request: ClassVar[bool] = True
    from_task: ClassVar = {"horizon": lambda task: task.horizon}

    learning_rate: float
    layers: Sequence[int] | None = None
    horizon: int | None = checked(whole, None)

    def __post_init__(self):
        super().__post_init__()
        positive("learning_rate", self.learning_rate)
        if self.layers is not None:
            if not isinstance(self.layers, list | tuple):
                raise ValueError(f"layers must be a sequence of widths, got {brief(self.layers)}")
            for width in self.layers:
                whole("a width of layers", width)

    def refusal(self, task: Any) -> str | None:
        """Why this agent cannot play a task, or cannot run here; None if it can."""
        reason = super().refusal(task)
        if reason is None and task.plays is RANKING:
            reason = "it plays one label per round, and this task needs several"
        return missing() if reason is None else reason

    def state_bytes(self) -> int:
        """Memory of parameters, optimizers and buffers, all replicates together, in bytes."""
        return super().state_bytes() + sum(model.nbytes() for model in self.models)

    def _settings(self) -> dict[str, Any]:
        """Arguments of the library's class, beside the learning rate."""
        return {name: getattr(self, name) for name in self.passed}

    def _numbers(self) -> int:
        """How many numbers are kept for an open decision."""
        raise NotImplementedError

    def _act(self, model: Model, observation: np.ndarray, decision: int) -> Any:
        """The action on an observation with a leading axis of length 1."""
        raise NotImplementedError

    def _check(self, model: Model, action: Any, decision: int, i: int) -> None:
        """Refuse a reward of replicate i that it cannot learn from."""

    def _answer(
        self, model: Model, observation: np.ndarray, action: Any, reward: float, decision: int
    ) -> None:
        """Learn from the reward of a decision."""
        raise NotImplementedError

    def _start(self) -> None:
        settings: dict[str, Any] = {"learning_rate": float(self.learning_rate), **self._settings()}
        if self.layers is not None:
            settings["policy_kwargs"] = {"net_arch": [int(width) for width in self.layers]}
        self.models = [
            Model(
                Recipe(
                    algorithm=self.algorithm,
                    settings=settings,
                    task=self.task,
                    horizon=int(self.known("horizon")),
                    seed=seed,
                    kept=self._numbers(),
                )
            )
            for seed in self.seeds
        ]
        for model in self.models:
            model.make()  # made here, so that the first round does not make it

    def _choose(self, contexts: Any) -> np.ndarray:
        chosen = [
            self._act(model, observation_of(self.task, contexts, i), int(self.decisions[i]))
            for i, model in enumerate(self.models)
        ]
        return np.array(chosen, self.task.plays.dtype)

    def _learn(self, contexts: Any, actions: Any, outcome: Any, observed: np.ndarray) -> None:
        answered = self.decisions - 1 if self.answered is None else self.answered
        answers = [(int(i), int(answered[i])) for i in np.flatnonzero(observed)]
        for i, decision in answers:
            self._check(self.models[i], actions[i], decision, i)
        for i, decision in answers:
            observation = observation_of(self.task, contexts, i)
            self._answer(self.models[i], observation, actions[i], float(outcome[i]), decision)

    def _played(self, action: np.ndarray) -> Any:
        """The arm, or the point (d,), for an action of the library's space."""
        return int(action) if self.task.plays is ARM else point_of(self.task, action)
