"""KLUCB in states that few rounds do not reach, the maximum found by an independent root search."""

import math

import gymnasium
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import rel_entr

import agents
from banditgym.tasks import ArmedTask


def divergence(p, q):
    """KL divergence of Bernoulli laws."""
    return float(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


def largest_mean(p, n, level):
    """The largest q in [p, 1] with n d(p, q) <= level."""
    if p >= 1 or level <= 0:
        return p
    last = math.nextafter(1.0, 0.0)
    if n * divergence(p, last) <= level:
        return last
    return brentq(lambda q: n * divergence(p, q) - level, p, last, xtol=1e-15, rtol=1e-14)


@pytest.mark.parametrize("c", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("most", [4, 5000])
def test_plays_the_largest_possible_mean_in_any_state(c, most, play_states):
    """After t plays the round is t + 1; the maximum is found by halving an interval 60 times."""

    def index(mean, pulls, t):
        level = (np.log(t + 1) + c * np.maximum(np.log(np.log(t + 1)), 0)) / pulls
        low, high = mean.copy(), np.ones_like(mean)
        for _ in range(60):
            q = 0.5 * (low + high)
            fits = rel_entr(mean, q) + rel_entr(1 - mean, 1 - q) <= level
            low, high = np.where(fits, q, low), np.where(fits, high, q)
        return low

    play_states(agents.KLUCB(c=c), index, most=most)


@pytest.mark.parametrize("c", [0.0, 3.0])
@pytest.mark.parametrize("noise_std", [None, 0.3])
@pytest.mark.parametrize("most", [4, 5000])
def test_plays_the_largest_gaussian_bound_in_any_state(c, noise_std, most, play_states):
    scale = 0.5 if noise_std is None else noise_std

    def index(mean, pulls, t):
        level = np.log(t + 1) + c * np.maximum(np.log(np.log(t + 1)), 0)
        return mean + scale * np.sqrt(2 * level / pulls)

    agent = agents.KLUCB(c=c, noise_std=noise_std)
    play_states(agent, index, bernoulli=False, noise_std=0.5, most=most)


BOUNDED = {"n_arms": 2, "horizon": 9, "noise_std": None, "subgaussian": 0.5, "bernoulli": False}


@pytest.mark.parametrize(
    ("bounds", "legal"),
    [
        ((0.0, 1.0), True),
        ((0.2, 0.7), True),
        ((0.0, 1.01), False),
        ((-0.01, 1.0), False),
        (None, False),
    ],
)
def test_rewards_in_0_to_1_need_not_be_coins(bounds, legal):
    task = ArmedTask(**BOUNDED, bounds=bounds)
    assert (agents.KLUCB().refusal(task) is None) == legal
    if not legal:
        assert "it needs noise_std" in agents.KLUCB().refusal(task)


@pytest.mark.parametrize(("noise_std", "arm"), [(None, 1), (0.5, 0), (0.05, 1)])
def test_bounded_rewards_are_gaussian_only_if_the_noise_is_given(noise_std, arm):
    """Arm 0 has one reward of 0.05, arm 1 ten of 0.8. The bounds are 0.94 and 0.97 by d, 1.16 and
    1.15 with sigma = 0.5, and 0.16 and 0.84 with 0.05."""
    agent = agents.KLUCB(noise_std=noise_std).reset(ArmedTask(**BOUNDED, bounds=(0.0, 1.0)))
    for played, reward in [(0, 0.05), *[(1, 0.8)] * 10]:
        agent.observe(0, played, reward)
    assert agent.act(0) == arm


@pytest.mark.parametrize("rewards", [(1.0, 1.0 - 1e-9), (1.0 - 1e-9, 1.0)])
def test_no_bound_is_above_1(rewards):
    """Both bounds round to 1, and of equals the first arm is played."""
    task = ArmedTask(n_arms=2, horizon=9, noise_std=None, subgaussian=0.5, bernoulli=True)
    agent = agents.KLUCB().reset(task)
    for arm, reward in enumerate(rewards):
        agent.observe(0, arm, reward)
    assert agent.act(0) == 0


def test_given_noise_replaces_the_tasks():
    """Index of arm 0: 1 + s sqrt(2 log 5 / 3), of arm 1: 0 + s sqrt(2 log 5 / 1); equal at s_0."""
    task = ArmedTask(n_arms=2, horizon=9, noise_std=0.1, subgaussian=0.1, bernoulli=False)
    equal = 1 / (math.sqrt(2 * math.log(5)) * (1 - math.sqrt(1 / 3)))
    for noise_std, arm in [(None, 0), (0.99 * equal, 0), (1.01 * equal, 1)]:
        agent = agents.KLUCB(noise_std=noise_std).reset(task)
        for played, reward in [(0, 1.0), (1, 0.0), (0, 1.0), (0, 1.0)]:
            agent.observe(0, played, reward)
        assert agent.act(0) == arm


@pytest.mark.parametrize("pulls", [2, 50, 3000])
@pytest.mark.parametrize("successes", [0.0, 0.3, 0.9, 1.0])
def test_the_index_is_sharp(pulls, successes):
    """Two arms of equal pulls, of which the second has one success fewer, as many, or one more: the
    one with more is played, and of equals the first, up to counts at which the indices differ by
    3e-4, and at means 0 and 1."""
    task = ArmedTask(n_arms=2, horizon=10**5, noise_std=None, subgaussian=0.5, bernoulli=True)
    wins = round(successes * pulls)
    for other in {max(wins - 1, 0), wins, min(wins + 1, pulls)}:
        agent = agents.KLUCB().reset(task)
        for arm, total in ((0, wins), (1, other)):
            for k in range(pulls):
                agent.observe(0, arm, float(k < total))
        t = 2 * pulls + 1
        index = [largest_mean(w / pulls, pulls, math.log(t)) for w in (wins, other)]
        assert agent.act(0) == int(index[1] > index[0])


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"c": -1.0}, "c"),
        ({"c": float("nan")}, "c"),
        ({"noise_std": -0.1}, "noise_std"),
        ({"noise_std": float("nan")}, "noise_std"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.KLUCB(**given)


def test_refuses_a_task_with_features():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=2)
    with pytest.raises(ValueError, match="KLUCB cannot play this task: .*armed.*linear"):
        agents.play(env, agents.KLUCB(), horizon=3)
