"""Environments at the edge: finite numbers and legal arms for every agent of the family."""

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.functions.covariances import RBF, Linear, Matern

AGENTS = (
    "GPUCB", "GPUCB(radius='theory')", "KernelUCB", "GPTS", "GPTS(scale='theory')", "BKB",
    "BKB(radius='theory')", "BBKB", "SoRUCB(size=4)", "DTCUCB(size=4)", "RFFUCB", "QFFTS(nodes=3)",
)  # fmt: skip

_NEAR = np.random.default_rng(0).random((10, 2))
_NEAR[3:6] = _NEAR[2] + 1e-9 * np.arange(3)[:, None]
_NEAR[8] = _NEAR[7]

ENVIRONMENTS = {
    "near duplicates": {"arms": _NEAR},
    "nothing but one arm, eight times": {"arms": np.full((8, 2), 0.3)},
    "one arm": {"n_arms": 1, "dim": 1},
    "two arms, many rounds": {"n_arms": 2, "dim": 1, "horizon": 150},
    "a constant function": {"data": (_NEAR, np.full(10, 3.0)), "noise_std": 0.2},
    "no noise": {"n_arms": 12, "noise_std": 0.0},
    "no noise, near duplicates": {"arms": _NEAR, "noise_std": 0.0},
    "a large kernel": {"n_arms": 12, "covariance": RBF(variance=1e6)},
    "a small kernel": {"n_arms": 12, "covariance": RBF(variance=1e-6), "noise_std": 1e-3},
    "a narrow kernel": {"n_arms": 12, "covariance": Matern(nu=0.5, length_scale=1e-4)},
    "a wide kernel": {"n_arms": 12, "covariance": RBF(length_scale=1e4)},
    "a linear kernel, an arm at 0": {"arms": "grid", "n_arms": 9, "covariance": Linear()},
    "twenty dimensions": {"n_arms": 30, "dim": 20},
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_no_agent_breaks(name):
    env = gymnasium.make_vec("KernelBandit-v0", num_envs=2, **{"horizon": 50} | ENVIRONMENTS[name])
    task, played = env.unwrapped.task, 0
    for spec in AGENTS:
        agent = agents.resolve(spec)
        if agent.refusal(task) is not None:
            continue
        played += 1
        agent.reset(task, n=2, seed=3)
        observation, _ = env.reset(seed=3)
        for _ in range(task.horizon):
            arms = agent.act(observation)
            assert ((arms >= 0) & (arms < task.n_arms)).all()
            observation, reward, *_ = env.step(arms)
            agent.observe(observation, arms, reward)
            mean, variance = agent.model.predict(None)
            assert np.isfinite(mean).all(), spec
            assert np.isfinite(variance).all(), spec
            assert (variance >= 0).all(), spec
            bound = getattr(agent.choice, "radius", getattr(agent.choice, "scale", None))
            assert np.isfinite(bound).all(), spec
            assert (bound >= 0).all(), spec
    # Fourier features know no linear kernel, a quadrature's grid not twenty dimensions.
    assert played >= len(AGENTS) - 2
