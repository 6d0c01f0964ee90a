"""Pulls and rewards are counted; unexpected rewards are refused, or every act is a legal arm."""

import copy

import gymnasium
import numpy as np
import pytest

import agents
from agents.storage.states import equal
from banditgym.tasks import ArmedTask

DRIFTING = ("DiscountedUCB(discount=0.9)", "SlidingWindowUCB(window=5)")
ALARMED = "GLRklUCB(exploration=0.1, delta=0.1)"
ARMED = (
    *("UCB1", "UCB1Tuned", "UCB2", "KLUCB", "EpsilonNGreedy(c=1e-9)", "BetaThompson"),
    *(*DRIFTING, ALARMED, "IMED", "MOSS(anytime=True)", "MOSS(horizon=20)", "UCBV"),
    *("KLUCBPlusPlus(horizon=20)", "KLUCBSwitch(horizon=500)", "GaussianThompson", "BayesUCB"),
    *("EpsilonGreedy(epsilon=0.0)",),
)
IN_RANGE = ("BetaThompson", "UCB1Tuned", ALARMED, "UCBV", "KLUCBSwitch(horizon=500)")
BERNOULLI = ArmedTask(n_arms=3, horizon=None, noise_std=None, subgaussian=0.5, bernoulli=True)
GAUSSIAN = ArmedTask(n_arms=3, horizon=None, noise_std=0.5, subgaussian=0.5, bernoulli=False)


def test_observed_rewards_are_added_to_the_arm_played():
    agent, shown = agents.UCB1().reset(GAUSSIAN, n=2), np.zeros(2, int)
    for arms, rewards, observed in (
        ([2, 1], [0.5, 4.0], [True, False]),
        ([2, 0], [0.25, 8.0], [True, True]),
    ):
        agent.act(shown)
        agent.observe(shown, arms, rewards, observed=observed)
    np.testing.assert_array_equal(agent.pulls, [[0, 0, 2], [1, 0, 0]])
    np.testing.assert_array_equal(agent.sums, [[0.0, 0.0, 0.75], [8.0, 0.0, 0.0]])
    np.testing.assert_array_equal(agent._t, [2, 1])


@pytest.mark.parametrize("reward", [-1.0, 1.5, 40.0, 1e300])
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("KLUCB", r"in \[0, 1\]"),
        ("IMED", r"in \[0, 1\]"),
        (ALARMED, r"in \[0, 1\]"),
        ("BetaThompson", "0 or 1"),
        ("KLUCBPlusPlus(horizon=9)", r"in \[0, 1\]"),
    ],
)
def test_a_reward_outside_of_the_scope_is_refused_and_nothing_learned(name, rule, reward):
    shown = np.zeros(2, int)
    agent = agents.resolve(name).reset(BERNOULLI, n=2)
    arms = agent.act(shown)
    before = copy.deepcopy(vars(agent))
    with pytest.raises(
        ValueError, match=f"^rewards must be {rule}, got .* of replicate 1$"
    ) as told:
        agent.observe(shown, arms, [1.0, reward])
    assert str(reward) in str(told.value)
    assert equal(vars(agent), before)
    agent.observe(shown, arms, [1.0, reward], observed=[True, False])


@pytest.mark.parametrize("name", ["KLUCB", "IMED", "KLUCBPlusPlus(horizon=300)"])
def test_learns_from_rewards_between_0_and_1_and_from_any_gaussian_ones(name):
    """The best of the arms is the last one, by gaps of 0.3 and more."""
    for task, means in ((BERNOULLI, (0.1, 0.2, 0.9)), (GAUSSIAN, (-5.0, 2.0, 4.0))):
        agent = agents.resolve(name).reset(task)
        played = []
        for _ in range(300):
            played.append(agent.act(0))
            agent.observe(0, played[-1], means[played[-1]])
        assert np.mean(np.array(played) == 2) > 0.8


@pytest.mark.parametrize("means", [(2.0, 3.0, 4.0), (-1.0, -0.5, 0.8), (10.0, 20.0, 40.0)])
@pytest.mark.parametrize("name", ["UCB1", "UCB2", "UCB1Tuned", "EpsilonNGreedy"])
def test_what_learns_from_any_rewards_finds_the_best_arm(name, means):
    """Gaps of 0.5 and more, noise of standard deviation 0.3: over 1,000 rounds each plays the best
    arm in 87 % of them at least. With EpsilonNGreedy's uniform arms these are 1 - 2/3 of the mean
    of min(1, 45/t), which is 0.18: 0.88, with a standard deviation of 0.01."""
    agent, noise = agents.resolve(name).reset(BERNOULLI, seed=7), np.random.default_rng(3)
    played = []
    for _ in range(1000):
        played.append(agent.act(0))
        agent.observe(0, played[-1], means[played[-1]] + 0.3 * noise.standard_normal())
    assert np.mean(np.array(played) == 2) > 0.8


@pytest.mark.parametrize("size", [2.0, -2.0, 1.7e308, -1.7e308])
@pytest.mark.parametrize(
    ("name", "task"),
    [(name, BERNOULLI) for name in ARMED]
    + [(name, GAUSSIAN) for name in ARMED if name not in IN_RANGE],
)
def test_every_act_is_an_arm_whatever_memory_held_before(name, task, size):
    """Sums overflow to infinity, and indices may be no numbers. 64 arrays of the size of the
    agent's output are written and freed before each act, so that it gets the memory of one."""
    histories = []
    for filler in (1, 2, 123456789):
        agent = agents.resolve(name).reset(task, seed=7)
        played = []
        for _ in range(30):
            junk = [np.full(1, filler) for _ in range(64)]
            del junk
            played.append(agent.act(0))
            try:
                agent.observe(0, played[-1], size)
            except ValueError as refused:
                assert "rewards must be" in str(refused)  # noqa: PT017
        histories.append(played)
    assert set(histories[0]) <= {0, 1, 2}
    assert histories[0] == histories[1] == histories[2]
    if size == -1.7e308 and name not in ("BetaThompson", "IMED"):  # IMED: the one of fewest pulls
        # All means are -inf in the end, and of equal arms the first is played.
        assert histories[0][-1] == 0


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *((name, {"noise_std": -0.1}) for name in ("IMED", "MOSS", "KLUCBPlusPlus", "BayesUCB")),
        *((name, {"horizon": 0}) for name in ("MOSS", "KLUCBPlusPlus", "KLUCBSwitch")),
        ("GaussianThompson", {"noise_std": float("nan")}),
        ("MOSS", {"alpha": -1.0}),
        ("MOSS", {"anytime": 1}),
        ("UCBV", {"zeta": -0.5}),
        ("UCBV", {"c": float("nan")}),
        ("Softmax", {"temperature": 0.0}),
        ("GradientBandit", {"step": 0.0}),
        ("GradientBandit", {"baseline": 4.0}),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(name, given):
    with pytest.raises(ValueError, match=f"{next(iter(given))} .*{next(iter(given.values()))}"):
        getattr(agents, name)(**given)


@pytest.mark.parametrize("name", ["MOSS", "KLUCBPlusPlus", "KLUCBSwitch"])
def test_a_horizon_is_needed_where_the_task_has_none(name):
    with pytest.raises(ValueError, match="it needs horizon, which this task does not have: give"):
        agents.resolve(name).reset(BERNOULLI)
    agents.resolve(f"{name}(horizon=9)").reset(BERNOULLI)
    agents.MOSS(anytime=True).reset(BERNOULLI)


@pytest.mark.parametrize(
    "name",
    [
        "KLUCBPlusPlus",
        "KLUCBSwitch",
        "UCBV",
        "GaussianThompson",
        "Softmax",
        "GradientBandit(step=3)",
    ],
)
def test_a_block_is_played_as_its_rounds_are(name):
    """All arms have the mean 1/2, and an agent of another class plays round by round."""
    agent = agents.resolve(name)
    another = type("Another", (type(agent),), {})(**agent.hyperparameters())
    pulls = []
    for one in (agent, another):
        env = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, means=[0.5] * 3, horizon=60)
        assert one.reset(env.unwrapped.task, n=2).plays_blocks == (one is agent)
        pulls.append(agents.play(env, one).pulls)
    np.testing.assert_array_equal(*pulls)
