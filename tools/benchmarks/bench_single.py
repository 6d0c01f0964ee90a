"""Episodes of a single environment of each family, for comparison with another checkout.

An environment gets actions from a list, without Gymnasium's default wrappers and within them; then
a light agent acts on it and observes.
"""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import agents
import banditgym  # noqa: F401 (registers the environments)

ROUNDS = 4000
CASES = {
    "arms": ("UCB1", "ArmedBandit-v0"),
    "arms, adversary": ("UCB1", "AdversarialBandit-v0"),
    "features": ("LinUCB", "LinearBandit-v0"),
    "features, clicks": ("AdaOFUECOLog", "LogisticBandit-v0"),
    "labels": ("Banditron", "SynSep-v0"),
    "points, sphere": ("PEGE", "SphereBandit-v0"),
    "points, ellipsoid": ("PEGE", "EllipsoidBandit-v0"),
    "points, l_p ball": ("PEGE", "LpBallBandit-v0"),
    "kernels": ("UniformRandom", "KernelBandit-v0"),
    "kernels, 1000 arms": ("UniformRandom", "StarvationBandit-v0"),
    "losses": ("OnlineGradientDescent", "OnlineConvex-v0"),
    "regression": ("OnlineRidge", "OnlineRegression-v0"),
    "news": ("UniformRandom", "NewsReplay-v0"),
}
BARE, WRAPPED, LOOP = WAYS = ("step, unwrapped", "step", "act, step, observe")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def bench_episode(benchmark: Any, case: str, way: str):
    """An episode without its reset."""
    benchmark.group = case
    agent, env = agents.resolve(CASES[case][0]), gymnasium.make(CASES[case][1], horizon=ROUNDS)
    task, actions = env.unwrapped.task, actions_of(env)  # type: ignore[attr-defined]
    step = env.unwrapped.step if way == BARE else env.step

    def begun() -> tuple[tuple[Any, ...], dict[str, Any]]:
        observation = env.reset(seed=0)[0]
        if way != LOOP:
            return (step, actions), {}
        return (step, agent.reset(task), observation), {}

    play = played_by if way == LOOP else play_all
    benchmark.pedantic(play, setup=begun, rounds=5, warmup_rounds=1)


def play_all(step: Callable, actions: list[Any]) -> None:
    """Play a list of actions."""
    for action in actions:
        step(action)


def played_by(step: Callable, agent: Any, observation: Any) -> None:
    """Let an agent play and learn."""
    act, observe = agent.act, agent.observe
    for _ in range(ROUNDS):
        action = act(observation)
        following, reward, _, _, info = step(action)
        more = {"feedback": info.get("feedback"), "observed": info.get("observed")}
        observe(observation, action, reward, **more)
        observation = following


def actions_of(env: gymnasium.Env) -> list[Any]:
    """Legal actions of any family, one for each round."""
    space: Any = env.action_space
    space.seed(0)
    if env.unwrapped.task.family == "news":  # type: ignore[attr-defined]
        return [0] * ROUNDS  # the slot that a log fills first
    if isinstance(space, spaces.Discrete):
        return [t % int(space.n) for t in range(ROUNDS)]
    if space.shape == ():
        return np.random.default_rng(0).uniform(-1.0, 1.0, ROUNDS).tolist()
    return [space.sample() for _ in range(ROUNDS)]
