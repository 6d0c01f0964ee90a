"""The uses of public seeds, and the one place that enforces them."""

from dataclasses import replace

import pytest

from leaderboards.suites.seed_ranges import BASELINES, SCORING, TUNING, check
from leaderboards.suites.suite import Suite, load
from leaderboards.suites.suite_tables import MOST_SEEDS


def test_the_ranges_follow_one_another():
    assert (SCORING.start, SCORING.stop) == (0, 500_000)
    assert (TUNING.start, TUNING.stop) == (500_000, 10**6)
    assert (BASELINES.start, BASELINES.stop) == (10**6, 2**63)
    assert len(SCORING) == MOST_SEEDS


@pytest.mark.parametrize("used", [SCORING, TUNING, BASELINES])
def test_a_seed_outside_its_range_is_refused(used):
    check([used[0], used[-1]], used)
    check([], used)
    for seed in (used[0] - 1, used[-1] + 1):
        with pytest.raises(ValueError, match=rf"seeds of .* are {used[0]}\.\..*, got {seed}$"):
            check([used[0], seed], used)


def test_every_suite_is_checked_when_it_is_made():
    suite = load("core-v2")
    assert suite.used == SCORING
    for seed, used in ((500_000, TUNING), (10**6, BASELINES)):
        with pytest.raises(ValueError, match=rf"seeds of scoring are 0\.\.499999, got {seed}"):
            replace(suite, seeds=(0, seed))
        assert replace(suite, seeds=(seed,), used=used).seeds == (seed,)
    with pytest.raises(ValueError, match="seeds of tuning are .* got 0"):
        replace(suite, used=TUNING)


def test_held_out_seeds_are_exempt():
    task = replace(load("core-v2").tasks[0], hidden=(5, 700_000))
    suite = Suite(name="e", title="t", seeds=(0, 600_000), tasks=(task,), hash="h", n_seeds=2)
    assert task.played([1]) == [700_000]
    assert suite.used == SCORING
