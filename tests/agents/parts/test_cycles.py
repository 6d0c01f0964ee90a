"""Cycles: the next rounds of a replicate, at once and one by one."""

import itertools

import numpy as np
import pytest

from agents.parts.cycles import cycle_and_place, go_on, next_sample
from banditgym.compiled import compiled


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
