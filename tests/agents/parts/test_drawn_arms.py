"""What agents that draw arms refuse, and how they weight rewards that come late."""

import dataclasses

import numpy as np
import pytest

import agents
from agents import open_decisions
from agents.parts.drawn_arms import Arms, drawn
from banditgym.compiled import compiled
from banditgym.streams import AGENT, Stream
from banditgym.tasks import ArmedTask

FACTS = {"horizon": 10**4, "noise_std": None, "subgaussian": 6.0, "bernoulli": False}
DRAWN = ("EXP3", "EXP3IX(scale=1.7)", "TsallisINF", 'TsallisINF(estimator="importance_weighted")')
LOW, HIGH = -7.0, 5.0


def task(n_arms=3, bounds=(LOW, HIGH)):
    return ArmedTask(n_arms=n_arms, bounds=bounds, **FACTS)


def start(name, n=1, n_arms=3, bounds=(LOW, HIGH)):
    return agents.resolve(name).reset(task(n_arms, bounds), n=n, seed=range(3, 3 + n))


def shown(agent):
    return np.zeros(agent.n, int)


def estimates(name, p, arm, loss, t):
    """What a reward adds to the losses, by the formulas of the papers; t counts from 1."""
    n_arms, baseline = len(p), np.zeros(len(p))
    weight = p.copy()
    if name.startswith("EXP3IX"):
        weight += 1.7 * np.sqrt(np.log(n_arms) / (n_arms * t)) / 2
    if name == "TsallisINF":
        baseline = np.where(p >= 16 / t, 0.5, 0.0)
    played = np.arange(n_arms) == arm
    return played * (loss - baseline) / weight + baseline


@compiled
def drawn_arms(arms, rounds):
    out = np.empty(rounds, np.int64)
    for t in range(rounds):
        out[t] = drawn(arms, 0, t)
    return out


@pytest.mark.parametrize("name", DRAWN)
def test_unbounded_rewards_are_refused(name):
    with pytest.raises(ValueError, match="cannot play .*: it is for rewards of a known range"):
        start(name, bounds=None)
    coins = dataclasses.replace(task(bounds=None), bernoulli=True)
    agents.resolve(name).reset(coins)


@pytest.mark.parametrize("name", [*DRAWN, "UCBV"])
def test_a_range_that_is_too_wide_is_refused(name):
    with pytest.raises(ValueError, match=r"\[-1e\+308, 1e\+308\] is too wide for a number"):
        start(name, bounds=(-1e308, 1e308))
    start(name, bounds=(-1e307, 1e307))


@pytest.mark.parametrize("name", DRAWN[2:])
@pytest.mark.parametrize(
    ("losses", "expected"),
    [([3e20, 1e20, 2e20], [0, 1, 0]), ([1e20, 3e20, 1e20], [0.5, 0, 0.5]), ([9e300] * 3, None)],
)
def test_huge_losses_leave_the_arms_with_the_least_one(name, losses, expected):
    agent = start(name)
    agent.losses[:] = losses
    arm = agent.act([0])
    kept = agent.open.kept[0, 0]
    np.testing.assert_allclose(kept, [1 / 3] * 3 if expected is None else expected, rtol=1e-15)
    agent.observe([0], arm, [LOW])
    assert np.isfinite(agent.losses).all()


@pytest.mark.parametrize("name", DRAWN[2:])
@pytest.mark.parametrize("scale", [1e17, 1e307, 1e308])
def test_huge_learning_rates_play_the_arm_with_the_least_loss(name, scale):
    agent = start(name)
    agent.scale = scale
    for t in range(20):
        before = agent.losses[0].copy()
        arm = agent.act([0])
        assert before[arm[0]] == before.min()
        agent.observe([0], arm, [LOW + t % 3])
    assert np.isfinite(agent.losses).all()


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("reward", [np.nextafter(LOW, -8.0), np.nextafter(HIGH, 6.0), 1e300])
def test_rewards_outside_of_the_range_are_refused_and_nothing_is_learned(name, reward):
    agent = start(name, n=2)
    arms = agent.act(shown(agent))
    with pytest.raises(ValueError, match=r"^rewards must be in \[-7.0, 5.0\], got "):
        agent.observe(shown(agent), arms, [0.0, reward])
    assert not agent.losses.any()
    assert agent.open.count.tolist() == [1, 1]
    agent.observe(shown(agent), arms, [LOW, reward], observed=[True, False])
    agent.observe(shown(agent), arms, [reward, HIGH], observed=[False, True])
    assert agent.open.count.tolist() == [0, 0]
    assert agent.losses[0, arms[0]] > 0
    assert (agent.losses[1] >= 0).all()


@pytest.mark.parametrize("name", ["EXP3", "EXP3IX", "TsallisINF"])
@pytest.mark.parametrize("scale", [0, -1.0, np.nan, np.inf])
def test_scales_that_are_not_positive_are_refused(name, scale):
    with pytest.raises(ValueError, match="scale must be finite and > 0"):
        getattr(agents, name)(scale=scale)


def test_estimators_are_named():
    with pytest.raises(ValueError, match="estimator must be"):
        agents.TsallisINF(estimator="importance")


@pytest.mark.parametrize("name", DRAWN)
def test_a_late_reward_is_weighted_by_the_probabilities_of_its_own_decision(name):
    """Rewards come in another order, at times when the probabilities are others."""
    agent, rng = start(name), np.random.default_rng(2)
    waiting, kept, t, differ = [], {}, 1, 0
    for decision in range(400):
        arm = agent.act([0])
        kept[decision] = agent.open.kept[0, agent.open.count[0] - 1].copy()
        assert abs(kept[decision].sum() - 1) < 1e-12
        waiting.append((decision, arm))
        while len(waiting) > 5 or (waiting and rng.random() < 0.3):
            answered, (action,) = waiting.pop(rng.integers(len(waiting)))
            reward, before = rng.uniform(LOW, HIGH), agent.losses[0].copy()
            agent.observe([0], [action], [reward], decision=[answered])
            added = estimates(name, kept[answered], action, (HIGH - reward) / 12, t)
            np.testing.assert_allclose(agent.losses[0], before + added, rtol=1e-12)
            differ += np.abs(kept[answered] - kept[decision]).max() > 0.01
            t += 1
    assert differ > 50
    assert agent.open.count[0] == len(waiting)
    assert agent.open.consistent()


@pytest.mark.parametrize("name", DRAWN)
def test_a_decision_is_answered_once(name):
    agent = start(name)
    with pytest.raises(ValueError, match="has no open decision 0"):
        agent.observe([0], [0], [0.0])
    arm = agent.act([0])
    agent.observe([0], arm, [0.0])
    losses = agent.losses.copy()
    with pytest.raises(ValueError, match="has no open decision 0"):
        agent.observe([0], arm, [0.0], decision=[0])
    np.testing.assert_array_equal(agent.losses, losses)


def test_decisions_that_are_never_answered_are_forgotten(monkeypatch):
    monkeypatch.setattr(open_decisions, "MOST", 4)
    agent = start("TsallisINF", n=2)
    for _ in range(9):
        arms = agent.act(shown(agent))
    assert agent.open.number.tolist() == [[5, 6, 7, 8]] * 2
    assert agent.open.kept.shape == (2, 4, 3)
    agent.observe(shown(agent), arms, [0.0, 0.0], decision=[4, 5], observed=[True, True])
    assert agent.open.dropped.tolist() == [1, 0]
    assert not agent.losses[0].any()
    assert agent.losses[1].any()
    assert agent.open.consistent()


@pytest.mark.parametrize("name", DRAWN)
def test_saved_between_a_decision_and_its_reward_it_goes_on_the_same(name, tmp_path):
    agent, rng = start(name, n=2), np.random.default_rng(4)
    rewards, made = rng.uniform(LOW, HIGH, (60, 2)), []

    def go(player, rounds):
        for t in rounds:
            made.append(player.act(shown(player)))
            if t >= 3:
                player.observe(shown(player), made[t - 3], rewards[t], decision=[t - 3, t - 3])

    go(agent, range(30))
    agent.save(tmp_path / "agent.npz")
    loaded, until = agents.load(tmp_path / "agent.npz"), len(made)
    assert loaded.open.kept.dtype == np.float64
    np.testing.assert_array_equal(loaded.open.kept, agent.open.kept)
    go(agent, range(30, 60))
    expected, made[until:] = made[until:], []
    go(loaded, range(30, 60))
    np.testing.assert_array_equal(made[until:], expected)
    np.testing.assert_array_equal(loaded.losses, agent.losses)


@pytest.mark.parametrize(
    ("row", "place"), [((0.5, -0.1, 0.6), 0), ((-1.0, -1.0, -1.0), 0), ((0.2, 0.3, 0.5), 3)]
)
def test_probabilities_kept_where_none_are_open_or_negative_are_inconsistent(row, place):
    agent = start("EXP3")
    agent.act([0])
    agent.act([0])
    agent.act([0])  # of four places, three are open
    assert agent.open.kept.shape == (1, 4, 3)
    assert agent.open.consistent()
    agent.open.kept[0, place] = row
    assert not agent.open.consistent()


@pytest.mark.parametrize(
    ("number", "loads"), [(1.0, True), (0.0, True), (1.5, False), (-0.5, False)]
)
def test_numbers_that_are_no_probabilities_are_not_loaded(number, loads, tmp_path):
    agent = start("TsallisINF")
    agent.act([0])
    agent.open.kept[0, 0, 1] = number
    agent.save(tmp_path / "agent.npz")
    if loads:
        assert agents.load(tmp_path / "agent.npz").open.kept[0, 0, 1] == number
    else:
        with pytest.raises(ValueError, match=r"open.kept has numbers .* out of range|contradict"):
            agents.load(tmp_path / "agent.npz")


@pytest.mark.parametrize("name", DRAWN)
def test_an_arm_of_probability_0_that_another_player_plays_leaves_the_agent_finite(name):
    agent = start(name)
    agent.losses[0, 2] = 1e200
    seen = []
    for t in range(40):
        seen.append(agent.act([0]).item())
        if t < 20:
            agent.observe([0], [2], [LOW])
    # Implicit exploration adds to the probability 0.
    assert agent.losses[0, 2] > (1e200 if name.startswith("EXP3IX") else 1e300) * 0.99
    assert np.isfinite(agent.losses).all()
    assert np.isfinite(agent.open.kept[:, : agent.open.count[0]]).all()
    assert set(seen) == {0, 1}


@pytest.mark.parametrize("name", DRAWN)
def test_one_arm_has_probability_1(name):
    agent = start(name, n_arms=1)
    for _ in range(5):
        assert agent.act([0]).tolist() == [0]
        assert agent.open.kept[0, 0].tolist() == [1.0]
        agent.observe([0], [0], [-1.0])
    assert abs(agent.losses[0, 0] - 2.5) < 1e-12  # five losses of 1/2


@pytest.mark.parametrize("name", DRAWN)
def test_rewards_of_one_value_are_no_loss(name):
    agent = start(name, bounds=(3.0, 3.0))
    for _ in range(3):
        agent.observe([0], agent.act([0]), [3.0])
    assert not agent.losses.any()


@pytest.mark.parametrize("name", DRAWN)
def test_rewards_on_another_range_are_played_alike(name):
    """Losses of 1/12 and more, which both ranges round alike."""
    rewards = np.random.default_rng(0).integers(-7, 6, (200, 3)).astype(float)
    one, other = start(name), start(name, bounds=(LOW * 4 + 64, HIGH * 4 + 64))
    for t in range(200):
        arms = one.act([0])
        assert other.act([0]) == arms
        one.observe([0], arms, rewards[t, arms])
        other.observe([0], arms, 4 * rewards[t, arms] + 64)
    np.testing.assert_array_equal(one.losses, other.losses)


@pytest.mark.parametrize("name", DRAWN)
def test_replicates_play_as_they_do_alone(name):
    rewards = np.random.default_rng(1).uniform(LOW, HIGH, (80, 7, 3))

    def played(agent, columns):
        arms = []
        for t in range(80):
            arms.append(np.atleast_1d(agent.act(0 if agent.solo else shown(agent))))
            reward = rewards[t, columns, arms[-1]]
            if agent.solo:
                agent.observe(0, arms[-1].item(), reward.item())
            else:
                agent.observe(shown(agent), arms[-1], reward)
        return np.array(arms), agent.losses

    arms, losses = played(start(name, n=7), np.arange(7))
    for n in (1, 2):
        some, lost = played(start(name, n=n), np.arange(n))
        np.testing.assert_array_equal(some, arms[:, :n])
        np.testing.assert_array_equal(lost, losses[:n])
    alone, lost = played(agents.resolve(name).reset(task(), seed=3), np.arange(1))
    np.testing.assert_array_equal(alone, arms[:, :1])
    np.testing.assert_array_equal(lost, losses[:1])


@pytest.mark.parametrize("p", [(0.1, 0.0, 0.6, 0.3), (0.0, 0.5, 0.5, 0.0), (0.0, 0.0, 0.25, 0.0)])
def test_an_arm_is_drawn_by_the_uniform_of_its_decision(p):
    """Arms of probability 0 never are, even where rounding leaves a rest."""
    keys, decisions = Stream([9], AGENT, 0, 0).keys, np.array([5])
    shape, made = (1, 4), np.array([p])
    arms = Arms(np.zeros(shape), np.zeros(1, np.int64), keys, decisions, made, 1.0, 1.0)
    u = [Stream([9], AGENT, 0, 0).uniform(5 + t)[0] for t in range(200)]
    last = np.flatnonzero(p)[-1]
    expected = np.minimum(np.searchsorted(np.cumsum(p), u, side="right"), last)
    np.testing.assert_array_equal(drawn_arms(arms, 200), expected)


def test_extreme_losses_leave_probabilities_that_sum_to_1():
    """Newton's method converges for many equal arms, for arms far apart, and at any rate."""
    cases = [
        np.zeros(1000), np.arange(1000.0), np.r_[0.0, np.full(999, 40.0)],
        np.r_[np.zeros(999), 1e300], np.r_[1e300, 0.0, 1e20], np.r_[0.0, -5.0, 5.0],
    ]  # fmt: skip
    for losses in cases:
        for scale in (1e-150, 1e-6, 1.0, 1e6):
            agent = start(f"TsallisINF(scale={scale!r})", n_arms=len(losses))
            agent.losses[0], agent._t[0] = losses, 99
            agent.act([0])
            p, eta = agent.open.kept[0, 0], 0.4 * scale
            assert abs(p.sum() - 1) < 1e-12
            # By the formula all 2 / sqrt(p) - eta * losses are the same number.
            held = p > 1e-8
            away = 2 / np.sqrt(p[held]) - eta * (losses[held] - losses.min())
            assert np.ptp(away) <= 1e-9 * away.max()
