"""Thousands of simulated comparisons: how often betting and repeated t-tests are wrong. 3 s."""

import sys

import numpy as np
import pytest
from scipy import stats

from leaderboards.comparison import false_alarms
from leaderboards.comparison.false_alarms import LAWS, LOOKS, rates, repeated_tests


@pytest.mark.parametrize("law", LAWS)
def test_betting_raises_few_false_alarms_and_repeated_t_tests_many(law):
    """At most 5 % are allowed. With 2000 trials and 5 % the count exceeds 6.5 % once in 1000."""
    found = rates(law, 0.0, trials=2000, seeds=300)
    assert found.different <= 0.065
    assert found.repeated > 0.3
    assert found.different + found.equivalent <= 1


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("mean", [-0.05, 0.05])
def test_a_difference_as_large_as_the_margin_is_hardly_ever_called_equivalent(law, mean):
    assert rates(law, mean, trials=2000, seeds=300).equivalent <= 0.065


@pytest.mark.parametrize("law", LAWS)
def test_differences_are_found_and_soon(law):
    found = rates(law, 0.2, trials=500, seeds=400)
    assert found.different == 1
    assert found.seeds < 80


def test_the_laws_have_mean_0_and_stay_in_the_range():
    for law, draw in LAWS.items():
        drawn = np.clip(draw(np.random.default_rng(0), (1000, 400)), -2, 2)
        error = drawn.std() / np.sqrt(drawn.size)
        assert abs(drawn.mean()) < 4 * error, law


def test_repeated_tests_are_scipy_s_after_every_seed():
    differences = np.random.default_rng(5).normal(0, 1, (8, 200))
    expected = [
        any(stats.ttest_1samp(row[:n], 0).pvalue < 0.05 for n in LOOKS) for row in differences
    ]
    assert len(set(expected)) == 2
    assert repeated_tests(differences).tolist() == expected


def test_the_command_prints_a_row_for_each_law_and_mean(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["false_alarms", "--trials", "20"])
    false_alarms.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("20 comparisons a row")
    assert sum(line.startswith("| steady |") for line in lines) == 4
