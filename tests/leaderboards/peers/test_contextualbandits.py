"""contextualbandits' policies, beside ``DisjointLinUCB``."""

import gymnasium
import numpy as np
import pytest

import agents
from agents.check.short_runs import global_state
from agents.check.states import equal

pytestmark = pytest.mark.peers_compiled
NAMES = ("ContextualBanditsLinUCB", "BootstrappedUCB", "BootstrappedTS")


def test_contract(adapter, check):
    """Of bootstrapped policies this would take minutes: ten classifiers a label learn a round."""
    check(adapter("contextualbandits").ContextualBanditsLinUCB)


@pytest.mark.parametrize("name", NAMES[1:])
def test_equal_seeds_are_equal_runs_and_global_states_are_left_alone(adapter, name):
    agent, runs = getattr(adapter("contextualbandits"), name)(samples=3), []
    before = global_state()
    for seed in (1, 1, 2):
        envs = gymnasium.make_vec("SynSep-v0", num_envs=2, horizon=30)
        agent.reset(envs.unwrapped.task, n=2, seed=seed)
        shown, _ = envs.reset(seed=0)
        runs.append([])
        for _ in range(30):
            labels = agent.act(shown)
            following, reward, *_ = envs.step(labels)
            agent.observe(shown, labels, reward)
            runs[-1].append(labels.tolist())
            shown = following
    assert equal(before, global_state())
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("name", NAMES)
def test_it_learns(adapter, share, name):
    assert share(getattr(adapter("contextualbandits"), name)(), "multiclass") < 0.5


def test_linucb_learns_arms_with_features(adapter, share):
    assert share(adapter("contextualbandits").ContextualBanditsLinUCB(), "linear") < 0.5


def test_linucb_without_an_intercept_decides_as_our_disjoint_linucb(adapter):
    """In double precision, after the first reward: before it the library draws."""
    settings = {"n_arms": 5, "dim": 3, "horizon": 200, "contexts": "gaussian"}  # without ties
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=2, **settings)
    theirs = adapter("contextualbandits").ContextualBanditsLinUCB(
        alpha=0.7, lambda_=2.0, fit_intercept=False, use_float=False
    )
    ours = agents.DisjointLinUCB(alpha=0.7, ridge=2.0)
    for agent in (theirs, ours):
        agent.reset(envs.unwrapped.task, n=2, seed=3)
    shown, _ = envs.reset(seed=3)
    played = set()
    for t in range(200):
        actions = ours.act(shown)
        others = theirs.act(shown)
        assert t == 0 or np.array_equal(others, actions)
        following, reward, *_ = envs.step(actions)
        for agent in (theirs, ours):
            agent.observe(shown, actions, reward)
        played.update(actions.tolist())
        shown = following
    assert len(played) == 5


def test_a_single_arm_is_refused_with_the_reason(adapter):
    agent = adapter("contextualbandits").ContextualBanditsLinUCB()
    task = gymnasium.make("LinearBandit-v0", n_arms=1, horizon=5).unwrapped.task
    assert agent.refusal(task) == "the library needs two arms"


def test_the_library_refuses_seed_0(adapter):
    online = adapter("contextualbandits").online
    with pytest.raises(AssertionError):
        online.LinUCB(3, random_state=0)
