"""Short runs of an agent on a small environment, and helpers of every check."""

import copy
import dataclasses
import random
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np

import banditgym  # noqa: F401 (registers the environments)
from agents.agent import Agent
from agents.storage.states import changed, equal
from banditgym.tasks import Task

ROUNDS = 40
SEEDS = (5, 6, 7)


def task_of(env_id: str, settings: dict[str, Any]) -> Task:
    """The task of an environment with ``ROUNDS`` rounds."""
    return gymnasium.make(env_id, horizon=ROUNDS, **settings).unwrapped.task  # type: ignore[attr-defined]


@dataclasses.dataclass
class ShortRun:
    raw: list[Any]
    actions: np.ndarray
    observation: Any
    feedback: Any
    untouched: bool
    untouched_actions: bool


@dataclasses.dataclass(frozen=True)
class Trial:
    """An agent and a small environment on which it is tried.

    Parameters
    ----------
    agent : Agent
    env_id : str
    settings : dict
        The environment's, without its horizon.
    """

    agent: Agent
    env_id: str
    settings: dict[str, Any]

    @property
    def where(self) -> str:
        """The beginning of every message: the agent and the environment."""
        return f"{type(self.agent).__name__} on {self.env_id} {self.settings}"

    def expect(self, condition: bool, message: str) -> None:
        """Raise AssertionError, with the message, unless the condition holds."""
        if not condition:
            raise AssertionError(f"{self.where}: {message}")

    def expect_unchanged(self, before: Any, after: Any, message: str) -> None:
        """Expect two states to be equal bit for bit."""
        differs = changed(before, after)
        self.expect(not differs, f"{message}{differs}")

    def begin(
        self, seeds: Sequence[int], solo: bool = False, alike: bool = False
    ) -> tuple[Any, Any]:
        """Reset the agent and a new environment; returns it and its first observation.

        ``alike``: the replicates of the environment are equal, and those of the agent are not.
        """
        if solo:
            env: Any = gymnasium.make(self.env_id, horizon=ROUNDS, **self.settings)
        else:
            n = len(seeds)
            env = gymnasium.make_vec(self.env_id, num_envs=n, horizon=ROUNDS, **self.settings)
        self.agent.reset(env.unwrapped.task, n=None if solo else len(seeds), seed=list(seeds))
        of_env = [seeds[0]] * len(seeds) if alike else list(seeds)
        observation, _ = env.reset(seed=seeds[0] if solo else of_env)
        return env, observation

    def feedback(self, info: dict[str, Any]) -> Any:
        """The feedback that the agent gets beyond the reward."""
        return info.get("label" if self.agent.full_information else "feedback")

    def run(
        self,
        seeds: Sequence[int] = SEEDS,
        *,
        solo: bool = False,
        rounds: int = ROUNDS,
        form: Callable | None = None,
        swap: Callable | None = None,
        named: bool = False,
        overwritten: bool = False,
    ) -> ShortRun:
        """Play some rounds.

        Parameters
        ----------
        form : callable, optional
            Makes the observations that the agent sees.
        swap : callable, optional
            Makes the agent that plays the second half, from the one that played the first.
        named : bool
            Whether rewards name the decision that they answer.
        overwritten : bool
            Whether other numbers are written to an observation after each call.
        """
        env, observation = self.begin(seeds, solo)
        playing, feedback = self.agent, None
        raw, copies, untouched = [], [], True
        for t in range(rounds):
            if swap is not None and t == rounds // 2:
                playing = swap(playing)
            shown = observation if form is None else form(observation)
            kept = copy.deepcopy(shown)
            action = playing.act(shown)
            raw.append(action)
            copies.append(copy.deepcopy(action))
            following, reward, *_, info = env.step(action)
            feedback = self.feedback(info)
            if overwritten:
                each_array(_overwrite, shown)
                shown = copy.deepcopy(kept)
            which = {"decision": playing.decisions - 1} if named else {}
            playing.observe(shown, action, reward, feedback=feedback, **which)
            untouched = untouched and equal(shown, kept)
            if overwritten:
                each_array(_overwrite, shown)
            observation = following
        return ShortRun(
            raw=raw,
            actions=np.array(copies).reshape(rounds, len(seeds), -1),
            observation=observation,
            feedback=feedback,
            untouched=untouched,
            untouched_actions=all(map(np.array_equal, raw, copies)),
        )


def each_array(form: Callable, observation: Any) -> Any:
    """The observation with ``form`` applied to its arrays; a mapping has several."""
    if isinstance(observation, dict):
        return {name: form(array) for name, array in observation.items()}
    return form(observation)


def _overwrite(array: Any) -> None:
    if isinstance(array, np.ndarray):
        array[...] = np.logical_not(array)


def global_state() -> Any:
    return np.random.get_state(), random.getstate()  # noqa: NPY002 (to compare it)
