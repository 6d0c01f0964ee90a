"""Plays single environments for ``tools.speed.single_gains``, in a process of its own.

It is run as a file, so that it plays the packages that Python finds, which may be older ones.
"""

import json
import sys
import warnings
from time import process_time
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

import agents
import banditgym  # noqa: F401 (registers the environments)

ROUNDS = 4000
BARE, WRAPPED, LOOP = WAYS = ("step, unwrapped", "step", "act, step, observe")


def spent(env: gymnasium.Env, agent: Any, actions: list[Any], way: str) -> float:
    """CPU seconds of an episode, without its reset.

    Parameters
    ----------
    env : gymnasium.Env
        In Gymnasium's wrappers.
    agent : agents.Agent
    actions : list
        What is played in each round where the agent does not play.
    way : str
        One of ``WAYS``.
    """
    observation: Any = env.reset(seed=0)[0]
    step = (env.unwrapped if way == BARE else env).step
    if way != LOOP:
        started = process_time()
        for action in actions:
            step(action)
        return process_time() - started
    agent.reset(env.unwrapped.task)  # type: ignore[attr-defined]
    act, observe = agent.act, agent.observe
    started = process_time()
    for _ in actions:
        action = act(observation)
        following, reward, _, _, info = step(action)
        observe(
            observation,
            action,
            reward,
            feedback=info.get("feedback"),
            observed=info.get("observed"),
        )
        observation = following
    return process_time() - started


def actions_of(env: gymnasium.Env, rounds: int) -> list[Any]:
    """Legal actions of any family, one for each round."""
    space: Any = env.action_space
    space.seed(0)
    if env.unwrapped.task.family == "news":  # type: ignore[attr-defined]
        return [0] * rounds  # the slot that a log fills first
    if isinstance(space, spaces.Discrete):
        return [t % int(space.n) for t in range(rounds)]
    if space.shape == ():
        return np.random.default_rng(0).uniform(-1.0, 1.0, rounds).tolist()
    return [space.sample() for _ in range(rounds)]


def serve() -> None:
    """Print where the packages are, then answer questions with seconds.

    A question is a line of JSON, ``[agent, id of an environment, way]``.
    """
    print(json.dumps(agents.__file__), flush=True)
    warnings.simplefilter("ignore")
    made: dict[tuple[str, str], Any] = {}
    for line in sys.stdin:
        agent, env_id, way = json.loads(line)
        first = (agent, env_id) not in made
        if first:
            env = gymnasium.make(env_id, horizon=ROUNDS)
            made[agent, env_id] = env, agents.resolve(agent), actions_of(env, ROUNDS)
        env, player, actions = made[agent, env_id]
        if first:
            spent(env, player, actions, LOOP)  # compiles
        print(json.dumps(spent(env, player, actions, way)), flush=True)


if __name__ == "__main__":
    serve()
