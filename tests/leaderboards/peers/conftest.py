"""What the adapters' tests share: small environments to check on, and easy ones to learn."""

import importlib
import importlib.util

import gymnasium
import numpy as np
import pytest

import agents
import agents.check.contract
import banditgym  # noqa: F401 (registers the environments)
from agents.check.small_environments import ENVIRONMENTS

# One environment of a family, and one of a single arm where the family has it: the libraries are
# slow, and what differs between environments of a family is not theirs.
_CHECKED = {
    "armed": [ENVIRONMENTS["armed"][0], ENVIRONMENTS["armed"][2]],
    "linear": [ENVIRONMENTS["linear"][0], ENVIRONMENTS["linear"][3]],
    "kernelized": [ENVIRONMENTS["kernelized"][0], ENVIRONMENTS["kernelized"][3]],
    "regression": [ENVIRONMENTS["regression"][0]],
    "multiclass": [
        ENVIRONMENTS["multiclass"][2],
        ENVIRONMENTS["multiclass"][5],
    ],  # the first is refused
}

_LABELS = np.arange(300) % 3
_ROWS = np.eye(3)[_LABELS] + 0.2 * np.random.default_rng(0).standard_normal((300, 3))
_EASY = {
    "armed": ("ArmedBandit-v0", {"means": [0.9, 0.1, 0.1], "horizon": 200}),
    "linear": ("LinearBandit-v0", {"n_arms": 4, "dim": 3, "noise_std": 0.1, "horizon": 200}),
    "kernelized": (
        "KernelBandit-v0",
        {"n_arms": 10, "dim": 1, "noise_std": 0.1, "horizon": 60},
    ),
    "regression": ("OnlineRegression-v0", {"dim": 3, "noise_std": 0.1, "horizon": 200}),
    "multiclass": ("MulticlassBandit-v0", {"data": (_ROWS, _LABELS), "horizon": 200}),
}


@pytest.fixture
def adapter():
    """A module of ``leaderboards.peers``, if its library is installed."""

    def imported(name, library=None):
        if importlib.util.find_spec(library or name) is None:
            pytest.skip(f"needs {library or name}")
        return importlib.import_module(f"leaderboards.peers.{name}")

    return imported


@pytest.fixture
def check(monkeypatch):
    """``check_agent`` on small environments of these families, by default all that it accepts."""

    def checked(agent, *families):
        envs = {name: rows for name, rows in _CHECKED.items() if name in families or not families}
        monkeypatch.setattr(agents.check.contract, "ENVIRONMENTS", envs)
        agents.check_agent(agent)

    return checked


@pytest.fixture
def share():
    """The regret of an agent on an easy task, as a share of uniform play's.

    Five replicates of 200 rounds, 60 of kernels: uniform play against itself gives 1. A round's
    regret has a standard deviation of at most 1.5 times its mean on these tasks, so the regret of
    300 uniform rounds or more one of at most 9 % of its mean, and a share below 1/2 is more than
    five standard deviations from luck. (In regression 0 is predicted in place of uniform play.)
    """

    def measured(agent, family):
        env, settings = _EASY[family]
        plain = agents.PredictZero() if family == "regression" else agents.UniformRandom()
        regrets = [
            agents.play(gymnasium.make_vec(env, num_envs=5, **settings), one).regret[:, -1].sum()
            for one in (agent, plain)
        ]
        return regrets[0] / regrets[1]

    return measured
