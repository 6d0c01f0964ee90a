"""Rounds, samples and rewards of a block of points, against a plain loop over its rounds."""

import numpy as np
import pytest

from agents.drivers.points import play_points
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
