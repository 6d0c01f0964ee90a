"""FastPEGE against the estimator, the room that it keeps, and its regret per cycle."""

import dataclasses
import itertools
import math

import gymnasium
import numpy as np
import pytest

import agents
from agents.parts.estimators import GradientDescent
from agents.strongly_convex.fast_pege import samples_within
from banditgym.action_sets import Ball, Sphere


def test_it_is_gradient_descent_on_the_basis_in_turn(points, task_of):
    """The part keeps every sample with the number of its row; both draw the same ones."""
    n, dim, rho = 3, points.dim, 1.2
    agent = agents.FastPEGE(rho=rho).reset(task_of(points), n=n, seed=8)
    step = 4 * rho * dim / points.basis_strength
    part = GradientDescent(step=step).reset(agent.task, n, agent.seeds, rows=points.basis)
    rng = np.random.default_rng(1)
    zeros, each = np.zeros(n, int), np.arange(n)
    kept = np.full((n, dim, 150), np.nan)  # the rewards of every row
    come, learned = np.zeros((n, dim), int), np.zeros(n, int)
    for _ in range(150):
        explored, row = agent._place < dim, np.minimum(agent._place, dim - 1)
        seen, reward = rng.random(n) < 0.8, rng.standard_normal(n)
        kept[each, row, come[each, row]] = np.where(seen & explored, reward, np.nan)
        come[each, row] += seen & explored
        while (ready := come[each, learned % dim] > learned // dim).any():  # samples in turn
            part.learn(learned % dim, kept[each, learned % dim, learned // dim], ready)
            learned += ready
        agent.observe(zeros, agent.act(zeros), reward, observed=seen)
        np.testing.assert_allclose(agent.theta, part.theta, rtol=1e-11, atol=1e-11)
    assert part.count.min() >= 10


def test_a_past_sample_is_any_with_equal_probability(task_of):
    """After 5 samples of one point with rewards 1, 2, 4, 8, 16 the last step tells which was drawn.

    20 000 replicates, a chi-square test of 5 cells at level 1e-6: never drawing the newest, or one
    off, makes a cell of 0 in 4000.
    """
    n = 20_000
    agent = agents.FastPEGE(rho=1.0).reset(task_of(Sphere(1)), n=n, seed=2)
    zeros = np.zeros(n, int)
    for reward in (1.0, 2.0, 4.0, 8.0, 16.0):
        while True:
            before, place = agent.theta[:, 0].copy(), place_of(agent)
            agent.observe(zeros, agent.act(zeros), np.full(n, reward))
            if place == 0:
                break
    step = 4.0 / (4 * (4.0 + 5))
    drawn = np.round((agent.theta[:, 0] - before) / step + before, 6)
    values, counts = np.unique(drawn, return_counts=True)
    np.testing.assert_array_equal(values, [1.0, 2.0, 4.0, 8.0, 16.0])
    assert ((counts - n / 5) ** 2 / (n / 5)).sum() < 33.4  # chi-square, 4 degrees, 1e-6: 33.4


def place_of(agent):
    """The round of the cycle: on one point a cycle m is of 1 + m rounds."""
    (place,) = set(agent._place)
    return place


def test_rewards_are_kept_as_they_grow(task_of):
    task = dataclasses.replace(task_of(Ball(2)), horizon=None)
    agent = agents.FastPEGE().reset(task, n=2)
    paid, total = [], 0
    for t in range(300):
        if agent._place[0] < 2:
            paid.append(float(t))
        agent.observe([0, 0], agent.act([0, 0]), [float(t), -float(t)])
        total = len(paid)
        assert total <= agent.outcomes.shape[1] <= 2 * max(total, 2)
    np.testing.assert_array_equal(agent.outcomes[0, :total], paid)
    np.testing.assert_array_equal(agent.outcomes[1, :total], -np.array(paid))


@pytest.mark.parametrize("in_blocks", [True, False])
@pytest.mark.parametrize("horizon", [3, 4, 30, 300])
def test_there_is_room_for_the_horizon_from_the_start(monkeypatch, horizon, in_blocks):
    envs = gymnasium.make_vec("BallBandit-v0", num_envs=2, dim=2, horizon=horizon)
    agent = agents.FastPEGE()
    agent.reset(envs.unwrapped.task, n=2)
    rooms = [agent.outcomes.shape[1]]
    if not in_blocks:
        monkeypatch.setattr(type(agent), "act", lambda self, seen: agents.Agent.act(self, seen))
    assert agent.plays_blocks == in_blocks
    agents.play(envs, agent)
    rooms.append(agent.outcomes.shape[1])
    samples = sum(place < 2 for place in places(horizon, dim=2))
    doubled = 4  # without a horizon the room would begin at 2 d, and double until it is enough
    while doubled <= samples:
        doubled *= 2
    assert rooms == [doubled, doubled]


@pytest.mark.parametrize(("n", "horizon", "room"), [(1, 10**6, 4096), (3, 10**12, 4)])
def test_a_long_horizon_begins_with_little_room_if_it_needs_much(task_of, n, horizon, room):
    """A million rounds need room for 2 sqrt(2 10^6) = 2828 samples; 10^12 rounds for 3 million."""
    task = dataclasses.replace(task_of(Ball(2)), horizon=horizon)
    assert agents.FastPEGE().reset(task, n=n).outcomes.shape == (n, room)


def test_an_agent_is_loaded_whose_room_has_not_grown_yet(task_of, tmp_path):
    task = dataclasses.replace(task_of(Ball(2)), horizon=300)
    agent, other = (agents.FastPEGE().reset(task, n=2, seed=1) for _ in range(2))
    agent.outcomes = np.zeros((2, 4))
    agent.save(tmp_path / "agent")
    agent = agents.load(tmp_path / "agent")
    for t in range(300):
        for player in (agent, other):
            player.observe([0, 0], player.act([0, 0]), [float(t), -float(t)])
    np.testing.assert_array_equal(agent.outcomes, other.outcomes, strict=True)
    agent.reset(task, n=2).outcomes = np.zeros((2, 3))
    agent.save(tmp_path / "agent")
    with pytest.raises(ValueError, match="the members of FastPEGE contradict each other"):
        agents.load(tmp_path / "agent")


def test_room_is_needed_for_the_last_sample_of_every_row(task_of):
    agent = agents.FastPEGE().reset(task_of(Ball(3)), n=2, seed=1)
    for t in range(95):
        seen = np.array([True, t % 7 > 0])
        agent.observe([0, 0], agent.act([0, 0]), [1.0, -1.0], observed=seen)
    assert agent._place[0] >= 3  # the first replicate has explored all rows as often
    last = max(
        (count - 1) * 3 + row for counts in agent._counts() for row, count in enumerate(counts)
    )
    kept = agent.outcomes
    assert 6 < last < kept.shape[1]
    for room in range(kept.shape[1] + 1):
        agent.outcomes = kept[:, :room]
        assert agent.consistent() == (room > last)
    fresh = agents.FastPEGE().reset(task_of(Ball(3)), n=2, seed=1)
    for room in (5, 6):
        fresh.outcomes = np.zeros((2, room))
        assert fresh.consistent() == (room == 6)


@pytest.mark.parametrize("first", [0, 1])
def test_there_is_room_for_samples_that_wait_for_those_of_another_row(task_of, first):
    """There is no horizon, and all rewards of one row come before those of the other."""
    task = dataclasses.replace(task_of(Ball(2)), horizon=None)
    agent = agents.FastPEGE().reset(task, seed=1)
    points = [agent.act(0) for _ in range(200)]
    row = [decision for decision, place in enumerate(places(200, 2)) if place == first]
    for decision in (*row, *(set(range(200)) - set(row))):
        agent.observe(0, points[decision], float(decision), decision=decision)
    assert len(row) > 8
    np.testing.assert_array_equal(agent.outcomes[0, first : 2 * len(row) : 2], row)


def test_thousands_of_samples_at_once_are_those_of_many_calls(task_of):
    """They are more than are drawn before the first is read."""
    rewards = np.random.default_rng(0).standard_normal((2, 3000))
    task, found = dataclasses.replace(task_of(Ball(3)), horizon=None), []
    for length in (3000, 150):
        agent = agents.FastPEGE().reset(task, n=2, seed=4)
        for first in range(0, 3000, length):
            samples = np.repeat([[first], [length], [0]], 2, axis=1)
            part = np.ascontiguousarray(rewards[:, first : first + length])
            agent._fit(samples, part, np.empty((length // 3 + 2, 2, 3)))
        found.append((agent.theta, agent.outcomes[:, :3000]))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_set_whose_squares_are_0_has_steps(task_of):
    agent = agents.FastPEGE().reset(task_of(Ball(2, 1e-170)), n=1)
    agent.observe([0], agent.act([0]), [1.0])
    assert np.isfinite(agent.theta).all()


def test_room_grows_for_the_samples_of_a_block(task_of):
    """The first 8 cycles of 2 + m rounds have 52 rounds; the 9th explores in 2 of 8: 18 samples."""
    agent, other = (agents.FastPEGE() for _ in range(2))
    for player, room in ((agent, 4), (other, 64)):
        envs = gymnasium.make_vec("BallBandit-v0", num_envs=2, dim=2, horizon=300)
        player.reset(envs.unwrapped.task, n=2, seed=1)
        player.outcomes = np.zeros((2, room))
        envs.reset(seed=1)
        player.play_block(envs.block(60))
    assert agent.outcomes.shape == (2, 32)
    np.testing.assert_array_equal(agent.outcomes, other.outcomes[:, :32])
    np.testing.assert_array_equal(agent.theta, other.theta)


def places(rounds, dim):
    """The place of each round in its cycle: d rounds explore, and then m rounds of cycle m."""
    cycles = (range(dim + m) for m in itertools.count(1))
    return list(itertools.islice(itertools.chain.from_iterable(cycles), rounds))


@pytest.mark.parametrize("dim", [1, 2, 3, 10])
def test_samples_are_counted_without_playing(dim):
    explored = np.cumsum([False] + [place < dim for place in places(2000, dim)])
    assert [samples_within(rounds, dim) for rounds in range(2001)] == explored.tolist()


def mean_square(rho, dim, sigma, cycles):
    r"""Mean square error of a coordinate at the end of each cycle, started at the truth.

    On e_i the coordinate moves when one of its N of n samples is drawn, to
    (1 - gamma) err + gamma xi. With S the sum of its samples' noise, C = E[err S] and
    U = E[err²], both taken over the draws: a new sample changes neither; a step makes
    E[xi S] = sigma² and E[xi err] = C / N of it. Averaged over the coordinates.
    """
    c = 4 * rho * dim
    square, with_noise = np.zeros(dim), np.zeros(dim)
    count = np.zeros(dim)
    ends = []
    for n in range(1, cycles * dim + 1):
        count[(n - 1) % dim] += 1
        gamma, p = c / (4 * (c + n)), count / n
        mixed = np.divide(with_noise, count, out=np.zeros(dim), where=count > 0)
        moved = (1 - gamma) ** 2 * square + 2 * gamma * (1 - gamma) * mixed + gamma**2 * sigma**2
        square = (1 - p) * square + p * moved
        with_noise = (1 - p) * with_noise + p * ((1 - gamma) * with_noise + gamma * sigma**2)
        if n % dim == 0:
            ends.append(square.mean())
    return np.array(ends)


@pytest.mark.parametrize("rho", [1.0, 3.0])
def test_the_exact_mean_square_has_the_limit_of_the_factor(rho):
    """m E err² -> sigma² rho (rho + 2) / (2 rho - 1); c / n is 12 / 4000 at most, times up to 3."""
    square = mean_square(rho, 2, 0.5, 4000)[-1]
    expected = 0.25 * rho * (rho + 2) / (2 * rho - 1)
    np.testing.assert_allclose(4000 * square, expected, rtol=0.01)


@pytest.mark.parametrize("rho", [4 / 3, 3.0])
def test_regret_per_cycle_has_the_factor(cycle_regret, rho):
    """theta of length 1.5, sigma = 0.6, d = 4, 400 seeds, cycles 61 to 160.

    Exploitation in cycle m costs about m (d - 1) E err² / (2‖theta‖) with the exact mean square of
    a coordinate's error; its limit is the factor times PEGE's, of which 12 / (m + 12) at most is
    missing. What is left of the start shortens the estimate by (c / (c + n))^rho < 0.03, the
    expansion of G is off by d E err² / ‖theta‖² < 0.03, each mostly much less: 3 % are allowed
    beside 4.5 standard errors, which are about 4 % each.
    """
    theta, sigma = 1.5 * np.array([0.1, -0.7, 0.5, 0.5]), 0.6
    explored, exploited = cycle_regret(
        agents.FastPEGE(rho=rho), theta=theta, noise_std=sigma, cycles=160, n=400
    )
    np.testing.assert_allclose(explored, 4 * 1.5 - theta.sum(), rtol=1e-9)
    late = exploited[:, 60:].mean(axis=1)
    m = np.arange(61, 161)
    expected = (m * mean_square(rho, 4, sigma, 160)[60:]).mean() * 3 / (2 * 1.5)
    error = late.std(ddof=1) / math.sqrt(len(late))
    assert error < 0.06 * expected
    assert abs(late.mean() - expected) < 4.5 * error + 0.03 * expected
    factor = rho * (rho + 2) / (2 * rho - 1)
    assert 0.8 * factor < expected / (3 * sigma**2 / (2 * 1.5)) < 1.02 * factor


@pytest.mark.parametrize("rho", [0.5, 0.0, -1.0, float("nan"), float("inf")])
def test_rho_is_above_a_half(rho):
    with pytest.raises(ValueError, match=f"rho must be > 1/2.*got {rho}"):
        agents.FastPEGE(rho=rho)
