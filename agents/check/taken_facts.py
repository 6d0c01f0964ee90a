"""The facts that an agent reads of its tasks, found by playing a few rounds of each small one."""

import contextlib
import sys
from types import FrameType
from typing import Any

import gymnasium

from agents.agent import Agent, noise_level, norm_bound
from agents.check.short_runs import task_of
from agents.check.small_environments import ENVIRONMENTS

# What a task says of rewards and features beyond its sizes and its actions.
KNOWLEDGE = frozenset(
    ("covariance", "feature_norm", "gradient_norm", "noise_std", "outcome_bound", "param_norm")
    + ("subgaussian",)
)
ROUNDS = 5
_HELPERS = (noise_level.__code__, norm_bound.__code__)  # they read for their caller


def taken(agent: Agent) -> list[str]:
    """The facts that an agent takes from its tasks, sorted.

    These are the hyperparameters that it leaves to the task (``agent.facts()``), and the fields of
    ``KNOWLEDGE`` that the agent's own code reads besides, in a few rounds of each small environment
    that it plays. Reads by this package's code do not count.
    """
    found = set(agent.facts())
    for env_id, settings in (row for rows in ENVIRONMENTS.values() for row in rows):
        task = task_of(env_id, settings)
        if isinstance(task, agent.accepts) and agent.refuses(task) is None:
            env = gymnasium.make_vec(env_id, num_envs=1, **settings)
            found |= _read(agent, task, env) - _for_hyperparameters(agent, task)
    return sorted(found)


def _read(agent: Agent, task: Any, env: Any) -> set[str]:
    read: set[str] = set()
    observation, _ = env.reset(seed=0)
    with contextlib.suppress(Exception):  # check_agent names the error; a run has rows with it
        agent.reset(_noting(task, read), n=1)
        for _ in range(ROUNDS):
            action = agent.act(observation)
            following, reward, *_, info = env.step(action)
            agent.observe(observation, action, reward, feedback=info.get("feedback"))
            observation = following
    return read


def _for_hyperparameters(agent: Agent, task: Any) -> set[str]:
    read: set[str] = set()
    for name in agent.facts():
        agent.from_task[name](_noting(task, read, every=True))
    return read


def _noting(task: Any, read: set[str], every: bool = False) -> Any:
    """A copy of a task that adds to ``read`` each fact that code outside this package reads."""

    class Noting(type(task)):
        def __getattribute__(self, name: str) -> Any:
            if name in KNOWLEDGE and (every or not _is_ours(sys._getframe(1))):
                read.add(name)
            return super().__getattribute__(name)

    copy = object.__new__(Noting)
    copy.__dict__.update(vars(task))
    return copy


def _is_ours(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code in _HELPERS:
        frame = frame.f_back
    name = "" if frame is None else frame.f_globals.get("__name__", "")
    return name.partition(".")[0] in ("agents", "banditgym")
