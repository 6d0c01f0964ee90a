"""coba's learners, beside ``LinUCB``."""

import gymnasium
import numpy as np
import pytest

import agents

pytestmark = pytest.mark.peers
FAMILIES = {
    "CobaLinUCB": "linear",
    "CobaLinTS": "linear",
    "CobaUCB": "armed",
    "CobaEpsilonGreedy": "armed",
}


@pytest.mark.parametrize("name", FAMILIES)
def test_contract(adapter, check, name):
    check(getattr(adapter("coba"), name))


@pytest.mark.parametrize("name", FAMILIES)
def test_it_learns(adapter, share, name):
    assert share(getattr(adapter("coba"), name)(), FAMILIES[name]) < 0.5


def test_linucb_decides_as_our_linucb(adapter):
    settings = {"n_arms": 5, "dim": 3, "horizon": 200, "contexts": "gaussian"}  # without ties
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=2, **settings)
    theirs, ours = adapter("coba").CobaLinUCB(alpha=0.7), agents.LinUCB(alpha=0.7, ridge=1.0)
    for agent in (theirs, ours):
        agent.reset(envs.unwrapped.task, n=2, seed=3)
    shown, _ = envs.reset(seed=3)
    played = set()
    for _ in range(200):
        actions = ours.act(shown)
        assert np.array_equal(theirs.act(shown), actions)
        following, reward, *_ = envs.step(actions)
        for agent in (theirs, ours):
            agent.observe(shown, actions, reward)
        played.update(actions.tolist())
        shown = following
    assert len(played) == 5


def test_thompson_sampling_has_the_same_samples_whatever_its_seed(adapter):
    """What ``limits`` says of it."""
    coba = adapter("coba")
    assert any("cannot be seeded" in limit for limit in coba.CobaLinTS.limits)
    rows = [tuple(row) for row in np.random.default_rng(0).standard_normal((50, 3)).tolist()]
    chosen = {
        tuple(
            coba.learners.LinTSLearner(features=["a"], seed=seed).predict(None, rows)[0]
            for _ in range(3)
        )
        for seed in (1, 2, 3)
    }
    assert len(chosen) == 1
