"""Figure 1's curves against a plain run, the slope, and the figure."""

import gymnasium
import numpy as np
import pytest

from agents import Banditron, play
from leaderboards.papers.claim import Sample
from leaderboards.papers.kakade2008 import error_rates as paper


@pytest.fixture(scope="module")
def sample():
    return paper.figure_1([3, 4, 7], horizon=1000)


def test_a_seeds_row_does_not_depend_on_the_others(sample, tmp_path):
    alone = paper.figure_1([4], horizon=1000)
    assert len(sample.measures) == 3 * 15
    for measure, values in sample.measures.items():
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    paper.draw(sample).savefig(tmp_path / "figure.png")


def test_curves_are_mistakes_of_that_gamma_on_that_environment(sample):
    envs = gymnasium.make_vec("SynSep-v0", num_envs=1, horizon=1000, label_noise=0.05)
    trace = play(envs, Banditron(gamma=1 / 16), seed=[7])
    np.testing.assert_array_equal(sample.measures["SynNonSep, 2^-4"][2], trace.regret[0])
    envs = gymnasium.make_vec("SynSep-v0", num_envs=1, horizon=1000, label_noise=2 / 45)
    trace = play(envs, Banditron(gamma=1 / 16), seed=[7])
    name = f"{paper.ANY_OF_NINE}, 2^-4"
    np.testing.assert_array_equal(sample.measures[name][2], trace.regret[0])
    assert (sample.measures["SynSep, Perceptron"] < sample.measures["SynSep, 2^-4"]).any()


def test_slope_of_medians_and_means():
    rounds = np.array([10, 30, 100, 300, 1000])
    rates = np.array([1.0, 2.0, 3.0, 4.0])[:, None] * rounds**-0.7
    rates[:, 0] = 1.0  # outside of the range
    rates[3] = [1, 1, 1, 1, 1e6]  # an outlier, which the mean follows
    sample = Sample(rounds, {"x": rates * rounds})
    found = paper.slope(sample, "x", 30, 1000)
    medians = [np.median(rates[:, j]) for j in range(1, 5)]
    expected = np.polyfit(np.log(rounds[1:]), np.log(medians), 1)[0]
    assert float(found.value) == pytest.approx(expected)
    means = rates[:, 1:].mean(axis=0)
    expected = np.polyfit(np.log(rounds[1:]), np.log(means), 1)[0]
    assert float(paper.slope(sample, "x", 30, 1000, np.mean).value) == pytest.approx(expected)
    assert expected > 1


def test_the_best_gamma_is_that_of_the_median():
    finals = {name: np.array([[5.0], [5.0], [5.0]]) for name in paper.GAMMAS}
    finals["2^-3"] = np.array([[4.0], [4.0], [9.0]])  # the least median, not the least mean
    finals["2^-9"] = np.array([[0.0], [4.5], [4.5]])
    sample = Sample(np.array([10]), {f"SynSep, {name}": x for name, x in finals.items()})
    assert paper.best(sample, "SynSep") == "2^-3"
    assert paper.best(sample, "SynSep", ["2^-9", "2^-2"]) == "2^-9"
    errors = paper.final(sample, "SynSep", ["2^-9", "2^-3"])
    np.testing.assert_allclose(errors, [[0.0, 0.4], [0.45, 0.4], [0.45, 0.9]])
