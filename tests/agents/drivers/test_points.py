"""Cycles, at once and one by one; and blocks of points against a plain loop over their rounds."""

import itertools

import numpy as np
import pytest

from agents.drivers.points import go_on, next_sample, play_points
from agents.parts.basis_exploration import cycle_and_place
from banditgym.compiled import compiled
from banditgym.rounds.blocks import PointsBlock


def by_rounds(place, cycle, last, means, noise):
    """One replicate, round by round: which, its first sample's number, rewards, ended, state."""
    dim, which, rewards, ended = len(means), [], [], 0
    first = (cycle - 1) * dim + min(place, dim)
    for one in noise:
        if place < dim:
            which.append(place)
            rewards.append(means[place] + one)
            place += 1
            if place == dim and last != 0 and cycle < last:
                place, cycle = 0, cycle + 1
            else:
                ended += place == dim
        else:
            which.append(dim + ended)
            place += last == 0
            if place == dim + cycle:
                place, cycle = 0, cycle + 1
    return which, first, rewards, ended, (place, cycle)


@pytest.mark.parametrize("rounds", [1, 7, 60])
@pytest.mark.parametrize("dim", [1, 4])
@pytest.mark.parametrize("last", [0, 1, 3])
@pytest.mark.parametrize("before", [(0, 0, 0), (5, 5, 5), (30, 30, 30), (0, 4, 5), (0, 21, 3)])
def test_a_block_is_its_rounds(rounds, dim, last, before):
    """Replicates have played different numbers of rounds ``before``."""
    rng = np.random.default_rng(rounds)
    means, noise = rng.standard_normal((3, dim)), rng.standard_normal((rounds, 3))
    given = [by_rounds(0, 1, last, means[0], np.zeros(m))[-1] for m in before]
    place, cycle = np.array(given).T.copy()
    block = PointsBlock(start=0, noise=noise, means=means)
    which, (first, counts, ended), rewards = play_points((place, cycle, last), block)
    alike = len(set(given)) == 1
    assert which.shape == (rounds, 1 if alike else 3)
    for i in range(3):
        own = by_rounds(*given[i], last, means[i], noise[:, i])
        np.testing.assert_array_equal(which[:, 0 if alike else i], own[0])
        assert first[i] == own[1]
        np.testing.assert_array_equal(rewards[i, : counts[i]], own[2])
        assert ended[i] == own[3]
        assert (place[i], cycle[i]) == own[4]


@compiled
def gone_on(place, cycle, last, dim, most):
    return go_on(place, cycle, last, dim, 0, most)


@compiled
def number(place, cycle, dim):
    return next_sample(place, cycle, dim, 0)


@compiled
def of_round(t, dim, last):
    return cycle_and_place(t, dim, last)


def rounds_in_order(dim, last):
    """(place, cycle, number of the next sample) of every round."""
    samples = 0
    for cycle in itertools.count(1):
        for place in range(dim):
            yield place, cycle, samples
            samples += 1
        if cycle == last:
            yield from itertools.repeat((dim, cycle, samples))
        for k in range(cycle if last == 0 else 0):
            yield dim + k, cycle, samples


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("last", [0, 1, 4])
def test_rounds_follow_each_other(dim, last):
    place, cycle = np.zeros(1, np.int64), np.ones(1, np.int64)
    for t, expected in enumerate(itertools.islice(rounds_in_order(dim, last), 60)):
        assert (place[0], cycle[0], number(place, cycle, dim)) == expected
        assert of_round(t, dim, last)[::-1] == expected[:2]
        assert gone_on(place, cycle, last, dim, 0) == 0
        assert (place[0], cycle[0]) == expected[:2]
        assert gone_on(place, cycle, last, dim, 1) == 1


def test_cycles_of_late_rounds_are_exact():
    """By the root alone, in double precision, 2e9 would be too large by one, and the last four
    cycles would be too small."""
    for cycle in (10**6, 3 * 10**7 + 1, 2 * 10**9, 827673139, 779500894, 865742498, 771746031):
        before = (cycle - 1) * (2 * 7 + cycle) // 2  # rounds of the cycles before, d = 7
        assert of_round(before, 7, 0) == (cycle, 0)
        assert of_round(before - 1, 7, 0) == (cycle - 1, 7 + cycle - 2)


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("last", [0, 1, 4])
@pytest.mark.parametrize("most", [2, 1000])
def test_many_rounds_all_explore_or_all_exploit(dim, last, most):
    place, cycle = np.zeros(1, np.int64), np.ones(1, np.int64)
    order = list(itertools.islice(rounds_in_order(dim, last), 1100))
    played = 0
    while played < 90:
        k, m, _ = order[played]
        assert (place[0], cycle[0]) == (k, m)
        alike = [(k < dim, m)] * most
        kinds = [(place < dim, cycle) for place, cycle, _ in order[played : played + most]]
        same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(kinds, alike, strict=False))
        rounds = gone_on(place, cycle, last, dim, most)
        assert rounds == min(len(list(same)), most)
        played += rounds
