"""Short runs of an agent, with records for the checks."""

import copy
import dataclasses
import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

import banditgym  # noqa: F401 (registers the environments)
from agents.agent import Agent
from agents.states import equal

ROUNDS = 40


def task_of(env_id: str, settings: dict[str, Any]) -> Any:
    """The task of an environment with ``ROUNDS`` rounds."""
    return gymnasium.make(env_id, horizon=ROUNDS, **settings).unwrapped.task  # type: ignore[attr-defined]


@dataclasses.dataclass
class Run:
    raw: list[Any]
    actions: np.ndarray
    observation: Any
    feedback: Any
    untouched: bool
    untouched_actions: bool


def short_run(
    agent: Agent, env_id: str, settings: dict[str, Any], *, seeds: list[int], solo: bool = False,
    rounds: int = ROUNDS, form: Callable = lambda x: x, swap: Callable | None = None,
    named: bool = False,
) -> Run:  # fmt: skip
    if solo:
        env: Any = gymnasium.make(env_id, horizon=ROUNDS, **settings)
        agent.reset(env.unwrapped.task, seed=seeds)
        observation, _ = env.reset(seed=seeds[0])
    else:
        env = gymnasium.make_vec(env_id, num_envs=len(seeds), horizon=ROUNDS, **settings)
        agent.reset(env.unwrapped.task, n=len(seeds), seed=seeds)
        observation, _ = env.reset(seed=seeds)
    raw, copies, untouched, playing, feedback = [], [], True, agent, None
    for t in range(rounds):
        if swap is not None and t == rounds // 2:
            playing = swap(playing)
        shown = form(observation) if not solo else observation
        kept = copy.deepcopy(shown)
        action = playing.act(shown)
        raw.append(action)
        copies.append(copy.deepcopy(action))
        following, reward, *_, info = env.step(action)
        feedback = info.get("label" if agent.full_information else "feedback")
        which = {"decision": playing.decisions - 1} if named else {}
        playing.observe(shown, action, reward, feedback=feedback, **which)
        untouched = untouched and equal(shown, kept)
        observation = following
    return Run(
        raw=raw,
        actions=np.array(copies).reshape(rounds, len(seeds), -1),
        observation=observation,
        feedback=feedback,
        untouched=untouched,
        untouched_actions=all(map(np.array_equal, raw, copies)),
    )


def each_array(form: Callable, observation: Any) -> Any:
    """The observation with ``form`` of its arrays; a mapping has several."""
    if isinstance(observation, dict):
        return {name: form(array) for name, array in observation.items()}
    return form(observation)


def global_state() -> Any:
    return np.random.get_state(), random.getstate()  # noqa: NPY002 (to compare it)
