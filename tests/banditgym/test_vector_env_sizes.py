"""Sizes beyond memory, noise beyond double precision, and text that would move a cursor."""

import gymnasium
import numpy as np
import pytest

import agents
import banditgym  # noqa: F401 (registers the environments)
from banditgym.tasks import LinearTask
from banditgym.validation import visible


@pytest.mark.parametrize(
    ("env_id", "settings", "needed"),
    [
        ("ArmedBandit-v0", {"n_arms": 10**20}, "3.2e"),
        ("DriftingArmedBandit-v0", {"n_arms": 10**15}, "GB of memory"),
        ("LinearBandit-v0", {"n_arms": 10**20}, "with n_arms=100000000000000000000 would"),
        ("LinearBandit-v0", {"dim": 10**15}, "GB of memory, and this machine has"),
        ("LinearBandit-v0", {"n_arms": 10**7, "dim": 10**7}, "GB of memory"),
        ("DriftingLinearBandit-v0", {"dim": 10**15}, "GB of memory"),
        ("SphereBandit-v0", {"dim": 10**15}, "GB of memory"),
        ("EllipsoidBandit-v0", {"dim": 10**9}, "GB of memory"),
        ("KernelBandit-v0", {"n_arms": 10**15}, "GB of memory"),
        ("OnlineRegression-v0", {"dim": 10**15}, "GB of memory"),
        ("OnlineConvex-v0", {"dim": 10**15}, "GB of memory"),
        ("LinearBandit-v0", {"num_envs": 10**15}, "num_envs="),
    ],
)
def test_a_size_beyond_memory_says_how_much_it_would_take(env_id, settings, needed):
    with pytest.raises(ValueError, match="would take about") as caught:
        gymnasium.make_vec(env_id, **settings)
    assert needed in str(caught.value)


def test_an_agents_state_beyond_memory_is_one_line():
    task = LinearTask(
        n_arms=3, dim=2**24, horizon=9, noise_std=0.1, subgaussian=0.1, feature_norm=1.0,
        param_norm=1.0,
    )  # fmt: skip
    with pytest.raises(ValueError, match="LinUCB needs more memory for this task than there is"):
        agents.LinUCB().reset(task, n=2**10)  # some 10^18 bytes


@pytest.mark.parametrize("window", [10**12, 2**62, 10**400])
def test_a_window_beyond_memory_is_one_line(window):
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=2, n_arms=3, dim=2)
    with pytest.raises(ValueError, match="needs more memory for this task than there is: of a"):
        agents.SlidingWindowLinUCB(window=window).reset(envs.unwrapped.task, n=2)


def test_a_grid_beyond_double_precision_is_refused():
    task = gymnasium.make_vec("SynSep-v0").unwrapped.task
    agent = agents.GridHalving(complexity=1.7e308)
    assert "hypotheses, more than the" in (agent.refusal(task) or "")


@pytest.mark.parametrize(
    ("env_id", "settings"),
    [
        ("ArmedBandit-v0", {"noise": "gaussian"}),
        ("LinearBandit-v0", {}),
        ("LinearBandit-v0", {"noise": "student_t", "noise_df": 2.1}),
        ("DriftingLinearBandit-v0", {}),
        ("SphereBandit-v0", {}),
        ("KernelBandit-v0", {}),
        ("OnlineRegression-v0", {}),
    ],
)
def test_noise_is_bounded_where_rewards_would_be_infinite(env_id, settings):
    with pytest.raises(ValueError, match="at most 1e\\+150 for rewards to be finite, got 1e\\+308"):
        gymnasium.make_vec(env_id, noise_std=1e308, **settings)
    envs = gymnasium.make_vec(env_id, num_envs=50, noise_std=1e150, horizon=20, **settings)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    for _ in range(20):
        assert np.isfinite(envs.step(envs.action_space.sample())[1]).all()


def test_what_cannot_be_seen_is_written_out():
    assert visible("LinUCB(α=0.5) – 10\u00a0% 漢字 é\n") == "LinUCB(α=0.5) – 10\u00a0% 漢字 é\n"
    assert visible("a\x1b[2Jb\x00c\u202ed\x07\r\x7f\x9b") == (
        "a\\x1b[2Jb\\x00c\\u202ed\\x07\\r\\x7f\\x9b"
    )
    assert visible("\u2066\u200b\u2028\ud800\t") == "\\u2066\\u200b\\u2028\\ud800\\t"
