"""What the tests of stable-baselines3's agents share: the library's own plain ``learn``."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import banditgym
from agents.parts.deep.model import library_seed
from banditgym.rounds.kinds import POINT

# Small enough that a test takes a second, and with updates in its few rounds.
SMALL: dict[str, dict[str, Any]] = {
    "PPO": {"n_steps": 10, "batch_size": 10, "n_epochs": 1, "layers": (4,)},
    "A2C": {"layers": (4,)},
    "DQN": {"learning_starts": 10, "batch_size": 4, "layers": (4,)},
    "SAC": {"learning_starts": 25, "batch_size": 4, "layers": (4,)},
    "TD3": {"learning_starts": 25, "batch_size": 4, "layers": (4,)},
}
PLAYS = {
    "PPO": ("LinearBandit-v0", {"n_arms": 4, "dim": 3}),
    "A2C": ("BallBandit-v0", {"dim": 3}),
    "DQN": ("LinearBandit-v0", {"n_arms": 4, "dim": 3}),
    "SAC": ("EllipsoidBandit-v0", {"axes": [0.5, 2.0]}),
    "TD3": ("BallBandit-v0", {"dim": 3}),
}


class _Recorded(gymnasium.Wrapper):
    """Keeps what is played."""

    def __init__(self, env: gymnasium.Env):
        super().__init__(env)
        self.played: list[Any] = []

    def step(self, action: Any):
        self.played.append(np.array(action))
        return self.env.step(action)


def _reference(
    name: str, env_id: str, settings: dict[str, Any], horizon: int, arguments: dict[str, Any]
) -> tuple[Any, np.ndarray]:
    """A model after the library's own ``learn``, and the actions that its environment was given."""
    import stable_baselines3
    import torch
    from stable_baselines3.common.noise import NormalActionNoise

    torch.set_num_threads(1)
    env: Any = gymnasium.make(env_id, horizon=horizon, **settings)
    points = env.unwrapped.task.plays is POINT
    recorded = _Recorded(env)
    given = dict(arguments)
    if "layers" in given:
        given["policy_kwargs"] = {"net_arch": list(given.pop("layers"))}
    if "noise" in given:
        zeros = np.zeros(env.unwrapped.task.dim)
        given["action_noise"] = NormalActionNoise(zeros, zeros + given.pop("noise"))
    model = getattr(stable_baselines3, name)(
        "MlpPolicy",
        banditgym.BoxActions(recorded) if points else recorded,
        gamma=0.0,
        seed=library_seed(7),
        device="cpu",
        **given,
    )
    model.get_env().seed(3)
    model.learn(horizon)
    return model, np.array(recorded.played)


def _ours(
    agent: Any, env_id: str, settings: dict[str, Any], horizon: int, swap: Callable = lambda x: x
) -> tuple[Any, np.ndarray]:
    """An agent after as many rounds, and its actions; ``swap`` takes its place half way."""
    env: Any = gymnasium.make(env_id, horizon=horizon, **settings)
    agent.reset(env.unwrapped.task, seed=7)
    observation, _ = env.reset(seed=3)
    played = []
    for t in range(horizon):
        if t == horizon // 2:
            agent = swap(agent)
        action = agent.act(observation)
        played.append(np.array(action))
        following, reward, *_ = env.step(action)
        agent.observe(observation, action, reward)
        observation = following
    return agent, np.array(played)


@pytest.fixture
def reference():
    return _reference


@pytest.fixture
def ours():
    return _ours


@pytest.fixture
def small():
    return SMALL


@pytest.fixture
def plays():
    return PLAYS
