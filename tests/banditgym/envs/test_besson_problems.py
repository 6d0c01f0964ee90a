"""The problems of Besson et al. against their tables."""

import gymnasium
import numpy as np
import pytest

import banditgym  # noqa: F401 (registers the environments)
from banditgym.envs.besson_problems import HORIZON, PROBLEMS

# The first round with new means, counted from 1: in the authors' arrays of PB3 and PB4 the columns
# that differ from the one before them.
FIRST = {
    "PB1": [4001, 8001, 12001, 16001],
    "PB2": [4001, 8001, 12001, 16001],
    "PB3": [6947, 9400, 10887, 13633, 16254],
    "PB4": [7388, 8403, 11866, 15716, 18183],
}


def means_by_round(problem, **settings):
    """The means (T, K) of an episode, as the arms pay them without noise."""
    n_arms = len(PROBLEMS[problem][1][0])
    envs = gymnasium.make_vec(
        "DriftingArmedBandit-v0",
        num_envs=n_arms,
        problem=problem,
        noise="gaussian",
        noise_std=0.0,
        **settings,
    )
    envs.reset(seed=0)
    arms = np.arange(n_arms)
    return np.array([envs.step(arms)[1] for _ in range(envs.unwrapped.task.horizon)])


@pytest.mark.parametrize("problem", PROBLEMS)
def test_means_hold_from_the_rounds_of_the_tables(problem):
    means = means_by_round(problem)
    assert means.shape == (HORIZON, len(PROBLEMS[problem][1][0]))
    changed = np.flatnonzero((np.diff(means, axis=0) != 0).any(axis=1))
    assert (changed + 2).tolist() == FIRST[problem]  # place s of the differences: round s + 2
    np.testing.assert_array_equal(means[[0, *(changed + 1)]], PROBLEMS[problem][1])


def test_best_arms_are_those_that_the_paper_tells():
    """PB1 and PB2 as the paper describes them; PB4 has one change of the best arm."""
    best = {name: np.argmax(means, axis=1).tolist() for name, (_, means) in PROBLEMS.items()}
    assert best == {
        "PB1": [0, 0, 2, 1, 1],
        "PB2": [0, 0, 2, 2, 2],
        "PB3": [4, 4, 2, 2, 2, 3],
        "PB4": [3, 3, 4, 4, 4, 4],
    }
    # Every arm of PB2 changes at every break; each break of PB1 changes one arm.
    moved = {name: np.diff(means, axis=0) != 0 for name, (_, means) in PROBLEMS.items()}
    assert moved["PB2"].all()
    assert (moved["PB1"].sum(axis=1) == 1).all()


def test_another_horizon_cuts_a_problem_off_or_lengthens_its_end():
    first = PROBLEMS["PB1"][1]
    np.testing.assert_array_equal(means_by_round("PB1", horizon=4000), [first[0]] * 4000)
    np.testing.assert_array_equal(means_by_round("PB1", horizon=4001)[-2:], first[:2])
    np.testing.assert_array_equal(means_by_round("PB2", horizon=20_500)[-1], PROBLEMS["PB2"][1][4])


def test_a_problem_is_of_bernoulli_arms_and_its_arms_can_be_shuffled():
    envs = gymnasium.make_vec("DriftingArmedBandit-v0", num_envs=30, problem="PB1", shuffled=True)
    assert envs.unwrapped.task.bernoulli
    envs.reset(seed=0)
    means = envs.unwrapped._coming()[0].means[0]
    np.testing.assert_array_equal(np.sort(means, axis=1), [[0.3, 0.5, 0.9]] * 30)
    assert len({own.tobytes() for own in means}) == 6
